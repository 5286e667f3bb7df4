/* explain: where one job's wall time went: a waterfall from wall time down to productive time whose parts add up
 * exactly (as bars, as shares and as durations), then why. */
#include "cli/cli.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cli/pick.h"

#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 22, SHARE_WIDTH = 9 };

struct waterfall {
    struct buf *out;
    const struct text_style *style;
    int64_t wall_ms, left_ms; /* what is not lost yet */
    int64_t unit_ms;          /* of the durations shown */
    int time_width, bar_width;
};

/* A row whose part is [before, before + ms) of the wall time, counted from the left of the bar. */
static void draw_row(struct waterfall *w, const char *name, int indent, int64_t before, int64_t ms, bool is_loss,
                     enum text_colour colour) {
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
        text_colour(w->out, w->style, colour);
        if (length == 0) /* too little to be drawn, but not nothing */
            buf_append_text(w->out, w->style->is_utf8 ? "▏" : "'");
        else if (w->style->is_utf8)
            text_repeat(w->out, is_loss ? "▒" : "█", length);
        else
            text_repeat(w->out, is_loss ? "=" : "#", length);
        text_colour(w->out, w->style, COLOUR_NONE);
    }
    buf_append_char(w->out, '\n');
}

static void draw_losses(struct waterfall *w, const json_t *badput, const char *family, enum text_colour colour) {
    size_t i;
    json_t *bucket;
    json_array_foreach(badput, i, bucket) {
        int64_t ms = pick_int(bucket, "ms", 0);
        if (ms <= 0 || strcmp(pick_text(bucket, "family"), family) != 0)
            continue;
        if (ms > w->left_ms) /* not a status of ours */
            ms = w->left_ms;
        w->left_ms -= ms;
        draw_row(w, pick_text(bucket, "bucket"), 2, w->left_ms, ms, true, colour);
    }
}

static void draw_waterfall(const json_t *status, const struct text_style *style, struct buf *out) {
    int64_t wall_ms = pick_int(status, "time.wallMs", 0);
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
    draw_row(&w, "wall time", 0, 0, wall_ms, false, COLOUR_BOLD);
    draw_losses(&w, badput, "Scheduling", COLOUR_SCHEDULING);
    draw_row(&w, "available", 0, 0, w.left_ms, false, COLOUR_BOLD);
    draw_losses(&w, badput, "Runtime", COLOUR_RUNTIME);
    if (pick_has(status, "time.productiveMs"))
        draw_row(&w, "productive", 0, 0, w.left_ms, false, COLOUR_PRODUCTIVE);
    int64_t provisional_ms = pick_int(status, "time.provisionalMs", 0);
    if (provisional_ms > 0) {
        CLEANUP_FREE char *line = mem_format("of it %s since the last durable checkpoint, at stake in an interruption",
                                             text_duration(duration, provisional_ms));
        text_wrap(out, style, 2, 0, line);
    }
}

static int64_t unobserved_ms(const json_t *status) {
    size_t i;
    json_t *bucket;
    json_array_foreach(pick(status, "badput"), i, bucket) if (strcmp(pick_text(bucket, "bucket"), "Unobserved") ==
                                                              0) return pick_int(bucket, "ms", 0);
    return 0;
}

/* "scheduling 57.90% to 92.20%, goodput 50.11% to 84.33% (4m 10s unobserved)" where some time is unobserved. */
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

/* "goodput 82.22% = scheduling 93.41% x runtime 88.02%", and what must be known to believe it. */
static void draw_scores(const json_t *status, const struct text_style *style, struct buf *out) {
    const char *job = pick_text(status, "goodput.job"), *scheduling = pick_text(status, "goodput.scheduling");
    const char *runtime = pick_text(status, "goodput.runtime"), *program = pick_text(status, "goodput.program");
    const char *evidence = pick_text(status, "goodput.evidence");
    CLEANUP_FREE char *score =
        *job ? mem_format("goodput %s = scheduling %s x runtime %s", job, scheduling, runtime)
        : *scheduling
            ? mem_format("scheduling goodput %s; runtime goodput is not known, as no steps have been read", scheduling)
            : mem_strdup("no scores yet");
    text_colour(out, style, COLOUR_BOLD);
    text_wrap(out, style, 0, 2, score);
    text_colour(out, style, COLOUR_NONE);
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

void cli_name_draw(const json_t *job, const struct text_style *style, struct buf *out) {
    text_colour(out, style, COLOUR_BOLD);
    text_cell(out, pick_text(job, "metadata.namespace"), 0, 0);
    buf_append_text(out, *pick_text(job, "metadata.namespace") ? "/" : "");
    text_cell(out, pick_text(job, "metadata.name"), 0, 0);
    text_colour(out, style, COLOUR_NONE);
}

static void draw_head(const json_t *job, const struct text_style *style, struct buf *out) {
    const json_t *status = pick(job, "status");
    char since[TEXT_DURATION_SIZE];
    cli_name_draw(job, style, out);
    buf_append_text(out, " (");
    text_cell(out, pick_text(job, "spec.targetRef.kind"), 0, 0);
    buf_append_char(out, ' ');
    text_cell(out, pick_text(job, "spec.targetRef.name"), 0, 0);
    buf_append_text(out, ")\n");
    CLEANUP_BUF struct buf line;
    buf_init(&line, 1024);
    text_cell(&line, *pick_text(status, "phase") ? pick_text(status, "phase") : "no status yet", 0, 0);
    if (pick_has(status, "phaseSince"))
        buf_format(&line, " since %s UTC", text_stamp(since, pick_time_ms(status, "phaseSince")));
    if (pick_int(status, "availability.required", 0) > 0)
        buf_format(&line, ", %lld of %lld slots available", (long long)pick_int(status, "availability.available", 0),
                   (long long)pick_int(status, "availability.required", 0));
    if (pick_has(status, "steps.last"))
        buf_format(&line, ", step %lld", (long long)pick_int(status, "steps.last", 0));
    text_wrap(out, style, 0, 2, buf_text(&line));
    if (*pick_text(status, "availability.message"))
        text_wrap(out, style, 2, 0, pick_text(status, "availability.message"));
}

/* The evidence of each bucket, the largest first as the status has them. */
/* What a bucket's evidence says; of time without any evidence, what would bring it. */
static const char *reason_of(const json_t *status, const json_t *bucket) {
    const char *evidence = pick_text(bucket, "evidence");
    if (*evidence || strcmp(pick_text(bucket, "bucket"), "Unattributed") != 0)
        return evidence;
    return pick_has(status, "steps") ? "" : "the containers ran; no steps are read that tell more";
}

static void draw_evidence(const json_t *status, const struct text_style *style, struct buf *out) {
    size_t i;
    json_t *bucket;
    bool has_title = false;
    json_array_foreach(pick(status, "badput"), i, bucket) {
        const char *reason = reason_of(status, bucket);
        if (!*reason) /* ElasticSliceDown has no time, but a reason */
            continue;
        if (!has_title)
            buf_append_text(out, "\nWhy (the largest span of each)\n");
        has_title = true;
        CLEANUP_FREE char *line =
            mem_format("%s, %lldx, %s: %s", pick_text(bucket, "bucket"), (long long)pick_int(bucket, "count", 1),
                       pick_text(bucket, "basis"), reason);
        text_wrap(out, style, 2, 2, line);
    }
}

struct cost {
    const char *key, *format;
};

/* Those that are not zero, as a sentence. */
static void put_costs(const json_t *execution, const struct cost *costs, size_t count, struct buf *line) {
    char a[TEXT_DURATION_SIZE];
    for (size_t i = 0; i < count; i++) {
        int64_t ms = pick_int(execution, costs[i].key, 0);
        if (ms <= 0)
            continue;
        const char *percent = strstr(costs[i].format, "%s");
        buf_format(line, "%s%.*s%s", line->size_bytes ? ", " : "", (int)(percent - costs[i].format), costs[i].format,
                   text_duration(a, ms));
    }
}

/* How the execution came up: what a nearer image, a compilation cache or hot spares would save. */
static void draw_coming_up(const json_t *execution, const struct text_style *style, struct buf *out) {
    static const struct cost costs[] = {{"imagePullMs", "image pull %s"},
                                        {"containerStartMs", "container start %s"},
                                        {"programStartupMs", "first step's compile %s"}};
    CLEANUP_BUF struct buf line;
    buf_init(&line, 4096);
    put_costs(execution, costs, ARRAY_SIZE(costs), &line);
    if (line.size_bytes == 0)
        return;
    CLEANUP_FREE char *text =
        mem_format("#%lld came up: %s%s%s%s", (long long)pick_int(execution, "number", 0), buf_text(&line),
                   *pick_text(execution, "slowestPull") ? " (slowest pull: " : "", pick_text(execution, "slowestPull"),
                   *pick_text(execution, "slowestPull") ? ")" : "");
    text_wrap(out, style, 2, 3, text);
}

static void draw_interruption(const json_t *execution, const struct text_style *style, struct buf *out) {
    char when[TEXT_DURATION_SIZE];
    buf_format(out, "  #%lld %s  ", (long long)pick_int(execution, "number", 0),
               text_stamp(when, pick_time_ms(execution, "end")));
    text_colour(out, style, COLOUR_SCHEDULING);
    text_cell(out, pick_text(execution, "cause"), 40, 0);
    text_colour(out, style, COLOUR_NONE);
    buf_append_char(out, '\n');
    if (*pick_text(execution, "node")) {
        CLEANUP_FREE char *where =
            mem_format("node %s%s%s", pick_text(execution, "node"),
                       *pick_text(execution, "nodePool") ? " of pool " : "", pick_text(execution, "nodePool"));
        text_wrap(out, style, 5, 0, where);
    }
    static const struct cost costs[] = {{"tchMs", "lost work %s"},  {"detectMs", "noticed after %s"},
                                        {"waitMs", "waited %s"},    {"treMs", "rescheduled in %s"},
                                        {"trmMs", "resumed in %s"}, {"catchUpMs", "caught up in %s"}};
    CLEANUP_BUF struct buf line;
    buf_init(&line, 4096);
    if (pick_int(execution, "lostSteps", 0) > 0)
        buf_format(&line, "%lld steps lost", (long long)pick_int(execution, "lostSteps", 0));
    put_costs(execution, costs, ARRAY_SIZE(costs), &line);
    if (pick_has(execution, "savedOnTermination"))
        buf_format(&line, "%s%s", line.size_bytes ? ", " : "",
                   json_is_true(pick(execution, "savedOnTermination")) ? "saved on SIGTERM" : "not saved on SIGTERM");
    if (line.size_bytes > 0)
        text_wrap(out, style, 5, 0, buf_text(&line));
    if (*pick_text(execution, "evidence"))
        text_wrap(out, style, 5, 0, pick_text(execution, "evidence"));
}

static void draw_interruptions(const json_t *status, const struct text_style *style, struct buf *out) {
    int64_t total = pick_int(status, "interruptions.total", 0);
    if (total == 0)
        return;
    CLEANUP_BUF struct buf line;
    char duration[TEXT_DURATION_SIZE];
    size_t i;
    json_t *item;
    buf_init(&line, 4096);
    buf_format(&line, "Interruptions: %lld (", (long long)total);
    json_array_foreach(pick(status, "interruptions.byCause"), i, item)
        buf_format(&line, "%s%lld %s", i ? ", " : "", (long long)pick_int(item, "count", 0), pick_text(item, "cause"));
    buf_append_text(&line, ")");
    if (pick_has(status, "interruptions.meanTimeBetweenSeconds"))
        buf_format(&line, "; one per %s of available time",
                   text_duration(duration, pick_int(status, "interruptions.meanTimeBetweenSeconds", 0) * 1000));
    if (pick_has(status, "interruptions.meanTimeToRecoverSeconds"))
        buf_format(&line, "; back to steps in %s on average",
                   text_duration(duration, pick_int(status, "interruptions.meanTimeToRecoverSeconds", 0) * 1000));
    buf_append_char(out, '\n');
    text_wrap(out, style, 0, 2, buf_text(&line));
    json_array_foreach(pick(status, "executions"), i, item) {
        if (i > 0)
            draw_coming_up(item, style, out);
        if (*pick_text(item, "cause"))
            draw_interruption(item, style, out);
    }
}

static void draw_steps(const json_t *status, const struct text_style *style, struct buf *out) {
    CLEANUP_BUF struct buf line;
    char a[TEXT_DURATION_SIZE], b[TEXT_DURATION_SIZE], c[TEXT_DURATION_SIZE];
    buf_init(&line, 4096);
    buf_format(&line, "Steps: %lld retained, %lld repeated", (long long)pick_int(status, "steps.retained", 0),
               (long long)pick_int(status, "steps.repeated", 0));
    if (pick_has(status, "steps.lastDurable"))
        buf_format(&line, ", durable up to %lld", (long long)pick_int(status, "steps.lastDurable", 0));
    if (pick_has(status, "steps.meanMs"))
        buf_format(&line, "; mean %s", text_duration_in(a, pick_int(status, "steps.meanMs", 0), 1));
    if (pick_has(status, "steps.p50Ms") && pick_has(status, "steps.p99Ms"))
        buf_format(&line, ", half within %s, 99%% within %s",
                   text_duration_in(b, pick_int(status, "steps.p50Ms", 0), 1),
                   text_duration_in(c, pick_int(status, "steps.p99Ms", 0), 1));
    text_wrap(out, style, 0, 2, buf_text(&line));
}

static void draw_cost(const json_t *status, const struct text_style *style, struct buf *out) {
    const char *currency = pick_text(status, "cost.currency"), *lost = pick_text(status, "cost.lost");
    if (!*currency) {
        if (*pick_text(status, "cost.message"))
            text_wrap(out, style, 0, 2, pick_text(status, "cost.message"));
        return;
    }
    CLEANUP_FREE char *split =
        *lost ? mem_format(" = %s productive + %s lost", pick_text(status, "cost.productive"), lost) : mem_strdup("");
    CLEANUP_FREE char *line =
        mem_format("Cost: %s %s%s, at %s per chip-hour (%s)", pick_text(status, "cost.allocated"), currency, split,
                   pick_text(status, "cost.pricePerChipHour"), pick_text(status, "cost.source"));
    text_wrap(out, style, 0, 2, line);
}

enum { MOST_LOSSES = 5 };

/* What took the most chip time of a list, as "NAME 1.25 chip-hours (2.50 USD)". */
static void draw_chip_losses(const json_t *list, const char *key, const char *title, const char *currency,
                             const struct text_style *style, struct buf *out) {
    const json_t *told[MOST_LOSSES];
    CLEANUP_BUF struct buf line;
    buf_init(&line, 4096);
    buf_append_text(&line, title);
    for (int n = 0; n < MOST_LOSSES; n++) {
        const json_t *most = NULL, *item;
        size_t i;
        json_array_foreach(list, i, item) {
            bool is_told = false;
            for (int k = 0; k < n; k++)
                is_told |= told[k] == item;
            if (!is_told && pick_int(item, "chipSeconds", 0) > (most ? pick_int(most, "chipSeconds", 0) : 0))
                most = item;
        }
        if (most == NULL && n == 0)
            return;
        if (most == NULL)
            break;
        told[n] = most;
        int64_t hundredths = (pick_int(most, "chipSeconds", 0) + 18) / 36;
        buf_format(&line, "%s %s %lld.%02lld", n ? "," : "", pick_text(most, key), (long long)(hundredths / 100),
                   (long long)(hundredths % 100));
        if (*pick_text(most, "cost"))
            buf_format(&line, " (%s %s)", pick_text(most, "cost"), currency);
    }
    text_wrap(out, style, 0, 2, buf_text(&line));
}

static void draw_rest(const json_t *status, const struct text_style *style, struct buf *out) {
    char duration[TEXT_DURATION_SIZE];
    size_t i;
    json_t *item;
    if (pick_has(status, "steps") || pick_has(status, "acceleratorHours") || pick_has(status, "windows"))
        buf_append_char(out, '\n');
    if (pick_has(status, "steps"))
        draw_steps(status, style, out);
    if (pick_has(status, "acceleratorHours")) {
        const char *productive = pick_text(status, "acceleratorHours.productive");
        CLEANUP_FREE char *split = *productive ? mem_format(" = %s productive + %s lost", productive,
                                                            pick_text(status, "acceleratorHours.lost"))
                                               : mem_strdup("");
        CLEANUP_FREE char *line =
            mem_format("Chip-hours: %s allocated%s; %s waiting", pick_text(status, "acceleratorHours.allocated"), split,
                       pick_text(status, "acceleratorHours.waiting"));
        text_wrap(out, style, 0, 2, line);
    }
    draw_cost(status, style, out);
    const char *currency = pick_text(status, "cost.currency");
    draw_chip_losses(pick(status, "badput"), "bucket", "Most chip-hours lost to:", currency, style, out);
    draw_chip_losses(pick(status, "interruptions.byCause"), "cause", "Chip-hours lost to interruptions:", currency,
                     style, out);
    json_array_foreach(pick(status, "windows"), i, item) {
        const char *goodput = pick_text(item, "job"), *top = pick_text(item, "topBadput");
        CLEANUP_FREE char *line = mem_format(
            "Last %s: goodput %s (scheduling %s, runtime %s)%s%s", text_duration(duration, pick_int(item, "ms", 0)),
            *goodput ? goodput : "not known", pick_text(item, "scheduling"),
            *pick_text(item, "runtime") ? pick_text(item, "runtime") : "-", *top ? ", most lost to " : "", top);
        text_wrap(out, style, 0, 2, line);
    }
}

static void draw_forecast(const json_t *status, const struct text_style *style, struct buf *out) {
    const json_t *f = pick(status, "forecast");
    static const char *const keys[] = {
        "intervalSeconds",  "meanTimeBetweenFailuresSeconds", "bestIntervalSeconds", "bestFromSeconds", "bestToSeconds",
        "remainingSeconds", "remainingDeviationSeconds"};
    char t[ARRAY_SIZE(keys)][TEXT_DURATION_SIZE];
    if (f == NULL)
        return;
    for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
        text_duration(t[k], pick_int(f, keys[k], 0) * 1000);
    buf_append_text(out, "\nForecast\n");
    CLEANUP_FREE char *line =
        mem_format("runtime goodput %s with a save every %s and a failure every %s%s; at best %s, with a save every %s "
                   "(%s to %s is as good)",
                   pick_text(f, "runtime"), t[0], t[1],
                   json_is_true(pick(f, "isPrior")) ? " (a published rate: there were fewer than three)" : "",
                   pick_text(f, "bestRuntime"), t[2], t[3], t[4]);
    text_wrap(out, style, 2, 2, line);
    size_t i;
    json_t *assumption;
    json_array_foreach(pick(f, "assumptions"), i, assumption) {
        CLEANUP_FREE char *assumed =
            mem_format("assumed: %s", json_is_string(assumption) ? json_string_value(assumption) : "");
        text_wrap(out, style, 2, 2, assumed);
    }
    if (!pick_has(f, "remainingSeconds"))
        return;
    CLEANUP_FREE char *rest =
        mem_format("%lld steps to go: %s, give or take %s; done on %s", (long long)pick_int(f, "remainingSteps", 0),
                   t[5], t[6], pick_text(f, "finishAt"));
    text_wrap(out, style, 2, 2, rest);
}

static void draw_advice(const json_t *status, const struct text_style *style, struct buf *out) {
    size_t i;
    json_t *item;
    if (json_array_size(pick(status, "advice")) > 0)
        buf_append_text(out, "\nWhat would help\n");
    json_array_foreach(pick(status, "advice"), i, item) {
        const char *hours = pick_text(item, "acceleratorHours");
        bool has_hours = strspn(hours, "0.") < strlen(hours);
        CLEANUP_FREE char *line = mem_format(
            "+%s points%s%s%s: %s (%s)", pick_text(item, "gainPoints"), has_hours ? ", " : "", has_hours ? hours : "",
            has_hours ? " chip-hours" : "", pick_text(item, "change"), pick_text(item, "seen"));
        text_wrap(out, style, 2, 2, line);
    }
}

/* Conditions that ask for attention. */
static void draw_conditions(const json_t *status, const struct text_style *style, struct buf *out) {
    size_t i;
    json_t *condition;
    bool has_title = false;
    json_array_foreach(pick(status, "conditions"), i, condition) {
        const char *type = pick_text(condition, "type"), *value = pick_text(condition, "status");
        bool is_trouble = strcmp(type, "ClockSkew") == 0 || strcmp(type, "PermissionMissing") == 0;
        bool is_bad = strcmp(value, is_trouble ? "True" : "False") == 0;
        if (!is_bad || strcmp(type, "Finished") == 0)
            continue;
        if (!has_title)
            buf_append_text(out, "\nNeeds attention\n");
        has_title = true;
        CLEANUP_FREE char *line =
            mem_format("%s=%s, %s: %s", type, value, pick_text(condition, "reason"), pick_text(condition, "message"));
        text_wrap(out, style, 2, 2, line);
    }
}

void cli_waterfall_draw(const json_t *status, const struct text_style *style, struct buf *out) {
    draw_scores(status, style, out);
    if (pick_int(status, "time.wallMs", 0) > 0) {
        buf_append_char(out, '\n');
        draw_waterfall(status, style, out);
    }
}

void cli_reasons_draw(const json_t *status, const struct text_style *style, struct buf *out) {
    draw_evidence(status, style, out);
    draw_interruptions(status, style, out);
    draw_rest(status, style, out);
    draw_forecast(status, style, out);
    draw_advice(status, style, out);
    draw_conditions(status, style, out);
}

void cli_explain_draw(const json_t *job, const struct text_style *style, struct buf *out) {
    const json_t *status = pick(job, "status");
    draw_head(job, style, out);
    buf_append_char(out, '\n');
    cli_waterfall_draw(status, style, out);
    cli_reasons_draw(status, style, out);
}

int cli_explain(const struct cli_options *options, struct error **err) {
    return cli_show(options, cli_explain_draw, err);
}
