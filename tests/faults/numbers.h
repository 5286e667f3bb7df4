/* numbers: what must be the same of a final status, however it came about. */
#ifndef TESTS_FAULTS_NUMBERS_H
#define TESTS_FAULTS_NUMBERS_H

/* The status' numbers as text, one member a line; heap, or NULL if it is not Completed yet. object: a JobGoodput. */
char *numbers_of(const char *object);

#endif
