/* How long the API server holds a score whose printed digits have moved, in a fleet in which all jobs step. */
#include "harness.h"

#include "base/mem.h"
#include "operator/runtime/cadence.h"
#include "runtime/fake_jobs.h"

#include <string.h>

/* A tenth of 10,000 jobs and of 50 writes a second. */
enum { JOBS = 1000, WRITES = 5, STEP_S = 30, WARM_S = 1200, SECONDS = 4800 };

/* The hundredths of percents that kubectl prints of a job that trains without a loss: as it is `age_s` older than at
 * the start, when its scheduling, runtime and job goodput were 93, 86 and 80 %. Each goes up by (1 - score) / age a
 * second. */
static uint64_t printed_at(double age_days, double later_s) {
    static const double scores[] = {0.93, 0.86, 0.80};
    uint64_t all = 0;
    double age_s = age_days * 86400;
    for (size_t i = 0; i < ARRAY_SIZE(scores); i++)
        all = 10001 * all + (uint64_t)((scores[i] * age_s + later_s) / (age_s + later_s) * 10000);
    return all;
}

/* The longest time for which a written status printed another score than the job's newest evaluation, in seconds; jobs
 * are of this age on average, from half of it to one and a half. */
static int64_t max_wrong_s(double age_days) {
    static struct fake_job fakes[JOBS];
    static int64_t wrong_since_us[JOBS];
    struct cadence_options options = fake_options;
    struct cadence c;
    int64_t now = 0, max_us = 0;
    memset(fakes, 0, sizeof fakes);
    options.writes_per_second = WRITES;
    cadence_init(&c, &options);
    for (int i = 0; i < JOBS; i++)
        cadence_add(&fakes[i].job, NULL);
    for (int second = 1; second <= SECONDS; second++) {
        for (int i = second % STEP_S; i < JOBS; i += STEP_S) {
            struct fake_job *f = &fakes[i];
            uint64_t printed = printed_at(age_days * (0.5 + (double)i / JOBS), second);
            f->hash++;
            f->printed = printed;
            f->has_new_steps = true;
            cadence_mark(&c, &f->job);
        }
        fake_run(&c, &now, second * S);
        for (int i = 0; i < JOBS; i++) {
            if (fakes[i].printed == fakes[i].job.written_printed)
                wrong_since_us[i] = now;
            else if (second > WARM_S && now - wrong_since_us[i] > max_us)
                max_us = now - wrong_since_us[i];
        }
    }
    for (int i = 0; i < JOBS; i++)
        cadence_remove(&c, &fakes[i].job);
    cadence_done(&c);
    return max_us / S;
}

/* deploy/docs/how-to/scale.md has these numbers. All alike, a status is 200 s old when its turn comes. */
TEST(cadence_keeps_printed_scores_of_old_jobs_within_a_minute) {
    int64_t half = max_wrong_s(6), old = max_wrong_s(12), older = max_wrong_s(24);
    printf("jobs of 6, 12 and 24 days: a printed score was wrong for %lld, %lld and %lld s at most\n", (long long)half,
           (long long)old, (long long)older);
    CHECK(old <= 60);
    CHECK(older <= 30);
    CHECK(half > 60); /* more digits move than can be written */
}
