#include "ledger/process_starts.h"

#include "base/mem.h"
#include "base/minmax.h"

/* Whether a step's start changes nothing but the list: no interval ends with it, and no run starts. */
static bool is_between_steps(const struct process *p) {
    static const enum open_kind ended[] = {OPEN_INIT, OPEN_PREPARATION, OPEN_RESTORE, OPEN_SAVE, OPEN_DATA};
    bool is_between = p->starts.count > 0 && !p->starts.is_restored && p->last_ms != TIME_UNKNOWN &&
                      p->first_record_ms != TIME_UNKNOWN;
    for (size_t i = 0; i < ARRAY_SIZE(ended); i++)
        is_between = is_between && p->open[ended[i]].from_ms == TIME_UNKNOWN;
    return is_between;
}

size_t process_add_starts(struct process *p, const struct step_start *steps, size_t count) {
    struct step_list *list = &p->starts;
    size_t n = 0;
    if (!is_between_steps(p))
        return 0;
    int64_t last_step = list->items[list->count - 1].step, last_line = max_of(p->lines.last, 0),
            last_ms = max_of(max_of(p->last_ms, p->settled_ms), 0);
    for (; n < count; n++) {
        const struct step_start *s = &steps[n];
        if (s->line <= last_line || s->step <= last_step || s->step > PROCESS_MAX_STEP || s->at_ms < last_ms ||
            !process_is_plausible(s->at_ms))
            break;
        step_list_count_delta(list, s->step - last_step);
        process_append_step(
            list,
            &(struct step_event){.at_ms = s->at_ms, .step = s->step, .duration_ms = -1, .line = (uint32_t)s->line});
        last_step = s->step;
        last_line = s->line;
        last_ms = s->at_ms;
    }
    if (n == 0)
        return 0;
    struct record last = RECORD_INIT;
    last.kind = RECORD_STEP_START;
    last.step = last_step;
    last.at_ms = last_ms;
    lines_seen_begin(&p->lines, last_line);
    lines_seen_note(&p->lines, &last);
    list->has_pending = false;
    list->added += (int64_t)n;
    p->last_ms = last_ms;
    p->resume_step = RECORD_NONE;
    p->ready_ms = p->job_end_ms = TIME_UNKNOWN;
    return n;
}
