#include "entries_check.h"
#include "base/mem.h"
#include "harness.h"

#include <inttypes.h>
#include <string.h>

struct check {
    const char *words;
    const struct ledger_result *result;
    const struct ledger_entries *entries;
};

static void compare(const struct check *c, const char *what, int64_t expected, int64_t got) {
    if (got != expected)
        harness_fail(__FILE__, __LINE__, "%s: the entries give %s %" PRId64 " instead of %" PRId64, c->words, what, got,
                     expected);
}

/* A bucket's settled part; all-zero: it has none. */
static struct ledger_settled_bucket settled_bucket(const struct check *c, const struct ledger_bucket *b) {
    const struct ledger_settled_sums *s = &c->entries->settled;
    for (int i = 0; i < s->bucket_count; i++)
        if (s->buckets[i].bucket == b->bucket &&
            (b->bucket != BUCKET_CUSTOM || strcmp(c->entries->custom_names[s->buckets[i].custom], b->custom) == 0))
            return s->buckets[i];
    return (struct ledger_settled_bucket){.bucket = b->bucket,
                                          .chip_ms = b->bucket == BUCKET_ELASTIC_SLICE_DOWN ? s->idle_chip_ms : 0};
}

static struct ledger_settled_cost settled_cost(const struct check *c, int number) {
    const struct ledger_settled_sums *s = &c->entries->settled;
    for (size_t i = 0; i < s->cost_count; i++)
        if (s->costs[i].interruption == number)
            return s->costs[i];
    return (struct ledger_settled_cost){0};
}

static void check_bucket(const struct check *c, const struct ledger_bucket *b) {
    const struct ledger_settled_bucket before = settled_bucket(c, b);
    int64_t ms = before.ms, count = before.count, chip_ms = before.chip_ms, caused_ms = before.interrupted_ms,
            caused_chip_ms = before.interrupted_chip_ms;
    enum basis basis = before.basis;
    for (size_t i = 0; i < c->entries->count; i++) {
        const struct ledger_entry *e = &c->entries->items[i];
        int64_t took = e->to_ms - e->from_ms;
        if (b->bucket == BUCKET_ELASTIC_SLICE_DOWN)
            chip_ms += took * e->idle_chips;
        if (e->bucket != b->bucket ||
            (b->bucket == BUCKET_CUSTOM && strcmp(c->entries->custom_names[e->custom], b->custom) != 0))
            continue;
        ms += took;
        count += e->is_new;
        chip_ms += took * e->chips;
        caused_ms += e->interruption > 0 ? took : 0;
        caused_chip_ms += e->interruption > 0 ? took * e->chips : 0;
        basis = e->basis > basis ? e->basis : basis;
    }
    compare(c, bucket_name(b->bucket), b->ms, ms);
    compare(c, "chips", b->chip_ms, chip_ms);
    if (b->bucket == BUCKET_ELASTIC_SLICE_DOWN)
        return;
    compare(c, "spans", b->count, count);
    compare(c, "caused", b->interrupted_ms, caused_ms);
    compare(c, "caused chips", b->interrupted_chip_ms, caused_chip_ms);
    compare(c, "basis", b->basis, basis);
}

static void check_interruption(const struct check *c, const struct ledger_interruption *x) {
    const struct ledger_settled_cost before = settled_cost(c, x->number);
    int64_t tch = before.tch_ms, tre = before.tre_ms, trm = before.trm_ms, wait = before.wait_ms, cost = before.cost_ms,
            chip_ms = before.chip_ms, detect = before.detect_ms;
    for (size_t i = 0; i < c->entries->count; i++) {
        const struct ledger_entry *e = &c->entries->items[i];
        int64_t took = e->to_ms - e->from_ms;
        if (e->execution == x->number + 1) {
            tre += e->recovery == RECOVERY_RESCHEDULE ? took : 0;
            trm += e->recovery == RECOVERY_RESUME ? took : 0;
            wait += e->recovery == RECOVERY_WAIT ? took : 0;
        }
        if (e->interruption != x->number)
            continue;
        tch += e->is_lost_work ? took : 0;
        detect +=
            e->bucket == BUCKET_NODE_FAILURE_DETECTION || e->bucket == BUCKET_PROCESS_FAILURE_DETECTION ? took : 0;
        cost += took;
        chip_ms += took * e->chips;
    }
    if (x->tch_ms != RECORD_NONE)
        compare(c, "lost work", x->tch_ms, tch);
    if (x->tre_ms != RECORD_NONE)
        compare(c, "time to reschedule", x->tre_ms, tre);
    if (x->wait_ms != RECORD_NONE)
        compare(c, "time waited", x->wait_ms, wait);
    if (x->trm_ms != RECORD_NONE)
        compare(c, "time to resume", x->trm_ms, trm);
    compare(c, "cost", x->cost_ms, cost);
    compare(c, "cost in chips", x->chip_ms, chip_ms);
    compare(c, "detection", x->detect_ms, detect);
}

static void check_times(const struct check *c) {
    const struct ledger_result *r = c->result;
    const struct ledger_settled_sums *before = &c->entries->settled;
    int64_t wall = 0, available = 0, provisional = before->provisional_ms, waiting = before->waiting_chip_ms,
            at = c->entries->complete_from_ms;
    for (int i = 0; i < before->bucket_count; i++) {
        wall += before->buckets[i].ms;
        available += bucket_family(before->buckets[i].bucket) != FAMILY_SCHEDULING ? before->buckets[i].ms : 0;
    }
    if (r->start_ms != TIME_UNKNOWN)
        compare(c, "settled time", at - r->start_ms, wall);
    for (size_t i = 0; i < c->entries->count; i++) {
        const struct ledger_entry *e = &c->entries->items[i];
        int64_t took = e->to_ms - e->from_ms;
        if (took <= 0 || e->from_ms < at || (r->excluded_ms == 0 && e->from_ms != at))
            harness_fail(__FILE__, __LINE__, "%s: entry %zu leaves a gap at %" PRId64, c->words, i, at);
        at = e->to_ms;
        wall += took;
        available += bucket_family(e->bucket) != FAMILY_SCHEDULING ? took : 0;
        provisional += e->is_provisional ? took : 0;
        waiting += took * e->waiting_chips;
    }
    compare(c, "wall", r->wall_ms, wall);
    compare(c, "available", r->available_ms, available);
    compare(c, "provisional", r->provisional_ms, provisional);
    compare(c, "waiting chips", r->chip_ms_waiting, waiting);
}

void check_entries(struct ledger *l, int64_t through_ms, const char *words) {
    struct ledger_result r;
    struct ledger_entries entries = {0};
    ledger_evaluate_entries(l, through_ms, &r, &entries);
    struct check c = {words, &r, &entries};
    check_times(&c);
    for (int i = 0; i < r.bucket_count; i++)
        check_bucket(&c, &r.buckets[i]);
    for (int i = 0; i < r.interruption_count + r.has_own_end; i++)
        check_interruption(&c, &r.interruptions[i]);
    ledger_entries_done(&entries);
    ledger_result_done(&r);
}
