/* wakeups: how often a loop of this test program slept and was woken. */
#ifndef TESTS_WAKEUPS_H
#define TESTS_WAKEUPS_H

int wakeups(void);

#endif
