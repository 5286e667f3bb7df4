/* past: sums over pods that are forgotten, or that a checkpoint had no room for. */
#ifndef OPERATOR_STORE_PAST_H
#define OPERATOR_STORE_PAST_H

#include "ledger/ledger.h"
#include "operator/store/pod.h"

/* A change of the sums over the forgotten pods of a replicated job (model/forget.c). */
struct past_change {
    struct ledger_change all;
    int64_t ready; /* change of the number of Ready pods */
};

struct past {
    const char *replicated_job;
    struct past_change *items; /* in time order, each time once */
    size_t count, capacity;
    bool is_in_ledger, is_in_ready_line; /* of the job that measures the target */
};

/* The slots of a replicated job whose pods a checkpoint had no room for: their sums are in its past. */
struct settled_slots {
    const char *replicated_job;
    int64_t stride; /* slots of one job */
    size_t count;
    char *are_held; /* each at settled_ms, 1 or 0; by a pod that is not in the checkpoint */
};

/* The past of that replicated job, and its change at that time; created where there is none. */
struct past *store_past(struct target *t, const char *replicated_job);
struct past_change *past_at(struct past *past, int64_t at_ms);
/* Index of the pod's slot in are_held; -1: none. */
int64_t store_settled_slot(const struct settled_slots *s, const struct pod *p);
/* For a pod that is observed for the first time and is in no checkpoint: if the checkpoint's sums contain what it did
 * until then, marks it so. */
void store_settle_pod(struct pod *p);
void store_settled_done(struct target *t);

#endif
