#include "ledger/doubt.h"

#include "base/minmax.h"

#include <stdio.h>

static bool is_of_steps(enum bucket b) {
    return b == BUCKET_PRODUCTIVE || b == BUCKET_WASTED_PROGRESS || b == BUCKET_STALL || b == BUCKET_PROGRAM_STARTUP ||
           b == BUCKET_UNATTRIBUTED;
}

static void fold(struct ledger_bucket *to, const struct ledger_bucket *b) {
    to->ms += b->ms;
    to->count += b->count;
    to->chip_ms += b->chip_ms;
    to->interrupted_ms += b->interrupted_ms;
    to->interrupted_chip_ms += b->interrupted_chip_ms;
    to->largest_ms = max_of(to->largest_ms, b->largest_ms);
    for (int w = 0; w < LEDGER_MAX_WINDOWS; w++)
        to->windows_ms[w] += b->windows_ms[w];
}

static void find_top(struct ledger_result *r) {
    int64_t top_ms[LEDGER_MAX_WINDOWS] = {0};
    r->top_badput = -1;
    for (int i = 0; i < r->bucket_count; i++) {
        const struct ledger_bucket *b = &r->buckets[i];
        if (b->bucket == BUCKET_UNOBSERVED || b->ms == 0)
            continue;
        if (r->top_badput < 0 || b->ms > r->buckets[r->top_badput].ms)
            r->top_badput = i;
        for (int w = 0; w < r->window_count; w++)
            if (b->windows_ms[w] > top_ms[w]) {
                top_ms[w] = b->windows_ms[w];
                r->windows[w].top_badput = b->bucket;
            }
    }
}

static void doubt_settled(struct ledger_settled_sums *s) {
    struct ledger_settled_bucket sum = {.bucket = BUCKET_UNATTRIBUTED, .basis = BASIS_DERIVED};
    int count = 0;
    for (int i = 0; i < s->bucket_count; i++) {
        const struct ledger_settled_bucket b = s->buckets[i];
        if (!is_of_steps(b.bucket)) {
            s->buckets[count++] = b;
            continue;
        }
        sum.ms += b.ms;
        sum.count += b.count;
        sum.chip_ms += b.chip_ms;
        sum.interrupted_ms += b.interrupted_ms;
        sum.interrupted_chip_ms += b.interrupted_chip_ms;
    }
    if (sum.ms > 0)
        s->buckets[count++] = sum;
    s->bucket_count = count;
    s->provisional_ms = 0;
}

static void doubt_entries(struct ledger_entries *entries) {
    doubt_settled(&entries->settled);
    for (size_t i = 0; i < entries->count; i++) {
        struct ledger_entry *e = &entries->items[i];
        if (!is_of_steps(e->bucket))
            continue;
        e->bucket = BUCKET_UNATTRIBUTED;
        e->basis = BASIS_DERIVED;
        e->is_provisional = e->is_lost_work = false;
    }
}

void ledger_doubt_steps(struct ledger_result *r, struct ledger_entries *entries, const char *evidence) {
    doubt_entries(entries);
    struct ledger_bucket sum = {.bucket = BUCKET_UNATTRIBUTED, .basis = BASIS_DERIVED};
    int count = 0, at = 0;
    for (int i = 0; i < r->bucket_count; i++) {
        if (is_of_steps(r->buckets[i].bucket)) {
            fold(&sum, &r->buckets[i]);
            continue;
        }
        at += r->buckets[i].bucket < BUCKET_UNATTRIBUTED;
        r->buckets[count++] = r->buckets[i];
    }
    snprintf(sum.evidence, sizeof sum.evidence, "%s", evidence);
    if (sum.ms > 0) {
        for (int i = count++; i > at; i--)
            r->buckets[i] = r->buckets[i - 1];
        r->buckets[at] = sum;
    }
    r->bucket_count = count;
    r->has_steps = false;
    r->productive_ms = r->provisional_ms = r->chip_ms_productive = 0;
    for (int w = 0; w < r->window_count; w++)
        r->windows[w].productive_ms = 0;
    for (int i = 0; i < r->execution_count; i++)
        r->executions[i].productive_ms = 0;
    find_top(r);
}
