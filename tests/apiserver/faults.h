/* faults: the rules by which requests are made to fail: which requests, how often, and how. */
#ifndef TESTS_APISERVER_FAULTS_H
#define TESTS_APISERVER_FAULTS_H

#include "wire.h"

struct rule {
    char verb[24], resource[128], name[256]; /* "any" / "*" / "" match everything; resource "/path" is a path prefix */
    long skip, times;                        /* times < 0: always */
    struct fault fault;
};

struct faults {
    struct rule *rules;
    size_t count, capacity;
};

void faults_done(struct faults *f);
void faults_clear(struct faults *f);
/* "watch pods after 3 events : reset": what follows the word `on`. 0, or -1 with a sentence in why[]. */
int faults_add(struct faults *f, const char *text, char why[static 200]);
/* The fault of the first rule that matches, used up by one; false if there is none. */
bool faults_match(struct faults *f, const char *verb, const char *resource, const char *path, const char *name,
                  struct fault *fault);
size_t faults_left(const struct faults *f); /* rules that have not struck as often as they may; without `always` */

#endif
