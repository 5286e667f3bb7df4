#include "cli/analyze/options.h"

#include "base/mem.h"
#include "base/portable.h"
#include "base/rfc3339.h"
#include "base/yamldoc.h"
#include "cli/arguments.h"
#include "steplog/shipped.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Parses RFC 3339 or Unix seconds. */
static bool take_time(struct slice text, int64_t *us) {
    int64_t ns;
    struct slice rest = text;
    if (rfc3339_take(&rest, &ns, NULL) && rest.size_bytes == 0) {
        *us = ns / 1000 - (ns % 1000 < 0);
        return true;
    }
    double seconds;
    if (!slice_take_double(&text, &seconds) || text.size_bytes != 0 || !(fabs(seconds) < 2e11))
        return false;
    *us = library_microseconds(seconds);
    return true;
}

static int set_time(void *us, const char *option, const char *value, struct error **err) {
    if (take_time(slice_of(value), us))
        return 0;
    return error_set(err, EINVAL, "%s %s: not a time (RFC 3339, or Unix seconds)", option, value);
}

static int set_definition(void *definition, const char *option, const char *value, struct error **err) {
    static const char *const names[] = {"ledger", "library", "both"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(value, names[i]) == 0) {
            *(enum analyze_definition *)definition = (enum analyze_definition)i;
            return 0;
        }
    return error_set(err, EINVAL, "%s %s: not one of ledger, library, both", option, value);
}

static int set_format(void *analyze, const char *option, const char *value, struct error **err) {
    struct analyze *a = analyze;
    int format = steplog_format_of_name(slice_of(value));
    const struct shipped *shipped = shipped_find(slice_of(value));
    if (format >= 0 || shipped != NULL) {
        a->format = shipped != NULL ? STEPLOG_REGEX : (enum steplog_format)format;
        a->shipped = shipped != NULL ? shipped->format : NULL;
        return 0;
    }
    CLEANUP_BUF struct buf names;
    buf_init(&names, 1024);
    for (int i = 0; i < STEPLOG_FORMAT_COUNT; i++)
        buf_format(&names, "%s%s", i > 0 ? ", " : "", steplog_format_name((enum steplog_format)i));
    return error_set(err, EINVAL,
                     "%s %s: unknown format; the formats are %s, those of --format-file, and in lower "
                     "case those that kubectl goodput formats lists",
                     option, value, buf_text(&names));
}

static int set_regex(void *analyze, const char *option, const char *value, struct error **err) {
    struct analyze *a = analyze;
    const struct {
        const char *name, **pattern;
    } known[] = {{"step=", &a->patterns.step},
                 {"checkpointStart=", &a->patterns.checkpoint_start},
                 {"checkpointSaved=", &a->patterns.checkpoint_saved},
                 {"checkpointRestored=", &a->patterns.checkpoint_restored}};
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (strncmp(value, known[i].name, strlen(known[i].name)) == 0) {
            *known[i].pattern = value + strlen(known[i].name);
            a->format = STEPLOG_REGEX;
            return 0;
        }
    return error_set(err, EINVAL,
                     "%s %s: write NAME=PATTERN, with NAME one of step, checkpointStart, checkpointSaved, "
                     "checkpointRestored",
                     option, value);
}

/* Reads the spec of a StepLogFormat from a YAML file, as JSON. */
static int read_format(const char *option, const char *path, struct buf *json, struct error **err) {
    struct yamldoc doc;
    yaml_node_t *spec = NULL;
    int r = yamldoc_load(&doc, option, path, err);
    if (r >= 0)
        r = yamldoc_map(&doc, yamldoc_root(&doc), "spec", &spec, err);
    if (r >= 0 && spec != NULL && yamldoc_json(&doc, spec, json) < 0)
        r = error_set(err, EINVAL, "%s %s: the spec is too large or too deep", option, path);
    yamldoc_done(&doc);
    return r;
}

/* Reads a StepLogFormat as for kubectl apply; tries its examples, as the controller does. */
static int set_format_file(void *analyze, const char *option, const char *value, struct error **err) {
    struct analyze *a = analyze;
    CLEANUP_BUF struct buf json;
    buf_init(&json, 1 << 20);
    if (read_format(option, value, &json, err) < 0)
        return -EINVAL;
    userformat_free(a->user);
    a->user = userformat_parse(buf_slice(&json), err);
    if (a->user == NULL || userformat_check(a->user, err) < 0)
        return error_wrap(err, EINVAL, "%s %s", option, value);
    a->format = STEPLOG_REGEX;
    return 0;
}

static int set_output(void *output, const char *option, const char *value, struct error **err) {
    if (strcmp(value, "table") != 0 && strcmp(value, "json") != 0 && strcmp(value, "yaml") != 0 &&
        strcmp(value, "jsonl") != 0)
        return error_set(err, EINVAL, "%s %s: not one of table, json, yaml, jsonl", option, value);
    *(const char **)output = value;
    return 0;
}

static int set_windows(void *analyze, const char *option, const char *value, struct error **err) {
    struct analyze *a = analyze;
    struct slice rest = slice_of(value);
    do {
        int64_t seconds;
        if (!slice_take_uint(&rest, &seconds) || seconds == 0 || seconds > (int64_t)1000000000)
            return error_set(err, EINVAL, "%s %s: write whole seconds, such as 3600,43200", option, value);
        if (a->window_count == LEDGER_MAX_WINDOWS)
            return error_set(err, EINVAL, "%s: at most %d windows", option, LEDGER_MAX_WINDOWS);
        a->windows_s[a->window_count++] = seconds;
    } while (slice_take_char(&rest, ','));
    if (rest.size_bytes != 0)
        return error_set(err, EINVAL, "%s %s: write whole seconds, such as 3600,43200", option, value);
    return 0;
}

static int set_ideal(void *seconds, const char *option, const char *value, struct error **err) {
    struct slice rest = slice_of(value);
    double *ideal_s = seconds;
    if (!slice_take_double(&rest, ideal_s) || rest.size_bytes != 0 || !(*ideal_s > 0 && *ideal_s < 1e9))
        return error_set(err, EINVAL, "%s %s: write seconds, such as 2.4", option, value);
    return 0;
}

static int set_excluded(void *analyze, const char *option, const char *value, struct error **err) {
    struct analyze *a = analyze;
    struct slice rest = slice_of(value), from;
    struct library_span span;
    if (!slice_take_until(&rest, ',', &from) || !take_time(from, &span.from_us) || !take_time(rest, &span.to_us))
        return error_set(err, EINVAL, "%s %s: write two times, FROM,TO (RFC 3339, or Unix seconds)", option, value);
    if (a->excluded_count == ANALYZE_MAX_SPANS)
        return error_set(err, EINVAL, "%s: at most %d times", option, ANALYZE_MAX_SPANS);
    a->excluded[a->excluded_count++] = span;
    return 0;
}

#define AT(field) offsetof(struct analyze, field)
static const struct argument_row table[] = {
    {NULL, "--definition", AT(definition), true, set_definition, NULL, NULL},
    {NULL, "--format", 0, true, set_format, NULL, NULL},
    {NULL, "--format-file", 0, true, set_format_file, NULL, NULL},
    {NULL, "--regex", 0, true, set_regex, NULL, NULL},
    {NULL, "--at", AT(at_us), true, set_time, NULL, NULL},
    {NULL, "--from", AT(from_us), true, set_time, NULL, NULL},
    {NULL, "--to", AT(to_us), true, set_time, NULL, NULL},
    {NULL, "--window", 0, true, set_windows, NULL, NULL},
    {NULL, "--ideal-step", AT(ideal_s), true, set_ideal, NULL, NULL},
    {NULL, "--exclude", 0, true, set_excluded, NULL, NULL},
    {NULL, "--step-deviation", AT(wants_deviation), false, NULL, NULL, NULL},
    {NULL, "--elastic", AT(is_elastic), false, NULL, NULL, NULL},
    {NULL, "--html", AT(html), true, NULL, NULL, NULL},
    {"-o", "--output", AT(output), true, set_output, NULL, NULL},
    {"-h", "--help", AT(wants_help), false, NULL, NULL, NULL},
};

static void ignore(void *context, const struct record *r) {
    (void)context;
    (void)r;
}

/* Wrong patterns are wrong usage, whatever the files hold. */
static int check_patterns(const struct steplog_patterns *patterns, struct error **err) {
    struct steplog *s = steplog_new_regex(patterns, ignore, NULL, err);
    int r = s != NULL ? 0 : -EINVAL;
    steplog_free(s);
    return r < 0 ? error_wrap(err, EINVAL, "--regex") : 0;
}

static int check(const struct analyze *a, struct error **err) {
    if (a->path_count == 0)
        return error_set(err, EINVAL, "analyze needs the FILE of a step log (- is standard input)");
    if (a->to_us != ANALYZE_NO_TIME && a->from_us == ANALYZE_NO_TIME)
        return error_set(err, EINVAL, "--to needs --from");
    if (a->user != NULL && (a->format != STEPLOG_REGEX || a->shipped != NULL || a->patterns.step != NULL))
        return error_set(err, EINVAL, "--format-file replaces --format and --regex: leave them out");
    if (a->format == STEPLOG_REGEX && a->patterns.step == NULL && a->user == NULL && a->shipped == NULL)
        return error_set(err, EINVAL, "format Regex needs --regex 'step=PATTERN' with a group (?<step>...)");
    if ((a->format != STEPLOG_REGEX || a->shipped != NULL) && a->patterns.step != NULL)
        return error_set(err, EINVAL, "--regex needs --format Regex");
    if (a->definition != ANALYZE_LIBRARY && a->to_us != ANALYZE_NO_TIME && a->to_us <= a->from_us)
        return error_set(err, EINVAL, "--to is not after --from");
    if (a->definition == ANALYZE_LIBRARY && a->html != NULL)
        return error_set(err, EINVAL, "--html needs the ledger's numbers: leave out --definition library");
    if (a->definition != ANALYZE_LEDGER && strcmp(a->output, "jsonl") == 0)
        return error_set(err, EINVAL, "-o jsonl is the ledger: leave out --definition");
    return a->patterns.step != NULL ? check_patterns(&a->patterns, err) : 0;
}

static void add_path(struct analyze *a, const char *path) {
    MEM_GROW(a->paths, a->path_count, a->path_capacity);
    a->paths[a->path_count++] = mem_strdup(path);
}

static int by_version(const void *a, const void *b) {
    return portable_compare_natural(*(char *const *)a, *(char *const *)b);
}

/* Expands a pattern that the shell did not. One that matches nothing stays, and is refused as a missing file. */
static void add_paths(struct analyze *a, const char *argument) {
    glob_t found;
    if (strpbrk(argument, "*?[") == NULL || access(argument, F_OK) == 0 || glob(argument, 0, NULL, &found) != 0) {
        add_path(a, argument);
        return;
    }
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_version);
    for (size_t i = 0; i < found.gl_pathc; i++)
        add_path(a, found.gl_pathv[i]);
    globfree(&found);
}

int analyze_parse(struct analyze *a, int argc, char **argv, struct error **err) {
    *a = (struct analyze){.output = "table",
                          .at_us = ANALYZE_NO_TIME,
                          .from_us = ANALYZE_NO_TIME,
                          .to_us = ANALYZE_NO_TIME,
                          .ideal_s = NAN};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            add_paths(a, argv[i]);
            continue;
        }
        int r = arguments_take(table, ARRAY_SIZE(table), "analyze --help", argv, argc, &i, a, err);
        if (r < 0)
            return r;
    }
    return a->wants_help ? 0 : check(a, err);
}

void analyze_done(struct analyze *a) {
    userformat_free(a->user);
    a->user = NULL;
    for (size_t i = 0; i < a->path_count; i++)
        free(a->paths[i]);
    free(a->paths);
    *a = (struct analyze){0};
}
