#include "operator/fleet/status.h"

#include "base/jwrite.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/rfc3339.h"
#include "fleet/cost.h"
#include "formulas/price.h"

#include <math.h>
#include <stdio.h>

static void write_time(struct jwrite *w, const char *key, int64_t ms) {
    char text[RFC3339_SIZE];
    if (ms != TIME_UNKNOWN)
        jwrite_member_text(w, key, rfc3339_format_s(text, ms));
}

static void write_percent(struct jwrite *w, const char *key, int64_t ppm) {
    if (ppm >= 0)
        jwrite_member_percent(w, key, ppm);
}

static void write_ppm(struct jwrite *w, const char *key, int64_t ppm) {
    if (ppm >= 0)
        jwrite_member_int(w, key, ppm);
}

static void write_share(struct jwrite *w, int64_t part, int64_t whole) {
    if (whole > 0 && part >= 0)
        write_percent(w, "share", (int64_t)((__int128)part * 1000000 / whole));
}

static int64_t seconds(int64_t ms) {
    return max_of(0, ms) / 1000;
}

static void write_scores_as(struct jwrite *w, const char *key, const struct sums_scores *s,
                            void (*write)(struct jwrite *, const char *, int64_t)) {
    jwrite_member_object(w, key);
    write(w, "scheduling", s->scheduling);
    write(w, "schedulingUpperBound", s->scheduling_upper);
    write(w, "allSchedulingUpperBound", s->all_scheduling_upper);
    write(w, "runtime", s->runtime);
    write(w, "job", s->job);
    write(w, "jobUpperBound", s->job_upper);
    write(w, "program", s->program);
    write(w, "productivity", s->productivity);
    write(w, "allScheduling", s->all_scheduling);
    write(w, "evidence", s->evidence);
    jwrite_object_end(w);
}

static void write_scores(struct jwrite *w, const struct sums *sums) {
    struct sums_scores s = sums_scores(sums);
    write_scores_as(w, "goodput", &s, write_percent);
    write_scores_as(w, "goodputPPM", &s, write_ppm);
}

static const char *top_bucket(const struct sums *s) {
    int top = -1;
    for (int b = 0; b < SUMS_BUCKETS; b++)
        if (sums_is_loss(b) && s->of[SUMS_LOST(b)] > 0 && (top < 0 || s->of[SUMS_LOST(b)] > s->of[SUMS_LOST(top)]))
            top = b;
    return top < 0 ? NULL : sums_bucket_name(top);
}

static void write_top(struct jwrite *w, const struct sums *s) {
    if (top_bucket(s) != NULL)
        jwrite_member_text(w, "topBadput", top_bucket(s));
}

static void write_conditions(struct jwrite *w, const struct fleets_view *v) {
    jwrite_member_array(w, "conditions");
    for (int i = 0; i < FLEETS_CONDITIONS; i++) {
        const struct fleets_condition *c = &v->conditions[i];
        if (c->type == NULL)
            continue;
        jwrite_object(w);
        jwrite_member_text(w, "type", c->type);
        jwrite_member_text(w, "status", c->is_true ? "True" : "False");
        jwrite_member_int(w, "observedGeneration", v->generation);
        write_time(w, "lastTransitionTime", c->at_ms);
        jwrite_member_text(w, "reason", c->reason);
        jwrite_member_text(w, "message", c->message);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_window(struct jwrite *w, const struct fleets_view *v) {
    int64_t longest_ms = ROLL_HOUR_MS;
    for (size_t i = 0; i < v->roll->slot_count; i++)
        longest_ms = max_of(longest_ms, v->roll->slots[i].until_ms - v->roll->slots[i].from_ms);
    jwrite_member_object(w, "window");
    jwrite_member_text(w, "name", v->spec->window_name);
    write_time(w, "from", v->outcome->from_ms);
    write_time(w, "to", v->outcome->until_ms);
    write_time(w, "since", v->roll->since_ms);
    jwrite_member_int(w, "resolutionHours", longest_ms / ROLL_HOUR_MS);
    jwrite_object_end(w);
}

static void write_jobs(struct jwrite *w, const struct fleets_view *v) {
    const struct roll *r = v->roll;
    jwrite_member_object(w, "jobs");
    jwrite_member_int(w, "counted", v->outcome->jobs);
    jwrite_member_int(w, "withoutSteps", v->outcome->without_steps);
    jwrite_member_int(w, "notCounted", r->without_time + r->without_chips + r->beyond);
    jwrite_member_int(w, "spread", r->spread);
    jwrite_object_end(w);
}

static void write_chip_seconds(struct jwrite *w, const struct outcome *o) {
    const int64_t *of = o->all.of;
    jwrite_member_object(w, "chipSeconds");
    jwrite_member_int(w, "asked", seconds(of[SUMS_WALL]));
    jwrite_member_int(w, "available", seconds(of[SUMS_AVAILABLE]));
    if (of[SUMS_LOST(BUCKET_UNOBSERVED)] > 0)
        jwrite_member_int(w, "unobserved", seconds(of[SUMS_LOST(BUCKET_UNOBSERVED)]));
    if (of[SUMS_KNOWN_WALL] > 0)
        jwrite_member_int(w, "productive", seconds(of[SUMS_PRODUCTIVE]));
    jwrite_member_int(w, "allocated", seconds(of[SUMS_PAID]));
    if (o->capacity_ms > 0) {
        jwrite_member_int(w, "capacity", seconds(o->capacity_chip_ms));
        jwrite_member_int(w, "capacityHours", o->capacity_ms / ROLL_HOUR_MS);
    }
    if (o->idle_chip_ms >= 0)
        jwrite_member_int(w, "idle", seconds(o->idle_chip_ms));
    jwrite_object_end(w);
}

static void write_waterfall(struct jwrite *w, const struct outcome *o) {
    jwrite_member_array(w, "waterfall");
    for (int i = 0; i < o->step_count; i++) {
        jwrite_object(w);
        jwrite_member_text(w, "name", o->waterfall[i].name);
        if (o->waterfall[i].is_total)
            jwrite_member_bool(w, "total", true);
        jwrite_member_int(w, "chipSeconds", o->waterfall[i].chip_s);
        write_share(w, o->waterfall[i].chip_s, o->waterfall[0].chip_s);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

/* Absent where it is not known. */
static void write_amount(struct jwrite *w, const char *key, double amount) {
    char text[PRICE_TEXT_SIZE];
    if (!isnan(amount))
        jwrite_member_text(w, key, price_cents_format(text, max_of(0, llround(amount * 100))));
}

static void write_groups(struct jwrite *w, const struct outcome *o) {
    jwrite_member_array(w, "groups");
    for (int i = 0; i < o->group_count; i++) {
        const struct sums *s = &o->groups[i].sums;
        jwrite_object(w);
        jwrite_member_text(w, "name", o->groups[i].name);
        jwrite_member_int(w, "jobs", o->groups[i].jobs);
        jwrite_member_int(w, "withoutSteps", o->groups[i].without_steps);
        write_scores(w, s);
        jwrite_member_int(w, "askedChipSeconds", seconds(s->of[SUMS_WALL]));
        if (s->of[SUMS_KNOWN_WALL] > 0)
            jwrite_member_int(w, "productiveChipSeconds", seconds(s->of[SUMS_PRODUCTIVE]));
        jwrite_member_int(w, "allocatedChipSeconds", seconds(s->of[SUMS_PAID]));
        write_top(w, s);
        jwrite_member_int(w, "interruptions", max_of(0, s->of[SUMS_FAILURES]));
        write_amount(w, "cost", cost_allocated(s, NAN));
        write_amount(w, "costLost", cost_lost(s, NAN));
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_losses(struct jwrite *w, const struct outcome *o) {
    jwrite_member_array(w, "topLosses");
    for (int i = 0; i < o->loss_count; i++) {
        const struct outcome_loss *l = &o->losses[i];
        jwrite_object(w);
        jwrite_member_text(w, "family", sums_bucket_family(l->bucket));
        jwrite_member_text(w, "bucket", sums_bucket_name(l->bucket));
        jwrite_member_int(w, "chipSeconds", l->chip_ms / 1000);
        write_share(w, l->chip_ms, o->all.of[SUMS_WALL]);
        jwrite_member_int(w, "allocatedChipSeconds", seconds(l->paid_chip_ms));
        write_amount(w, "cost", cost_lost_to(&o->all, l->bucket, NAN));
        jwrite_member_array(w, "jobs");
        for (int k = 0; k < l->job_count; k++) {
            jwrite_object(w);
            jwrite_member_text(w, "name", l->jobs[k].name);
            jwrite_member_int(w, "chipSeconds", l->jobs[k].chip_ms / 1000);
            jwrite_object_end(w);
        }
        jwrite_array_end(w);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_owned_classes(struct jwrite *w, const struct sums *s, enum rootcause_owner owner) {
    int64_t chip_s[SUMS_CLASSES];
    if (!sums_owned_by_class(s, owner, chip_s))
        return;
    jwrite_member_array(w, "byClass");
    for (int c = 0; c < SUMS_CLASSES; c++) {
        if (chip_s[c] == 0)
            continue;
        jwrite_object(w);
        jwrite_member_text(w, "class", sums_class_name(c));
        jwrite_member_int(w, "chipSeconds", chip_s[c]);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

/* Chip time bound to nodes, as in status.byOwner of the jobs. */
static void write_owners(struct jwrite *w, const struct outcome *o) {
    static const enum rootcause_owner order[] = {OWNER_TENANT, OWNER_PLATFORM, OWNER_PROVIDER, OWNER_SCHEDULER,
                                                 OWNER_UNKNOWN};
    const int64_t *of = o->all.of;
    jwrite_member_array(w, "byOwner");
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        int64_t chip_ms = of[SUMS_PAID_OWNED(order[i])], interruptions = of[SUMS_OWNED(order[i])];
        if (chip_ms <= 0 && interruptions <= 0)
            continue;
        jwrite_object(w);
        jwrite_member_text(w, "owner", rootcause_owner_name(order[i]));
        jwrite_member_int(w, "interruptions", max_of(0, interruptions));
        jwrite_member_int(w, "chipSeconds", seconds(chip_ms));
        write_share(w, chip_ms, of[SUMS_PAID]);
        write_amount(w, "cost", cost_owned(&o->all, order[i], NAN));
        write_owned_classes(w, &o->all, order[i]);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_classes(struct jwrite *w, const struct outcome *o) {
    jwrite_member_array(w, "byClass");
    for (int i = 0; i < o->class_count; i++) {
        jwrite_object(w);
        jwrite_member_text(w, "class", rootcause_class_name(o->classes[i].class_));
        jwrite_member_int(w, "count", o->classes[i].count);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_nodes(struct jwrite *w, const struct fleets_view *v) {
    const struct nodes *nodes = &v->outcome->nodes;
    if (nodes->count == 0)
        return;
    jwrite_member_array(w, "byNode");
    for (int i = 0; i < nodes->count; i++) {
        const struct node_failures *n = &nodes->items[i];
        jwrite_object(w);
        jwrite_member_text(w, "node", n->node);
        if (n->pool >= 0)
            jwrite_member_text(w, "nodePool", v->roll->pools[n->pool]);
        jwrite_member_text(w, "class", rootcause_class_name(n->class_));
        jwrite_member_text(w, "owner", rootcause_owner_name(n->owner));
        jwrite_member_int(w, "count", n->count);
        jwrite_member_int(w, "chipSeconds", seconds(n->chip_ms));
        write_time(w, "lastTime", n->last_ms);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
    if (nodes->other_count == 0)
        return;
    jwrite_member_object(w, "otherNodes");
    jwrite_member_int(w, "count", nodes->other_count);
    jwrite_member_int(w, "chipSeconds", seconds(nodes->other_chip_ms));
    jwrite_object_end(w);
}

static void write_interruptions(struct jwrite *w, const struct fleets_view *v) {
    const struct outcome *o = v->outcome;
    char text[32];
    int64_t rate = sums_failures_per_1000_node_days(&o->all);
    jwrite_member_object(w, "interruptions");
    jwrite_member_int(w, "total", max_of(0, o->all.of[SUMS_INTERRUPTIONS]));
    jwrite_member_int(w, "failures", max_of(0, o->all.of[SUMS_FAILURES]));
    if (rate >= 0) {
        snprintf(text, sizeof text, "%lld.%03lld", (long long)(rate / 1000), (long long)(rate % 1000));
        jwrite_member_text(w, "per1000NodeDays", text);
    }
    jwrite_member_array(w, "byCause");
    for (int i = 0; i < o->cause_count; i++) {
        const struct outcome_cause *c = &o->causes[i];
        jwrite_object(w);
        jwrite_member_text(w, "cause", cause_name(c->cause));
        jwrite_member_int(w, "count", max_of(0, c->count));
        if (c->paid_chip_ms > 0) { /* else no job reports its loss */
            jwrite_member_int(w, "chipSeconds", seconds(c->paid_chip_ms));
            write_amount(w, "cost", cost_caused(&o->all, c->cause, NAN));
        }
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
    write_classes(w, o);
    write_nodes(w, v);
    jwrite_object_end(w);
}

static void write_pools(struct jwrite *w, const struct outcome *o) {
    jwrite_member_array(w, "nodePools");
    for (int i = 0; i < o->pool_count; i++) {
        const struct outcome_pool *p = &o->pools[i];
        jwrite_object(w);
        jwrite_member_text(w, "name", p->name);
        jwrite_member_int(w, "failures", p->failures);
        if (p->node_ms > 0)
            jwrite_member_int(w, "nodeHours", p->node_ms / ROLL_HOUR_MS);
        if (p->mtbf_ms >= 0)
            jwrite_member_int(w, "meanTimeBetweenFailuresSeconds", p->mtbf_ms / 1000);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_suspects(struct jwrite *w, const struct fleets_view *v) {
    const struct outcome *o = v->outcome;
    char text[RFC3339_SIZE], ratio[32];
    if (o->suspect_count == 0)
        return;
    jwrite_member_array(w, "suspectNodes");
    for (int i = 0; i < o->suspect_count; i++) {
        const struct suspect *s = &o->suspects[i];
        jwrite_object(w);
        jwrite_member_text(w, "name", s->node);
        if (s->pool >= 0)
            jwrite_member_text(w, "nodePool", v->roll->pools[s->pool]);
        jwrite_member_int(w, "failures", s->failures);
        jwrite_member_int(w, "poolFailures", s->pool_failures);
        jwrite_member_int(w, "poolNodes", s->pool_nodes);
        snprintf(ratio, sizeof ratio, "%lld.%lld", (long long)(s->ratio_tenths / 10),
                 (long long)(s->ratio_tenths % 10));
        jwrite_member_text(w, "rateRatioAtLeast", ratio);
        jwrite_member_int(w, "chipSeconds", s->chip_ms / 1000);
        jwrite_member_text(w, "firstFailureTime", rfc3339_format_s(text, s->first_ms));
        jwrite_member_text(w, "lastFailureTime", rfc3339_format_s(text, s->last_ms));
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_cost(struct jwrite *w, const struct fleets_view *v) {
    const int64_t *of = v->outcome->all.of;
    if (of[SUMS_PRICED] <= 0)
        return;
    jwrite_member_object(w, "cost");
    jwrite_member_text(w, "currency", v->roll->currency);
    write_amount(w, "allocated", cost_allocated(&v->outcome->all, NAN));
    write_amount(w, "lost", cost_lost(&v->outcome->all, NAN));
    if (of[SUMS_PAID] > 0)
        write_percent(w, "pricedShare", (int64_t)((__int128)of[SUMS_PRICED] * 1000000 / of[SUMS_PAID]));
    jwrite_object_end(w);
}

void fleets_status_write(const struct fleets_view *v, const char *settled, struct buf *out) {
    struct jwrite w;
    jwrite_init(&w, out);
    jwrite_object(&w);
    jwrite_member_int(&w, "observedGeneration", v->generation);
    write_conditions(&w, v);
    if (v->outcome != NULL) {
        write_window(&w, v);
        write_jobs(&w, v);
        write_scores(&w, &v->outcome->all);
        write_chip_seconds(&w, v->outcome);
        write_top(&w, &v->outcome->all);
        write_waterfall(&w, v->outcome);
        write_groups(&w, v->outcome);
        write_losses(&w, v->outcome);
        write_owners(&w, v->outcome);
        write_interruptions(&w, v);
        write_pools(&w, v->outcome);
        write_suspects(&w, v);
        write_cost(&w, v);
    }
    if (settled != NULL)
        jwrite_member_text(&w, "settled", settled);
    jwrite_object_end(&w);
}
