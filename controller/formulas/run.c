#include "formulas/run.h"

#include "base/minmax.h"

struct interval_range run_lost(const struct run_target *targets, size_t count, size_t i) {
    const struct run_target *t = &targets[i];
    int64_t sure_step = INT64_MAX, possible_step = INT64_MAX; /* steps up to these were kept */
    int64_t sure_ms = 0, possible_ms = 0, trained_ms = t->summed_ms, first_step = INT64_MAX;
    for (size_t k = i + 1; k < count; k++) {
        if (targets[k].resumed_step == RUN_NO_STEP)
            continue;
        sure_step = min_of(sure_step, targets[k].resumed_step - 1);
        possible_step = min_of(possible_step, targets[k].has_sums ? -1 : targets[k].resumed_step - 1);
    }
    if (possible_step == INT64_MAX)
        return (struct interval_range){0, 0};
    for (size_t k = 0; k < t->span_count; k++) {
        const struct run_span *s = &t->spans[k];
        trained_ms += s->ms;
        if (s->step != RUN_NO_STEP) {
            first_step = min_of(first_step, s->step);
            sure_ms += s->step > sure_step ? s->ms : 0;
        }
        possible_ms += s->step == RUN_NO_STEP || s->last_step > possible_step ? s->ms : 0;
    }
    if (first_step == INT64_MAX || first_step > possible_step + 1)
        possible_ms += t->summed_ms;
    return (struct interval_range){max_of(0, sure_ms - t->corrected_ms),
                                   min_of(trained_ms - t->corrected_ms, possible_ms)};
}

int64_t run_gap_ms(const struct run_target *targets, size_t i, int64_t *ret_overlap_ms) {
    int64_t before_ms = targets[0].through_ms;
    *ret_overlap_ms = 0;
    if (i == 0)
        return 0;
    for (size_t k = 1; k < i; k++)
        before_ms = max_of(before_ms, targets[k].through_ms);
    *ret_overlap_ms = max_of(0, min_of(targets[i].through_ms, before_ms) - targets[i].start_ms);
    return max_of(0, targets[i].start_ms - before_ms);
}
