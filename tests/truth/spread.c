#include "spread.h"

#include "judge.h"
#include "styles.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OFF_PERMILLE 10
#define ALLOWED_MS 2000 /* an object's time is a whole second: per attempt */

static const struct {
    const char *name;
    struct sim_variation of;
} spreads[] = {{"even", {.is_on = true}},
               {"0.1", {.is_on = true, .sigma_percent = 10}},
               {"0.5", {.is_on = true, .sigma_percent = 50}},
               {"0.8", {.is_on = true, .sigma_percent = 80}},
               {"slows", {.is_on = true, .change = SIM_SLOWS}},
               {"patch", {.is_on = true, .change = SIM_SLOW_PATCH}}};

bool spread_set(const char *name) {
    for (size_t i = 0; i < ARRAY_SIZE(spreads); i++)
        if (strcmp(spreads[i].name, name) == 0) {
            sim_vary(spreads[i].of);
            return true;
        }
    return false;
}

struct row {
    double sum, max, below, above, worst; /* percent of the wall time */
    int64_t jobs, unread, outside;
    uint64_t worst_outside;
};

static int64_t time_of(const struct job *job, unsigned kinds) {
    int64_t sum_ms = 0;
    for (int i = 0; i < job->span_count; i++) {
        const struct span *s = &job->spans[i];
        if ((kinds >> s->kind & 1) && !s->is_lost && !s->is_cut)
            sum_ms += s->to_ms - s->from_ms;
    }
    return sum_ms;
}

/* How long the first step of an attempt took without compilation, no line says: it counts as a usual one. */
static int64_t first_steps_ms(const struct job *job) {
    int64_t sum_ms = 0;
    for (int i = 0; i < job->span_count; i++) {
        const struct span *s = &job->spans[i];
        if (s->kind == KIND_STEP && s->step == job->attempts[s->attempt].first_step)
            sum_ms += s->to_ms - s->from_ms > job->ideal_ms ? s->to_ms - s->from_ms : job->ideal_ms;
    }
    return sum_ms;
}

/* The steps after the last line of each attempt, which no line says: where every Nth has one. */
static int64_t silent_ms(const struct job *job) {
    int64_t sum_ms = 0, last[SIM_ATTEMPTS] = {0};
    for (int i = 0; i < job->attempt_count; i++)
        for (int k = 0; k < job->attempts[i].event_count; k++) {
            const struct event *e = &job->attempts[i].events[k];
            if (e->kind == EVENT_STEP_END && e->step % job->log_every == 0)
                last[i] = e->step;
        }
    for (int i = 0; i < job->span_count; i++) {
        const struct span *s = &job->spans[i];
        if (s->kind == KIND_STEP && !s->is_lost && !s->is_cut && s->step > last[s->attempt])
            sum_ms += s->to_ms - s->from_ms;
    }
    return sum_ms;
}

static void add(struct row *row, struct job *job, bool prints) {
    struct judgment j;
    judge(job, &j);
    int64_t truth = time_of(job, 1u << KIND_STEP | 1u << KIND_SLOW), hidden = time_of(job, 1u << KIND_SAVE);
    int64_t found = j.counted_ms[BUCKET_PRODUCTIVE], upper = found + j.counted_ms[BUCKET_UNATTRIBUTED];
    if (j.steps == 0) {
        row->unread++;
        return;
    }
    int64_t silent = silent_ms(job), less = truth - silent - found, more = found - truth;
    double off = 100.0 * (double)(less > 0 ? less : more > 0 ? more : 0) / (double)j.wall_ms;
    int64_t allowed = ALLOWED_MS * job->attempt_count + first_steps_ms(job);
    double below = 100.0 * (double)(found - truth - hidden) / (double)j.wall_ms,
           above = 100.0 * (double)(truth - upper) / (double)j.wall_ms;
    bool is_outside = truth + hidden + allowed < found || truth > upper + allowed;
    row->jobs++;
    row->sum += off;
    row->max = off > row->max ? off : row->max;
    row->below = below > row->below ? below : row->below;
    row->above = above > row->above ? above : row->above;
    row->outside += is_outside;
    double beyond = below > above ? below : above;
    if (is_outside && beyond > row->worst) {
        row->worst = beyond;
        row->worst_outside = job->seed;
    }
    if (!prints)
        return;
    printf("seed %llu: every %lld, ideal %lld, attempts %d, wall %lld, truth %lld, found %lld to %lld%s\n",
           (unsigned long long)job->seed, (long long)job->log_every, (long long)job->ideal_ms, job->attempt_count,
           (long long)j.wall_ms, (long long)truth, (long long)found, (long long)upper, is_outside ? "  OUTSIDE" : "");
    for (int b = 0; b < BUCKET_COUNT; b++)
        if (j.counted_ms[b] > 0)
            printf("  %-20s %lld\n", bucket_name((enum bucket)b), (long long)j.counted_ms[b]);
}

static bool run_one(const char *name, enum steplog_format format, const struct style *style, bool states, uint64_t seed,
                    int64_t jobs, bool prints) {
    bool is_good = true;
    for (size_t k = 0; k < ARRAY_SIZE(spreads); k++) {
        struct row row = {0};
        sim_vary(spreads[k].of);
        for (int64_t i = 0; i < jobs; i++) {
            struct job job;
            if (style != NULL)
                sim_run_style(&job, seed + (uint64_t)i, style);
            else
                sim_run(&job, seed + (uint64_t)i, format);
            job.prints = prints && jobs == 1;
            add(&row, &job, prints);
            sim_done(&job);
        }
        double mean = row.jobs > 0 ? row.sum / (double)row.jobs : 0;
        bool is_off = states && mean * 10 > MAX_OFF_PERMILLE;
        printf("%-26s %-6s %6lld %8.2f %8.2f %8.2f %8.2f %8lld", name, spreads[k].name, (long long)row.jobs, mean,
               row.max, row.below, row.above, (long long)row.outside);
        if (row.outside > 0)
            printf("  seed %llu", (unsigned long long)row.worst_outside);
        printf("%s\n", is_off || row.outside > 0 ? "  FAILED" : "");
        is_good &= !is_off && row.outside == 0;
    }
    sim_vary((struct sim_variation){0});
    return is_good;
}

static bool states_durations(enum steplog_format f) {
    return f == STEPLOG_RECORDER || f == STEPLOG_MEGATRON || f == STEPLOG_NEMO || f == STEPLOG_MAXTEXT ||
           f == STEPLOG_REGEX;
}

bool spread_run(enum steplog_format format, const char *const *files, int file_count, const char *only, uint64_t seed,
                int64_t jobs, bool prints) {
    struct style *styles;
    int count = styles_read(files, file_count, &styles), failed = 0, passed = 0;
    printf("%-26s %-6s %6s %8s %8s %8s %8s %8s\n", "", "sigma", "jobs", "mean %", "max %", "below %", "above %",
           "outside");
    for (int f = STEPLOG_RECORDER; f <= STEPLOG_REGEX && only == NULL; f++)
        if (format == STEPLOG_AUTO || (int)format == f)
            *(run_one(steplog_format_name((enum steplog_format)f), (enum steplog_format)f, NULL,
                      states_durations((enum steplog_format)f), seed, jobs, prints)
                  ? &passed
                  : &failed) += 1;
    for (int i = 0; i < count; i++)
        if (!styles[i].is_refused && !styles[i].saves_by_epoch && (only == NULL || strcmp(only, styles[i].name) == 0))
            *(run_one(styles[i].name, STEPLOG_GENERIC, &styles[i], false, seed, jobs, prints) ? &passed : &failed) += 1;
    styles_free(styles, count);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0;
}
