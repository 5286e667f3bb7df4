/* followed: a Job of one running pod, and a JobGoodput `j` that reads its steps from train.log below the controller's
 * --log-root. The server and the folder are the caller's until followed_end(); so is the controller, if it runs. */
#ifndef RUNTIME_FOLLOWED_H
#define RUNTIME_FOLLOWED_H

#include <stdbool.h>

#define FOLLOWED_BEGAN "2026-01-01T00:00:0" /* and a digit: when the objects came to be */

struct followed {
    char root[32];
    char *path;
    struct apiserver *server;
    struct program *controller;
};

/* The server with its objects, without a controller. `file` is what the spec says, of `format`. */
bool followed_begin(struct followed *f, const char *format, const char *file);
bool followed_start(struct followed *f);
bool followed_complete(struct followed *f, const char *at); /* the Job, and its pod */
/* kill -9 */
void followed_kill(struct followed *f);
void followed_end(struct followed *f);
/* Adds steps, a second each, from 00:01:00 on: lines with that text before and after their number. */
void followed_write(const struct followed *f, const char *before, const char *after, int from, int to);
/* Whether an object of this kind comes to hold a text within two minutes; if not, the test fails with what the
 * controller said. */
bool followed_holds(struct followed *f, const char *kind, const char *text);

#endif
