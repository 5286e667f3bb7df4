#include "steplog/skew.h"

#include "base/mem.h"
#include "base/minmax.h"

#define HOUR_MS INT64_C(3600000)
#define MINUTE_MS INT64_C(60000)
#define FIRST_MS INT64_C(0) /* 1970 to 2100: other times are errors of reading or writing */
#define AFTER_MS INT64_C(4102444800000)

enum { MAX_UNDONE = 4096 };

void skew_done(struct skew *k) {
    free(k->undone);
}

void skew_begin(struct skew *k) {
    k->last_ms = k->first_ms = TIME_UNKNOWN;
    k->forward_count = 0;
}

/* The distance in which any moment lies, on average: longer distances hold more moments. */
static int64_t usual_ms(const struct skew *k) {
    size_t n = k->distances.count < ARRAY_SIZE(k->distances.ms) ? k->distances.count : ARRAY_SIZE(k->distances.ms);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double ms = (double)k->distances.ms[i];
        sum += ms;
        squares += ms * ms;
    }
    return sum > 0 ? (int64_t)(squares / sum) : 0;
}

static int64_t median_ms(const struct skew *k) {
    int64_t sorted[ARRAY_SIZE(k->distances.ms)];
    size_t n = k->distances.count < ARRAY_SIZE(sorted) ? k->distances.count : ARRAY_SIZE(sorted);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && sorted[at - 1] > k->distances.ms[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = k->distances.ms[i];
    }
    return n > 0 ? sorted[(n - 1) / 2] : 0;
}

static void note_set(struct skew *k, int64_t by_ms) {
    k->sets++;
    k->largest_ms = max_of(k->largest_ms, by_ms);
}

static void undo(struct skew *k, int64_t line, int64_t by_ms) {
    MEM_GROW(k->undone, k->undone_count, k->undone_capacity);
    k->undone[k->undone_count++] = (struct skew_jump){line, by_ms};
}

/* Whether the distances forward have the other half of a jump back by that many ms. */
static bool was_set_forward(struct skew *k, int64_t back_ms, int64_t usual) {
    size_t n = k->forward_count < ARRAY_SIZE(k->forward) ? k->forward_count : ARRAY_SIZE(k->forward);
    for (size_t i = 1; i <= n; i++) {
        struct skew_jump *f = &k->forward[(k->forward_count - i) % ARRAY_SIZE(k->forward)];
        int64_t passed_ms = f->by_ms - back_ms; /* while the clock was set, both times: half of it each time */
        if (f->line == 0 || passed_ms < -SKEW_MIN_MS || passed_ms > max_of(2 * usual + SKEW_MIN_MS, back_ms / 4))
            continue;
        if (k->can_read_again && k->undone_count < MAX_UNDONE) {
            undo(k, f->line, passed_ms / 2 - f->by_ms);
            undo(k, k->lines, f->by_ms - passed_ms / 2);
        }
        f->line = 0;
        return true;
    }
    return false;
}

/* Whether the line may be the first of another log: that has its own time from the start. */
static bool is_of_other_log(const struct skew *k, int64_t back_ms) {
    int64_t half_hours = (back_ms + HOUR_MS / 4) / (HOUR_MS / 2);
    return 8 * back_ms > 7 * (k->newest_ms - k->first_ms) && llabs(back_ms - half_hours * (HOUR_MS / 2)) > MINUTE_MS;
}

static void go_back(struct skew *k, int64_t back_ms) {
    int64_t passed_ms = median_ms(k);
    bool is_undone = !k->is_again && was_set_forward(k, back_ms, usual_ms(k));
    if (!is_undone && (k->backs == SKEW_MAX_SETS || is_of_other_log(k, back_ms)))
        return;
    note_set(k, back_ms + passed_ms);
    if (is_undone || back_ms <= 2 * usual_ms(k) + SKEW_MIN_MS) /* set forward again, it might not show */
        return;
    k->backs++;
    k->back_ms = back_ms + passed_ms;
    k->offset_ms += k->back_ms;
}

static void go_forward(struct skew *k, int64_t forward_ms, bool has_zone) {
    int64_t usual = usual_ms(k), jump_ms = forward_ms - usual, tolerance_ms = max_of(usual, SKEW_MIN_MS);
    if (k->offset_ms != 0 && llabs(jump_ms - k->back_ms) <= tolerance_ms) {
        note_set(k, k->back_ms);
        k->offset_ms -= k->back_ms;
        k->back_ms = 0;
        k->backs--;
    } else if (!has_zone && llabs(jump_ms - HOUR_MS) <= tolerance_ms) {
        note_set(k, HOUR_MS);
        k->offset_ms -= HOUR_MS;
    } else {
        k->forward[k->forward_count++ % ARRAY_SIZE(k->forward)] = (struct skew_jump){k->lines, forward_ms};
    }
}

static int by_line(const void *a, const void *b) {
    const struct skew_jump *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

bool skew_wants_again(const struct skew *k) {
    return k->undone_count > 0 && !k->is_again;
}

void skew_read_again(struct skew *again, struct skew *k) {
    again->is_again = true;
    again->undone = k->undone;
    again->undone_count = k->undone_count;
    k->undone = NULL;
    k->undone_count = k->undone_capacity = 0;
    qsort(again->undone, again->undone_count, sizeof *again->undone, by_line);
}

/* The clock may be right again, if that puts the file behind the one before. */
static void begin_at(struct skew *k, int64_t stamp_ms) {
    k->first_ms = k->newest_ms = stamp_ms;
    if (stamp_ms >= k->last_time_ms)
        k->offset_ms = k->back_ms = k->backs = 0;
}

int64_t skew_follow(struct skew *k, int64_t stamp_ms, bool has_zone) {
    if (stamp_ms < FIRST_MS || stamp_ms >= AFTER_MS)
        return stamp_ms;
    int64_t distance_ms = k->last_ms != TIME_UNKNOWN ? stamp_ms - k->last_ms : 0;
    k->lines++;
    k->last_ms = stamp_ms;
    if (k->first_ms == TIME_UNKNOWN)
        begin_at(k, stamp_ms);
    k->newest_ms = max_of(k->newest_ms, stamp_ms);
    if (k->undone_next < k->undone_count && k->undone[k->undone_next].line == k->lines) {
        k->offset_ms += k->undone[k->undone_next++].by_ms;
        note_set(k, llabs(k->undone[k->undone_next - 1].by_ms));
    } else if (distance_ms < -SKEW_MIN_MS) {
        go_back(k, -distance_ms);
    } else {
        int64_t max_ms = 2 * usual_ms(k) + SKEW_MIN_MS;
        if (distance_ms > max_ms)
            go_forward(k, distance_ms, has_zone);
        if (distance_ms > 0) /* the usual distance is learnt step by step, so that no silence becomes it at once */
            k->distances.ms[k->distances.count++ % ARRAY_SIZE(k->distances.ms)] = min_of(distance_ms, max_ms);
    }
    k->last_time_ms = stamp_ms + k->offset_ms;
    return k->last_time_ms;
}
