#include "cli/analyze/unread.h"

#include "base/clock.h"
#include "base/jwrite.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/rfc3339.h"
#include "cli/analyze/input.h"
#include "cli/render/pick.h"
#include "cli/render/yaml.h"

#include <string.h>

void analyze_unread_add(struct analyze_unread *u, const struct steplog *s, const struct step_samples *samples) {
    struct steplog_counts counts = steplog_counts_get(s);
    bool has_time = counts.first_stamp_ms != TIME_UNKNOWN;
    if (u->files == 0 || (counts.steps == 0 && u->explained.sample_count == 0)) {
        steplog_explain(s, &u->explained);
        step_samples_fill(samples, &u->explained);
    }
    if (has_time && (u->first_stamp_ms == TIME_UNKNOWN || counts.first_stamp_ms < u->first_stamp_ms))
        u->first_stamp_ms = counts.first_stamp_ms;
    u->last_stamp_ms = max_of(u->last_stamp_ms, counts.last_stamp_ms);
    steplog_rivals_add(&u->rivals, &counts.rivals);
    u->files++;
    u->bytes += counts.bytes;
    u->lines += counts.lines;
    u->steps += counts.steps;
}

char *analyze_unread_why(const struct analyze *a, const struct analyze_unread *u) {
    const char *are = u->files > 1 ? "they are" : "it is";
    enum steplog_format two[2];
    if (steplog_rivals_find(&u->rivals, two))
        return mem_format("%s (%lld steps) and %s (%lld steps) are equally likely; choose with --format",
                          steplog_format_name(two[0]), (long long)u->rivals.steps[two[0]], steplog_format_name(two[1]),
                          (long long)u->rivals.steps[two[1]]);
    if (u->steps_taken > 0)
        return NULL;
    if (u->bytes == 0)
        return mem_format("%s empty", are);
    if (u->steps > 0 && u->steps_with_time == 0)
        return mem_format("no line of a step (%lld) has a time; add timestamps, as kubectl logs --timestamps does",
                          (long long)u->steps);
    if (u->steps > 0)
        return mem_format("all steps (%lld) are after --at", (long long)u->steps);
    if (a->format == STEPLOG_REGEX)
        return mem_format("no line (%lld) matches the pattern of a step; compare it with the lines",
                          (long long)u->lines);
    return mem_format("no step in any line (%lld); describe a step's line with --regex or --format-file",
                      (long long)u->lines);
}

/* ---- JSON ---- */

static void write_time(struct jwrite *w, const char *key, int64_t ms) {
    char text[RFC3339_SIZE];
    if (ms != TIME_UNKNOWN)
        jwrite_member_text(w, key, rfc3339_format_ms(text, ms));
}

static void write_log(struct jwrite *w, const struct analyze_unread *u) {
    const struct steplog_explanation *e = &u->explained;
    jwrite_member_object(w, "log");
    jwrite_member_int(w, "files", u->files);
    jwrite_member_int(w, "lines", u->lines);
    write_time(w, "start", u->first_stamp_ms);
    write_time(w, "end", u->last_stamp_ms);
    jwrite_member_array(w, "formats");
    for (int i = 0; u->steps == 0 && u->lines > 0 && i < e->tried_count; i++) {
        jwrite_object(w);
        jwrite_member_text(w, "format", e->tried[i].format);
        jwrite_member_text(w, "why", e->tried[i].why);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
    jwrite_member_array(w, "samples");
    for (int i = 0; u->steps == 0 && i < e->sample_count; i++)
        jwrite_text(w, e->samples[i]);
    jwrite_array_end(w);
    if (u->steps == 0 && e->sample_count > 0)
        jwrite_member_text(w, "samplesShow", e->is_by_number ? "RisingNumber" : "Step");
    jwrite_object_end(w);
}

struct given {
    int64_t step, duration_ms;
};

static void note_step(void *context, const struct record *r) {
    if (r->kind == RECORD_STEP_END)
        *(struct given *)context = (struct given){r->step, r->duration_ms};
}

/* A sample and what the pattern reads in it, so that the format's examples hold. */
static void write_example(struct jwrite *w, const char *pattern, const char *sample) {
    struct given given = {RECORD_NONE, RECORD_NONE};
    const struct steplog_patterns patterns = {.step = pattern};
    struct steplog *parser = steplog_new_regex(&patterns, note_step, &given, NULL);
    if (parser != NULL)
        steplog_line(parser, slice_of(sample), 0);
    steplog_free(parser);
    if (given.step == RECORD_NONE)
        return;
    jwrite_object(w);
    jwrite_member_text(w, "line", sample);
    jwrite_member_object(w, "gives");
    jwrite_member_int(w, "step", given.step);
    if (given.duration_ms != RECORD_NONE)
        jwrite_member_int(w, "milliseconds", given.duration_ms);
    jwrite_object_end(w);
    jwrite_object_end(w);
}

static void write_format(struct jwrite *w, const struct steplog_explanation *e, const char *pattern) {
    jwrite_member_object(w, "stepLogFormat");
    jwrite_member_text(w, "apiVersion", "goodput.dev/v1alpha1");
    jwrite_member_text(w, "kind", "StepLogFormat");
    jwrite_member_object(w, "metadata");
    jwrite_member_text(w, "name", "mytrainer");
    jwrite_object_end(w);
    jwrite_member_object(w, "spec");
    jwrite_member_array(w, "patterns");
    jwrite_object(w);
    jwrite_member_text(w, "name", "step");
    jwrite_member_text(w, "kind", "Step");
    jwrite_member_text(w, "pattern", pattern);
    jwrite_member_array(w, "examples");
    for (int i = 0; i < e->sample_count; i++)
        write_example(w, pattern, e->samples[i]);
    jwrite_array_end(w);
    jwrite_object_end(w);
    jwrite_array_end(w);
    jwrite_object_end(w);
    jwrite_object_end(w);
}

/* Its scores and its steps, by the names that they have in a status. */
static void write_numbers(struct jwrite *w, const struct analyze_trial *trial) {
    static const char *const parts[] = {"goodput", "steps"};
    if (trial->status == NULL) {
        jwrite_member_text(w, "withoutNumbers", trial->why);
        return;
    }
    jwrite_member_object(w, "gives");
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        CLEANUP_FREE char *text = json_dumps(json_object_get(trial->status, parts[i]), JSON_COMPACT);
        if (text != NULL) {
            jwrite_key(w, parts[i]);
            jwrite_raw(w, slice_of(text));
        }
    }
    jwrite_object_end(w);
}

void analyze_unread_write(const struct analyze_unread *u, const char *error, const struct analyze_trial *trial,
                          struct buf *json) {
    struct jwrite w;
    jwrite_init(&w, json);
    jwrite_object(&w);
    jwrite_member_text(&w, "error", error);
    write_log(&w, u);
    jwrite_key(&w, "suggestion");
    if (trial->pattern[0]) {
        jwrite_object(&w);
        jwrite_member_text(&w, "regex", trial->pattern);
        write_format(&w, &u->explained, trial->pattern);
        write_numbers(&w, trial);
        jwrite_object_end(&w);
    } else {
        jwrite_null(&w);
    }
    jwrite_object_end(&w);
}

/* ---- text ---- */

static void draw_formats(const json_t *answer, const struct text_style *style, struct buf *out) {
    size_t i;
    json_t *item;
    json_array_foreach(pick(answer, "log.formats"), i, item) {
        if (i == 0)
            buf_append_text(out, "\nFormats tried\n");
        text_repeat(out, " ", 2);
        text_cell(out, pick_text(item, "format"), 12, 1);
        buf_append_char(out, ' ');
        text_cell(out, pick_text(item, "why"), style->columns > 40 ? style->columns - 15 : 0, 0);
        buf_append_char(out, '\n');
    }
}

static void draw_samples(const json_t *answer, struct buf *out) {
    size_t i;
    json_t *item;
    const json_t *samples = pick(answer, "log.samples");
    bool is_by_number = strcmp(pick_text(answer, "log.samplesShow"), "RisingNumber") == 0;
    if (is_by_number)
        buf_append_text(out, "\nNo line names a step. In these a number rises, which may count steps\n");
    else if (json_array_size(samples) > 0)
        buf_append_text(out, "\nLines that look like steps\n");
    else if (json_array_size(pick(answer, "log.formats")) > 0 && pick_int(answer, "log.lines", 0) > 0)
        buf_append_text(out,
                        "\nNo line looks like a step. Is this the log of a process that trains (rank 0, for Megatron "
                        "the last rank),\nand does the trainer log its steps?\n");
    json_array_foreach(samples, i, item) {
        buf_append_text(out, "  ");
        text_cell(out, json_string_value(item), 0, 0);
        buf_append_char(out, '\n');
    }
}

/* The pattern in single quotes, as a shell reads it. */
static void draw_command(const char *path, const char *pattern, struct buf *out) {
    buf_append_text(out, "  kubectl goodput analyze ");
    text_cell(out, path, 0, 0);
    buf_append_text(out, " --regex 'step=");
    for (; *pattern; pattern++) {
        if (*pattern == '\'')
            buf_append_text(out, "'\\''");
        else
            buf_append_char(out, *pattern);
    }
    buf_append_text(out, "'\n");
}

static void draw_suggestion(const struct analyze *a, const json_t *answer, struct buf *out) {
    const json_t *gives = pick(answer, "suggestion.gives");
    if (!json_is_object(pick(answer, "suggestion")))
        return;
    buf_append_text(out, "\nA pattern for them\n");
    draw_command(a->path_count == 1 ? a->paths[0] : "FILE...", pick_text(answer, "suggestion.regex"), out);
    if (gives != NULL) {
        CLEANUP_FREE char *line =
            mem_format("It reads %lld steps, up to step %lld: runtime goodput %s, at most %s.",
                       (long long)(pick_int(gives, "steps.retained", 0) + pick_int(gives, "steps.repeated", 0)),
                       (long long)pick_int(gives, "steps.last", 0), pick_text(gives, "goodput.runtime"),
                       pick_text(gives, "goodput.runtimeUpperBound"));
        text_wrap(out, &a->style, 2, 0, line);
    } else {
        text_wrap(out, &a->style, 2, 0, pick_text(answer, "suggestion.withoutNumbers"));
    }
    buf_append_text(out, "\nThe same as a StepLogFormat, for --format-file and kubectl apply\n");
    CLEANUP_BUF struct buf yaml;
    buf_init(&yaml, 1 << 16);
    yaml_write(&yaml, pick(answer, "suggestion.stepLogFormat"));
    struct slice rest = buf_slice(&yaml), line;
    while (slice_take_line(&rest, &line)) {
        buf_append_text(out, "  ");
        buf_append_slice(out, line);
        buf_append_char(out, '\n');
    }
}

void analyze_unread_draw(const struct analyze *a, const json_t *answer, struct buf *out) {
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE];
    text_color(out, &a->style, COLOR_BOLD);
    text_cell(out, analyze_name(a->paths[0]), 0, 0);
    text_color(out, &a->style, COLOR_NONE);
    if (a->path_count > 1)
        buf_format(out, " and %zu more", a->path_count - 1);
    buf_format(out, "\n%lld lines, ", (long long)pick_int(answer, "log.lines", 0));
    if (pick_has(answer, "log.start"))
        buf_format(out, "%s to %s UTC\n", text_stamp(from, pick_time_ms(answer, "log.start")),
                   text_stamp(to, pick_time_ms(answer, "log.end")));
    else
        buf_append_text(out, "none with a time\n");
    draw_formats(answer, &a->style, out);
    draw_samples(answer, out);
    draw_suggestion(a, answer, out);
}
