#include "formulas/pairs.h"

#include "base/mem.h"
#include "harness/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double uniform(uint64_t *seed) {
    return ((double)(random_next(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static double between(uint64_t *seed, double low, double high) {
    return low + (high - low) * uniform(seed);
}

static double log_between(uint64_t *seed, double low, double high) {
    return exp(between(seed, log(low), log(high)));
}

static double normal(uint64_t *seed) {
    return sqrt(-2 * log(uniform(seed))) * cos(2 * M_PI * uniform(seed));
}

struct pairs_shape pairs_shape(uint64_t *seed) {
    return (struct pairs_shape){
        .step_ms = log_between(seed, 200, 20000),
        .spread = log_between(seed, 0.005, 0.12),
        .memory = between(seed, 0, 0.9),
        .drift = between(seed, -0.004, 0.004),
        .swing = between(seed, 0, 0.004),
        .patches = between(seed, 0, 12),
        .patch_factor = between(seed, 1.05, 2),
        .interruptions = log_between(seed, 0.3, 30),
        .start_ms = log_between(seed, 10000, 900000),
        .start_spread = between(seed, 0.05, 1),
        .save_ms = log_between(seed, 100, 20000),
        .stall_chance = log_between(seed, 0.0001, 0.01),
        .steps = (int64_t)log_between(seed, 10000, 60000),
        .save_every = (int64_t)log_between(seed, 50, 1000),
    };
}

/* ---- one job ---- */

struct making {
    const struct pairs_shape *shape;
    struct compare_job job;
    uint64_t *seed;
    double slower, noise, phase, drift, patch, at_ms;
    int64_t now_ms, execution, patch_left, productive_from_ms, productive_steps;
};

static void add_span(struct making *m, const char *bucket, int64_t ms, bool is_scheduling, int64_t steps) {
    struct compare_job *job = &m->job;
    if (ms <= 0)
        return;
    MEM_GROW(job->spans, job->span_count, job->span_capacity);
    job->spans[job->span_count++] =
        (struct compare_span){m->now_ms, m->now_ms + ms, ms, bucket, is_scheduling, 1, m->execution, steps};
    m->now_ms += ms;
    m->at_ms = (double)m->now_ms;
}

static int64_t spread_ms(struct making *m, double typical_ms) {
    return (int64_t)(typical_ms * exp(m->shape->start_spread * normal(m->seed)));
}

static void start(struct making *m) {
    double part_ms = m->shape->start_ms / 5;
    m->execution++;
    add_span(m, m->execution > 1 ? "Rescheduling" : "Provisioning", spread_ms(m, 3 * part_ms), true, 0);
    add_span(m, "ImagePull", spread_ms(m, part_ms), false, 0);
    add_span(m, "ContainerStart", spread_ms(m, part_ms / 10), false, 0);
    add_span(m, "TrainingPreparation", spread_ms(m, part_ms), false, 0);
    if (m->execution > 1)
        add_span(m, "CheckpointRestore", spread_ms(m, part_ms), false, 0);
    add_span(m, "ProgramStartup", spread_ms(m, part_ms / 2), false, 0);
}

static double step_ms(struct making *m, int64_t step) {
    const struct pairs_shape *s = m->shape;
    double along = (double)step / (double)s->steps;
    m->noise = s->memory * m->noise + sqrt(1 - s->memory * s->memory) * normal(m->seed);
    if (m->patch_left > 0)
        m->patch_left--;
    else if (uniform(m->seed) < s->patches / (double)s->steps) {
        m->patch_left = (int64_t)log_between(m->seed, 5, 600);
        m->patch = between(m->seed, 1.02, s->patch_factor);
    }
    return s->step_ms * m->slower * exp(s->spread * m->noise) * (m->patch_left > 0 ? m->patch : 1) *
           (1 + m->drift * along + s->swing * sin(2 * M_PI * (3 * along + m->phase)));
}

static void end_productive(struct making *m) {
    int64_t ms = (int64_t)m->at_ms - m->productive_from_ms;
    m->now_ms = m->productive_from_ms;
    add_span(m, "Productive", ms, false, m->productive_steps);
    m->productive_steps = 0;
    m->productive_from_ms = m->now_ms;
}

static void add_step(struct making *m, int64_t step) {
    struct compare_job *job = &m->job;
    if (m->productive_steps == 0)
        m->productive_from_ms = m->now_ms;
    m->at_ms += step_ms(m, step);
    m->productive_steps++;
    MEM_GROW(job->steps, job->step_count, job->step_capacity);
    job->steps[job->step_count++] = (struct compare_step){(int64_t)m->at_ms, step};
}

static void lose(struct making *m) {
    struct compare_job *job = &m->job;
    MEM_GROW(job->interruptions_ms, job->interruption_count, job->interruption_capacity);
    job->interruptions_ms[job->interruption_count++] = m->now_ms;
    add_span(m, "WastedProgress", (int64_t)(uniform(m->seed) * (double)m->shape->save_every * m->shape->step_ms), false,
             0);
    start(m);
}

struct compare_job pairs_job(const struct pairs_shape *shape, double slower, uint64_t *seed) {
    struct making m = {
        .shape = shape, .seed = seed, .slower = slower, .phase = uniform(seed), .job.program = 0.4 / slower};
    m.drift = shape->drift + between(seed, -0.002, 0.002);
    m.now_ms = INT64_C(1790000000000);
    start(&m);
    for (int64_t step = 1; step <= shape->steps; step++) {
        add_step(&m, step);
        double chance = shape->interruptions / (double)shape->steps;
        bool is_stall = uniform(seed) < shape->stall_chance, is_save = step % shape->save_every == 0;
        /* after one interruption the next one is nearer */
        bool is_lost = uniform(seed) < chance * (m.execution > 1 && uniform(seed) < 0.2 ? 3 : 0.7);
        if (!is_stall && !is_save && !is_lost)
            continue;
        end_productive(&m);
        if (is_stall)
            add_span(&m, "DataLoading", (int64_t)(shape->step_ms * exp(normal(seed))), false, 0);
        if (is_save)
            add_span(&m, "CheckpointSave", (int64_t)(shape->save_ms * exp(0.5 * normal(seed))), false, 0);
        if (is_lost)
            lose(&m);
    }
    end_productive(&m);
    add_span(&m, "Shutdown", spread_ms(&m, 5000), false, 0);
    return m.job;
}

/* ---- many pairs ---- */

static enum compare_verdict verdict_of(const struct compare_table *t, const char *name) {
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->rows[i].name, name) == 0)
            return t->rows[i].verdict;
    return COMPARE_TOO_FEW;
}

static bool has_alarm(const struct compare_table *t, struct pairs_tally *tally) {
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].verdict == COMPARE_BETTER || t->rows[i].verdict == COMPARE_WORSE) {
            if (tally->alarms < (int)ARRAY_SIZE(tally->alarm_rows))
                snprintf(tally->alarm_rows[tally->alarms], COMPARE_NAME_SIZE, "%s", t->rows[i].name);
            return true;
        }
    return false;
}

struct pairs_tally pairs_run(int pairs, uint64_t seed) {
    struct pairs_tally tally = {.pairs = pairs};
    CLEANUP_FREE struct compare_table *t = mem_new(struct compare_table);
    for (int i = 0; i < pairs; i++) {
        struct pairs_shape shape = pairs_shape(&seed);
        struct compare_job a = pairs_job(&shape, 1, &seed), b = pairs_job(&shape, 1, &seed);
        struct compare_job c = pairs_job(&shape, 1.02, &seed);
        compare_jobs(&a, &b, t);
        tally.rows_tested += (int64_t)t->tested;
        tally.alarms += has_alarm(t, &tally);
        compare_jobs(&a, &c, t);
        enum compare_verdict mean = verdict_of(t, "step time"), middle = verdict_of(t, "step time, median");
        tally.found += mean == COMPARE_WORSE || middle == COMPARE_WORSE;
        tally.contrary += mean == COMPARE_BETTER || middle == COMPARE_BETTER;
        compare_job_done(&a);
        compare_job_done(&b);
        compare_job_done(&c);
    }
    return tally;
}
