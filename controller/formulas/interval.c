#include "formulas/interval.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <stdlib.h>

static int64_t inside_ms(const struct interval *v, int64_t from_ms, int64_t to_ms) {
    return max_of(0, min_of(to_ms, v->to_ms) - max_of(from_ms, v->from_ms));
}

struct interval_time interval_span(const struct interval *v, int64_t from_ms, int64_t to_ms) {
    int64_t ms = inside_ms(v, from_ms, to_ms);
    return (struct interval_time){to_ms - from_ms, {ms, ms}};
}

struct interval_time interval_sums(const struct interval *v) {
    return interval_span(v, v->start_ms, v->complete_ms);
}

struct interval_range interval_share(int64_t ms, const struct interval_time *time) {
    return (struct interval_range){max_of(0, ms - (time->ms - time->inside.low)), min_of(ms, time->inside.high)};
}

void interval_train(struct interval *v, int64_t from_ms, int64_t to_ms) {
    MEM_GROW(v->trained, v->trained_count, v->trained_capacity);
    v->trained[v->trained_count++] = (struct interval_piece){from_ms, to_ms};
}

struct interval_time interval_lose(struct interval *v, int64_t ms) {
    struct interval_time lost = {0};
    while (v->trained_count > 0 && lost.ms < ms) {
        struct interval_piece *newest = &v->trained[v->trained_count - 1];
        int64_t to_ms = newest->to_ms;
        newest->to_ms = max_of(newest->from_ms, to_ms - (ms - lost.ms));
        lost.ms += to_ms - newest->to_ms;
        lost.inside.low += inside_ms(v, newest->to_ms, to_ms);
        if (newest->to_ms == newest->from_ms)
            v->trained_count--;
    }
    lost.inside.high = lost.inside.low;
    if (lost.ms < ms) {
        const struct interval_time sums = interval_sums(v);
        int64_t of_sums_ms = min_of(v->trained_before_ms, ms - lost.ms);
        struct interval_range share = interval_share(of_sums_ms, &sums);
        v->trained_before_ms -= of_sums_ms;
        lost.ms += of_sums_ms;
        lost.inside.low += share.low;
        lost.inside.high += share.high;
    }
    return lost;
}

struct interval_range interval_trained(const struct interval *v) {
    const struct interval_time sums = interval_sums(v);
    struct interval_range out = interval_share(v->trained_before_ms, &sums);
    for (size_t i = 0; i < v->trained_count; i++) {
        int64_t ms = inside_ms(v, v->trained[i].from_ms, v->trained[i].to_ms);
        out.low += ms;
        out.high += ms;
    }
    return out;
}

void interval_done(struct interval *v) {
    free(v->trained);
    *v = (struct interval){0};
}
