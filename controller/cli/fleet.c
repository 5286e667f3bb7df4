#include "cli/fleet.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "cli/pick.h"
#include "formulas/rollup.h"
#include "operator/runtime/flags.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_KEYS 3
#define MOST_LOSSES 12

static const struct {
    const char *key, *path;
} keys[] = {
    {"namespace", "metadata.namespace"}, {"queue", "status.target.queue"}, {"accelerator", "status.target.accelerator"},
    {"phase", "status.phase"},           {"job", "metadata.name"},
};

/* ---- what is asked for ---- */

static bool is_key(struct slice key) {
    if (slice_take_prefix(&key, "label:"))
        return key.size_bytes > 0;
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (slice_is(key, keys[i].key))
            return true;
    return false;
}

static struct slice take_key(struct slice *rest) {
    const char *comma = slice_find_char(*rest, ',');
    struct slice key = comma ? slice_range(rest->data, comma) : *rest;
    *rest = slice_skip(*rest, key.size_bytes + (comma != NULL));
    return key;
}

static int check_keys(const char *group_by, struct error **err) {
    struct slice rest = slice_of(group_by);
    int count = 0;
    do {
        struct slice key = take_key(&rest);
        bool is_cut = rest.size_bytes == 0 && key.data[key.size_bytes] == ',';
        if (!is_key(key) || is_cut || ++count > MOST_KEYS)
            return error_set(err, EINVAL,
                             "--group-by %s: up to three of namespace, queue, "
                             "accelerator, phase, job, label:KEY",
                             group_by);
    } while (rest.size_bytes > 0);
    return 0;
}

int fleet_view_of(const struct cli_options *options, struct fleet_view *view, struct error **err) {
    const struct cli_fleet_options *o = &options->fleet;
    int64_t since_us = 0;
    *view = (struct fleet_view){.group_by = o->group_by ? o->group_by : "namespace", .price = NAN};
    if (options->output != NULL && strcmp(options->output, "name") == 0)
        return error_set(err, EINVAL, "-o name: not one of json, yaml");
    if (check_keys(view->group_by, err) < 0)
        return -EINVAL;
    if (o->since != NULL && (!runtime_flags_duration(o->since, &since_us) || since_us < 1000))
        return error_set(err, EINVAL, "--since %s: a duration is wanted, such as 24h or 168h", o->since);
    view->since_ms = since_us / 1000;
    if (o->price == NULL)
        return 0;
    struct slice rest = slice_of(o->price);
    if (!slice_take_double(&rest, &view->price) || rest.size_bytes > 0 || !(view->price > 0 && view->price <= 1e6))
        return error_set(err, EINVAL,
                         "--price %s: what a chip costs per hour is wanted, above "
                         "0, such as 1.20",
                         o->price);
    return 0;
}

/* ---- JobGoodputs to jobs ---- */

struct rolled {
    struct rollup_job *jobs;
    size_t count;
    struct rollup fleet;
    int64_t from_ms, to_ms, left_out;
};

static const char *label_of(const json_t *job, struct slice label) {
    CLEANUP_FREE char *name = slice_dup(label);
    const json_t *value = json_object_get(pick(job, "metadata.labels"), name);
    return json_is_string(value) ? json_string_value(value) : "";
}

static char *group_of(const json_t *job, const char *group_by) {
    struct slice rest = slice_of(group_by);
    CLEANUP_BUF struct buf text;
    buf_init(&text, 4096);
    do {
        struct slice key = take_key(&rest), label = key;
        const char *value = "";
        if (slice_take_prefix(&label, "label:"))
            value = label_of(job, label);
        for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
            if (slice_is(key, keys[i].key))
                value = pick_text(job, keys[i].path);
        buf_format(&text, "%s%s", text.size_bytes > 0 ? " / " : "", *value ? value : "-");
    } while (rest.size_bytes > 0);
    return mem_strdup(buf_text(&text));
}

static bool read_job(const json_t *json, const char *group_by, struct rollup_job *job) {
    int64_t start_ms = pick_time_ms(json, "status.time.start"), wall_ms = pick_int(json, "status.time.wallMs", -1);
    if (start_ms == TIME_UNKNOWN || wall_ms <= 0)
        return false;
    int64_t failures =
        pick_int(json, "status.interruptions.total", 0) - pick_int(json, "status.interruptions.excluded", 0);
    const json_t *badput = pick(json, "status.badput"), *item;
    size_t count = json_array_size(badput), i;
    struct rollup_bucket *buckets = mem_alloc((count + 1) * sizeof *buckets);
    json_array_foreach(badput, i, item) buckets[i] = (struct rollup_bucket){
        .name = pick_text(item, "bucket"), .ms = pick_int(item, "ms", 0), .chip_s = pick_int(item, "chipSeconds", 0)};
    *job = (struct rollup_job){
        .name = mem_format("%s/%s", pick_text(json, "metadata.namespace"), pick_text(json, "metadata.name")),
        .group = group_of(json, group_by),
        .start_ms = start_ms,
        .wall_ms = wall_ms,
        .available_ms = pick_int(json, "status.time.availableMs", 0),
        .productive_ms = pick_int(json, "status.time.productiveMs", -1),
        .program_ppm = pick_int(json, "status.goodputPPM.program", -1),
        .chips = pick_int(json, "status.target.chips", 0),
        .nodes = pick_int(json, "status.availability.required", 0),
        .failures = failures > 0 ? failures : 0,
        .buckets = buckets,
        .bucket_count = count};
    return true;
}

static void roll_up(const json_t *list, const struct fleet_view *view, struct rolled *r) {
    const json_t *item;
    size_t i;
    *r = (struct rolled){.from_ms = INT64_MAX, .to_ms = INT64_MIN};
    r->jobs = mem_alloc((json_array_size(list) + 1) * sizeof *r->jobs);
    json_array_foreach(list, i, item) {
        struct rollup_job *job = &r->jobs[r->count];
        if (!read_job(item, view->group_by, job)) {
            r->left_out++;
            continue;
        }
        r->count++;
        r->from_ms = min_of(r->from_ms, job->start_ms);
        r->to_ms = max_of(r->to_ms, job->start_ms + job->wall_ms);
    }
    if (view->since_ms > 0 && r->count > 0 && r->to_ms - view->since_ms > r->from_ms)
        r->from_ms = r->to_ms - view->since_ms;
    rollup_make(r->jobs, r->count, r->from_ms, r->to_ms, &r->fleet);
}

static void rolled_done(struct rolled *r) {
    rollup_done(&r->fleet);
    for (size_t i = 0; i < r->count; i++) {
        free((char *)r->jobs[i].name);
        free((char *)r->jobs[i].group);
        free((struct rollup_bucket *)r->jobs[i].buckets);
    }
    free(r->jobs);
}

/* Chip-seconds that were paid for and lost. */
static double paid_s(const struct rollup_sum *s) {
    double sum = 0;
    for (size_t i = 0; i < s->bucket_count; i++)
        sum += (double)s->buckets[i].chip_s;
    return sum;
}

/* ---- drawn ---- */

static const char *percent(char out[static 32], int64_t ppm) {
    if (ppm < 0)
        return "-";
    snprintf(out, 32, "%.2f%%", (double)ppm / 1e4);
    return out;
}

static const char *hours(char out[static 32], double chip_ms) {
    snprintf(out, 32, "%.1f", chip_ms / 3.6e6);
    return out;
}

enum { GROUP, JOBS, CHIP_HOURS, SCHEDULING, RUNTIME, GOODPUT, PROGRAM, MPG, COST, COLUMNS };

static void cell(const struct rollup_sum *s, const char *name, int column, double price, char out[static 256]) {
    struct rollup_scores scores = rollup_scores_of(s);
    const int64_t ppm[COLUMNS] = {[SCHEDULING] = scores.scheduling,
                                  [RUNTIME] = scores.runtime,
                                  [GOODPUT] = scores.job,
                                  [PROGRAM] = scores.program,
                                  [MPG] = scores.productivity};
    char text[32];
    if (column == GROUP)
        slice_copy(out, 256, slice_of(name));
    else if (column == JOBS)
        snprintf(out, 256, "%lld", (long long)s->jobs);
    else if (column == CHIP_HOURS)
        slice_copy(out, 256, slice_of(hours(text, (double)s->wall)));
    else if (column == COST)
        snprintf(out, 256, "%.2f", rollup_cost(paid_s(s), price));
    else
        slice_copy(out, 256, slice_of(percent(text, ppm[column])));
}

static void draw_table(const struct rollup *f, const struct fleet_view *view, const struct text_style *style,
                       struct buf *out) {
    static const char *const titles[COLUMNS] = {"GROUP",   "JOBS",    "CHIP-H", "SCHED", "RUNTIME",
                                                "GOODPUT", "PROGRAM", "MPG",    "COST"};
    int columns = isnan(view->price) ? COST : COLUMNS, widths[COLUMNS], rest = 0;
    char text[256];
    for (int c = 0; c < columns; c++) {
        widths[c] = text_width(titles[c]);
        for (size_t g = 0; g <= f->group_count; g++) {
            const struct rollup_sum *s = g < f->group_count ? &f->groups[g] : &f->all;
            cell(s, g < f->group_count ? s->group : "all", c, view->price, text);
            widths[c] = text_width(text) > widths[c] ? text_width(text) : widths[c];
        }
        rest += c == GROUP ? 0 : widths[c] + 2;
    }
    if (style->columns > 0 && widths[GROUP] + rest > style->columns)
        widths[GROUP] = style->columns - rest > 8 ? style->columns - rest : 8;
    for (size_t line = 0; line < f->group_count + 2; line++) {
        bool is_title = line == 0;
        const struct rollup_sum *s = line <= f->group_count && !is_title ? &f->groups[line - 1] : &f->all;
        if (is_title)
            text_colour(out, style, COLOUR_BOLD);
        for (int c = 0; c < columns; c++) {
            if (is_title)
                slice_copy(text, sizeof text, slice_of(titles[c]));
            else
                cell(s, s == &f->all ? "all" : s->group, c, view->price, text);
            text_cell(out, text, widths[c], c == GROUP ? 1 : -1);
            buf_append_text(out, c + 1 < columns ? "  " : "\n");
        }
        if (is_title)
            text_colour(out, style, COLOUR_NONE);
    }
}

static void draw_loss(const struct rollup_bucket *b, int64_t wall, const struct fleet_view *view,
                      const struct text_style *style, struct buf *out) {
    char text[32];
    int left = style->columns > 0 ? style->columns - 47 - (isnan(view->price) ? 0 : 14) : 0;
    buf_append_text(out, "  ");
    text_cell(out, b->name, 22, 1);
    text_cell(out, hours(text, (double)b->chip_ms), 12, -1);
    text_cell(out, percent(text, wall > 0 ? llround((double)b->chip_ms / (double)wall * 1e6) : -1), 9, -1);
    if (!isnan(view->price)) {
        snprintf(text, sizeof text, "%.2f", rollup_cost((double)b->chip_s, view->price));
        text_cell(out, text, 14, -1);
    }
    buf_append_text(out, "  ");
    text_cell(out, b->worst ? b->worst : "-", left > 0 ? left : 0, 0);
    buf_append_char(out, '\n');
}

static void draw_losses(const struct rollup_sum *s, const struct fleet_view *view, const struct text_style *style,
                        struct buf *out) {
    char text[32];
    buf_format(out, "\nLost, of %s chip-hours asked for; the job that lost the most to each\n",
               hours(text, (double)s->wall));
    for (size_t i = 0; i < s->bucket_count && i < MOST_LOSSES; i++)
        draw_loss(&s->buckets[i], s->wall, view, style, out);
    buf_append_char(out, '\n');
}

static void draw_notes(const struct rolled *r, const struct text_style *style, struct buf *out) {
    const struct rollup_sum *all = &r->fleet.all;
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE], text[160];
    double rate = rollup_failures_per_1000_node_days(all);
    snprintf(text, sizeof text, "%s to %s UTC", text_stamp(from, r->from_ms), text_stamp(to, r->to_ms));
    text_wrap(out, style, 0, 2, text);
    snprintf(text, sizeof text, "%.2f interruptions per 1,000 node-days", rate);
    if (rate >= 0)
        text_wrap(out, style, 0, 2, text);
    const struct {
        int64_t count;
        const char *what;
    } notes[] = {
        {all->without_steps, "without steps, in SCHED alone"},
        {all->prorated, "that reach beyond that time, their sums spread evenly over their life"},
        {r->left_out, "left out because they tell of no time yet"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
        snprintf(text, sizeof text, "jobs %s: %lld", notes[i].what, (long long)notes[i].count);
        if (notes[i].count > 0)
            text_wrap(out, style, 0, 2, text);
    }
}

void cli_fleet_draw(const json_t *list, const struct fleet_view *view, const struct text_style *style,
                    struct buf *out) {
    struct rolled r;
    roll_up(list, view, &r);
    if (r.fleet.all.jobs == 0) {
        buf_append_text(out, "no JobGoodput tells of any time yet\n");
    } else {
        draw_table(&r.fleet, view, style, out);
        draw_losses(&r.fleet.all, view, style, out);
        draw_notes(&r, style, out);
    }
    rolled_done(&r);
}

/* ---- as data ---- */

static void set_ppm(json_t *to, const char *key, int64_t ppm) {
    if (ppm >= 0)
        json_object_set_new(to, key, json_integer(ppm));
}

static json_t *sum_json(const struct rollup_sum *s, const struct fleet_view *view) {
    struct rollup_scores scores = rollup_scores_of(s);
    json_t *ppm = json_object(), *lost = json_array();
    set_ppm(ppm, "scheduling", scores.scheduling);
    set_ppm(ppm, "runtime", scores.runtime);
    set_ppm(ppm, "job", scores.job);
    set_ppm(ppm, "program", scores.program);
    set_ppm(ppm, "productivity", scores.productivity);
    for (size_t i = 0; i < s->bucket_count; i++) {
        const struct rollup_bucket *b = &s->buckets[i];
        json_t *item = json_pack("{s:s, s:I, s:I, s:s}", "bucket", b->name, "chipMs", (json_int_t)b->chip_ms,
                                 "paidChipSeconds", (json_int_t)b->chip_s, "worst", b->worst ? b->worst : "");
        if (!isnan(view->price))
            json_object_set_new(item, "cost", json_real(rollup_cost((double)b->chip_s, view->price)));
        json_array_append_new(lost, item);
    }
    json_t *json = json_pack("{s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:o}", "jobs", (json_int_t)s->jobs, "prorated",
                             (json_int_t)s->prorated, "withoutSteps", (json_int_t)s->without_steps, "goodputPPM", ppm,
                             "chipMs", (json_int_t)s->wall, "availableChipMs", (json_int_t)s->available,
                             "productiveChipMs", (json_int_t)s->productive, "lost", lost);
    double rate = rollup_failures_per_1000_node_days(s);
    if (rate >= 0)
        json_object_set_new(json, "interruptionsPer1000NodeDays", json_real(rate));
    return json;
}

json_t *cli_fleet_json(const json_t *list, const struct fleet_view *view) {
    struct rolled r;
    roll_up(list, view, &r);
    json_t *json = json_pack("{s:o, s:s}", "all", sum_json(&r.fleet.all, view), "groupBy", view->group_by);
    json_t *groups = json_array();
    if (r.count > 0) {
        json_object_set_new(json, "fromMs", json_integer(r.from_ms));
        json_object_set_new(json, "toMs", json_integer(r.to_ms));
    }
    for (size_t i = 0; i < r.fleet.group_count; i++) {
        json_t *group = sum_json(&r.fleet.groups[i], view);
        json_object_set_new(group, "group", json_string(r.fleet.groups[i].group));
        json_array_append_new(groups, group);
    }
    json_object_set_new(json, "groups", groups);
    rolled_done(&r);
    return json;
}

int cli_fleet_check(const struct cli_options *options, struct error **err) {
    struct fleet_view view;
    return fleet_view_of(options, &view, err);
}

int cli_fleet(const struct cli_options *options, struct error **err) {
    struct fleet_view view;
    json_t *list = NULL;
    int r = fleet_view_of(options, &view, err);
    if (r < 0 || (r = cli_fetch(options, NULL, &list, err)) < 0)
        return r;
    if (options->output != NULL) {
        json_t *json = cli_fleet_json(list, &view);
        r = cli_print_as(options->output, json, err);
        json_decref(json);
    } else {
        CLEANUP_BUF struct buf out;
        buf_init(&out, (size_t)64 << 20);
        cli_fleet_draw(list, &view, &options->style, &out);
        r = cli_write(&out, err);
    }
    json_decref(list);
    return r;
}
