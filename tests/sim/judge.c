#include "judge.h"
#include "ledger/evaluate.h"

#include "base/mem.h"
#include "operator/job/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t distance(int64_t a, int64_t b) {
    return a > b ? a - b : b - a;
}

static bool tally_add(struct tally *t, int64_t error_ms, int64_t tolerance_ms) {
    MEM_GROW(t->errors, t->count, t->capacity);
    t->errors[t->count++] = error_ms;
    t->lives++;
    if (error_ms > t->max_error_ms)
        t->max_error_ms = error_ms;
    t->out_of_tolerance += error_ms > tolerance_ms;
    return error_ms <= tolerance_ms;
}

static int64_t max_lag(const struct sim_sight *sight) {
    int64_t max_ms = 0;
    for (int r = 0; r < RESOURCE_COUNT; r++)
        max_ms = sight->lag_ms[r] > max_ms ? sight->lag_ms[r] : max_ms;
    return max_ms;
}

static bool judge_bucket(struct score *s, const struct sim_life *l, enum bucket b, int64_t reported_ms,
                         int64_t reported_spans, const struct sim_sight *sight, bool is_loud) {
    int64_t true_ms = l->truth.ms[b];
    int64_t spans = l->truth.spans[b] > reported_spans ? l->truth.spans[b] : reported_spans;
    if (true_ms == 0 && reported_ms == 0)
        return true;
    int64_t tolerance_ms = RESOLUTION_MS * (spans > 1 ? spans : 1) + 2 * max_lag(sight); /* both ends may be late */
    bool is_good = tally_add(&s->buckets[b], distance(true_ms, reported_ms), tolerance_ms);
    if (!is_good && is_loud)
        printf("  %s: %" PRId64 " ms, in truth %" PRId64 " ms in %" PRId64 " spans\n", bucket_name(b), reported_ms,
               true_ms, spans);
    return is_good;
}

static bool judge_buckets(struct score *s, const struct sim_life *l, const struct ledger_result *r,
                          const struct sim_sight *sight, bool is_loud) {
    int64_t reported[BUCKET_COUNT] = {0}, spans[BUCKET_COUNT] = {0}, sum = 0;
    struct sim_life truth = *l;
    bool is_good = true;
    for (int i = 0; i < r->bucket_count; i++) {
        reported[r->buckets[i].bucket] += r->buckets[i].ms;
        spans[r->buckets[i].bucket] += r->buckets[i].count;
        sum += r->buckets[i].ms;
    }
    if (sum != r->wall_ms) {
        s->bad_sums++;
        is_good = false;
    }
    if (sight->loses_events) { /* only events distinguish a pull from a start */
        reported[BUCKET_CONTAINER_START] += reported[BUCKET_IMAGE_PULL];
        truth.truth.ms[BUCKET_CONTAINER_START] += truth.truth.ms[BUCKET_IMAGE_PULL];
        truth.truth.spans[BUCKET_CONTAINER_START] += truth.truth.spans[BUCKET_IMAGE_PULL];
        reported[BUCKET_IMAGE_PULL] = truth.truth.ms[BUCKET_IMAGE_PULL] = 0;
    }
    if (truth.truth.is_ambiguous) { /* whether it was the first execution hangs on less than a second */
        reported[BUCKET_RESCHEDULING] += reported[BUCKET_BINDING];
        truth.truth.ms[BUCKET_RESCHEDULING] += truth.truth.ms[BUCKET_BINDING];
        truth.truth.spans[BUCKET_RESCHEDULING] += truth.truth.spans[BUCKET_BINDING];
        reported[BUCKET_BINDING] = truth.truth.ms[BUCKET_BINDING] = 0;
    }
    for (enum bucket b = 0; b < BUCKET_COUNT; b++)
        is_good &= judge_bucket(s, &truth, b, reported[b], spans[b], sight, is_loud);
    int64_t true_wall = l->end_ms - l->start_ms;
    is_good &= tally_add(&s->wall, distance(true_wall, r->wall_ms), RESOLUTION_MS + max_lag(sight));
    is_good &= tally_add(&s->available, distance(l->truth.available_ms, r->available_ms),
                         RESOLUTION_MS * (1 + (int64_t)l->truth.count + l->truth.growths) + max_lag(sight));
    if (!is_good && is_loud)
        printf("  wall %" PRId64 " available %" PRId64 ", in truth %" PRId64 " and %" PRId64 "\n", r->wall_ms,
               r->available_ms, true_wall, l->truth.available_ms);
    return is_good;
}

static bool judge_interruption(struct score *s, const struct truth_interruption *t, const struct ledger_interruption *i,
                               int64_t lag_ms, bool is_loud) {
    int64_t tolerance_ms = RESOLUTION_MS * (1 + t->spans) + lag_ms;
    bool is_good = tally_add(&s->at, distance(t->at_ms, i->at_ms), RESOLUTION_MS + lag_ms);
    int64_t tre_ms = i->tre_ms == RECORD_NONE ? t->tre_ms : i->tre_ms;
    int64_t wait_ms = i->wait_ms == RECORD_NONE ? t->wait_ms : i->wait_ms;
    s->causes[t->cause][i->cause]++;
    is_good &= tally_add(&s->reschedule, distance(t->tre_ms, tre_ms), tolerance_ms);
    is_good &= tally_add(&s->wait, distance(t->wait_ms, wait_ms), tolerance_ms);
    is_good &= t->cause == i->cause && (t->cause != CAUSE_KUEUE_EVICTION || strcmp(t->reason, i->reason) == 0);
    if (!is_good && is_loud)
        printf("  interruption %d at %" PRId64 " %s/%s tre %" PRId64 " wait %" PRId64 ", in truth at %" PRId64
               " %s/%s tre %" PRId64 " wait %" PRId64 ": %s\n",
               i->number, i->at_ms, cause_name(i->cause), i->reason, tre_ms, wait_ms, t->at_ms, cause_name(t->cause),
               t->reason, t->tre_ms, t->wait_ms, i->evidence);
    return is_good;
}

static bool judge_interruptions(struct score *s, const struct sim_life *l, const struct ledger_result *r,
                                int64_t lag_ms, bool is_loud) {
    const struct truth *t = &l->truth;
    bool is_good = (int)t->count == r->interruption_count;
    if (t->is_ambiguous) {
        s->ambiguous++;
        return true;
    }
    if (!is_good) {
        s->miscounted++;
        if (is_loud) {
            printf("  %d interruptions, in truth %zu\n", r->interruption_count, t->count);
            for (size_t i = 0; i < t->count; i++)
                printf("    true %" PRId64 "-%" PRId64 " %s\n", t->interruptions[i].at_ms - l->start_ms,
                       t->interruptions[i].until_ms == NOT_YET ? -1 : t->interruptions[i].until_ms - l->start_ms,
                       cause_name(t->interruptions[i].cause));
            for (int i = 0; i < r->interruption_count; i++)
                printf("    told %" PRId64 "-%" PRId64 " %s: %s\n", r->interruptions[i].at_ms - l->start_ms,
                       r->interruptions[i].until_ms == TIME_OPEN ? -1 : r->interruptions[i].until_ms - l->start_ms,
                       cause_name(r->interruptions[i].cause), r->interruptions[i].evidence);
        }
        return false;
    }
    for (size_t i = 0; i < t->count; i++)
        is_good &= judge_interruption(s, &t->interruptions[i], &r->interruptions[i], lag_ms, is_loud);
    return is_good;
}

static void print_story(const struct sim_life *l) {
    printf("life %" PRIu64 ": %s%s%s%s%s%s%s, rule %d, success %d, strategy %d, backoffLimit %d, from %" PRId64
           " for %" PRId64 " s\n",
           l->seed, l->shape.is_plain_job ? "Job" : "JobSet", l->shape.has_kueue ? ", Kueue" : "",
           l->shape.has_dependency ? ", dependsOn" : "", l->shape.has_initializer ? ", initializer" : "",
           l->shape.is_started_in_order ? ", in order" : "", l->shape.is_elastic ? ", elastic" : "",
           l->shape.names_required ? ", slice0 required" : "", (int)l->shape.rule, (int)l->shape.success,
           (int)l->shape.strategy, l->shape.backoff_limit, l->start_ms, (l->end_ms - l->start_ms) / 1000);
    for (int i = 0; i < l->story_count; i++)
        printf("  %8.1f %s\n", (double)(l->story_ms[i] - l->start_ms) / 1000, l->story[i]);
}

/* Nothing of it is here: no scores, and the reason. */
static bool judge_elsewhere(struct score *s, const char *status, bool is_loud) {
    bool is_good =
        strstr(status, "ManagedElsewhere") && !strstr(status, "\"goodput\"") && !strstr(status, "\"badput\"");
    s->elsewhere++;
    if (is_loud && !is_good)
        printf("  managed elsewhere, but: %.300s\n", status);
    return is_good;
}

bool judge_life(struct score *s, const struct sim_life *l, struct model *m, const char *status,
                const struct sim_sight *sight, int kind, bool is_loud) {
    struct ledger_result r;
    struct model_job *job = model_job_find(m, "ns", "js");
    if (l->truth.is_unknowable) {
        s->unknowable++;
        return true;
    }
    s->lives++;
    if (l->shape.is_managed_elsewhere)
        return judge_elsewhere(s, status, is_loud);
    ledger_evaluate(job->ledger, TIME_OPEN - 1, &r);
    if (is_loud)
        print_story(l);
    bool is_good = bounds_judge(&s->bounds[kind], l, &r, sight, is_loud);
    if (sight->gap_count == 0 && !l->truth.ends_silent) { /* promptly watched: every bucket is known */
        is_good &= judge_buckets(s, l, &r, sight, is_loud);
        is_good &= judge_interruptions(s, l, &r, max_lag(sight), is_loud);
    }
    s->bad_lives += !is_good;
    ledger_result_done(&r);
    return is_good;
}

/* ---- the table ---- */

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print_tally(const char *name, struct tally *t) {
    if (t->count == 0)
        return;
    qsort(t->errors, t->count, sizeof *t->errors, compare);
    printf("%-22s %8" PRId64 " %12" PRId64 " %12" PRId64 " %12" PRId64 "\n", name, t->lives, t->errors[t->count / 2],
           t->max_error_ms, t->out_of_tolerance);
}

void judge_print(struct score *s) {
    printf("%-22s %8s %12s %12s %12s\n", "", "lives", "median ms", "max ms", "out");
    for (enum bucket b = 0; b < BUCKET_COUNT; b++)
        print_tally(b == BUCKET_PROCESS_FAILURE_DETECTION ? "FailureDetection(run)" : bucket_name(b), &s->buckets[b]);
    print_tally("wall", &s->wall);
    print_tally("available", &s->available);
    print_tally("interruption: at", &s->at);
    print_tally("interruption: tre", &s->reschedule);
    print_tally("interruption: wait", &s->wait);
    printf("\n%-22s", "cause: truth \\ told");
    for (enum cause c = 0; c < CAUSE_COUNT; c++)
        printf(" %7.7s", cause_name(c));
    printf("\n");
    for (enum cause t = 0; t < CAUSE_COUNT; t++) {
        int64_t sum = 0;
        for (enum cause c = 0; c < CAUSE_COUNT; c++)
            sum += s->causes[t][c];
        if (sum == 0)
            continue;
        printf("%-22s", cause_name(t));
        for (enum cause c = 0; c < CAUSE_COUNT; c++)
            printf(" %7" PRId64, s->causes[t][c]);
        printf("\n");
    }
    printf(
        "\n%" PRId64 " lives, %" PRId64 " with something out of tolerance, %" PRId64
        " whose buckets do not add up, %" PRId64 " with another number of interruptions\n%" PRId64
        " lives have interruptions so close that the stamps do not distinguish them: these are not compared\n%" PRId64
        " lives ended before a dead node could show: not compared\n%" PRId64
        " lives are managed elsewhere: no scores\n",
        s->lives, s->bad_lives, s->bad_sums, s->miscounted, s->ambiguous, s->unknowable, s->elsewhere);
}

void judge_done(struct score *s) {
    for (int k = 0; k < SIGHT_KINDS; k++)
        bounds_done(&s->bounds[k]);
    for (enum bucket b = 0; b < BUCKET_COUNT; b++)
        free(s->buckets[b].errors);
    free(s->wall.errors);
    free(s->available.errors);
    free(s->reschedule.errors);
    free(s->wait.errors);
    free(s->at.errors);
}
