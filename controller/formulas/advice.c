#include "formulas/advice.h"
#include "ledger/evaluate.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "formulas/figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_GAIN_PPM 1000
#define MIN_SAVED_MS 60000

struct job { /* the result, and what several rules need of it */
    const struct ledger_result *r;
    const enum rootcause_class *classes; /* of its interruptions; NULL: none is known */
    const char *const *accused;          /* nodes that showed their causes; NULL: none */
    const int64_t *save_errors;          /* before each of them; NULL: none */
    int64_t starts;
};

/* A rule fills `seen`, `change` and what it saves; false: it does not apply. */
typedef bool rule(const struct job *job, struct advice *a);

static const struct ledger_bucket *bucket_of(const struct job *job, enum bucket bucket) {
    for (int i = 0; i < job->r->bucket_count; i++)
        if (job->r->buckets[i].bucket == bucket)
            return &job->r->buckets[i];
    return NULL;
}

static int64_t bucket_ms(const struct job *job, enum bucket bucket) {
    const struct ledger_bucket *b = bucket_of(job, bucket);
    return b ? b->ms : 0;
}

static const char *duration(char out[32], int64_t ms) {
    long long s = (long long)((ms + 500) / 1000);
    if (s >= 86400)
        snprintf(out, 32, "%lldd %lldh", s / 86400, s / 3600 % 24);
    else if (s >= 3600)
        snprintf(out, 32, "%lldh %lldm", s / 3600, s / 60 % 60);
    else if (s >= 60)
        snprintf(out, 32, "%lldm %llds", s / 60, s % 60);
    else
        snprintf(out, 32, "%lld.%llds", (long long)(ms / 1000), (long long)(ms / 100 % 10));
    return out;
}

static void say(char out[static ADVICE_TEXT_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(char out[static ADVICE_TEXT_SIZE], const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(out, ADVICE_TEXT_SIZE, format, args);
    va_end(args);
}

static const char *plural(int64_t count) {
    return count == 1 ? "" : "s";
}

/* A part of a bucket is saved, and the same part of its chips' time. */
static bool save_part(const struct job *job, struct advice *a, enum bucket bucket, double part) {
    const struct ledger_bucket *b = bucket_of(job, bucket);
    if (b == NULL || b->ms <= 0)
        return false;
    a->saved_ms = (int64_t)((double)b->ms * part);
    a->chip_ms = (int64_t)((double)b->chip_ms * part);
    return true;
}

/* Time of all the job's chips. */
static void save_span(const struct job *job, struct advice *a, int64_t ms) {
    a->saved_ms = ms;
    a->chip_ms = job->r->available_ms > 0
                     ? (int64_t)((double)ms * (double)job->r->chip_ms_allocated / (double)job->r->available_ms)
                     : 0;
}

/* What a step takes that is done again, in its own time: it waits for its input and is saved again as well. */
static double overhead(const struct job *job) {
    int64_t worked_ms = job->r->productive_ms + bucket_ms(job, BUCKET_WASTED_PROGRESS);
    int64_t other_ms = bucket_ms(job, BUCKET_DATA_LOADING) + bucket_ms(job, BUCKET_CHECKPOINT_SAVE) +
                       bucket_ms(job, BUCKET_EVALUATION);
    return 1 + (double)other_ms / (double)worked_ms;
}

/* Interruptions that cost the work since the last save, whoever caused them. */
static int64_t losing_interruptions(const struct job *job) {
    int64_t count = job->r->older.count;
    for (int i = 0; i < job->r->interruption_count; i++)
        count +=
            job->r->executions[i].first_step != RECORD_NONE && job->r->interruptions[i].saved_on_sigterm != SAVED_YES;
    return count;
}

static bool has_failed_saves(const struct job *job) {
    for (int i = 0; i <= job->r->interruption_count && job->save_errors != NULL; i++)
        if (job->save_errors[i] > 0)
            return true;
    return false;
}

/* The best interval is that of the exact model. What it would have saved: the work that was lost less half an interval
 * for each interruption, and the difference that the number of saves makes. An interruption loses between nothing and a
 * whole interval, so this is known within half an interval for each. Silent where saves failed: these come first. */
static bool checkpoint_interval(const struct job *job, struct advice *a) {
    const struct ledger_bucket *saves = bucket_of(job, BUCKET_CHECKPOINT_SAVE);
    int64_t count = losing_interruptions(job);
    struct forecast_mtbf mtbf = forecast_mtbf(count, (double)job->r->available_ms / 1e3);
    if (saves == NULL || saves->count < 2 || isnan(mtbf.mean_s) || job->r->mttr_ms == RECORD_NONE ||
        has_failed_saves(job))
        return false;
    struct forecast f = {.interval_s = (double)job->r->productive_ms / 1e3 / (double)saves->count,
                         .save_s = (double)saves->ms / 1e3 / (double)saves->count,
                         .recover_s = (double)job->r->mttr_ms / 1e3,
                         .persist_lag_s = fmax(0, figures_measure(job->r).persist_lag_s), /* NAN: 0 */
                         .mtbf_s = mtbf.mean_s};
    double best_s = forecast_best_s(&f), low_s, high_s;
    forecast_flat_zone(&f, 0.1, &low_s, &high_s);
    if (!(best_s > 0) || (f.interval_s >= low_s && f.interval_s <= high_s)) /* 0: a save costs nothing */
        return false;
    double half_s = best_s / 2 * (double)count, more = overhead(job);
    double lost_s = (double)bucket_ms(job, BUCKET_WASTED_PROGRESS) / 1e3 - half_s - f.persist_lag_s * (double)count;
    double saving_s = (double)saves->ms / 1e3 - ((double)job->r->productive_ms / 1e3 + half_s) / best_s * f.save_s;
    save_span(job, a, (int64_t)(1e3 * (lost_s * more + saving_s)));
    a->within_ms = (int64_t)(1e3 * half_s * more);
    char every[32], save[32], best[32], min[32], max[32], steps[32] = "";
    say(a->seen, "a save every %s, each blocking for %s, and %lld interruptions",
        duration(every, (int64_t)(f.interval_s * 1e3)), duration(save, (int64_t)(f.save_s * 1e3)), (long long)count);
    if (job->r->ideal_step_ms > 0)
        snprintf(steps, sizeof steps, " (%.0f steps)", fmax(1, round(best_s * 1e3 / (double)job->r->ideal_step_ms)));
    say(a->change, "save every %s%s: saves %s to %s", duration(best, (int64_t)(best_s * 1e3)), steps,
        duration(min, max_of(0, a->saved_ms - a->within_ms)), duration(max, a->saved_ms + a->within_ms));
    return true;
}

static bool async_checkpoint(const struct job *job, struct advice *a) {
    const struct ledger_bucket *b = bucket_of(job, BUCKET_CHECKPOINT_SAVE);
    char total[32], each[32];
    if (b == NULL || b->count == 0 || !save_part(job, a, BUCKET_CHECKPOINT_SAVE, 1))
        return false;
    say(a->seen, "%lld save%s blocked training for %s, %s each", (long long)b->count, plural(b->count),
        duration(total, b->ms), duration(each, b->ms / b->count));
    say(a->change, "save asynchronously, or to local disks first: up to all of it");
    return true;
}

/* Interruptions that give notice, so that a save on SIGTERM is possible. */
static bool gives_notice(enum cause cause) {
    return cause == CAUSE_KUEUE_PREEMPTION || cause == CAUSE_KUEUE_EVICTION || cause == CAUSE_SCHEDULER_PREEMPTION ||
           cause == CAUSE_NODE_MAINTENANCE || cause == CAUSE_SPOT_RECLAIM || cause == CAUSE_EVICTION ||
           cause == CAUSE_USER_SUSPEND;
}

/* With a save at each notice an interruption loses only the steps after the newest of them. */
static bool save_on_termination(const struct job *job, struct advice *a) {
    int64_t lost_ms = 0, count = 0, saved = INT64_MIN; /* saved: that step */
    double spared_ms = 0;
    char lost[32];
    for (int i = 0; i < job->r->interruption_count; i++) {
        const struct ledger_interruption *x = &job->r->interruptions[i];
        int64_t last = job->r->executions[i].last_step;
        bool is_noticed = gives_notice(x->cause) && x->saved_on_sigterm != SAVED_YES;
        if (x->tch_ms == RECORD_NONE || x->tch_ms <= 0)
            continue;
        if (is_noticed) {
            lost_ms += x->tch_ms;
            count++;
            saved = max_of(saved, last);
        }
        if (is_noticed || (x->lost_steps > 0 && last != RECORD_NONE && saved > last - x->lost_steps))
            spared_ms +=
                (double)x->tch_ms *
                (is_noticed ? 1
                            : (double)min_of(saved - (last - x->lost_steps), x->lost_steps) / (double)x->lost_steps);
    }
    say(a->seen, "%lld interruption%s that came with notice lost %s of work", (long long)count, plural(count),
        duration(lost, lost_ms));
    say(a->change, "save a checkpoint on SIGTERM within the grace period: up to all of it");
    save_span(job, a, (int64_t)(spared_ms * overhead(job)));
    return count > 0;
}

static bool cache_compile(const struct job *job, struct advice *a) {
    char compiled[32];
    double again = (double)(job->starts - 1) / (double)job->starts;
    if (job->starts < 2 || !save_part(job, a, BUCKET_PROGRAM_STARTUP, again))
        return false;
    say(a->seen, "%s of compiling in %lld starts of the same program",
        duration(compiled, bucket_ms(job, BUCKET_PROGRAM_STARTUP)), (long long)job->starts);
    say(a->change, "keep compiled programs in a persistent cache: up to all but the first");
    return true;
}

static bool nearer_restore(const struct job *job, struct advice *a) {
    char took[32];
    if (!save_part(job, a, BUCKET_CHECKPOINT_RESTORE, 1))
        return false;
    say(a->seen, "%s of restoring checkpoints", duration(took, bucket_ms(job, BUCKET_CHECKPOINT_RESTORE)));
    say(a->change, "restore in one replica and broadcast, or from local checkpoints: up to all of it");
    return true;
}

static bool input_pipeline(const struct job *job, struct advice *a) {
    char waited[32];
    if (!save_part(job, a, BUCKET_DATA_LOADING, 1))
        return false;
    say(a->seen, "steps waited %s for their input", duration(waited, bucket_ms(job, BUCKET_DATA_LOADING)));
    say(a->change, "prefetch, more input workers, or a nearer copy of the data: up to all of it");
    return true;
}

static bool queue(const struct job *job, struct advice *a) {
    char waited[32];
    int64_t ms = bucket_ms(job, BUCKET_QUEUE_WAIT) + bucket_ms(job, BUCKET_PREEMPTED_WAIT);
    say(a->seen, "%s of waiting for quota", duration(waited, ms));
    say(a->change, "a reservation, a queue with more quota, or a higher priority: up to all of it");
    a->saved_ms = ms; /* no chip was held meanwhile */
    return ms > 0;
}

static bool stragglers(const struct job *job, struct advice *a) {
    const struct ledger_result *r = job->r;
    if (r->ideal_step_ms <= 0 || r->retained_steps < 100)
        return false;
    int64_t excess_ms = r->productive_ms - r->retained_steps * r->ideal_step_ms;
    char mean[32], ideal[32];
    say(a->seen, "a step takes %s on average, %s at the ideal", duration(mean, r->productive_ms / r->retained_steps),
        duration(ideal, r->ideal_step_ms));
    say(a->change,
        "find the host or link that holds the others up: steps slower than the ideal cost at least this much");
    int64_t again_ms = bucket_ms(job, BUCKET_WASTED_PROGRESS); /* steps that were done again were as slow */
    save_span(job, a, (int64_t)((double)excess_ms * (1 + (double)again_ms / (double)r->productive_ms)));
    return excess_ms > 0;
}

/* What ending each hang as soon as it differs from a slow step would have saved. */
static bool hang_timeout(const struct job *job, struct advice *a) {
    int64_t quiet_ms = 0, saved_ms = 0, count = 0, enough_ms = job->r->hang_after_ms;
    char quiet[32], enough[32];
    for (int i = 0; i < job->r->interruption_count; i++) {
        const struct ledger_interruption *x = &job->r->interruptions[i];
        if (x->cause != CAUSE_HANG || x->quiet_ms <= enough_ms)
            continue;
        quiet_ms += x->quiet_ms;
        saved_ms += x->quiet_ms - enough_ms;
        count++;
    }
    if (count == 0 || enough_ms <= 0)
        return false;
    say(a->seen, "%lld hang%s lasted %s", (long long)count, plural(count), duration(quiet, quiet_ms));
    say(a->change, "end a hang after %s: a shorter time-out of collectives, a watchdog or a liveness probe",
        duration(enough, enough_ms));
    save_span(job, a, saved_ms);
    return true;
}

static bool never_trained(const struct job *job, int i) {
    return i < job->r->interruption_count && job->r->executions[i].first_step == RECORD_NONE;
}

/* What the job would have been spared without interruption i: its lost work, the time without all slots and the start
 * of the next execution. An execution that never trained is lost as a whole, and the start after it was needed anyway.
 */
static int64_t cost_of(const struct job *job, int i) {
    const struct ledger_interruption *x = &job->r->interruptions[i];
    const struct ledger_execution *ended = &job->r->executions[i];
    if (!never_trained(job, i))
        return x->cost_ms + (int64_t)((double)max_of(0, x->tch_ms) * (overhead(job) - 1));
    int64_t ran_ms = i > 0 ? x[-1].trm_ms : ended->available_ms != TIME_UNKNOWN ? x->at_ms - ended->available_ms : 0;
    return max_of(0, ran_ms) + max_of(0, x->tre_ms) + max_of(0, x->wait_ms);
}

/* The node that failed, or showed why before the loss; "": none is to blame, such as where the program failed on it. */
static const char *blamed_node(const struct job *job, int i) {
    if (job->accused != NULL && job->accused[i] != NULL)
        return job->accused[i];
    return job->r->interruptions[i].cause == CAUSE_NODE_FAILURE ? job->r->interruptions[i].node : "";
}

/* All but its first failure would not have been, had the node been taken out. */
static bool failing_node(const struct job *job, struct advice *a) {
    int64_t max_ms = 0;
    for (int i = 0; i < job->r->interruption_count; i++) {
        const char *node = blamed_node(job, i);
        int64_t cost_ms = 0, chip_ms = 0, count = 1;
        for (int k = i + 1; node[0] != '\0' && k < job->r->interruption_count; k++) {
            if (strcmp(blamed_node(job, k), node) != 0)
                continue;
            count++;
            cost_ms += cost_of(job, k);
            chip_ms += job->r->interruptions[k].chip_ms; /* not all chips are held while some are away */
            for (int n = k + 1; never_trained(job, n) && strcmp(blamed_node(job, n), node) != 0; n++)
                cost_ms += job->r->interruptions[n].cost_ms; /* starts that its loss made necessary, in vain */
        }
        if (count < 2 || cost_ms <= max_ms)
            continue;
        max_ms = a->saved_ms = cost_ms;
        a->chip_ms = chip_ms;
        say(a->seen, "node %s failed in %lld executions", node, (long long)count);
        say(a->change, "cordon node %s and have it repaired", node);
    }
    return max_ms > 0;
}

/* ---- the same root cause again: all but its first would not have been ---- */

static enum rootcause_class class_of(const struct job *job, int i) {
    return job->classes != NULL ? job->classes[i] : CLASS_UNKNOWN;
}

static void add_cost(const struct job *job, struct advice *a, int i) {
    a->saved_ms += cost_of(job, i);
    a->chip_ms += job->r->interruptions[i].chip_ms;
}

/* How many interruptions have that class; what all but the first of them cost. */
static int64_t repeated(const struct job *job, struct advice *a, enum rootcause_class class_) {
    int64_t count = 0;
    for (int i = 0; i < job->r->interruption_count; i++)
        if (class_of(job, i) == class_ && count++ > 0)
            add_cost(job, a, i);
    return count;
}

static bool device_memory(const struct job *job, struct advice *a) {
    int64_t count = repeated(job, a, CLASS_DEVICE_OOM);
    say(a->seen, "the memory of the accelerator was exhausted in %lld executions", (long long)count);
    say(a->change, "a smaller batch, recomputed activations or more sharding, before the next start");
    return count >= 2;
}

/* The step after which most executions ended with NaN; at least two of them. */
static bool nan_at_step(const struct job *job, struct advice *a) {
    const struct ledger_result *r = job->r;
    int64_t max = 1;
    for (int i = 0; i < r->interruption_count; i++) {
        struct advice all = {0};
        int64_t count = 0, step = r->executions[i].last_step;
        for (int k = i; k < r->interruption_count && class_of(job, i) == CLASS_NAN_DIVERGENCE; k++)
            if (class_of(job, k) == CLASS_NAN_DIVERGENCE && step != RECORD_NONE && r->executions[k].last_step == step &&
                count++ > 0)
                add_cost(job, &all, k);
        if (count <= max)
            continue;
        max = count;
        a->saved_ms = all.saved_ms;
        a->chip_ms = all.chip_ms;
        say(a->seen, "%lld executions ended with NaN or Inf after step %lld", (long long)count, (long long)step);
        say(a->change, "look at the data and the code of the steps after %lld: the same step each time",
            (long long)step);
    }
    return max > 1;
}

static bool failing_checkpoints(const struct job *job, struct advice *a) {
    int64_t count = repeated(job, a, CLASS_CHECKPOINT_ERROR);
    say(a->seen, "%lld executions ended because a checkpoint could not be saved or restored", (long long)count);
    say(a->change, "check the checkpoints' storage: space, permissions, and that the newest one is whole");
    return count >= 2;
}

/* Without a checkpoint: all steps of the execution that runs. */
static int64_t unsaved_steps(const struct ledger_result *r) {
    bool has_checkpoint = r->last_durable_step != RECORD_NONE;
    if (r->end_ms != TIME_OPEN || r->last_step == RECORD_NONE || (!has_checkpoint && r->first_step_now == RECORD_NONE))
        return 0;
    return max_of(r->last_step - (has_checkpoint ? r->last_durable_step : r->first_step_now - 1), 0);
}

int64_t advice_unsaved_ms(const struct ledger_result *r) {
    return r->median_step_ms != RECORD_NONE ? unsaved_steps(r) * r->median_step_ms : 0;
}

/* Training continued, but the work that it lost later might have been saved. */
static bool failing_saves(const struct job *job, struct advice *a) {
    const struct ledger_result *r = job->r;
    int64_t errors = 0, count = 0, lost_ms = 0, now = 0;
    char lost[32], unsaved[32];
    for (int i = 0; i < r->interruption_count && job->save_errors != NULL; i++) {
        if (job->save_errors[i] == 0 || r->interruptions[i].tch_ms <= 0)
            continue;
        errors += job->save_errors[i];
        count++;
        lost_ms += r->interruptions[i].tch_ms;
    }
    if (job->save_errors != NULL && advice_unsaved_ms(r) > 0)
        now = job->save_errors[r->interruption_count];
    int64_t risk_ms = now > 0 ? advice_unsaved_ms(r) : 0;
    errors += now;
    int n =
        snprintf(a->seen, sizeof a->seen, "%lld error%s of checkpoints in the log", (long long)errors, plural(errors));
    if (count > 0)
        n += snprintf(a->seen + n, sizeof a->seen - (size_t)n, "; the %lld interruption%s after them lost %s of work",
                      (long long)count, plural(count), duration(lost, lost_ms));
    if (now > 0)
        snprintf(a->seen + n, sizeof a->seen - (size_t)n,
                 "; an interruption now would lose %s: the last %lld steps are in no checkpoint",
                 duration(unsaved, risk_ms), (long long)unsaved_steps(r));
    say(a->change, "check the checkpoints' storage: space, permissions, quota; up to all of it");
    save_span(job, a, (int64_t)((double)lost_ms * overhead(job)) + risk_ms);
    return errors >= 2;
}

/* The processes never met, and the execution before was ended by a node that is not there any more. */
static bool rendezvous(const struct job *job, struct advice *a) {
    int64_t count = 0;
    for (int i = 1; i < job->r->interruption_count; i++) {
        enum cause before = job->r->interruptions[i - 1].cause;
        if (class_of(job, i) != CLASS_STARTUP_RENDEZVOUS ||
            (before != CAUSE_NODE_FAILURE && before != CAUSE_NODE_MAINTENANCE && before != CAUSE_SPOT_RECLAIM))
            continue;
        count++;
        add_cost(job, a, i);
    }
    say(a->seen, "in %lld execution%s after the loss of a node the processes did not meet", (long long)count,
        plural(count));
    say(a->change, "a longer rendezvous time-out, or start only when all nodes are there");
    return count > 0;
}

#define SAME_WORK "P/(W-x) - P/W"

/* A new piece of advice is a row here, its rule above, a section of deploy/docs/how-to/advice.md and a test. */
static const struct {
    const char *kind, *lowers, *formula, *topic;
    rule *rule;
} rules[] = {
    {"CheckpointInterval", "CheckpointSave,WastedProgress,DataLoading",
     SAME_WORK ", x = WastedProgress - n I/2 + saves' time, at I = M(1+W0(-e^(-1-w/M))) (Daly 2006)",
     "checkpoint-interval", checkpoint_interval},
    {"AsynchronousCheckpoint", "CheckpointSave", SAME_WORK ", x = CheckpointSave", "asynchronous-checkpoint",
     async_checkpoint},
    {"SaveOnTermination", "CheckpointSave,WastedProgress,DataLoading",
     SAME_WORK ", x = tch of interruptions with notice", "save-on-termination", save_on_termination},
    {"CompilationCache", "ProgramStartup", SAME_WORK ", x = ProgramStartup of all starts but one", "compilation-cache",
     cache_compile},
    {"NearerRestore", "CheckpointRestore", SAME_WORK ", x = CheckpointRestore", "nearer-restore", nearer_restore},
    {"InputPipeline", "DataLoading", SAME_WORK ", x = DataLoading", "input-pipeline", input_pipeline},
    {"Queue", "QueueWait,PreemptedWait", SAME_WORK ", x = QueueWait + PreemptedWait", "queue", queue},
    {"Stragglers", "", SAME_WORK ", x = P - steps x ideal", "stragglers", stragglers},
    {"HangTimeout", "*", SAME_WORK ", x = time without progress beyond hangAfter, per hang", "hang-timeout",
     hang_timeout},
    {"FailingNode", "*", SAME_WORK ", x = tch + tre + trm of all but its first", "failing-node", failing_node},
    {"DeviceMemory", "*", SAME_WORK ", x = tch + tre + trm of all but its first", "device-memory", device_memory},
    {"NaNAtStep", "*", SAME_WORK ", x = tch + tre + trm of all but its first", "nan-at-step", nan_at_step},
    {"FailingCheckpoints", "*", SAME_WORK ", x = tch + tre + trm of all but its first", "failing-checkpoints",
     failing_checkpoints},
    {"FailingSaves", "*", SAME_WORK ", x = tch of interruptions after errors of checkpoints + the work not saved now",
     "failing-saves", failing_saves},
    {"Rendezvous", "*", SAME_WORK ", x = tch + tre + trm of each", "rendezvous", rendezvous},
};

static int by_gain(const void *a, const void *b) {
    const struct advice *x = a, *y = b;
    if (x->gain_ppm != y->gain_ppm)
        return x->gain_ppm < y->gain_ppm ? 1 : -1;
    return strcmp(x->kind, y->kind);
}

int advise(const struct ledger_result *r, const enum rootcause_class *classes, const char *const *accused,
           const int64_t *save_errors, struct advice out[static ADVICE_MAX]) {
    struct advice all[ARRAY_SIZE(rules)];
    int count = 0;
    if (!r->has_steps || r->productive_ms <= 0 || r->wall_ms <= 0)
        return 0;
    struct job job = {.r = r,
                      .classes = classes,
                      .accused = accused,
                      .save_errors = save_errors,
                      .starts = r->interruption_count + r->older.count + 1};
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
        struct advice *a = &all[count];
        memset(a, 0, sizeof *a);
        if (!rules[i].rule(&job, a) || a->saved_ms < MIN_SAVED_MS || a->saved_ms >= r->wall_ms)
            continue;
        int64_t sooner_ms = max_of(r->productive_ms, r->wall_ms - a->saved_ms);
        a->gain_ppm = ledger_ppm(r->productive_ms, sooner_ms) - ledger_ppm(r->productive_ms, r->wall_ms);
        a->kind = rules[i].kind;
        a->formula = rules[i].formula;
        a->topic = rules[i].topic;
        count += a->gain_ppm >= MIN_GAIN_PPM;
    }
    qsort(all, (size_t)count, sizeof *all, by_gain);
    count = count > ADVICE_MAX ? ADVICE_MAX : count;
    memcpy(out, all, (size_t)count * sizeof *all);
    return count;
}

const char *advice_lowers(const char *kind) {
    for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
        if (strcmp(rules[i].kind, kind) == 0)
            return rules[i].lowers;
    return NULL;
}
