/* Draws the ledger's part of analyze: the logs, the scores, the waterfall, advice, a row per attempt, the evidence. */
#include "cli/analyze/table.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cli/analyze/input.h"
#include "cli/render/executions.h"
#include "cli/render/pick.h"
#include "cli/render/reasons.h"
#include "cli/render/waterfall.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Advice on each bucket, in the ledger's order. */
static const struct {
    const char *bucket, *advice;
} advice_list[] = {
    {"AcceleratorInit", "devices and collectives take long to come up: look for slow hosts and name resolution"},
    {"TrainingPreparation", "from the start of a process to its first record: build the mesh and the input pipeline "
                            "while the checkpoint loads, import less"},
    {"CheckpointRestore", "restore from a nearer copy: local disks, or the memory of a neighbor"},
    {"ProgramStartup", "every attempt compiles again: keep compiled programs in a persistent cache"},
    {"DataLoading", "steps wait for input: prefetch, more input workers, a nearer copy of the data"},
    {"CheckpointSave", "saves block training: save asynchronously, to local disks first"},
    {"Evaluation", "evaluate less often, or in a separate job"},
    {"WastedProgress", "steps were done again after interruptions: save more often"},
    {"Stall", "single steps took very long, as their lines state: read the log around the line below"},
    {"FailureDetection", "dead processes were detected late: lower the time-outs of collectives and health checks"},
    {"ElasticReinit", "the job reinitializes when slices come and go: hold slices longer and change them less often"},
    {"Shutdown", "after the last step: end the process when the last save is done"},
    {"Unattributed", "the log does not explain this time: add timestamps (kubectl logs --timestamps), log every step, "
                     "saves and restores"},
};

static bool is_written_in_bursts(const json_t *status) {
    size_t i;
    json_t *condition;
    json_array_foreach(pick(status, "conditions"), i, condition) {
        if (strcmp(pick_text(condition, "reason"), "WrittenInBursts") == 0)
            return true;
    }
    return false;
}

static const char *advice_of(const json_t *status, const char *bucket) {
    if (strcmp(bucket, "Unattributed") == 0 && is_written_in_bursts(status))
        return "the lines were written many at once, so that their times say little: set PYTHONUNBUFFERED=1, or use "
               "python -u, or print(..., flush=True)";
    for (size_t i = 0; i < ARRAY_SIZE(advice_list); i++)
        if (strcmp(advice_list[i].bucket, bucket) == 0)
            return advice_list[i].advice;
    return strncmp(bucket, "Custom/", 7) == 0 ? "a custom event that the job reports" : NULL;
}

/* The time between saves, in ms, with the smallest loss, sqrt(2 x cost of a save x mean time between interruptions)
 * (Young 1974, https://doi.org/10.1145/361147.361115); 0 if either is not known. */
int64_t analyze_best_save_interval_ms(int64_t save_ms, int64_t between_ms) {
    return save_ms > 0 && between_ms > 0 ? (int64_t)sqrt(2.0 * (double)save_ms * (double)between_ms) : 0;
}

static int64_t cost_of_a_save_ms(const json_t *status) {
    size_t i;
    json_t *bucket;
    json_array_foreach(pick(status, "badput"), i, bucket) {
        int64_t count = pick_int(bucket, "count", 0);
        if (strcmp(pick_text(bucket, "bucket"), "CheckpointSave") == 0 && count > 0)
            return pick_int(bucket, "milliseconds", 0) / count;
    }
    return 0;
}

static void append_saving(struct buf *line, const json_t *status) {
    char save[TEXT_DURATION_SIZE], best[TEXT_DURATION_SIZE];
    int64_t save_ms = cost_of_a_save_ms(status);
    int64_t between_ms = pick_int(status, "interruptions.meanTimeBetweenSeconds", 0) * 1000;
    int64_t best_ms = analyze_best_save_interval_ms(save_ms, between_ms);
    if (save_ms < 1000)
        snprintf(save, sizeof save, "%lldms", (long long)save_ms);
    else
        text_duration_in(save, save_ms, 100);
    if (best_ms > 0)
        buf_format(line, "; with saves that block for %s, one every %s is best (Young's formula)", save,
                   text_duration_in(best, best_ms, 100));
}

/* Draws the changes with the largest gains (status.advice, formulas/advice.h). */
static int draw_gains(const json_t *status, const struct text_style *style, struct buf *out) {
    size_t i;
    json_t *item;
    json_array_foreach(pick(status, "advice"), i, item) {
        if (i == 0)
            buf_append_text(out, "\nWhat to do first\n");
        CLEANUP_FREE char *line =
            mem_format("%zu. +%s points of goodput: %s (%s; %s)", i + 1, pick_text(item, "gainPoints"),
                       pick_text(item, "change"), pick_text(item, "seen"), pick_text(item, "topic"));
        text_wrap(out, style, 2, 3, line);
    }
    return (int)json_array_size(pick(status, "advice"));
}

/* Without gains: draws advice on the three largest losses, if they are large enough. */
static void draw_advice(const json_t *status, const struct text_style *style, struct buf *out) {
    const json_t *badput = pick(status, "badput");
    int64_t wall_ms = pick_int(status, "time.wallMilliseconds", 0);
    if (draw_gains(status, style, out) > 0)
        return;
    CLEANUP_FREE bool *is_shown = mem_alloc(json_array_size(badput) + 1);
    for (int number = 1; number <= 3; number++) {
        const json_t *best = NULL;
        size_t i, at = 0;
        json_t *bucket;
        json_array_foreach(badput, i, bucket) {
            if (!is_shown[i] && advice_of(status, pick_text(bucket, "bucket")) != NULL &&
                (best == NULL || pick_int(bucket, "milliseconds", 0) > pick_int(best, "milliseconds", 0))) {
                best = bucket;
                at = i;
            }
        }
        if (best == NULL || pick_int(best, "milliseconds", 0) * 100 < wall_ms)
            return;
        is_shown[at] = true;
        if (number == 1)
            buf_append_text(out, "\nWhat to do first\n");
        const char *name = pick_text(best, "bucket");
        CLEANUP_BUF struct buf line;
        buf_init(&line, 4096);
        long long percent = (pick_int(best, "milliseconds", 0) * 200 + wall_ms) / (2 * wall_ms);
        buf_format(&line, "%d. %s, %lld%% of the time: %s", number, name, percent, advice_of(status, name));
        if (strcmp(name, "WastedProgress") == 0)
            append_saving(&line, status);
        text_wrap(out, style, 2, 3, buf_text(&line));
    }
}

static void draw_head(const struct analyze *a, const json_t *status, struct buf *out) {
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE];
    int64_t end_ms = pick_time_ms(status, "time.end");
    text_color(out, &a->style, COLOR_BOLD);
    text_cell(out, analyze_name(a->paths[0]), 0, 0);
    text_color(out, &a->style, COLOR_NONE);
    if (a->path_count > 1)
        buf_format(out, " and %zu more", a->path_count - 1);
    if (a->recognized != NULL)
        buf_format(out, " (%s)", a->recognized);
    int64_t interruptions = pick_int(status, "interruptions.total", 0);
    buf_format(out, "\n%lld attempt%s, %s to %s UTC, ", (long long)(interruptions + 1), interruptions ? "s" : "",
               text_stamp(from, pick_time_ms(status, "time.start")),
               text_stamp(to, pick_time_ms(status, "time.observedThrough")));
    buf_append_text(out, strcmp(pick_text(status, "phase"), "Failed") == 0 ? "failed"
                         : end_ms != TIME_UNKNOWN                          ? "ended by itself"
                                                                           : "its end is not in the log");
    if (pick_has(status, "steps.last"))
        buf_format(out, ", step %lld", (long long)pick_int(status, "steps.last", 0));
    buf_append_char(out, '\n');
}

static void draw_interval(const struct analyze *a, const json_t *status, struct buf *out) {
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE];
    int64_t to_ms = a->to_us != ANALYZE_NO_TIME ? a->to_us / 1000 : pick_time_ms(status, "time.observedThrough");
    text_color(out, &a->style, COLOR_BOLD);
    buf_format(out, "\nFrom %s to %s UTC\n", text_stamp(from, a->from_us / 1000), text_stamp(to, to_ms));
    text_color(out, &a->style, COLOR_NONE);
    if (pick_int(status, "time.wallMilliseconds", 0) == 0)
        buf_append_text(out, "the job has no time in it\n");
    else
        waterfall_draw(status, &a->style, out);
}

static void draw_deviation(const json_t *status, const struct text_style *style, struct buf *out) {
    char ideal[TEXT_DURATION_SIZE], mean[TEXT_DURATION_SIZE];
    int64_t deviation_ms = pick_int(status, "steps.deviationMilliseconds", 0);
    if (!pick_has(status, "steps.deviationMilliseconds")) {
        buf_append_text(out, "Steps: too few to compare with the ideal\n");
        return;
    }
    CLEANUP_FREE char *line =
        mem_format("Steps are %s than the ideal %s by %s on average", deviation_ms < 0 ? "shorter" : "longer",
                   text_duration_in(ideal, pick_int(status, "steps.idealMilliseconds", 0), 1),
                   text_duration_in(mean, deviation_ms < 0 ? -deviation_ms : deviation_ms, 1));
    text_wrap(out, style, 0, 2, line);
}

/* Draws "dataQuality" of the status: what makes the numbers less certain. */
static void draw_quality(const json_t *status, const struct text_style *style, struct buf *out) {
    static const struct {
        const char *name, *words;
    } flags[] = {
        {"excludedMilliseconds", "excluded from all numbers"},
        {"clippedMilliseconds", "steps before or after their own log: it begins in the middle, or its clocks differ"},
        {"overlappedRecords", "step records of an attempt after the start of the next one, not counted"},
        {"lateRecords", "records of a time that was settled before they came, not counted"},
        {"impossibleTimes", "records with a time before 1970 or after 2100, left out"},
        {"malformedLines", "lines that cannot be read, left out"},
        {"repeatedLines", "lines that stand twice, as files overlap, counted once"},
        {"retainedWithoutCheckpoint", NULL},
    };
    bool is_first = true;
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        char amount[TEXT_DURATION_SIZE], path[64];
        snprintf(path, sizeof path, "dataQuality.%s", flags[i].name);
        int64_t value = pick_int(status, path, 0);
        if (value == 0)
            continue;
        if (strstr(flags[i].name, "Milliseconds") != NULL)
            text_duration_in(amount, value, 100);
        else
            snprintf(amount, sizeof amount, "%lld", (long long)value);
        CLEANUP_FREE char *line = flags[i].words != NULL
                                      ? mem_format("- %s: %s", flags[i].words, amount)
                                      : mem_format("- no line names a checkpoint: assumes that all work was kept");
        if (is_first)
            buf_append_text(out, "\nData quality\n");
        is_first = false;
        text_wrap(out, style, 2, 2, line);
    }
}

void analyze_ledger_draw(const struct analyze *a, const json_t *status, struct buf *out) {
    draw_head(a, status, out);
    buf_append_char(out, '\n');
    waterfall_draw(status, &a->style, out);
    draw_advice(status, &a->style, out);
    if (json_array_size(pick(status, "executions")) > 1) {
        buf_append_text(out, "\nAttempts\n");
        executions_draw(status, &a->style, out);
    }
    reasons_draw(status, &a->style, out);
    draw_quality(status, &a->style, out);
    if (a->wants_deviation)
        draw_deviation(status, &a->style, out);
    size_t i;
    json_t *interval;
    json_array_foreach(pick(status, "intervals"), i, interval) draw_interval(a, interval, out);
}
