/* One exporter that pushes, with a loop and the jobs that a test reports to it. */
#ifndef TESTS_EXPORT_PUSHED_H
#define TESTS_EXPORT_PUSHED_H

#include "export/push/push.h"
#include "io/loop.h"

struct pushed { /* first in a test's rig */
    struct loop *loop;
    struct loop_timer *timer;
    struct fleet fleet;
    struct runtime_flags flags;
    struct push_exporter exporter;
    bool (*is_so)(const struct pushed *pushed);
    bool is_done;
    int64_t deadline_us;
};

void pushed_init(struct pushed *pushed);
void pushed_done(struct pushed *pushed);
/* The exporter, with the flags as they are now. */
void pushed_begin(struct pushed *pushed, push_maker *make);
/* A job of the fleet is new or has changed. */
void pushed_job_changed(struct pushed *pushed, const char *namespace_, const char *name);
/* Lets the exporter work until is_so; false after a minute, which only a failed test takes. */
bool pushed_until(struct pushed *pushed, bool (*is_so)(const struct pushed *pushed));

bool pushed_has_delivered(const struct pushed *pushed);
bool pushed_has_failed(const struct pushed *pushed);

#endif
