/* status.forecast against the formulas, from the figures of the status itself; and the time to finish. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include "formulas/forecast.h"

#include <math.h>
#include <stdlib.h>

/* The log lines of a save, before its step's number: when it begins, when it stops blocking after 5 s, and 3 s into the
 * next step. */
struct save_lines {
    const char *begins, *blocked, *is_final;
};
static const struct save_lines plain = {"saving", "saved", NULL};

/* 4 pods' worth of nothing but one that trains: 40 steps of 10 s, a save of 5 s every 10. */
static char *status_of(const char *spec, const struct save_lines *lines, int failures) {
    struct model *m = model_new(&(struct model_options){0});
    fake_observe_node(m, "n0", "True", 0, "", "", 1);
    replay_jobgoodput(m, "ns", "js", "PodLog", spec, fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod p = fake_pod("try1", 0, 1);
    p.node = "n0";
    p.bound = p.started = 4;
    p.phase = "Running";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 5);
    struct model_job *job = model_job_find(m, "ns", "js");
    int at = 20;
    for (int i = 0; i < 40; i++) {
        char line[64];
        if (i % 10 == 0 && i > 0 && lines->is_final != NULL) {
            snprintf(line, sizeof line, "[step=%d] %s", i - 1, lines->is_final);
            fake_log_line(m, "try1", at + 3, line);
        }
        at += 10;
        snprintf(line, sizeof line, "it %d", i);
        fake_log_line(m, "try1", at, line);
        if (i % 10 != 9)
            continue;
        snprintf(line, sizeof line, "%s%d", lines->begins, i);
        fake_log_line(m, "try1", at, line);
        at += 5;
        snprintf(line, sizeof line, "%s%d", lines->blocked, i);
        fake_log_line(m, "try1", at, line);
    }
    for (int k = 1; k <= failures; k++) { /* the container ends after each further step and starts again */
        p.restart_count = k;
        p.last_finished = at + 1;
        p.last_exit_code = 1;
        p.started = at + 3;
        fake_observe_pod(m, &p, OBSERVED_PRESENT, at + 4);
        model_job_log_line(job, "uid-try1", k, fake_ms(at + 20) * 1000000, slice_of("it 40"));
        at += 20;
    }
    char *s = replay_status(m, "ns", "js", fake_ms(at + 1), NULL);
    model_free(m);
    return s;
}

#define LOG                                                                                                            \
    ",\"stepLog\":{\"format\":\"Regex\",\"regex\":{\"step\":\"^it (?<step>[0-9]+)\",\"checkpointStart\":\"^saving\","  \
    "\"checkpointSaved\":\"^saved\"}}"

TEST(the_forecast_is_that_of_the_formulas) {
    char *s = status_of(LOG ",\"totalSteps\":1000", &plain, 3);
    double interval_s = (double)status_int(s, "time.productiveMilliseconds") / 1e3 / 4;
    double m = (double)status_int(s, "time.availableMilliseconds") / 3e3;
    CHECK_INT(status_int(s, "forecast.intervalSeconds"), llround(interval_s));
    CHECK_INT(status_int(s, "forecast.saveMilliseconds"), 5000);
    CHECK_INT(status_int(s, "forecast.persistMilliseconds"), 0); /* it blocks until it is final */
    CHECK(strstr(s, "is durable as soon as") == NULL && strstr(s, "\"No failure interrupts the rest") == NULL);
    CHECK_INT(status_int(s, "forecast.meanTimeBetweenFailuresSeconds"), llround(m));
    CHECK_INT(status_int(s, "forecast.bestIntervalSeconds"), llround(forecast_optimum_s(5, m)));
    CHECK_INT(status_int(s, "forecast.youngSeconds"), llround(forecast_young_s(5, m)));
    CHECK_INT(status_int(s, "forecast.dalySeconds"), llround(forecast_daly_s(5, m)));
    double step_s =
        (double)status_int(s, "time.productiveMilliseconds") / 1e3 / (double)status_int(s, "steps.retained");
    CHECK_INT(status_int(s, "forecast.bestIntervalSteps"), llround(forecast_optimum_s(5, m) / step_s));
    double resume_s = (double)status_int(s, "forecast.resumeSeconds"), mean_s, deviation_s;
    double reschedule_s = (double)status_int(s, "forecast.rescheduleSeconds");
    struct forecast f = {interval_s, 5, resume_s, 0, m};
    char expected[32];
    snprintf(expected, sizeof expected, "%.2f%%", forecast_exact(&f) * 100);
    CHECK_TEXT(status_text(s, "forecast.runtime"), expected);
    CHECK_INT(status_int(s, "forecast.remainingSteps"), 959);
    f.recover_s += reschedule_s;
    forecast_finish(&f, 959 * step_s, &mean_s, &deviation_s);
    CHECK(llabs(status_int(s, "forecast.remainingSeconds") - llround(mean_s)) <= 1);
    CHECK(llabs(status_int(s, "forecast.remainingDeviationSeconds") - llround(deviation_s)) <= 1);
    CHECK(*status_text(s, "forecast.finishAt") != '\0');
    free(s);
}

/* Two failures are no rate, and no other machines' rate takes its place: what follows from it is absent. */
TEST(without_a_rate_nothing_that_needs_it_is_forecast) {
    static const char *const absent[] = {"runtime",
                                         "runtimeFirstOrder",
                                         "firstOrderIsValid",
                                         "job",
                                         "bestRuntime",
                                         "bestIntervalSeconds",
                                         "bestIntervalSteps",
                                         "bestFromSeconds",
                                         "youngSeconds",
                                         "dalySeconds",
                                         "meanTimeBetweenFailuresSeconds",
                                         "remainingDeviationSeconds"};
    char *s = status_of(LOG ",\"totalSteps\":1000", &plain, 2), key[64];
    for (size_t i = 0; i < ARRAY_SIZE(absent); i++) {
        snprintf(key, sizeof key, "\"%s\"", absent[i]);
        CHECK(strstr(strstr(s, "\"forecast\""), key) == NULL);
    }
    CHECK(strstr(s, "\"No failure interrupts the rest: fewer than three so far give no rate, so no") != NULL);
    CHECK_INT(status_int(s, "forecast.saveMilliseconds"), 5000);
    CHECK(status_int(s, "forecast.meanTimeLowSeconds") > 0 && status_int(s, "forecast.meanTimeHighSeconds") > 0);
    double productive_s = (double)status_int(s, "time.productiveMilliseconds") / 1e3;
    double rest_s = 959 * productive_s / (double)status_int(s, "steps.retained");
    CHECK(llabs(status_int(s, "forecast.remainingSeconds") - llround(rest_s + rest_s / productive_s * 4 * 5)) <= 1);
    CHECK(*status_text(s, "forecast.finishAt") != '\0');
    free(s);
}

TEST(what_is_not_known_is_not_forecast) {
    char *s = status_of(LOG, &plain, 3);
    CHECK_INT(status_int(s, "forecast.remainingSeconds"), -1);
    CHECK(status_int(s, "forecast.bestIntervalSeconds") > 0);
    free(s);
    s = status_of(",\"stepLog\":{\"format\":\"Regex\",\"regex\":{\"step\":\"^it (?<step>[0-9]+)\"}},\"totalSteps\":50",
                  &plain, 0);
    CHECK(strstr(s, "\"forecast\"") == NULL); /* no save was seen */
    free(s);
}

/* Orbax's lines between the steps: each save blocks for 5 s and is final 3 s after that. Three of the four are known to
 * be final, the last is not yet. */
static const struct save_lines orbax = {"[process=0] [async] Started save checkpoint @ /c/",
                                        "Finished blocking save in 5.00 seconds. Continuing save @ /c/",
                                        "CheckpointManager Save Finalize is done on all hosts."};

TEST(the_persist_lag_is_measured) {
    char *s = status_of(LOG, &orbax, 3);
    double m = (double)status_int(s, "time.availableMilliseconds") / 3e3,
           interval_s = (double)status_int(s, "time.productiveMilliseconds") / 1e3 / 4;
    CHECK_INT(status_int(s, "forecast.saveMilliseconds"), 5000);
    CHECK_INT(status_int(s, "forecast.persistMilliseconds"), 3000);
    struct forecast f = {interval_s, 5, (double)status_int(s, "forecast.resumeSeconds"), 3, m};
    char expected[32];
    snprintf(expected, sizeof expected, "%.2f%%", forecast_exact(&f) * 100);
    CHECK_TEXT(status_text(s, "forecast.runtime"), expected);
    free(s);
}

TEST(an_unknown_persist_lag_is_not_0) {
    struct save_lines untold = {orbax.begins, orbax.blocked, NULL};
    char *s = status_of(LOG, &untold, 0);
    CHECK_INT(status_int(s, "forecast.saveMilliseconds"), 5000);
    CHECK_INT(status_int(s, "forecast.persistMilliseconds"), -1);
    CHECK(strstr(s, "\"A save is durable as soon as it stops blocking: the log does not report when.\"") != NULL);
    free(s);
}
