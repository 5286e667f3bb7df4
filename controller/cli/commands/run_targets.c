#include "cli/commands/run_targets.h"

#include "archive/read.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "cli/commands/cluster.h"
#include "cli/commands/ledger.h"
#include "cli/render/pick.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- one target ---- */

static const char *label_of(const json_t *head) {
    json_t *item;
    size_t i;
    json_array_foreach(json_object_get(head, "labels"), i,
                       item) if (strcmp(pick_text(item, "key"), RUN_LABEL) == 0) return pick_text(item, "value");
    return "";
}

static bool is_of_run(const json_t *head, const char *run) {
    const char *label = label_of(head);
    return strcmp(*label != '\0' ? label : pick_text(head, "name"), run) == 0;
}

static void take_span(struct run_member *m, struct run_target *t, const json_t *x, int64_t *execution) {
    int64_t step = pick_int(x, "step", RUN_NO_STEP), number = pick_int(x, "execution", 0);
    int64_t last = pick_int(x, "lastStep", step);
    if (step != RUN_NO_STEP) {
        m->first_step = m->first_step == RUN_NO_STEP ? step : m->first_step;
        m->last_step = m->last_step == RUN_NO_STEP ? last : max_of(m->last_step, last);
        if (number != *execution)
            t->resumed_step = t->resumed_step == RUN_NO_STEP ? step : min_of(t->resumed_step, step);
        *execution = number;
    }
    if (strcmp(pick_text(x, "bucket"), "Productive") != 0)
        return;
    MEM_GROW(t->spans, t->span_count, t->span_capacity);
    t->spans[t->span_count++] = (struct run_span){pick_int(x, "milliseconds", 0), step, last};
}

static void take_target(struct run_member *m, struct run_target *t) {
    int64_t execution = -1;
    json_t *x;
    size_t i;
    *t = (struct run_target){.start_ms = m->sums.time.start_ms,
                             .through_ms = m->sums.through_ms,
                             .resumed_step = RUN_NO_STEP,
                             .has_sums = m->sums.time.complete_ms > m->sums.time.start_ms};
    m->first_step = m->last_step = RUN_NO_STEP;
    json_array_foreach(m->lines.records, i, x) {
        bool is_sum = strcmp(pick_text(x, "record"), "settled") == 0;
        int64_t ms = pick_int(x, "milliseconds", 0);
        if (strcmp(pick_text(x, "record"), "span") == 0)
            take_span(m, t, x, &execution);
        else if (is_sum && strcmp(pick_text(x, "bucket"), "Productive") == 0)
            *(ms > 0 ? &t->summed_ms : &t->corrected_ms) += ms > 0 ? ms : -ms;
    }
}

static int take_member(struct run_member *m, struct error **err) {
    const json_t *head = job_lines_find(&m->lines, "job");
    CLEANUP_ERROR struct error *why = NULL;
    m->cluster = pick_text(head, "cluster");
    m->namespace_ = pick_text(head, "namespace");
    m->name = pick_text(head, "name");
    m->uid = pick_text(head, "uid");
    m->target = pick_text(head, "target");
    m->phase = pick_text(job_lines_find(&m->lines, "status"), "status.phase");
    m->is_labeled = *label_of(head) != '\0';
    int r = interval_sums_read(&m->lines, INT64_MIN, INT64_MAX, &m->sums, &why);
    if (r == -ERANGE) { /* it has no time */
        m->sums.time.start_ms = m->sums.time.complete_ms = m->sums.through_ms = pick_time_ms(head, "from");
        return 0;
    }
    return r < 0 ? error_set(err, -r, "%s: %s", m->name, error_text(why)) : 0;
}

static void member_free(struct run_member *m) {
    interval_sums_done(&m->sums);
    job_lines_done(&m->lines);
    free(m);
}

/* ---- all of them ---- */

struct search {
    struct run_members *found;
    const char *run;
};

static int add_member(struct run_members *found, struct run_member *m, struct error **err) {
    int r = take_member(m, err);
    if (r < 0) {
        member_free(m);
        return r;
    }
    MEM_GROW(found->items, found->count, found->capacity);
    found->items[found->count++] = m;
    return 0;
}

static int visit(void *context, struct slice lines, int64_t to_ms, struct error **err) {
    static const char job_record[] = "{\"record\":\"job\"";
    struct search *s = context;
    struct slice rest = lines, line;
    bool is_of_it = false;
    (void)to_ms;
    while (!is_of_it && slice_take_line(&rest, &line)) {
        json_t *head = slice_starts(line, job_record) ? json_loadb(line.data, line.size_bytes, 0, NULL) : NULL;
        is_of_it = head != NULL && is_of_run(head, s->run);
        json_decref(head);
    }
    if (!is_of_it)
        return 0;
    struct run_member *m = mem_new(struct run_member);
    int r = job_lines_parse(lines, &m->lines, err);
    if (r < 0) {
        member_free(m);
        return r;
    }
    return add_member(s->found, m, err);
}

static int ask_controller(const struct cli_options *options, const char *name, struct job_lines *ret,
                          struct error **err) {
    struct cli_options one = *options;
    CLEANUP_BUF struct buf text;
    buf_init(&text, JOB_LINES_MAX_BYTES);
    one.name = name;
    int r = ledger_read(&one, &text, err);
    return r < 0 ? r : job_lines_parse(buf_slice(&text), ret, err);
}

/* The JobGoodputs that exist now, whose ledgers the controller sends. */
static int read_cluster(const struct cli_options *options, const char *run, struct run_members *found,
                        struct error **err) {
    struct cli_options all = *options;
    json_t *objects = NULL, *object;
    size_t i;
    all.name = NULL;
    int r = cluster_get(&all, &objects, err);
    json_array_foreach(objects, i, object) {
        const char *label = json_string_value(json_object_get(pick(object, "metadata.labels"), RUN_LABEL));
        const char *name = pick_text(object, "metadata.name");
        if (r < 0 || strcmp(label != NULL && *label != '\0' ? label : name, run) != 0)
            continue;
        struct run_member *m = mem_new(struct run_member);
        r = ask_controller(options, name, &m->lines, err);
        if (r == 0)
            r = add_member(found, m, err);
        else
            member_free(m);
    }
    json_decref(objects);
    return r;
}

static int by_place(const void *a, const void *b) { /* by cluster and namespace, then by start */
    const struct run_member *x = *(struct run_member *const *)a, *y = *(struct run_member *const *)b;
    int order = strcmp(x->cluster, y->cluster);
    order = order != 0 ? order : strcmp(x->namespace_, y->namespace_);
    if (order == 0 && x->sums.time.start_ms != y->sums.time.start_ms)
        return x->sums.time.start_ms < y->sums.time.start_ms ? -1 : 1;
    order = order != 0 ? order : strcmp(x->name, y->name);
    order = order != 0 ? order : strcmp(x->uid, y->uid);
    return order != 0 ? order : strcmp(x->target, y->target);
}

static bool is_same_place(const struct run_member *x, const struct run_member *y) {
    return strcmp(x->cluster, y->cluster) == 0 && strcmp(x->namespace_, y->namespace_) == 0;
}

/* Keeps the newest run: without the label a target that follows one that succeeded starts another one. */
static void keep_newest(struct run_members *found) {
    size_t first = 0, best = 0, best_end = 0;
    int64_t number = 0, best_ms = INT64_MIN;
    for (size_t i = 0; i < found->count; i++) {
        const struct run_member *m = found->items[i], *before = i > 0 ? found->items[i - 1] : NULL;
        bool is_elsewhere = before == NULL || !is_same_place(before, m);
        if (is_elsewhere || (!m->is_labeled && strcmp(before->phase, "Completed") == 0)) {
            first = i;
            number = is_elsewhere ? 1 : number + 1;
        }
        if (m->sums.through_ms >= best_ms) {
            best = first;
            best_end = i + 1;
            best_ms = m->sums.through_ms;
            found->number = number;
        } else if (best == first) {
            best_end = i + 1;
        }
    }
    for (size_t i = 0; i < found->count; i++)
        if (i < best || i >= best_end)
            member_free(found->items[i]);
    memmove(found->items, found->items + best, (best_end - best) * sizeof *found->items);
    found->count = best_end - best;
}

int run_members_read(const struct cli_options *options, const char *run, struct run_members *ret, struct error **err) {
    struct search s = {ret, run};
    *ret = (struct run_members){0};
    int r = options->ledger.archive != NULL
                ? archive_each(options->ledger.archive, options->namespace_, NULL, visit, &s, err)
                : read_cluster(options, run, ret, err);
    if (r == 0 && ret->count == 0)
        r = error_set(err, ENOENT, "no job has the label " RUN_LABEL "=%s or that name", run);
    if (r < 0) {
        run_members_done(ret);
        return r;
    }
    qsort(ret->items, ret->count, sizeof(struct run_member *), by_place);
    keep_newest(ret);
    ret->targets = mem_alloc(ret->count * sizeof *ret->targets);
    for (size_t i = 0; i < ret->count; i++)
        take_target(ret->items[i], &ret->targets[i]);
    return 0;
}

void run_members_done(struct run_members *members) {
    for (size_t i = 0; i < members->count; i++) {
        if (members->targets != NULL)
            free(members->targets[i].spans);
        member_free(members->items[i]);
    }
    free(members->items);
    free(members->targets);
    *members = (struct run_members){0};
}
