#include "cli/analyze/bursts.h"

#include "base/mem.h"
#include "base/minmax.h"

enum { MIN_STEPS = 8, MAX_HELD = 4096, CLOSE = 10, SAME_WRITE_MS = 10, PAUSE_MS = 1000 };

void analyze_bursts_begin(struct analyze_bursts *b) {
    b->newest_ms = TIME_UNKNOWN;
    b->placed = b->unplaced = b->run = 0;
}

void analyze_bursts_done(struct analyze_bursts *b) {
    free(b->held);
}

static bool states_duration(const struct record *r) {
    return r->kind == RECORD_STEP_END && r->duration_ms > 0 && !r->is_derived;
}

/* From the last one back; none before what is known of the time before the burst. */
static void place(struct analyze_bursts *b) {
    int64_t at_ms = b->held[b->count - 1].at_ms;
    for (size_t i = b->count; i-- > 0;) {
        struct record *r = &b->held[i];
        r->at_ms = max_of(at_ms, b->newest_ms);
        if (states_duration(r))
            at_ms = r->at_ms - r->duration_ms;
    }
}

void analyze_bursts_flush(struct analyze_bursts *b) {
    int64_t steps = 0;
    for (size_t i = 0; i < b->count; i++)
        steps += states_duration(&b->held[i]);
    if (steps >= MIN_STEPS) {
        place(b);
        b->placed += steps;
    }
    for (size_t i = 0; i < b->count; i++) {
        b->newest_ms = max_of(b->newest_ms, b->held[i].at_ms);
        b->on_record(b->context, &b->held[i]);
    }
    b->count = 0;
}

/* Steps within some milliseconds after a pause of seconds, again and again. */
static void count_run(struct analyze_bursts *b, int64_t at_ms) {
    bool is_same = b->run > 0 && at_ms - b->run_ms >= 0 && at_ms - b->run_ms < SAME_WRITE_MS;
    if (!is_same && b->run >= MIN_STEPS && at_ms - b->run_ms >= PAUSE_MS)
        b->unplaced += b->run;
    if (!is_same)
        b->run_ms = at_ms;
    b->run = is_same ? b->run + 1 : 1;
}

void analyze_bursts_note(struct analyze_bursts *b, const struct record *r) {
    if (b->count > 0) {
        int64_t gap_ms = r->at_ms - b->held[b->count - 1].at_ms;
        if (gap_ms < 0 || gap_ms >= b->step_ms / CLOSE || b->count == MAX_HELD)
            analyze_bursts_flush(b);
    }
    if (r->kind == RECORD_STEP_END && !states_duration(r))
        count_run(b, r->at_ms);
    if (b->count == 0 && !states_duration(r)) {
        b->newest_ms = max_of(b->newest_ms, r->at_ms);
        b->on_record(b->context, r);
        return;
    }
    MEM_GROW(b->held, b->count, b->capacity);
    b->held[b->count++] = *r;
    if (states_duration(r))
        b->step_ms = r->duration_ms;
}
