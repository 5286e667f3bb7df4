#include "cli/render/reasons.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cli/render/pick.h"

#include <stdio.h>
#include <string.h>

/* A bucket's evidence; for time without evidence a way to get it. */
static const char *reason_of(const json_t *status, const json_t *bucket) {
    const char *evidence = pick_text(bucket, "evidence");
    if (*evidence || strcmp(pick_text(bucket, "bucket"), "Unattributed") != 0)
        return evidence;
    return pick_has(status, "steps") ? "" : "the containers ran; no steps in the log explain more";
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

/* Appends the costs that are not zero as a sentence. */
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

/* Draws the start of an execution: the time that a nearer image, a compilation cache or hot spares would save. */
static void draw_coming_up(const json_t *execution, const struct text_style *style, struct buf *out) {
    static const struct cost costs[] = {{"imagePullMilliseconds", "image pull %s"},
                                        {"containerStartMilliseconds", "container start %s"},
                                        {"programStartupMilliseconds", "first step's compile %s"}};
    CLEANUP_BUF struct buf line;
    buf_init(&line, 4096);
    put_costs(execution, costs, ARRAY_SIZE(costs), &line);
    if (line.size_bytes == 0)
        return;
    CLEANUP_FREE char *text =
        mem_format("#%lld started: %s%s%s%s", (long long)pick_int(execution, "number", 0), buf_text(&line),
                   *pick_text(execution, "slowestPull") ? " (slowest pull: " : "", pick_text(execution, "slowestPull"),
                   *pick_text(execution, "slowestPull") ? ")" : "");
    text_wrap(out, style, 2, 3, text);
}

/* Draws the signals of its nodes: "Cause: Xid79 on node n0 at 11-21 02:16:10 (condition XidCriticalError=True ...)". */
static void draw_node_evidence(const json_t *execution, const struct text_style *style, struct buf *out) {
    char when[TEXT_DURATION_SIZE];
    size_t i;
    json_t *item;
    json_array_foreach(pick(execution, "nodeEvidence"), i, item) {
        bool has_time = pick_has(item, "time");
        CLEANUP_FREE char *line =
            mem_format("%s: %s on node %s%s%s (%s)", pick_text(item, "role"), pick_text(item, "signal"),
                       pick_text(item, "node"), has_time ? " at " : ", of unknown age",
                       has_time ? text_stamp(when, pick_time_ms(item, "time")) : "", pick_text(item, "message"));
        text_wrap(out, style, 5, 2, line);
    }
}

/* Draws why it ended, and who failed first: "GPUHardware: Xid79 (owner Provider, Observed); slice 0/3, node n0". */
static void draw_root_cause(const json_t *execution, const struct text_style *style, struct buf *out) {
    const json_t *c = pick(execution, "rootCause");
    if (!*pick_text(c, "class"))
        return;
    CLEANUP_BUF struct buf line;
    buf_init(&line, 4096);
    /* The site's policy may name another owner than the root cause does. */
    const char *owner = *pick_text(execution, "owner") ? pick_text(execution, "owner") : pick_text(c, "owner");
    buf_format(&line, "%s%s%s (owner %s, %s)", pick_text(c, "class"), *pick_text(c, "reason") ? ": " : "",
               pick_text(c, "reason"), *owner ? owner : "Unknown", pick_text(c, "basis"));
    if (json_is_true(pick(c, "symptomOnly")))
        buf_format(&line, ", a symptom only%s%s", *pick_text(c, "waitsFor") ? ": it waits for " : "",
                   pick_text(c, "waitsFor"));
    if (*pick_text(c, "replicatedJob"))
        buf_format(&line, "; first %s %lld/%lld", pick_text(c, "replicatedJob"), (long long)pick_int(c, "jobIndex", 0),
                   (long long)pick_int(c, "completionIndex", 0));
    if (*pick_text(c, "node"))
        buf_format(&line, " on node %s", pick_text(c, "node"));
    if (pick_int(c, "followers", 0) > 0)
        buf_format(&line, "; %lld only followed", (long long)pick_int(c, "followers", 0));
    if (pick_int(c, "unread", 0) > 0)
        buf_format(&line, "; %lld could not be read in time", (long long)pick_int(c, "unread", 0));
    text_wrap(out, style, 5, 2, buf_text(&line));
    if (*pick_text(c, "line"))
        text_wrap(out, style, 7, 0, pick_text(c, "line"));
    if (*pick_text(c, "frame"))
        text_wrap(out, style, 7, 0, pick_text(c, "frame"));
}

static void draw_interruption(const json_t *execution, const struct text_style *style, struct buf *out) {
    char when[TEXT_DURATION_SIZE];
    buf_format(out, "  #%lld %s  ", (long long)pick_int(execution, "number", 0),
               text_stamp(when, pick_time_ms(execution, "end")));
    text_color(out, style, COLOR_SCHEDULING);
    text_cell(out, pick_text(execution, "cause"), 40, 0);
    text_color(out, style, COLOR_NONE);
    buf_append_char(out, '\n');
    if (*pick_text(execution, "node")) {
        CLEANUP_FREE char *where =
            mem_format("node %s%s%s", pick_text(execution, "node"),
                       *pick_text(execution, "nodePool") ? " of pool " : "", pick_text(execution, "nodePool"));
        text_wrap(out, style, 5, 0, where);
    }
    static const struct cost costs[] = {
        {"lostWorkMilliseconds", "lost work %s"}, {"detectMilliseconds", "detected after %s"},
        {"waitMilliseconds", "waited %s"},        {"rescheduleMilliseconds", "rescheduled in %s"},
        {"resumeMilliseconds", "resumed in %s"},  {"catchUpMilliseconds", "caught up in %s"}};
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
    draw_root_cause(execution, style, out);
    draw_node_evidence(execution, style, out);
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
                   text_seconds(duration, pick_int(status, "interruptions.meanTimeBetweenSeconds", 0)));
    if (pick_has(status, "interruptions.meanTimeToRecoverSeconds"))
        buf_format(&line, "; back to steps in %s on average",
                   text_seconds(duration, pick_int(status, "interruptions.meanTimeToRecoverSeconds", 0)));
    buf_append_char(out, '\n');
    text_wrap(out, style, 0, 2, buf_text(&line));
    json_array_foreach(pick(status, "executions"), i, item) {
        if (i > 0)
            draw_coming_up(item, style, out);
        if (*pick_text(item, "cause"))
            draw_interruption(item, style, out);
    }
}

/* The longest that the retained steps can have taken: a first step's phases hold its start-up, too. */
static int64_t steps_ms(const json_t *status) {
    int64_t ms = pick_int(status, "time.productiveMilliseconds", 0);
    size_t i;
    json_t *item;
    json_array_foreach(pick(status, "badput"), i, item) if (strcmp(pick_text(item, "bucket"), "ProgramStartup") == 0)
        ms += pick_int(item, "milliseconds", 0);
    return ms;
}

/* The parts of the retained steps, as their lines give them. */
static void draw_phases(const json_t *status, const struct text_style *style, struct buf *out) {
    CLEANUP_BUF struct buf line;
    size_t i;
    json_t *item;
    int64_t sum_ms = 0;
    buf_init(&line, 4096);
    json_array_foreach(pick(status, "steps.phases"), i, item) {
        char took[TEXT_DURATION_SIZE];
        const char *share = pick_text(item, "share");
        sum_ms += pick_int(item, "milliseconds", 0);
        buf_format(&line, "%s%s %s", i > 0 ? ", " : "Within the steps: ", pick_text(item, "name"),
                   text_duration_in(took, pick_int(item, "milliseconds", 0), 1));
        if (*share)
            buf_format(&line, " (%s)", share);
    }
    if (line.size_bytes == 0)
        return;
    buf_append_text(&line, " of the productive time");
    if (sum_ms > steps_ms(status))
        buf_append_text(&line, "; together more than that: they overlap");
    text_wrap(out, style, 0, 2, buf_text(&line));
}

static void draw_steps(const json_t *status, const struct text_style *style, struct buf *out) {
    CLEANUP_BUF struct buf line;
    char a[TEXT_DURATION_SIZE], b[TEXT_DURATION_SIZE], c[TEXT_DURATION_SIZE];
    buf_init(&line, 4096);
    buf_format(&line, "Steps: %lld retained, %lld repeated", (long long)pick_int(status, "steps.retained", 0),
               (long long)pick_int(status, "steps.repeated", 0));
    if (pick_has(status, "steps.lastDurable"))
        buf_format(&line, ", durable up to %lld", (long long)pick_int(status, "steps.lastDurable", 0));
    if (pick_has(status, "steps.meanMilliseconds"))
        buf_format(&line, "; mean %s", text_duration_in(a, pick_int(status, "steps.meanMilliseconds", 0), 1));
    if (pick_has(status, "steps.p50Milliseconds") && pick_has(status, "steps.p99Milliseconds"))
        buf_format(&line, ", half within %s, 99%% within %s",
                   text_duration_in(b, pick_int(status, "steps.p50Milliseconds", 0), 1),
                   text_duration_in(c, pick_int(status, "steps.p99Milliseconds", 0), 1));
    text_wrap(out, style, 0, 2, buf_text(&line));
    draw_phases(status, style, out);
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

enum { MAX_LOSSES = 5 };

/* Draws the entries of a list with the most chip time, as "NAME 1.25 chip-hours (2.50 USD)". */
static void draw_chip_losses(const json_t *list, const char *key, const char *title, const char *currency,
                             const struct text_style *style, struct buf *out) {
    const json_t *listed[MAX_LOSSES];
    CLEANUP_BUF struct buf line;
    buf_init(&line, 4096);
    buf_append_text(&line, title);
    for (int n = 0; n < MAX_LOSSES; n++) {
        const json_t *largest = NULL, *item;
        size_t i;
        json_array_foreach(list, i, item) {
            bool is_listed = false;
            for (int k = 0; k < n; k++)
                is_listed |= listed[k] == item;
            if (!is_listed && pick_int(item, "chipSeconds", 0) > (largest ? pick_int(largest, "chipSeconds", 0) : 0))
                largest = item;
        }
        if (largest == NULL && n == 0)
            return;
        if (largest == NULL)
            break;
        listed[n] = largest;
        int64_t hundredths = (pick_int(largest, "chipSeconds", 0) + 18) / 36;
        buf_format(&line, "%s %s %lld.%02lld", n ? "," : "", pick_text(largest, key), (long long)(hundredths / 100),
                   (long long)(hundredths % 100));
        if (*pick_text(largest, "cost"))
            buf_format(&line, " (%s %s)", pick_text(largest, "cost"), currency);
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
        const char *scheduling = pick_text(item, "scheduling");
        CLEANUP_FREE char *line = mem_format(
            "Last %s: goodput %s (%s%s%sruntime %s)%s%s", text_duration(duration, pick_int(item, "milliseconds", 0)),
            *goodput ? goodput : "not known", *scheduling ? "scheduling " : "", scheduling, *scheduling ? ", " : "",
            *pick_text(item, "runtime") ? pick_text(item, "runtime") : "-", *top ? ", most lost to " : "", top);
        text_wrap(out, style, 0, 2, line);
    }
}

/* Its seconds are whole ones. */
static int64_t mean_ms(const json_t *definition) {
    int64_t count = pick_int(definition, "denominatorCount", 0);
    return count > 0 ? pick_int(definition, "numeratorMilliseconds", 0) / count : -1;
}

/* "ETTRMeta 82.18% = 1h 41m / 2h 03m", "MTTF 1h 55m = 1h 55m / 1". */
static void draw_definitions(const json_t *status, const struct text_style *style, struct buf *out) {
    char mean[TEXT_DURATION_SIZE], part[TEXT_DURATION_SIZE], whole[TEXT_DURATION_SIZE];
    size_t i;
    json_t *d;
    if (json_array_size(pick(status, "otherDefinitions")) > 0)
        buf_append_text(out, "\nBy other definitions\n");
    json_array_foreach(pick(status, "otherDefinitions"), i, d) {
        bool is_mean = pick_has(d, "denominatorCount");
        CLEANUP_FREE char *count = mem_format("%lld", (long long)pick_int(d, "denominatorCount", 0));
        CLEANUP_FREE char *line = mem_format(
            "%s %s = %s / %s", pick_text(d, "name"), is_mean ? text_duration(mean, mean_ms(d)) : pick_text(d, "value"),
            text_duration(part, pick_int(d, "numeratorMilliseconds", 0)),
            is_mean ? count : text_duration(whole, pick_int(d, "denominatorMilliseconds", 0)));
        text_wrap(out, style, 2, 2, line);
    }
}

static void draw_forecast(const json_t *status, const struct text_style *style, struct buf *out) {
    const json_t *f = pick(status, "forecast");
    static const char *const keys[] = {
        "intervalSeconds",  "meanTimeBetweenFailuresSeconds", "bestIntervalSeconds", "bestFromSeconds", "bestToSeconds",
        "remainingSeconds", "remainingDeviationSeconds"};
    char t[ARRAY_SIZE(keys)][TEXT_DURATION_SIZE];
    if (!pick_has(f, "runtime") && !pick_has(f, "remainingSeconds"))
        return; /* its figures alone foretell nothing */
    for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
        if (pick_has(f, keys[k]))
            text_duration(t[k], pick_int(f, keys[k], 0) * 1000);
        else
            snprintf(t[k], sizeof t[k], "-");
    bool is_open = !pick_has(f, "bestToSeconds"); /* any longer interval is as good */
    buf_append_text(out, "\nForecast\n");
    CLEANUP_FREE char *line =
        mem_format("runtime goodput %s with a save every %s and a failure every %s; at best %s, with a save every %s "
                   "(%s %s%s is as good)",
                   pick_text(f, "runtime"), t[0], t[1], pick_text(f, "bestRuntime"), t[2], t[3],
                   is_open ? "or more" : "to ", is_open ? "" : t[4]);
    if (pick_has(f, "runtime"))
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
    bool has_spread = pick_has(f, "remainingDeviationSeconds");
    CLEANUP_FREE char *rest =
        mem_format("%lld steps to go: %s%s%s; done on %s", (long long)pick_int(f, "remainingSteps", 0), t[5],
                   has_spread ? ", give or take " : "", has_spread ? t[6] : "", pick_text(f, "finishAt"));
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

/* Draws the conditions that need attention. */
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

void reasons_draw(const json_t *status, const struct text_style *style, struct buf *out) {
    draw_evidence(status, style, out);
    draw_interruptions(status, style, out);
    draw_rest(status, style, out);
    draw_definitions(status, style, out);
    draw_forecast(status, style, out);
    draw_advice(status, style, out);
    draw_conditions(status, style, out);
}
