#include "spread.h"

#include "judge.h"
#include "styles.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OFF_PERCENT 1.0    /* of the wall time, where lines state durations: the mean, and of each job ... */
#define MAX_OUTSIDE_PERMILLE 1 /* ... but these, and of those whose truth is outside its bounds */

/* Formats whose lines do not say enough for that: how many jobs may be outside, and how many over 1 %. */
static const struct {
    enum steplog_format format;
    int outside_permille, over_permille;
    const char *why;
} loose[] = {
    {STEPLOG_GENERIC, 15, 1, "no line says at which of the steps between two lines a process resumed"},
};

static int max_permille(enum steplog_format format, bool is_over) {
    for (size_t i = 0; i < ARRAY_SIZE(loose); i++)
        if (loose[i].format == format)
            return is_over ? loose[i].over_permille : loose[i].outside_permille;
    return MAX_OUTSIDE_PERMILLE;
}
#define ALLOWED_MS 2000 /* an object's time is a whole second: per attempt */

static const struct {
    const char *name;
    struct sim_variation of;
} spreads[] = {{"even", {.is_on = true}},
               {"0.1", {.is_on = true, .sigma_percent = 10}},
               {"0.5", {.is_on = true, .sigma_percent = 50}},
               {"0.8", {.is_on = true, .sigma_percent = 80}},
               {"slows", {.is_on = true, .change = SIM_SLOWS}},
               {"patch", {.is_on = true, .change = SIM_SLOW_PATCH}},
               {"block", {.is_on = true, .is_buffered = true}},
               {"clock", {.is_on = true, .sets_clock = true}},
               {"clocks", {.is_on = true, .sets_clock = true, .sigma_percent = 50}},
               {"blocks", {.is_on = true, .is_buffered = true, .sigma_percent = 50}}};

static size_t only_row = ARRAY_SIZE(spreads); /* of spread_set(); none: all */

bool spread_set(const char *name) {
    for (size_t i = 0; i < ARRAY_SIZE(spreads); i++)
        if (strcmp(spreads[i].name, name) == 0) {
            sim_vary(spreads[i].of);
            only_row = i;
            return true;
        }
    return false;
}

struct row {
    double sum, max, below, above, worst; /* percent of the wall time */
    int64_t jobs, unread, outside, averaged, over;
    uint64_t worst_seed;
    double *widths; /* of the bounds, a job each */
};

static int compare_widths(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Nearest rank; 0 of no jobs. */
static double width_at(const struct row *row, int64_t percent) {
    return row->jobs > 0 ? row->widths[(row->jobs * percent + 99) / 100 - 1] : 0;
}

static int64_t time_of(const struct job *job, unsigned kinds) {
    int64_t sum_ms = 0;
    for (int i = 0; i < job->span_count; i++) {
        const struct span *s = &job->spans[i];
        if ((kinds >> s->kind & 1) && !s->is_lost && !s->is_cut)
            sum_ms += s->to_ms - s->from_ms;
    }
    return sum_ms;
}

/* How long the first step of an attempt took without compilation, no line says, nor the recorder's how long the job's
 * last one took: they count as usual ones. */
static int64_t end_steps_ms(const struct job *job) {
    int64_t sum_ms = 0, usual_ms = job->ideal_ms * (job->slow_from < INT64_MAX ? 2 : 1);
    for (int i = 0; i < job->span_count; i++) {
        const struct span *s = &job->spans[i];
        bool is_last = job->format == STEPLOG_RECORDER && s->step == job->first_number + job->steps - 1;
        if (s->kind == KIND_STEP && (is_last || s->step == job->attempts[s->attempt].first_step))
            sum_ms += s->to_ms - s->from_ms > usual_ms ? s->to_ms - s->from_ms : usual_ms;
    }
    return sum_ms;
}

/* Where output is buffered, the first write holds start-up, and a program that is killed takes the last one with it. */
static bool states_durations(const struct job *job) {
    if (job->is_buffered)
        return false;
    switch (job->format) {
    case STEPLOG_NEMO: /* the last step's */
        return job->log_every == 1;
    case STEPLOG_RECORDER:
    case STEPLOG_MEGATRON:
    case STEPLOG_MAXTEXT:
    case STEPLOG_REGEX:
        return true;
    default:
        return false;
    }
}

/* Time that no line names, and that is below what makes a step slow, stays in its step. */
static int64_t hidden_ms(const struct job *job) {
    bool has_save_lines = job->format != STEPLOG_HUGGINGFACE && job->format != STEPLOG_LIGHTNING &&
                          job->format != STEPLOG_GENERIC && job->format != STEPLOG_DEEPSPEED;
    return has_save_lines ? 0 : time_of(job, 1u << KIND_SAVE);
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

static void print_job(const struct job *job, const struct judgment *j, int64_t truth, bool is_outside) {
    int64_t found = j->counted_ms[BUCKET_PRODUCTIVE];
    printf("seed %llu: every %lld, ideal %lld, attempts %d, wall %lld, truth %lld, found %lld to %lld%s\n",
           (unsigned long long)job->seed, (long long)job->log_every, (long long)job->ideal_ms, job->attempt_count,
           (long long)j->wall_ms, (long long)truth, (long long)found,
           (long long)(found + j->counted_ms[BUCKET_UNATTRIBUTED]), is_outside ? "  OUTSIDE" : "");
    for (int b = 0; b < BUCKET_COUNT; b++)
        if (j->counted_ms[b] > 0)
            printf("  %-20s %lld\n", bucket_name((enum bucket)b), (long long)j->counted_ms[b]);
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static void add(struct row *row, struct job *job, bool prints) {
    struct judgment j;
    judge(job, &j);
    if (j.steps == 0 || (job->is_buffered && !j.shows_bursts)) {
        row->unread++;
        return;
    }
    double percent = 100.0 / (double)j.wall_ms;
    int64_t truth = time_of(job, 1u << KIND_STEP | 1u << KIND_SLOW), hidden = hidden_ms(job);
    int64_t found = j.counted_ms[BUCKET_PRODUCTIVE], upper = found + j.counted_ms[BUCKET_UNATTRIBUTED];
    int64_t allowed = ALLOWED_MS * job->attempt_count + end_steps_ms(job);
    int64_t wall = j.wall_ms + job->set_by_ms; /* by the clock that was set: bounds are shares of it */
    int64_t lower = (int64_t)((double)found / (double)wall * (double)j.wall_ms);
    upper = (int64_t)((double)upper / (double)wall * (double)j.wall_ms);
    int64_t less = truth - silent_ms(job) - found, more = found - truth, off = less > 0 ? less : more > 0 ? more : 0;
    double below = percent * (double)(lower - truth - hidden), above = percent * (double)(truth - upper);
    bool is_outside = lower - truth > hidden + allowed || truth > upper + allowed;
    bool is_over = states_durations(job) && percent * (double)(off - allowed) > MAX_OFF_PERCENT;
    row->widths[row->jobs++] = percent * (double)(upper - found);
    row->below = larger(row->below, below);
    row->above = larger(row->above, above);
    row->outside += is_outside;
    row->over += is_over;
    if (states_durations(job) || job->format != STEPLOG_NEMO) { /* of NeMo's, those with a line for every step */
        row->averaged++;
        row->sum += percent * (double)off;
        row->max = larger(row->max, percent * (double)off);
    }
    double worst = is_over ? percent * (double)off : larger(below, above);
    if ((is_outside || is_over) && worst > row->worst) {
        row->worst = worst;
        row->worst_seed = job->seed;
    }
    if (prints)
        print_job(job, &j, truth, is_outside);
}

static bool judge_row(const char *name, const char *spread, enum steplog_format format, const struct row *row,
                      bool states) {
    double mean = row->averaged > 0 ? row->sum / (double)row->averaged : 0;
    int64_t max_over = 1 + row->jobs * max_permille(format, true) / 1000,
            max_outside = 1 + row->jobs * max_permille(format, false) / 1000;
    bool is_good = (!states || (mean <= MAX_OFF_PERCENT && row->over <= max_over)) && row->outside <= max_outside;
    printf("%-26s %-6s %6lld %8.2f %8.2f %8lld %8.2f %8.2f %8lld %8.2f %8.2f", name, spread, (long long)row->jobs, mean,
           row->max, (long long)row->over, row->below, row->above, (long long)row->outside, width_at(row, 50),
           width_at(row, 95));
    if (row->outside + row->over > 0)
        printf("  seed %llu", (unsigned long long)row->worst_seed);
    printf("%s\n", is_good ? "" : "  FAILED");
    return is_good;
}

/* They are on standard error, which is not buffered. */
static bool draws_bars(enum steplog_format format, const struct style *style) {
    return format == STEPLOG_HUGGINGFACE || format == STEPLOG_LIGHTNING || (style != NULL && style_draws_bar(style));
}

static bool run_one(const char *name, enum steplog_format format, const struct style *style, uint64_t seed,
                    int64_t jobs, bool prints) {
    bool is_good = true;
    for (size_t k = 0; k < ARRAY_SIZE(spreads); k++) {
        bool has_no_such = (spreads[k].of.is_buffered && draws_bars(format, style)) ||
                           (spreads[k].of.sets_clock && format == STEPLOG_RECORDER); /* a slow step by any clock */
        if (has_no_such || (only_row < ARRAY_SIZE(spreads) && k != only_row))
            continue;
        struct row row = {.widths = calloc((size_t)jobs, sizeof *row.widths)};
        bool states = false;
        sim_vary(spreads[k].of);
        for (int64_t i = 0; i < jobs; i++) {
            struct job job;
            if (style != NULL)
                sim_run_style(&job, seed + (uint64_t)i, style);
            else
                sim_run(&job, seed + (uint64_t)i, format);
            job.prints = prints && jobs == 1;
            states |= states_durations(&job);
            add(&row, &job, prints);
            sim_done(&job);
        }
        qsort(row.widths, (size_t)row.jobs, sizeof *row.widths, compare_widths);
        is_good &= judge_row(name, spreads[k].name, format, &row, states);
        free(row.widths);
    }
    sim_vary((struct sim_variation){0});
    return is_good;
}

bool spread_run(enum steplog_format format, const char *const *files, int file_count, const char *only, uint64_t seed,
                int64_t jobs, bool prints) {
    struct style *styles;
    int count = styles_read(files, file_count, &styles), failed = 0, passed = 0;
    printf("%-26s %-6s %6s %8s %8s %8s %8s %8s %8s %8s %8s\n", "", "steps", "jobs", "mean %", "max %", "over 1%",
           "below %", "above %", "outside", "width", "p95");
    for (int f = STEPLOG_RECORDER; f <= STEPLOG_REGEX && only == NULL; f++)
        if (format == STEPLOG_AUTO || (int)format == f)
            *(run_one(steplog_format_name((enum steplog_format)f), (enum steplog_format)f, NULL, seed, jobs, prints)
                  ? &passed
                  : &failed) += 1;
    for (int i = 0; i < count; i++)
        if (!styles[i].is_refused && !styles[i].saves_by_epoch && (only == NULL || strcmp(only, styles[i].name) == 0))
            *(run_one(styles[i].name, STEPLOG_GENERIC, &styles[i], seed, jobs, prints) ? &passed : &failed) += 1;
    styles_free(styles, count);
    for (size_t i = 0; i < ARRAY_SIZE(loose); i++)
        printf("%s: %.1f %% of the jobs may be outside, %.1f %% over 1 %%: %s\n", steplog_format_name(loose[i].format),
               loose[i].outside_permille / 10.0, loose[i].over_permille / 10.0, loose[i].why);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0;
}
