#include "cli/fleet.h"

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "cli/pick.h"
#include "fleet/member.h"
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
    if (options->name != NULL &&
        (o->group_by || o->since || o->price || options->namespace_ || options->all_namespaces))
        return error_set(err, EINVAL,
                         "fleet %s: its own spec says which jobs, over which time and in which groups; --group-by, "
                         "--since, --price, -n and -A go without a name",
                         options->name);
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

/* ---- JobGoodputs to sums ---- */

struct worst { /* the job that lost the most chip time to a bucket */
    char *name;
    int64_t chip_ms;
};

struct group {
    char *name;
    struct sums sums;
    int64_t jobs, prorated, without_steps;
    struct worst worst[SUMS_BUCKETS];
};

struct rolled {
    struct group all, *groups; /* the most lost chip time first */
    size_t group_count, group_capacity;
    struct map by_name; /* while groups are added: where each is, plus one */
    int64_t from_ms, to_ms, left_out, without_chips, other_currency;
    char currency[4]; /* of the jobs' own costs; "": none of them has a price */
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
    struct member *m = text != NULL ? member_read(slice_of(text)) : NULL;
    if (m != NULL && m->has_time)
        return m;
    member_free(m);
    return NULL;
}

static size_t group_at(struct rolled *r, char *name) {
    size_t at = (size_t)(uintptr_t)map_get(&r->by_name, slice_of(name));
    if (at > 0) {
        free(name);
        return at - 1;
    }
    MEM_GROW(r->groups, r->group_count, r->group_capacity);
    r->groups[r->group_count++] = (struct group){.name = name};
    map_put(&r->by_name, slice_of(name), (void *)(uintptr_t)r->group_count);
    return r->group_count - 1;
}

static void add_part(struct group *g, const struct member *m, const struct sums *part, bool is_whole) {
    sums_add(&g->sums, part);
    g->jobs++;
    g->prorated += !is_whole;
    g->without_steps += !m->has_steps;
    for (int b = 0; b < SUMS_BUCKETS; b++) {
        struct worst *w = &g->worst[b];
        int64_t chip_ms = part->of[SUMS_LOST(b)];
        bool is_worse = w->name == NULL ? chip_ms > 0 : chip_ms > w->chip_ms;
        if (!is_worse && !(w->name != NULL && chip_ms == w->chip_ms && strcmp(m->full_name, w->name) < 0))
            continue;
        free(w->name);
        *w = (struct worst){mem_strdup(m->full_name), chip_ms};
    }
}

/* The part of a life that lies in the window. Costs of another currency than the first job's cannot be added. */
static void add_member(struct rolled *r, struct member *m, char *group) {
    const struct sums none = {0};
    struct sums before = {0}, part = {0};
    struct sums_change life;
    int64_t from_ms = max_of(m->start_ms, r->from_ms), to_ms = min_of(m->through_ms, r->to_ms);
    double wall_ms = (double)(m->through_ms - m->start_ms);
    if (to_ms <= from_ms) {
        free(group);
        return;
    }
    if (r->currency[0] == '\0')
        memcpy(r->currency, m->currency, sizeof r->currency);
    if (m->currency[0] != '\0' && strcmp(m->currency, r->currency) != 0) {
        sums_leave_out_costs(&m->life);
        r->other_currency++;
    }
    sums_change_make(&life, &m->life, &none, m->weight);
    sums_change_place(&life, (double)(from_ms - m->start_ms) / wall_ms, &before);
    sums_change_place(&life, to_ms == m->through_ms ? 1 : (double)(to_ms - m->start_ms) / wall_ms, &part);
    bool is_whole = from_ms == m->start_ms && to_ms == m->through_ms;
    r->without_chips += m->weight.chips == 0;
    size_t at = group_at(r, group); /* may move them */
    add_part(&r->groups[at], m, &part, is_whole);
    add_part(&r->all, m, &part, is_whole);
}

static int by_lost(const void *a, const void *b) {
    const struct group *x = a, *y = b;
    int order = sums_compare_lost(&x->sums, &y->sums);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static void roll_up(const json_t *list, const struct fleet_view *view, struct rolled *r) {
    size_t count = json_array_size(list);
    CLEANUP_FREE struct member **members = mem_alloc((count + 1) * sizeof(struct member *));
    *r = (struct rolled){.from_ms = INT64_MAX, .to_ms = INT64_MIN};
    map_init(&r->by_name, NULL);
    for (size_t i = 0; i < count; i++) {
        members[i] = read_member(json_array_get(list, i));
        r->left_out += members[i] == NULL;
        r->from_ms = members[i] != NULL ? min_of(r->from_ms, members[i]->start_ms) : r->from_ms;
        r->to_ms = members[i] != NULL ? max_of(r->to_ms, members[i]->through_ms) : r->to_ms;
    }
    if (view->since_ms > 0 && r->to_ms > r->from_ms && r->to_ms - view->since_ms > r->from_ms)
        r->from_ms = r->to_ms - view->since_ms;
    for (size_t i = 0; i < count; i++) {
        if (members[i] != NULL)
            add_member(r, members[i], group_of(json_array_get(list, i), view->group_by));
        member_free(members[i]);
    }
    map_done(&r->by_name);
    if (r->group_count > 0)
        qsort(r->groups, r->group_count, sizeof *r->groups, by_lost);
}

static void group_done(struct group *g) {
    free(g->name);
    for (int b = 0; b < SUMS_BUCKETS; b++)
        free(g->worst[b].name);
}

static void rolled_done(struct rolled *r) {
    group_done(&r->all);
    for (size_t i = 0; i < r->group_count; i++)
        group_done(&r->groups[i]);
    free(r->groups);
}

/* Chip-seconds that were paid for and lost. */
static double paid_s(const struct group *g) {
    double sum = 0;
    for (int b = 0; b < SUMS_BUCKETS; b++)
        sum += (double)g->sums.of[SUMS_PAID_LOST(b)] / 1000;
    return sum;
}

static double cost_of(double chip_s, double price) {
    return chip_s / 3600 * price;
}

/* What was paid for and lost, at --price, else at the jobs' own prices; one bucket of it, or all. */
static double cost_lost(const struct group *g, double price) {
    return isnan(price) ? (double)g->sums.of[SUMS_COST_LOST] / 100 : cost_of(paid_s(g), price);
}

static double cost_lost_to(const struct group *g, int bucket, double price) {
    return isnan(price) ? (double)g->sums.of[SUMS_COST_LOST_TO(bucket)] / 100
                        : cost_of((double)g->sums.of[SUMS_PAID_LOST(bucket)] / 1000, price);
}

static double cost_caused(const struct group *g, int cause, double price) {
    return isnan(price) ? (double)g->sums.of[SUMS_COST_CAUSED(cause)] / 100
                        : cost_of((double)g->sums.of[SUMS_PAID_CAUSED(cause)] / 1000, price);
}

static bool has_cost(const struct rolled *r, const struct fleet_view *view) {
    return !isnan(view->price) || r->all.sums.of[SUMS_PRICED] > 0;
}

/* Those that lost anything, the most first. */
static int order_buckets(const struct group *g, int out[SUMS_BUCKETS]) {
    const int64_t *lost = &g->sums.of[SUMS_LOST(0)];
    int count = 0;
    for (int b = 0; b < SUMS_BUCKETS; b++) {
        if (lost[b] == 0 && g->sums.of[SUMS_PAID_LOST(b)] == 0)
            continue;
        int at = count++;
        for (; at > 0 && lost[out[at - 1]] < lost[b]; at--)
            out[at] = out[at - 1];
        out[at] = b;
    }
    return count;
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

static void cell(const struct group *s, const char *name, int column, double price, char out[static 256]) {
    struct sums_scores scores = sums_scores(&s->sums);
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
        slice_copy(out, 256, slice_of(hours(text, (double)s->sums.of[SUMS_WALL])));
    else if (column == COST)
        snprintf(out, 256, "%.2f", cost_lost(s, price));
    else
        slice_copy(out, 256, slice_of(percent(text, ppm[column])));
}

static void draw_table(const struct rolled *f, const struct fleet_view *view, const struct text_style *style,
                       struct buf *out) {
    static const char *const titles[COLUMNS] = {"GROUP",   "JOBS",    "CHIP-H", "SCHED", "RUNTIME",
                                                "GOODPUT", "PROGRAM", "MPG",    "COST"};
    int columns = has_cost(f, view) ? COLUMNS : COST, widths[COLUMNS], rest = 0;
    char text[256];
    for (int c = 0; c < columns; c++) {
        widths[c] = text_width(titles[c]);
        for (size_t g = 0; g <= f->group_count; g++) {
            const struct group *s = g < f->group_count ? &f->groups[g] : &f->all;
            cell(s, g < f->group_count ? s->name : "all", c, view->price, text);
            widths[c] = text_width(text) > widths[c] ? text_width(text) : widths[c];
        }
        rest += c == GROUP ? 0 : widths[c] + 2;
    }
    if (style->columns > 0 && widths[GROUP] + rest > style->columns)
        widths[GROUP] = style->columns - rest > 8 ? style->columns - rest : 8;
    for (size_t line = 0; line < f->group_count + 2; line++) {
        bool is_title = line == 0;
        const struct group *s = line <= f->group_count && !is_title ? &f->groups[line - 1] : &f->all;
        if (is_title)
            text_colour(out, style, COLOUR_BOLD);
        for (int c = 0; c < columns; c++) {
            if (is_title)
                slice_copy(text, sizeof text, slice_of(titles[c]));
            else
                cell(s, s == &f->all ? "all" : s->name, c, view->price, text);
            text_cell(out, text, widths[c], c == GROUP ? 1 : -1);
            buf_append_text(out, c + 1 < columns ? "  " : "\n");
        }
        if (is_title)
            text_colour(out, style, COLOUR_NONE);
    }
}

static void draw_loss(const struct group *g, int bucket, const struct fleet_view *view, bool is_priced,
                      const struct text_style *style, struct buf *out) {
    int64_t wall = g->sums.of[SUMS_WALL], chip_ms = g->sums.of[SUMS_LOST(bucket)];
    char text[32];
    int left = style->columns > 0 ? style->columns - 47 - (is_priced ? 14 : 0) : 0;
    buf_append_text(out, "  ");
    text_cell(out, sums_bucket_name(bucket), 22, 1);
    text_cell(out, hours(text, (double)chip_ms), 12, -1);
    text_cell(out, percent(text, wall > 0 ? llround((double)chip_ms / (double)wall * 1e6) : -1), 9, -1);
    if (is_priced) {
        snprintf(text, sizeof text, "%.2f", cost_lost_to(g, bucket, view->price));
        text_cell(out, text, 14, -1);
    }
    buf_append_text(out, "  ");
    text_cell(out, g->worst[bucket].name ? g->worst[bucket].name : "-", left > 0 ? left : 0, 0);
    buf_append_char(out, '\n');
}

static void draw_causes(const struct group *s, const struct fleet_view *view, bool is_priced, struct buf *out) {
    char text[32];
    bool any = false;
    for (int c = 0; c < CAUSE_COUNT; c++) {
        if (s->sums.of[SUMS_CAUSED(c)] <= 0 && s->sums.of[SUMS_PAID_CAUSED(c)] <= 0)
            continue;
        if (!any)
            buf_append_text(out, "Lost to interruptions, of chip-hours that were held\n");
        any = true;
        buf_append_text(out, "  ");
        text_cell(out, cause_name((enum cause)c), 22, 1);
        bool is_told = s->sums.of[SUMS_PAID_CAUSED(c)] > 0; /* by any job */
        text_cell(out, is_told ? hours(text, (double)s->sums.of[SUMS_PAID_CAUSED(c)]) : "-", 12, -1);
        snprintf(text, sizeof text, "%lldx", (long long)s->sums.of[SUMS_CAUSED(c)]);
        text_cell(out, text, 9, -1);
        if (is_priced) {
            snprintf(text, sizeof text, "%.2f", cost_caused(s, c, view->price));
            text_cell(out, is_told ? text : "-", 14, -1);
        }
        buf_append_char(out, '\n');
    }
    if (any)
        buf_append_char(out, '\n');
}

static void draw_losses(const struct group *s, const struct fleet_view *view, bool is_priced,
                        const struct text_style *style, struct buf *out) {
    int buckets[SUMS_BUCKETS], count = order_buckets(s, buckets);
    char text[32];
    buf_format(out, "\nLost, of %s chip-hours asked for; the job that lost the most to each\n",
               hours(text, (double)s->sums.of[SUMS_WALL]));
    for (int i = 0; i < count && i < MOST_LOSSES; i++)
        draw_loss(s, buckets[i], view, is_priced, style, out);
    buf_append_char(out, '\n');
}

static void draw_notes(const struct rolled *r, const struct text_style *style, struct buf *out) {
    const struct group *all = &r->all;
    char from[TEXT_DURATION_SIZE], to[TEXT_DURATION_SIZE], text[160];
    int64_t rate = sums_failures_per_1000_node_days(&all->sums);
    snprintf(text, sizeof text, "%s to %s UTC", text_stamp(from, r->from_ms), text_stamp(to, r->to_ms));
    text_wrap(out, style, 0, 2, text);
    snprintf(text, sizeof text, "%.2f interruptions per 1,000 node-days", (double)rate / 1000);
    if (rate >= 0)
        text_wrap(out, style, 0, 2, text);
    const struct {
        int64_t count;
        const char *what;
    } notes[] = {
        {all->without_steps, "without steps, in SCHED alone"},
        {all->prorated, "that reach beyond that time, their sums spread evenly over their life"},
        {r->without_chips, "that ask for no chips, in no sum"},
        {r->other_currency, "whose costs are in another currency, in no cost"},
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
    if (r.all.jobs == 0) {
        buf_append_text(out, "no JobGoodput tells of any time yet\n");
    } else {
        draw_table(&r, view, style, out);
        draw_losses(&r.all, view, has_cost(&r, view), style, out);
        draw_causes(&r.all, view, has_cost(&r, view), out);
        if (isnan(view->price) && has_cost(&r, view))
            buf_format(out, "COST: what was held and lost, in %s, at the jobs' own prices\n", r.currency);
        draw_notes(&r, style, out);
    }
    rolled_done(&r);
}

/* ---- as data ---- */

static void set_ppm(json_t *to, const char *key, int64_t ppm) {
    if (ppm >= 0)
        json_object_set_new(to, key, json_integer(ppm));
}

static json_t *causes_json(const struct group *s, double price, bool is_priced) {
    json_t *list = json_array();
    for (int c = 0; c < CAUSE_COUNT; c++) {
        if (s->sums.of[SUMS_CAUSED(c)] <= 0 && s->sums.of[SUMS_PAID_CAUSED(c)] <= 0)
            continue;
        int64_t paid_ms = s->sums.of[SUMS_PAID_CAUSED(c)];
        json_t *item = json_pack("{s:s, s:I}", "cause", cause_name((enum cause)c), "count",
                                 (json_int_t)s->sums.of[SUMS_CAUSED(c)]);
        if (paid_ms > 0) /* else no job tells what it lost */
            json_object_set_new(item, "paidChipSeconds", json_integer(paid_ms / 1000));
        if (paid_ms > 0 && is_priced)
            json_object_set_new(item, "cost", json_real(cost_caused(s, c, price)));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *sum_json(const struct group *s, const struct fleet_view *view) {
    struct sums_scores scores = sums_scores(&s->sums);
    int buckets[SUMS_BUCKETS], count = order_buckets(s, buckets);
    json_t *ppm = json_object(), *lost = json_array();
    set_ppm(ppm, "scheduling", scores.scheduling);
    set_ppm(ppm, "runtime", scores.runtime);
    set_ppm(ppm, "job", scores.job);
    set_ppm(ppm, "program", scores.program);
    set_ppm(ppm, "productivity", scores.productivity);
    bool is_priced = !isnan(view->price) || s->sums.of[SUMS_PRICED] > 0;
    for (int i = 0; i < count; i++) {
        int64_t paid_ms = s->sums.of[SUMS_PAID_LOST(buckets[i])];
        const char *worst = s->worst[buckets[i]].name;
        json_t *item = json_pack("{s:s, s:I, s:I, s:s}", "bucket", sums_bucket_name(buckets[i]), "chipMs",
                                 (json_int_t)s->sums.of[SUMS_LOST(buckets[i])], "paidChipSeconds",
                                 (json_int_t)(paid_ms / 1000), "worst", worst ? worst : "");
        if (is_priced)
            json_object_set_new(item, "cost", json_real(cost_lost_to(s, buckets[i], view->price)));
        json_array_append_new(lost, item);
    }
    json_t *json =
        json_pack("{s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:o}", "jobs", (json_int_t)s->jobs, "prorated",
                  (json_int_t)s->prorated, "withoutSteps", (json_int_t)s->without_steps, "goodputPPM", ppm, "chipMs",
                  (json_int_t)s->sums.of[SUMS_WALL], "availableChipMs", (json_int_t)s->sums.of[SUMS_AVAILABLE],
                  "productiveChipMs", (json_int_t)s->sums.of[SUMS_PRODUCTIVE], "lost", lost);
    if (is_priced)
        json_object_set_new(json, "costLost", json_real(cost_lost(s, view->price)));
    json_object_set_new(json, "byCause", causes_json(s, view->price, is_priced));
    int64_t rate = sums_failures_per_1000_node_days(&s->sums);
    if (rate >= 0)
        json_object_set_new(json, "interruptionsPer1000NodeDays", json_real((double)rate / 1000));
    return json;
}

json_t *cli_fleet_json(const json_t *list, const struct fleet_view *view) {
    struct rolled r;
    roll_up(list, view, &r);
    json_t *json = json_pack("{s:o, s:s}", "all", sum_json(&r.all, view), "groupBy", view->group_by);
    json_t *groups = json_array();
    if (isnan(view->price) && r.all.sums.of[SUMS_PRICED] > 0)
        json_object_set_new(json, "currency", json_string(r.currency));
    if (r.all.jobs > 0) {
        json_object_set_new(json, "fromMs", json_integer(r.from_ms));
        json_object_set_new(json, "toMs", json_integer(r.to_ms));
    }
    for (size_t i = 0; i < r.group_count; i++) {
        json_t *group = sum_json(&r.groups[i], view);
        json_object_set_new(group, "group", json_string(r.groups[i].name));
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
    if (r >= 0 && options->name != NULL)
        return cli_show(options, cli_fleet_object_draw, err);
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
