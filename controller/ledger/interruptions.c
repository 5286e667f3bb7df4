#include "ledger/interruptions.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/rfc3339.h"
#include "ledger/disruptions.h"

#include <stdio.h>
#include <string.h>

#define CAUSE_BEFORE_MS 60000       /* a cause strikes at most this long before the loss is observed ... */
#define SLOW_CAUSE_BEFORE_MS 900000 /* ... or this, for causes that are detected late */
#define WHOLE_SECOND_MS 1000        /* times in objects are whole seconds */

/* ---- availability, from objects and records together ---- */

struct effective {
    int64_t from_ms, to_ms;
    const struct slot_state *slots;
    bool by_objects, is_available, is_unobserved, is_slot_edge;
};

struct effectives {
    struct effective *items;
    size_t count, capacity;
};

static struct effectives combine(const struct slot_timeline *slots, const struct training *t, int64_t limit_ms) {
    struct effectives list = {0};
    size_t s = slot_timeline_at(slots, t->from_ms), r = 0;
    for (int64_t at = t->from_ms; at < limit_ms;) {
        while (s + 1 < slots->count && slots->items[s + 1].from_ms <= at)
            s++;
        int64_t next = s + 1 < slots->count ? slots->items[s + 1].from_ms : limit_ms;
        int64_t begin = TIME_OPEN, end = TIME_OPEN;
        for (; r < t->run_count; r++) {
            const struct view *v = &t->views[t->runs[r].view];
            begin = max_of(t->runs[r].begin_ms, v->begin_ms);
            end = min_of(t->runs[r].end_ms, v->end_ms);
            if (end > at && end > begin)
                break;
        }
        bool is_proved = r < t->run_count && begin <= at;
        if (r < t->run_count)
            next = min_of(next, is_proved ? end : begin);
        next = min_of(next, limit_ms);
        bool by_objects = slot_state_is_available(&slots->items[s]);
        MEM_GROW(list.items, list.count, list.capacity);
        list.items[list.count++] = (struct effective){.from_ms = at,
                                                      .to_ms = next,
                                                      .slots = &slots->items[s],
                                                      .by_objects = by_objects,
                                                      .is_available = by_objects || is_proved,
                                                      .is_unobserved = slot_state_is_unobserved(&slots->items[s]),
                                                      .is_slot_edge = slots->items[s].from_ms == at};
        at = next;
    }
    return list;
}

/* ---- the start of an interruption ---- */

static void add(struct interruptions *list, struct interruption item) {
    MEM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = item;
}

/* Opens an interruption that lasts until all slots are available again. */
static void open_loss(struct interruptions *list, const struct effective *x, struct loss_finder *f) {
    if (f->is_restarting) /* part of the same failure: the restart failed */
        list->items[list->count - 1].until_ms = TIME_OPEN;
    else
        add(list, (struct interruption){x->from_ms, TIME_OPEN, f->lost_ms, TIME_OPEN, NULL, 0, TIME_UNKNOWN});
    f->is_restarting = false;
}

/* By objects all slots are available again. If steps prove that training continued meanwhile without one of them, the
 * execution ends where the new pod takes over. */
static void regain(struct interruptions *list, const struct effective *x, struct loss_finder *f) {
    if (f->has_lost_pod && !f->is_counted && !f->is_restarting) {
        add(list, (struct interruption){x->from_ms, x->from_ms, f->lost_ms, TIME_OPEN, NULL, 0, TIME_UNKNOWN});
        f->is_restarting = true;
    }
    f->lost_ms = TIME_UNKNOWN;
    f->has_lost_pod = f->is_counted = false;
}

/* Shorter than the resolution of whole-second timestamps and followed by unobserved time: it does not prove that all
 * slots were available again. */
static bool is_instant_before_gap(const struct effectives *e, size_t i) {
    return i + 1 < e->count && e->items[i + 1].is_unobserved &&
           e->items[i].to_ms - e->items[i].from_ms < WHOLE_SECOND_MS;
}

/* Finds slots that were lost or replaced, or whose containers restarted. In-place restarts of several slots are one
 * interruption until all run again; losses are one until all slots are available again. Unobserved time alone opens
 * none. */
static struct loss_finder find_losses(struct interruptions *list, const struct effectives *e, struct loss_finder f) {
    bool is_open = false;
    for (size_t i = 0; i < e->count; i++) {
        const struct effective *x = &e->items[i];
        if (is_open && x->is_available && is_instant_before_gap(e, i))
            continue;
        if (x->by_objects)
            regain(list, x, &f);
        else if (f.lost_ms == TIME_UNKNOWN)
            f.lost_ms = x->from_ms;
        f.was_available |= i > 0 && e->items[i - 1].is_available;
        bool is_edge = x->is_slot_edge && (x->slots->is_replaced || x->slots->is_restarted);
        if (!x->is_available) {
            is_edge |= x->is_slot_edge && x->slots->is_lost;
            bool is_loss = x->is_unobserved ? is_edge : x->slots->available < f.last_count;
            if (f.was_available && is_loss && !is_open) {
                open_loss(list, x, &f);
                is_open = f.is_counted = true;
            }
            f.was_available &= x->is_unobserved;
            continue;
        }
        f.has_lost_pod |= !x->by_objects && x->is_slot_edge && x->slots->is_lost && f.last_count >= 0;
        f.last_count = x->by_objects ? x->slots->available : max_of(f.last_count, x->slots->required);
        if (is_open)
            list->items[list->count - 1].until_ms = x->from_ms;
        if (is_edge && f.was_available && !is_open && !f.is_restarting) {
            add(list, (struct interruption){x->from_ms, x->from_ms, x->from_ms, TIME_OPEN, NULL, 0, TIME_UNKNOWN});
            f.is_restarting = true;
            f.is_counted = !x->by_objects;
        }
        is_open = f.was_available = false;
        if (slot_state_is_running(x->slots))
            f.is_restarting = false;
    }
    return f;
}

static int compare_interruptions(const void *a, const void *b) {
    const struct interruption *x = a, *y = b;
    if (x->at_ms != y->at_ms)
        return x->at_ms < y->at_ms ? -1 : 1;
    return (x->until_ms > y->until_ms) - (x->until_ms < y->until_ms);
}

/* The last interruption whose loss was observed no later than ms (they are in time order); -1: none. */
static ptrdiff_t last_before(const struct interruptions *list, int64_t ms) {
    return (ptrdiff_t)BISECT(i, list->count, list->items[i].lost_ms <= ms) - 1;
}

static size_t effective_at(const struct effectives *e, int64_t ms) {
    return BISECT(i, e->count, e->items[i].to_ms <= ms);
}

/* Adds an interruption without a loss. It lasts until the slots are available, if they are not. */
static void add_point(struct interruptions *points, const struct effectives *e, int64_t at_ms) {
    size_t i = effective_at(e, at_ms);
    while (i < e->count && !e->items[i].is_available)
        i++;
    int64_t until = i < e->count ? max_of(at_ms, e->items[i].from_ms) : TIME_OPEN;
    add(points, (struct interruption){at_ms, until, at_ms, TIME_OPEN, NULL, 0, TIME_UNKNOWN});
}

/* Merges the points into the list. */
static void take_points(struct interruptions *list, struct interruptions *points) {
    for (size_t i = 0; i < points->count; i++)
        add(list, points->items[i]);
    if (points->count > 0)
        qsort(list->items, list->count, sizeof *list->items, compare_interruptions);
    free(points->items);
}

/* Whether the slots were not all available at at_ms, but became so before before_ms. */
static bool became_available(const struct effectives *e, int64_t at_ms, int64_t before_ms) {
    size_t i = effective_at(e, at_ms);
    if (i < e->count && e->items[i].is_available)
        return false;
    while (i < e->count && !e->items[i].is_available)
        i++;
    return i < e->count && e->items[i].from_ms < before_ms;
}

static void find_opened(struct interruptions *list, const struct effectives *e,
                        const struct disruption_fact **disruptions, size_t count, int64_t start_ms, int64_t limit_ms) {
    struct interruptions points = {0};
    for (size_t i = 0; i < count; i++) {
        int64_t at = disruptions[i]->at_ms;
        if (!disruptions[i]->opens || at < start_ms || at >= limit_ms)
            continue;
        ptrdiff_t k = last_before(list, at + CAUSE_BEFORE_MS);
        while (k >= 0 && became_available(e, at, list->items[k].lost_ms))
            k--;
        bool is_known = k >= 0 && (list->items[k].until_ms >= TIME_OPEN - WHOLE_SECOND_MS ||
                                   at <= list->items[k].until_ms + WHOLE_SECOND_MS);
        const struct interruption *last = points.count > 0 ? &points.items[points.count - 1] : NULL;
        is_known |=
            last != NULL && (last->until_ms >= TIME_OPEN - WHOLE_SECOND_MS || at <= last->until_ms + WHOLE_SECOND_MS);
        if (!is_known)
            add_point(&points, e, at);
    }
    take_points(list, &points);
}

/* A new process in the log while the job is unfinished, which no object explains: the trainer restarted itself. */
static void find_new_processes(struct interruptions *list, const struct effectives *e, const struct training *t,
                               int64_t start_ms, int64_t limit_ms) {
    struct interruptions points = {0};
    for (size_t i = 1; i < t->view_count; i++) {
        const struct view *old = &t->views[i - 1], *new = &t->views[i];
        int64_t from = old->order_ms, to = new->order_ms;
        if (to <= start_ms || to >= limit_ms)
            continue;
        ptrdiff_t k = last_before(list, to + WHOLE_SECOND_MS - 1);
        int64_t ended = old->ended_ms;
        if (k < 0 || list->items[k].at_ms <= from)
            add_point(&points, e, max_of(start_ms, ended <= to ? ended : to));
    }
    take_points(list, &points);
}

static void merge(struct interruptions *list) {
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct interruption *last = n > 0 ? &list->items[n - 1] : NULL;
        if (last != NULL && (list->items[i].at_ms < last->until_ms || list->items[i].at_ms == last->at_ms)) {
            last->until_ms = max_of(last->until_ms, list->items[i].until_ms);
            last->lost_ms = min_of(last->lost_ms, list->items[i].lost_ms);
        } else {
            list->items[n++] = list->items[i];
        }
    }
    list->count = n;
}

/* ---- why ---- */

static void find_running(struct interruptions *list, const struct effectives *e) {
    size_t k = 0;
    for (size_t i = list->settled_count; i < list->count; i++) {
        while (k < e->count &&
               (e->items[k].from_ms < list->items[i].until_ms || !slot_state_is_running(e->items[k].slots)))
            k++;
        if (k < e->count)
            list->items[i].running_ms = e->items[k].from_ms;
    }
}

static bool strikes_early(enum cause cause) {
    return cause == CAUSE_NODE_FAILURE || cause == CAUSE_NODE_MAINTENANCE || cause == CAUSE_SPOT_RECLAIM;
}

/* The list owns the copy. */
static struct ledger_disruption *add_cause(struct interruptions *list, const struct ledger_disruption *d) {
    struct ledger_disruption *cause = mem_new(struct ledger_disruption);
    *cause = *d;
    MEM_GROW(list->causes, list->cause_count, list->cause_capacity);
    return list->causes[list->cause_count++] = cause;
}

/* The first that fits in the order of causes; within one cause the earliest. A disruption during an earlier
 * interruption belongs to that one. A disruption before all slots were available for the first time belongs to none. */
static const struct disruption_fact *find_cause(const struct interruption *item, const struct interruption *before,
                                                int64_t first_available_ms, int64_t next_ms,
                                                const struct disruption_fact **disruptions, size_t count) {
    const struct disruption_fact *found = NULL;
    bool was_in_place = item->until_ms == item->at_ms;
    int64_t until = was_in_place ? item->running_ms : item->until_ms;
    until = until > TIME_OPEN - WHOLE_SECOND_MS ? TIME_OPEN : until + WHOLE_SECOND_MS;
    size_t first = BISECT(i, count, disruptions[i]->at_ms < item->lost_ms - SLOW_CAUSE_BEFORE_MS);
    for (size_t i = first; i < count && disruptions[i]->at_ms < until; i++) {
        const struct disruption_fact *d = disruptions[i];
        int64_t early = strikes_early(d->cause) ? SLOW_CAUSE_BEFORE_MS : CAUSE_BEFORE_MS;
        bool is_of_before = before != NULL && d->at_ms <= max_of(before->until_ms, before->at_ms);
        bool is_of_none =
            before == NULL && first_available_ms <= item->at_ms && d->at_ms + WHOLE_SECOND_MS < first_available_ms;
        if (d->at_ms < item->lost_ms - early || is_of_before || is_of_none)
            continue;
        if (d->at_ms > item->at_ms + WHOLE_SECOND_MS && d->at_ms >= next_ms - WHOLE_SECOND_MS)
            continue;
        if (found == NULL || d->cause < found->cause)
            found = d;
    }
    return found;
}

/* The last process that ran before at_ms. */
static const struct view *view_before(const struct training *t, int64_t at_ms) {
    const struct view *last = NULL;
    for (size_t i = 0; i < t->view_count && t->views[i].order_ms <= at_ms; i++)
        last = &t->views[i];
    return last;
}

/* The time of its last progress: a step, or the start or end of a named interval. */
static int64_t last_progress_ms(const struct view *v, int64_t end_ms) {
    int64_t at_ms = v->steps_end_ms;
    for (size_t i = 0; i < v->segment_count; i++)
        if (v->segments[i].from_ms <= end_ms)
            at_ms = max_of(at_ms, v->segments[i].to_ms < end_ms ? v->segments[i].to_ms : v->segments[i].from_ms);
    return at_ms;
}

static void write_hang(struct ledger_disruption *d, const struct view *v, int64_t quiet_ms, int64_t hang_after_ms,
                       const struct ledger_disruption *killer) {
    char at[RFC3339_SIZE];
    size_t last = v->reports_starts && v->completed < v->event_count ? v->completed : v->completed - 1;
    snprintf(d->reason, sizeof d->reason, "%s", cause_name(killer != NULL ? killer->cause : CAUSE_UNKNOWN));
    snprintf(d->evidence, sizeof d->evidence,
             "%.60s%sstep %lld at %s was the last for %lld s (hangAfter %lld s)%s%.90s",
             v->process->name != NULL ? v->process->name : "", v->process->name != NULL ? ": " : "",
             (long long)v->list->items[last].step, rfc3339_format_s(at, v->list->items[last].at_ms),
             (long long)(quiet_ms / 1000), (long long)(hang_after_ms / 1000), killer != NULL ? "; then " : "",
             killer != NULL ? killer->evidence : "");
    if (killer != NULL) {
        memcpy(d->node, killer->node, sizeof d->node);
        memcpy(d->node_pool, killer->node_pool, sizeof d->node_pool);
    }
}

/* A trainer that made no step for long before it was killed hung, whoever ended it: a person, a probe or a watchdog. A
 * cause that objects explain better (the order in buckets.h) stays. Where lines of the log may be missing, silence
 * proves nothing. */
static void find_hang(struct interruptions *list, size_t i, const struct training *t) {
    struct interruption *item = &list->items[i];
    const struct view *v = view_before(t, item->lost_ms);
    if ((item->cause != NULL && item->cause->cause < CAUSE_HANG) || v == NULL || !v->process->given.is_read_to_end ||
        v->steps_end_ms == TIME_UNKNOWN || v->completed == 0 || v->job_end_ms != TIME_UNKNOWN)
        return;
    int64_t end_ms = min_of(item->lost_ms, v->ended_ms), since_ms = last_progress_ms(v, end_ms);
    if (i > 0)
        since_ms = max_of(since_ms, max_of(list->items[i - 1].until_ms, list->items[i - 1].at_ms));
    if (end_ms - since_ms <= t->hang_after_ms)
        return;
    struct ledger_disruption hang = {.cause = CAUSE_HANG, .key = (uint64_t)item->at_ms, .at_ms = item->at_ms};
    write_hang(&hang, v, end_ms - since_ms, t->hang_after_ms, item->cause);
    item->cause = add_cause(list, &hang);
    item->quiet_ms = end_ms - since_ms;
    item->quiet_from_ms = since_ms;
}

static const struct loss_finder no_losses = {.last_count = -1, .lost_ms = TIME_UNKNOWN};

struct loss_finder interruptions_losses_at(const struct slot_timeline *slots, const struct training *training,
                                           int64_t at_ms) {
    struct interruptions found = {0};
    struct effectives e = combine(slots, training, at_ms);
    struct loss_finder f = find_losses(&found, &e, training->settled ? training->settled->losses : no_losses);
    free(found.items);
    free(e.items);
    return f;
}

/* No earlier disruption can still be the cause of an interruption. */
static int64_t disruptions_since_ms(const struct training *t) {
    if (t->settled == NULL)
        return INT64_MIN;
    int64_t lost_ms = t->settled->losses.lost_ms;
    return min_of(t->from_ms, lost_ms == TIME_UNKNOWN ? TIME_OPEN : lost_ms) - SLOW_CAUSE_BEFORE_MS;
}

static void take_settled(struct interruptions *list, const struct settled *s) {
    for (size_t i = 0; i < s->listed_count; i++) {
        struct interruption item = s->listed[i].item;
        item.cause = item.cause != NULL ? &s->listed[i].cause : NULL;
        add(list, item);
    }
    list->settled_count = list->count;
}

static int64_t first_available(const struct effectives *e, const struct training *t) {
    if (t->settled != NULL)
        return t->settled->executions[0].available_ms;
    size_t i = 0;
    while (i < e->count && !e->items[i].is_available)
        i++;
    return i < e->count ? e->items[i].from_ms : INT64_MIN;
}

void interruptions_init(struct interruptions *list, struct ledger *l, const struct slot_timeline *slots,
                        const struct training *training, int64_t known_ms, int64_t limit_ms, bool at_end) {
    *list = (struct interruptions){.tail_ms = TIME_OPEN};
    struct effectives e = combine(slots, training, limit_ms);
    size_t count;
    const struct disruption_fact **disruptions = disruptions_known(l, disruptions_since_ms(training), known_ms, &count);
    if (training->settled != NULL)
        take_settled(list, training->settled);
    find_losses(list, &e, training->settled ? training->settled->losses : no_losses);
    find_opened(list, &e, disruptions, count, training->from_ms, limit_ms);
    find_new_processes(list, &e, training, training->from_ms, limit_ms);
    merge(list);
    if (at_end && l->outcome == OUTCOME_SUCCEEDED && list->count > list->settled_count &&
        list->items[list->count - 1].until_ms == TIME_OPEN)
        list->tail_ms = list->items[--list->count].at_ms;
    find_running(list, &e);
    for (size_t i = list->settled_count; i < list->count; i++) {
        const struct disruption_fact *found =
            find_cause(&list->items[i], i > 0 ? &list->items[i - 1] : NULL, first_available(&e, training),
                       i + 1 < list->count ? list->items[i + 1].lost_ms : TIME_OPEN, disruptions, count);
        if (found == NULL)
            continue;
        struct ledger_disruption d = texts_unpack(l, found);
        texts_keep(l, found->key);
        list->items[i].cause = add_cause(list, &d);
    }
    for (size_t i = list->settled_count; i < list->count; i++)
        find_hang(list, i, training);
    free(disruptions);
    free(e.items);
}

void interruptions_done(struct interruptions *list) {
    for (size_t i = 0; i < list->cause_count; i++)
        free(list->causes[i]);
    free(list->causes);
    free(list->items);
}
