#include "cli/analyze/bursts.h"

#include "base/mem.h"
#include "base/minmax.h"

enum { MIN_STEPS = 8, MAX_HELD = 4096, CLOSE = 10, SAME_WRITE_MS = 10, PAUSE_MS = 1000 };

void analyze_bursts_begin(struct analyze_bursts *b) {
    b->newest_ms = b->write_ms = TIME_UNKNOWN;
    b->placed = 0;
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

/* Evenly over the time since the write before; what stands between two steps is placed behind the first. */
static void spread(struct analyze_bursts *b, int64_t steps) {
    int64_t to_ms = b->held[b->count - 1].at_ms, from_ms = max_of(b->write_ms, b->newest_ms), ended = 0;
    for (size_t i = 0; i < b->count; i++) {
        ended += b->held[i].kind == RECORD_STEP_END;
        b->held[i].at_ms = from_ms + (to_ms - from_ms) * ended / steps;
    }
}

static void place_unstated(struct analyze_bursts *b, int64_t steps) {
    int64_t write_ms = b->held[b->count - 1].at_ms;
    if (b->write_ms != TIME_UNKNOWN && write_ms - b->write_ms >= PAUSE_MS)
        spread(b, steps);
    b->write_ms = write_ms;
}

void analyze_bursts_flush(struct analyze_bursts *b) {
    int64_t stated = 0, steps = 0;
    for (size_t i = 0; i < b->count; i++) {
        stated += states_duration(&b->held[i]);
        steps += b->held[i].kind == RECORD_STEP_END;
    }
    if (stated >= MIN_STEPS) {
        place(b);
        b->placed += stated;
    } else if (stated == 0 && steps >= MIN_STEPS) {
        place_unstated(b, steps);
    }
    for (size_t i = 0; i < b->count; i++) {
        if (b->held[i].kind != RECORD_SIGN_OF_LIFE)
            b->newest_ms = max_of(b->newest_ms, b->held[i].at_ms);
        b->on_record(b->context, &b->held[i]);
    }
    b->count = 0;
}

void analyze_bursts_note(struct analyze_bursts *b, const struct record *r) {
    if (b->count > 0) {
        int64_t gap_ms = r->at_ms - b->held[b->count - 1].at_ms, width_ms = r->at_ms - b->held[0].at_ms;
        bool is_over = b->step_ms > 0 ? gap_ms >= b->step_ms / CLOSE : width_ms >= SAME_WRITE_MS;
        if (gap_ms < 0 || is_over || b->count == MAX_HELD)
            analyze_bursts_flush(b);
    }
    if (b->count == 0 && r->kind != RECORD_STEP_END) {
        if (r->kind != RECORD_SIGN_OF_LIFE)
            b->newest_ms = max_of(b->newest_ms, r->at_ms);
        b->on_record(b->context, r);
        return;
    }
    if (b->count == 0)
        b->step_ms = 0;
    MEM_GROW(b->held, b->count, b->capacity);
    b->held[b->count++] = *r;
    if (states_duration(r))
        b->step_ms = r->duration_ms;
}
