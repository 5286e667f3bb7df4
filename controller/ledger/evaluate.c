#include "ledger/entries.h"
#include "ledger/evidence.h"
#include "ledger/holds.h"
#include "ledger/rollback.h"
#include "ledger/settle.h"
#include "ledger/sigterm.h"
#include "ledger/step_list.h"
#include "ledger/sweep.h"
#include "ledger/sweep_listed.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

int64_t ledger_ppm(int64_t numerator, int64_t denominator) {
    if (denominator <= 0)
        return denominator == 0 ? RECORD_NONE : ledger_ppm(-numerator, -denominator);
    __int128 scaled = (__int128)numerator * 2000000 + denominator;
    __int128 divisor = (__int128)denominator * 2, quotient = scaled / divisor;
    if (scaled < 0 && quotient * divisor != scaled)
        quotient--;
    return (int64_t)quotient;
}

struct ledger_scores ledger_scores_of(const struct ledger_result *r) {
    struct ledger_scores s = {.scheduling_ppm = ledger_ppm(r->available_ms, r->wall_ms)};
    s.runtime_ppm = s.job_ppm = s.upper_ppm = s.evidence_ppm = s.scheduling_upper_ppm = s.job_upper_ppm = RECORD_NONE;
    for (int i = 0; i < r->bucket_count; i++) {
        if (r->buckets[i].bucket == BUCKET_UNATTRIBUTED)
            s.unattributed_ms = r->buckets[i].ms;
        if (r->buckets[i].bucket == BUCKET_SUSPENDED)
            s.suspended_ms = r->buckets[i].ms;
        if (r->buckets[i].bucket == BUCKET_UNOBSERVED)
            s.unobserved_ms = r->buckets[i].ms;
    }
    if (s.unobserved_ms > 0)
        s.scheduling_upper_ppm = ledger_ppm(r->available_ms + s.unobserved_ms, r->wall_ms);
    if (!r->has_steps)
        return s;
    s.runtime_ppm = ledger_ppm(r->productive_ms, r->available_ms);
    s.job_ppm = ledger_ppm(r->productive_ms, r->wall_ms);
    if (s.unobserved_ms > 0)
        s.job_upper_ppm = ledger_ppm(r->productive_ms + s.unattributed_ms + s.unobserved_ms, r->wall_ms);
    s.upper_ppm = ledger_ppm(r->productive_ms + s.unattributed_ms, r->available_ms);
    s.evidence_ppm = ledger_ppm(r->available_ms - s.unattributed_ms, r->available_ms);
    return s;
}

/* ElasticSliceDown has chips but no time. With it in the list, the chips of all buckets add up to the allocated
 * chips. */
static void fill_slices_down(struct ledger_result *result, const struct slices_down *d) {
    if (d->count == 0)
        return;
    struct ledger_bucket *b = &result->buckets[result->bucket_count++];
    *b = (struct ledger_bucket){.bucket = BUCKET_ELASTIC_SLICE_DOWN,
                                .count = d->count,
                                .basis = d->basis,
                                .chip_ms = d->chip_ms,
                                .largest_ms = d->largest_ms};
    memcpy(b->evidence, d->evidence, sizeof b->evidence);
    result->chip_ms_allocated += d->chip_ms;
}

static void fill_buckets(struct ledger_result *result, const struct sweep *s) {
    result->buckets = mem_alloc((ACCOUNT_COUNT + 1) * sizeof *result->buckets);
    result->top_badput = -1;
    const int custom_at = BUCKET_CUSTOM, customs = ACCOUNT_COUNT - BUCKET_COUNT;
    for (int k = 0; k < ACCOUNT_COUNT - 1; k++) { /* table order, with the custom buckets at the place of CUSTOM */
        int i = k < custom_at ? k : k < custom_at + customs ? BUCKET_COUNT + k - custom_at : k - customs + 1;
        const struct account *a = &s->sums.accounts[i];
        if (i == BUCKET_PRODUCTIVE)
            fill_slices_down(result, &s->sums.down);
        if (a->ms == 0)
            continue;
        struct ledger_bucket *b = &result->buckets[result->bucket_count];
        b->bucket = i < BUCKET_COUNT ? (enum bucket)i : BUCKET_CUSTOM;
        if (i >= BUCKET_COUNT)
            memcpy(b->custom, s->training->reported.custom_names[i - BUCKET_COUNT], sizeof b->custom);
        b->ms = a->ms;
        b->count = a->count;
        b->basis = a->basis;
        b->chip_ms = a->chip_ms;
        b->interrupted_ms = a->interrupted_ms;
        b->interrupted_chip_ms = a->interrupted_chip_ms;
        b->largest_ms = a->largest_ms;
        memcpy(b->windows_ms, a->window_ms, sizeof b->windows_ms);
        if (a->is_settled)
            snprintf(b->evidence, sizeof b->evidence, "%s", s->settled->evidence[i] ? s->settled->evidence[i] : "");
        else
            evidence_write(b->evidence, s, b->bucket, a);
        result->chip_ms_allocated += a->chip_ms;
        bool is_top = i != BUCKET_PRODUCTIVE && i != BUCKET_UNOBSERVED &&
                      (result->top_badput < 0 || b->ms > result->buckets[result->top_badput].ms);
        if (is_top)
            result->top_badput = result->bucket_count;
        result->bucket_count++;
    }
}

static void mark_saved_on_sigterm(struct ledger_result *result, const struct sweep *s) {
    for (size_t i = 0; i < s->interruptions->settled_count; i++)
        result->interruptions[i].saved_on_sigterm = s->settled->listed[i].saved_on_sigterm;
    for (size_t v = 0; v < s->training->view_count; v++) {
        enum ledger_saved saved;
        ptrdiff_t i = sigterm_find_saved(s, &s->training->views[v], &saved);
        if (i >= 0)
            result->interruptions[i].saved_on_sigterm =
                sigterm_join_saved(result->interruptions[i].saved_on_sigterm, saved);
    }
}

/* A failure at which the job ended is not an interruption: it is the job's own end. If the job trained after it, it is
 * one. */
static size_t interruption_count(const struct sweep *s) {
    size_t count = s->interruptions->count;
    bool is_own_end = s->at_end && s->ledger->outcome == OUTCOME_FAILED && count > 0 &&
                      s->interruptions->items[count - 1].until_ms >= s->through_ms &&
                      s->executions[count].first_step == RECORD_NONE && s->executions[count].productive_ms == 0;
    return is_own_end ? count - 1 : count;
}

static void fill_interruptions(struct ledger_result *result, const struct sweep *s) {
    size_t count = s->interruptions->count;
    result->interruptions = mem_alloc((count + 1) * sizeof *result->interruptions);
    result->interruption_count = (int)interruption_count(s);
    result->has_own_end = interruption_count(s) < count;
    if (s->settled != NULL)
        result->older = s->settled->older;
    for (size_t i = 0; i < count; i++)
        sweep_fill_interruption(&result->interruptions[i], s, i);
    mark_saved_on_sigterm(result, s);
    const struct interruption *last = count > 0 ? &s->interruptions->items[count - 1] : NULL;
    result->in_interruption = !s->at_end && last != NULL && last->until_ms > s->through_ms;
}

/* MTBI and MTTR. */
static void fill_means(struct ledger_result *r) {
    r->counted = r->older.counted;
    r->recovered = r->older.recovered;
    r->recover_ms = r->older.recover_ms;
    for (int i = 0; i < r->interruption_count; i++) {
        const struct ledger_interruption *x = &r->interruptions[i];
        if (cause_is_excluded(x->cause))
            continue;
        r->counted++;
        if (x->tre_ms != RECORD_NONE && x->trm_ms != RECORD_NONE) {
            r->recovered++;
            r->recover_ms += x->tre_ms + x->trm_ms;
        }
    }
    if (r->counted > 0)
        r->mtbi_ms = r->available_ms / r->counted;
    if (r->recovered > 0)
        r->mttr_ms = r->recover_ms / r->recovered;
}

/* What interruptions that are left out cost within the interval keeps its owner. */
static void drop_interruption(struct ledger_older *older, const struct ledger_interruption *x) {
    older->owners[x->owner].ms += x->cost_ms;
    older->owners[x->owner].chip_ms += x->chip_ms;
    older->owners[x->owner].class_chip_ms[x->class_] += x->chip_ms;
}

/* Keeps the interruptions that struck in [from, to), the executions that they ended, and the one after them. */
static void restrict_lists(struct ledger_result *result, int64_t from_ms, int64_t to_ms) {
    int first = 0, last = 0;
    for (int i = 0; i < result->interruption_count; i++) {
        first += result->interruptions[i].at_ms < from_ms;
        last += result->interruptions[i].at_ms < to_ms;
    }
    last = last > first ? last : first;
    result->older = (struct ledger_older){0};
    for (int i = 0; i < result->interruption_count + result->has_own_end; i++)
        if (i < first || i >= last)
            drop_interruption(&result->older, &result->interruptions[i]);
    result->has_own_end = false;
    memmove(result->interruptions, result->interruptions + first,
            (size_t)(last - first) * sizeof *result->interruptions);
    memmove(result->executions, result->executions + first, (size_t)(last - first + 1) * sizeof *result->executions);
    result->interruption_count = last - first;
    result->execution_count = last - first + 1;
    result->window_count = 0;
}

static void fill_executions(struct ledger_result *result, const struct sweep *s) {
    size_t count = s->interruptions->count + 1;
    result->executions = mem_alloc(count * sizeof *result->executions);
    result->execution_count = (int)interruption_count(s) + 1;
    for (size_t i = 0; i < count; i++) {
        const struct execution *x = &s->executions[i];
        result->executions[i] = (struct ledger_execution){.number = (int)(sweep_older_count(s) + (int64_t)i) + 1,
                                                          .start_ms = x->start_ms,
                                                          .available_ms = x->available_ms,
                                                          .first_step_ms = x->first_step_ms,
                                                          .end_ms = x->end_ms,
                                                          .first_step = x->first_step,
                                                          .last_step = x->last_step,
                                                          .image_pull_ms = x->image_pull_ms,
                                                          .container_start_ms = x->container_start_ms,
                                                          .startup_ms = x->startup_ms,
                                                          .productive_ms = x->productive_ms};
        evidence_write_puller(result->executions[i].puller, s, x);
    }
    if (s->at_end)
        result->executions[count - 1].end_ms = s->through_ms;
    result->first_step_now = s->executions[count - 1].first_step;
}

/* The number of listed interruptions that struck before a time, less the older ones that are not listed. */
static int64_t struck_before(const struct sweep *s, int64_t ms) {
    int64_t sums[ACCOUNT_COUNT], count = 0;
    if (s->settled != NULL && ms < s->settled->through_ms) {
        settled_sums_at(s->settled, s->start_ms, max_of(ms, s->start_ms), sums, &count);
        return count - sweep_older_count(s);
    }
    for (size_t i = 0; i < interruption_count(s); i++)
        count += s->interruptions->items[i].at_ms < ms;
    return count;
}

static void fill_windows(struct ledger_result *result, const struct sweep *s) {
    const struct ledger_options *options = &s->ledger->options;
    result->window_count = options->window_count;
    for (int w = 0; w < options->window_count; w++) {
        struct ledger_window *window = &result->windows[w];
        window->window_ms = options->windows_ms[w];
        window->available_ms = s->window_available_ms[w];
        window->productive_ms = s->sums.accounts[BUCKET_PRODUCTIVE].window_ms[w];
        window->top_badput = BUCKET_COUNT;
        int64_t top = 0, from = s->through_ms - options->windows_ms[w];
        for (int i = 0; i < ACCOUNT_COUNT; i++) {
            int64_t ms = s->sums.accounts[i].window_ms[w];
            window->ms += ms;
            if (i != BUCKET_PRODUCTIVE && i != BUCKET_UNOBSERVED && ms > top) {
                top = ms;
                window->top_badput = i < BUCKET_COUNT ? (enum bucket)i : BUCKET_CUSTOM;
            }
        }
        window->interruptions = (int64_t)interruption_count(s) - struck_before(s, from);
    }
}

/* The time of the process's last record. For a time in the past only the steps before it are still known. */
static int64_t last_record(const struct view *v, int64_t through_ms) {
    const struct process *p = v->process;
    if (p->last_ms <= through_ms)
        return p->last_ms;
    size_t ends = step_list_until(&p->ends, through_ms), starts = step_list_until(&p->starts, through_ms);
    int64_t last = v->first_record_ms;
    if (ends > 0 && p->ends.items[ends - 1].at_ms > last)
        last = p->ends.items[ends - 1].at_ms;
    if (starts > 0 && p->starts.items[starts - 1].at_ms > last)
        last = p->starts.items[starts - 1].at_ms;
    return last;
}

static void fill_phases(struct ledger_result *result, const struct sweep *s) {
    const struct phase_names *n = &s->training->phases;
    if (n->count == 0)
        return;
    result->phases = mem_alloc(PHASES * sizeof *result->phases);
    for (size_t i = 0; i < PHASES; i++) {
        if (s->phase_ms[i] == 0)
            continue;
        struct ledger_phase *x = &result->phases[result->phase_count++];
        *x = (struct ledger_phase){"Other", s->phase_ms[i]};
        if (i < n->count)
            memcpy(x->name, n->names[i], sizeof x->name);
    }
}

static void fill_steps(struct ledger_result *result, const struct sweep *s) {
    const struct training *t = s->training;
    /* An interval may hold only a part of a step, which counts where it ends. */
    bool any = s->sums.step_count > 0 || s->sums.accounts[BUCKET_PRODUCTIVE].ms > 0;
    result->has_steps = s->ledger->options.has_log && any;
    result->last_step = s->sums.last_step;
    result->max_step = s->sums.max_step;
    result->step_count = s->sums.step_count;
    result->lost_steps = s->sums.lost_steps;
    result->retained_steps = s->sums.step_count - s->sums.lost_steps;
    result->last_durable_step = t->durable_step;
    result->ideal_step_ms = t->ideal_ms;
    result->hang_after_ms = t->hang_after_ms;
    result->median_step_ms = t->median_ms;
    result->p99_step_ms = t->p99_ms;
    result->clipped_ms = t->clipped_ms;
    result->headless_ms = t->headless_ms;
    result->overlapped_records = t->overlapped;
    result->late_records = s->ledger->late_records;
    result->flops = totals_copy_flops(&s->ledger->totals);
    result->flops_count = (int)s->ledger->totals.count;
    result->durable_saves = totals_saves(&s->ledger->totals).count;
    result->durable_ms = totals_saves(&s->ledger->totals).ms;
    for (size_t i = 0; i < s->ledger->live_count; i++)
        result->late_records += s->ledger->live[i]->late_records;
    result->last_record_ms = t->settled != NULL ? t->settled->last_record_ms : TIME_UNKNOWN;
    for (size_t i = 0; i < t->view_count; i++) {
        int64_t last = last_record(&t->views[i], s->through_ms);
        if (last > result->last_record_ms)
            result->last_record_ms = last;
    }
}

static void fill(struct ledger_result *result, const struct sweep *s) {
    result->wall_ms = s->through_ms - s->start_ms;
    if (s->booked.items != NULL)
        result->wall_ms = 0;
    for (size_t i = 0; i < s->booked.count; i++)
        result->wall_ms += s->booked.items[i].to_ms - s->booked.items[i].from_ms;
    result->excluded_ms = result->observed_through_ms - result->start_ms - result->wall_ms;
    result->available_ms = s->sums.available_ms;
    result->productive_ms = s->sums.accounts[BUCKET_PRODUCTIVE].ms;
    result->provisional_ms = s->provisional_ms;
    result->chip_ms_productive = s->sums.accounts[BUCKET_PRODUCTIVE].chip_ms;
    result->chip_ms_waiting = s->sums.chip_ms_waiting;
    fill_buckets(result, s);
    fill_interruptions(result, s);
    fill_executions(result, s);
    fill_windows(result, s);
    fill_steps(result, s);
    fill_phases(result, s);
    const struct slot_state *now = &s->slots->items[slot_timeline_at(s->slots, s->through_ms)];
    result->slots_required = now->required;
    result->slots_available = now->available;
    result->slots_running = now->running;
    result->chips = slot_state_chips(now, s->at.largest_chips);
}

/* ---- what is evaluated ---- */

static int compare_spans(const void *a, const void *b) {
    const struct time_span *x = a, *y = b;
    return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

/* [from, to) without what is excluded. */
static struct time_span *counted_spans(const struct ledger *l, int64_t from_ms, int64_t to_ms, size_t *ret_count) {
    size_t n = 0, count = l->exclusion_count;
    struct time_span *counted = mem_alloc((count + 1) * sizeof *counted);
    struct time_span *excluded = mem_alloc((count + 1) * sizeof *excluded);
    if (count > 0) {
        memcpy(excluded, l->exclusions, count * sizeof *excluded);
        qsort(excluded, count, sizeof *excluded, compare_spans);
    }
    for (size_t i = 0; i < count && from_ms < to_ms; i++) {
        if (excluded[i].from_ms > from_ms)
            counted[n++] = (struct time_span){from_ms, min_of(excluded[i].from_ms, to_ms)};
        from_ms = max_of(from_ms, excluded[i].to_ms);
    }
    if (from_ms < to_ms)
        counted[n++] = (struct time_span){from_ms, to_ms};
    free(excluded);
    *ret_count = n;
    return counted;
}

struct request {
    int64_t through_ms;
    bool is_interval;
    int64_t from_ms, to_ms; /* of an interval */
    struct ledger_entries *entries;
};

static void evaluate_sweep(struct ledger *l, struct sweep *s, const struct request *q, struct ledger_result *result) {
    struct time_span *counted = NULL;
    int64_t from = l->start_ms, to = s->through_ms;
    if (q->is_interval) {
        result->start_ms = from = max_of(q->from_ms, s->training->from_ms);
        result->observed_through_ms = to = max_of(from, min_of(q->to_ms, s->through_ms));
    }
    if (q->is_interval || l->exclusion_count > 0)
        s->booked.items = counted = counted_spans(l, from, to, &s->booked.count);
    sweep_run(s);
    fill(result, s);
    if (q->is_interval)
        restrict_lists(result, from, to);
    fill_means(result);
    sweep_done(s);
    free(counted);
}

static void evaluate_known(struct ledger *l, const struct request *q, int64_t limit, int64_t known, bool at_end,
                           struct ledger_result *result) {
    const struct slot_timeline *slots = slot_timeline_get(l);
    struct training training;
    struct interruptions interruptions;
    training_init(&training, l, known, limit);
    training_count_visits(&training, l);
    interruptions_init(&interruptions, l, slots, &training, known, limit, at_end);
    struct strike *strikes = mem_resize(NULL, interruptions.count + 1, sizeof *strikes);
    for (size_t i = 0; i < interruptions.count; i++)
        strikes[i].at_ms = interruptions.items[i].at_ms;
    struct durable_at nothing = {.at_ms = TIME_UNKNOWN};
    result->retained_without_checkpoint =
        training_settle(&training, strikes, interruptions.count, at_end, l->outcome, &nothing);
    struct settled *lost = training.settled_loss_count > 0 ? settled_clone(ledger_settled(l)) : NULL;
    for (size_t i = 0; i < training.settled_loss_count; i++)
        settled_lose(lost, &training.settled_losses[i]);
    struct sweep s = {.ledger = l,
                      .slots = slots,
                      .holds = hold_timeline_get(l),
                      .training = &training,
                      .interruptions = &interruptions,
                      .settled = lost != NULL ? lost : ledger_settled(l),
                      .start_ms = l->start_ms,
                      .through_ms = limit,
                      .at_end = at_end,
                      .entries = q->entries,
                      .settling.until_ms = TIME_UNKNOWN};
    evaluate_sweep(l, &s, q, result);
    if (q->entries != NULL) {
        q->entries->complete_from_ms = training.from_ms;
        memcpy(q->entries->custom_names, training.reported.custom_names, sizeof q->entries->custom_names);
    }
    settled_free(lost);
    free(strikes);
    interruptions_done(&interruptions);
    training_done(&training);
}

static void evaluate(struct ledger *l, const struct request *q, struct ledger_result *result) {
    *result = (struct ledger_result){.start_ms = l->start_ms,
                                     .end_ms = l->end_ms,
                                     .top_badput = -1,
                                     .mtbi_ms = RECORD_NONE,
                                     .mttr_ms = RECORD_NONE,
                                     .last_step = RECORD_NONE,
                                     .max_step = RECORD_NONE,
                                     .first_step_now = RECORD_NONE,
                                     .last_durable_step = RECORD_NONE,
                                     .last_record_ms = TIME_UNKNOWN};
    bool is_past_end = q->through_ms >= l->end_ms, at_end = is_past_end && l->outcome != OUTCOME_RUNNING;
    int64_t limit = is_past_end ? l->end_ms : q->through_ms;
    if (l->start_ms == TIME_UNKNOWN || limit < l->start_ms)
        limit = l->start_ms;
    result->observed_through_ms = limit;
    if (l->start_ms == TIME_UNKNOWN)
        return;
    l->named_count = 0;
    ledger_settle(l, limit);
    l->evaluated_ms = max_of(l->evaluated_ms, limit);
    if (ledger_settled(l) != NULL && limit < ledger_settled(l)->through_ms)
        result->observed_through_ms = limit = ledger_settled(l)->through_ms;
    int64_t known = is_past_end ? TIME_OPEN - 1 : limit; /* facts after it are ignored */
    evaluate_known(l, q, limit, known, at_end, result);
}

void ledger_evaluate(struct ledger *l, int64_t through_ms, struct ledger_result *result) {
    evaluate(l, &(struct request){.through_ms = through_ms}, result);
}

void ledger_settle_early(struct ledger *l, int64_t through_ms) {
    ledger_settle_full_batches(l, through_ms);
}

void ledger_evaluate_entries(struct ledger *l, int64_t through_ms, struct ledger_result *result,
                             struct ledger_entries *entries) {
    *entries = (struct ledger_entries){.complete_from_ms = TIME_UNKNOWN, .keeps_changes = entries->keeps_changes};
    evaluate(l, &(struct request){.through_ms = through_ms, .entries = entries}, result);
}

void ledger_evaluate_interval(struct ledger *l, int64_t through_ms, int64_t from_ms, int64_t to_ms,
                              struct ledger_result *result) {
    assert(ledger_settled(l) == NULL);
    evaluate(l, &(struct request){through_ms, true, from_ms, to_ms, NULL}, result);
}

void ledger_result_done(struct ledger_result *result) {
    free(result->buckets);
    free(result->interruptions);
    free(result->executions);
    free(result->flops);
    free(result->phases);
    *result = (struct ledger_result){0};
}

int64_t ledger_flops_min_milli(int class) {
    int64_t octave = class / 8, eighth = 8 + class % 8;
    return octave >= 3 ? eighth << (octave - 3) : (eighth + (INT64_C(1) << (3 - octave)) - 1) >> (3 - octave);
}

int64_t ledger_last_change_ms(struct ledger *l) {
    const struct slot_timeline *t = slot_timeline_get(l);
    return t->count > 1 ? t->items[t->count - 1].from_ms : TIME_UNKNOWN;
}
