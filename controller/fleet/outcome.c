#include "fleet/outcome.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "fleet/roll_archive.h"

#include <string.h>

/* ---- sums ---- */

static int by_lost(const void *a, const void *b) {
    const struct outcome_group *x = a, *y = b;
    int order = sums_compare_lost(&x->sums, &y->sums);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static int by_pool(const void *a, const void *b) {
    return strcmp(((const struct outcome_pool *)a)->name, ((const struct outcome_pool *)b)->name);
}

static bool is_in(const struct roll *roll, const struct roll_slot *slot, int64_t from_ms) {
    return slot->until_ms > from_ms && !(roll->options.window == ROLL_FIXED && slot->from_ms >= roll->options.until_ms);
}

/* But for a little that roll-ups miss at its edges. */
static bool is_covered(const struct roll_slot *slot, int64_t now_ms) {
    int64_t passed_ms = min_of(slot->until_ms, now_ms) - slot->from_ms;
    return slot->capacity_ms > 0 && slot->capacity_ms >= passed_ms / 10 * 9;
}

static void add_slot(struct outcome *o, const struct roll_slot *slot) {
    bool covers = is_covered(slot, o->until_ms);
    o->from_ms = min_of(o->from_ms, slot->from_ms);
    if (covers) {
        o->capacity_chip_ms += slot->capacity_chip_ms;
        o->capacity_ms += slot->capacity_ms;
    }
    for (size_t i = 0; i < slot->group_count; i++) {
        if (covers)
            sums_add(&o->covered, &slot->groups[i].sums);
        sums_add(&o->groups[slot->groups[i].group].sums, &slot->groups[i].sums);
        sums_add(&o->all, &slot->groups[i].sums);
    }
    for (size_t i = 0; i < slot->pool_count; i++) {
        o->pools[slot->pools[i].pool].node_ms += slot->pools[i].node_ms;
        o->pools[slot->pools[i].pool].failures += slot->pools[i].failures;
    }
}

static bool is_empty(const struct sums *s) {
    for (int i = 0; i < SUMS_COUNT; i++)
        if (s->of[i] != 0)
            return false;
    return true;
}

static int by_size(const void *a, const void *b) {
    const struct outcome_group *x = a, *y = b;
    int64_t size_x = x->sums.of[SUMS_WALL], size_y = y->sums.of[SUMS_WALL];
    return size_x != size_y ? (size_x < size_y ? 1 : -1) : strcmp(x->name, y->name);
}

static void count_jobs(const struct roll *roll, struct outcome *o) {
    for (size_t i = 0; i < roll->cursors.count; i++) {
        const struct roll_cursor *c = map_at(&roll->cursors, i);
        if (c->is_ended || c->group >= o->group_count)
            continue;
        o->groups[c->group].jobs++;
        o->groups[c->group].without_steps += !c->has_steps;
    }
    for (int i = 0; i < o->group_count; i++) {
        o->groups[i].jobs += o->groups[i].sums.of[SUMS_ENDED];
        o->groups[i].without_steps += o->groups[i].sums.of[SUMS_ENDED_WITHOUT_STEPS];
    }
}

static void add_group(struct outcome_group *to, const struct outcome_group *more) {
    sums_add(&to->sums, &more->sums);
    to->jobs += more->jobs;
    to->without_steps += more->without_steps;
}

/* The smallest are one: what had no place in the roll, and what there is no row for here. */
static void sort_groups(struct outcome *o) {
    struct outcome_group other = {.name = ROLL_OTHER};
    int kept = 0;
    for (int i = 0; i < o->group_count; i++) {
        bool is_empty_group = is_empty(&o->groups[i].sums) && o->groups[i].jobs == 0;
        if (i == ROLL_ROOM)
            other = o->groups[i];
        else if (!is_empty_group)
            o->groups[kept++] = o->groups[i];
    }
    bool has_other = !is_empty(&other.sums) || other.jobs > 0 || kept > OUTCOME_GROUPS;
    qsort(o->groups, (size_t)kept, sizeof o->groups[0], by_size);
    while (has_other && kept >= OUTCOME_GROUPS)
        add_group(&other, &o->groups[--kept]);
    if (has_other)
        o->groups[kept++] = other;
    o->group_count = kept;
    qsort(o->groups, (size_t)kept, sizeof o->groups[0], by_lost);
}

static void sort_pools(struct outcome *o) {
    int kept = 0;
    for (int i = 0; i < o->pool_count; i++) {
        struct outcome_pool *p = &o->pools[i];
        p->mtbf_ms = p->failures > 0 && p->node_ms > 0 ? p->node_ms / p->failures : -1;
        if (p->failures > 0 || p->node_ms > 0)
            o->pools[kept++] = *p;
    }
    o->pool_count = kept;
    qsort(o->pools, (size_t)kept, sizeof o->pools[0], by_pool);
}

/* ---- losses ---- */

static int by_chip_time(const void *a, const void *b) {
    const struct outcome_loss *x = a, *y = b;
    if (x->chip_ms != y->chip_ms)
        return x->chip_ms < y->chip_ms ? 1 : -1;
    return x->bucket - y->bucket;
}

static void add_job(struct outcome_loss *loss, const char *name, int64_t chip_ms) {
    int at = 0;
    if (chip_ms <= 0)
        return;
    while (at < loss->job_count && (loss->jobs[at].chip_ms > chip_ms ||
                                    (loss->jobs[at].chip_ms == chip_ms && strcmp(loss->jobs[at].name, name) < 0)))
        at++;
    if (at == OUTCOME_JOBS)
        return;
    int moved =
        min_of(loss->job_count, OUTCOME_JOBS - 1) - at > 0 ? (int)min_of(loss->job_count, OUTCOME_JOBS - 1) - at : 0;
    memmove(&loss->jobs[at + 1], &loss->jobs[at], (size_t)moved * sizeof loss->jobs[0]);
    loss->jobs[at] = (struct outcome_job){name, chip_ms};
    loss->job_count += loss->job_count < OUTCOME_JOBS;
}

/* The part of a life that lies in the window. */
static double share_of(const struct outcome *o, int64_t start_ms, int64_t end_ms) {
    int64_t from_ms = max_of(start_ms, o->from_ms), until_ms = min_of(end_ms, o->until_ms);
    if (until_ms <= from_ms || end_ms <= start_ms)
        return 0;
    return (double)(until_ms - from_ms) / (double)(end_ms - start_ms);
}

static void find_losses(const struct roll *roll, const struct roll_input *input, struct outcome *o) {
    struct outcome_loss all[SUMS_BUCKETS] = {0};
    for (int b = 0; b < SUMS_BUCKETS; b++) {
        all[b].bucket = b;
        all[b].chip_ms = o->all.of[SUMS_LOST(b)];
        all[b].paid_chip_ms = o->all.of[SUMS_PAID_LOST(b)];
    }
    for (size_t i = 0; i < input->count; i++) {
        const struct member *m = input->members[i].member;
        if (!input->members[i].is_selected || input->members[i].is_deleted || !m->has_time || m->weight.chips == 0)
            continue;
        double share = share_of(o, m->start_ms, m->through_ms) * (double)m->weight.chips;
        struct sums space;
        const struct sums *life = member_life(m, &space);
        for (int b = 0; b < SUMS_BUCKETS && share > 0; b++)
            if (life->of[SUMS_LOST(b)] > 0)
                add_job(&all[b], m->full_name, (int64_t)((double)life->of[SUMS_LOST(b)] * share));
    }
    for (size_t i = 0; i < roll->loser_count; i++) {
        const struct roll_loser *l = &roll->losers[i];
        add_job(&all[l->bucket], l->name, (int64_t)((double)l->chip_ms * share_of(o, l->start_ms, l->end_ms)));
    }
    qsort(all, SUMS_BUCKETS, sizeof all[0], by_chip_time);
    for (int i = 0; i < SUMS_BUCKETS && o->loss_count < OUTCOME_LOSSES && all[i].chip_ms > 0; i++)
        if (sums_is_loss(all[i].bucket))
            o->losses[o->loss_count++] = all[i];
}

static int by_cost(const void *a, const void *b) {
    const struct outcome_cause *x = a, *y = b;
    if (x->paid_chip_ms != y->paid_chip_ms)
        return x->paid_chip_ms < y->paid_chip_ms ? 1 : -1;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : (int)x->cause - (int)y->cause;
}

static void find_causes(struct outcome *o) {
    for (int c = 0; c < CAUSE_COUNT; c++) {
        struct outcome_cause one = {(enum cause)c, o->all.of[SUMS_CAUSED(c)], o->all.of[SUMS_PAID_CAUSED(c)]};
        if (one.count > 0 || one.paid_chip_ms > 0)
            o->causes[o->cause_count++] = one;
    }
    qsort(o->causes, (size_t)o->cause_count, sizeof o->causes[0], by_cost);
}

static int by_count(const void *a, const void *b) {
    const struct outcome_class *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : (int)x->class_ - (int)y->class_;
}

static void find_classes(struct outcome *o) {
    for (int c = 0; c < CLASS_COUNT; c++)
        if (o->all.of[SUMS_OF_CLASS(c)] > 0)
            o->classes[o->class_count++] = (struct outcome_class){(enum rootcause_class)c, o->all.of[SUMS_OF_CLASS(c)]};
    qsort(o->classes, (size_t)o->class_count, sizeof o->classes[0], by_count);
}

/* ---- the waterfall ---- */

static void step(struct outcome *o, const char *name, bool is_total, int64_t chip_s) {
    if (o->step_count < OUTCOME_STEPS && (is_total || chip_s != 0))
        o->waterfall[o->step_count++] = (struct outcome_step){name, is_total, chip_s};
}

struct fall {
    int64_t level_ms; /* what is left */
};

static void lose(struct outcome *o, struct fall *f, const char *name, int64_t chip_ms) {
    int64_t before_s = f->level_ms / 1000;
    f->level_ms -= chip_ms;
    step(o, name, false, before_s - f->level_ms / 1000);
}

static void total(struct outcome *o, const struct fall *f, const char *name) {
    step(o, name, true, f->level_ms / 1000);
}

/* From the capacity, of the chips that are bound to nodes; without it, from what was asked for. */
static void make_waterfall(struct outcome *o, bool has_capacity) {
    const int64_t *of = has_capacity ? o->covered.of : o->all.of;
    struct fall f = {has_capacity ? o->capacity_chip_ms : of[SUMS_WALL]};
    int first = has_capacity ? SUMS_PAID_LOST(0) : SUMS_LOST(0);
    total(o, &f, has_capacity ? "Capacity" : "Asked");
    if (has_capacity) {
        lose(o, &f, "Idle", o->idle_chip_ms);
        total(o, &f, "Allocated");
    }
    for (int b = 0; b < SUMS_BUCKETS; b++) {
        if (!has_capacity && b == BUCKET_IMAGE_PULL)
            total(o, &f, "Available");
        lose(o, &f, sums_bucket_name(b), of[first + b]);
    }
    total(o, &f, "Productive");
    if (of[SUMS_PROGRAMMED] <= 0 || of[SUMS_PROGRAMMED] != of[SUMS_PRODUCTIVE])
        return; /* of some job it is not known what its steps were worth */
    int64_t ideal_ms = (int64_t)((double)f.level_ms * ((double)of[SUMS_IDEAL] / (double)of[SUMS_PROGRAMMED]));
    lose(o, &f, "ProgramLoss", f.level_ms - ideal_ms);
    total(o, &f, "Ideal");
}

static int64_t paid(const struct sums *s) {
    int64_t sum = s->of[SUMS_PAID_PRODUCTIVE];
    for (int b = 0; b < SUMS_BUCKETS; b++)
        sum += s->of[SUMS_PAID_LOST(b)];
    return sum;
}

/* Pools by their index plus one: 0 is that of nodes without one. */
static void find_suspects(const struct roll *roll, const struct roll_input *input, struct outcome *o) {
    CLEANUP_FREE struct suspect_failure *failures = mem_alloc((roll->failure_count + 1) * sizeof *failures);
    int64_t nodes[ROLL_POOLS + 1] = {0};
    if (input->working_nodes == NULL)
        return;
    for (size_t i = 0; i < roll->failure_count; i++) {
        const struct roll_failure *f = &roll->failures[i];
        failures[i] = (struct suspect_failure){f->node, f->pool + 1, f->at_ms, f->chip_ms};
        if (nodes[f->pool + 1] == 0)
            nodes[f->pool + 1] = input->working_nodes(input->context, f->pool < 0 ? "" : roll->pools[f->pool]);
    }
    o->suspect_count = suspects_find(failures, roll->failure_count, nodes, o->suspects);
    for (int i = 0; i < o->suspect_count; i++)
        o->suspects[i].pool--;
}

void outcome_make(const struct roll *roll, const struct roll_input *input, struct outcome *o) {
    const struct roll_archived *unread = roll_archive_unread(roll); /* all before is not known yet */
    int64_t from_ms = max_of(roll_window_from(&roll->options, input->now_ms), unread != NULL ? unread->until_ms : 0);
    memset(o, 0, sizeof *o);
    o->from_ms = from_ms;
    o->until_ms = roll->options.window == ROLL_FIXED ? roll->options.until_ms : input->now_ms;
    o->group_count = roll->group_count;
    o->pool_count = roll->pool_count;
    for (int i = 0; i < roll->group_count; i++)
        o->groups[i].name = roll->groups[i];
    for (int i = 0; i < roll->pool_count; i++)
        o->pools[i].name = roll->pools[i];
    for (size_t i = 0; i < roll->slot_count; i++)
        if (is_in(roll, &roll->slots[i], from_ms))
            add_slot(o, &roll->slots[i]);
    count_jobs(roll, o);
    sort_groups(o);
    sort_pools(o);
    o->jobs = roll->live + o->all.of[SUMS_ENDED];
    o->without_steps = roll->live_without_steps + o->all.of[SUMS_ENDED_WITHOUT_STEPS];
    o->idle_chip_ms = o->capacity_ms > 0 ? o->capacity_chip_ms - paid(&o->covered) : -1;
    if (o->idle_chip_ms < 0)
        o->idle_chip_ms = -1;
    find_losses(roll, input, o);
    find_causes(o);
    find_classes(o);
    nodes_count(roll, &o->nodes);
    find_suspects(roll, input, o);
    make_waterfall(o, o->idle_chip_ms >= 0);
}
