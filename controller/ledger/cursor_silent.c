#include "ledger/cursor_silent.h"

#include "ledger/step_times.h"

/* Whether it is known that steps without a line after the last one were lost: the next process that trained began
 * before them, or a line says at which step it resumed (and then run.missing_steps are those that were kept). */
bool cursor_are_silent_lost(const struct cursor *c, const struct view *v, int64_t last_step) {
    const struct view *next = v + 1, *end = c->training->views + c->training->view_count;
    while (next < end && next->run_count == 0)
        next++;
    if (next == end)
        return !c->at_end || c->outcome != OUTCOME_SUCCEEDED;
    const struct run *run = &c->training->runs[next->run_first];
    return run->first_step <= last_step || next->list->runs[0].resume_step != RECORD_NONE;
}

/* How long the steps after the last line may take that have no line, as only every Nth step has one. Of lines that are
 * counted themselves, the next one may have been due. */
int64_t cursor_silent_ms(const struct cursor *c, const struct view *v) {
    int64_t numbers = v->reports_starts ? 0 : c->training->interval - !c->training->counts_lines;
    return numbers > 0 && c->training->ideal_ms <= 0 ? TIME_OPEN / 2 : numbers * training_edge_high_ms(c->training);
}

/* The steps that a process without any line of a step may have done at its end: the first one was due later. */
int64_t cursor_unlogged_ms(const struct cursor *c, const struct view *v) {
    const struct training *t = c->training;
    int64_t before = v->run_first > 0 ? t->runs[v->run_first - 1].last_step : RECORD_NONE;
    bool may_be = v->run_count == 0 && v->ended_ms != TIME_OPEN && !cursor_are_silent_lost(c, v, before);
    return may_be && t->ideal_ms > 0 ? cursor_silent_ms(c, v) : 0;
}
