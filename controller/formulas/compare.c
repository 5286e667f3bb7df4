#include "formulas/compare.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "base/slice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS 86400000.0

enum { BLOCKS = DIFFERENCE_BLOCKS, MIN_OF_MEDIAN = 5 };

static const char productive[] = "Productive";
/* What an execution does until its first step. */
static const char *const start_parts[] = {"ImagePull",           "ContainerStart",    "AcceleratorInit",
                                          "TrainingPreparation", "CheckpointRestore", "ProgramStartup"};

/* ---- steps ---- */

struct unit { /* steps that follow each other */
    double ms, steps;
};

struct units {
    struct unit *items;
    size_t count, capacity;
    double steps;
    bool are_steps; /* from a log; else they are whole spans */
};

static void add_unit(struct units *u, int64_t ms, int64_t steps) {
    MEM_GROW(u->items, u->count, u->capacity);
    u->items[u->count++] = (struct unit){(double)ms, (double)steps};
    u->steps += (double)steps;
}

/* The steps between two ends that lie in one span of productive time: lost work, saves and starts are in others. */
static void units_of_log(const struct compare_job *job, struct units *u) {
    size_t at = 0;
    for (size_t i = 1; i < job->step_count; i++) {
        const struct compare_step *before = &job->steps[i - 1], *s = &job->steps[i];
        while (at < job->span_count && job->spans[at].to_ms < s->at_ms)
            at++;
        if (at == job->span_count)
            return;
        if (strcmp(job->spans[at].bucket, productive) == 0 && before->at_ms >= job->spans[at].from_ms &&
            s->at_ms > before->at_ms && s->step > before->step)
            add_unit(u, s->at_ms - before->at_ms, s->step - before->step);
    }
}

static struct units units_of(const struct compare_job *job) {
    struct units u = {.are_steps = job->step_count > 0};
    if (u.are_steps)
        units_of_log(job, &u);
    for (size_t i = 0; i < job->span_count && !u.are_steps; i++)
        if (job->spans[i].steps > 0 && strcmp(job->spans[i].bucket, productive) == 0)
            add_unit(&u, job->spans[i].ms, job->spans[i].steps);
    return u;
}

static size_t block_of(const struct units *u, double steps_before, size_t i) {
    return (size_t)fmin(BLOCKS * (steps_before + u->items[i].steps / 2) / u->steps, BLOCKS - 1);
}

static struct difference_estimate mean_step(const struct units *u) {
    struct difference_block blocks[BLOCKS] = {0};
    double before = 0;
    for (size_t i = 0; i < u->count; before += u->items[i++].steps) {
        struct difference_block *b = &blocks[block_of(u, before, i)];
        b->sum += u->items[i].ms;
        b->size += u->items[i].steps;
    }
    return difference_estimate(blocks, BLOCKS);
}

/* FLOPs of steps / what the chips could do in their time: each step has the same FLOPs. */
static struct difference_estimate program_of(const struct units *u, double program) {
    struct difference_block blocks[BLOCKS] = {0};
    double before = 0, mean = mean_step(u).value;
    for (size_t i = 0; i < u->count; before += u->items[i++].steps) {
        struct difference_block *b = &blocks[block_of(u, before, i)];
        b->sum += program * mean * u->items[i].steps;
        b->size += u->items[i].ms;
    }
    return difference_estimate(blocks, BLOCKS);
}

/* The trimmed mean of the blocks' medians: of steps that nothing disturbs. */
static struct difference_estimate median_step(const struct units *u) {
    CLEANUP_FREE double *values = mem_alloc((u->count + 1) * sizeof *values);
    double medians[BLOCKS], before = 0;
    size_t blocks = 0;
    if (!u->are_steps || u->count < (size_t)BLOCKS * MIN_OF_MEDIAN)
        return (struct difference_estimate){0};
    for (size_t k = 0, i = 0, first = 0; k < BLOCKS; k++, first = i) {
        for (; i < u->count && block_of(u, before, i) == k; before += u->items[i++].steps)
            values[i - first] = u->items[i].ms / u->items[i].steps;
        if (i > first)
            medians[blocks++] = difference_median(values, i - first);
    }
    return difference_trimmed(medians, blocks);
}

/* ---- time ---- */

/* What counts of a span. */
typedef double span_value(const struct compare_span *s, const char *bucket);

static double is_of_bucket(const struct compare_span *s, const char *bucket) {
    return strcmp(s->bucket, bucket) == 0;
}

static double is_productive(const struct compare_span *s, const char *bucket) {
    (void)bucket;
    return is_of_bucket(s, productive);
}

/* buckets: separated by commas; "*": all lost time. */
static double is_of_list(const struct compare_span *s, const char *buckets) {
    if (strcmp(buckets, "*") == 0)
        return 1 - is_productive(s, buckets);
    struct slice list = slice_of(buckets), name;
    while (slice_take_item(&list, ',', &name))
        if (slice_is(name, s->bucket))
            return 1;
    return 0;
}

static double is_available(const struct compare_span *s, const char *bucket) {
    (void)bucket;
    return !s->is_scheduling;
}

static double is_wall(const struct compare_span *s, const char *bucket) {
    (void)s, (void)bucket;
    return 1;
}

static int64_t start_of(const struct compare_job *job) {
    return job->spans[0].from_ms;
}

static double block_ms(const struct compare_job *job) {
    return fmax((double)(job->spans[job->span_count - 1].to_ms - start_of(job)) / BLOCKS, 1);
}

static size_t block_at(const struct compare_job *job, int64_t at_ms) {
    double at = (double)(at_ms - start_of(job)) / block_ms(job);
    return (size_t)fmin(fmax(at, 0), BLOCKS - 1);
}

/* A span's time in block k. */
static double ms_in(const struct compare_job *job, const struct compare_span *s, size_t k) {
    if (s->from_ms >= s->to_ms)
        return (double)s->ms;
    double from = (double)(s->from_ms - start_of(job)), to = (double)(s->to_ms - start_of(job)), size = block_ms(job);
    return fmax(fmin(to, (double)(k + 1) * size) - fmax(from, (double)k * size), 0);
}

static struct difference_estimate share(const struct compare_job *job, span_value *sum, const char *bucket,
                                        span_value *size) {
    struct difference_block blocks[BLOCKS] = {0};
    for (size_t i = 0; i < job->span_count; i++) {
        const struct compare_span *s = &job->spans[i];
        size_t first = block_at(job, s->from_ms), last = block_at(job, max_of(s->from_ms, s->to_ms - 1));
        for (size_t k = first; k <= last; k++) {
            blocks[k].sum += ms_in(job, s, k) * sum(s, bucket);
            blocks[k].size += ms_in(job, s, k) * size(s, bucket);
        }
    }
    return difference_estimate(blocks, BLOCKS);
}

/* Of what occurs by itself: as often as its spans say. */
static struct difference_estimate loss(const struct compare_job *job, span_value *sum, const char *buckets,
                                       span_value *size) {
    double times = 0;
    for (size_t i = 0; i < job->span_count; i++)
        if (sum(&job->spans[i], buckets) != 0)
            times += (double)job->spans[i].count;
    struct difference_estimate e = share(job, sum, buckets, size);
    difference_widen(&e, times, 0);
    return e;
}

static struct difference_estimate bucket_share(const struct compare_job *job, const char *bucket) {
    return loss(job, is_of_bucket, bucket, is_wall);
}

/* Interruptions per day of available time. */
static struct difference_estimate interruption_rate(const struct compare_job *job) {
    struct difference_block blocks[BLOCKS] = {0};
    double available = 0;
    for (size_t i = 0; i < job->span_count; i++) {
        const struct compare_span *s = &job->spans[i];
        size_t first = block_at(job, s->from_ms), last = block_at(job, max_of(s->from_ms, s->to_ms - 1));
        for (size_t k = first; k <= last && !s->is_scheduling; k++) {
            blocks[k].size += ms_in(job, s, k) / DAY_MS;
            available += ms_in(job, s, k) / DAY_MS;
        }
    }
    for (size_t i = 0; i < job->interruption_count; i++)
        blocks[block_at(job, job->interruptions_ms[i])].sum += 1;
    struct difference_estimate e = difference_estimate(blocks, BLOCKS);
    if (available > 0)
        difference_widen(&e, (double)job->interruption_count, 1 / available);
    return e;
}

/* ---- starts ---- */

static bool is_start_part(const char *bucket, const char *part) {
    for (size_t i = 0; i < ARRAY_SIZE(start_parts) && part == NULL; i++)
        if (strcmp(bucket, start_parts[i]) == 0)
            return true;
    return part != NULL && strcmp(bucket, part) == 0;
}

/* Milliseconds of an execution. part NULL: all. */
static struct difference_estimate start_time(const struct compare_job *job, const char *part) {
    struct difference_block *blocks = NULL;
    size_t count = 0, capacity = 0;
    int64_t execution = 0;
    for (size_t i = 0; i < job->span_count; i++) {
        const struct compare_span *s = &job->spans[i];
        if (s->execution == 0 || s->is_scheduling)
            continue;
        if (count == 0 || s->execution > execution) {
            MEM_GROW(blocks, count, capacity);
            blocks[count++] = (struct difference_block){0, 1};
            execution = s->execution;
        }
        if (is_start_part(s->bucket, part))
            blocks[count - 1].sum += (double)s->ms;
    }
    struct difference_estimate e = difference_estimate(blocks, count);
    free(blocks);
    return e;
}

/* ---- rows ---- */

static void add(struct compare_table *t, const char *name, enum compare_unit unit, bool is_more_better,
                struct difference_estimate a, struct difference_estimate b) {
    if ((a.value == 0 && b.value == 0) || t->count == COMPARE_MAX_ROWS)
        return;
    struct compare_row *row = &t->rows[t->count++];
    *row = (struct compare_row){.unit = unit, .is_more_better = is_more_better, .a = a, .b = b};
    snprintf(row->name, sizeof row->name, "%s", name);
    t->tested += a.has_spread && b.has_spread;
}

static void add_steps(struct compare_table *t, const struct compare_job *a, const struct compare_job *b) {
    struct units x = units_of(a), y = units_of(b);
    if (x.count > 0 && y.count > 0) {
        add(t, "step time", COMPARE_MS, false, mean_step(&x), mean_step(&y));
        struct difference_estimate mx = median_step(&x), my = median_step(&y);
        if (mx.has_spread && my.has_spread)
            add(t, "step time, median", COMPARE_MS, false, mx, my);
        if (!isnan(a->program) && !isnan(b->program))
            add(t, "program goodput", COMPARE_SHARE, true, program_of(&x, a->program), program_of(&y, b->program));
    }
    free(x.items);
    free(y.items);
}

static bool has_row(const struct compare_table *t, size_t from, const char *name) {
    for (size_t i = from; i < t->count; i++)
        if (strcmp(t->rows[i].name, name) == 0)
            return true;
    return false;
}

static void add_buckets(struct compare_table *t, const struct compare_job *a, const struct compare_job *b) {
    const struct compare_job *const jobs[] = {a, b};
    size_t first = t->count;
    for (size_t k = 0; k < ARRAY_SIZE(jobs); k++)
        for (size_t i = 0; i < jobs[k]->span_count; i++) {
            const char *bucket = jobs[k]->spans[i].bucket;
            if (strcmp(bucket, productive) != 0 && !has_row(t, first, bucket))
                add(t, bucket, COMPARE_SHARE, false, bucket_share(a, bucket), bucket_share(b, bucket));
        }
}

static void judge(struct compare_table *t) {
    t->chance = DIFFERENCE_CHANCE / fmax((double)t->tested, 1);
    for (size_t i = 0; i < t->count; i++) {
        struct compare_row *row = &t->rows[i];
        if (!row->a.has_spread || !row->b.has_spread)
            continue;
        row->change = difference_between(&row->a, &row->b, t->chance);
        row->verdict = row->change.low > 0    ? (row->is_more_better ? COMPARE_BETTER : COMPARE_WORSE)
                       : row->change.high < 0 ? (row->is_more_better ? COMPARE_WORSE : COMPARE_BETTER)
                                              : COMPARE_WITHIN_CHANCE;
        if (row->unit == COMPARE_SHARE)
            row->change = (struct difference_interval){fmax(row->change.low, -1), fmin(row->change.high, 1)};
    }
}

void compare_jobs(const struct compare_job *a, const struct compare_job *b, struct compare_table *out) {
    char name[COMPARE_NAME_SIZE];
    out->count = out->tested = 0;
    if (a->span_count == 0 || b->span_count == 0)
        return;
    add_steps(out, a, b);
    bool know_machines = !a->is_of_log && !b->is_of_log;
    if (know_machines)
        add(out, "scheduling goodput", COMPARE_SHARE, true, share(a, is_available, "", is_wall),
            share(b, is_available, "", is_wall));
    add(out, "runtime goodput", COMPARE_SHARE, true, share(a, is_of_bucket, productive, is_available),
        share(b, is_of_bucket, productive, is_available));
    if (know_machines)
        add(out, "job goodput", COMPARE_SHARE, true, share(a, is_of_bucket, productive, is_wall),
            share(b, is_of_bucket, productive, is_wall));
    add(out, "interruptions", COMPARE_PER_DAY, false, interruption_rate(a), interruption_rate(b));
    add(out, "start", COMPARE_MS, false, start_time(a, NULL), start_time(b, NULL));
    for (size_t i = 0; i < ARRAY_SIZE(start_parts); i++) {
        snprintf(name, sizeof name, "start: %s", start_parts[i]);
        add(out, name, COMPARE_MS, false, start_time(a, start_parts[i]), start_time(b, start_parts[i]));
    }
    add_buckets(out, a, b);
    judge(out);
}

/* ---- what a change brought ---- */

/* whole: wall time per productive time of A; less: what B lacks of it. */
static double gain_of(double whole, double less) {
    return whole - less > 0 ? fmin(1 / (whole - less), 1) - 1 / whole : 1 - 1 / whole;
}

struct compare_gain compare_gain(const struct compare_job *a, const struct compare_job *b, const char *buckets,
                                 double chance) {
    struct difference_estimate x = loss(a, is_of_list, buckets, is_productive),
                               y = loss(b, is_of_list, buckets, is_productive);
    double whole = 1 + loss(a, is_of_list, "*", is_productive).value;
    struct compare_gain gain = {.value = gain_of(whole, x.value - y.value), .has_spread = x.has_spread && y.has_spread};
    if (gain.has_spread) {
        struct difference_interval more = difference_between(&x, &y, chance);
        gain.around = (struct difference_interval){gain_of(whole, -more.high), gain_of(whole, -more.low)};
    }
    return gain;
}

const char *compare_verdict_name(enum compare_verdict verdict) {
    static const char *const names[] = {"too few", "within chance", "better", "worse"};
    return names[verdict];
}

void compare_job_done(struct compare_job *job) {
    free(job->spans);
    free(job->steps);
    free(job->interruptions_ms);
    *job = (struct compare_job){0};
}
