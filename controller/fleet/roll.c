#include "fleet/roll.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "base/rfc3339.h"
#include "fleet/groups.h"
#include "fleet/slots.h"
#include "fleet/spread.h"

#include <string.h>

#define LONGEST_GAP_MS ROLL_HOUR_MS /* nodes are taken to have been the same so long */

/* ---- the window ---- */

static int64_t floor_to(int64_t ms, int64_t unit) {
    int64_t rest = ms % unit;
    return ms - (rest < 0 ? rest + unit : rest);
}

static int64_t month_from(int64_t now_ms) {
    char text[RFC3339_SIZE];
    int64_t from_ms = now_ms;
    rfc3339_format_s(text, now_ms);
    slice_copy(text + 8, sizeof text - 8, SLICE("01T00:00:00Z"));
    return rfc3339_parse_ms(slice_of(text), &from_ms) ? from_ms : now_ms;
}

static int64_t asked_from(const struct roll_options *o, int64_t now_ms) {
    switch (o->window) {
    case ROLL_DAY:
        return floor_to(now_ms, ROLL_DAY_MS);
    case ROLL_WEEK: /* the epoch was a Thursday; weeks begin on Mondays */
        return floor_to(now_ms + 3 * ROLL_DAY_MS, 7 * ROLL_DAY_MS) - 3 * ROLL_DAY_MS;
    case ROLL_MONTH:
        return month_from(now_ms);
    case ROLL_FIXED:
        return o->from_ms;
    case ROLL_ROLLING:
        break;
    }
    return floor_to(now_ms - o->length_ms, ROLL_HOUR_MS);
}

int64_t roll_window_from(const struct roll_options *o, int64_t now_ms) {
    int64_t from_ms = asked_from(o, now_ms);
    if (o->longest_ms > 0 && from_ms < now_ms - o->longest_ms)
        from_ms = floor_to(now_ms - o->longest_ms, slots_unit_ms(o));
    return from_ms;
}

/* ---- life ---- */

void roll_init(struct roll *roll, const struct roll_options *options) {
    *roll = (struct roll){.options = *options,
                          .room = ROLL_ROOM,
                          .since_ms = TIME_UNKNOWN,
                          .rolled_ms = TIME_UNKNOWN,
                          .cursors_cut_ms = TIME_UNKNOWN};
    map_init(&roll->cursors, free);
}

void roll_done(struct roll *roll) {
    for (int i = 0; i < roll->group_count; i++)
        free(roll->groups[i]);
    for (int i = 0; i < roll->pool_count; i++)
        free(roll->pools[i]);
    for (size_t i = 0; i < roll->slot_count; i++)
        slots_free(&roll->slots[i]);
    for (size_t i = 0; i < roll->loser_count; i++)
        free(roll->losers[i].name);
    for (size_t i = 0; i < roll->failure_count; i++)
        free(roll->failures[i].node);
    free(roll->failures);
    free(roll->archived);
    free(roll->slots);
    free(roll->losers);
    map_done(&roll->cursors);
    *roll = (struct roll){0};
}

/* ---- one member ---- */

struct turn {
    struct roll *roll;
    const struct roll_input *input;
    int64_t from_ms; /* of the window */
    struct spread spread;
};

static struct slice key_of(const uint64_t *id) {
    return (struct slice){(const char *)id, sizeof *id};
}

/* After a restart the cursor may know only how far it reached: what was counted before is taken in proportion. */
static void lengthen(struct roll_cursor *c, const struct member *m) {
    struct sums_change life;
    struct sums none = {0}, space;
    int64_t counted_ms = c->through_ms - m->start_ms, wall_ms = m->through_ms - m->start_ms;
    c->is_short = false;
    c->life = none;
    if (wall_ms <= 0 || counted_ms <= 0)
        return;
    sums_change_make(&life, member_life(m, &space), &none, (struct sums_weight){1, 1});
    sums_change_place(&life, (double)counted_ms / (double)wall_ms, &c->life);
}

/* What a job reports of the time after now is counted now: no hours are made of the future. */
static struct sums *sums_at(struct turn *t, int64_t at_ms, int group, struct sums *outside) {
    at_ms = min_of(at_ms, t->input->now_ms);
    if (at_ms < t->from_ms)
        return outside;
    return slots_sums(slots_at(t->roll, at_ms), group);
}

/* Over the slots from `from` until the member's time, those before the window left out. */
static void place(struct turn *t, const struct member *m, struct sums_change *change, int64_t from_ms, int group) {
    struct sums outside = {0};
    int64_t until_ms = min_of(m->through_ms, t->input->now_ms);
    if (until_ms <= from_ms) { /* the same time is reported otherwise */
        int64_t at_ms = max_of(m->start_ms, until_ms - 1);
        sums_change_place(change, 1, sums_at(t, at_ms, group, &outside));
        return;
    }
    int64_t at_ms = from_ms;
    if (at_ms < t->from_ms) {
        at_ms = min_of(t->from_ms, until_ms);
        sums_change_place(change, (double)(at_ms - from_ms) / (double)(until_ms - from_ms), &outside);
    }
    while (at_ms < until_ms) {
        struct roll_slot *slot = slots_at(t->roll, at_ms);
        at_ms = min_of(slot->until_ms, until_ms);
        sums_change_place(change, at_ms == until_ms ? 1 : (double)(at_ms - from_ms) / (double)(until_ms - from_ms),
                          slots_sums(slot, group));
        at_ms = spread_over(&t->spread, change, from_ms, at_ms, until_ms, group);
    }
}

static void drop_failure(struct roll *roll, size_t at) {
    free(roll->failures[at].node);
    memmove(&roll->failures[at], &roll->failures[at + 1], (--roll->failure_count - at) * sizeof *roll->failures);
}

/* What it cost is known when the job trains again. */
static void note_failure(struct turn *t, const struct member *m, const struct member_break *b, bool is_new) {
    struct roll *roll = t->roll;
    size_t i = roll->failure_count;
    while (i > 0 && (roll->failures[i - 1].id != m->id || roll->failures[i - 1].execution != b->number))
        i--;
    if (i == 0 && !is_new)
        return;
    if (i == 0) {
        if (roll->failure_count == ROLL_FAILURES)
            drop_failure(roll, 0);
        MEM_GROW(roll->failures, roll->failure_count, roll->failure_capacity);
        i = ++roll->failure_count;
        roll->failures[i - 1] = (struct roll_failure){.id = m->id, .execution = b->number};
    }
    struct roll_failure *f = &roll->failures[i - 1];
    free(f->node);
    f->node = mem_strdup(b->node);
    f->pool = b->pool[0] != '\0' ? slots_pool_place(roll, b->pool) : -1;
    f->at_ms = b->at_ms;
    f->class_ = b->class_;
    f->owner = b->owner;
    f->chip_ms = b->lost_ms * m->weight.chips;
}

/* Evidence of a node may come minutes after the interruption. */
static void count_breaks(struct turn *t, const struct member *m, int64_t after) {
    for (size_t i = 0; i < m->break_count; i++) {
        const struct member_break *b = &m->breaks[i];
        bool is_new = b->number > after || b->at_ms >= t->input->now_ms - ROLL_HOUR_MS;
        if (b->node != NULL && !b->is_excluded && b->at_ms >= t->from_ms && b->at_ms <= t->input->now_ms &&
            (is_new || b->at_ms >= t->input->now_ms - ROLL_DAY_MS))
            note_failure(t, m, b, is_new);
        if (b->pool[0] == '\0')
            continue;
        int pool =
            b->number > after && !b->is_excluded && b->at_ms >= t->from_ms ? slots_pool_place(t->roll, b->pool) : -1;
        if (pool >= 0)
            slots_pool(slots_at(t->roll, min_of(b->at_ms, t->input->now_ms)), pool)->failures++;
    }
}

static void count_end(struct turn *t, struct roll_cursor *c, int64_t at_ms) {
    struct sums outside = {0};
    struct sums *to = sums_at(t, at_ms, c->group, &outside);
    to->of[SUMS_ENDED]++;
    to->of[SUMS_ENDED_WITHOUT_STEPS] += !c->has_steps;
    c->is_ended = true;
}

static void remember_loser(struct roll *roll, const struct member *m, int bucket, int64_t chip_ms) {
    struct roll_loser *min = NULL;
    int count = 0;
    for (size_t i = 0; i < roll->loser_count; i++) {
        struct roll_loser *l = &roll->losers[i];
        if (l->bucket != bucket)
            continue;
        count++;
        if (min == NULL || l->chip_ms < min->chip_ms || (l->chip_ms == min->chip_ms && strcmp(l->name, min->name) > 0))
            min = l;
    }
    if (count < ROLL_LOSERS) {
        MEM_GROW(roll->losers, roll->loser_count, roll->loser_capacity);
        min = &roll->losers[roll->loser_count++];
        *min = (struct roll_loser){0};
    } else if (chip_ms < min->chip_ms || (chip_ms == min->chip_ms && strcmp(m->full_name, min->name) >= 0)) {
        return;
    }
    free(min->name);
    *min = (struct roll_loser){bucket, mem_strdup(m->full_name), chip_ms, m->start_ms, m->through_ms};
}

static void remember_losses(struct turn *t, const struct member *m) {
    struct sums space;
    const struct sums *life = member_life(m, &space);
    for (int b = 0; b < SUMS_BUCKETS; b++)
        if (life->of[SUMS_LOST(b)] > 0 && m->through_ms > t->from_ms)
            remember_loser(t->roll, m, b, life->of[SUMS_LOST(b)] * m->weight.chips);
}

/* A job that existed at the roll-up after which there was no room for its cursor is in the sums up to there. */
static void resume(const struct roll *roll, const struct member *m, struct roll_cursor *c) {
    int64_t at_ms = roll->cursors_cut_ms;
    if (at_ms == TIME_UNKNOWN || m->created_ms == TIME_UNKNOWN || m->created_ms > at_ms)
        return;
    c->is_short = true;
    c->through_ms = max_of(m->start_ms, min_of(m->through_ms, at_ms));
    c->is_ended = m->end_ms != TIME_UNKNOWN && m->through_ms <= at_ms;
    for (size_t i = 0; i < m->break_count; i++)
        if (m->breaks[i].at_ms <= at_ms)
            c->execution = max_of(c->execution, m->breaks[i].number);
}

static struct roll_cursor *cursor_of(struct turn *t, const struct member *m, bool may_add) {
    struct roll *roll = t->roll;
    struct roll_cursor *c = map_get(&roll->cursors, key_of(&m->id));
    bool is_over = m->end_ms != TIME_UNKNOWN && m->through_ms <= t->from_ms;
    if (c != NULL || !may_add || is_over)
        return c;
    if (roll->cursors.count >= ROLL_JOBS) {
        roll->beyond++;
        return NULL;
    }
    c = mem_new(struct roll_cursor);
    *c = (struct roll_cursor){.through_ms = m->start_ms, .execution = -1, .id = m->id};
    c->is_spread = m->through_ms - m->start_ms > ROLL_HOUR_MS;
    resume(roll, m, c);
    map_put(&roll->cursors, key_of(&m->id), c);
    return c;
}

static void advance(struct turn *t, const struct roll_member *rm, struct roll_cursor *c, int group) {
    const struct member *m = rm->member;
    struct sums space, life = *member_life(m, &space);
    if (c->is_short)
        lengthen(c, m);
    if (t->roll->currency[0] == '\0')
        memcpy(t->roll->currency, m->currency, sizeof m->currency);
    if (strcmp(t->roll->currency, m->currency) != 0) {
        sums_leave_out_costs(&life);
        sums_leave_out_costs(&c->life);
    }
    if (rm->is_selected) {
        struct sums_change change;
        c->group = group;
        sums_change_make(&change, &life, &c->life, m->weight);
        if (change.count > 0)
            place(t, m, &change, c->through_ms, group);
        count_breaks(t, m, c->execution);
        c->has_steps = m->has_steps;
        if (m->end_ms != TIME_UNKNOWN && !c->is_ended)
            count_end(t, c, max_of(m->through_ms - 1, m->start_ms));
    }
    c->life = life;
    c->through_ms = m->through_ms;
    c->execution = max_of(c->execution, m->last_execution);
}

static void take(struct turn *t, const struct roll_member *rm, int group) {
    struct roll *roll = t->roll;
    const struct member *m = rm->member;
    bool is_counted = m->has_time && m->weight.chips > 0;
    if (rm->is_selected && !rm->is_deleted) {
        roll->without_time += !m->has_time;
        roll->without_chips += m->has_time && m->weight.chips == 0;
    }
    struct roll_cursor *c = is_counted ? cursor_of(t, m, rm->is_selected) : map_get(&roll->cursors, key_of(&m->id));
    if (c == NULL || c->turn == roll->turn)
        return;
    c->turn = roll->turn;
    if (is_counted && !(c->is_short && c->is_ended))
        advance(t, rm, c, group);
    if (!rm->is_selected)
        return;
    if (rm->is_deleted) {
        if (!c->is_ended)
            count_end(t, c, max_of(c->through_ms - 1, m->start_ms));
        remember_losses(t, m);
        map_remove(&roll->cursors, key_of(&m->id));
    } else if (!c->is_ended) {
        roll->live++;
        roll->live_without_steps += !c->has_steps;
    }
}

/* ---- all of them ---- */

static int by_name(const void *a, const void *b) {
    const struct roll_member *x = a, *y = b;
    int r = strcmp(x->member->full_name, y->member->full_name);
    if (r == 0 && x->member->id != y->member->id)
        r = x->member->id < y->member->id ? -1 : 1;
    return r != 0 ? r : x->is_deleted - y->is_deleted;
}

static void add_nodes(struct turn *t) {
    const struct roll_input *in = t->input;
    int64_t at_ms = t->roll->rolled_ms, gap_ms = at_ms == TIME_UNKNOWN ? 0 : in->now_ms - at_ms;
    if (!in->has_capacity || gap_ms <= 0 || gap_ms > LONGEST_GAP_MS)
        return;
    for (int64_t until_ms; at_ms < in->now_ms; at_ms = until_ms) {
        struct roll_slot *slot = slots_at(t->roll, at_ms);
        until_ms = min_of(slot->until_ms, in->now_ms);
        slot->capacity_ms += until_ms - at_ms;
        for (size_t i = 0; i < in->node_count; i++) {
            int pool = slots_pool_place(t->roll, in->nodes[i].pool);
            slot->capacity_chip_ms += in->nodes[i].chips * (until_ms - at_ms);
            if (pool >= 0)
                slots_pool(slot, pool)->node_ms += in->nodes[i].nodes * (until_ms - at_ms);
        }
    }
}

/* Of jobs that are not there any more their end is counted where they were seen last; what ended before the window is
 * forgotten. */
static void drop_cursors(struct turn *t) {
    struct roll *roll = t->roll;
    size_t i = 0;
    while (i < roll->cursors.count) {
        struct roll_cursor *c = map_at(&roll->cursors, i);
        bool is_deleted = c->turn != roll->turn;
        if (is_deleted && !c->is_ended)
            count_end(t, c, c->through_ms - 1);
        if (is_deleted || (c->is_ended && c->through_ms <= t->from_ms)) {
            map_remove(&roll->cursors, key_of(&c->id)); /* the last one moves here */
            continue;
        }
        roll->spread += c->is_spread;
        i++;
    }
}

static void forget_old(struct turn *t) {
    struct roll *roll = t->roll;
    slots_forget(roll, t->from_ms);
    size_t kept = 0;
    for (size_t i = 0; i < roll->loser_count; i++) {
        if (roll->losers[i].end_ms > t->from_ms)
            roll->losers[kept++] = roll->losers[i];
        else
            free(roll->losers[i].name);
    }
    roll->loser_count = kept;
    for (size_t i = roll->failure_count; i-- > 0;)
        if (roll->failures[i].at_ms < t->from_ms)
            drop_failure(roll, i);
}

void roll_up(struct roll *roll, const struct roll_input *input) {
    struct turn t = {roll, input, roll_window_from(&roll->options, input->now_ms), {0}};
    roll->turn++;
    roll->live = roll->live_without_steps = roll->spread = roll->without_time = roll->without_chips = roll->beyond = 0;
    if (roll->since_ms == TIME_UNKNOWN)
        roll->since_ms = input->now_ms;
    forget_old(&t);
    qsort(input->members, input->count, sizeof *input->members, by_name);
    roll_assign_groups(roll, input, t.from_ms);
    add_nodes(&t);
    spread_init(&t.spread, roll, t.from_ms, input->now_ms);
    int group = -1;
    const char *last = NULL;
    for (size_t i = 0; i < input->count; i++) {
        const struct roll_member *m = &input->members[i];
        if (m->is_selected && m->group != last) {
            group = roll_group(roll, m->group);
            last = m->group;
        }
        take(&t, m, group >= 0 ? group : ROLL_ROOM);
    }
    drop_cursors(&t);
    spread_done(&t.spread);
    roll->cursors_cut_ms = TIME_UNKNOWN;
    roll->rolled_ms = input->now_ms;
}
