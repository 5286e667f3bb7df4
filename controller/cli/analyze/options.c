#include "cli/analyze/options.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "kube/yamldoc.h"

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

static int set_time(int64_t *us, const char *option, const char *value, struct error **err) {
    if (take_time(slice_of(value), us))
        return 0;
    return error_set(err, EINVAL, "%s %s: not a time (RFC 3339, or Unix seconds)", option, value);
}

static int set_definition(struct analyze *a, const char *option, const char *value, struct error **err) {
    static const char *const names[] = {"ledger", "library", "both"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(value, names[i]) == 0) {
            a->definition = (enum analyze_definition)i;
            return 0;
        }
    return error_set(err, EINVAL, "%s %s: not one of ledger, library, both", option, value);
}

static int set_format(struct analyze *a, const char *option, const char *value, struct error **err) {
    int format = steplog_format_of_name(slice_of(value));
    if (format >= 0) {
        a->format = (enum steplog_format)format;
        return 0;
    }
    CLEANUP_BUF struct buf names;
    buf_init(&names, 1024);
    for (int i = 0; i < STEPLOG_FORMAT_COUNT; i++)
        buf_format(&names, "%s%s", i > 0 ? ", " : "", steplog_format_name((enum steplog_format)i));
    return error_set(err, EINVAL, "%s %s: unknown format; the formats are %s, and those of --format-file", option,
                     value, buf_text(&names));
}

static int set_regex(struct analyze *a, const char *option, const char *value, struct error **err) {
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
static int set_format_file(struct analyze *a, const char *option, const char *value, struct error **err) {
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

static int set_output(struct analyze *a, const char *option, const char *value, struct error **err) {
    if (strcmp(value, "table") != 0 && strcmp(value, "json") != 0 && strcmp(value, "yaml") != 0)
        return error_set(err, EINVAL, "%s %s: not one of table, json, yaml", option, value);
    a->output = value;
    return 0;
}

static int set_windows(struct analyze *a, const char *option, const char *value, struct error **err) {
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

static int set_ideal(struct analyze *a, const char *option, const char *value, struct error **err) {
    struct slice rest = slice_of(value);
    if (!slice_take_double(&rest, &a->ideal_s) || rest.size_bytes != 0 || !(a->ideal_s > 0 && a->ideal_s < 1e9))
        return error_set(err, EINVAL, "%s %s: write seconds, such as 2.4", option, value);
    return 0;
}

static int set_excluded(struct analyze *a, const char *option, const char *value, struct error **err) {
    struct slice rest = slice_of(value), from;
    struct library_span span;
    if (!slice_take_until(&rest, ',', &from) || !take_time(from, &span.from_us) || !take_time(rest, &span.to_us))
        return error_set(err, EINVAL, "%s %s: write two times, FROM,TO (RFC 3339, or Unix seconds)", option, value);
    if (a->excluded_count == ANALYZE_MAX_SPANS)
        return error_set(err, EINVAL, "%s: at most %d times", option, ANALYZE_MAX_SPANS);
    a->excluded[a->excluded_count++] = span;
    return 0;
}

static int set_at(struct analyze *a, const char *option, const char *value, struct error **err) {
    return set_time(&a->at_us, option, value, err);
}
static int set_from(struct analyze *a, const char *option, const char *value, struct error **err) {
    return set_time(&a->from_us, option, value, err);
}
static int set_to(struct analyze *a, const char *option, const char *value, struct error **err) {
    return set_time(&a->to_us, option, value, err);
}
static int set_html(struct analyze *a, const char *option, const char *value, struct error **err) {
    (void)option, (void)err;
    a->html = value;
    return 0;
}
static int set_deviation(struct analyze *a, const char *option, const char *value, struct error **err) {
    (void)option, (void)value, (void)err;
    a->wants_deviation = true;
    return 0;
}
static int set_elastic(struct analyze *a, const char *option, const char *value, struct error **err) {
    (void)option, (void)value, (void)err;
    a->is_elastic = true;
    return 0;
}
static int set_help(struct analyze *a, const char *option, const char *value, struct error **err) {
    (void)option, (void)value, (void)err;
    a->wants_help = true;
    return 0;
}

static int set_cloud_logging(struct analyze *a, const char *option, const char *value, struct error **err) {
    (void)option;
    a->cloud.log = value;
    return analyze_cloud_check(value, err);
}
static int set_google_credentials(struct analyze *a, const char *option, const char *value, struct error **err) {
    (void)option, (void)err;
    a->cloud.credentials = value;
    return 0;
}
static int set_cloud_endpoint(struct analyze *a, const char *option, const char *value, struct error **err) {
    (void)option, (void)err;
    a->cloud.endpoint = value;
    return 0;
}

static const struct {
    const char *name, *alias;
    bool takes_value;
    int (*set)(struct analyze *a, const char *option, const char *value, struct error **err);
} table[] = {
    {"--definition", NULL, true, set_definition},
    {"--format", NULL, true, set_format},
    {"--format-file", NULL, true, set_format_file},
    {"--regex", NULL, true, set_regex},
    {"--at", NULL, true, set_at},
    {"--from", NULL, true, set_from},
    {"--to", NULL, true, set_to},
    {"--window", NULL, true, set_windows},
    {"--ideal-step", NULL, true, set_ideal},
    {"--exclude", NULL, true, set_excluded},
    {"--step-deviation", NULL, false, set_deviation},
    {"--elastic", NULL, false, set_elastic},
    {"--html", NULL, true, set_html},
    {"--cloud-logging", NULL, true, set_cloud_logging},
    {"--google-credentials", NULL, true, set_google_credentials},
    {"--cloud-logging-endpoint", NULL, true, set_cloud_endpoint},
    {"--output", "-o", true, set_output},
    {"--help", "-h", false, set_help},
};

static int take_option(struct analyze *a, char **argv, int argc, int *i, struct error **err) {
    const char *argument = argv[*i], *value = NULL;
    for (size_t k = 0; k < ARRAY_SIZE(table); k++) {
        size_t size = strlen(table[k].name);
        bool is_long = strncmp(argument, table[k].name, size) == 0 && strchr("=", argument[size]) != NULL;
        bool is_short = table[k].alias != NULL && strncmp(argument, table[k].alias, 2) == 0;
        if (!is_long && !is_short)
            continue;
        if (is_long && argument[size] == '=')
            value = argument + size + 1;
        else if (is_short && argument[2] != '\0')
            value = argument + 2 + (argument[2] == '=');
        if (value != NULL && !table[k].takes_value)
            return error_set(err, EINVAL, "%s takes no value", table[k].name);
        if (value == NULL && table[k].takes_value && ++*i == argc)
            return error_set(err, EINVAL, "%s needs a value", table[k].name);
        return table[k].set(a, table[k].name, value || !table[k].takes_value ? value : argv[*i], err);
    }
    return error_set(err, EINVAL, "unknown option \"%s\"; \"kubectl goodput analyze --help\" lists them", argument);
}

static int check(const struct analyze *a, struct error **err) {
    if (a->cloud.log != NULL && a->path_count > 0)
        return error_set(err, EINVAL, "--cloud-logging is read instead of files: leave out %s", a->paths[0]);
    if (a->cloud.log == NULL && (a->cloud.credentials != NULL || a->cloud.endpoint != NULL))
        return error_set(err, EINVAL, "--google-credentials and --cloud-logging-endpoint need --cloud-logging");
    if (a->path_count == 0 && a->cloud.log == NULL)
        return error_set(err, EINVAL, "analyze needs the FILE of a step log (- is standard input)");
    if (a->to_us != ANALYZE_NO_TIME && a->from_us == ANALYZE_NO_TIME)
        return error_set(err, EINVAL, "--to needs --from");
    if (a->user != NULL && (a->format != STEPLOG_REGEX || a->patterns.step != NULL))
        return error_set(err, EINVAL, "--format-file replaces --format and --regex: leave them out");
    if (a->format == STEPLOG_REGEX && a->patterns.step == NULL && a->user == NULL)
        return error_set(err, EINVAL, "format Regex needs --regex 'step=PATTERN' with a group (?<step>...)");
    if (a->format != STEPLOG_REGEX && a->patterns.step != NULL)
        return error_set(err, EINVAL, "--regex needs --format Regex");
    if (a->definition != ANALYZE_LIBRARY && a->to_us != ANALYZE_NO_TIME && a->to_us <= a->from_us)
        return error_set(err, EINVAL, "--to is not after --from");
    if (a->definition == ANALYZE_LIBRARY && a->html != NULL)
        return error_set(err, EINVAL, "--html needs the ledger's numbers: leave out --definition library");
    return 0;
}

static void add_path(struct analyze *a, const char *path) {
    MEM_GROW(a->paths, a->path_count, a->path_capacity);
    a->paths[a->path_count++] = mem_strdup(path);
}

static int by_version(const void *a, const void *b) {
    return strverscmp(*(char *const *)a, *(char *const *)b);
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
        int r = take_option(a, argv, argc, &i, err);
        if (r < 0)
            return r;
    }
    int r = a->wants_help ? 0 : check(a, err);
    if (r == 0 && a->cloud.log != NULL)
        add_path(a, a->cloud.log);
    return r;
}

void analyze_done(struct analyze *a) {
    userformat_free(a->user);
    a->user = NULL;
    for (size_t i = 0; i < a->path_count; i++)
        free(a->paths[i]);
    free(a->paths);
    *a = (struct analyze){0};
}
