/* standby: what a replica observes while it waits for the lease: the newest state of every object, and the journal of
 * the changes that the leader's written statuses do not hold yet. A status names the resourceVersions up to which its
 * checkpoint knows each resource (positions.h); the changes behind them are replayed at the takeover, in the order and
 * with the times of their receipt, into a model that starts from that checkpoint. So the written status wins wherever
 * it reaches, the replica's own memory continues from there, and nothing is counted twice.
 *
 * Objects are kept packed (deflate against a similar object: some 500 bytes a pod), not as a model: a checkpoint
 * replaces what a model knows of a target, and what is settled in it cannot be separated again. */
#ifndef OPERATOR_RUNTIME_STANDBY_H
#define OPERATOR_RUNTIME_STANDBY_H

#include "kube/reflector.h"
#include "operator/model/model.h"

struct standby;

/* journal_bytes: the maximum size of the journal; beyond it the oldest changes are dropped, and their targets have a
 * gap. 0: 8 MiB. */
struct standby *standby_new(size_t journal_bytes);
void standby_free(struct standby *s);

/* An event of a reflector. -EINVAL: the object is malformed. */
int standby_observe(struct standby *s, enum resource resource, enum observed what, const struct kube_event *event);

/* The resource was listed whole, at this version: changes before it may have been missed. "": it is not served. */
void standby_listed(struct standby *s, enum resource resource, struct slice version, struct wall_time now);

struct standby_handler {
    /* In order: StepLogFormats, JobGoodputs, the journal, then all other objects that exist. */
    void (*on_object)(void *context, enum resource resource, enum observed what, const struct kube_event *event);
    /* After the JobGoodputs, for each whose target has a checkpoint: of the changes since then those before
     * missed_until_ms may be missing; TIME_UNKNOWN: none is. */
    void (*on_resume)(void *context, const char *namespace_, const char *name, int64_t missed_until_ms);
    void *context;
};

/* Hands everything on, once. now: the receipt of what did not change since the statuses were written. */
void standby_replay(struct standby *s, struct wall_time now, const struct standby_handler *handler);

struct standby_figures {
    size_t objects, changes;            /* changes: in the journal */
    size_t journal_bytes, object_bytes; /* packed */
};
void standby_figures(const struct standby *s, struct standby_figures *figures);

#endif
