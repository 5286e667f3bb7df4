/* job_slots: the newest pod of each required slot, and which slots wait for one. */
#ifndef OPERATOR_JOB_SLOTS_H
#define OPERATOR_JOB_SLOTS_H

#include "operator/store/store.h"

struct job_slots {
    const struct pod **newest;
    uint64_t *waiting, *missing; /* bits: a pod exists and is not available; no pod exists */
    size_t count;
};

/* All slots without a pod. */
void job_slots_begin(struct job_slots *s, size_t count);
void job_slots_clear(struct job_slots *s);
/* Notes a pod of a known slot, if it is the newest there. */
void job_slots_note(struct job_slots *s, const struct pod *p, bool is_available);
void job_slots_forget(struct job_slots *s, const struct pod *p); /* the pod is about to be freed */
int64_t job_slots_waiting(const struct job_slots *s);            /* the lowest; -1: none */
int64_t job_slots_missing(const struct job_slots *s);

#endif
