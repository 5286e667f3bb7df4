#include "steplog/generic_candidate.h"

#include "steplog/text.h"

#include <string.h>

#define MIN_STEP_MS 50 /* less: it counts samples or tokens */

void generic_candidate_init(struct generic_candidate *c, const struct steplog *s, const struct generic_line *l) {
    *c = (struct generic_candidate){.kind = l->kind, .unit = 1, .step = RECORD_NONE, .at_ms = TIME_UNKNOWN};
    generic_epoch_init(&c->epochs, s, l->kind);
    memcpy(c->name, l->name, sizeof c->name);
    c->is_epoch = l->is_epoch;
    c->is_row = l->is_row;
}

void generic_candidate_visit(struct generic_candidate *x, struct codec *c) {
    codec_chars(c, x->name, sizeof x->name);
    codec_u64(c, &x->kind);
    visit_step_number(c, &x->step);
    generic_epoch_visit(&x->epochs, c);
    x->unit = codec_within(c, x->unit, 1, STEPLOG_MAX_STEP);
    x->delta = codec_within(c, x->delta, 0, STEPLOG_MAX_STEP);
    codec_i64(c, &x->line);
    CODEC_INT(c, &x->lines, 0, INT32_MAX);
    CODEC_INT(c, &x->equal, 0, INT32_MAX);
    CODEC_INT(c, &x->losses, 0, INT32_MAX);
    CODEC_INT(c, &x->figures, 0, INT32_MAX);
    visit_line_time(c, &x->at_ms);
    for (int i = 0; i < GENERIC_TIMES; i++) {
        CODEC_INT(c, &x->agreed[i], 0, INT32_MAX);
    }
    CODEC_INT(c, &x->time_place, 0, GENERIC_TIMES);
    codec_bool(c, &x->leaves_out);
    codec_bool(c, &x->is_epoch);
    codec_bool(c, &x->is_row);
    codec_bool(c, &x->is_unplaced);
    x->held = (int)codec_count(c, (size_t)x->held, GENERIC_HELD);
    for (int i = 0; i < x->held; i++) {
        visit_line_time(c, &x->events[i].at_ms);
        x->events[i].step = codec_within(c, x->events[i].step, 0, STEPLOG_MAX_STEP);
        c->failed |= i > 0 && x->events[i].step <= x->events[i - 1].step;
    }
}

void generic_candidate_start_over(struct generic_candidate *c) {
    c->lines = c->held = c->equal = c->losses = c->figures = 0;
    memset(c->agreed, 0, sizeof c->agreed);
    c->delta = 0;
    c->step = RECORD_NONE;
    c->is_unplaced = false;
}

/* ---- its numbers ---- */

static void hold(struct generic_candidate *c, int64_t at_ms) {
    if (c->held == GENERIC_HELD) /* the first shows when the steps began */
        memmove(&c->events[1], &c->events[2], (size_t)(--c->held - 1) * sizeof c->events[0]);
    c->events[c->held].at_ms = at_ms;
    c->events[c->held++].step = c->step;
}

void generic_candidate_count(struct generic_candidate *c, int64_t step, int64_t at_ms) {
    int64_t delta = c->step != RECORD_NONE ? step - c->step : 0;
    c->equal = delta == c->delta ? c->equal + 1 : 0;
    c->delta = delta;
    c->step = step;
    c->lines++;
    hold(c, at_ms);
}

/* The line before was "Batch 3/100", and this one is "Batch 3/200": that one's step was another. */
static void split_batches(struct generic_candidate *c) {
    struct generic_line before = {.number = c->epochs.number, .total = c->epochs.total};
    int losses = c->losses, figures = c->figures;
    int64_t step;
    generic_candidate_start_over(c);
    c->epochs.is_batch_of_epoch = true;
    generic_epoch_split(&before);
    if (generic_epoch_number(&c->epochs, &before, true, &step)) {
        generic_candidate_count(c, step, c->at_ms);
        c->losses = losses > 0;
        c->figures = figures > 0;
    }
    generic_epoch_note(&c->epochs, &before);
}

/* The lines so far were all of one epoch. */
static void place(struct generic_candidate *c, int64_t before) {
    for (int i = 0; i < c->held; i++)
        c->events[i].step += before;
    if (c->step != RECORD_NONE)
        c->step += before;
}

bool generic_candidate_step(struct generic_candidate *c, struct generic_line *l, int64_t *step) {
    bool has_held = c->held > 0;
    if (has_held && generic_epoch_is_split(&c->epochs, l))
        split_batches(c);
    if (c->epochs.is_batch_of_epoch && l->epoch == RECORD_NONE && l->total != RECORD_NONE)
        generic_epoch_split(l);
    enum counter_scope scope = c->epochs.scope;
    bool is_known = generic_epoch_number(&c->epochs, l, has_held, step);
    if (is_known && c->is_unplaced)
        place(c, generic_epoch_before(&c->epochs));
    if (scope != SCOPE_UNKNOWN && c->epochs.scope != scope)
        generic_candidate_start_over(c); /* the numbers of the lines before were others */
    generic_epoch_note(&c->epochs, l);
    return is_known;
}

/* A counter of samples or tokens that moves by the same number each time counts these moves: one by one they would take
 * no time at all. Where lines state the time of each, it counts steps. */
int64_t generic_candidate_unit(const struct generic_candidate *c) {
    if (c->delta <= 1 || c->equal < 1 || c->time_place > 0)
        return 1;
    for (int i = 1; i < c->held; i++) {
        const __typeof__(c->events[0]) *before = &c->events[i - 1], *at = &c->events[i];
        bool is_timed = before->at_ms != TIME_UNKNOWN && at->at_ms > before->at_ms;
        if (is_timed && (at->at_ms - before->at_ms) / (at->step - before->step) < MIN_STEP_MS)
            return c->delta;
    }
    return 1;
}

/* ---- the time that lines say ---- */

/* What the distance of two stamps of whole seconds may be off by. Of a few seconds, any number would be about that. */
static int64_t rounded_ms(int64_t before_ms, int64_t at_ms) {
    return before_ms % 1000 == 0 && at_ms % 1000 == 0 && at_ms - before_ms >= 8000 ? 1000 : 0;
}

static bool is_about(int64_t us, int64_t before_ms, int64_t at_ms) {
    int64_t ms = at_ms - before_ms, off_ms = us / 1000 - ms, may_ms = ms / 32 + 20 + rounded_ms(before_ms, at_ms);
    return off_ms <= may_ms && off_ms >= -may_ms;
}

/* Which of the line's numbers is the time of each step since the line before. The time of all of them together would
 * say no more than the stamps of the lines: what else happened between them is in it. */
void generic_candidate_compare_times(struct generic_candidate *c, const struct generic_line *l, int64_t at_ms,
                                     int64_t steps) {
    if (at_ms == TIME_UNKNOWN || c->at_ms == TIME_UNKNOWN || at_ms <= c->at_ms || steps <= 0)
        return;
    for (int i = 0; i < l->time_count; i++) {
        int64_t us = l->times[i].us;
        c->agreed[i] += us > 0 && us < INT64_MAX / steps && is_about(us * steps, c->at_ms, at_ms);
    }
}

/* All lines so far agree, but for one, which may have waited for something. */
void generic_candidate_choose_time(struct generic_candidate *c) {
    int enough = c->lines - 2, best = 0;
    c->time_place = 0;
    for (int i = 0; i < GENERIC_TIMES; i++) {
        if (c->agreed[i] < enough || c->agreed[i] <= best)
            continue;
        best = c->agreed[i];
        c->time_place = i + 1;
    }
}

/* It is at most the time since the line before. Where it is all of that time, and a line between shows a save or an
 * evaluation, it holds that, too. Where it always was all of that time, it proves nothing that the lines' distance does
 * not: saves may leave no line. */
int64_t generic_candidate_mean_us(struct generic_candidate *c, const struct steplog *s, const struct generic_line *l,
                                  int64_t steps) {
    int64_t at_ms = s->stamp_ms;
    int64_t us = c->time_place > 0 && c->time_place <= l->time_count ? l->times[c->time_place - 1].us : -1;
    if (us < 0 || steps <= 0 || at_ms == TIME_UNKNOWN || c->at_ms == TIME_UNKNOWN)
        return RECORD_NONE;
    int64_t ms = us / 1000, since_ms = at_ms - c->at_ms;
    int64_t each_ms = since_ms / steps, off_ms = each_ms / 32 + 20 + rounded_ms(c->at_ms, at_ms) / steps;
    bool is_all = ms >= each_ms - off_ms;
    c->leaves_out |= !is_all;
    bool holds_more = is_all && (s->pace.is_broken || !c->leaves_out);
    return ms <= each_ms + off_ms && !holds_more ? us : RECORD_NONE;
}
