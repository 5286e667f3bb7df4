/* A suspension that was over before anybody looked: the condition tells when it ended, and only the Events of the Jobs
 * that were suspended with it tell when it began. Found so, it is one like any other. */
#include "base/minmax.h"
#include "operator/facts/facts.h"

#define MADE_SO_MS 2000 /* a Job that is told to be suspended so soon was made so */

/* When one of the target's Jobs was suspended last, after from_ms and before to_ms; TIME_UNKNOWN: not that is known. */
static int64_t stopped_ms(const struct target *t, const struct model *m, int64_t from_ms, int64_t to_ms) {
    int64_t at_ms = TIME_UNKNOWN;
    for (const struct kube_job *j = t->kube_jobs; j; j = j->next_in_target) {
        const struct stops *s = map_get(&m->stops, slice_of(j->uid));
        for (int i = 0; s && i < s->count; i++)
            if (s->at_ms[i] > max_of(from_ms, j->created_ms + MADE_SO_MS) && s->at_ms[i] < to_ms)
                at_ms = max_of(at_ms, s->at_ms[i]);
    }
    return at_ms;
}

void fact_find_unseen_stops(struct target *t, const struct model *m) {
    struct history *h = &t->suspended;
    if (m->stops.count == 0 || target_is_queued_by_kueue(t))
        return;
    for (int i = 0; i < h->count; i++) {
        if (h->items[i].is_true || (i > 0 && h->items[i - 1].is_true))
            continue;
        int64_t from_ms = i > 0 ? h->items[i - 1].at_ms : t->created_ms;
        int64_t at_ms = stopped_ms(t, m, max_of(from_ms, t->watched_ms), h->items[i].at_ms);
        if (at_ms != TIME_UNKNOWN)
            history_insert(h, i++, (struct transition){at_ms, true, false, "SuspendedJobs", NULL});
    }
}
