#include "cli/commands/fleet.h"

#include "base/clock.h"
#include "base/duration.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "cli/commands/fetch.h"
#include "cli/commands/fleet_owners.h"
#include "cli/render/fleet_object.h"
#include "cli/render/output.h"
#include "cli/render/pick.h"
#include "cli/render/print.h"
#include "fleet/cost.h"
#include "fleet/outcome.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_KEYS 3
#define NARROW_GROUP 16

static const struct {
    const char *key, *path;
} keys[] = {
    {"namespace", "metadata.namespace"},
    {"queue", "status.target.queue"},
    {"clusterQueue", "status.target.clusterQueue"},
    {"accelerator", "status.target.accelerator"},
    {"phase", "status.phase"},
    {"job", "metadata.name"},
};

/* ---- options ---- */

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
        if (!is_key(key) || is_cut || ++count > MAX_KEYS)
            return error_set(err, EINVAL,
                             "--group-by %s: up to three of namespace, queue, clusterQueue, accelerator, phase, job, "
                             "label:KEY",
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
    if (options->name != NULL &&
        (o->group_by || o->since || o->price || options->namespace_ || options->all_namespaces))
        return error_set(err, EINVAL,
                         "fleet %s: its spec selects jobs, window and groups; --group-by, "
                         "--since, --price, -n and -A work only without a name",
                         options->name);
    if (check_keys(view->group_by, err) < 0)
        return -EINVAL;
    if (o->since != NULL && (!duration_parse(o->since, &since_us) || since_us < 1000))
        return error_set(err, EINVAL, "--since %s: write a duration, such as 24h or 168h", o->since);
    view->since_ms = since_us / 1000;
    if (o->price == NULL)
        return 0;
    struct slice rest = slice_of(o->price);
    if (!slice_take_double(&rest, &view->price) || rest.size_bytes > 0 || !(view->price > 0 && view->price <= 1e6))
        return error_set(err, EINVAL,
                         "--price %s: write the price of a chip per hour, above "
                         "0, such as 1.20",
                         o->price);
    return 0;
}

/* ---- JobGoodputs to sums ---- */

/* The sums of all JobGoodputs, as in a FleetGoodput: fleet/roll.h. */
struct rolled {
    struct roll roll;
    struct roll_member *members;
    size_t count;
    int64_t from_ms, to_ms, left_out, prorated, other_currency;
    struct outcome *outcome;
    struct outcome_group all;
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

static struct member *read_member(const json_t *json) {
    CLEANUP_FREE char *text = json_dumps(json, JSON_COMPACT);
    return text != NULL ? member_read(slice_of(text)) : NULL;
}

static void read_members(const json_t *list, const struct fleet_view *view, struct rolled *r) {
    size_t i;
    json_t *json;
    r->members = mem_alloc((json_array_size(list) + 1) * sizeof *r->members);
    json_array_foreach(list, i, json) {
        struct member *m = read_member(json);
        r->left_out += m == NULL;
        if (m == NULL)
            continue;
        r->members[r->count++] =
            (struct roll_member){.member = m, .group = group_of(json, view->group_by), .is_selected = true};
        if (!m->has_time)
            continue;
        r->from_ms = min_of(r->from_ms, m->start_ms);
        r->to_ms = max_of(r->to_ms, m->through_ms);
    }
}

static void count_members(struct rolled *r) {
    for (size_t i = 0; i < r->count; i++) {
        const struct member *m = r->members[i].member;
        if (!m->has_time || m->weight.chips == 0 || m->through_ms <= r->from_ms)
            continue;
        r->prorated += m->start_ms < r->from_ms;
        r->other_currency += m->currency[0] != '\0' && strcmp(m->currency, r->roll.currency) != 0;
    }
}

static void roll_list(const json_t *list, const struct fleet_view *view, struct rolled *r) {
    *r = (struct rolled){.from_ms = INT64_MAX, .to_ms = INT64_MIN, .outcome = mem_new(struct outcome)};
    read_members(list, view, r);
    if (r->to_ms <= r->from_ms) /* no job has any time */
        r->from_ms = r->to_ms = 0;
    if (view->since_ms > 0 && r->to_ms - view->since_ms > r->from_ms)
        r->from_ms = r->to_ms - view->since_ms;
    roll_init(&r->roll, &(struct roll_options){.window = ROLL_FIXED, .from_ms = r->from_ms, .until_ms = r->to_ms});
    struct roll_input in = {.members = r->members, .count = r->count, .now_ms = r->to_ms};
    roll_up(&r->roll, &in);
    outcome_make(&r->roll, &in, r->outcome);
    r->left_out += r->roll.without_time;
    r->all = (struct outcome_group){
        .name = "all", .sums = r->outcome->all, .jobs = r->outcome->jobs, .without_steps = r->outcome->without_steps};
    count_members(r);
}

static void rolled_done(struct rolled *r) {
    roll_done(&r->roll);
    for (size_t i = 0; i < r->count; i++) {
        free((char *)(uintptr_t)r->members[i].group);
        member_free((struct member *)(uintptr_t)r->members[i].member);
    }
    free(r->members);
    free(r->outcome);
}

static bool has_cost(const struct rolled *r, const struct fleet_view *view) {
    return !isnan(view->price) || !isnan(cost_allocated(&r->all.sums, NAN));
}

/* The job with the largest loss in a bucket; "" */
static const char *worst_of(const struct outcome *o, int bucket) {
    for (int i = 0; i < o->loss_count; i++)
        if (o->losses[i].bucket == bucket && o->losses[i].job_count > 0)
            return o->losses[i].jobs[0].name;
    return "";
}

/* Sorts the buckets with losses, the largest first. */
static int order_buckets(const struct outcome_group *g, int out[SUMS_BUCKETS]) {
    const int64_t *lost = &g->sums.of[SUMS_LOST(0)];
    int count = 0;
    for (int b = 0; b < SUMS_BUCKETS; b++) {
        if (!sums_is_loss(b) || (lost[b] == 0 && g->sums.of[SUMS_PAID_LOST(b)] == 0))
            continue;
        int at = count++;
        for (; at > 0 && lost[out[at - 1]] < lost[b]; at--)
            out[at] = out[at - 1];
        out[at] = b;
    }
    return count;
}

/* ---- drawing ---- */

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

/* "91.18% to 93.00%" with unobserved chip time; in the table "91.1%+". */
static const char *range(char out[static 32], int64_t lower_ppm, int64_t upper_ppm, bool is_whole) {
    if (upper_ppm < 0 || lower_ppm < 0)
        return percent(out, lower_ppm);
    if (is_whole)
        snprintf(out, 32, "%.2f%% to %.2f%%", (double)lower_ppm / 1e4, (double)upper_ppm / 1e4);
    else
        snprintf(out, 32, "%lld.%lld%%+", (long long)(lower_ppm / 10000), (long long)(lower_ppm / 1000 % 10));
    return out;
}

static const char *money(char out[static 32], double amount) {
    if (isnan(amount))
        return "-";
    snprintf(out, 32, "%.2f", amount);
    return out;
}

enum {
    GROUP,
    JOBS,
    CHIP_HOURS,
    ALL_SCHED,
    KNOWN,
    SCHEDULING,
    RUNTIME,
    GOODPUT,
    PROGRAM,
    MPG,
    COST,
    COST_LOST,
    COLUMNS
};

static const char *cell(const struct outcome_group *g, int column, double price, char text[static 32]) {
    struct sums_scores scores = sums_scores(&g->sums);
    const int64_t ppm[COLUMNS] = {
        [RUNTIME] = scores.runtime, [GOODPUT] = scores.job, [PROGRAM] = scores.program, [MPG] = scores.productivity};
    switch (column) {
    case GROUP:
        return g->name;
    case JOBS:
        snprintf(text, 32, "%lld", (long long)g->jobs);
        return text;
    case CHIP_HOURS:
        return hours(text, (double)g->sums.of[SUMS_WALL]);
    case COST:
        return money(text, cost_allocated(&g->sums, price));
    case COST_LOST:
        return money(text, cost_lost(&g->sums, price));
    case KNOWN:
        snprintf(text, 32, "%lld%%", (long long)(max_of(0, scores.evidence) / 10000));
        return text;
    case ALL_SCHED:
        return range(text, scores.all_scheduling, scores.all_scheduling_upper, false);
    case SCHEDULING:
        return range(text, scores.scheduling, scores.scheduling_upper, false);
    case GOODPUT:
        return range(text, scores.job, scores.job_upper, false);
    default:
        return percent(text, ppm[column]);
    }
}

static const char *const titles[COLUMNS] = {"GROUP",   "JOBS",    "CHIP-H",  "SCHED-ALL", "KNOWN", "SCHED",
                                            "RUNTIME", "GOODPUT", "PROGRAM", "MPG",       "COST",  "LOST"};

static const struct outcome_group *row_of(const struct rolled *r, int row) {
    return row < r->outcome->group_count ? &r->outcome->groups[row] : &r->all;
}

/* The width of each column; 0: not shown. Columns that do not fit are dropped, in the order of `dispensable`. */
static void find_widths(const struct rolled *r, const struct fleet_view *view, const struct text_style *style,
                        int widths[COLUMNS]) {
    static const int dispensable[] = {ALL_SCHED, COST, PROGRAM, KNOWN};
    int columns = has_cost(r, view) ? COLUMNS : COST, rest = 0;
    char text[32];
    for (int c = 0; c < COLUMNS; c++) {
        widths[c] = c < columns ? text_width(titles[c]) : 0;
        for (int row = 0; row <= r->outcome->group_count && c < columns; row++) {
            int width = text_width(cell(row_of(r, row), c, view->price, text));
            widths[c] = width > widths[c] ? width : widths[c];
        }
        rest += c == GROUP || c >= columns ? 0 : widths[c] + 2;
    }
    const int min_group = widths[GROUP] < NARROW_GROUP ? widths[GROUP] : NARROW_GROUP;
    for (size_t i = 0; i < ARRAY_SIZE(dispensable) && style->columns > 0; i++) {
        int *width = &widths[dispensable[i]];
        if (*width == 0 || min_group + rest <= style->columns)
            continue;
        rest -= *width + 2;
        *width = 0;
    }
    if (style->columns > 0 && widths[GROUP] + rest > style->columns)
        widths[GROUP] = style->columns - rest > 8 ? style->columns - rest : 8;
}

static void draw_table(const struct rolled *r, const struct fleet_view *view, const struct text_style *style,
                       struct buf *out) {
    int widths[COLUMNS];
    char text[32];
    find_widths(r, view, style, widths);
    for (int row = -1; row <= r->outcome->group_count; row++) {
        if (row < 0)
            text_color(out, style, COLOR_BOLD);
        for (int c = 0; c < COLUMNS; c++) {
            if (widths[c] == 0)
                continue;
            buf_append_text(out, c == GROUP ? "" : "  ");
            text_cell(out, row < 0 ? titles[c] : cell(row_of(r, row), c, view->price, text), widths[c],
                      c == GROUP ? 1 : -1);
        }
        buf_append_char(out, '\n');
        if (row < 0)
            text_color(out, style, COLOR_NONE);
    }
}

static void draw_loss(const struct rolled *r, int bucket, const struct fleet_view *view, bool is_priced,
                      const struct text_style *style, struct buf *out) {
    const struct sums *sums = &r->all.sums;
    int64_t wall = sums->of[SUMS_WALL], chip_ms = sums->of[SUMS_LOST(bucket)];
    const char *worst = worst_of(r->outcome, bucket);
    char text[32];
    int left = style->columns > 0 ? style->columns - 47 - (is_priced ? 14 : 0) : 0;
    buf_append_text(out, "  ");
    text_cell(out, sums_bucket_name(bucket), 22, 1);
    text_cell(out, hours(text, (double)chip_ms), 12, -1);
    text_cell(out, percent(text, wall > 0 ? llround((double)chip_ms / (double)wall * 1e6) : -1), 9, -1);
    if (is_priced)
        text_cell(out, money(text, cost_lost_to(sums, bucket, view->price)), 14, -1);
    buf_append_text(out, "  ");
    text_cell(out, *worst ? worst : "-", left > 0 ? left : 0, 0);
    buf_append_char(out, '\n');
}

static void draw_causes(const struct outcome_group *s, const struct fleet_view *view, bool is_priced, struct buf *out) {
    char text[32];
    bool any = false;
    for (int c = 0; c < CAUSE_COUNT; c++) {
        if (s->sums.of[SUMS_CAUSED(c)] <= 0 && s->sums.of[SUMS_PAID_CAUSED(c)] <= 0)
            continue;
        if (!any)
            buf_append_text(out, "Lost to interruptions, of allocated chip-hours\n");
        any = true;
        buf_append_text(out, "  ");
        text_cell(out, cause_name((enum cause)c), 22, 1);
        bool is_known = s->sums.of[SUMS_PAID_CAUSED(c)] > 0; /* for any job */
        text_cell(out, is_known ? hours(text, (double)s->sums.of[SUMS_PAID_CAUSED(c)]) : "-", 12, -1);
        snprintf(text, sizeof text, "%lldx", (long long)s->sums.of[SUMS_CAUSED(c)]);
        text_cell(out, text, 9, -1);
        if (is_priced)
            text_cell(out, money(text, cost_caused(&s->sums, (enum cause)c, view->price)), 14, -1);
        buf_append_char(out, '\n');
    }
    if (any)
        buf_append_char(out, '\n');
}

static void draw_losses(const struct rolled *r, const struct fleet_view *view, const struct text_style *style,
                        struct buf *out) {
    int buckets[SUMS_BUCKETS], count = order_buckets(&r->all, buckets);
    char text[32];
    buf_format(out, "\nLost, of %s chip-hours asked for; the job that lost the most to each\n",
               hours(text, (double)r->all.sums.of[SUMS_WALL]));
    for (int i = 0; i < count && i < OUTCOME_LOSSES; i++)
        draw_loss(r, buckets[i], view, has_cost(r, view), style, out);
    buf_append_char(out, '\n');
}

static void draw_notes(const struct rolled *r, const struct text_style *style, struct buf *out) {
    const struct outcome_group *all = &r->all;
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE], text[160];
    int64_t rate = sums_failures_per_1000_node_days(&all->sums);
    struct sums_scores scores = sums_scores(&all->sums);
    snprintf(text, sizeof text, "%s to %s UTC", text_stamp(from, r->from_ms), text_stamp(to, r->to_ms));
    text_wrap(out, style, 0, 2, text);
    snprintf(text, sizeof text, "%.2f interruptions per 1,000 node-days", (double)rate / 1000);
    if (rate >= 0)
        text_wrap(out, style, 0, 2, text);
    if (all->without_steps > 0) {
        char share[32];
        snprintf(text, sizeof text, "scheduling goodput of all jobs, with steps or without: %s",
                 range(share, scores.all_scheduling, scores.all_scheduling_upper, true));
        text_wrap(out, style, 0, 2, text);
    }
    if (scores.all_scheduling_upper >= 0) {
        char both[32], sum[32];
        snprintf(text, sizeof text, "scheduling %s (%s chip-hours unobserved)",
                 range(both, scores.scheduling, scores.scheduling_upper, true),
                 hours(sum, (double)all->sums.of[SUMS_LOST(BUCKET_UNOBSERVED)]));
        text_wrap(out, style, 0, 2, text);
    }
    const struct {
        int64_t count;
        const char *what;
    } notes[] = {
        {all->without_steps, "without steps, in the sums and losses, but not in the scores"},
        {r->prorated, "that extend beyond that time, with their sums spread evenly over their wall time"},
        {r->roll.without_chips, "that ask for no chips, not counted"},
        {r->roll.beyond, "beyond the maximum number of jobs, not counted"},
        {r->other_currency, "with costs in another currency, not in the costs"},
        {r->left_out, "without any time yet, not counted"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
        snprintf(text, sizeof text, "jobs %s: %lld", notes[i].what, (long long)notes[i].count);
        if (notes[i].count > 0)
            text_wrap(out, style, 0, 2, text);
    }
}

void fleet_command_draw(const json_t *list, const struct fleet_view *view, const struct text_style *style,
                        struct buf *out) {
    struct rolled r;
    roll_list(list, view, &r);
    if (r.all.jobs == 0) {
        buf_append_text(out, "no JobGoodput has counted any time yet\n");
    } else {
        draw_table(&r, view, style, out);
        draw_losses(&r, view, style, out);
        draw_causes(&r.all, view, has_cost(&r, view), out);
        fleet_owners_draw(&r.all.sums, view->price, has_cost(&r, view), style, out);
        if (isnan(view->price) && has_cost(&r, view))
            buf_format(out, "COST, LOST: in %s, at the jobs' own prices\n", r.roll.currency);
        draw_notes(&r, style, out);
    }
    rolled_done(&r);
}

/* ---- JSON ---- */

static void set_ppm(json_t *to, const char *key, int64_t ppm) {
    if (ppm >= 0)
        json_object_set_new(to, key, json_integer(ppm));
}

static void set_cost(json_t *to, const char *key, double amount) {
    if (!isnan(amount))
        json_object_set_new(to, key, json_real(amount));
}

static json_t *causes_json(const struct outcome_group *s, double price) {
    json_t *list = json_array();
    for (int c = 0; c < CAUSE_COUNT; c++) {
        if (s->sums.of[SUMS_CAUSED(c)] <= 0 && s->sums.of[SUMS_PAID_CAUSED(c)] <= 0)
            continue;
        int64_t paid_ms = s->sums.of[SUMS_PAID_CAUSED(c)];
        json_t *item = json_pack("{s:s, s:I}", "cause", cause_name((enum cause)c), "count",
                                 (json_int_t)s->sums.of[SUMS_CAUSED(c)]);
        if (paid_ms > 0) /* else the loss of every job is unknown */
            json_object_set_new(item, "paidChipSeconds", json_integer(paid_ms / 1000));
        set_cost(item, "cost", cost_caused(&s->sums, (enum cause)c, price));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *scores_json(const struct outcome_group *s) {
    struct sums_scores scores = sums_scores(&s->sums);
    json_t *ppm = json_object();
    set_ppm(ppm, "allScheduling", scores.all_scheduling);
    set_ppm(ppm, "allSchedulingUpperBound", scores.all_scheduling_upper);
    set_ppm(ppm, "evidence", scores.evidence);
    set_ppm(ppm, "scheduling", scores.scheduling);
    set_ppm(ppm, "schedulingUpperBound", scores.scheduling_upper);
    set_ppm(ppm, "runtime", scores.runtime);
    set_ppm(ppm, "job", scores.job);
    set_ppm(ppm, "jobUpperBound", scores.job_upper);
    set_ppm(ppm, "program", scores.program);
    set_ppm(ppm, "productivity", scores.productivity);
    return ppm;
}

/* outcome: has the jobs' names for the losses; NULL for a group, whose losses have none. */
static json_t *lost_json(const struct outcome_group *s, const struct outcome *outcome, double price) {
    int buckets[SUMS_BUCKETS], count = order_buckets(s, buckets);
    json_t *lost = json_array();
    for (int i = 0; i < count; i++) {
        int64_t paid_ms = s->sums.of[SUMS_PAID_LOST(buckets[i])];
        json_t *item =
            json_pack("{s:s, s:I, s:I}", "bucket", sums_bucket_name(buckets[i]), "chipMilliseconds",
                      (json_int_t)s->sums.of[SUMS_LOST(buckets[i])], "paidChipSeconds", (json_int_t)(paid_ms / 1000));
        if (outcome != NULL)
            json_object_set_new(item, "worst", json_string(worst_of(outcome, buckets[i])));
        set_cost(item, "cost", cost_lost_to(&s->sums, buckets[i], price));
        json_array_append_new(lost, item);
    }
    return lost;
}

static json_t *sum_json(const struct outcome_group *s, const struct outcome *outcome, double price) {
    json_t *json = json_pack("{s:I, s:I, s:o, s:I, s:I, s:o}", "jobs", (json_int_t)s->jobs, "withoutSteps",
                             (json_int_t)s->without_steps, "goodputPPM", scores_json(s), "chipMilliseconds",
                             (json_int_t)s->sums.of[SUMS_WALL], "availableChipMilliseconds",
                             (json_int_t)s->sums.of[SUMS_AVAILABLE], "lost", lost_json(s, outcome, price));
    if (s->sums.of[SUMS_LOST(BUCKET_UNOBSERVED)] > 0)
        json_object_set_new(json, "unobservedChipMilliseconds", json_integer(s->sums.of[SUMS_LOST(BUCKET_UNOBSERVED)]));
    if (s->sums.of[SUMS_KNOWN_WALL] > 0)
        json_object_set_new(json, "productiveChipMilliseconds", json_integer(s->sums.of[SUMS_PRODUCTIVE]));
    set_cost(json, "cost", cost_allocated(&s->sums, price));
    set_cost(json, "costLost", cost_lost(&s->sums, price));
    json_object_set_new(json, "byCause", causes_json(s, price));
    fleet_owners_add(json, &s->sums, price);
    int64_t rate = sums_failures_per_1000_node_days(&s->sums);
    if (rate >= 0)
        json_object_set_new(json, "interruptionsPer1000NodeDays", json_real((double)rate / 1000));
    return json;
}

json_t *fleet_command_json(const json_t *list, const struct fleet_view *view) {
    struct rolled r;
    roll_list(list, view, &r);
    json_t *all = sum_json(&r.all, r.outcome, view->price), *groups = json_array();
    json_object_set_new(all, "prorated", json_integer(r.prorated));
    json_t *json = json_pack("{s:o, s:s}", "all", all, "groupBy", view->group_by);
    if (isnan(view->price) && has_cost(&r, view))
        json_object_set_new(json, "currency", json_string(r.roll.currency));
    if (r.all.jobs > 0) {
        json_object_set_new(json, "fromMilliseconds", json_integer(r.from_ms));
        json_object_set_new(json, "toMilliseconds", json_integer(r.to_ms));
    }
    for (int i = 0; i < r.outcome->group_count; i++) {
        json_t *group = sum_json(&r.outcome->groups[i], NULL, view->price);
        json_object_set_new(group, "group", json_string(r.outcome->groups[i].name));
        json_array_append_new(groups, group);
    }
    json_object_set_new(json, "groups", groups);
    rolled_done(&r);
    return json;
}

int fleet_command_check(const struct cli_options *options, struct error **err) {
    struct fleet_view view;
    return fleet_view_of(options, &view, err);
}

int fleet_command(const struct cli_options *options, struct error **err) {
    struct fleet_view view;
    json_t *list = NULL;
    int r = fleet_view_of(options, &view, err);
    if (r >= 0 && options->name != NULL)
        return fetch_and_show(options, fleet_object_draw, err);
    if (r < 0 || (r = fetch_list(options, &list, err)) < 0)
        return r;
    if (options->output != NULL) {
        json_t *json = fleet_command_json(list, &view);
        r = print_as(options->output, json, err);
        json_decref(json);
    } else {
        CLEANUP_BUF struct buf out;
        buf_init(&out, (size_t)64 << 20);
        fleet_command_draw(list, &view, &options->style, &out);
        r = output_write(&out, err);
    }
    json_decref(list);
    return r;
}
