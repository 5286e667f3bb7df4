#include "library/library.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "library/deviation.h"
#include "library/elastic.h"
#include "library/pass.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *library_badput_name(enum library_badput badput) {
    static const char *const names[] = {
#define X(name) #name,
        LIBRARY_BADPUTS(X)
#undef X
    };
    return names[badput];
}

double library_percent(double seconds, double total_s) {
    return 0 < seconds && seconds < total_s ? seconds / total_s * 100 : 0.0;
}

void library_answer_done(struct library_answer *a) {
    customs_done(&a->badputs.customs);
}

static void fail(struct library_answer *a, const char *text) {
    snprintf(a->error, sizeof a->error, "%s", text);
}

/* What both queries do once the total and the pass are there. */
static void conclude(struct library_answer *a) {
    if (a->productive_s < 0.0 || a->productive_s > a->total_s) {
        fail(a, "Productive training time is invalid. Please fix the logging entries.");
        return;
    }
    badputs_finish(&a->badputs, a->total_s, a->productive_s);
    a->goodput_percent = a->productive_s / a->total_s * 100;
}

void library_cumulative(const struct library_log *log, int64_t at_us, bool is_elastic, struct library_answer *a) {
    struct library_log part = {0};
    bool is_all = log->has_last && library_microseconds(log->last_s) <= at_us;
    if (!is_all)
        library_log_part(log, INT64_MIN, at_us, &part);
    const struct library_log *known = is_all ? log : &part;
    *a = (struct library_answer){.total_s = total_job_seconds(known, at_us), .is_elastic = is_elastic};
    if (a->total_s == 0.0)
        fail(a, "Total job time is zero, Goodput cannot be calculated. Please fix the logging entries.");
    else if (pass_run(known, a))
        conclude(a);
    int64_t start_us = first_start_us(known);
    if (is_elastic && a->error[0] == '\0' && start_us != INT64_MIN) /* get_job_goodput_details() */
        elastic_efficiency(known, library_seconds(start_us), library_seconds(start_us) + a->total_s, a);
    library_log_done_part(&part);
}

/* str(datetime) in UTC */
static void format_datetime(char out[64], int64_t us) {
    char text[RFC3339_SIZE];
    const int64_t limit_us = INT64_MAX / 1000; /* year 2262: later ones are shown as that */
    us = us > limit_us ? limit_us : us < -limit_us ? -limit_us : us;
    rfc3339_format(text, us * 1000, us % 1000000 == 0 ? 0 : 6);
    snprintf(out, 64, "%.10s %.*s+00:00", text, (int)strcspn(text + 11, "Z"), text + 11);
}

/* Drops what is not after from_us by its payload's time. False: the library's error. */
static bool slide(struct library_log *log, int64_t from_us, struct library_answer *a) {
    size_t step = 0, kept_steps = 0, kept = 0;
    for (size_t i = 0; i <= log->event_count; i++) {
        struct library_event e = {.before = log->step_count};
        if (i < log->event_count)
            e = log->events[i];
        for (; step < e.before; step++)
            if (library_microseconds(log->steps[step].at) > from_us)
                log->steps[kept_steps++] = log->steps[step];
        if (i == log->event_count)
            break;
        if (e.stamp == LIBRARY_STAMP_NULL) {
            fail(a, "'NoneType' object cannot be interpreted as an integer");
            return false;
        }
        if (e.stamp == LIBRARY_STAMP_NONE || library_microseconds(e.stamp_s) <= from_us)
            continue;
        e.before = kept_steps;
        log->events[kept++] = e;
    }
    log->event_count = kept;
    log->step_count = kept_steps;
    return true;
}

/* The payload's time of the first or last entry. */
static int64_t edge_us(const struct library_log *log, bool is_last) {
    size_t i = is_last && log->event_count ? log->event_count - 1 : 0;
    bool is_event = log->event_count > 0 && log->events[i].before == (is_last ? log->step_count : 0);
    if (is_event)
        return library_microseconds(log->events[i].stamp_s);
    return library_microseconds(log->steps[is_last ? log->step_count - 1 : 0].at);
}

static bool measure(struct library_log *log, int64_t from_us, int64_t to_us, struct library_answer *a) {
    if (log->event_count == 0 && log->step_count == 0) {
        char from[64], to[64];
        format_datetime(from, from_us);
        format_datetime(to, to_us);
        snprintf(a->error, sizeof a->error, "No log entries found within the interval window between %s and %s.", from,
                 to);
        return false;
    }
    int64_t first_us = edge_us(log, false), last_us = edge_us(log, true);
    if (first_us < from_us)
        first_us = from_us;
    if (last_us > to_us)
        last_us = to_us;
    if (first_us >= last_us) {
        fail(a, "Start time is on or after end time, cannot compute total job time.");
        return false;
    }
    a->total_s = library_seconds(last_us) - library_seconds(first_us);
    return true;
}

void library_interval(const struct library_log *log, int64_t from_us, int64_t to_us, bool is_elastic,
                      struct library_answer *a) {
    struct library_log part;
    *a = (struct library_answer){.is_elastic = is_elastic};
    library_log_part(log, from_us, to_us, &part);
    bool is_read = slide(&part, from_us, a), is_measured = is_read && measure(&part, from_us, to_us, a);
    bool is_passed = is_measured && pass_run(&part, a);
    if (is_passed)
        conclude(a);
    /* get_interval_metric_details() continues after a ValueError, and only after that. */
    if (is_elastic && is_read && (is_passed || !is_measured))
        elastic_efficiency(&part, library_seconds(from_us), library_seconds(to_us), a);
    library_log_done_part(&part);
}

/* ---- step times ---- */

void library_deviation_done(struct library_deviation *d) {
    free(d->steps);
    free(d->seconds);
    *d = (struct library_deviation){0};
}

void library_step_deviation(const struct library_log *log, double ideal_s, struct library_deviation *d) {
    struct step_times times = {0};
    *d = (struct library_deviation){0};
    for (size_t i = 1; i < log->step_count; i++) {
        int64_t previous = library_step_number(&log->steps[i - 1]);
        if (library_step_number(&log->steps[i]) == previous + 1)
            step_times_set(&times, previous, log->steps[i].at - log->steps[i - 1].at);
    }
    bool is_known = !isnan(ideal_s) || ideal_step_time(times.seconds, times.steps.count, &ideal_s);
    const char *missing = times.steps.count == 0 ? "step times" : !is_known || ideal_s == 0 ? "ideal step time" : NULL;
    if (missing)
        snprintf(d->error, sizeof d->error, "No %s available and no previous step deviations found.", missing);
    else
        deviation_fill(d, &times, ideal_s, false);
    step_times_done(&times);
}

/* ---- repr() ---- */

/* %.*e gives the correctly rounded digits of a length; the shortest length that reads back is repr's. */
static int digits_needed(double value) {
    char text[LIBRARY_REPR_SIZE];
    for (int digits = 1; digits < 17; digits++) {
        double back = 0;
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        struct slice s = slice_of(text);
        if (slice_take_double(&s, &back) && back == value)
            return digits;
        if (digits == 1) { /* most have 16 or 17: where 15 are too few, less are too */
            snprintf(text, sizeof text, "%.14e", value);
            s = slice_of(text);
            if (!slice_take_double(&s, &back) || back != value)
                digits = 15;
        }
    }
    return 17;
}

const char *library_repr(char out[LIBRARY_REPR_SIZE], double value) {
    if (!isfinite(value)) {
        snprintf(out, LIBRARY_REPR_SIZE, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return out;
    }
    int digits = value == 0 ? 1 : digits_needed(value);
    char text[LIBRARY_REPR_SIZE];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    struct slice tail = slice_of(strchr(text, 'e') + 1);
    int64_t exponent = 0;
    slice_take_int(&tail, &exponent);
    if (exponent >= -4 && exponent < 16) {
        int decimals = digits - 1 - (int)exponent;
        snprintf(out, LIBRARY_REPR_SIZE, "%.*f", decimals > 1 ? decimals : 1, value);
    } else {
        snprintf(out, LIBRARY_REPR_SIZE, "%.*e", digits - 1, value);
    }
    return out;
}
