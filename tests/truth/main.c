/* truth [--format F] [--seed N] [--log] JOBS: simulates JOBS jobs as each trainer would run them, reads their logs
 * into the ledger, and prints how far each bucket is from the truth. Exits 1 if a bucket holds more than the truth,
 * beyond its tolerance, in more than 1 % of the jobs (or of one format's; 3 % of less than 10,000). Where Unattributed
 * alone does, the ledger claims less than the log shows, and nothing false: in 2.5 % of one format's at most. With
 * --seed and one job, prints that job's spans and buckets; --log also its log, and with more jobs a line for each that
 * is out. --tear: what one torn line costs (tear.h). --spread: steps of varying length (spread.h); --vary NAME: all
 * jobs as one row of its table. --styles FILE [--style NAME]: trainers that no format names (styles.h). --write DIR
 * [--least SECONDS]: writes the logs of JOBS jobs a format that last that long, and judges nothing (keep.h). */
#include "judge.h"
#include "keep.h"
#include "spread.h"
#include "styles.h"
#include "tear.h"
#include "write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PERMILLE_OUT 10      /* of all formats' jobs, and of one format's if they are many ... */
#define MAX_PERMILLE_WITHHELD 25 /* ... and of these, where the ledger claims less than the log shows */
#define PERMILLE_OF_FEW 30
#define MANY_JOBS 10000
#define MAX_NON_STEP_PERMILLE 10 /* of the time: in Productive but not in a step, and the log distinguishes it */

/* What was found by looking at such jobs (--seed). */
static const char why_out[] =
    "Out of tolerance are, of those that were looked at:\n"
    "- jobs with few lines, of which nothing shows when the first steps began (TrainingPreparation, ProgramStartup,\n"
    "  Productive);\n"
    "- jobs that save between any two lines, of a trainer that prints nothing about it: the save is in the median\n"
    "  (HuggingFace, Keras, Lightning: Productive);\n"
    "- a stall or a wait behind a save of which only the start is logged: it is the save's (DeepSpeed, Regex:\n"
    "  CheckpointSave);\n"
    "- an input wait just before a stall: all of it is one (Stall);\n"
    "- jobs that ended before a line said that their last save was final (WastedProgress).\n";

struct tally {
    int64_t *errors[BUCKET_COUNT]; /* a job each, absolute */
    int64_t truth_ms[BUCKET_COUNT], counted_ms[BUCKET_COUNT];
    int64_t out[BUCKET_COUNT], first_out[BUCKET_COUNT];
    int64_t jobs, jobs_out, jobs_withheld, aside, aside_out, slow_ms, wall_ms, unrecognized;
    int64_t non_step_ms, unknowable_ms; /* in Productive, but not in steps */
};

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t error_of(const struct judgment *j, int bucket) {
    return llabs((long long)(j->counted_ms[bucket] - j->expected_ms[bucket]));
}

static bool is_out_of(const struct judgment *j, int bucket) {
    return error_of(j, bucket) > judge_tolerance_ms(j, (enum bucket)bucket);
}

/* Out of tolerance only because Unattributed holds more than it must: no bucket claims time that is another's. */
static bool only_withholds(const struct judgment *j) {
    bool claims = false;
    for (int b = 0; b < BUCKET_COUNT; b++)
        claims |= b != BUCKET_UNATTRIBUTED && j->counted_ms[b] > j->expected_ms[b] && is_out_of(j, b);
    return !claims && j->counted_ms[BUCKET_UNATTRIBUTED] > j->expected_ms[BUCKET_UNATTRIBUTED];
}

/* Jobs whose log lacks the facts: lost lines; a hang, or a slow step that never ended, that Lightning's bar hides, as
 * it is written only when the process dies. */
static bool is_set_aside(const struct job *job) {
    bool hangs = job->loses_lines;
    for (int i = 0; i < job->span_count && job->format == STEPLOG_LIGHTNING; i++)
        hangs |= job->spans[i].kind == KIND_HANG || (job->spans[i].kind == KIND_SLOW && job->spans[i].is_cut);
    return hangs;
}

/* The time in Productive that is not of kept steps. Time of lost steps is not counted here (a job that ended before the
 * line that its last save is final). */
static int64_t non_step_time_ms(const struct judgment *j) {
    int64_t lost = j->counted_ms[BUCKET_WASTED_PROGRESS] - j->expected_ms[BUCKET_WASTED_PROGRESS];
    int64_t more = j->counted_ms[BUCKET_PRODUCTIVE] - j->step_ms + (lost < 0 ? lost : 0);
    return more > 0 ? more : 0;
}

static void add(struct tally *t, const struct job *job, const struct judgment *j) {
    bool is_out = false, is_withheld, is_aside = is_set_aside(job);
    for (int b = 0; b < BUCKET_COUNT; b++) {
        int64_t error = error_of(j, b);
        t->errors[b][t->jobs] = error;
        t->truth_ms[b] += j->expected_ms[b];
        t->counted_ms[b] += j->counted_ms[b];
        if (!is_out_of(j, b))
            continue;
        is_out = true;
        if (!is_aside && t->out[b]++ == 0)
            t->first_out[b] = (int64_t)job->seed;
    }
    t->jobs++;
    is_withheld = is_out && only_withholds(j);
    t->jobs_out += is_out && !is_withheld && !is_aside;
    t->jobs_withheld += is_withheld && !is_aside;
    t->aside += is_aside;
    t->aside_out += is_out && is_aside;
    t->slow_ms += j->slow_ms;
    if (!is_aside) {
        t->non_step_ms += non_step_time_ms(j);
        t->unknowable_ms += j->unknowable_ms;
    }
    t->wall_ms += j->wall_ms;
    if (!is_aside)
        t->unrecognized += j->unrecognized;
}

/* One line for each job that is out, to be looked at with --seed. */
static void print_out(const struct job *job, const struct judgment *j) {
    bool is_out = false;
    for (int b = 0; b < BUCKET_COUNT; b++)
        is_out |= is_out_of(j, b);
    if (is_set_aside(job) || (!is_out && j->unrecognized == 0))
        return;
    printf("%s: %s seed %llu:",
           j->unrecognized > 0 ? "taken for another format"
           : only_withholds(j) ? "withheld"
                               : "out",
           steplog_format_name(job->format), (unsigned long long)job->seed);
    for (int b = 0; b < BUCKET_COUNT; b++)
        if (is_out_of(j, b))
            printf(" %s %+lld (may %lld)", bucket_name((enum bucket)b),
                   (long long)(j->counted_ms[b] - j->expected_ms[b]), (long long)judge_tolerance_ms(j, (enum bucket)b));
    printf("\n");
}

static double percent(int64_t ms, const struct tally *t) {
    return 100.0 * (double)ms / (double)t->wall_ms;
}

static void print_tally(enum steplog_format format, struct tally *t) {
    printf(
        "%s: %lld jobs, %lld with a bucket that claims too much (%.2f %%), %lld with too much Unattributed (%.2f %%); "
        "%.2f %% of the time is in slow steps, as no line says what it was\n",
        steplog_format_name(format), (long long)t->jobs, (long long)t->jobs_out,
        100.0 * (double)t->jobs_out / (double)t->jobs, (long long)t->jobs_withheld,
        100.0 * (double)t->jobs_withheld / (double)t->jobs, 100.0 * (double)t->slow_ms / (double)t->wall_ms);
    printf("  Productive holds %.2f %% of the time that was no step; %.2f %% are such that no reader of the log could "
           "tell\n",
           percent(t->non_step_ms, t), percent(t->unknowable_ms, t));
    if (t->aside > 0)
        printf("  and %lld of the %lld jobs set aside: lines were lost%s\n", (long long)t->aside_out,
               (long long)t->aside,
               format == STEPLOG_LIGHTNING ? ", or the bar hides a hang until the process dies" : "");
    if (t->unrecognized > 0)
        printf("  %lld attempts with steps were taken for another format\n", (long long)t->unrecognized);
    printf("  %-20s %9s %9s %10s %10s %10s %6s  %s\n", "bucket", "truth %", "found %", "median ms", "p99 ms", "max ms",
           "out", "first seed");
    for (int b = 0; b < BUCKET_COUNT; b++) {
        if (t->truth_ms[b] == 0 && t->counted_ms[b] == 0)
            continue;
        qsort(t->errors[b], (size_t)t->jobs, sizeof *t->errors[b], compare);
        printf("  %-20s %9.3f %9.3f %10lld %10lld %10lld %6lld", bucket_name((enum bucket)b),
               100.0 * (double)t->truth_ms[b] / (double)t->wall_ms,
               100.0 * (double)t->counted_ms[b] / (double)t->wall_ms, (long long)t->errors[b][t->jobs / 2],
               (long long)t->errors[b][(t->jobs * 99 + 99) / 100 - 1], (long long)t->errors[b][t->jobs - 1],
               (long long)t->out[b]);
        if (t->out[b] > 0)
            printf("  %lld", (long long)t->first_out[b]);
        printf("\n");
    }
}

static const char *const kinds[KIND_COUNT] = {"Binding", "Pull",    "Container", "Reschedule", "Import", "Init",
                                              "Prepare", "Restore", "Compile",   "Step",       "Data",   "Evaluate",
                                              "Save",    "Slow",    "Stall",     "Wait",       "Hang",   "Shutdown"};

static void explain(struct job *job, const struct judgment *j, bool with_log) {
    int64_t step_from = -1;
    for (int i = 0; i < job->span_count; i++) {
        const struct span *s = &job->spans[i], *next = i + 1 < job->span_count ? s + 1 : NULL;
        if (step_from < 0)
            step_from = s->from_ms;
        if (next != NULL && s->kind == KIND_STEP && next->kind == KIND_STEP && next->is_lost == s->is_lost &&
            next->is_cut == s->is_cut)
            continue;
        printf("%10.3f %10.3f  %d %-10s %lld%s\n", (double)(step_from - job->start_ms) / 1000,
               (double)(s->to_ms - step_from) / 1000, s->attempt, kinds[s->kind], (long long)s->step,
               s->is_cut    ? " cut"
               : s->is_lost ? " lost"
                            : "");
        step_from = -1;
    }
    printf("ideal %lld ms, line every %lld, %s saves, ahead %d, loses lines %d, succeeded %d\n",
           (long long)job->ideal_ms, (long long)job->log_every, job->is_async ? "async" : "sync", job->compiles_ahead,
           job->loses_lines, job->has_succeeded);
    for (int i = 0; i < job->attempt_count; i++)
        printf("attempt %d: start %.3f end %.3f first step %lld restored %lld skew %lld\n", i,
               (double)(job->attempts[i].start_ms - job->start_ms) / 1000,
               (double)(job->attempts[i].end_ms - job->start_ms) / 1000, (long long)job->attempts[i].first_step,
               (long long)job->attempts[i].restored_step, (long long)job->attempts[i].skew_ms);
    for (int b = 0; b < BUCKET_COUNT; b++)
        if (j->counted_ms[b] != 0 || j->expected_ms[b] != 0)
            printf("%-20s truth %10lld found %10lld off %10lld may %8lld%s\n", bucket_name((enum bucket)b),
                   (long long)j->expected_ms[b], (long long)j->counted_ms[b],
                   (long long)(j->counted_ms[b] - j->expected_ms[b]), (long long)judge_tolerance_ms(j, (enum bucket)b),
                   is_out_of(j, b) ? "  OUT" : "");
    for (int i = 0; i < job->attempt_count && with_log; i++) {
        struct buf text;
        buf_init(&text, 64 << 20);
        write_log(job, &job->attempts[i], &text);
        printf("---- attempt %d, from %lld\n%s", i, (long long)job->start_ms, buf_text(&text));
        buf_done(&text);
    }
}

struct total {
    int64_t jobs, out, withheld;
};

static bool run_format(enum steplog_format format, uint64_t seed, int64_t jobs, bool explains, bool with_log,
                       struct total *total) {
    struct tally *t = calloc(1, sizeof *t);
    for (int b = 0; b < BUCKET_COUNT; b++)
        t->errors[b] = calloc((size_t)jobs, sizeof *t->errors[b]);
    for (int64_t i = 0; i < jobs; i++) {
        struct job job;
        struct judgment j;
        sim_run(&job, seed + (uint64_t)i, format);
        job.prints = with_log && explains;
        judge(&job, &j);
        add(t, &job, &j);
        if (explains)
            explain(&job, &j, with_log);
        else if (with_log)
            print_out(&job, &j);
        sim_done(&job);
    }
    if (!explains)
        print_tally(format, t);
    int64_t max_out = jobs < MANY_JOBS ? PERMILLE_OF_FEW : MAX_PERMILLE_OUT,
            max_withheld = jobs < MANY_JOBS ? PERMILLE_OF_FEW : MAX_PERMILLE_WITHHELD;
    bool is_good = t->jobs_out * 1000 <= max_out * t->jobs && t->jobs_withheld * 1000 <= max_withheld * t->jobs &&
                   t->unrecognized == 0;
    if (!explains && t->non_step_ms - t->unknowable_ms > t->wall_ms * MAX_NON_STEP_PERMILLE / 1000) {
        printf("  FAILED: Productive holds time that the log shows is not a step\n");
        is_good = false;
    }
    total->jobs += t->jobs;
    total->out += t->jobs_out;
    total->withheld += t->jobs_withheld;
    for (int b = 0; b < BUCKET_COUNT; b++)
        free(t->errors[b]);
    free(t);
    return is_good;
}

int main(int argc, char **argv) {
    uint64_t seed = 1;
    int64_t jobs = 1000;
    int format = STEPLOG_AUTO, failed = 0, passed = 0;
    bool explains = false, with_log = false, tears = false, spreads = false;
    const char *folder = NULL, *style = NULL, *style_files[8];
    int style_file_count = 0;
    int64_t min_s = 0;
    struct total total = {0};
    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--format") == 0 && has_value)
            format = steplog_format_of_name(slice_of(argv[++i]));
        else if (strcmp(argv[i], "--seed") == 0 && has_value)
            seed = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--write") == 0 && has_value)
            folder = argv[++i];
        else if (strcmp(argv[i], "--least") == 0 && has_value)
            min_s = atoll(argv[++i]);
        else if (strcmp(argv[i], "--styles") == 0 && has_value && style_file_count < 8)
            style_files[style_file_count++] = argv[++i];
        else if (strcmp(argv[i], "--style") == 0 && has_value)
            style = argv[++i];
        else if (strcmp(argv[i], "--tear") == 0)
            tears = true;
        else if (strcmp(argv[i], "--spread") == 0)
            spreads = true;
        else if (strcmp(argv[i], "--vary") == 0 && has_value && spread_set(argv[i + 1]))
            i++;
        else if (strcmp(argv[i], "--log") == 0)
            with_log = true;
        else
            jobs = atoll(argv[i]);
    }
    if (format < 0 || jobs < 1) {
        fprintf(
            stderr,
            "usage: truth [--format FORMAT] [--seed NUMBER] [--log] [--tear] [--write DIR [--least SECONDS]] JOBS\n");
        return 2;
    }
    if (spreads)
        return !spread_run((enum steplog_format)format, style_files, style_file_count, style, seed, jobs, with_log);
    if (style_file_count > 0)
        return !styles_run(style_files, style_file_count, style, seed, jobs, with_log);
    explains = jobs == 1;
    for (int f = STEPLOG_RECORDER; f <= STEPLOG_REGEX; f++) {
        if (format != STEPLOG_AUTO && f != format)
            continue;
        bool is_good = folder  ? keep_logs(folder, (enum steplog_format)f, seed, jobs, min_s * 1000)
                       : tears ? tear_jobs((enum steplog_format)f, seed, jobs)
                               : run_format((enum steplog_format)f, seed, jobs, explains, with_log, &total);
        passed += is_good;
        failed += !is_good;
    }
    if (tears || folder) {
        printf("%d passed, %d failed\n", passed, failed);
        return failed > 0;
    }
    bool is_good = total.out * 1000 <= MAX_PERMILLE_OUT * total.jobs;
    printf("%lld jobs, %lld with a bucket that claims too much (%.2f %%), %lld with too much Unattributed (%.2f %%)\n",
           (long long)total.jobs, (long long)total.out, 100.0 * (double)total.out / (double)total.jobs,
           (long long)total.withheld, 100.0 * (double)total.withheld / (double)total.jobs);
    if (total.out > 0 && !explains)
        printf("%s", why_out);
    passed += is_good;
    failed += !is_good;
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
