/* past: what is left of pods that are forgotten, or that a checkpoint had no room for. */
#ifndef OPERATOR_STORE_PAST_H
#define OPERATOR_STORE_PAST_H

#include "ledger/ledger.h"
#include "operator/store/pod.h"

/* What the pods of a replicated job did that are forgotten: model/forget.c. */
struct past_change {
    struct ledger_change all;
    int64_t ready; /* by so much the number of Ready ones moved */
};

struct past {
    const char *replicated_job;
    struct past_change *items; /* in time order, each time once */
    size_t count, capacity;
    bool is_in_ledger, is_in_ready_line; /* of the job that measures the target */
};

/* The slots of a replicated job whose pods a checkpoint had no room for: what they did is in its past. */
struct settled_slots {
    const char *replicated_job;
    int64_t stride; /* slots of one job */
    size_t count;
    char *are_held; /* each then, 1 or 0; by a pod that is not in the checkpoint */
};

/* past.c: the one of that replicated job, which is made if need be; its change of that time. */
struct past *store_past(struct target *t, const char *replicated_job);
struct past_change *past_at(struct past *past, int64_t at_ms);
/* The place of a pod in the list; -1: none. */
int64_t store_settled_slot(const struct settled_slots *s, const struct pod *p);
/* A pod that no checkpoint told of is seen for the first time: what it did until the last checkpoint may be settled. */
void store_settle_pod(struct pod *p);
void store_settled_done(struct target *t);

#endif
