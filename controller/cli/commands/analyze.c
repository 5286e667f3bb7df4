#include "cli/commands/analyze.h"

#include "base/mem.h"
#include "cli/analyze/arrange.h"
#include "cli/analyze/compare.h"
#include "cli/analyze/input.h"
#include "cli/analyze/ledger.h"
#include "cli/analyze/library.h"
#include "cli/analyze/options.h"
#include "cli/analyze/order.h"
#include "cli/analyze/table.h"
#include "cli/analyze/unread.h"
#include "cli/render/output.h"
#include "cli/render/report.h"
#include "cli/render/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void print_help(void) {
    fputs(
        "kubectl goodput analyze FILE... : where the time went, from the step logs of one job's attempts in time "
        "order\n\n"
        "  --definition ledger|library|both   our ledger (the default), or ml-goodput-measurement 0.2.3\n"
        "  --format FORMAT                    Auto (the default), Recorder, MaxText, ...; the library reads Recorder\n"
        "  --regex NAME=PATTERN               for --format Regex; NAME is step (with a group (?<step>...)), "
        "checkpointStart,\n"
        "                                     checkpointSaved, checkpointRestored\n"
        "  --format-file FILE                 a StepLogFormat (YAML), whose examples are tried before the log is read\n"
        "  --at TIME                          up to here; default: the largest time in the log\n"
        "  --window SECONDS,...               rolling windows that end there\n"
        "  --html FILE                        also writes the charts, as one self-contained file (- is standard "
        "output)\n"
        "  --ideal-step SECONDS               default: learned from the log\n"
        "  --step-deviation                   the steps' deviation from the ideal one\n"
        "  --elastic                          the library counts elastic records too; our ledger always does\n"
        "  --from TIME [--to TIME]            also shows an interval\n"
        "  --exclude FROM,TO                  time that does not count\n"
        "  -o table|json|yaml|jsonl           jsonl: the ledger, a line for each span of time\n\n"
        "TIME is RFC 3339 or Unix seconds; FILE may be compressed with gzip; - is standard input; a\n"
        "quoted pattern such as 'logs/*.gz' stands for the files that it finds. Several files are sorted by their "
        "first time\n",
        stdout);
}

static int read_back(const struct buf *json, json_t **value, struct error **err) {
    json_error_t why;
    *value = json->size_bytes ? json_loadb(json->data, json->size_bytes, JSON_DECODE_ANY, &why) : NULL;
    return *value != NULL || json->size_bytes == 0
               ? 0
               : error_set(err, EINVAL, "cannot parse the library's answer: %s", why.text);
}

static int draw(const struct analyze *a, const struct buf *ledger, const struct buf *library, struct buf *out,
                struct error **err) {
    json_t *ours = NULL, *theirs = NULL;
    int r = read_back(ledger, &ours, err);
    if (r == 0)
        r = read_back(library, &theirs, err);
    if (r == 0 && ours != NULL)
        analyze_ledger_draw(a, ours, out);
    if (r == 0 && ours != NULL && theirs != NULL)
        buf_append_char(out, '\n');
    if (r == 0 && theirs != NULL)
        analyze_library_draw(theirs, &a->style, out);
    if (r == 0 && ours != NULL && theirs != NULL) {
        json_t *differences = analyze_compare(ours, theirs);
        buf_append_char(out, '\n');
        analyze_compare_draw(differences, &a->style, out);
        json_decref(differences);
    }
    json_decref(ours);
    json_decref(theirs);
    return r;
}

/* Joins the texts: a double that is read and written again might change its digits. */
static int join(const struct buf *ledger, const struct buf *library, struct buf *out, struct error **err) {
    json_t *ours = NULL, *theirs = NULL, *differences = NULL;
    int r = read_back(ledger, &ours, err);
    if (r == 0)
        r = read_back(library, &theirs, err);
    if (r == 0)
        differences = analyze_compare(ours, theirs);
    CLEANUP_FREE char *text = differences ? json_dumps(differences, JSON_REAL_PRECISION(12)) : NULL;
    buf_append_text(out, "{\"ledger\": ");
    buf_append_slice(out, buf_slice(ledger));
    buf_append_text(out, ", \"library\": ");
    buf_append_slice(out, buf_slice(library));
    buf_append_text(out, ", \"differences\": ");
    buf_append_text(out, text ? text : "[]");
    buf_append_char(out, '}');
    json_decref(ours);
    json_decref(theirs);
    json_decref(differences);
    return r;
}

static int print(const struct analyze *a, const struct buf *ledger, const struct buf *library, struct error **err) {
    CLEANUP_BUF struct buf out;
    int r = 0;
    buf_init(&out, (size_t)1 << 30);
    if (strcmp(a->output, "table") == 0)
        r = draw(a, ledger, library, &out, err);
    else if (a->definition == ANALYZE_BOTH)
        r = join(ledger, library, &out, err);
    else
        buf_append_slice(&out, buf_slice(a->definition == ANALYZE_LEDGER ? ledger : library));
    if (r == 0 && strcmp(a->output, "yaml") == 0) {
        json_t *value = NULL;
        r = read_back(&out, &value, err);
        buf_clear(&out);
        if (r == 0)
            yaml_write(&out, value);
        json_decref(value);
    } else if (strcmp(a->output, "json") == 0) {
        buf_append_char(&out, '\n');
    }
    return r < 0 ? r : output_write(&out, err);
}

/* The readers of a file's lines; either may be missing. */
struct readers {
    struct analyze_ledger *ledger;
    struct library_log *library;
};

/* A long log is not read in silence when nothing comes of it. */
static void note_no_step(const struct readers *to, const char *path, size_t before, size_t bytes) {
    const size_t early = (size_t)64 << 20;
    if (before < early && bytes >= early && to->ledger != NULL && analyze_ledger_unread(to->ledger)->steps_taken == 0)
        analyze_note(path,
                     "no step in the first 64 MiB (%lld lines); reads the rest, Ctrl-C stops; --regex reads lines of "
                     "another form",
                     (long long)analyze_ledger_lines(to->ledger));
}

static int feed(const struct analyze *a, struct readers *to, struct analyze_input *in, const char *path,
                struct error **err) {
    struct slice lines;
    int r;
    bool has_cut = a->is_trial;
    size_t bytes = 0;
    struct analyze_arrange *arrange = analyze_arrange_new(a, in, path);
    while ((r = analyze_arrange_next(arrange, &lines, err)) > 0) {
        if (to->ledger)
            analyze_ledger_feed(to->ledger, lines);
        if (to->library)
            library_log_read(to->library, lines);
        if (analyze_input_has_cut(in) && !has_cut) {
            has_cut = true;
            analyze_note(path, "line %lld is longer than %zu bytes; the rest of it is not read",
                         (long long)(to->library ? to->library->lines : analyze_ledger_lines(to->ledger)),
                         ANALYZE_MAX_LINE_BYTES);
        }
        bytes += lines.size_bytes;
        if (!a->is_trial)
            note_no_step(to, path, bytes - lines.size_bytes, bytes);
        analyze_input_show_progress(in);
    }
    analyze_arrange_free(arrange);
    return r;
}

static int read_file(const struct analyze *a, struct readers *to, const char *path, struct error **err) {
    struct analyze_input *in = analyze_input_open(path, err);
    if (in == NULL)
        return -EINVAL;
    int r = to->ledger ? analyze_ledger_begin(to->ledger, path, err) : 0;
    if (to->library)
        to->library->lines = to->library->refused = 0;
    if (r == 0)
        r = feed(a, to, in, path, err);
    analyze_input_close(in);
    if (to->ledger && r == 0)
        analyze_ledger_end_file(to->ledger);
    if (to->library && to->library->refused > 0)
        analyze_note(path, "line %lld is left out: %s%s", (long long)to->library->refused_line,
                     to->library->refused_why, to->library->refused > 1 ? "; so are others like it" : "");
    return r;
}

static int write_report(const struct analyze *a, const struct analyze_ledger *l, struct slice status,
                        struct error **err) {
    CLEANUP_BUF struct buf trace;
    buf_init(&trace, (size_t)1 << 20);
    analyze_ledger_trace(l, &trace);
    CLEANUP_FREE char *name = a->path_count == 1
                                  ? mem_strdup(analyze_name(a->paths[0]))
                                  : mem_format("%s and %zu more", analyze_name(a->paths[0]), a->path_count - 1);
    return report_write_status(a->html, name, status, buf_slice(&trace), err);
}

static bool can_be_read_again(const struct analyze *a) {
    struct stat about;
    for (size_t i = 0; i < a->path_count; i++)
        if (stat(a->paths[i], &about) != 0 || !S_ISREG(about.st_mode))
            return false;
    return true;
}

static int read_files(const struct analyze *a, struct readers *to, struct error **err) {
    int r = 0;
    for (size_t i = 0; i < a->path_count && r == 0; i++)
        r = read_file(a, to, a->paths[i], err);
    if (to->ledger && r == 0)
        analyze_ledger_end(to->ledger);
    return r;
}

/* The ledger once more, where the end of the lines shows what their clock did before. */
static int read_again(const struct analyze *a, struct analyze_ledger **ledger, struct error **err) {
    struct analyze quiet = *a;
    quiet.is_trial = true;
    struct readers to = {.ledger = analyze_ledger_again(a, *ledger)};
    if (to.ledger == NULL)
        return 0;
    int r = read_files(&quiet, &to, err);
    analyze_ledger_free(*ledger);
    *ledger = to.ledger;
    return r;
}

/* Reads the files again by the pattern, for its numbers. A pattern that reads no step is dropped. */
static void try_pattern(const struct analyze *a, struct analyze_trial *trial) {
    struct analyze again = *a;
    CLEANUP_BUF struct buf json;
    CLEANUP_ERROR struct error *err = NULL;
    again.format = STEPLOG_REGEX;
    again.patterns = (struct steplog_patterns){.step = trial->pattern};
    again.user = NULL;
    again.html = NULL;
    again.is_trial = true;
    struct readers to = {.ledger = analyze_ledger_new(&again)};
    buf_init(&json, (size_t)16 << 20);
    int r = read_files(&again, &to, &err);
    if (r == 0)
        r = analyze_ledger_conclude(to.ledger, &json, NULL, &err);
    if (r == 0)
        trial->status = json_loadb(json.data, json.size_bytes, 0, NULL);
    else
        snprintf(trial->why, sizeof trial->why, "It gives no numbers: %s", error_text(err));
    if (analyze_ledger_unread(to.ledger)->steps == 0)
        trial->pattern[0] = '\0';
    analyze_ledger_free(to.ledger);
}

/* What can be said without a ledger, in the format asked for. A pattern is shown only if it reads steps. */
static int explain(const struct analyze *a, const struct analyze_unread *unread, const char *error,
                   struct error **err) {
    struct analyze_trial trial = {.why = "Its numbers need a file: this input can be read only once."};
    CLEANUP_BUF struct buf json;
    CLEANUP_BUF struct buf out;
    json_t *answer = NULL;
    buf_init(&json, (size_t)1 << 20);
    buf_init(&out, (size_t)4 << 20);
    if (unread->steps == 0 && step_samples_suggest(&unread->explained, trial.pattern) && can_be_read_again(a))
        try_pattern(a, &trial);
    analyze_unread_write(unread, error, &trial, &json);
    int r = read_back(&json, &answer, err);
    if (r == 0 && strcmp(a->output, "yaml") == 0)
        yaml_write(&out, answer);
    else if (r == 0 && strncmp(a->output, "json", 4) == 0) /* jsonl, too */
        buf_format(&out, "%s\n", buf_text(&json));
    else if (r == 0)
        analyze_unread_draw(a, answer, &out);
    json_decref(trial.status);
    json_decref(answer);
    return r < 0 ? r : output_write(&out, err);
}

static int conclude(struct analyze *a, struct readers *from, struct error **err) {
    CLEANUP_BUF struct buf ledger;
    CLEANUP_BUF struct buf library;
    buf_init(&ledger, (size_t)16 << 20);
    buf_init(&library, (size_t)1 << 30);
    CLEANUP_BUF struct buf records;
    buf_init(&records, (size_t)1 << 30);
    bool is_of_spans = strcmp(a->output, "jsonl") == 0;
    int r = from->ledger ? analyze_ledger_conclude(from->ledger, &ledger, is_of_spans ? &records : NULL, err) : 0;
    bool is_stdout_taken = a->html != NULL && strcmp(a->html, "-") == 0; /* standard output holds the report */
    if (r == -ENODATA && !is_stdout_taken) {
        CLEANUP_ERROR struct error *trouble = NULL;
        if (explain(a, analyze_ledger_unread(from->ledger), error_text(*err), &trouble) < 0)
            analyze_note(a->paths[0], "%s", error_text(trouble));
    }
    a->recognized = from->ledger ? analyze_ledger_format(from->ledger) : steplog_format_name(STEPLOG_RECORDER);
    if (r == 0 && from->library && from->library->job_name == NULL && from->ledger)
        buf_append_text(&library, "null"); /* a log of another trainer: only our ledger */
    else if (r == 0 && from->library)
        r = analyze_library(a, from->library, &library, err);
    if (r == 0 && a->html != NULL)
        r = write_report(a, from->ledger, buf_slice(&ledger), err);
    if (r < 0 || is_stdout_taken)
        return r;
    return is_of_spans ? output_write(&records, err) : print(a, &ledger, &library, err);
}

static int run(struct analyze *a, struct error **err) {
    struct library_log log;
    library_log_init(&log);
    struct readers to = {.ledger = a->definition == ANALYZE_LIBRARY ? NULL : analyze_ledger_new(a),
                         .library = a->definition == ANALYZE_LEDGER ? NULL : &log};
    int r = analyze_order(a, err);
    if (to.ledger != NULL && can_be_read_again(a))
        analyze_ledger_offer_again(to.ledger);
    if (r == 0)
        r = read_files(a, &to, err);
    if (r == 0 && to.ledger != NULL)
        r = read_again(a, &to.ledger, err);
    if (r == 0)
        r = conclude(a, &to, err);
    analyze_ledger_free(to.ledger);
    library_log_done(&log);
    return r;
}

int analyze_lines(const char *path, size_t max_steps, struct buf *lines, struct buf *trace, struct error **err) {
    struct analyze a;
    CLEANUP_BUF struct buf status;
    buf_init(&status, (size_t)16 << 20);
    char *argv[] = {(char *)"analyze", (char *)path, (char *)"-o", (char *)"jsonl"};
    int r = analyze_parse(&a, (int)ARRAY_SIZE(argv), argv, err);
    if (r < 0) {
        analyze_done(&a);
        return r;
    }
    a.trace_points = max_steps;
    struct readers to = {.ledger = analyze_ledger_new(&a)};
    r = analyze_order(&a, err);
    if (can_be_read_again(&a))
        analyze_ledger_offer_again(to.ledger);
    if (r == 0)
        r = read_files(&a, &to, err);
    if (r == 0)
        r = read_again(&a, &to.ledger, err);
    if (r == 0)
        r = analyze_ledger_conclude(to.ledger, &status, lines, err);
    if (r == 0)
        analyze_ledger_trace(to.ledger, trace);
    analyze_ledger_free(to.ledger);
    analyze_done(&a);
    return r;
}

int analyze_command(int argc, char **argv, const struct text_style *style) {
    struct analyze a;
    CLEANUP_ERROR struct error *err = NULL;
    int code = 0;
    if (analyze_parse(&a, argc, argv, &err) < 0) {
        code = 2;
    } else if (a.wants_help) {
        print_help();
    } else {
        a.style = *style;
        code = run(&a, &err) < 0 ? 1 : 0;
    }
    if (code != 0)
        fprintf(stderr, "kubectl-goodput: %s\n", error_text(err));
    analyze_done(&a);
    return code;
}
