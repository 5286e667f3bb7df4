#include "cli/commands/compare.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "cli/commands/job_lines.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/print.h"
#include "formulas/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_BYTES = 1 << 20 };

struct side {
    const char *name;
    struct job_lines lines;
    struct compare_job job;
    int64_t untimed; /* interruptions without a time */
};

/* ---- from lines to a job ---- */

static void take_span(struct compare_job *job, const json_t *x, bool is_correction) {
    int64_t step = pick_int(x, "step", -1), to_ms = pick_time_ms(x, "to");
    if (!pick_has(x, "bucket") || to_ms == TIME_UNKNOWN)
        return;
    MEM_GROW(job->spans, job->span_count, job->span_capacity);
    job->spans[job->span_count++] =
        (struct compare_span){.from_ms = is_correction ? to_ms : pick_time_ms(x, "from"),
                              .to_ms = to_ms,
                              .ms = pick_int(x, "milliseconds", 0),
                              .bucket = pick_text(x, "bucket"),
                              .is_scheduling = strcmp(pick_text(x, "family"), "Scheduling") == 0,
                              .count = pick_int(x, "count", 0),
                              .execution = pick_int(x, "execution", 0),
                              .steps = step >= 0 ? pick_int(x, "lastStep", step) - step + 1 : 0};
}

static void take_interruption(struct side *side, const json_t *x) {
    struct compare_job *job = &side->job;
    if (json_is_true(pick(x, "excluded")))
        return;
    if (!pick_has(x, "from")) {
        side->untimed += pick_int(x, "count", 1);
        return;
    }
    MEM_GROW(job->interruptions_ms, job->interruption_count, job->interruption_capacity);
    job->interruptions_ms[job->interruption_count++] = pick_time_ms(x, "from");
}

/* Where a log has the start and the end of a step, the first of them counts. */
static void take_steps(struct compare_job *job, const json_t *steps) {
    const json_t *point;
    size_t i;
    json_array_foreach((json_t *)steps, i, point) {
        int64_t step = json_integer_value(json_array_get(point, 1));
        if (job->step_count > 0 && job->steps[job->step_count - 1].step == step)
            continue;
        MEM_GROW(job->steps, job->step_count, job->step_capacity);
        job->steps[job->step_count++] = (struct compare_step){json_integer_value(json_array_get(point, 0)), step};
    }
}

static int by_time(const void *a, const void *b) {
    const struct compare_span *x = a, *y = b;
    return x->from_ms != y->from_ms ? (x->from_ms < y->from_ms ? -1 : 1)
                                    : (x->to_ms < y->to_ms ? -1 : x->to_ms > y->to_ms);
}

static int take_job(struct side *side, struct error **err) {
    const json_t *status = job_lines_find(&side->lines, "status"), *ppm = pick(status, "status.goodputPPM.program");
    struct compare_job *job = &side->job;
    json_t *x;
    size_t i;
    job->program = json_is_integer(ppm) ? (double)json_integer_value(ppm) / 1e6 : NAN;
    json_array_foreach(side->lines.records, i, x) {
        const char *record = pick_text(x, "record");
        if (strcmp(record, "span") == 0)
            take_span(job, x, false);
        else if (strcmp(record, "settled") == 0 && !pick_has(x, "from"))
            take_span(job, x, true);
        else if (strcmp(record, "interruption") == 0)
            take_interruption(side, x);
    }
    if (job->span_count == 0)
        return error_set(err, ENODATA, "%s: no span of its time is known", side->name);
    qsort(job->spans, job->span_count, sizeof *job->spans, by_time);
    take_steps(job, side->lines.steps);
    return 0;
}

/* ---- drawing ---- */

static double scale_of(const struct compare_row *row) {
    return row->unit == COMPARE_SHARE ? 1 : row->a.value;
}

static void put_value(const struct compare_row *row, double value, char out[TEXT_DURATION_SIZE]) {
    if (row->unit == COMPARE_SHARE)
        snprintf(out, TEXT_DURATION_SIZE, "%.2f%%", 100 * value);
    else if (row->unit == COMPARE_PER_DAY)
        snprintf(out, TEXT_DURATION_SIZE, "%.2f/day", value);
    else if (value < 60000)
        snprintf(out, TEXT_DURATION_SIZE, value < 1000 ? "%.1fms" : "%.3fs", value < 1000 ? value : value / 1000);
    else
        text_duration_in(out, (int64_t)value, 1000);
}

/* In percent of A, or of a share in points. */
static void put_change(const struct compare_row *row, double change, char out[32]) {
    snprintf(out, 32, "%+.2f%s", 100 * change / scale_of(row), row->unit == COMPARE_SHARE ? "pt" : "%");
}

static void draw_row(const struct compare_row *row, const struct text_style *style, struct buf *out) {
    char a[TEXT_DURATION_SIZE], b[TEXT_DURATION_SIZE], change[32] = "-", low[32], high[32], interval[70] = "-";
    bool has_verdict = row->verdict == COMPARE_BETTER || row->verdict == COMPARE_WORSE;
    put_value(row, row->a.value, a);
    put_value(row, row->b.value, b);
    if (scale_of(row) > 0)
        put_change(row, row->b.value - row->a.value, change);
    if (scale_of(row) > 0 && row->verdict != COMPARE_TOO_FEW) {
        put_change(row, row->change.low, low);
        put_change(row, row->change.high, high);
        snprintf(interval, sizeof interval, "%s to %s", low, high);
    }
    text_cell(out, row->name, 27, 1);
    text_cell(out, a, 13, -1);
    text_cell(out, b, 13, -1);
    text_cell(out, change, 12, -1);
    buf_append_text(out, "  ");
    text_cell(out, interval, 24, 1);
    buf_append_text(out, "  ");
    text_color(out, style, has_verdict ? COLOR_BOLD : COLOR_NONE);
    text_cell(out, compare_verdict_name(row->verdict), 0, 0);
    text_color(out, style, COLOR_NONE);
    buf_append_char(out, '\n');
}

static void draw_side(const struct side *side, const char *letter, struct buf *out) {
    char from[TEXT_DURATION_SIZE], took[TEXT_DURATION_SIZE];
    int64_t from_ms = side->job.spans[0].from_ms, to_ms = side->job.spans[side->job.span_count - 1].to_ms;
    buf_format(out, "%s  ", letter);
    text_cell(out, side->name, 0, 0);
    buf_format(out, ": %s, %s", text_stamp(from, from_ms), text_duration_in(took, to_ms - from_ms, 1000));
    if (side->job.step_count > 0)
        buf_format(out, ", %zu steps", side->job.step_count);
    buf_append_char(out, '\n');
}

static void draw_notes(const struct side *side, const struct text_style *style, struct buf *out) {
    char stamp[TEXT_DURATION_SIZE];
    const json_t *job = job_lines_find(&side->lines, "job");
    CLEANUP_FREE char *sums = mem_format("%s: only sums are known of the time before %s; that time is not compared",
                                         side->name, text_stamp(stamp, job_lines_complete_from_ms(&side->lines)));
    if (pick_has(job, "completeFrom") && job_lines_complete_from_ms(&side->lines) > pick_time_ms(job, "from"))
        text_wrap(out, style, 0, 2, sums);
    if (side->untimed > 0)
        buf_format(out, "%s: %lld interruptions without a time are not compared\n", side->name,
                   (long long)side->untimed);
}

static void draw(const struct side sides[2], const struct compare_table *t, const struct text_style *style,
                 struct buf *out) {
    draw_side(&sides[0], "A", out);
    draw_side(&sides[1], "B", out);
    buf_append_text(out, "\n                                       A            B      CHANGE  INTERVAL               "
                         "   VERDICT\n");
    for (size_t i = 0; i < t->count; i++)
        draw_row(&t->rows[i], style, out);
    CLEANUP_FREE char *rule =
        mem_format("better, worse: the interval of the change leaves 0 out. Each of the %zu intervals errs with a "
                   "chance of %.3f %%, so that one comparison of equal jobs in 100 names a difference. too few: one "
                   "side has under 3 executions, or steps in under 3 blocks. One run does not show how much runs "
                   "differ on other nodes.",
                   t->tested, 100 * t->chance);
    buf_append_char(out, '\n');
    text_wrap(out, style, 0, 0, rule);
    draw_notes(&sides[0], style, out);
    draw_notes(&sides[1], style, out);
}

/* ---- JSON ---- */

static json_t *estimate_json(const struct difference_estimate *e, double chance) {
    struct difference_interval around = e->has_spread ? difference_around(e, chance) : (struct difference_interval){0};
    return e->has_spread ? json_pack("{s:f, s:f, s:f}", "value", e->value, "low", around.low, "high", around.high)
                         : json_pack("{s:f}", "value", e->value);
}

static json_t *row_json(const struct compare_row *row, double chance) {
    static const char *const units[] = {"milliseconds", "share", "perDay"};
    json_t *out = json_pack("{s:s, s:s, s:o, s:o, s:s}", "row", row->name, "unit", units[row->unit], "a",
                            estimate_json(&row->a, chance), "b", estimate_json(&row->b, chance), "verdict",
                            compare_verdict_name(row->verdict));
    if (row->verdict != COMPARE_TOO_FEW)
        json_object_set_new(out, "change",
                            json_pack("{s:f, s:f, s:f}", "value", row->b.value - row->a.value, "low", row->change.low,
                                      "high", row->change.high));
    return out;
}

static json_t *side_json(const struct side *side) {
    const struct compare_job *job = &side->job;
    return json_pack("{s:s, s:I, s:I, s:I}", "name", side->name, "fromUnixMilliseconds",
                     (json_int_t)job->spans[0].from_ms, "toUnixMilliseconds",
                     (json_int_t)job->spans[job->span_count - 1].to_ms, "steps", (json_int_t)job->step_count);
}

static json_t *table_json(const struct side sides[2], const struct compare_table *t) {
    json_t *rows = json_array();
    for (size_t i = 0; i < t->count; i++)
        json_array_append_new(rows, row_json(&t->rows[i], t->chance));
    return json_pack("{s:o, s:o, s:I, s:f, s:o}", "a", side_json(&sides[0]), "b", side_json(&sides[1]), "tested",
                     (json_int_t)t->tested, "chance", t->chance, "rows", rows);
}

int compare_check(const struct cli_options *options, struct error **err) {
    return options->name != NULL && options->other != NULL
               ? 0
               : error_set(err, EINVAL, "compare needs two jobs: NAMEs of JobGoodputs, or FILEs of logs");
}

static int print(const struct cli_options *options, const struct side sides[2], const struct compare_table *t,
                 struct error **err) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, TABLE_BYTES);
    if (options->output != NULL && strcmp(options->output, "table") != 0) {
        json_t *value = table_json(sides, t);
        int r = print_as(options->output, value, err);
        json_decref(value);
        return r;
    }
    draw(sides, t, &options->style, &out);
    return output_write(&out, err);
}

int compare_command(const struct cli_options *options, struct error **err) {
    struct side sides[2] = {{.name = options->name}, {.name = options->other}};
    CLEANUP_FREE struct compare_table *t = mem_new(struct compare_table);
    int r = 0;
    for (size_t i = 0; i < 2 && r == 0; i++) {
        r = job_lines_read(options, sides[i].name, true, &sides[i].lines, err);
        if (r == 0)
            r = take_job(&sides[i], err);
    }
    if (r == 0) {
        compare_jobs(&sides[0].job, &sides[1].job, t);
        r = print(options, sides, t, err);
    }
    for (size_t i = 0; i < 2; i++) {
        compare_job_done(&sides[i].job);
        job_lines_done(&sides[i].lines);
    }
    return r;
}
