#include "ledger/checkpoint.h"

#include "ledger/checkpoint_process.h"
#include "ledger/checkpoint_settled.h"
#include "ledger/compact.h"
#include "ledger/settle.h"

#include "base/hash.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

#define VERSION 18     /* the only one that is read: nothing was released before */
#define FRAME_BYTES 32 /* magic, version, checksum */
#define MAX_OBJECTS 2000000
#define MAX_AMOUNT INT32_MAX

static const char magic[4] = {'G', 'P', 'L', 'C'};

/* ---- facts of objects ---- */

/* Visits all items of a store and, when reading, enters them into its index. */
#define VISIT_STORE(c, store, visit, key_a, key_b)                                                                     \
    do {                                                                                                               \
        size_t n_ = codec_count((c), (store).count, MAX_OBJECTS);                                                      \
        for (size_t i_ = 0; i_ < n_ && !(c)->failed; i_++) {                                                           \
            if (codec_is_reading(c)) {                                                                                 \
                MEM_GROW((store).items, (store).count, (store).capacity);                                              \
                memset(&(store).items[(store).count++], 0, sizeof *(store).items);                                     \
            }                                                                                                          \
            __typeof__((store).items) item_ = &(store).items[i_];                                                      \
            visit((c), item_);                                                                                         \
            bool is_new_ = true;                                                                                       \
            if (codec_is_reading(c))                                                                                   \
                key_index_put(&(store).keys, (uint64_t)item_->key_a, (uint64_t)(key_b), &is_new_);                     \
            (c)->failed |= !is_new_;                                                                                   \
        }                                                                                                              \
    } while (0)

static void visit_amount(struct codec *c, struct amount_from *x) {
    codec_i64(c, &x->from_ms);
    CODEC_INT(c, &x->amount, 0, MAX_AMOUNT);
}

static void visit_occupancy(struct codec *c, struct occupancy_fact *x) {
    int64_t *times[] = {&x->created_ms, &x->bound_ms,   &x->pull_start_ms, &x->pull_end_ms, &x->running_ms,
                        &x->lost_ms,    &x->settled_ms, &x->done_ms,       &x->released_ms, &x->known_until_ms};
    codec_u64(c, &x->id);
    CODEC_INT(c, &x->slot, 0, UINT32_MAX);
    CODEC_INT(c, &x->chips, 0, INT32_MAX);
    CODEC_INT(c, &x->held, LEDGER_HELD_BY_NONE, LEDGER_HELD_BY_ANOTHER);
    for (size_t i = 0; i < ARRAY_SIZE(times); i++)
        checkpoint_time(c, times[i]);
    codec_text(c, &x->name, LEDGER_NAME_SIZE);
}

static void visit_change(struct codec *c, struct ledger_change *x) {
    checkpoint_time(c, &x->at_ms);
    codec_i64(c, &x->chips);
    CODEC_INT(c, &x->available, -MAX_OBJECTS, MAX_OBJECTS);
    CODEC_INT(c, &x->running, -MAX_OBJECTS, MAX_OBJECTS);
    CODEC_INT(c, &x->pulling, -MAX_OBJECTS, MAX_OBJECTS);
    CODEC_INT(c, &x->silent, -MAX_OBJECTS, MAX_OBJECTS);
    CODEC_INT(c, &x->known, -MAX_OBJECTS, MAX_OBJECTS);
    CODEC_INT(c, &x->largest_chips, 0, INT32_MAX);
    CODEC_INT(c, &x->replaced, 0, MAX_OBJECTS);
    CODEC_INT(c, &x->restarted, 0, MAX_OBJECTS);
    CODEC_INT(c, &x->lost, 0, MAX_OBJECTS);
}

static void visit_gap(struct codec *c, struct occupancy_gap *x) {
    codec_u64(c, &x->occupancy_id);
    checkpoint_time(c, &x->from_ms);
    checkpoint_time(c, &x->to_ms);
}

static void visit_unwatched(struct codec *c, struct ledger *l) {
    size_t count = codec_count(c, l->unwatched_count, MAX_OBJECTS);
    for (size_t i = 0; i < count && !c->failed; i++) {
        if (codec_is_reading(c)) {
            l->unwatched = mem_resize(l->unwatched, i + 1, sizeof *l->unwatched);
            l->unwatched[l->unwatched_count++] = (struct time_span){0};
        }
        checkpoint_time(c, &l->unwatched[i].from_ms);
        checkpoint_time(c, &l->unwatched[i].to_ms);
        c->failed |= l->unwatched[i].from_ms >= l->unwatched[i].to_ms;
        c->failed |= i > 0 && l->unwatched[i].from_ms < l->unwatched[i - 1].to_ms;
    }
}

static void visit_hold(struct codec *c, struct hold_fact *x) {
    CODEC_INT(c, &x->kind, 0, BUCKET_COUNT - 1);
    CODEC_INT(c, &x->basis, BASIS_OBSERVED, BASIS_ASSUMED);
    codec_u64(c, &x->key);
    checkpoint_time(c, &x->from_ms);
    checkpoint_time(c, &x->to_ms);
    codec_text(c, &x->evidence, LEDGER_TEXT_SIZE);
}

static void visit_texts(struct codec *c, struct ledger_disruption *x) {
    CODEC_INT(c, &x->cause, 0, CAUSE_COUNT - 1);
    codec_u64(c, &x->key);
    checkpoint_time(c, &x->at_ms);
    codec_bool(c, &x->opens);
    codec_chars(c, x->reason, sizeof x->reason);
    codec_chars(c, x->evidence, sizeof x->evidence);
    codec_chars(c, x->node, sizeof x->node);
    codec_chars(c, x->node_pool, sizeof x->node_pool);
}

static void visit_disruption(struct codec *c, const struct ledger *l, struct disruption_fact *x) {
    struct ledger_disruption d = texts_unpack(l, x);
    visit_texts(c, &d);
    if (codec_is_reading(c))
        *x = texts_pack(&d);
}

static void visit_objects(struct codec *c, struct ledger *l) {
    VISIT_STORE(c, l->required, visit_amount, from_ms, 0);
    VISIT_STORE(c, l->required_chips, visit_amount, from_ms, 0);
    VISIT_STORE(c, l->occupancies, visit_occupancy, id, 0);
    VISIT_STORE(c, l->past, visit_change, at_ms, 0);
    VISIT_STORE(c, l->restarts, visit_gap, occupancy_id, item_->from_ms);
    VISIT_STORE(c, l->silences, visit_gap, occupancy_id, item_->from_ms);
    visit_unwatched(c, l);
    VISIT_STORE(c, l->holds, visit_hold, key, item_->kind);
#define VISIT_DISRUPTION(c, x) visit_disruption((c), l, (x))
    VISIT_STORE(c, l->disruptions, VISIT_DISRUPTION, key, item_->cause);
}

/* ---- the whole ---- */

static void visit_exclusions(struct codec *c, struct ledger *l) {
    size_t count = codec_count(c, l->exclusion_count, MAX_OBJECTS);
    for (size_t i = 0; i < count && !c->failed; i++) {
        if (codec_is_reading(c)) {
            MEM_GROW(l->exclusions, l->exclusion_count, l->exclusion_capacity);
            l->exclusions[l->exclusion_count++] = (struct time_span){0};
        }
        checkpoint_time(c, &l->exclusions[i].from_ms);
        checkpoint_time(c, &l->exclusions[i].to_ms);
        c->failed |= l->exclusions[i].from_ms >= l->exclusions[i].to_ms || !l->options.keep_all;
    }
}

static void visit_options(struct codec *c, struct ledger_options *o) {
    checkpoint_sum(c, &o->ideal_step_ms);
    checkpoint_sum(c, &o->hang_after_ms);
    CODEC_INT(c, &o->window_count, 0, LEDGER_MAX_WINDOWS);
    for (int i = 0; i < o->window_count; i++)
        checkpoint_sum(c, &o->windows_ms[i]);
    codec_bool(c, &o->has_log);
    codec_bool(c, &o->keep_all);
}

static void visit_processes(struct codec *c, struct ledger *l) {
    size_t count = codec_count(c, l->live_count, MAX_OBJECTS);
    for (size_t i = 0; i < count && !c->failed; i++) {
        if (codec_is_reading(c)) {
            struct process *p = process_new(0);
            MEM_GROW(l->processes, l->process_count, l->process_capacity);
            p->ordinal = l->process_count;
            l->processes[l->process_count++] = p;
            MEM_GROW(l->live, l->live_count, l->live_capacity);
            l->live[l->live_count++] = p;
        }
        bool is_new = true;
        checkpoint_process(c, l->live[i]);
        if (codec_is_reading(c))
            key_index_put(&l->process_keys, l->live[i]->id, 0, &is_new);
        c->failed |= !is_new;
    }
}

/* The remaining steps continue from the step at which the settled part ends. */
static void check_continued(struct codec *c, const struct ledger *l) {
    const struct settled *s = ledger_settled(l);
    const struct process *p = l->processes[s->process];
    const struct step_list *list = s->reports_starts ? &p->starts : &p->ends;
    c->failed |=
        list->count == 0 || list->items[0].at_ms != s->through_ms || p->last_ms < s->through_ms ||
        (s->reports_starts ? list->items[0].step <= s->run_last_step : list->items[0].step != s->run_last_step);
}

static void visit(struct codec *c, struct ledger *l, bool *has_objects) {
    bool has_settled = ledger_settled(l) != NULL;
    visit_options(c, &l->options);
    checkpoint_time(c, &l->start_ms);
    checkpoint_time(c, &l->end_ms);
    CODEC_INT(c, &l->outcome, OUTCOME_RUNNING, OUTCOME_DELETED);
    checkpoint_sum(c, &l->late_records);
    checkpoint_time(c, &l->evaluated_ms);
    checkpoint_time(c, &l->folded_ms);
    visit_exclusions(c, l);
    totals_visit(c, &l->totals);
    visit_processes(c, l);
    codec_bool(c, &has_settled);
    c->failed |= has_settled && l->exclusion_count > 0;
    if (has_settled && codec_is_reading(c))
        l->settled = mem_new(struct settled);
    if (has_settled && !c->failed) {
        size_t process = ledger_settled(l)->process;
        for (size_t i = 0; i < l->live_count && !codec_is_reading(c); i++) /* live processes get new numbers */
            if (l->live[i] == l->processes[process])
                ledger_settled(l)->process = i;
        checkpoint_settled(c, ledger_settled(l), l->start_ms, l->live_count);
        if (codec_is_reading(c) && !c->failed)
            check_continued(c, l);
        if (!codec_is_reading(c))
            ledger_settled(l)->process = process;
    }
    codec_bool(c, has_objects);
    if (*has_objects)
        visit_objects(c, l);
}

static size_t size_without_objects(struct ledger *l) {
    CLEANUP_BUF struct buf bytes;
    buf_init(&bytes, SIZE_MAX / 2);
    struct codec c = codec_writing(&bytes);
    bool has_objects = false;
    visit(&c, l, &has_objects);
    return bytes.size_bytes;
}

void ledger_compact(struct ledger *l, size_t max_bytes) {
    for (int step = 0; !l->options.keep_all && step < COMPACT_STEPS && size_without_objects(l) > max_bytes; step++)
        compact_step(l, step);
}

int ledger_save(struct ledger *l, enum ledger_save_mode mode, struct buf *out) {
    ledger_compact(l, LEDGER_SAVE_BYTES - FRAME_BYTES);
    size_t begin = out->size_bytes;
    bool has_objects = mode == LEDGER_SAVE_ALL;
    struct codec c = codec_writing(out);
    int64_t version = VERSION;
    ledger_sort_processes(l);
    c.failed |= buf_append(out, magic, sizeof magic) < 0;
    codec_i64(&c, &version);
    visit(&c, l, &has_objects);
    uint64_t sum = hash_stable(0, slice_skip(buf_slice(out), begin));
    codec_u64(&c, &sum);
    if (!c.failed)
        return 0;
    if (out->data != NULL) /* keeps what the buffer held before */
        out->size_bytes = begin;
    return -EMSGSIZE;
}

struct ledger *ledger_load(struct slice saved, const struct ledger_options *options, struct error **err) {
    const size_t frame = sizeof magic + 8;
    if (saved.size_bytes < frame || memcmp(saved.data, magic, sizeof magic) != 0) {
        error_set(err, EINVAL, "the ledger's checkpoint of %zu bytes has no header of a checkpoint", saved.size_bytes);
        return NULL;
    }
    struct slice body = {saved.data, saved.size_bytes - 8};
    struct codec c = codec_reading(slice_skip(body, sizeof magic));
    int64_t version = 0;
    codec_i64(&c, &version);
    if (version != VERSION) {
        error_set(err, ENOTSUP, "the ledger's checkpoint is of version %lld; this program reads version %d",
                  (long long)version, VERSION);
        return NULL;
    }
    struct codec tail = codec_reading(slice_skip(saved, body.size_bytes));
    uint64_t sum;
    codec_u64(&tail, &sum);
    if (sum != hash_stable(0, body)) {
        error_set(err, EINVAL, "the ledger's checkpoint of %zu bytes is damaged: its checksum differs",
                  saved.size_bytes);
        return NULL;
    }
    struct ledger *l = ledger_new(&(struct ledger_options){0});
    bool has_objects = false;
    visit(&c, l, &has_objects);
    if (!codec_is_done(&c)) {
        error_set(err, EINVAL, "the ledger's checkpoint of %zu bytes is damaged: its contents contradict each other",
                  saved.size_bytes);
        ledger_free(l);
        return NULL;
    }
    bool keeps_all = l->exclusion_count > 0;
    if (options != NULL)
        ledger_set_options(l, options);
    l->options.keep_all |= keeps_all;
    return l;
}
