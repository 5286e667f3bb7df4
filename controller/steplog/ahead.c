#include "steplog/ahead.h"

enum {
    MIN_MS = 10000,  /* less is the loop's: input, garbage collection, a late stamp */
    SLACK_MS = 1000, /* how late the stamp of a step may be */
    LINES_AFTER = 2, /* that go by both clocks: lines that came late, or at once, are early after that */
};

/* Whether the line's stamp is its duration after the line before. */
static bool is_on_time(int64_t took_ms, int64_t stated_ms) {
    return took_ms >= stated_ms / 2 && took_ms <= stated_ms + stated_ms / 2 + SLACK_MS;
}

void ahead_note(struct steplog *s, const struct record *step) {
    struct ahead *a = &s->ahead;
    bool is_next = s->last_step != RECORD_NONE && step->step > s->last_step && s->pace.step_at_ms != TIME_UNKNOWN &&
                   step->at_ms != TIME_UNKNOWN && step->duration_ms != RECORD_NONE;
    int64_t took_ms = is_next ? step->at_ms - s->pace.step_at_ms : 0;
    int64_t excess_ms = is_next ? took_ms - step->duration_ms : 0;
    if (a->excess_ms > 0 && (!is_next || !is_on_time(took_ms, step->duration_ms)))
        a->excess_ms = 0;
    else if (a->excess_ms > 0 && ++a->lines_after == LINES_AFTER) {
        forward_add(&s->counts.forward, &(struct forward){.largest_ms = a->excess_ms});
        a->excess_ms = 0;
    }
    if (!is_next || s->pace.is_broken || excess_ms < MIN_MS || excess_ms < 2 * step->duration_ms)
        return;
    a->excess_ms = excess_ms;
    a->lines_after = 0;
}

void ahead_visit(struct ahead *a, struct codec *c) {
    a->excess_ms = codec_within(c, a->excess_ms, 0, INT64_MAX);
    CODEC_INT(c, &a->lines_after, 0, LINES_AFTER);
}
