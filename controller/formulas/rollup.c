#include "formulas/rollup.h"

#include "base/mem.h"
#include "base/minmax.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Of a job: what part of its life is in the window. */
struct part {
    int64_t ms, of_ms;
};

static struct part part_of(const struct rollup_job *job, int64_t from_ms, int64_t to_ms) {
    int64_t begin = max_of(job->start_ms, from_ms), end = min_of(job->start_ms + job->wall_ms, to_ms);
    return (struct part){max_of(0, end - begin), max_of(1, job->wall_ms)};
}

static int64_t scaled(int64_t value, struct part part) {
    return part.ms == part.of_ms ? value : (int64_t)((__int128)value * part.ms / part.of_ms);
}

/* The part of a span that stands after others in the job: rounded parts of all
 * spans add up to the rounded whole. */
static int64_t part_after(int64_t before, int64_t value, struct part part) {
    return scaled(before + value, part) - scaled(before, part);
}

static struct rollup_bucket *bucket_of(struct rollup_sum *sum, const char *name) {
    for (size_t i = 0; i < sum->bucket_count; i++)
        if (sum->buckets[i].name == name || strcmp(sum->buckets[i].name, name) == 0)
            return &sum->buckets[i];
    if (sum->bucket_count < ROLLUP_BUCKETS - 1) {
        sum->buckets[sum->bucket_count] = (struct rollup_bucket){.name = name};
        return &sum->buckets[sum->bucket_count++];
    }
    if (sum->bucket_count == ROLLUP_BUCKETS - 1)
        sum->buckets[sum->bucket_count++] = (struct rollup_bucket){.name = "Other"};
    return &sum->buckets[ROLLUP_BUCKETS - 1];
}

static void add_buckets(struct rollup_sum *sum, const struct rollup_job *job, struct part part) {
    int64_t before = 0;
    for (size_t i = 0; i < job->bucket_count; i++) {
        struct rollup_bucket *to = bucket_of(sum, job->buckets[i].name);
        int64_t ms = part_after(before, job->buckets[i].ms, part), chip_ms = ms * job->chips;
        before += job->buckets[i].ms;
        to->ms += ms;
        to->chip_ms += chip_ms;
        to->chip_s += scaled(job->buckets[i].chip_s, part);
        bool is_worst = chip_ms > to->worst_chip_ms || to->worst == NULL;
        if (is_worst || (chip_ms == to->worst_chip_ms && strcmp(job->name, to->worst) < 0)) {
            to->worst = job->name;
            to->worst_chip_ms = chip_ms;
        }
    }
}

static void add(struct rollup_sum *sum, const struct rollup_job *job, struct part part) {
    int64_t wall = scaled(job->wall_ms, part) * job->chips, available = scaled(job->available_ms, part) * job->chips;
    sum->jobs++;
    sum->prorated += part.ms < part.of_ms;
    sum->wall += wall;
    sum->available += available;
    sum->failures += (double)job->failures * (double)part.ms / (double)part.of_ms;
    sum->node_ms += (double)scaled(job->available_ms, part) * (double)job->nodes;
    add_buckets(sum, job, part);
    if (job->productive_ms < 0) {
        sum->without_steps++;
        return;
    }
    /* Last of the parts of the wall time. */
    int64_t productive = part_after(job->wall_ms - job->productive_ms, job->productive_ms, part) * job->chips;
    sum->known_wall += wall;
    sum->known_available += available;
    sum->productive += productive;
    if (job->program_ppm < 0)
        return;
    sum->programmed += (double)productive;
    sum->ideal += (double)productive * (double)job->program_ppm / 1e6;
    sum->programmed_available += available;
    sum->programmed_wall += wall;
}

static int by_group(const void *a, const void *b) {
    const struct rollup_job *x = *(const struct rollup_job *const *)a, *y = *(const struct rollup_job *const *)b;
    int r = strcmp(x->group, y->group);
    return r != 0 ? r : strcmp(x->name, y->name);
}

static int by_chip_time(const void *a, const void *b) {
    const struct rollup_bucket *x = a, *y = b;
    if (x->chip_ms != y->chip_ms)
        return x->chip_ms < y->chip_ms ? 1 : -1;
    return strcmp(x->name, y->name);
}

static int by_lost(const void *a, const void *b) {
    const struct rollup_sum *x = a, *y = b;
    int64_t lost_x = x->wall - x->productive, lost_y = y->wall - y->productive;
    if (lost_x != lost_y)
        return lost_x < lost_y ? 1 : -1;
    return strcmp(x->group, y->group);
}

void rollup_make(const struct rollup_job *jobs, size_t count, int64_t from_ms, int64_t to_ms, struct rollup *rollup) {
    CLEANUP_FREE const struct rollup_job **sorted = mem_alloc((count + 1) * sizeof *sorted);
    size_t capacity = 0;
    *rollup = (struct rollup){.all = {.group = ""}};
    for (size_t i = 0; i < count; i++)
        sorted[i] = &jobs[i];
    qsort(sorted, count, sizeof *sorted, by_group);
    for (size_t i = 0; i < count; i++) {
        struct part part = part_of(sorted[i], from_ms, to_ms);
        if (part.ms == 0)
            continue;
        struct rollup_sum *last = rollup->group_count > 0 ? &rollup->groups[rollup->group_count - 1] : NULL;
        if (last == NULL || strcmp(last->group, sorted[i]->group) != 0) {
            MEM_GROW(rollup->groups, rollup->group_count, capacity);
            last = &rollup->groups[rollup->group_count++];
            *last = (struct rollup_sum){.group = sorted[i]->group};
        }
        add(last, sorted[i], part);
        add(&rollup->all, sorted[i], part);
    }
    for (size_t i = 0; i < rollup->group_count; i++)
        qsort(rollup->groups[i].buckets, rollup->groups[i].bucket_count, sizeof(struct rollup_bucket), by_chip_time);
    qsort(rollup->all.buckets, rollup->all.bucket_count, sizeof(struct rollup_bucket), by_chip_time);
    if (rollup->group_count > 0)
        qsort(rollup->groups, rollup->group_count, sizeof *rollup->groups, by_lost);
}

void rollup_done(struct rollup *rollup) {
    free(rollup->groups);
    *rollup = (struct rollup){0};
}

static int64_t ppm(double numerator, double denominator) {
    return denominator > 0 ? llround(numerator / denominator * 1e6) : -1;
}

struct rollup_scores rollup_scores_of(const struct rollup_sum *s) {
    return (struct rollup_scores){
        .scheduling = ppm((double)s->available, (double)s->wall),
        .runtime = ppm((double)s->productive, (double)s->known_available),
        .job = ppm((double)s->productive, (double)s->known_wall),
        .program = ppm(s->ideal, s->programmed),
        .productivity = ppm(s->ideal, (double)s->programmed_wall),
    };
}

double rollup_failures_per_1000_node_days(const struct rollup_sum *s) {
    return s->node_ms > 0 ? s->failures / (s->node_ms / 86400e3) * 1000 : -1;
}

double rollup_cost(double chip_s, double price_per_chip_hour) {
    return chip_s / 3600 * price_per_chip_hour;
}
