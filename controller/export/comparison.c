#include "export/comparison.h"

#include "base/clock.h"
#include "base/jscan.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "formulas/advice.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void comparison_init(struct comparison_side *side, const char *name) {
    *side = (struct comparison_side){.name = name, .complete_from_ms = TIME_UNKNOWN};
    side->job.program = NAN;
}

void comparison_done(struct comparison_side *side) {
    for (size_t i = 0; i < side->bucket_count; i++)
        free(side->buckets[i]);
    free(side->buckets);
    compare_job_done(&side->job);
}

/* ---- one line ---- */

struct line { /* what counts of any record */
    char record[16], bucket[COMPARE_NAME_SIZE], family[16];
    int64_t from_ms, to_ms, complete_from_ms;
    int64_t ms, count, execution, step, last_step;
    bool is_excluded, has_name;
};

/* Sums of such numbers do not overflow. */
static void read_int(struct jscan *j, int64_t *value) {
    const int64_t max = INT64_C(1) << 53;
    if (jscan_int(j, value))
        *value = max_of(min_of(*value, max), -max);
}

static void read_time(struct jscan *j, int64_t *ms) {
    if (!jscan_time_ms(j, ms))
        *ms = TIME_UNKNOWN;
}

static void read_advice(struct comparison_side *side, struct jscan *j) {
    struct slice key;
    side->advice_count = 0;
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        struct comparison_advice a = {0};
        char points[24] = "";
        if (jscan_object(j))
            while (jscan_key(j, &key)) {
                if (slice_is(key, "kind"))
                    jscan_string(j, a.kind, sizeof a.kind);
                else if (slice_is(key, "gainPoints"))
                    jscan_string(j, points, sizeof points);
                else
                    jscan_skip(j);
            }
        a.gain_points = strtod(points, NULL);
        if (isfinite(a.gain_points) && side->advice_count < COMPARISON_MAX_ADVICE)
            side->advice[side->advice_count++] = a;
    }
}

static void read_program(struct comparison_side *side, struct jscan *j) {
    struct slice key;
    int64_t ppm;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key))
        if (!slice_is(key, "program"))
            jscan_skip(j);
        else if (jscan_int(j, &ppm))
            side->job.program = (double)ppm / 1e6;
}

static void read_status(struct comparison_side *side, struct jscan *j) {
    struct slice key;
    side->job.program = NAN;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "goodputPPM"))
            read_program(side, j);
        else if (slice_is(key, "advice"))
            read_advice(side, j);
        else
            jscan_skip(j);
    }
}

static void read_member(struct comparison_side *side, struct jscan *j, struct slice key, struct line *x) {
    if (slice_is(key, "record"))
        jscan_string(j, x->record, sizeof x->record);
    else if (slice_is(key, "bucket"))
        jscan_string(j, x->bucket, sizeof x->bucket);
    else if (slice_is(key, "family"))
        jscan_string(j, x->family, sizeof x->family);
    else if (slice_is(key, "from"))
        read_time(j, &x->from_ms);
    else if (slice_is(key, "to"))
        read_time(j, &x->to_ms);
    else if (slice_is(key, "completeFrom"))
        read_time(j, &x->complete_from_ms);
    else if (slice_is(key, "milliseconds"))
        read_int(j, &x->ms);
    else if (slice_is(key, "count"))
        read_int(j, &x->count);
    else if (slice_is(key, "execution"))
        read_int(j, &x->execution);
    else if (slice_is(key, "step"))
        read_int(j, &x->step);
    else if (slice_is(key, "lastStep"))
        read_int(j, &x->last_step);
    else if (slice_is(key, "excluded"))
        jscan_bool(j, &x->is_excluded);
    else if (slice_is(key, "name")) {
        jscan_skip(j);
        x->has_name = true;
    } else if (slice_is(key, "status") && strcmp(x->record, "status") == 0)
        read_status(side, j);
    else
        jscan_skip(j);
}

/* The one copy of a bucket's name. */
static const char *name_of(struct comparison_side *side, const char *bucket) {
    for (size_t i = 0; i < side->bucket_count; i++)
        if (strcmp(side->buckets[i], bucket) == 0)
            return side->buckets[i];
    MEM_GROW(side->buckets, side->bucket_count, side->bucket_capacity);
    return side->buckets[side->bucket_count++] = slice_dup(slice_of(bucket));
}

static void add_span(struct comparison_side *side, const struct compare_span *span) {
    struct compare_job *job = &side->job;
    MEM_GROW(job->spans, job->span_count, job->span_capacity);
    job->spans[job->span_count++] = *span;
}

static void take_span(struct comparison_side *side, const struct line *x, bool is_correction) {
    if (x->bucket[0] == '\0' || x->to_ms == TIME_UNKNOWN ||
        (!is_correction && (x->from_ms == TIME_UNKNOWN || x->from_ms > x->to_ms)))
        return;
    struct compare_span span = {.from_ms = is_correction ? x->to_ms : x->from_ms,
                                .to_ms = x->to_ms,
                                .ms = x->ms,
                                .bucket = name_of(side, x->bucket),
                                .is_scheduling = strcmp(x->family, "Scheduling") == 0,
                                .count = max_of(x->count, 0),
                                .execution = x->execution > 0 ? side->executions + x->execution : 0,
                                .steps = x->step >= 0 ? max_of(x->last_step, x->step) - x->step + 1 : 0};
    add_span(side, &span);
}

static void take_interruption(struct comparison_side *side, const struct line *x) {
    struct compare_job *job = &side->job;
    if (x->is_excluded)
        return;
    if (x->from_ms == TIME_UNKNOWN) {
        side->untimed += x->count < 0 ? 1 : x->count;
        return;
    }
    MEM_GROW(job->interruptions_ms, job->interruption_count, job->interruption_capacity);
    job->interruptions_ms[job->interruption_count++] = x->from_ms;
}

/* A log alone has no JobGoodput's name. */
static void take_head(struct comparison_side *side, const struct line *x) {
    side->job.is_of_log = side->job.is_of_log || !x->has_name;
    if (x->complete_from_ms != TIME_UNKNOWN && x->complete_from_ms > x->from_ms)
        side->complete_from_ms = x->complete_from_ms;
}

static void take_line(struct comparison_side *side, struct slice text) {
    struct line x = {.from_ms = TIME_UNKNOWN,
                     .to_ms = TIME_UNKNOWN,
                     .complete_from_ms = TIME_UNKNOWN,
                     .count = -1,
                     .step = -1,
                     .last_step = -1};
    struct jscan j;
    struct slice key;
    jscan_init(&j, text);
    if (!jscan_object(&j))
        return;
    while (jscan_key(&j, &key))
        read_member(side, &j, key, &x);
    if (strcmp(x.record, "span") == 0)
        take_span(side, &x, false);
    else if (strcmp(x.record, "settled") == 0 && x.from_ms == TIME_UNKNOWN)
        take_span(side, &x, true);
    else if (strcmp(x.record, "interruption") == 0)
        take_interruption(side, &x);
    else if (strcmp(x.record, "job") == 0)
        take_head(side, &x);
}

/* ---- one ledger after the other ---- */

static int by_time(const void *a, const void *b) {
    const struct compare_span *x = a, *y = b;
    return x->from_ms != y->from_ms ? (x->from_ms < y->from_ms ? -1 : 1)
                                    : (x->to_ms < y->to_ms ? -1 : x->to_ms > y->to_ms);
}

/* Moves what came since then, so that it starts where the ledger before ended; or fills the gap. */
static void join(struct comparison_side *side, size_t spans, size_t interruptions, enum comparison_gap gap) {
    struct compare_job *job = &side->job;
    int64_t end_ms = job->spans[spans - 1].to_ms, start_ms = job->spans[spans].from_ms;
    if (gap == COMPARISON_NOT_SUBMITTED && start_ms > end_ms) {
        struct compare_span between = {.from_ms = end_ms,
                                       .to_ms = start_ms,
                                       .ms = start_ms - end_ms,
                                       .bucket = name_of(side, "NotSubmitted"),
                                       .is_scheduling = true,
                                       .count = 1};
        add_span(side, &between);
        qsort(job->spans + spans, job->span_count - spans, sizeof *job->spans, by_time);
        return;
    }
    for (size_t i = spans; i < job->span_count; i++) {
        job->spans[i].from_ms += end_ms - start_ms;
        job->spans[i].to_ms += end_ms - start_ms;
    }
    for (size_t i = interruptions; i < job->interruption_count; i++)
        job->interruptions_ms[i] += end_ms - start_ms;
}

int comparison_take(struct comparison_side *side, struct slice lines, enum comparison_gap gap, struct error **err) {
    struct compare_job *job = &side->job;
    size_t spans = job->span_count, interruptions = job->interruption_count;
    struct slice line;
    while (slice_take_line(&lines, &line))
        take_line(side, line);
    if (job->span_count == spans)
        return error_set(err, ENODATA, "%s: no span of its time is known", side->name);
    qsort(job->spans + spans, job->span_count - spans, sizeof *job->spans, by_time);
    if (side->ledgers++ > 0)
        join(side, spans, interruptions, gap);
    for (size_t i = spans; i < job->span_count; i++)
        side->executions = max_of(side->executions, job->spans[i].execution);
    return 0;
}

/* ---- what came of advice ---- */

static bool has_advice(const struct comparison_side *side, const char *kind) {
    for (size_t i = 0; i < side->advice_count; i++)
        if (strcmp(side->advice[i].kind, kind) == 0)
            return true;
    return false;
}

size_t comparison_gains(const struct comparison_side sides[2], double chance, struct comparison_gain *out) {
    size_t count = 0;
    for (size_t i = 0; i < sides[0].advice_count; i++) {
        const struct comparison_advice *a = &sides[0].advice[i];
        const char *lowers = advice_lowers(a->kind);
        if (lowers == NULL)
            continue;
        struct comparison_gain *g = &out[count++];
        *g = (struct comparison_gain){
            .predicted = a, .is_known = lowers[0] != '\0', .is_advised_still = has_advice(&sides[1], a->kind)};
        if (g->is_known)
            g->obtained = compare_gain(&sides[0].job, &sides[1].job, lowers, chance);
    }
    return count;
}

/* ---- JSON ---- */

/* What is not finite is not known. */
static void write_number(struct jwrite *w, const char *key, double value) {
    char text[40];
    if (!isfinite(value))
        return;
    snprintf(text, sizeof text, "%.15g", value);
    jwrite_key(w, key);
    jwrite_raw(w, slice_of(text));
}

static void write_interval(struct jwrite *w, const char *key, double value, bool has_spread,
                           struct difference_interval around) {
    jwrite_member_object(w, key);
    write_number(w, "value", value);
    if (has_spread) {
        write_number(w, "low", around.low);
        write_number(w, "high", around.high);
    }
    jwrite_object_end(w);
}

static void write_estimate(struct jwrite *w, const char *key, const struct difference_estimate *e, double chance) {
    struct difference_interval around = e->has_spread ? difference_around(e, chance) : (struct difference_interval){0};
    write_interval(w, key, e->value, e->has_spread, around);
}

static void write_row(struct jwrite *w, const struct compare_row *row, double chance) {
    static const char *const units[] = {"milliseconds", "share", "perDay"};
    jwrite_object(w);
    jwrite_member_text(w, "row", row->name);
    jwrite_member_text(w, "unit", units[row->unit]);
    write_estimate(w, "a", &row->a, chance);
    write_estimate(w, "b", &row->b, chance);
    jwrite_member_text(w, "verdict", compare_verdict_name(row->verdict));
    if (row->verdict != COMPARE_TOO_FEW)
        write_interval(w, "change", row->b.value - row->a.value, true, row->change);
    jwrite_object_end(w);
}

static void write_side(struct jwrite *w, const char *key, const struct comparison_side *side) {
    const struct compare_job *job = &side->job;
    jwrite_member_object(w, key);
    jwrite_member_text(w, "name", side->name);
    jwrite_member_int(w, "fromUnixMilliseconds", job->spans[0].from_ms);
    jwrite_member_int(w, "toUnixMilliseconds", job->spans[job->span_count - 1].to_ms);
    jwrite_member_int(w, "steps", (int64_t)job->step_count);
    jwrite_member_int(w, "ledgers", (int64_t)side->ledgers);
    jwrite_object_end(w);
}

static void write_gain(struct jwrite *w, const struct comparison_gain *g) {
    jwrite_object(w);
    jwrite_member_text(w, "kind", g->predicted->kind);
    write_number(w, "predictedPoints", g->predicted->gain_points);
    if (g->is_known)
        write_interval(w, "obtainedPoints", 100 * g->obtained.value, g->obtained.has_spread,
                       (struct difference_interval){100 * g->obtained.around.low, 100 * g->obtained.around.high});
    jwrite_member_bool(w, "advisedStill", g->is_advised_still);
    jwrite_object_end(w);
}

void comparison_write(const struct comparison_side sides[2], const struct compare_table *t, struct jwrite *w) {
    struct comparison_gain gains[COMPARISON_MAX_ADVICE];
    size_t count = comparison_gains(sides, t->chance, gains);
    jwrite_object(w);
    write_side(w, "a", &sides[0]);
    write_side(w, "b", &sides[1]);
    jwrite_member_int(w, "tested", (int64_t)t->tested);
    write_number(w, "chance", t->chance);
    jwrite_member_array(w, "rows");
    for (size_t i = 0; i < t->count; i++)
        write_row(w, &t->rows[i], t->chance);
    jwrite_array_end(w);
    jwrite_member_array(w, "advice");
    for (size_t i = 0; i < count; i++)
        write_gain(w, &gains[i]);
    jwrite_array_end(w);
    jwrite_object_end(w);
}
