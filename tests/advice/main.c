/* advice-proof: every rule of status.advice against the world it speaks of. Random jobs are played, the ledger hears of
 * them, advise() answers; then the advised change is made to the job, and it is played again.
 *
 * What ended an execution does so again, at the same step; the save that was due then may fall elsewhere. Promised is
 * that 95 % of the jobs gain what was promised: within 0.3 points of goodput, or inside the stated interval ("saves 1h
 * 2m to 2h 10m", "up to", "at least"). A rule that no job of the run was given is not proved either.
 *
 *     advice-proof JOBS [SEED] */
#include "base/mem.h"
#include "formulas/advice.h"
#include "formulas/compare.h"
#include "ledger/evaluate.h"
#include "life.h"
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE INT64_C(60000)
#define PROMISED_PPM 3000
#define PROMISED_SHARE 0.95
#define COMPARED_SHARE 0.90 /* of jobs for which compare obtains the same, within PROMISED_PPM */

static int64_t between(uint64_t *s, int64_t low, int64_t high) {
    return low + random_below(s, high - low + 1);
}

static bool often(uint64_t *s, int percent) {
    return random_below(s, 100) < percent;
}

/* ---- the changes ---- */

static void save_at_best(struct life *life, const struct advice *a) {
    const char *steps = strrchr(a->change, '(');
    life->every = steps != NULL ? strtoll(steps + 1, NULL, 10) : life->every;
}

static void save_in_background(struct life *life, const struct advice *a) {
    (void)a;
    life->save_ms = 0;
}

static void save_on_notice(struct life *life, const struct advice *a) {
    (void)a;
    life->saves_on_notice = true;
}

static void keep_compiled(struct life *life, const struct advice *a) {
    (void)a;
    life->has_cache = true;
}

static void restore_at_once(struct life *life, const struct advice *a) {
    (void)a;
    life->restore_ms = 0;
}

static void have_data(struct life *life, const struct advice *a) {
    (void)a;
    life->data_ms = 0;
}

static void have_quota(struct life *life, const struct advice *a) {
    (void)a;
    life->queue_ms = life->requeue_ms = 0;
}

static void find_slow_host(struct life *life, const struct advice *a) {
    (void)a;
    life->slow_share = 0;
}

static void drop(struct life *life, int i) {
    memmove(&life->events[i], &life->events[i + 1], (size_t)(life->event_count - i - 1) * sizeof life->events[0]);
    life->event_count--;
}

/* After "end a hang after ": "10m 0s" or "50.0s". */
static void end_hangs(struct life *life, const struct advice *a) {
    long long minutes = 0, seconds = 0;
    const char *text = a->change + strlen("end a hang after ");
    if (sscanf(text, "%lldm %llds", &minutes, &seconds) == 2)
        life->quiet_ms = 60000 * minutes + 1000 * seconds;
}

static void cordon(struct life *life, const struct advice *a) {
    int node = atoi(strstr(a->seen, "node-") + strlen("node-")), seen = 0;
    for (int i = 0; i < life->event_count; i++)
        if (life->events[i].kind == LIFE_NODE_LOST && life->events[i].node == node && seen++ > 0) {
            if (i + 1 < life->event_count && life->events[i + 1].is_at_start)
                drop(life, i + 1); /* the start that its loss made necessary */
            drop(life, i--);
        }
}

static void only_first(struct life *life, enum rootcause_class class_, int keep) {
    int seen = 0;
    for (int i = 0; i < life->event_count; i++)
        if (life->events[i].kind == LIFE_DIED && life->events[i].class_ == class_ && seen++ >= keep)
            drop(life, i--);
}

static void fit_memory(struct life *life, const struct advice *a) {
    (void)a;
    only_first(life, CLASS_DEVICE_OOM, 1);
}

static void mend_step(struct life *life, const struct advice *a) {
    (void)a;
    only_first(life, CLASS_NAN_DIVERGENCE, 1);
}

static void mend_storage(struct life *life, const struct advice *a) {
    (void)a;
    only_first(life, CLASS_CHECKPOINT_ERROR, 1);
}

static void mend_saves(struct life *life, const struct advice *a) {
    (void)a;
    life->saves_fail_until = life->saves_fail_from;
}

static void meet(struct life *life, const struct advice *a) {
    (void)a;
    only_first(life, CLASS_STARTUP_RENDEZVOUS, 0);
}

static struct change {
    const char *kind;
    void (*make)(struct life *, const struct advice *);
    /* of all jobs with this advice */
    int count, as_promised, as_compared;
    double predicted, obtained;
} changes[] = {
    {.kind = "CheckpointInterval", .make = save_at_best},
    {.kind = "AsynchronousCheckpoint", .make = save_in_background},
    {.kind = "SaveOnTermination", .make = save_on_notice},
    {.kind = "CompilationCache", .make = keep_compiled},
    {.kind = "NearerRestore", .make = restore_at_once},
    {.kind = "InputPipeline", .make = have_data},
    {.kind = "Queue", .make = have_quota},
    {.kind = "Stragglers", .make = find_slow_host},
    {.kind = "HangTimeout", .make = end_hangs},
    {.kind = "FailingNode", .make = cordon},
    {.kind = "DeviceMemory", .make = fit_memory},
    {.kind = "NaNAtStep", .make = mend_step},
    {.kind = "FailingCheckpoints", .make = mend_storage},
    {.kind = "FailingSaves", .make = mend_saves},
    {.kind = "Rendezvous", .make = meet},
};

/* ---- jobs ---- */

static int by_step(const void *a, const void *b) {
    const struct life_event *x = a, *y = b;
    return x->step != y->step ? (x->step < y->step ? -1 : 1) : x->is_at_start - y->is_at_start;
}

static void add(struct life *life, uint64_t *s, enum life_event_kind kind, int64_t step, int node,
                enum rootcause_class class_) {
    if (life->event_count < LIFE_MAX_EVENTS)
        life->events[life->event_count++] = (struct life_event){kind,
                                                                step,
                                                                LIFE_BY_STEP,
                                                                (double)random_below(s, 1000) / 1e3,
                                                                node,
                                                                class_,
                                                                class_ == CLASS_STARTUP_RENDEZVOUS};
}

/* A job of 6 to 40 hours of work with some of the troubles that advice is about. */
static struct life draw(uint64_t *s) {
    struct life life = {.seed = random_next(s),
                        .step_ms = between(s, 4000, 30000),
                        .save_ms = often(s, 70) ? between(s, 2000, 90000) : 0,
                        .prepare_ms = between(s, 10000, 120000),
                        .compile_ms = often(s, 60) ? between(s, MINUTE, 12 * MINUTE) : 0,
                        .restore_ms = between(s, 5000, 6 * MINUTE),
                        .queue_ms = often(s, 40) ? between(s, MINUTE, 180 * MINUTE) : 0,
                        .requeue_ms = between(s, MINUTE, 60 * MINUTE),
                        .away_ms = between(s, 20000, 8 * MINUTE),
                        .meet_ms = between(s, 2 * MINUTE, 20 * MINUTE),
                        .quiet_ms = between(s, 20 * MINUTE, 120 * MINUTE)};
    life.steps = between(s, 360, 2400) * MINUTE / life.step_ms;
    life.every = between(s, 2, 120) * MINUTE / life.step_ms + 1;
    life.data_ms = often(s, 30) ? life.step_ms * between(s, 1, 15) / 100 : 0;
    if (often(s, 30)) {
        life.slow_share = (double)between(s, 1, 10) / 100;
        life.slow_factor = 1 + (double)between(s, 20, 150) / 100;
    }
    int failures = (int)between(s, 0, 8), bad = (int)between(s, 0, 3);
    for (int i = 0; i < failures; i++) {
        int64_t step = between(s, 1, life.steps - 1);
        add(&life, s, LIFE_NODE_LOST, step, often(s, 40) ? bad : (int)between(s, 10, 500), CLASS_UNKNOWN);
        if (often(s, 10))
            add(&life, s, LIFE_DIED, step, 0, CLASS_STARTUP_RENDEZVOUS);
    }
    for (int i = often(s, 30) ? (int)between(s, 1, 4) : 0; i > 0; i--)
        add(&life, s, LIFE_PREEMPTED, between(s, 1, life.steps - 1), 0, CLASS_UNKNOWN);
    for (int i = often(s, 20) ? (int)between(s, 1, 3) : 0; i > 0; i--)
        add(&life, s, LIFE_HUNG, between(s, 1, life.steps - 1), 0, CLASS_UNKNOWN);
    static const enum rootcause_class of[] = {CLASS_DEVICE_OOM, CLASS_NAN_DIVERGENCE, CLASS_CHECKPOINT_ERROR};
    for (int k = 0; k < 3; k++) {
        int64_t same = between(s, 1, life.steps - 1);
        for (int i = often(s, 15) ? (int)between(s, 2, 5) : 0; i > 0; i--)
            add(&life, s, LIFE_DIED, k == 1 ? same : between(s, 1, life.steps - 1), 0, of[k]);
    }
    if (often(s, 20)) {
        life.saves_fail_from = between(s, 1, life.steps - 1);
        life.saves_fail_until = life.saves_fail_from + life.every * between(s, 2, 6);
    }
    qsort(life.events, (size_t)life.event_count, sizeof life.events[0], by_step);
    return life;
}

static double ppm(int64_t work_ms, int64_t wall_ms) {
    return 1e6 * (double)work_ms / (double)wall_ms;
}

/* Whether the job gained what was promised. "Up to": no more than that; "at least": no less. */
static bool keeps(const struct advice *a, double obtained, int64_t work_ms, int64_t wall_ms) {
    double min = (double)a->gain_ppm, max = min;
    if (strstr(a->change, "up to") != NULL)
        min = 0;
    if (strstr(a->change, "at least") != NULL)
        max = 1e6;
    if (a->within_ms > 0) {
        min = ppm(work_ms, wall_ms - a->saved_ms + a->within_ms) - ppm(work_ms, wall_ms);
        max = ppm(work_ms, wall_ms - a->saved_ms - a->within_ms) - ppm(work_ms, wall_ms);
    }
    return obtained >= min - PROMISED_PPM && obtained <= max + PROMISED_PPM;
}

static struct change *change_of(const char *kind) {
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
        if (strcmp(changes[i].kind, kind) == 0)
            return &changes[i];
    return NULL;
}

static struct ledger *new_ledger(void) {
    static const struct ledger_options options = {.has_log = true};
    struct ledger *ledger = ledger_new(&options);
    ledger_set_span(ledger, 0, TIME_OPEN, OUTCOME_RUNNING);
    ledger_set_required(ledger, 0, 1);
    return ledger;
}

/* A span for each bucket, productive time among them. */
static struct compare_job spans_of(const struct ledger_result *r) {
    struct compare_job job = {0};
    for (int i = 0; i < r->bucket_count; i++) {
        const struct ledger_bucket *b = &r->buckets[i];
        MEM_GROW(job.spans, job.span_count, job.span_capacity);
        job.spans[job.span_count++] = (struct compare_span){.ms = b->ms, .bucket = bucket_name(b->bucket)};
    }
    return job;
}

/* What `kubectl goodput compare` says that the change brought, in parts per million: from both ledgers alone. */
static double compared(const struct ledger_result *r, const struct life *changed, const char *kind) {
    struct life_report report = {0};
    struct ledger_result after;
    struct ledger *ledger = new_ledger();
    ledger_evaluate(ledger, life_play(changed, ledger, &report), &after);
    struct compare_job a = spans_of(r), b = spans_of(&after);
    double gain = 1e6 * compare_gain(&a, &b, advice_lowers(kind), 0.01).value;
    compare_job_done(&a);
    compare_job_done(&b);
    ledger_result_done(&after);
    ledger_free(ledger);
    return gain;
}

static void prove(uint64_t seed) {
    struct life life = draw(&seed);
    struct life_report report = {0};
    struct ledger *ledger = new_ledger();
    int64_t wall_ms = life_play(&life, ledger, &report);
    struct ledger_result r;
    struct advice all[ADVICE_MAX];
    ledger_evaluate(ledger, wall_ms, &r);
    if (report.interruptions != r.interruption_count + (int)r.older.count) {
        fprintf(stderr, "seed %llu: %d interruptions, of which the ledger has %d\n", (unsigned long long)life.seed,
                report.interruptions, r.interruption_count + (int)r.older.count);
        exit(1);
    }
    int count = advise(&r, report.classes + r.older.count, NULL, report.save_errors + r.older.count, all);
    for (int i = 0; i < count; i++) {
        struct change *change = change_of(all[i].kind);
        struct life changed = life;
        change->make(&changed, &all[i]);
        double obtained = ppm(r.productive_ms, life_play(&changed, NULL, NULL)) - ppm(r.productive_ms, wall_ms);
        change->count++;
        change->predicted += (double)all[i].gain_ppm;
        change->obtained += obtained;
        change->as_promised += keeps(&all[i], obtained, r.productive_ms, wall_ms);
        if (*advice_lowers(all[i].kind) != '\0')
            change->as_compared += fabs(compared(&r, &changed, all[i].kind) - obtained) <= PROMISED_PPM;
    }
    ledger_result_done(&r);
    ledger_free(ledger);
}

int main(int argc, char **argv) {
    int jobs = argc > 1 ? atoi(argv[1]) : 2000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    for (int i = 0; i < jobs; i++)
        prove(seed + (uint64_t)i * 1000003);
    int kept = 0;
    printf("%-24s %6s %18s %17s %13s %13s\n", "rule", "jobs", "predicted, points", "obtained, points", "as promised",
           "as compared");
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        const struct change *c = &changes[i];
        double n = c->count > 0 ? c->count : 1, share = c->as_promised / n;
        printf("%-24s %6d %18.2f %17.2f %11.1f %% %11.1f %%\n", c->kind, c->count, c->predicted / n / 1e4,
               c->obtained / n / 1e4, 100 * share, 100 * c->as_compared / n);
        bool is_compared = *advice_lowers(c->kind) != '\0';
        kept += c->count > 0 && share >= PROMISED_SHARE && (!is_compared || c->as_compared / n >= COMPARED_SHARE);
    }
    printf("%d passed, %d failed\n", kept, (int)ARRAY_SIZE(changes) - kept);
    return kept < (int)ARRAY_SIZE(changes);
}
