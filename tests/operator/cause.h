/* cause: what a status says of why the first execution ended. */
#ifndef TEST_CAUSE_H
#define TEST_CAUSE_H

/* A member of its rootCause, as JSON; "": the whole. An expected "": it is absent. */
void cause_check(const char *status, const char *key, const char *expected);

#endif
