#include "cli/analyze/library.h"

#include "base/jwrite.h"
#include "base/mem.h"
#include "cli/analyze/input.h"
#include "cli/render/pick.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static void write_double(struct jwrite *w, double value) {
    char text[LIBRARY_REPR_SIZE];
    if (isfinite(value))
        jwrite_raw(w, slice_of(library_repr(text, value)));
    else
        jwrite_null(w);
}

static void member_double(struct jwrite *w, const char *key, double value) {
    jwrite_key(w, key);
    write_double(w, value);
}

static void write_number(struct jwrite *w, struct library_number n) {
    if (n.is_float || !(fabs(n.value) < 9e15))
        write_double(w, n.value);
    else
        jwrite_int(w, (int64_t)n.value);
}

static void write_customs(struct jwrite *w, const struct library_log *log, const struct library_customs *c,
                          double total_s) {
    jwrite_member_object(w, library_badput_name(LIBRARY_BADPUT_CUSTOM_BADPUT_EVENTS));
    for (size_t i = 0; i < c->count; i++) {
        double seconds = c->seconds[c->order[i]];
        CLEANUP_FREE char *name = slice_dup(map_key_at(&log->types, c->order[i]));
        member_double(w, name, isnan(total_s) ? seconds : library_percent(seconds, total_s));
    }
    jwrite_object_end(w);
}

/* percent: the breakdown of every type; else the seconds of the types in the log. */
static void write_badputs(struct jwrite *w, const char *key, const struct library_log *log,
                          const struct library_answer *a, bool percent) {
    const struct library_badputs *b = &a->badputs;
    jwrite_member_object(w, key);
    for (int i = 0; i < LIBRARY_BADPUT_COUNT && !a->is_empty && !a->error[0]; i++) {
        const char *name = library_badput_name((enum library_badput)i);
        if (i >= LIBRARY_BADPUT_ELASTIC_SLICE_DOWN && !a->is_elastic)
            break;
        if (i == LIBRARY_BADPUT_CUSTOM_BADPUT_EVENTS && (percent || b->has[i])) {
            write_customs(w, log, &b->customs, percent ? a->total_s : NAN);
        } else if (percent) {
            member_double(w, name, b->has[i] ? library_percent(b->value[i].value, a->total_s) : 0.0);
        } else if (b->has[i]) {
            jwrite_key(w, name);
            write_number(w, b->value[i]);
        }
    }
    jwrite_object_end(w);
}

static void member_unless(struct jwrite *w, const char *key, bool is_absent, double value) {
    member_double(w, key, is_absent ? NAN : value);
}

static void write_deviation(struct jwrite *w, const struct library_deviation *d, bool with_steps) {
    char step[32];
    jwrite_member_object(w, "step_deviation");
    if (d->error[0]) {
        jwrite_member_text(w, "error", d->error);
        jwrite_object_end(w);
        return;
    }
    member_double(w, "ideal_seconds", d->ideal_s);
    jwrite_member_int(w, "count", (int64_t)d->count);
    member_double(w, "mean_seconds", d->mean_s);
    if (with_steps) {
        jwrite_member_object(w, "by_step");
        for (size_t i = 0; i < d->count; i++) {
            snprintf(step, sizeof step, "%lld", (long long)library_deviation_step(d, i));
            member_double(w, step, d->seconds[i]);
        }
        jwrite_object_end(w);
    }
    jwrite_object_end(w);
}

/* Writes the members of one answer into the open object. */
static void write_answer(struct jwrite *w, const struct library_log *log, const struct library_answer *a) {
    bool failed = a->error[0] != '\0';
    member_unless(w, "goodput_percent", failed, a->goodput_percent);
    write_badputs(w, "badput_percent", log, a, true);
    write_badputs(w, "badput_seconds", log, a, false);
    member_unless(w, "productive_seconds", failed, a->productive_s);
    member_unless(w, "total_seconds", failed, a->total_s);
    static const char *const keys[] = {"max_productive_step", "last_recorded_step", "disruptions"};
    int64_t values[] = {a->max_productive_step, a->last_step, a->disruptions};
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        jwrite_key(w, keys[i]);
        if (failed)
            jwrite_null(w);
        else
            jwrite_int(w, values[i]);
    }
}

static void write_error(struct jwrite *w, const struct library_answer *a) {
    if (a->has_slices) {
        member_double(w, "stepping_slice_efficiency", a->stepping_efficiency);
        member_double(w, "available_slice_efficiency", a->available_efficiency);
    }
    jwrite_key(w, "error");
    if (a->error[0])
        jwrite_text(w, a->error);
    else
        jwrite_null(w);
}

static void write_interval(struct jwrite *w, const struct library_log *log, int64_t from_us, int64_t to_us,
                           bool is_elastic) {
    struct library_answer answer;
    library_interval(log, from_us, to_us, is_elastic, &answer);
    jwrite_object(w);
    write_answer(w, log, &answer);
    write_error(w, &answer);
    jwrite_object_end(w);
    library_answer_done(&answer);
}

static void write_intervals(struct jwrite *w, const struct analyze *a, const struct library_log *log, int64_t at_us) {
    jwrite_member_array(w, "intervals");
    if (a->from_us != ANALYZE_NO_TIME)
        write_interval(w, log, a->from_us, a->to_us != ANALYZE_NO_TIME ? a->to_us : at_us, a->is_elastic);
    for (int i = 0; i < a->window_count; i++)
        write_interval(w, log, at_us - a->windows_s[i] * 1000000, at_us, a->is_elastic);
    jwrite_array_end(w);
}

static void write_exclusions(struct jwrite *w, const struct analyze *a, const struct library_log *log, int64_t at_us) {
    struct library_answer answer;
    struct library_deviation deviation;
    library_with_exclusions(log, at_us, a->excluded, (size_t)a->excluded_count, a->ideal_s, a->is_elastic, &answer,
                            &deviation);
    jwrite_member_object(w, "with_exclusions");
    write_answer(w, log, &answer);
    member_unless(w, "excluded_seconds", answer.error[0] != '\0', answer.excluded_s);
    write_deviation(w, &deviation, a->wants_deviation);
    write_error(w, &answer);
    jwrite_object_end(w);
    library_answer_done(&answer);
    library_deviation_done(&deviation);
}

static void write_all(struct jwrite *w, const struct analyze *a, const struct library_log *log) {
    int64_t at_us = a->at_us != ANALYZE_NO_TIME ? a->at_us : library_microseconds(log->last_s);
    struct library_answer answer;
    struct library_deviation deviation;
    library_cumulative(log, at_us, a->is_elastic, &answer);
    library_step_deviation(log, a->ideal_s, &deviation);
    jwrite_object(w);
    write_answer(w, log, &answer);
    write_deviation(w, &deviation, a->wants_deviation);
    write_error(w, &answer);
    library_deviation_done(&deviation);
    library_answer_done(&answer);
    if (a->from_us != ANALYZE_NO_TIME || a->window_count > 0)
        write_intervals(w, a, log, at_us);
    if (a->excluded_count > 0)
        write_exclusions(w, a, log, at_us);
    jwrite_object_end(w);
}

int analyze_library(const struct analyze *a, const struct library_log *log, struct buf *json, struct error **err) {
    struct jwrite w;
    if (log->job_name == NULL)
        return error_set(err, EINVAL, "%s: no entries of the goodput recorder (JSON lines with a job_name) in it",
                         analyze_name(a->paths[0]));
    if (log->other_job > 0)
        analyze_note(analyze_name(a->paths[0]),
                     "%lld entries of other jobs than \"%s\" are left out, as the library does",
                     (long long)log->other_job, log->job_name);
    jwrite_init(&w, json);
    write_all(&w, a, log);
    return 0;
}

static void draw_row(struct buf *out, const char *name, double seconds, double percent) {
    buf_format(out, "  %-40.40s %14.2f s %8.2f%%\n", name, seconds, percent);
}

static void draw_badputs(const json_t *seconds, double total_s, struct buf *out) {
    const char *key, *type;
    json_t *value, *part;
    json_object_foreach((json_t *)seconds, key, value) {
        if (!json_is_object(value) && json_number_value(value) != 0)
            draw_row(out, key, json_number_value(value), library_percent(json_number_value(value), total_s));
        json_object_foreach(value, type, part) {
            CLEANUP_FREE char *name = mem_format("%s/%s", key, type);
            CLEANUP_BUF struct buf safe;
            buf_init(&safe, 1024);
            text_cell(&safe, name, 40, 0);
            draw_row(out, buf_text(&safe), json_number_value(part), library_percent(json_number_value(part), total_s));
        }
    }
}

static void draw_answer(const json_t *answer, const char *what, const struct text_style *style, struct buf *out) {
    const char *error = pick_text(answer, "error");
    text_color(out, style, COLOR_BOLD);
    if (*error) {
        CLEANUP_FREE char *line = mem_format("%s: no result: %s", what, error);
        text_wrap(out, style, 0, 2, line);
        text_color(out, style, COLOR_NONE);
        return;
    }
    double total_s = json_number_value(pick(answer, "total_seconds"));
    double percent = json_number_value(pick(answer, "goodput_percent"));
    buf_format(out, "%s: goodput %.2f%%\n", what, percent);
    text_color(out, style, COLOR_NONE);
    draw_row(out, "total", total_s, 100);
    draw_row(out, "productive", json_number_value(pick(answer, "productive_seconds")), percent);
    draw_badputs(pick(answer, "badput_seconds"), total_s, out);
    if (pick_has(answer, "excluded_seconds"))
        buf_format(out, "  %.2f s are excluded\n", json_number_value(pick(answer, "excluded_seconds")));
    if (pick_has(answer, "stepping_slice_efficiency"))
        buf_format(out, "  of the slices %.2f%% stepped, %.2f%% were available\n",
                   100 * json_number_value(pick(answer, "stepping_slice_efficiency")),
                   100 * json_number_value(pick(answer, "available_slice_efficiency")));
    buf_format(out, "  step %lld, %lld disruptions\n", (long long)pick_int(answer, "last_recorded_step", 0),
               (long long)pick_int(answer, "disruptions", 0));
}

static void draw_deviation(const json_t *deviation, const struct text_style *style, struct buf *out) {
    const char *error = pick_text(deviation, "error"), *step;
    json_t *seconds;
    if (*error)
        text_wrap(out, style, 2, 2, error);
    else
        buf_format(out, "  steps deviate from the ideal %.3f s by %.3f s on average\n",
                   json_number_value(pick(deviation, "ideal_seconds")),
                   json_number_value(pick(deviation, "mean_seconds")));
    json_object_foreach((json_t *)pick(deviation, "by_step"), step, seconds)
        buf_format(out, "    step %-12s %10.3f s\n", step, json_number_value(seconds));
}

void analyze_library_draw(const json_t *answer, const struct text_style *style, struct buf *out) {
    size_t i;
    json_t *interval;
    if (!json_is_object(answer)) {
        text_wrap(out, style, 0, 2,
                  "The Python library has no numbers for this log: it reads the entries of its own recorder only.");
        return;
    }
    draw_answer(answer, "The Python library (ml-goodput-measurement 0.2.3)", style, out);
    draw_deviation(pick(answer, "step_deviation"), style, out);
    json_array_foreach(pick(answer, "intervals"), i, interval) {
        CLEANUP_FREE char *what = mem_format("Interval %zu", i + 1);
        draw_answer(interval, what, style, out);
    }
    if (pick_has(answer, "with_exclusions")) {
        draw_answer(pick(answer, "with_exclusions"), "With exclusions", style, out);
        draw_deviation(pick(answer, "with_exclusions.step_deviation"), style, out);
    }
}
