/* push: passes the API server's JobGoodputs to exporters: Cloud Monitoring, an OpenTelemetry collector, TensorBoard's
 * files. Only a leader pushes. The pushed values depend only on the object, so that a controller that takes over
 * continues where the other ended.
 *
 * An exporter is one file with a push_maker, named in push.c's table. */
#ifndef EXPORT_PUSH_H
#define EXPORT_PUSH_H

#include "export/fleet.h"
#include "io/loop.h"
#include "operator/runtime/runtime.h"

struct push_figures {                         /* counts since the start */
    const char *exporter;                     /* a constant, for a label */
    int64_t delivered, retried, failed;       /* requests, or writes to a file; failed: given up */
    int64_t points_delivered, points_dropped; /* single values (and spans) */
    int64_t last_delivery_ms;                 /* 0: none */
};

struct push_exporter {
    /* A JobGoodput is new, or its object changed. Called once per object when leading starts, then once per turn of the
     * loop, however often it was written. The job is borrowed for the call: keep its names and look it up in the fleet.
     * If it is not there it was deleted; of very many deletions at once not every one is reported. */
    void (*changed)(void *context, const struct fleet_job *job);
    /* The JobGoodput was deleted. */
    void (*deleted)(void *context, const struct fleet_job *job);
    /* Once a second. */
    void (*tick)(void *context);
    void (*free)(void *context);
    const struct push_figures *figures; /* borrowed from the context */
    void *context;
};

struct push_options {
    struct loop *loop;
    const struct fleet *fleet;
    const struct runtime_flags *flags;
};
/* 1: *exporter is set; 0: the flags do not ask for it; a negative errno with an error that names the flag. */
typedef int push_maker(const struct push_options *options, struct push_exporter *exporter, struct error **err);

struct push;

/* *push: NULL if no flag asks for an exporter. Borrows the fleet and the runtime. */
int push_new(struct push **push, const struct push_options *options, const struct runtime *runtime, struct error **err);
void push_free(struct push *push); /* NULL-safe */
/* The fleet changed. NULL-safe. */
void push_notify(struct push *push);
/* The figures of each exporter; returns their number. NULL-safe. */
int push_figures(const struct push *push, const struct push_figures *const **figures);

#endif
