#include "operator/facts/loss.h"
#include "base/minmax.h"
#include "operator/facts/facts.h"
#include "operator/facts/pod_end.h"
#include "operator/facts/silence.h"

int64_t fact_pod_lost_ms(const struct pod *p) {
    int64_t at_ms = min_of(fact_pod_failed_ms(p), fact_pod_asked_ms(p));
    int64_t silent_ms;
    if (fact_pod_loss_by_node(p, &silent_ms))
        at_ms = min_of(at_ms, silent_ms);
    if (p->is_deleted && !p->has_vanished)
        at_ms = min_of(at_ms, p->removed_ms);
    if (p->phase == POD_SUCCEEDED && fact_pod_done_ms(p) == TIME_UNKNOWN)
        at_ms = min_of(at_ms, pod_ended_ms(p));
    return at_ms != TIME_OPEN && p->bound_ms != TIME_UNKNOWN ? max_of(at_ms, p->bound_ms) : at_ms;
}

bool fact_is_pod_available(const struct pod *p) {
    return p->bound_ms != TIME_UNKNOWN &&
           (p->phase == POD_SUCCEEDED || (fact_pod_lost_ms(p) == TIME_OPEN && fact_pod_silent_ms(p) == TIME_OPEN));
}
