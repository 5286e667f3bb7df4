#include "cli/render/executions.h"

#include "base/clock.h"
#include "cli/render/pick.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_WIDTH = 5, CAUSE_WIDTH = 20, MIN_WIDTH = 30 /* room for the times at both ends */ };

/* The newest executions that must be visible: where they take less than a tenth of the axis, it shows only the last
 * part of the job, of which they take a quarter. */
enum { NEWEST = 3, MIN_PART = 10, ZOOMED_PART = 4 };

enum mark { NONE, WAITING, RUNNING, STARTING, STEPPING, LOST, MARKS };

static const struct {
    const char *ascii, *utf8, *label;
    enum text_color color;
} marks[MARKS] = {
    [NONE] = {" ", " ", "", COLOR_NONE},
    [WAITING] = {".", "░", "waiting for slots", COLOR_SCHEDULING},
    [RUNNING] = {"=", "▓", "available, no steps in the log", COLOR_NONE},
    [STARTING] = {"-", "▒", "starting", COLOR_RUNTIME},
    [STEPPING] = {"#", "█", "stepping", COLOR_PRODUCTIVE},
    [LOST] = {"/", "▚", "steps that were lost", COLOR_RUNTIME},
};

struct axis {
    int64_t start_ms, end_ms;
    int width;
    bool has_steps;
    bool is_used[MARKS]; /* marks that the legend explains */
};

/* The column of a time; times outside the axis are clamped. */
static int column(const struct axis *axis, int64_t ms) {
    if (ms <= axis->start_ms)
        return 0;
    if (ms >= axis->end_ms)
        return axis->width;
    return (int)((__int128)(ms - axis->start_ms) * axis->width / (axis->end_ms - axis->start_ms));
}

static void fill(const struct axis *axis, enum mark *row, int64_t from_ms, int64_t to_ms, enum mark mark) {
    if (from_ms == TIME_UNKNOWN || to_ms <= from_ms)
        return;
    int from = column(axis, from_ms), to = column(axis, to_ms);
    if (to == from && to < axis->width)
        to++; /* a short time still gets a column */
    for (int i = from; i < to; i++)
        if (row[i] < mark)
            row[i] = mark;
}

static int64_t known_or(int64_t ms, int64_t otherwise_ms) {
    return ms == TIME_UNKNOWN ? otherwise_ms : ms;
}

static void draw_execution(const json_t *execution, struct axis *axis, const struct text_style *style,
                           struct buf *out) {
    enum mark row[256] = {NONE};
    int64_t start_ms = known_or(pick_time_ms(execution, "start"), axis->start_ms);
    int64_t end_ms = known_or(pick_time_ms(execution, "end"), axis->end_ms);
    int64_t available_ms = known_or(pick_time_ms(execution, "availableAt"), end_ms);
    int64_t first_step_ms = known_or(pick_time_ms(execution, "firstStepAt"), end_ms);
    int64_t lost_ms = end_ms - pick_int(execution, "lostWorkMilliseconds", 0);
    fill(axis, row, start_ms, available_ms, WAITING);
    fill(axis, row, available_ms, axis->has_steps ? first_step_ms : end_ms, axis->has_steps ? STARTING : RUNNING);
    fill(axis, row, first_step_ms, end_ms, STEPPING);
    fill(axis, row, lost_ms > first_step_ms ? lost_ms : first_step_ms,
         pick_int(execution, "lostWorkMilliseconds", 0) ? end_ms : 0, LOST);

    buf_format(out, "%4lld ", (long long)pick_int(execution, "number", 0));
    int last = axis->width;
    bool has_cause = *pick_text(execution, "cause") != '\0';
    while (!has_cause && last > 0 && row[last - 1] == NONE)
        last--;
    for (int i = 0; i < last; i++) {
        if (i == 0 || row[i] != row[i - 1])
            text_color(out, style, marks[row[i]].color);
        axis->is_used[row[i]] = true;
        buf_append_text(out, style->is_utf8 ? marks[row[i]].utf8 : marks[row[i]].ascii);
    }
    text_color(out, style, COLOR_NONE);
    if (has_cause) {
        buf_append_char(out, ' ');
        text_cell(out, pick_text(execution, "cause"), CAUSE_WIDTH - 1, 0);
    }
    buf_append_char(out, '\n');
}

static void draw_scale(const struct axis *axis, struct buf *out) {
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE];
    text_stamp(from, axis->start_ms);
    text_stamp(to, axis->end_ms);
    /* The same date is shown once. */
    const char *end = strncmp(from, to, 10) == 0 ? to + 11 : to;
    text_repeat(out, " ", NUMBER_WIDTH);
    text_cell(out, from, axis->width - (int)strlen(end), 1);
    buf_format(out, "%s UTC\n", end);
}

static void draw_legend(const struct axis *axis, const struct text_style *style, struct buf *out) {
    char duration[TEXT_DURATION_SIZE];
    text_repeat(out, " ", NUMBER_WIDTH);
    int used = NUMBER_WIDTH;
    for (int m = WAITING; m < MARKS; m++) {
        if (!axis->is_used[m])
            continue;
        int width = text_width(marks[m].label) + 2;
        if (used > NUMBER_WIDTH && used + 3 + width > style->columns) {
            buf_append_char(out, '\n');
            text_repeat(out, " ", used = NUMBER_WIDTH);
        }
        text_repeat(out, " ", used > NUMBER_WIDTH ? 3 : 0);
        used += width + (used > NUMBER_WIDTH ? 3 : 0);
        text_color(out, style, marks[m].color);
        buf_append_text(out, style->is_utf8 ? marks[m].utf8 : marks[m].ascii);
        text_color(out, style, COLOR_NONE);
        buf_format(out, " %s", marks[m].label);
    }
    buf_append_char(out, '\n');
    buf_format(out, "     one column is %s\n", text_duration(duration, (axis->end_ms - axis->start_ms) / axis->width));
}

/* Where the axis starts so that the newest executions are visible; the start of the job if they are anyway. */
static int64_t axis_start(const json_t *executions, int64_t start_ms, int64_t end_ms) {
    size_t count = json_array_size(executions), newest = count > NEWEST ? NEWEST : count > 0 ? count - 1 : 0;
    int64_t newest_ms = newest > 0 ? pick_time_ms(json_array_get(executions, count - newest), "start") : TIME_UNKNOWN;
    if (newest_ms == TIME_UNKNOWN || newest_ms < start_ms || newest_ms >= end_ms)
        return start_ms;
    int64_t span_ms = end_ms - newest_ms;
    return span_ms > (end_ms - start_ms) / MIN_PART ? start_ms : end_ms - ZOOMED_PART * span_ms;
}

static bool is_before(const json_t *execution, const struct axis *axis) {
    int64_t end_ms = pick_time_ms(execution, "end");
    return end_ms != TIME_UNKNOWN && end_ms <= axis->start_ms;
}

static void draw_rows(const json_t *executions, struct axis *axis, const struct text_style *style, struct buf *out) {
    size_t i, before = 0;
    json_t *execution;
    json_array_foreach(executions, i, execution) before += is_before(execution, axis);
    if (before > 0)
        buf_format(out, "     (%zu execution%s ended before the axis starts)\n", before, before == 1 ? "" : "s");
    json_array_foreach(executions, i, execution) {
        if (!is_before(execution, axis))
            draw_execution(execution, axis, style, out);
    }
}

void executions_draw(const json_t *status, const struct text_style *style, struct buf *out) {
    struct axis axis = {.start_ms = pick_time_ms(status, "time.start"),
                        .end_ms = pick_time_ms(status, "time.end"),
                        .has_steps = pick_has(status, "steps")};
    if (axis.end_ms == TIME_UNKNOWN)
        axis.end_ms = pick_time_ms(status, "time.observedThrough");
    if (axis.start_ms == TIME_UNKNOWN || axis.end_ms == TIME_UNKNOWN || axis.end_ms <= axis.start_ms) {
        buf_append_text(out, "nothing to draw yet\n");
        return;
    }
    const json_t *executions = pick(status, "executions");
    int64_t start_ms = axis.start_ms;
    axis.start_ms = axis_start(executions, start_ms, axis.end_ms);
    axis.width = style->columns - NUMBER_WIDTH - CAUSE_WIDTH;
    if (axis.width < MIN_WIDTH)
        axis.width = MIN_WIDTH;
    if (axis.width > 200)
        axis.width = 200;
    draw_scale(&axis, out);
    if (axis.start_ms != start_ms)
        buf_append_text(out, "     (the axis shows the newest executions, not the whole job)\n");
    if (pick_int(json_array_get(executions, 0), "number", 1) > 1)
        buf_append_text(out, "     (earlier executions are counted, but no longer listed)\n");
    draw_rows(executions, &axis, style, out);
    draw_legend(&axis, style, out);
}
