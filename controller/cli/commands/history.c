#include "cli/commands/history.h"

#include "archive/read.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/slice.h"
#include "cli/commands/fleet.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/print.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_JOBS = 10000, TABLE_BYTES = 16 << 20 };

/* ---- -l ---- */

/* Takes "key", "!key", "key=value", "key==value" or "key!=value" from the front; false: it is none of them. */
struct term {
    struct slice key, value;
    bool has_value, is_negated;
};

static bool take_term(struct slice *rest, struct term *t) {
    const char *comma = slice_find_char(*rest, ',');
    struct slice text = comma != NULL ? slice_range(rest->data, comma) : *rest;
    *rest = slice_skip(*rest, text.size_bytes + (comma != NULL));
    *t = (struct term){.is_negated = slice_take_prefix(&text, "!")};
    t->key = text;
    const char *equals = slice_find_char(text, '=');
    if (equals != NULL) {
        t->has_value = true;
        t->key = slice_range(text.data, equals);
        t->value = slice_skip(text, t->key.size_bytes + 1);
        slice_take_prefix(&t->value, "=");
        if (t->key.size_bytes > 0 && t->key.data[t->key.size_bytes - 1] == '!') {
            t->key.size_bytes--;
            t->is_negated = true;
        }
    }
    return t->key.size_bytes > 0 && slice_find_char(t->key, ' ') == NULL && slice_find_char(t->key, '(') == NULL;
}

static bool is_selected(const json_t *job, const char *selector) {
    struct slice rest = slice_of(selector);
    struct term t;
    bool is_match = true;
    while (is_match && rest.size_bytes > 0 && take_term(&rest, &t)) {
        CLEANUP_FREE char *key = slice_dup(t.key);
        const char *value = json_string_value(json_object_get(pick(job, "metadata.labels"), key));
        is_match = (value != NULL && (!t.has_value || slice_is(t.value, value))) != t.is_negated;
    }
    return is_match;
}

static int check_selector(const char *selector, struct error **err) {
    struct slice rest = slice_of(selector);
    struct term t;
    do {
        if (!take_term(&rest, &t))
            return error_set(err, EINVAL, "-l %s: write labels such as team=a,tier!=test,owner", selector);
    } while (rest.size_bytes > 0);
    return 0;
}

/* ---- from lines to JobGoodputs ---- */

struct history {
    json_t *jobs;
    const char *selector; /* NULL: all */
};

static json_t *labels_of(const json_t *line) {
    json_t *labels = json_object(), *item;
    size_t i;
    json_array_foreach(json_object_get(line, "labels"), i, item)
        json_object_set_new(labels, pick_text(item, "key"), json_string(pick_text(item, "value")));
    return labels;
}

/* Of a job that runs: what is known without a status. */
static json_t *time_alone(const json_t *head, const char *to) {
    return json_pack("{s:{s:s, s:s}}", "time", "start", pick_text(head, "from"), "observedThrough", to);
}

static json_t *goodput_of(const json_t *head, const json_t *status, const char *to) {
    json_t *meta = json_pack("{s:s, s:s, s:s, s:o}", "namespace", pick_text(head, "namespace"), "name",
                             pick_text(head, "name"), "uid", pick_text(head, "uid"), "labels", labels_of(head));
    if (pick_has(head, "cluster"))
        json_object_set_new(meta, "annotations",
                            json_pack("{s:s}", "goodput.dev/cluster-name", pick_text(head, "cluster")));
    return json_pack("{s:s, s:s, s:o, s:o}", "apiVersion", "goodput.dev/v1alpha1", "kind", "JobGoodput", "metadata",
                     meta, "status", status != NULL ? json_deep_copy(status) : time_alone(head, to));
}

static bool is_record(struct slice line, const char *record) {
    return slice_take_prefix(&line, "{\"record\":\"") && slice_starts(line, record) &&
           slice_starts(slice_skip(line, strlen(record)), "\"");
}

static int take_job(void *context, struct slice lines, int64_t to_ms, struct error **err) {
    struct history *h = context;
    json_t *head = NULL, *status = NULL, *part = NULL;
    struct slice line;
    (void)to_ms;
    if (json_array_size(h->jobs) >= MAX_JOBS)
        return error_set(err, E2BIG, "the archive has more than %d jobs: query it with SQL: deploy/docs/how-to/sql.md",
                         MAX_JOBS);
    while (slice_take_line(&lines, &line)) {
        json_t **to = is_record(line, "job")      ? &head
                      : is_record(line, "status") ? &status
                      : is_record(line, "part")   ? &part
                                                  : NULL;
        if (to == NULL)
            continue;
        json_decref(*to);
        *to = json_loadb(line.data, line.size_bytes, 0, NULL);
    }
    json_t *job = head != NULL ? goodput_of(head, json_object_get(status, "status"), pick_text(part, "to")) : NULL;
    if (job != NULL && (h->selector == NULL || is_selected(job, h->selector)))
        json_array_append(h->jobs, job);
    json_decref(job);
    json_decref(head);
    json_decref(status);
    json_decref(part);
    return 0;
}

static int64_t end_of(const json_t *job) {
    return pick_time_ms(job, "status.time.observedThrough");
}

static int by_start(const void *a, const void *b) {
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    int64_t from_x = pick_time_ms(x, "status.time.start"), from_y = pick_time_ms(y, "status.time.start");
    return from_x != from_y ? (from_x < from_y ? -1 : 1)
                            : strcmp(pick_text(x, "metadata.name"), pick_text(y, "metadata.name"));
}

/* The oldest first. Those that ended before the window are left out; it ends with the newest job, as that of fleet. */
static json_t *order(const json_t *jobs, int64_t since_ms) {
    size_t count = json_array_size(jobs);
    CLEANUP_FREE json_t **all = mem_alloc((count + 1) * sizeof *all);
    json_t *ordered = json_array();
    int64_t newest_ms = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        all[i] = json_array_get(jobs, i);
        newest_ms = max_of(newest_ms, end_of(all[i]));
    }
    if (count > 1)
        qsort(all, count, sizeof(json_t *), by_start);
    for (size_t i = 0; i < count; i++)
        if (since_ms == 0 || end_of(all[i]) > newest_ms - since_ms)
            json_array_append(ordered, all[i]);
    return ordered;
}

/* ---- drawing ---- */

static const struct {
    const char *title, *path;
    int width, pad;
} columns[] = {{"NAMESPACE", "metadata.namespace", 14, 1},
               {"NAME", "metadata.name", 24, 1},
               {"PHASE", "status.phase", 10, 1},
               {"CHIPS", "status.target.chips", 7, -1},
               {"SCHED", "status.goodput.scheduling", 8, -1},
               {"RUNTIME", "status.goodput.runtime", 8, -1},
               {"GOODPUT", "status.goodput.job", 8, -1},
               {"INT", "status.interruptions.total", 4, -1},
               {"TOP-BADPUT", "status.topBadput", 0, 0}};

static void draw_row(const json_t *job, struct buf *out) {
    char stamp[TEXT_DURATION_SIZE], took[TEXT_DURATION_SIZE], number[32];
    text_cell(out, job == NULL ? "STARTED" : text_stamp(stamp, pick_time_ms(job, "status.time.start")), 19, 1);
    buf_append_text(out, "  ");
    text_cell(out,
              job == NULL ? "TIME" : text_duration_in(took, end_of(job) - pick_time_ms(job, "status.time.start"), 1000),
              12, -1);
    for (size_t c = 0; c < ARRAY_SIZE(columns); c++) {
        const json_t *value = pick(job, columns[c].path);
        const char *text = json_is_string(value) ? json_string_value(value) : "";
        if (json_is_integer(value)) {
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
            text = number;
        }
        buf_append_text(out, "  ");
        text_cell(out, job == NULL ? columns[c].title : *text != '\0' ? text : "-", columns[c].width, columns[c].pad);
    }
    buf_append_char(out, '\n');
}

static void draw(const json_t *jobs, const struct cli_options *options, const struct fleet_view *view,
                 struct buf *out) {
    size_t i;
    json_t *job;
    if (json_array_size(jobs) == 0) {
        buf_format(out, "no job of %s matches\n", options->ledger.archive);
        return;
    }
    draw_row(NULL, out);
    json_array_foreach(jobs, i, job) draw_row(job, out);
    buf_append_char(out, '\n');
    fleet_command_draw(jobs, view, &options->style, out);
    buf_format(out,
               "\nMore: duckdb -c \"SET VARIABLE archive = '%s'\" -c \".read deploy/sql/duckdb.sql\" -c \".read "
               "deploy/sql/tables.sql\" -c \"FROM jobs\"\n",
               options->ledger.archive);
}

int history_check(const struct cli_options *options, struct error **err) {
    struct fleet_view view;
    if (options->ledger.archive == NULL)
        return error_set(err, EINVAL, "history needs --archive DIR, the folder of a controller's archive");
    if (options->selector != NULL && check_selector(options->selector, err) < 0)
        return -EINVAL;
    return fleet_view_of(options, &view, err);
}

int history_command(const struct cli_options *options, struct error **err) {
    struct fleet_view view;
    struct history h = {.jobs = json_array(), .selector = options->selector};
    CLEANUP_BUF struct buf out;
    buf_init(&out, TABLE_BYTES);
    int r = fleet_view_of(options, &view, err);
    if (r == 0)
        r = archive_each(options->ledger.archive, options->namespace_, NULL, take_job, &h, err);
    json_t *jobs = order(h.jobs, view.since_ms);
    json_decref(h.jobs);
    if (r == 0 && options->output != NULL) {
        json_t *list = json_pack("{s:s, s:s, s:O}", "apiVersion", "v1", "kind", "List", "items", jobs);
        r = print_as(options->output, list, err);
        json_decref(list);
    } else if (r == 0) {
        draw(jobs, options, &view, &out);
        r = output_write(&out, err);
    }
    json_decref(jobs);
    return r;
}
