#include "fact_list.h"
#include "ledger/checkpoint.h"
#include "ledger/evaluate.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "harness.h"

struct fact *fact_list_add(struct fact_list *list, enum fact_kind kind) {
    MEM_GROW(list->items, list->count, list->capacity);
    struct fact *f = &list->items[list->count++];
    memset(f, 0, sizeof *f);
    f->kind = kind;
    return f;
}

void fact_list_done(struct fact_list *list) {
    free(list->items);
    *list = (struct fact_list){0};
}

struct ledger_occupancy fact_life(uint64_t id, uint32_t slot, int64_t created_ms) {
    return (struct ledger_occupancy){.id = id,
                                     .slot = slot,
                                     .created_ms = created_ms,
                                     .bound_ms = TIME_UNKNOWN,
                                     .pull_start_ms = TIME_UNKNOWN,
                                     .pull_end_ms = TIME_UNKNOWN,
                                     .running_ms = TIME_UNKNOWN,
                                     .lost_ms = TIME_OPEN,
                                     .ended_ms = TIME_OPEN,
                                     .done_ms = TIME_UNKNOWN,
                                     .released_ms = TIME_OPEN,
                                     .known_until_ms = TIME_OPEN};
}

struct ledger_occupancy fact_running(uint64_t id, uint32_t slot, int64_t at_ms, int32_t chips) {
    struct ledger_occupancy life = fact_life(id, slot, at_ms);
    life.bound_ms = life.running_ms = at_ms;
    life.chips = chips;
    return life;
}

struct record fact_record(enum record_kind kind, int process, int64_t line, int64_t at_ms, int64_t step) {
    struct record r = RECORD_INIT;
    r.kind = kind;
    r.process = process;
    r.line = line;
    r.at_ms = at_ms;
    r.step = step;
    return r;
}

struct record *fact_list_record(struct fact_list *list, uint64_t process_id, const struct record *record) {
    struct fact *f = fact_list_add(list, FACT_RECORD);
    f->id = process_id;
    f->record = *record;
    return &f->record;
}

struct ledger *fact_ledger(const struct ledger_options *options, int64_t slots) {
    struct ledger *l = ledger_new(options);
    ledger_set_span(l, 0, TIME_OPEN, OUTCOME_RUNNING);
    ledger_set_required(l, 0, slots);
    return l;
}

const struct ledger_bucket *result_bucket(const struct ledger_result *r, enum bucket bucket) {
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == bucket)
            return &r->buckets[i];
    return NULL;
}

/* ---- adding ---- */

static int ordinal_of(const struct fact_feeder *a, uint64_t id) {
    for (size_t i = 0; i < a->process_count; i++)
        if (a->process_ids[i] == id)
            return a->process_ordinals[i];
    return -1;
}

static void add_process(struct fact_feeder *t, const struct fact *f) {
    size_t i = 0;
    while (i < t->process_count && t->process_ids[i] != f->id)
        i++;
    int ordinal = ledger_add_process(t->ledger, f->id, NULL, f->at_ms, f->to_ms);
    if (f->amount & (PROCESS_IS_PROMPT | PROCESS_IS_LATE))
        ledger_set_line_lag(t->ledger, ordinal, (f->amount & PROCESS_IS_LATE) != 0);
    if (i == 256)
        return;
    t->process_count = i == t->process_count ? i + 1 : t->process_count;
    t->process_ids[i] = f->id;
    t->process_ordinals[i] = ordinal;
    t->process_times[i][0] = f->at_ms;
    t->process_times[i][1] = f->to_ms;
    t->is_whole[i] = f->amount & PROCESS_IS_WHOLE;
    t->is_cut[i] = f->amount & PROCESS_IS_CUT;
    if (t->is_cut[i])
        ledger_set_lost(t->ledger, ordinal);
    if (t->is_whole[i])
        ledger_set_read_to_end(t->ledger, ordinal);
}

void fact_feed(struct fact_feeder *a, const struct fact *f) {
    struct record r;
    switch (f->kind) {
    case FACT_REQUIRED:
        ledger_set_required(a->ledger, f->at_ms, f->amount);
        break;
    case FACT_CHIPS:
        ledger_set_required_chips(a->ledger, f->at_ms, f->amount);
        break;
    case FACT_LIFE:
        ledger_add_occupancy(a->ledger, &f->life);
        break;
    case FACT_RESTART:
        ledger_add_restart(a->ledger, f->id, f->at_ms, f->to_ms);
        break;
    case FACT_SILENCE:
        ledger_add_silence(a->ledger, f->id, f->at_ms, f->to_ms);
        break;
    case FACT_UNWATCHED:
        ledger_set_unwatched(a->ledger, &(struct ledger_span){f->at_ms, f->to_ms}, 1);
        break;
    case FACT_HOLD:
        ledger_add_hold(a->ledger, &f->hold);
        break;
    case FACT_DISRUPTION:
        ledger_add_disruption(a->ledger, &f->disruption);
        break;
    case FACT_PROCESS:
        add_process(a, f);
        break;
    case FACT_RECORD:
        r = f->record;
        r.process = ordinal_of(a, f->id);
        ledger_add_record(a->ledger, &r);
    }
}

struct fact_feeder fact_feeder_new(const struct fact_list *list) {
    struct fact_feeder a = {.ledger = ledger_new(&list->options)};
    ledger_set_span(a.ledger, list->start_ms, list->end_ms, list->outcome);
    return a;
}

struct ledger *fact_list_ledger(const struct fact_list *list) {
    struct fact_feeder a = fact_feeder_new(list);
    for (size_t i = 0; i < list->count; i++)
        fact_feed(&a, &list->items[i]);
    return a.ledger;
}

size_t fact_feeder_reload(struct fact_feeder *t, const struct fact_list *list, size_t before,
                          enum ledger_save_mode mode) {
    CLEANUP_BUF struct buf saved, again;
    CLEANUP_ERROR struct error *err = NULL;
    buf_init(&saved, 1 << 24);
    buf_init(&again, 1 << 24);
    CHECK_INT(ledger_save(t->ledger, mode, &saved), 0);
    struct ledger *back = ledger_load(buf_slice(&saved), NULL, &err);
    if (back == NULL) {
        harness_fail(__FILE__, __LINE__, "%s", error_text(err));
        return saved.size_bytes;
    }
    CHECK_INT(ledger_save(back, mode, &again), 0);
    CHECK(saved.size_bytes == again.size_bytes && memcmp(saved.data, again.data, saved.size_bytes) == 0);
    ledger_free(t->ledger);
    t->ledger = back;
    for (size_t i = 0; i < t->process_count; i++) {
        t->process_ordinals[i] =
            ledger_add_process(back, t->process_ids[i], NULL, t->process_times[i][0], t->process_times[i][1]);
        if (t->is_whole[i])
            ledger_set_read_to_end(back, t->process_ordinals[i]);
        if (t->is_cut[i])
            ledger_set_lost(back, t->process_ordinals[i]);
    }
    for (size_t i = 0; i < before && mode == LEDGER_SAVE_WITHOUT_OBJECTS; i++)
        if (list->items[i].kind < FACT_PROCESS)
            fact_feed(t, &list->items[i]);
    return saved.size_bytes;
}

static void shuffle(size_t *order, size_t count, uint64_t *random) {
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)random_below(random, (int64_t)i), swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

/* Places of records stay places of records, but each is given to the next record of a process drawn at random;
 * processes come first. A record is sometimes read again with up to three before it, as after a reconnect. */
struct ledger *fact_list_shuffled(const struct fact_list *list, uint64_t *random) {
    struct fact_feeder a = fact_feeder_new(list);
    size_t *order = mem_alloc((list->count * 2 + 1) * sizeof *order), n = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind == FACT_PROCESS)
            order[n++] = i;
    shuffle(order, n, random);
    size_t processes = n;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind == FACT_PROCESS || list->items[i].kind == FACT_RECORD)
            continue;
        order[n++] = i;
        if (random_below(random, 4) == 0)
            order[n++] = i;
    }
    shuffle(order + processes, n - processes, random);
    for (size_t i = 0; i < processes; i++)
        fact_feed(&a, &list->items[order[i]]);
    for (size_t i = 0; i < processes; i++) { /* per process: its records, now and then some again */
        uint64_t id = list->items[order[i]].id;
        for (size_t k = 0; k < list->count; k++) {
            if (list->items[k].kind != FACT_RECORD || list->items[k].id != id)
                continue;
            fact_feed(&a, &list->items[k]);
            for (size_t back = random_below(random, 6) == 0 ? k - (k < 3 ? k : 3) : k + 1; back <= k; back++)
                if (list->items[back].kind == FACT_RECORD && list->items[back].id == id)
                    fact_feed(&a, &list->items[back]);
        }
    }
    for (size_t i = processes; i < n; i++)
        fact_feed(&a, &list->items[order[i]]);
    free(order);
    return a.ledger;
}

/* ---- results as text ---- */

static void put_buckets(struct buf *b, const struct ledger_result *r) {
    for (int i = 0; i < r->bucket_count; i++) {
        const struct ledger_bucket *k = &r->buckets[i];
        buf_format(
            b, "bucket %d %s %s ms %" PRId64 " count %" PRId64 " basis %s chips %" PRId64 " largest %" PRId64 " %s\n",
            k->bucket, bucket_name(k->bucket), k->custom, k->ms, k->count, basis_name(k->basis), k->chip_ms,
            k->largest_ms, k->evidence);
    }
}

static void put_lists(struct buf *b, const struct ledger_result *r) {
    for (int i = 0; i < r->interruption_count; i++) {
        const struct ledger_interruption *x = &r->interruptions[i];
        buf_format(b,
                   "interruption %d %" PRId64 " until %" PRId64 " %s %s %s %s %s lost %" PRId64 " tch %" PRId64
                   " tre %" PRId64 " wait %" PRId64 " trm %" PRId64 " catch-up %" PRId64 " %d %d held %" PRId64
                   " detect %" PRId64 " cost %" PRId64 " %d\n",
                   x->number, x->at_ms, x->until_ms, cause_name(x->cause), x->reason, x->evidence, x->node,
                   x->node_pool, x->lost_steps, x->tch_ms, x->tre_ms, x->wait_ms, x->trm_ms, x->catch_up_ms,
                   x->saved_on_sigterm, x->is_settled, x->chip_ms, x->detect_ms, x->cost_ms, x->owner);
    }
    for (int i = 0; i < r->execution_count; i++) {
        const struct ledger_execution *x = &r->executions[i];
        buf_format(b,
                   "execution %d %" PRId64 " available %" PRId64 " first %" PRId64 " end %" PRId64 " steps %" PRId64
                   " %" PRId64 " pull %" PRId64 " start %" PRId64 " productive %" PRId64 " startup %" PRId64
                   " puller '%s'\n",
                   x->number, x->start_ms, x->available_ms, x->first_step_ms, x->end_ms, x->first_step, x->last_step,
                   x->image_pull_ms, x->container_start_ms, x->productive_ms, x->startup_ms, x->puller);
    }
    for (int i = 0; i < r->window_count; i++) {
        const struct ledger_window *w = &r->windows[i];
        buf_format(b,
                   "window %" PRId64 " ms %" PRId64 " a %" PRId64 " p %" PRId64 " top %d interruptions %" PRId64 "\n",
                   w->window_ms, w->ms, w->available_ms, w->productive_ms, w->top_badput, w->interruptions);
        for (int k = 0; k < r->bucket_count; k++)
            buf_format(b, "  %d %s %" PRId64 "\n", r->buckets[k].bucket, r->buckets[k].custom,
                       r->buckets[k].windows_ms[i]);
    }
}

char *result_text(const struct ledger_result *r) {
    struct buf b;
    buf_init(&b, 1 << 24);
    buf_format(&b,
               "start %" PRId64 " end %" PRId64 " through %" PRId64 " w %" PRId64 " a %" PRId64 " p %" PRId64
               " provisional %" PRId64 " steps %d top %d\n",
               r->start_ms, r->end_ms, r->observed_through_ms, r->wall_ms, r->available_ms, r->productive_ms,
               r->provisional_ms, r->has_steps, r->top_badput);
    put_buckets(&b, r);
    put_lists(&b, r);
    for (int i = 0; i < r->phase_count; i++)
        buf_format(&b, "phase %s %" PRId64 "\n", r->phases[i].name, r->phases[i].ms);
    buf_format(&b, "mtbi %" PRId64 " mttr %" PRId64 " slots %" PRId64 " %" PRId64 " %" PRId64 " in %d\n", r->mtbi_ms,
               r->mttr_ms, r->slots_required, r->slots_available, r->slots_running, r->in_interruption);
    buf_format(&b,
               "steps last %" PRId64 " max %" PRId64 " first %" PRId64 " durable %" PRId64 " record %" PRId64
               " count %" PRId64 " retained %" PRId64 " lost %" PRId64 " ideal %" PRId64 "\n",
               r->last_step, r->max_step, r->first_step_now, r->last_durable_step, r->last_record_ms, r->step_count,
               r->retained_steps, r->lost_steps, r->ideal_step_ms);
    buf_format(&b,
               "chips %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " clipped %" PRId64 " overlapped %" PRId64
               " %d headless %" PRId64 "\ndurable saves %" PRId64 " %" PRId64 "\n",
               r->chip_ms_allocated, r->chip_ms_productive, r->chip_ms_waiting, r->chips, r->clipped_ms,
               r->overlapped_records, r->retained_without_checkpoint, r->headless_ms, r->durable_saves, r->durable_ms);
    return buf_take(&b);
}

/* ---- identities ---- */

#define HOLDS(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            harness_fail(__FILE__, __LINE__, "%s: %s", words, #condition);                                             \
    } while (0)

/* What buckets say that interruptions cost is what all interruptions cost, to the millisecond. */
static void check_costs(const struct ledger_result *r, const char *words) {
    int64_t ms = 0, chip_ms = 0;
    for (int i = 0; i < r->bucket_count; i++) {
        const struct ledger_bucket *b = &r->buckets[i];
        HOLDS(b->interrupted_ms >= 0 && b->interrupted_ms <= b->ms);
        HOLDS(b->interrupted_chip_ms >= 0 && b->interrupted_chip_ms <= b->chip_ms);
        HOLDS(b->interrupted_ms == 0 || (b->bucket != BUCKET_PRODUCTIVE && b->bucket != BUCKET_UNOBSERVED));
        ms += b->interrupted_ms;
        chip_ms += b->interrupted_chip_ms;
    }
    for (int i = 0; i < r->interruption_count + r->has_own_end; i++) {
        HOLDS(r->interruptions[i].cost_ms >= 0 && r->interruptions[i].owner < OWNER_COUNT);
        ms -= r->interruptions[i].cost_ms;
        chip_ms -= r->interruptions[i].chip_ms;
    }
    for (int i = 0; i < OWNER_COUNT; i++) {
        ms -= r->older.owners[i].ms;
        chip_ms -= r->older.owners[i].chip_ms;
        int64_t of_classes = 0;
        for (int c = 0; c < CLASS_COUNT; c++)
            of_classes += r->older.owners[i].class_chip_ms[c];
        HOLDS(of_classes == r->older.owners[i].chip_ms);
    }
    HOLDS(ms == 0);
    HOLDS(chip_ms == 0);
}

void check_identities(const struct ledger_result *r, const char *words) {
    int64_t sum = 0, runtime = 0, scheduling = 0, productive = 0, chips = 0;
    enum bucket last = BUCKET_NOT_SUBMITTED;
    for (int i = 0; i < r->bucket_count; i++) {
        const struct ledger_bucket *b = &r->buckets[i];
        HOLDS(b->count > 0 && b->largest_ms > 0 && b->chip_ms >= 0);
        if (b->bucket == BUCKET_ELASTIC_SLICE_DOWN) /* it takes no time */
            HOLDS(b->ms == 0 && b->largest_ms <= r->available_ms);
        else
            HOLDS(b->ms > 0 && b->largest_ms <= b->ms && (i == 0 || last <= b->bucket));
        last = b->bucket == BUCKET_ELASTIC_SLICE_DOWN ? last : b->bucket;
        sum += b->ms;
        chips += b->chip_ms;
        enum family family = bucket_family(b->bucket);
        *(family == FAMILY_SCHEDULING ? &scheduling : family == FAMILY_RUNTIME ? &runtime : &productive) += b->ms;
    }
    HOLDS(r->has_steps || productive == 0); /* what is not written of P would be missing in the sum */
    HOLDS(sum == r->wall_ms);
    HOLDS(r->available_ms == runtime + productive && r->wall_ms - r->available_ms == scheduling);
    HOLDS(r->productive_ms == productive && productive >= 0 && productive <= r->available_ms);
    HOLDS(r->available_ms <= r->wall_ms);
    HOLDS(r->provisional_ms >= 0 && r->provisional_ms <= r->productive_ms);
    HOLDS(r->productive_ms == 0 || r->has_steps);
    HOLDS(r->lost_steps >= 0 && r->lost_steps <= r->step_count && r->retained_steps + r->lost_steps == r->step_count);
    HOLDS(chips == r->chip_ms_allocated && r->chip_ms_productive <= chips && r->chip_ms_waiting >= 0);
    HOLDS(r->execution_count == r->interruption_count + 1 && r->clipped_ms >= 0);
    int64_t executed = 0, lost = 0;
    for (int i = 0; i < r->execution_count; i++)
        executed += r->executions[i].productive_ms;
    executed += r->older.productive_ms;
    HOLDS(executed == r->productive_ms);
    for (int i = 0; i < r->interruption_count; i++) {
        const struct ledger_interruption *x = &r->interruptions[i];
        HOLDS(x->at_ms >= r->start_ms && x->at_ms < r->observed_through_ms && x->until_ms >= x->at_ms);
        HOLDS(i == 0 || x[-1].until_ms <= x->at_ms);
        lost += x->lost_steps > 0 ? x->lost_steps : 0;
        HOLDS(x->catch_up_ms == RECORD_NONE || x->catch_up_ms >= 0);
    }
    HOLDS(lost <= r->lost_steps);
    int64_t held = 0; /* by what interruptions cost: a part of what is lost */
    for (int i = 0; i < r->older.cause_count; i++)
        held += r->older.causes[i].chip_ms;
    for (int i = 0; i < r->interruption_count; i++)
        held += r->interruptions[i].chip_ms;
    HOLDS(held <= r->chip_ms_allocated - r->chip_ms_productive);
    check_costs(r, words);
    for (int i = 0; i < r->window_count; i++) {
        const struct ledger_window *w = &r->windows[i];
        HOLDS(w->ms == (w->window_ms < r->wall_ms ? w->window_ms : r->wall_ms));
        HOLDS(w->productive_ms <= w->available_ms && w->available_ms <= w->ms);
        int64_t parts_ms = 0, productive_ms = 0;
        for (int b = 0; b < r->bucket_count; b++) {
            HOLDS(r->buckets[b].windows_ms[i] >= 0 && r->buckets[b].windows_ms[i] <= r->buckets[b].ms);
            parts_ms += r->buckets[b].windows_ms[i];
            if (r->buckets[b].bucket == BUCKET_PRODUCTIVE)
                productive_ms = r->buckets[b].windows_ms[i];
        }
        HOLDS(parts_ms == w->ms && productive_ms == w->productive_ms);
        HOLDS(w->window_ms < r->wall_ms ||
              (w->productive_ms == r->productive_ms && w->available_ms == r->available_ms));
    }
}
