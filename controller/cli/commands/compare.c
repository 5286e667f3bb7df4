#include "cli/commands/compare.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cli/commands/compare_side.h"
#include "cli/render/output.h"
#include "cli/render/print.h"
#include "cli/render/report.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { TABLE_BYTES = 1 << 20, JSON_BYTES = 1 << 20 };

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

static void draw_side(const struct comparison_side *side, const char *letter, struct buf *out) {
    char from[TEXT_DURATION_SIZE], took[TEXT_DURATION_SIZE];
    int64_t from_ms = side->job.spans[0].from_ms, to_ms = side->job.spans[side->job.span_count - 1].to_ms;
    buf_format(out, "%s  ", letter);
    text_cell(out, side->name, 0, 0);
    buf_format(out, ": %s, %s", text_stamp(from, from_ms), text_duration_in(took, to_ms - from_ms, 1000));
    if (side->ledgers > 1)
        buf_format(out, ", %zu jobs one after the other", side->ledgers);
    if (side->job.step_count > 0)
        buf_format(out, ", %zu steps", side->job.step_count);
    buf_append_char(out, '\n');
}

static void draw_notes(const struct comparison_side *side, const struct text_style *style, struct buf *out) {
    char stamp[TEXT_DURATION_SIZE];
    CLEANUP_FREE char *sums = mem_format("%s: only sums are known of the time before %s; that time is not compared",
                                         side->name, text_stamp(stamp, side->complete_from_ms));
    if (side->complete_from_ms != TIME_UNKNOWN)
        text_wrap(out, style, 0, 2, sums);
    if (side->untimed > 0)
        buf_format(out, "%s: %lld interruptions without a time are not compared\n", side->name,
                   (long long)side->untimed);
}

static void draw_gain(const struct comparison_gain *g, struct buf *out) {
    char predicted[32], obtained[32] = "-", interval[70] = "-";
    snprintf(predicted, sizeof predicted, "%+.2fpt", g->predicted->gain_points);
    if (g->is_known)
        snprintf(obtained, sizeof obtained, "%+.2fpt", 100 * g->obtained.value);
    if (g->is_known && g->obtained.has_spread)
        snprintf(interval, sizeof interval, "%+.2fpt to %+.2fpt", 100 * g->obtained.around.low,
                 100 * g->obtained.around.high);
    text_cell(out, g->predicted->kind, 27, 1);
    text_cell(out, predicted, 13, -1);
    text_cell(out, obtained, 13, -1);
    buf_append_text(out, "              ");
    text_cell(out, interval, 24, 1);
    buf_append_text(out, g->is_advised_still ? "  B has it, too\n" : "\n");
}

static void draw_gains(const struct comparison_side sides[2], double chance, const struct text_style *style,
                       struct buf *out) {
    struct comparison_gain gains[COMPARISON_MAX_ADVICE];
    size_t count = comparison_gains(sides, chance, gains);
    if (count == 0)
        return;
    buf_append_text(out, "\nADVICE OF A                    PREDICTED     OBTAINED              INTERVAL\n");
    for (size_t i = 0; i < count; i++)
        draw_gain(&gains[i], out);
    buf_append_char(out, '\n');
    text_wrap(out, style, 0, 0,
              "predicted: the gain in job goodput that A's status named. obtained: what job goodput gained from A to B "
              "as the buckets that the change lowers took less of the productive time, whatever the reason.");
}

static void draw(const struct comparison_side sides[2], const struct compare_table *t, const struct text_style *style,
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
    draw_gains(sides, t->chance, style, out);
    buf_append_char(out, '\n');
    text_wrap(out, style, 0, 0, rule);
    draw_notes(&sides[0], style, out);
    draw_notes(&sides[1], style, out);
}

/* ---- the command ---- */

int compare_check(const struct cli_options *options, struct error **err) {
    if (options->html != NULL && options->output != NULL)
        return error_set(err, EINVAL, "--html and -o: give one of them");
    return options->name != NULL && options->other != NULL
               ? 0
               : error_set(err, EINVAL, "compare needs two jobs: NAMEs of JobGoodputs, or FILEs of logs");
}

static int print(const struct cli_options *options, const struct comparison_side sides[2],
                 const struct compare_table *t, struct error **err) {
    CLEANUP_BUF struct buf out, json;
    struct jwrite w;
    buf_init(&out, TABLE_BYTES);
    buf_init(&json, JSON_BYTES);
    if (options->html == NULL && (options->output == NULL || strcmp(options->output, "table") == 0)) {
        draw(sides, t, &options->style, &out);
        return output_write(&out, err);
    }
    jwrite_init(&w, &json);
    comparison_write(sides, t, &w);
    if (options->html != NULL)
        return report_write_comparison(options->html, buf_slice(&json), err);
    json_t *value = json_loadb(json.data, json.size_bytes, 0, NULL);
    int r = print_as(options->output, value, err);
    json_decref(value);
    return r;
}

int compare_command(const struct cli_options *options, struct error **err) {
    const char *const names[] = {options->name, options->other};
    struct comparison_side sides[2];
    CLEANUP_FREE struct compare_table *t = mem_new(struct compare_table);
    int r = 0;
    for (size_t i = 0; i < 2; i++)
        comparison_init(&sides[i], names[i]);
    for (size_t i = 0; i < 2 && r == 0; i++)
        r = compare_side_read(options, &sides[i], err);
    if (r == 0) {
        compare_jobs(&sides[0].job, &sides[1].job, t);
        r = print(options, sides, t, err);
    }
    for (size_t i = 0; i < 2; i++)
        comparison_done(&sides[i]);
    return r;
}
