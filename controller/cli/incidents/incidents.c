#include "cli/incidents/incidents.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "cli/render/pick.h"
#include "formulas/price.h"

#include <math.h>
#include <string.h>

#define LIMIT ((int64_t)1 << 60) /* far beyond real sums */

static void add(int64_t *sum, int64_t value) {
    *sum = max_of(-LIMIT, min_of(LIMIT, *sum + value));
}

static void add_part(struct incidents_part *to, int64_t count, int64_t ms, int64_t chip_seconds) {
    add(&to->count, count);
    add(&to->ms, ms);
    add(&to->chip_seconds, chip_seconds);
}

static enum rootcause_class class_of(const json_t *execution) {
    int class_ = rootcause_class_find(slice_of(pick_text(execution, "rootCause.class")));
    return class_ < 0 ? CLASS_UNKNOWN : (enum rootcause_class)class_;
}

static bool is_owned(const json_t *object, const struct incidents_query *query) {
    return strcmp(pick_text(object, "owner"), query->owner) == 0;
}

static int64_t observed_end_ms(const json_t *status) {
    int64_t end_ms = pick_time_ms(status, "time.end");
    return end_ms != TIME_UNKNOWN ? end_ms : pick_time_ms(status, "time.observedThrough");
}

/* When training resumed: the first step of the next execution and its compilation. If it had no step, its end. */
static int64_t resumed_ms(const json_t *status, const json_t *next) {
    int64_t step_ms = pick_time_ms(next, "firstStepAt"), end_ms = pick_time_ms(next, "end");
    if (step_ms != TIME_UNKNOWN)
        return step_ms + pick_int(next, "programStartupMilliseconds", 0);
    return end_ms != TIME_UNKNOWN ? end_ms : observed_end_ms(status);
}

static int64_t scaled(int64_t chip_seconds, int64_t part_ms, int64_t whole_ms) {
    return (int64_t)((__int128)chip_seconds * part_ms / whole_ms);
}

/* At the price that the status names; the sum is that of the rounded costs, as a reader adds them up. */
static void add_cost(struct incidents *n, const json_t *status, struct incident *x) {
    const char *currency = pick_text(status, "cost.currency");
    int64_t price = price_parse(slice_of(pick_text(status, "cost.pricePerChipHour")));
    int i = 0;
    if (price < 0 || *currency == '\0' || x->chip_seconds < 0)
        return;
    x->cost_cents = price_cents(x->chip_seconds * 1000, price);
    while (i < n->cost_count && strcmp(n->costs[i].currency, currency) != 0)
        i++;
    if (i == INCIDENTS_CURRENCIES)
        return;
    if (i == n->cost_count)
        n->costs[n->cost_count++] = (struct incidents_cost){currency, 0};
    add(&n->costs[i].cents, x->cost_cents);
}

/* Adds the part of an interruption that is in the window to the items; the rest is outside. */
static void add_interruption(struct incidents *n, const json_t *job, const json_t *execution, const json_t *next,
                             bool is_counted) {
    const json_t *status = pick(job, "status");
    int64_t end_ms = pick_time_ms(execution, "end"), back_ms = resumed_ms(status, next);
    int64_t lost_ms = max_of(0, pick_int(execution, "lostMilliseconds", 0));
    int64_t chip_s = max_of(0, pick_int(execution, "lostChipSeconds", 0));
    if (end_ms == TIME_UNKNOWN)
        return;
    int64_t from_ms = back_ms == TIME_UNKNOWN ? end_ms : min_of(end_ms, back_ms - lost_ms);
    struct incident x = {.job = job,
                         .execution = execution,
                         .from_ms = max_of(from_ms, n->query.from_ms),
                         .to_ms = min_of(from_ms + lost_ms, n->query.to_ms),
                         .chips = NAN,
                         .cost_cents = -1};
    bool is_point = lost_ms == 0 && from_ms >= n->query.from_ms && from_ms < n->query.to_ms;
    if (x.to_ms <= x.from_ms && !is_point) {
        add_part(&n->outside, is_counted, lost_ms, chip_s);
        return;
    }
    x.is_cut = x.to_ms - x.from_ms < lost_ms;
    if (lost_ms > 0)
        x.chip_seconds = scaled(chip_s, x.to_ms - from_ms, lost_ms) - scaled(chip_s, x.from_ms - from_ms, lost_ms);
    add_part(&n->inside, is_counted, x.to_ms - x.from_ms, x.chip_seconds);
    add_part(&n->classes[class_of(execution)], 1, x.to_ms - x.from_ms, x.chip_seconds);
    add_part(&n->outside, 0, lost_ms - (x.to_ms - x.from_ms), chip_s - x.chip_seconds);
    if (!pick_has(status, "acceleratorHours"))
        x.chip_seconds = -1;
    else if (lost_ms > 0)
        x.chips = (double)chip_s * 1000 / (double)lost_ms;
    add_cost(n, status, &x);
    MEM_GROW(n->items, n->count, n->capacity);
    n->items[n->count++] = x;
}

static void add_executions(struct incidents *n, const json_t *job) {
    const json_t *executions = pick(job, "status.executions"), *execution;
    size_t i;
    json_array_foreach(executions, i, execution) {
        const json_t *next = json_array_get(executions, i + 1);
        bool is_own_end = next == NULL && pick_has(job, "status.time.end"); /* what the job ended with is not counted */
        if (is_owned(execution, &n->query))
            add_interruption(n, job, execution, next, !is_own_end);
    }
}

/* What is in the sums of the status, but in no listed interruption. */
static void add_rest(struct incidents *n, const json_t *status, const struct incidents_part *before) {
    struct incidents_part buckets = {0}, total = {0};
    const json_t *item;
    size_t i;
    json_array_foreach(pick(status, "badput"), i, item) {
        if (is_owned(item, &n->query))
            add_part(&buckets, 0, pick_int(item, "milliseconds", 0) - pick_int(item, "interruptionMilliseconds", 0),
                     pick_int(item, "chipSeconds", 0) - pick_int(item, "interruptionChipSeconds", 0));
    }
    json_array_foreach(pick(status, "byOwner"), i, item) {
        if (is_owned(item, &n->query))
            add_part(&total, pick_int(item, "interruptions", 0), pick_int(item, "milliseconds", 0),
                     pick_int(item, "chipSeconds", 0));
    }
    int64_t listed_ms = n->inside.ms + n->outside.ms - before->ms;
    int64_t listed_chip_s = n->inside.chip_seconds + n->outside.chip_seconds - before->chip_seconds;
    struct incidents_part older = {max_of(0, total.count - (n->inside.count + n->outside.count - before->count)),
                                   max_of(0, total.ms - listed_ms - buckets.ms), 0};
    if (older.ms > 0) /* else it is what rounding leaves */
        older.chip_seconds = max_of(0, total.chip_seconds - listed_chip_s - buckets.chip_seconds);
    add_part(&n->older, older.count, older.ms, older.chip_seconds);
    add_part(&n->buckets, 0, buckets.ms, buckets.chip_seconds);
    add_part(&n->total, total.count, total.ms, total.chip_seconds);
}

static int by_time(const void *a, const void *b) {
    const struct incident *x = a, *y = b;
    if (x->from_ms != y->from_ms)
        return x->from_ms < y->from_ms ? -1 : 1;
    int r = strcmp(pick_text(x->job, "metadata.namespace"), pick_text(y->job, "metadata.namespace"));
    r = r ? r : strcmp(pick_text(x->job, "metadata.name"), pick_text(y->job, "metadata.name"));
    int64_t p = pick_int(x->execution, "number", 0), q = pick_int(y->execution, "number", 0);
    return r ? r : p < q ? -1 : p > q;
}

void incidents_find(const json_t *list, const struct incidents_query *query, struct incidents *out) {
    const json_t *job;
    size_t i;
    *out = (struct incidents){.query = *query};
    json_array_foreach(list, i, job) {
        struct incidents_part before = {out->inside.count + out->outside.count, out->inside.ms + out->outside.ms,
                                        out->inside.chip_seconds + out->outside.chip_seconds};
        out->jobs++;
        if (!pick_has(job, "status.byOwner")) {
            out->jobs_without++;
            continue;
        }
        add_executions(out, job);
        add_rest(out, pick(job, "status"), &before);
    }
    if (out->count > 0)
        qsort(out->items, out->count, sizeof *out->items, by_time);
}

void incidents_done(struct incidents *incidents) {
    free(incidents->items);
}
