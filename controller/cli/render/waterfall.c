#include "cli/render/waterfall.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cli/render/pick.h"

#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 22, SHARE_WIDTH = 9 };

struct waterfall {
    struct buf *out;
    const struct text_style *style;
    int64_t wall_ms, left_ms; /* the rest after the losses so far */
    int64_t unit_ms;          /* of the durations shown */
    int time_width, bar_width;
};

/* A row whose part is [before, before + ms) of the wall time, counted from the left of the bar. */
static void draw_row(struct waterfall *w, const char *name, int indent, int64_t before, int64_t ms, bool is_loss,
                     enum text_color color) {
    char duration[TEXT_DURATION_SIZE], share[32];
    int64_t units = text_share(before, ms, w->wall_ms, w->wall_ms / w->unit_ms);
    long long hundredths = (long long)text_share(before, ms, w->wall_ms, 10000);
    int start = (int)text_share(0, before, w->wall_ms, w->bar_width);
    int length = (int)text_share(before, ms, w->wall_ms, w->bar_width);
    snprintf(share, sizeof share, "%lld.%02lld%%", hundredths / 100, hundredths % 100);
    text_repeat(w->out, " ", indent);
    text_cell(w->out, name, NAME_WIDTH - indent, 1);
    text_cell(w->out, text_duration_in(duration, units * w->unit_ms, w->unit_ms), w->time_width, -1);
    text_cell(w->out, share, SHARE_WIDTH, -1);
    if (length > 0 || ms > 0) {
        text_repeat(w->out, " ", 2 + start - (length == 0 && start == w->bar_width));
        text_color(w->out, w->style, color);
        if (length == 0) /* too short for a bar, but not zero */
            buf_append_text(w->out, w->style->is_utf8 ? "▏" : "'");
        else if (w->style->is_utf8)
            text_repeat(w->out, is_loss ? "▒" : "█", length);
        else
            text_repeat(w->out, is_loss ? "=" : "#", length);
        text_color(w->out, w->style, COLOR_NONE);
    }
    buf_append_char(w->out, '\n');
}

static void draw_losses(struct waterfall *w, const json_t *badput, const char *family, enum text_color color) {
    size_t i;
    json_t *bucket;
    json_array_foreach(badput, i, bucket) {
        int64_t ms = pick_int(bucket, "milliseconds", 0);
        if (ms <= 0 || strcmp(pick_text(bucket, "family"), family) != 0)
            continue;
        if (ms > w->left_ms) /* an inconsistent status */
            ms = w->left_ms;
        w->left_ms -= ms;
        draw_row(w, pick_text(bucket, "bucket"), 2, w->left_ms, ms, true, color);
    }
}

static void draw_waterfall(const json_t *status, const struct text_style *style, struct buf *out) {
    int64_t wall_ms = pick_int(status, "time.wallMilliseconds", 0);
    struct waterfall w = {
        .out = out, .style = style, .wall_ms = wall_ms, .left_ms = wall_ms, .unit_ms = wall_ms < 3600000 ? 100 : 1000};
    char duration[TEXT_DURATION_SIZE];
    w.time_width = text_width(text_duration_in(duration, wall_ms, w.unit_ms)) + 1;
    w.bar_width = style->columns - NAME_WIDTH - w.time_width - SHARE_WIDTH - 2;
    if (w.bar_width < 10)
        w.bar_width = 10;
    if (w.bar_width > 60)
        w.bar_width = 60;
    const json_t *badput = pick(status, "badput");
    draw_row(&w, "wall time", 0, 0, wall_ms, false, COLOR_BOLD);
    draw_losses(&w, badput, "Scheduling", COLOR_SCHEDULING);
    draw_row(&w, "available", 0, 0, w.left_ms, false, COLOR_BOLD);
    draw_losses(&w, badput, "Runtime", COLOR_RUNTIME);
    if (pick_has(status, "time.productiveMilliseconds"))
        draw_row(&w, "productive", 0, 0, w.left_ms, false, COLOR_PRODUCTIVE);
    int64_t provisional_ms = pick_int(status, "time.provisionalMilliseconds", 0);
    if (provisional_ms > 0) {
        bool has_checkpoint = provisional_ms < pick_int(status, "time.productiveMilliseconds", 0);
        CLEANUP_FREE char *line =
            has_checkpoint ? mem_format("of it %s since the last durable checkpoint, which an interruption would lose",
                                        text_duration(duration, provisional_ms))
                           : mem_format("no durable checkpoint of it was seen: an interruption may lose all of it");
        text_wrap(out, style, 2, 0, line);
    }
}

static int64_t unobserved_ms(const json_t *status) {
    size_t i;
    json_t *bucket;
    json_array_foreach(pick(status, "badput"), i, bucket) if (strcmp(pick_text(bucket, "bucket"), "Unobserved") ==
                                                              0) return pick_int(bucket, "milliseconds", 0);
    return 0;
}

/* "goodput of the whole span 45.38% to 79.53% (16.8s between attempts has no log)": what logs alone say. */
static void draw_span(const json_t *status, const struct text_style *style, struct buf *out) {
    char duration[TEXT_DURATION_SIZE];
    if (!pick_has(status, "goodput.jobUpperBound"))
        return;
    CLEANUP_FREE char *line = mem_format("goodput of the whole span %s to %s (%s between attempts has no log)",
                                         pick_text(status, "goodput.job"), pick_text(status, "goodput.jobUpperBound"),
                                         text_duration(duration, unobserved_ms(status)));
    text_wrap(out, style, 0, 2, line);
}

/* "scheduling 57.90% to 92.20%, goodput 50.11% to 84.33% (4m 10s unobserved)", if some time is unobserved. */
static void draw_range(const json_t *status, const struct text_style *style, struct buf *out) {
    char duration[TEXT_DURATION_SIZE];
    const char *job_upper = pick_text(status, "goodput.jobUpperBound");
    const char *scheduling_upper = pick_text(status, "goodput.schedulingUpperBound");
    CLEANUP_FREE char *job =
        *job_upper ? mem_format(", goodput %s to %s", pick_text(status, "goodput.job"), job_upper) : mem_strdup("");
    if (!*scheduling_upper)
        return;
    CLEANUP_FREE char *line =
        mem_format("scheduling %s to %s%s (%s unobserved)", pick_text(status, "goodput.scheduling"), scheduling_upper,
                   job, text_duration(duration, unobserved_ms(status)));
    text_wrap(out, style, 0, 2, line);
}

/* "goodput 82.22% = scheduling 93.41% x runtime 88.02%", and its limits. */
static void draw_scores(const json_t *status, const struct text_style *style, struct buf *out) {
    const char *job = pick_text(status, "goodput.job"), *scheduling = pick_text(status, "goodput.scheduling");
    const char *runtime = pick_text(status, "goodput.runtime"), *program = pick_text(status, "goodput.program");
    const char *evidence = pick_text(status, "goodput.evidence");
    CLEANUP_FREE char *score =
        *job && *scheduling ? mem_format("goodput %s = scheduling %s x runtime %s", job, scheduling, runtime)
        : *job              ? mem_format("runtime goodput %s", *runtime ? runtime : "is unknown")
        : *scheduling
            ? mem_format("scheduling goodput %s; runtime goodput is unknown because no steps were read", scheduling)
            : mem_strdup("no scores yet");
    text_color(out, style, COLOR_BOLD);
    text_wrap(out, style, 0, 2, score);
    text_color(out, style, COLOR_NONE);
    if (*job && !*scheduling)
        draw_span(status, style, out);
    draw_range(status, style, out);
    if (*program) {
        CLEANUP_FREE char *line = mem_format("productivity %s = goodput %s x program %s",
                                             pick_text(status, "goodput.productivity"), job, program);
        text_wrap(out, style, 0, 2, line);
    }
    if (*evidence && strcmp(evidence, "100.00%") != 0) {
        CLEANUP_FREE char *line = mem_format("evidence explains %s of the available time; runtime is at most %s",
                                             evidence, pick_text(status, "goodput.runtimeUpperBound"));
        text_wrap(out, style, 0, 2, line);
    }
}

void waterfall_draw(const json_t *status, const struct text_style *style, struct buf *out) {
    draw_scores(status, style, out);
    if (pick_int(status, "time.wallMilliseconds", 0) > 0) {
        buf_append_char(out, '\n');
        draw_waterfall(status, style, out);
    }
}
