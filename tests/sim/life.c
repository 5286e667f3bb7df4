/* A life: its random shape, its agenda, and the loop that turns it. */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "random.h"
#include "sim.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

int64_t sim_pick(struct sim_life *l, int64_t low, int64_t high) {
    assert(low <= high);
    return low + (int64_t)(random_next(&l->rng) % (uint64_t)(high - low + 1));
}

bool sim_chance(struct sim_life *l, int percent) {
    return sim_pick(l, 1, 100) <= percent;
}

void sim_print_story(struct sim_life *l, const char *what) {
    if (l->story_count < 64) {
        l->story_ms[l->story_count] = l->now_ms;
        l->story[l->story_count++] = what;
    }
}

/* ---- the agenda: a binary heap by time, then by order of entry ---- */

static bool is_before(const struct sim_item *a, const struct sim_item *b) {
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

void sim_at(struct sim_life *l, int64_t after_ms, void (*act)(struct sim_life *, int), int arg) {
    MEM_GROW(l->agenda, l->agenda_count, l->agenda_capacity);
    size_t i = l->agenda_count++;
    struct sim_item item = {l->now_ms + (after_ms > 0 ? after_ms : 0), l->next_order++, act, arg};
    for (; i > 0 && is_before(&item, &l->agenda[(i - 1) / 2]); i = (i - 1) / 2)
        l->agenda[i] = l->agenda[(i - 1) / 2];
    l->agenda[i] = item;
}

static struct sim_item take_next(struct sim_life *l) {
    struct sim_item first = l->agenda[0], last = l->agenda[--l->agenda_count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= l->agenda_count)
            break;
        if (child + 1 < l->agenda_count && is_before(&l->agenda[child + 1], &l->agenda[child]))
            child++;
        if (!is_before(&l->agenda[child], &last))
            break;
        l->agenda[i] = l->agenda[child];
        i = child;
    }
    l->agenda[i] = last;
    return first;
}

/* ---- what is written ---- */

const char *sim_stamp(int64_t ms) {
    static char ring[16][RFC3339_SIZE];
    static int next;
    return rfc3339_format_s(ring[next++ % 16], ms);
}

void sim_keep(struct sim_life *l, enum resource resource, enum observed what, const char *uid, const char *name,
              struct buf *json) {
    MEM_GROW(l->writes, l->write_count, l->write_capacity);
    struct sim_write *w = &l->writes[l->write_count++];
    *w = (struct sim_write){.at_ms = l->now_ms, .resource = resource, .what = what};
    snprintf(w->uid, sizeof w->uid, "%s", uid);
    snprintf(w->name, sizeof w->name, "%s", name);
    w->json = buf_take(json);
}

/* ---- the end ---- */

/* Of the lives whose end no test awaits, some continue. */
static bool is_to_succeed(const struct sim_life *l, const struct sim_pod *p) {
    if (l->shape.success == ALL_JOBS)
        return true;
    return sim_is_trainer(l, p->group) && (l->shape.success == ALL_TRAINERS || p->job_index == 0);
}

static void succeed(struct sim_life *l, int arg) {
    (void)arg;
    if (l->is_finished || !l->exists)
        return;
    if (l->shape.is_managed_elsewhere) { /* its status is copied from where it runs */
        jobset_end(l, false);
        return;
    }
    if (l->strikes_left > 0 || !jobset_is_ready(l) || l->is_suspended || l->evicted.is_true) {
        sim_at(l, 20000, succeed, 0);
        return;
    }
    for (int i = 0; i < l->pod_count; i++)
        if (l->pods[i].exists && l->pods[i].is_running && !l->pods[i].is_terminating &&
            !l->nodes[l->pods[i].node].is_silent && is_to_succeed(l, &l->pods[i]))
            pod_finish(l, i, 0, "Completed");
    sim_at(l, 60000, succeed, 0); /* should one have been struck meanwhile */
}

static void give_up(struct sim_life *l, int arg) {
    (void)arg;
    if (l->is_finished || !l->exists)
        return;
    sim_print_story(l, "deleted by a person");
    l->exists = false;
    l->is_deleted = true;
    truth_finish(l);
    l->end_ms = l->now_ms;
    write_jobset(l, OBSERVED_DELETED);
}

static void create(struct sim_life *l, int arg) {
    (void)arg;
    truth_begin(l);
    jobset_create(l);
    sim_at(l, sim_pick(l, 60000, 900000), succeed, 0);
    sim_at(l, sim_chance(l, 8) ? sim_pick(l, 20000, 1200000) : 7200000, give_up, 0);
    strike_plan(l);
    jobset_resize_plan(l);
}

static void run_once(struct sim_life *l, uint64_t seed) {
    l->seed = l->rng = seed;
    l->end_ms = NOT_YET;
    l->now_ms = SIM_EPOCH_MS + sim_pick(l, 0, 86400000);
    for (int i = 0; i < SIM_MAX_SLOTS; i++)
        l->newest[i] = -1;
    shape_choose(l);
    nodes_create(l);
    sim_at(l, sim_pick(l, 2000, 9999), create, 0);
    while (l->agenda_count > 0 && (l->end_ms == NOT_YET || l->agenda[0].at_ms < l->end_ms + 5000)) {
        struct sim_item item = take_next(l);
        if (l->end_ms == NOT_YET && l->truth.has_started)
            truth_advance(l, item.at_ms);
        l->now_ms = item.at_ms;
        item.act(l, item.arg);
        if (l->end_ms == NOT_YET && l->truth.has_started)
            truth_look(l);
    }
    assert(l->end_ms != NOT_YET);
}

/* Twice: whether a silent node's slot was held depends on whether the node comes back, which the first run finds out.
 * The truth decides nothing of what happens, so both runs are the same life. */
void sim_run(struct sim_life *l, uint64_t seed) {
    struct sim_life first = {0};
    run_once(&first, seed);
    *l = (struct sim_life){0};
    memcpy(l->comes_back, first.comes_back, sizeof l->comes_back);
    run_once(l, seed);
    assert(l->write_count == first.write_count && l->rng == first.rng);
    sim_done(&first);
}

void sim_done(struct sim_life *l) {
    for (size_t i = 0; i < l->write_count; i++)
        free(l->writes[i].json);
    free(l->writes);
    free(l->agenda);
    free(l->pods);
    free(l->jobs);
    free(l->truth.interruptions);
    *l = (struct sim_life){0};
}
