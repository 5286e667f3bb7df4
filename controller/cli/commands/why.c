#include "cli/commands/why.h"

#include "base/mem.h"
#include "cli/analyze/input.h"
#include "cli/analyze/parser.h"
#include "cli/arguments.h"
#include "cli/render/output.h"
#include "cli/render/print.h"
#include "rootcause/verdict.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The end of a file is read: the last words, and the teardown of many processes after them. */
#define TAIL_BYTES ((size_t)4 << 20)
#define FOREIGN_SHARE 10 /* a file of which a tenth are control characters is not text */

struct why {
    const char **paths;
    size_t path_count;
    const char *message, *output;
    int exit_code;
    bool wants_help;
};

static void print_help(void) {
    fputs(
        "kubectl goodput why FILE... : the root cause of a failure, from the logs of its processes, a file a "
        "process\n\n"
        "  --termination-message FILE  the container's termination message, or torchelastic's error file\n"
        "  --exit-code N               the container's exit code\n"
        "  -o json|yaml\n\n"
        "The class is Unknown if no line names a cause: the answer then says what it looked for. A symptom, such as a\n"
        "collective that timed out, is named as one (symptomOnly) and never as a cause. FILE may be compressed with\n"
        "gzip; - is standard input. The last 4 MiB of a file are read. With timestamps, as kubectl logs can add,\n"
        "the earliest cause of all files wins, and a stop that follows a failure is not a cause; without\n"
        "them a termination signal yields to a cause in another file, then the order of the files decides\n",
        stdout);
}

/* ---- options ---- */

static int set_exit_code(void *code, const char *option, const char *value, struct error **err) {
    struct slice rest = slice_of(value);
    int64_t number;
    if (!slice_take_uint(&rest, &number) || rest.size_bytes != 0 || number > 255)
        return error_set(err, EINVAL, "%s %s: not an exit code (0 to 255)", option, value);
    *(int *)code = (int)number;
    return 0;
}

static int set_output(void *output, const char *option, const char *value, struct error **err) {
    if (strcmp(value, "json") != 0 && strcmp(value, "yaml") != 0)
        return error_set(err, EINVAL, "%s %s: not one of json, yaml", option, value);
    *(const char **)output = value;
    return 0;
}

static const struct argument_row table[] = {
    {"-o", "--output", offsetof(struct why, output), true, set_output, NULL, NULL},
    {"-h", "--help", offsetof(struct why, wants_help), false, NULL, NULL, NULL},
    {NULL, "--termination-message", offsetof(struct why, message), true, NULL, NULL, NULL},
    {NULL, "--exit-code", offsetof(struct why, exit_code), true, set_exit_code, NULL, NULL},
};

static int parse(struct why *why, int argc, char **argv, struct error **err) {
    bool is_end = false; /* of the options: "--" */
    for (int i = 1; i < argc; i++) {
        if (!is_end && strcmp(argv[i], "--") == 0) {
            is_end = true;
        } else if (!is_end && argv[i][0] == '-' && argv[i][1] != '\0') {
            int r = arguments_take(table, ARRAY_SIZE(table), "why --help", argv, argc, &i, why, err);
            if (r < 0)
                return r;
        } else {
            why->paths[why->path_count++] = argv[i];
        }
    }
    if (why->message != NULL)
        why->paths[why->path_count++] = why->message;
    if (why->path_count == 0 && why->exit_code == VERDICT_NO_EXIT_CODE && !why->wants_help)
        return error_set(err, EINVAL, "why needs a FILE; \"kubectl goodput why --help\" shows how to name it");
    return 0;
}

/* ---- reading ---- */

struct tail {
    struct buf lines;
    int64_t first_line; /* the number of the first of them */
};

static int64_t count_lines(struct slice text) {
    int64_t count = 0;
    const char *at = text.data, *end = text.data + text.size_bytes;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        count++;
        at++;
    }
    return count;
}

/* Drops whole lines from the front until what is left, and what comes, fit. */
static void make_room(struct tail *tail, size_t more) {
    size_t size = tail->lines.size_bytes;
    if (size + more <= 2 * TAIL_BYTES)
        return;
    struct slice all = buf_slice(&tail->lines);
    size_t from = size + more - TAIL_BYTES < size ? size + more - TAIL_BYTES : size;
    const char *end = from < size ? memchr(all.data + from, '\n', size - from) : NULL;
    size_t dropped = end != NULL ? (size_t)(end + 1 - all.data) : size;
    tail->first_line += count_lines((struct slice){all.data, dropped});
    buf_consume(&tail->lines, dropped);
}

static bool is_text(struct slice bytes) {
    size_t foreign = 0, others = 0;
    for (size_t i = 0; i < bytes.size_bytes; i++) {
        unsigned char c = (unsigned char)bytes.data[i];
        bool is_control = (c < 0x20 && strchr("\t\n\r\x1b\b\f\a", c) == NULL) || c == 0x7f;
        foreign += is_control && c != '\0';
        others += !is_control;
    }
    return foreign * FOREIGN_SHARE <= others && (others > 0 || bytes.size_bytes == 0);
}

static int read_tail(const char *path, struct tail *tail, struct error **err) {
    struct analyze_input *in = analyze_input_open(path, err);
    if (in == NULL)
        return -EINVAL;
    struct slice lines;
    int r;
    while ((r = analyze_input_next(in, &lines, err)) > 0) {
        make_room(tail, lines.size_bytes);
        buf_append_slice(&tail->lines, lines);
        analyze_input_show_progress(in);
    }
    analyze_input_close(in);
    if (r == 0 && !is_text(buf_slice(&tail->lines)))
        return error_set(err, EINVAL, "%s: not a text file; why reads logs as containers print them",
                         analyze_name(path));
    return r;
}

static void on_record(void *is_step, const struct record *r) {
    *(bool *)is_step |= r->kind == RECORD_STEP_END || r->kind == RECORD_STEP_START;
}

static struct rootcause_log *read_log(const struct matcher *m, const struct tail *tail) {
    struct slice line, rest = buf_slice(&tail->lines);
    bool is_stamped = analyze_is_stamped(rest), is_step = false;
    struct rootcause_log *log = rootcause_log_new(m, is_stamped);
    struct steplog *steps = steplog_new(STEPLOG_AUTO, NULL, on_record, &is_step);
    for (int64_t number = tail->first_line; slice_take_line(&rest, &line); number++) {
        steplog_stored_line(steps, line, 0);
        if (is_step)
            rootcause_log_progress(log);
        is_step = false;
        rootcause_log_line(log, line, number);
    }
    rootcause_log_end(log);
    steplog_free(steps);
    return log;
}

/* ---- the answer ---- */

static void set_text(json_t *object, const char *key, const char *text) {
    if (text[0] != '\0')
        json_object_set_new(object, key, json_string(text));
}

/* Null where there is none, so that a reader finds each key in each answer. */
static void set_number(json_t *object, const char *key, int64_t number, bool is_known) {
    json_object_set_new(object, key, is_known ? json_integer(number) : json_null());
}

static const char *waits_for_of(const struct why *why, const struct rootcause_verdict *v) {
    return v->waits_for_log != VERDICT_NO_LOG ? analyze_name(why->paths[v->waits_for_log]) : v->waits_for;
}

static json_t *answer_of(const struct why *why, const struct rootcause_verdict *v) {
    const struct finding *f = &v->finding;
    bool has_log = v->log != VERDICT_NO_LOG, has_line = has_log && f->line > 0;
    json_t *json = json_pack("{s:s, s:s, s:s, s:b}", "class", rootcause_class_name(f->class_), "reason", f->reason,
                             "owner", rootcause_owner_name(f->owner), "symptomOnly", v->is_symptom_only);
    json_object_set_new(json, "firstFailing", has_log ? json_string(analyze_name(why->paths[v->log])) : json_null());
    set_number(json, "line", f->line, has_line);
    set_number(json, "rank", f->rank, has_line && f->rank != RANK_UNKNOWN);
    json_object_set_new(json, "text", f->text[0] != '\0' ? json_string(f->text) : json_null());
    set_text(json, "frame", f->frame);
    set_text(json, "waitsFor", waits_for_of(why, v));
    if (has_log)
        json_object_set_new(json, "followers", json_integer((json_int_t)v->followers));
    json_object_set_new(json, "basis", json_string(v->basis));
    return json;
}

static void draw(const struct why *why, const struct rootcause_verdict *v, const struct text_style *style,
                 struct buf *out) {
    const struct finding *f = &v->finding;
    text_color(out, style, COLOR_BOLD);
    buf_append_text(out, rootcause_class_name(f->class_));
    text_color(out, style, COLOR_NONE);
    if (f->reason[0] != '\0')
        buf_format(out, " (%s)", f->reason);
    buf_format(out, ", owner %s%s\n", rootcause_owner_name(f->owner),
               v->is_symptom_only ? ", a symptom: its cause is not in these logs" : "");
    if (v->log != VERDICT_NO_LOG) {
        buf_append_text(out, "  ");
        text_cell(out, analyze_name(why->paths[v->log]), 0, 0);
        if (f->line > 0)
            buf_format(out, ":%lld", (long long)f->line);
        if (f->rank != RANK_UNKNOWN)
            buf_format(out, ", rank %lld", (long long)f->rank);
        if (f->text[0] != '\0')
            buf_append_text(out, "\n  ");
        text_cell(out, f->text, style->columns > 4 ? style->columns - 2 : 0, 0);
        buf_append_char(out, '\n');
    }
    if (f->frame[0] != '\0') {
        buf_append_text(out, "  at ");
        text_cell(out, f->frame, 0, 0);
        buf_append_char(out, '\n');
    }
    if (waits_for_of(why, v)[0] != '\0') {
        buf_append_text(out, "  waits for ");
        text_cell(out, waits_for_of(why, v), 0, 0);
        buf_append_char(out, '\n');
    }
    text_wrap(out, style, 2, 0, v->basis);
}

static int print(const struct why *why, const struct rootcause_verdict *v, const struct text_style *style,
                 struct error **err) {
    if (why->output != NULL) {
        json_t *answer = answer_of(why, v);
        int r = print_as(why->output, answer, err);
        json_decref(answer);
        return r;
    }
    CLEANUP_BUF struct buf out;
    buf_init(&out, (size_t)1 << 20);
    draw(why, v, style, &out);
    return output_write(&out, err);
}

static int run(const struct why *why, const struct text_style *style, struct error **err) {
    struct matcher *matcher = matcher_new();
    CLEANUP_FREE struct rootcause_log **logs = mem_resize(NULL, why->path_count + 1, sizeof *logs);
    struct rootcause_verdict verdict;
    size_t count = 0;
    int r = 0;
    while (count < why->path_count && r == 0) {
        struct tail tail = {.first_line = 1};
        buf_init(&tail.lines, 2 * TAIL_BYTES + ANALYZE_MAX_LINE_BYTES);
        r = read_tail(why->paths[count], &tail, err);
        if (r == 0)
            logs[count++] = read_log(matcher, &tail);
        buf_done(&tail.lines);
    }
    if (r == 0) {
        rootcause_verdict(&verdict, matcher, logs, count, why->exit_code);
        r = print(why, &verdict, style, err);
    }
    while (count > 0)
        rootcause_log_free(logs[--count]);
    matcher_free(matcher);
    return r;
}

int why_command(int argc, char **argv, const struct text_style *style) {
    CLEANUP_ERROR struct error *err = NULL;
    CLEANUP_FREE const char **paths = mem_alloc((size_t)(argc + 1) * sizeof *paths);
    struct why why = {.paths = paths, .exit_code = VERDICT_NO_EXIT_CODE};
    int code = 0;
    if (parse(&why, argc, argv, &err) < 0)
        code = 2;
    else if (why.wants_help)
        print_help();
    else if (run(&why, style, &err) < 0)
        code = 1;
    if (code != 0)
        fprintf(stderr, "kubectl-goodput: %s\n", error_text(err));
    return code;
}
