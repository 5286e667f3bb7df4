/* top: the jobs that lose the most chip-hours first, a line each, and the sum over all. */
#include "cli/commands/top.h"

#include "base/mem.h"
#include "cli/commands/cluster.h"
#include "cli/commands/fetch.h"
#include "cli/commands/watch.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/print.h"
#include "cli/render/sort.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct column {
    const char *title, *path;
    bool is_number, is_wide, shrinks;
    const char *upper_path; /* path of the upper bound, if there is one */
};

static const struct column columns[] = {
    {"NAMESPACE", "metadata.namespace", false, false, true, NULL},
    {"NAME", "metadata.name", false, false, true, NULL},
    {"PHASE", "status.phase", false, false, false, NULL},
    {"SCHED", "status.goodput.scheduling", true, false, false, "status.goodput.schedulingUpperBound"},
    {"RUNTIME", "status.goodput.runtime", true, false, false, NULL},
    {"GOODPUT", "status.goodput.job", true, false, false, "status.goodput.jobUpperBound"},
    {"TOP-BADPUT", "status.topBadput", false, false, true, NULL},
    {"INT", "status.interruptions.total", true, false, false, NULL},
    {"STEP", "status.steps.last", true, false, false, NULL},
    {"LOST-CHIP-H", "status.acceleratorHours.lost", true, true, false, NULL},
    {"CHIPS", "status.target.chips", true, true, false, NULL},
    {"QUEUE", "status.target.queue", false, true, false, NULL},
    {"WAITING-FOR", "status.availability.message", false, true, false, NULL},
};

/* A score with an upper bound is a range, "57.91% to 92.20%"; without room for it "57.9%+". */
static void range_text(const char *lower, const char *upper, bool shows_ranges, char *out, size_t out_size) {
    if (shows_ranges)
        snprintf(out, out_size, "%s to %s", lower, upper);
    else
        snprintf(out, out_size, "%.*s%%+", (int)strcspn(lower, ".") + 2, lower);
}

static void cell_text(const json_t *job, const struct column *column, bool shows_ranges, char *out, size_t out_size) {
    const json_t *value = pick(job, column->path);
    const char *upper = column->upper_path ? pick_text(job, column->upper_path) : "";
    if (json_is_integer(value))
        snprintf(out, out_size, "%lld", (long long)json_integer_value(value));
    else if (json_is_string(value) && *upper)
        range_text(json_string_value(value), upper, shows_ranges, out, out_size);
    else
        slice_copy(out, out_size, slice_of(json_is_string(value) ? json_string_value(value) : "-"));
    if (out[0] == '\0')
        slice_copy(out, out_size, SLICE("-"));
}

static int by_loss(const void *a, const void *b) {
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    int64_t lost_x = pick_thousandths(x, "status.acceleratorHours.lost");
    int64_t lost_y = pick_thousandths(y, "status.acceleratorHours.lost");
    if (lost_x != lost_y)
        return lost_x < lost_y ? 1 : -1;
    int r = strcmp(pick_text(x, "metadata.namespace"), pick_text(y, "metadata.namespace"));
    return r ? r : strcmp(pick_text(x, "metadata.name"), pick_text(y, "metadata.name"));
}

struct table {
    bool is_shown[ARRAY_SIZE(columns)];
    int widths[ARRAY_SIZE(columns)];
    bool shows_ranges; /* shows both ends of a score, if the terminal is wide enough */
};

/* Makes columns as wide as their widest cell. Returns the width of a line. */
static int measure_columns(struct table *t, json_t *const *jobs, size_t count) {
    int sum = 0;
    for (size_t c = 0; c < ARRAY_SIZE(columns); c++) {
        if (!t->is_shown[c])
            continue;
        t->widths[c] = text_width(columns[c].title);
        for (size_t i = 0; i < count; i++) {
            char text[1200];
            cell_text(jobs[i], &columns[c], t->shows_ranges, text, sizeof text);
            if (text_width(text) > t->widths[c])
                t->widths[c] = text_width(text);
        }
        sum += t->widths[c] + 2;
    }
    return sum - 2;
}

/* If the terminal is too narrow, drops the ranges first, then cuts names. */
static void measure(struct table *t, json_t *const *jobs, size_t count, const struct text_style *style) {
    t->shows_ranges = true;
    int sum = measure_columns(t, jobs, count);
    if (style->columns > 0 && sum > style->columns) {
        t->shows_ranges = false;
        sum = measure_columns(t, jobs, count);
    }
    for (bool is_cut = true; is_cut && style->columns > 0 && sum > style->columns;) {
        size_t widest = ARRAY_SIZE(columns);
        for (size_t c = 0; c < ARRAY_SIZE(columns); c++)
            if (t->is_shown[c] && columns[c].shrinks && t->widths[c] > 10 &&
                (widest == ARRAY_SIZE(columns) || t->widths[c] > t->widths[widest]))
                widest = c;
        is_cut = widest < ARRAY_SIZE(columns);
        if (is_cut) {
            t->widths[widest]--;
            sum--;
        }
    }
}

static void draw_line(const struct table *t, const json_t *job, struct buf *out) {
    size_t last = ARRAY_SIZE(columns);
    while (last > 0 && !t->is_shown[last - 1])
        last--;
    for (size_t c = 0; c < last; c++) {
        char text[1200];
        if (!t->is_shown[c])
            continue;
        if (job == NULL)
            slice_copy(text, sizeof text, slice_of(columns[c].title));
        else
            cell_text(job, &columns[c], t->shows_ranges, text, sizeof text);
        text_cell(out, text, t->widths[c], columns[c].is_number ? -1 : c + 1 < last);
        buf_append_text(out, c + 1 < last ? "  " : "\n");
    }
}

/* Sums chip-hours and divides once; ratios are never averaged. */
static void draw_sum(json_t *const *jobs, size_t count, struct buf *out) {
    int64_t allocated = 0, productive = 0, waiting = 0;
    for (size_t i = 0; i < count; i++) {
        allocated += pick_thousandths(jobs[i], "status.acceleratorHours.allocated");
        productive += pick_thousandths(jobs[i], "status.acceleratorHours.productive");
        waiting += pick_thousandths(jobs[i], "status.acceleratorHours.waiting");
    }
    if (allocated <= 0)
        return;
    long long share = (long long)text_share(0, productive, allocated, 10000);
    buf_format(out, "\n%zu jobs: %lld.%02lld%% of %lld.%lld allocated chip-hours productive; %lld.%lld waiting\n",
               count, share / 100, share % 100, (long long)allocated / 1000, (long long)allocated / 100 % 10,
               (long long)waiting / 1000, (long long)waiting / 100 % 10);
}

static bool is_wide(const struct cli_options *options) {
    return options->output != NULL && strcmp(options->output, "wide") == 0;
}

/* The path that --sort-by names: a column's title, or a path as kubectl takes it, ".status.phase" or "{.status.phase}".
 * NULL: neither. */
static char *sort_path(const char *text) {
    for (size_t c = 0; c < ARRAY_SIZE(columns); c++)
        if (strcasecmp(columns[c].title, text) == 0)
            return mem_strdup(columns[c].path);
    struct slice path = slice_of(text);
    bool is_braced = path.size_bytes > 2 && text[0] == '{' && text[path.size_bytes - 1] == '}';
    if (is_braced)
        path = (struct slice){text + 1, path.size_bytes - 2};
    bool is_path = path.size_bytes > 1 && path.data[0] == '.' && strcspn(text, "[]*?@()'\"") == strlen(text);
    return is_path ? slice_dup(slice_skip(path, 1)) : NULL;
}

int top_check(const struct cli_options *options, struct error **err) {
    if (options->watch && (options->file != NULL || options->output != NULL))
        return error_set(err, EINVAL, "-w works only without -f and -o");
    CLEANUP_FREE char *path = options->sort_by ? sort_path(options->sort_by) : NULL;
    if (options->sort_by != NULL && path == NULL)
        return error_set(err, EINVAL, "--sort-by %s: write a column, such as goodput, or a path, such as .status.phase",
                         options->sort_by);
    return 0;
}

/* The jobs in the order to draw. The caller frees the array. */
static json_t **sorted(const json_t *list, const struct cli_options *options) {
    size_t count = json_array_size(list);
    json_t **jobs = mem_resize(NULL, count, sizeof(json_t *));
    for (size_t i = 0; i < count; i++)
        jobs[i] = json_array_get(list, i);
    qsort(jobs, count, sizeof *jobs, by_loss);
    CLEANUP_FREE char *path = options->sort_by ? sort_path(options->sort_by) : NULL;
    if (path != NULL)
        sort_by_field(jobs, count, path);
    return jobs;
}

void top_draw(const json_t *list, const struct cli_options *options, struct buf *out) {
    size_t count = json_array_size(list);
    if (count == 0)
        return;
    CLEANUP_FREE json_t **jobs = sorted(list, options);
    struct table t = {0};
    for (size_t c = 0; c < ARRAY_SIZE(columns); c++)
        t.is_shown[c] = c == 0 ? options->all_namespaces : is_wide(options) || !columns[c].is_wide;
    measure(&t, jobs, count, &options->style);
    if (!options->no_headers) {
        text_color(out, &options->style, COLOR_BOLD);
        draw_line(&t, NULL, out);
        text_color(out, &options->style, COLOR_NONE);
    }
    for (size_t i = 0; i < count; i++)
        draw_line(&t, jobs[i], out);
    if (count > 1 && !options->no_headers)
        draw_sum(jobs, count, out);
}

/* Puts the list in the order of --sort-by. As kubectl does, refuses a path that leads to nothing in any of them. */
static int sort_list(json_t *list, const struct cli_options *options, struct error **err) {
    CLEANUP_FREE char *path = options->sort_by ? sort_path(options->sort_by) : NULL;
    size_t count = json_array_size(list), known = 0;
    if (path == NULL || count == 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        known += pick(json_array_get(list, i), path) != NULL;
    if (known == 0 && strpbrk(options->sort_by, ".{") != NULL)
        return error_set(err, ENOENT, "--sort-by %s: no JobGoodput of the list has this field", options->sort_by);
    CLEANUP_FREE json_t **jobs = sorted(list, options);
    json_t *ordered = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append(ordered, jobs[i]);
    json_array_clear(list);
    json_array_extend(list, ordered);
    json_decref(ordered);
    return 0;
}

int top_command(const struct cli_options *options, struct error **err) {
    if (options->watch)
        return watch_goodputs(options, top_draw, err);
    if (options->output != NULL && cluster_prints(options->output)) {
        CLEANUP_FREE char *path = options->sort_by ? sort_path(options->sort_by) : NULL;
        return cluster_print(options, path, err);
    }
    json_t *list = NULL;
    int r = fetch_list(options, &list, err);
    if (r < 0)
        return r;
    CLEANUP_BUF struct buf out;
    buf_init(&out, (size_t)64 << 20);
    r = sort_list(list, options, err);
    if (r < 0) {
        json_decref(list);
        return r;
    }
    if (options->output != NULL && !is_wide(options)) {
        r = print_as(options->output, list, err);
    } else if (json_array_size(list) == 0) {
        CLEANUP_FREE char *none = options->file ? mem_strdup("No resources found\n") : cluster_none(options);
        fputs(none, stderr);
    } else {
        top_draw(list, options, &out);
        r = output_write(&out, err);
    }
    json_decref(list);
    return r;
}
