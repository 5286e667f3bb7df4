/* watches: which resources are watched, and how: a table of reflectors that hand their objects to the model.
 * Absent resources (no Kueue, no JobSet, even no JobGoodput yet) are no error; Kueue's Workloads are read as v1beta2,
 * else as v1beta1. Node leases are not watched (every node renews its own each 10 s): the one lease is fetched when a
 * node stops being ready.
 *
 * While waiting for the lease the objects go to a standby (standby.h) instead of the model. Events are not watched
 * then: they hold their own times, and the API server keeps them for an hour. */
#ifndef OPERATOR_RUNTIME_WATCHES_H
#define OPERATOR_RUNTIME_WATCHES_H

#include "kube/client.h"
#include "operator/runtime/positions.h"

struct runtime_watches;

struct runtime_watches_handler {
    /* The model observed something: evaluate before sleeping. */
    void (*on_change)(void *context);
    /* A JobGoodput, after the model observed it; names are NUL-terminated. */
    void (*on_jobgoodput)(void *context, const char *namespace_, const char *name, struct slice object);
    /* A job of any kind, or a JobGoodput, as it came; an empty object: it was deleted. */
    void (*on_record)(void *context, enum resource resource, const char *namespace_, const char *name,
                      struct slice object);
    void *context;
};

/* namespaces: "a,b" or "" for all. is_standby: until runtime_watches_lead(). Borrows client and model, which must
 * outlive it. */
struct runtime_watches *runtime_watches_new(struct kube_client *client, struct model *model, const char *namespaces,
                                            bool is_standby, const struct runtime_watches_handler *handler);
/* The model takes over what was observed while waiting; it has observed no object yet. Only when synced. */
void runtime_watches_lead(struct runtime_watches *watches);
void runtime_watches_free(struct runtime_watches *watches);

/* Everything that is served has been listed, but for what this controller may not read (model_forbidden); what may be
 * missing (Kueue, Events) does not hold it up for more than a minute after all else could be read. */
bool runtime_watches_are_synced(const struct runtime_watches *watches);
/* False: those of some namespace may not be read, so that their absence says nothing. */
bool runtime_watches_list_all_jobgoodputs(const struct runtime_watches *watches);
/* StepLogFormats are served, and all are known to the model. */
bool runtime_watches_serve_formats(const struct runtime_watches *watches);
/* What is not synced yet, for /readyz: "pods, nodes"; "" if nothing. */
void runtime_watches_missing(const struct runtime_watches *watches, struct buf *out);

/* Before watermarks are reported: true if the server has been silent and is being asked whether it is at work.
 * on_change follows its answer, which is worth waiting for until *ret_wait_us have passed. */
bool runtime_watches_await_server(struct runtime_watches *watches, int64_t *ret_wait_us);

/* How far the objects of a namespace, and nodes, are known to the model. */
void runtime_watches_positions(const struct runtime_watches *watches, const char *namespace_,
                               struct positions *positions);

/* Reports to the model how far each resource is known. A connected watch that says nothing has nothing to say: it
 * counts as known up to a moment ago, or up to when the server was last heard of. */
void runtime_watches_report_watermarks(struct runtime_watches *watches);

#endif
