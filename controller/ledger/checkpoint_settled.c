/* The settled part in a checkpoint. There are many snapshots, so each is coded as the difference from the one before.
 * Productive is not coded: it is the time between two snapshots that no other account took. */
#include "ledger/checkpoint_settled.h"
#include "ledger/checkpoint.h"
#include "ledger/checkpoint_process.h"
#include "ledger/evaluate.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define MAX_SNAPSHOTS 4096

static void visit_text(struct codec *c, char *text, size_t size) {
    codec_chars(c, text, size);
}

static void visit_origin(struct codec *c, struct origin *o) {
    codec_i64(c, &o->line);
    checkpoint_step(c, &o->step);
    checkpoint_step(c, &o->last_step);
    CODEC_INT(c, &o->interruption, -1, SETTLED_LISTED);
}

/* Those that are not empty, by number. */
static void visit_accounts(struct codec *c, struct settled *s) {
    size_t used[ACCOUNT_COUNT] = {0}, count = 0;
    for (size_t i = 0; i < ACCOUNT_COUNT; i++)
        if (s->sums.accounts[i].count > 0 || s->sums.accounts[i].ms > 0)
            used[count++] = i;
    count = codec_count(c, count, ACCOUNT_COUNT);
    for (size_t k = 0; k < count; k++) {
        size_t i = codec_is_reading(c) ? 0 : used[k];
        CODEC_INT(c, &i, 0, ACCOUNT_COUNT - 1);
        struct account *a = &s->sums.accounts[i];
        checkpoint_sum(c, &a->ms);
        checkpoint_sum(c, &a->chip_ms);
        checkpoint_sum(c, &a->interrupted_ms);
        checkpoint_sum(c, &a->interrupted_chip_ms);
        checkpoint_sum(c, &a->count);
        checkpoint_sum(c, &a->largest_ms);
        checkpoint_time(c, &a->largest_from_ms);
        CODEC_INT(c, &a->basis, BASIS_OBSERVED, BASIS_ASSUMED);
        codec_bool(c, &a->is_settled);
        if (!a->is_settled)
            visit_origin(c, &a->largest);
        codec_text(c, &s->evidence[i], LEDGER_TEXT_SIZE);
    }
}

static void visit_execution(struct codec *c, struct execution *x) {
    int64_t *times[] = {&x->start_ms, &x->available_ms, &x->first_step_ms, &x->end_ms};
    for (size_t i = 0; i < ARRAY_SIZE(times); i++)
        checkpoint_time(c, times[i]);
    checkpoint_step(c, &x->first_step);
    checkpoint_step(c, &x->last_step);
    checkpoint_sum(c, &x->image_pull_ms);
    checkpoint_sum(c, &x->container_start_ms);
    checkpoint_sum(c, &x->productive_ms);
    checkpoint_sum(c, &x->startup_ms);
    checkpoint_time(c, &x->pull_from_ms);
    checkpoint_time(c, &x->pull_to_ms);
    visit_text(c, x->puller, sizeof x->puller);
}

static void visit_listed(struct codec *c, struct listed *x) {
    int64_t *times[] = {&x->item.lost_ms,           &x->item.at_ms,
                        &x->item.until_ms,          &x->item.running_ms,
                        &x->recovery.first_step_ms, &x->recovery.new_progress_ms};
    int64_t *sums[] = {&x->recovery.tch_ms, &x->recovery.tre_ms, &x->recovery.wait_ms, &x->recovery.trm_ms,
                       &x->recovery.lost_steps};
    for (size_t i = 0; i < ARRAY_SIZE(times); i++)
        checkpoint_time(c, times[i]);
    for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
        checkpoint_sum(c, sums[i]);
    checkpoint_step(c, &x->recovery.max_step_before);
    codec_bool(c, &x->recovery.is_assumed);
    CODEC_INT(c, &x->saved_on_sigterm, SAVED_UNKNOWN, SAVED_NO);
    bool has_cause = x->item.cause != NULL;
    codec_bool(c, &has_cause);
    x->item.cause = has_cause ? &x->cause : NULL;
    if (!has_cause)
        return;
    CODEC_INT(c, &x->cause.cause, 0, CAUSE_COUNT - 1);
    codec_u64(c, &x->cause.key);
    checkpoint_time(c, &x->cause.at_ms);
    codec_bool(c, &x->cause.opens);
    visit_text(c, x->cause.reason, sizeof x->cause.reason);
    visit_text(c, x->cause.evidence, sizeof x->cause.evidence);
    visit_text(c, x->cause.node, sizeof x->cause.node);
    visit_text(c, x->cause.node_pool, sizeof x->cause.node_pool);
}

/* Few classes have any: each with its number. */
static void visit_owned(struct codec *c, struct ledger_owned *owned) {
    checkpoint_sum(c, &owned->count);
    checkpoint_sum(c, &owned->ms);
    checkpoint_sum(c, &owned->chip_ms);
    size_t known = 0;
    for (int i = 0; i < CLASS_COUNT; i++)
        known += owned->class_chip_ms[i] != 0;
    known = codec_count(c, known, CLASS_COUNT);
    int64_t sum = 0;
    for (int at = 0; known > 0 && !c->failed; at++, known--) {
        int first = at;
        while (!codec_is_reading(c) && owned->class_chip_ms[at] == 0)
            at++;
        CODEC_INT(c, &at, first, CLASS_COUNT - 1);
        if (c->failed)
            return;
        checkpoint_sum(c, &owned->class_chip_ms[at]);
        c->failed |= __builtin_add_overflow(sum, owned->class_chip_ms[at], &sum);
    }
    c->failed |= sum > owned->chip_ms;
}

static void visit_interruptions(struct codec *c, struct settled *s) {
    struct ledger_older *o = &s->older;
    size_t listed = codec_count(c, s->listed_count, SETTLED_LISTED);
    if (codec_is_reading(c)) {
        settled_list(s, listed);
        memset(s->listed, 0, (listed + 1) * sizeof *s->listed);
        memset(s->executions, 0, (listed + 1) * sizeof *s->executions);
        memset(s->productive_before_ms, 0, (listed + 1) * sizeof *s->productive_before_ms);
    }
    for (size_t i = 0; i <= s->listed_count; i++) {
        visit_execution(c, &s->executions[i]);
        checkpoint_sum(c, &s->productive_before_ms[i]);
        if (i == s->listed_count)
            break;
        visit_listed(c, &s->listed[i]);
        checkpoint_sum(c, &s->listed[i].recovery.cost_ms);
        checkpoint_sum(c, &s->listed[i].recovery.chip_ms);
        checkpoint_sum(c, &s->listed[i].item.quiet_ms);
        checkpoint_sum(c, &s->listed[i].recovery.detect_ms);
    }
    CODEC_INT(c, &o->count, 0, INT32_MAX / 2);
    checkpoint_sum(c, &o->counted);
    checkpoint_sum(c, &o->recovered);
    checkpoint_sum(c, &o->recover_ms);
    checkpoint_sum(c, &o->productive_ms);
    o->cause_count = (int)codec_count(c, (size_t)o->cause_count, LEDGER_OLDER_CAUSES);
    for (int i = 0; i < o->cause_count; i++) {
        CODEC_INT(c, &o->causes[i].cause, 0, CAUSE_COUNT - 1);
        visit_text(c, o->causes[i].reason, sizeof o->causes[i].reason);
        checkpoint_sum(c, &o->causes[i].count);
        checkpoint_sum(c, &o->causes[i].chip_ms);
    }
    for (int i = 0; i < OWNER_COUNT; i++)
        visit_owned(c, &o->owners[i]);
    for (size_t i = 0; i < s->listed_count; i++) {
        const struct interruption *x = &s->listed[i].item;
        bool is_over = x->at_ms >= (i > 0 ? x[0].lost_ms : INT64_MIN) && x->until_ms >= x->at_ms &&
                       x->until_ms <= s->through_ms && x->lost_ms <= x->at_ms && x->lost_ms != TIME_UNKNOWN;
        c->failed |= !is_over || (i > 0 && s->listed[i - 1].item.until_ms > x->at_ms);
    }
}

static void visit_progress(struct codec *c, struct progress *p) {
    checkpoint_step(c, &p->step);
    checkpoint_sum(c, &p->steps);
    checkpoint_sum(c, &p->productive_ms);
    checkpoint_sum(c, &p->chip_ms);
}

static void visit_training(struct codec *c, struct settled *s, size_t process_count) {
    CODEC_INT(c, &s->process, 0, process_count > 0 ? (int64_t)process_count - 1 : 0);
    c->failed |= process_count == 0;
    codec_bool(c, &s->reports_starts);
    CODEC_INT(c, &s->reason, 0, RUN_NEW_SERIES);
    checkpoint_time(c, &s->run_begin_ms);
    int64_t *steps[] = {&s->run_first_step, &s->run_resumed_step, &s->run_last_step, &s->durable_steps[0],
                        &s->durable_steps[1]};
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
        checkpoint_step(c, steps[i]);
    c->failed |= s->run_first_step == RECORD_NONE || s->run_resumed_step == RECORD_NONE ||
                 s->run_last_step == RECORD_NONE || s->run_begin_ms == TIME_UNKNOWN || s->run_begin_ms > s->through_ms;
    codec_bool(c, &s->any_final);
    codec_bool(c, &s->reported.has_records);
    codec_bool(c, &s->reported.has_checkpoints);
    checkpoint_sum(c, &s->clipped_ms);
    checkpoint_sum(c, &s->overlapped);
    CODEC_INT(c, &s->view_count, 0, INT32_MAX / 2);
    checkpoint_time(c, &s->last_record_ms);
    size_t deltas = 0;
    while (deltas < SETTLED_DELTAS && s->deltas[deltas].count > 0)
        deltas++;
    deltas = codec_count(c, deltas, SETTLED_DELTAS);
    for (size_t i = 0; i < deltas; i++) {
        codec_i64(c, &s->deltas[i].delta);
        checkpoint_sum(c, &s->deltas[i].count);
    }
    s->reported.custom_count = (int)codec_count(c, (size_t)s->reported.custom_count, LEDGER_MAX_CUSTOM);
    for (int i = 0; i < s->reported.custom_count; i++)
        visit_text(c, s->reported.custom_names[i], RECORD_NAME_SIZE);
    if (codec_is_reading(c))
        memcpy(s->reported.custom_names[LEDGER_MAX_CUSTOM], "Other", sizeof "Other");
    visit_progress(c, &s->sums.progress);
    visit_progress(c, &s->sums.series);
}

static void visit_durations(struct codec *c, struct durations *d) {
    int64_t last = -1, total = 0;
    CODEC_INT(c, &d->dropped_bits, 0, 10);
    d->count = codec_count(c, d->count, DURATIONS_MAX);
    if (codec_is_reading(c)) {
        d->capacity = d->count;
        d->items = d->count > 0 ? mem_alloc(d->count * sizeof *d->items) : NULL;
    }
    for (size_t i = 0; i < d->count && d->items != NULL; i++) {
        int64_t more = d->items[i].ms - last;
        CODEC_INT(c, &more, 1, INT32_MAX);
        CODEC_INT(c, &d->items[i].count, 1, CHECKPOINT_MAX_SUM / DURATIONS_MAX);
        last += more;
        c->failed |= last > INT32_MAX;
        d->items[i].ms = (int32_t)(c->failed ? 0 : last);
        total += d->items[i].count;
    }
    d->total = total;
}

/* ---- snapshots ---- */

enum {
    IS_CHECKPOINT = 1,
    IS_BETWEEN_STEPS = 2,
    SAME_CHIPS = 4,
    STEPS_AS_NUMBERS = 8,
    HAS_OTHERS = 16,
    HAS_STRUCK = 32
};

struct chip_rate { /* chips per Productive ms, from the snapshot before */
    int64_t chips;
};

static int64_t expected_chips(const struct chip_rate *rate, int64_t productive_ms) {
    return (int64_t)((__int128)rate->chips * productive_ms > CHECKPOINT_MAX_SUM ? 0 : rate->chips * productive_ms);
}

static void visit_others(struct codec *c, struct snapshot *k, const struct snapshot *before) {
    size_t used[ACCOUNT_COUNT] = {0}, count = 0;
    for (size_t i = 0; i < ACCOUNT_COUNT; i++)
        if (i != BUCKET_PRODUCTIVE && k->ms[i] != before->ms[i])
            used[count++] = i;
    count = codec_count(c, count, ACCOUNT_COUNT);
    for (size_t n = 0; n < count; n++) {
        size_t i = codec_is_reading(c) ? 0 : used[n];
        CODEC_INT(c, &i, 0, ACCOUNT_COUNT - 1);
        int64_t more = k->ms[i] - before->ms[i];
        CODEC_INT(c, &more, 0, CHECKPOINT_MAX_SUM);
        if (codec_is_reading(c))
            k->ms[i] += more;
        c->failed |= i == BUCKET_PRODUCTIVE || k->ms[i] > CHECKPOINT_MAX_SUM;
    }
}

static void visit_snapshot(struct codec *c, struct snapshot *k, const struct snapshot *before, struct chip_rate *rate) {
    struct progress *p = &k->progress;
    const struct progress *q = &before->progress;
    int64_t took = k->at_ms - before->at_ms, struck = k->interruptions - before->interruptions;
    bool is_first_step = q->step == RECORD_NONE || p->step == RECORD_NONE;
    int64_t numbers = is_first_step ? 0 : p->step - q->step, steps = p->steps - q->steps;
    int64_t gained = p->productive_ms - q->productive_ms;
    int64_t chips = p->chip_ms - q->chip_ms - expected_chips(rate, gained);
    bool has_others = false;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        has_others |= i != BUCKET_PRODUCTIVE && k->ms[i] != before->ms[i];
    int64_t flags = (k->is_checkpoint ? IS_CHECKPOINT : 0) |
                    (p->productive_ms != k->ms[BUCKET_PRODUCTIVE] ? IS_BETWEEN_STEPS : 0) |
                    (chips == 0 ? SAME_CHIPS : 0) | (!is_first_step && numbers == steps ? STEPS_AS_NUMBERS : 0) |
                    (has_others ? HAS_OTHERS : 0) | (struck != 0 ? HAS_STRUCK : 0);
    CODEC_INT(c, &flags, 0, 63);
    CODEC_INT(c, &took, 0, CHECKPOINT_MAX_SUM);
    if (codec_is_reading(c)) {
        *k = *before;
        k->at_ms += took;
        k->is_checkpoint = flags & IS_CHECKPOINT;
    }
    if (flags & HAS_STRUCK)
        CODEC_INT(c, &struck, 0, INT32_MAX);
    else
        struck = 0;
    k->interruptions = before->interruptions + struck;
    if (flags & HAS_OTHERS)
        visit_others(c, k, before);
    int64_t others = 0;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        others += i != BUCKET_PRODUCTIVE ? k->ms[i] - before->ms[i] : 0;
    k->ms[BUCKET_PRODUCTIVE] = before->ms[BUCKET_PRODUCTIVE] + took - others;
    c->failed |= others > took;
    c->failed |= (flags & STEPS_AS_NUMBERS) && q->step == RECORD_NONE;
    if (c->failed)
        return;
    if (flags & STEPS_AS_NUMBERS) {
        CODEC_INT(c, &steps, -CHECKPOINT_MAX_SUM, CHECKPOINT_MAX_SUM);
        p->step = q->step + steps;
        p->steps = q->steps + steps;
    } else {
        checkpoint_step(c, &p->step);
        checkpoint_sum(c, &p->steps);
    }
    int64_t unfinished = k->ms[BUCKET_PRODUCTIVE] - p->productive_ms;
    if (flags & IS_BETWEEN_STEPS)
        checkpoint_sum(c, &unfinished);
    else
        unfinished = 0;
    p->productive_ms = k->ms[BUCKET_PRODUCTIVE] - unfinished;
    c->failed |= p->productive_ms < 0;
    gained = p->productive_ms - q->productive_ms;
    if (!(flags & SAME_CHIPS))
        CODEC_INT(c, &chips, -CHECKPOINT_MAX_SUM, CHECKPOINT_MAX_SUM);
    else
        chips = 0;
    p->chip_ms = q->chip_ms + expected_chips(rate, gained) + chips;
    if (gained > 0 && p->chip_ms >= q->chip_ms)
        rate->chips = (p->chip_ms - q->chip_ms) / gained;
}

static void visit_snapshots(struct codec *c, struct settled *s, int64_t start_ms) {
    struct snapshots *list = &s->snapshots;
    struct snapshot before = {.at_ms = start_ms, .progress = {.step = RECORD_NONE}};
    struct chip_rate rate = {0};
    size_t count = codec_count(c, list->count, MAX_SNAPSHOTS);
    for (size_t i = 0; i < count && !c->failed; i++) {
        struct snapshot k = {0};
        if (!codec_is_reading(c))
            snapshots_get(list, i, &k);
        visit_snapshot(c, &k, &before, &rate);
        bool is_whole = k.at_ms <= s->through_ms && k.progress.chip_ms >= 0 &&
                        k.progress.chip_ms <= s->sums.accounts[BUCKET_PRODUCTIVE].chip_ms &&
                        k.progress.productive_ms <= k.ms[BUCKET_PRODUCTIVE] && k.progress.steps >= 0 &&
                        k.progress.steps <= s->sums.progress.steps;
        for (int a = 0; a < ACCOUNT_COUNT; a++)
            is_whole = is_whole && k.ms[a] >= 0 && k.ms[a] <= s->sums.accounts[a].ms;
        c->failed |= !is_whole;
        if (codec_is_reading(c))
            snapshots_add(list, &k);
        before = k;
    }
}

/* What the accounts say that interruptions cost is what these cost, all of them. */
static void check_costs(struct codec *c, const struct settled *s) {
    int64_t interrupted = 0, cost = 0;
    for (int i = 0; i < ACCOUNT_COUNT; i++) {
        const struct account *a = &s->sums.accounts[i];
        interrupted += a->interrupted_ms;
        c->failed |= a->interrupted_ms > a->ms || a->interrupted_chip_ms > a->chip_ms;
    }
    for (size_t i = 0; i < s->listed_count; i++)
        cost += min_of(s->listed[i].recovery.cost_ms, s->through_ms);
    for (int i = 0; i < OWNER_COUNT; i++)
        cost += min_of(s->older.owners[i].ms, s->through_ms);
    c->failed |= interrupted != cost;
}

/* The accounts add up to the time, what was available to what is not of the family Scheduling. */
static void check_sums(struct codec *c, const struct settled *s, int64_t start_ms) {
    int64_t sum = 0, available = 0, span_ms = 0;
    c->failed |= __builtin_sub_overflow(s->through_ms, start_ms, &span_ms);
    for (int i = 0; i < ACCOUNT_COUNT && !c->failed; i++) {
        const struct account *a = &s->sums.accounts[i];
        sum += a->ms / 2;
        c->failed |= a->largest_ms > a->ms || a->ms > span_ms;
        available += i >= BUCKET_COUNT || bucket_family((enum bucket)i) != FAMILY_SCHEDULING ? a->ms : 0;
    }
    if (c->failed)
        return;
    sum = 0;
    for (int i = 0; i < ACCOUNT_COUNT; i++)
        sum += s->sums.accounts[i].ms;
    c->failed |= sum != span_ms || available != s->sums.available_ms || s->sums.lost_steps > s->sums.step_count ||
                 s->sums.progress.steps > s->sums.step_count ||
                 s->sums.series.productive_ms > s->sums.accounts[BUCKET_PRODUCTIVE].ms;
}

static void visit_down(struct codec *c, struct slices_down *d, int64_t through_ms) {
    checkpoint_sum(c, &d->chip_ms);
    checkpoint_sum(c, &d->count);
    checkpoint_sum(c, &d->largest_ms);
    CODEC_INT(c, &d->basis, BASIS_OBSERVED, BASIS_ASSUMED);
    visit_text(c, d->evidence, sizeof d->evidence);
    checkpoint_time(c, &d->from_ms);
    c->failed |= d->from_ms != TIME_UNKNOWN && d->from_ms > through_ms;
    CODEC_INT(c, &d->line, 0, UINT32_MAX);
    CODEC_INT(c, &d->active, 0, INT32_MAX);
    CODEC_INT(c, &d->total, 0, INT32_MAX);
}

void checkpoint_settled(struct codec *c, struct settled *s, int64_t start_ms, size_t process_count) {
    checkpoint_time(c, &s->through_ms);
    c->failed |= s->through_ms == TIME_UNKNOWN || s->through_ms == TIME_OPEN || s->through_ms <= start_ms;
    visit_accounts(c, s);
    CODEC_INT(c, &s->sums.span.account, 0, ACCOUNT_COUNT - 1);
    checkpoint_time(c, &s->sums.span.from_ms);
    c->failed |= s->sums.span.from_ms < start_ms || s->sums.span.from_ms > s->through_ms;
    visit_origin(c, &s->sums.span.origin);
    int64_t *sums[] = {&s->sums.available_ms, &s->sums.chip_ms_waiting, &s->sums.step_count, &s->sums.lost_steps};
    for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
        checkpoint_sum(c, sums[i]);
    checkpoint_step(c, &s->sums.last_step);
    checkpoint_step(c, &s->sums.max_step);
    checkpoint_time(c, &s->sums.running_since_ms);
    CODEC_INT(c, &s->losses.last_count, -1, INT32_MAX);
    checkpoint_time(c, &s->losses.lost_ms);
    codec_bool(c, &s->losses.is_restarting);
    c->failed |= s->losses.is_restarting; /* settle.c ends the search there */
    codec_bool(c, &s->losses.has_lost_pod);
    codec_bool(c, &s->losses.is_counted);
    codec_bool(c, &s->losses.was_available);
    visit_interruptions(c, s);
    visit_training(c, s, process_count);
    visit_durations(c, &s->durations);
    if (codec_is_reading(c))
        check_sums(c, s, start_ms);
    if (codec_is_reading(c) && !c->failed)
        check_costs(c, s);
    visit_snapshots(c, s, start_ms);
    visit_down(c, &s->sums.down, s->through_ms);
    checkpoint_sum(c, &s->headless_ms);
    settled_phases_visit(c, s);
}
