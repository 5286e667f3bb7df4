/* empty: of time that nobody watched, when a slot is known to have been empty all the same: objects that are left prove
 * that the target had not begun yet, was stopped, or had no Job there. Private to hidden.c; a time that nothing proves
 * is the one that was asked about. */
#ifndef OPERATOR_FACTS_EMPTY_H
#define OPERATOR_FACTS_EMPTY_H

#include "operator/store/store.h"

/* Until then nothing of the target was there. */
int64_t empty_begun_ms(const struct target *t);
/* Nor was the slot's pod, or one before it. */
int64_t empty_first_ms(const struct target *t, const struct pod *p);
/* What is there now began anew then, and how long it had waited for that nobody saw: resumed, or admitted again, after
 * who knows what. TIME_UNKNOWN: there was nothing before. */
int64_t empty_anew_ms(const struct target *t);
/* Since when the place had no pod until one was made then by that Job. */
int64_t empty_since_ms(const struct target *t, const struct kube_job *j, int64_t at_ms);
/* Since when the place, which has no pod at that time, had none. */
int64_t empty_missing_since_ms(const struct target *t, const char *replicated_job, int64_t index, int64_t at_ms);
/* Until when nothing took the place of a pod that was over, NULL: of none, from that time on. */
int64_t empty_barred_until_ms(const struct target *t, const struct pod *before, int64_t from_ms, int64_t until_ms);
/* None of the Job's pods is gone without having been seen: it counted no others as failed, and was not
 * suspended unseen, which it does not count. After known_lost is. */
bool empty_knows_all_pods(const struct kube_job *j);
/* It was deleted, and another took its place in the same attempt. */
bool empty_is_restarted_alone(const struct kube_job *j);

#endif
