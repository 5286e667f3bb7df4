/* status.forecast against the formulas, from the figures of the status itself; and the time to finish. */
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include "formulas/forecast.h"

#include <math.h>
#include <stdlib.h>

/* What the log says of a save, before its step's number: when it begins, when it stops to block after 5 s, and 3 s
 * into the next step. */
struct save_lines {
    const char *begins, *blocked, *is_final;
};
static const struct save_lines plain = {"saving", "saved", NULL};

/* 4 pods' worth of nothing but one that trains: 40 steps of 10 s, a save of 5 s every 10. */
static char *status_of(const char *spec, const struct save_lines *lines) {
    struct model *m = model_new(&(struct model_options){.version = "test"});
    fake_tell_node(m, "n0", "True", 0, "", "", 1);
    replay_jobgoodput(m, "ns", "js", "PodLog", spec, fake_ms(0));
    fake_tell_jobset(m, 1, "", "", 0.2);
    struct fake_pod p = fake_pod("try1", 0, 1);
    p.node = "n0";
    p.bound = p.started = 4;
    p.phase = "Running";
    fake_tell_pod(m, &p, OBSERVED_PRESENT, 5);
    struct model_job *job = model_job_find(m, "ns", "js");
    int at = 20;
    for (int i = 0; i < 40; i++) {
        char line[64];
        if (i % 10 == 0 && i > 0 && lines->is_final != NULL) {
            snprintf(line, sizeof line, "[step=%d] %s", i - 1, lines->is_final);
            model_job_log_line(job, "uid-try1", 0, fake_ms(at + 3) * 1000000, slice_of(line));
        }
        at += 10;
        snprintf(line, sizeof line, "it %d", i);
        model_job_log_line(job, "uid-try1", 0, fake_ms(at) * 1000000, slice_of(line));
        if (i % 10 != 9)
            continue;
        snprintf(line, sizeof line, "%s%d", lines->begins, i);
        model_job_log_line(job, "uid-try1", 0, fake_ms(at) * 1000000, slice_of(line));
        at += 5;
        snprintf(line, sizeof line, "%s%d", lines->blocked, i);
        model_job_log_line(job, "uid-try1", 0, fake_ms(at) * 1000000, slice_of(line));
    }
    model_job_log_watermark(job, "uid-try1", fake_ms(at));
    char *s = replay_status(m, "ns", "js", fake_ms(at + 1), NULL);
    model_free(m);
    return s;
}

static char *status_with(const char *spec) {
    return status_of(spec, &plain);
}

#define LOG                                                                                                            \
    ",\"stepLog\":{\"format\":\"Regex\",\"regex\":{\"step\":\"^it (?<step>[0-9]+)\",\"checkpointStart\":\"^saving\","  \
    "\"checkpointSaved\":\"^saved\"}}"

TEST(the_forecast_is_that_of_the_formulas) {
    char *s = status_with(LOG ",\"totalSteps\":1000");
    double interval_s = (double)status_int(s, "time.productiveMilliseconds") / 1e3 / 4, m = 86400 / 6.5e-3;
    CHECK_INT(status_int(s, "forecast.intervalSeconds"), llround(interval_s));
    CHECK_INT(status_int(s, "forecast.saveMilliseconds"), 5000);
    CHECK_INT(status_int(s, "forecast.persistMilliseconds"), 0); /* it blocks until it is final */
    CHECK(strstr(s, "is durable as soon as") == NULL && strstr(s, "\"To reschedule takes no time") != NULL);
    CHECK_INT(status_int(s, "forecast.meanTimeBetweenFailuresSeconds"), llround(m));
    CHECK(strstr(s, "\"isPrior\":true") != NULL);
    CHECK_INT(status_int(s, "forecast.bestIntervalSeconds"), llround(forecast_optimum_s(5, m)));
    CHECK_INT(status_int(s, "forecast.youngSeconds"), llround(forecast_young_s(5, m)));
    CHECK_INT(status_int(s, "forecast.dalySeconds"), llround(forecast_daly_s(5, m)));
    double step_s =
        (double)status_int(s, "time.productiveMilliseconds") / 1e3 / (double)status_int(s, "steps.retained");
    CHECK_INT(status_int(s, "forecast.bestIntervalSteps"), llround(forecast_optimum_s(5, m) / step_s));
    double resume_s = (double)status_int(s, "forecast.resumeSeconds"), mean_s, deviation_s;
    struct forecast f = {interval_s, 5, resume_s, 0, m};
    char expected[32];
    snprintf(expected, sizeof expected, "%.2f%%", forecast_exact(&f) * 100);
    CHECK_TEXT(status_text(s, "forecast.runtime"), expected);
    CHECK_INT(status_int(s, "forecast.remainingSteps"), 960);
    forecast_finish(&f, 960 * step_s, &mean_s, &deviation_s);
    CHECK(llabs(status_int(s, "forecast.remainingSeconds") - llround(mean_s)) <= 1);
    CHECK(llabs(status_int(s, "forecast.remainingDeviationSeconds") - llround(deviation_s)) <= 1);
    CHECK(*status_text(s, "forecast.finishAt") != '\0');
    free(s);
}

TEST(what_nobody_tells_is_not_forecast) {
    char *s = status_with(LOG);
    CHECK_INT(status_int(s, "forecast.remainingSeconds"), -1);
    CHECK(status_int(s, "forecast.bestIntervalSeconds") > 0);
    free(s);
    s = status_with(
        ",\"stepLog\":{\"format\":\"Regex\",\"regex\":{\"step\":\"^it (?<step>[0-9]+)\"}},\"totalSteps\":50");
    CHECK(strstr(s, "\"forecast\"") == NULL); /* no save was seen */
    free(s);
}

/* Orbax's lines beside the steps: each save blocks for 5 s and is final 3 s after that. Three of the four are seen to
 * be final, the last is not yet. */
static const struct save_lines orbax = {"[process=0] [async] Started save checkpoint @ /c/",
                                        "Finished blocking save in 5.00 seconds. Continuing save @ /c/",
                                        "CheckpointManager Save Finalize is done on all hosts."};

TEST(the_persist_lag_is_measured) {
    char *s = status_of(LOG, &orbax);
    double m = 86400 / 6.5e-3, interval_s = (double)status_int(s, "time.productiveMilliseconds") / 1e3 / 4;
    CHECK_INT(status_int(s, "forecast.saveMilliseconds"), 5000);
    CHECK_INT(status_int(s, "forecast.persistMilliseconds"), 3000);
    struct forecast f = {interval_s, 5, (double)status_int(s, "forecast.resumeSeconds"), 3, m};
    char expected[32];
    snprintf(expected, sizeof expected, "%.2f%%", forecast_exact(&f) * 100);
    CHECK_TEXT(status_text(s, "forecast.runtime"), expected);
    free(s);
}

TEST(a_persist_lag_that_no_line_tells_is_not_0) {
    struct save_lines untold = {orbax.begins, orbax.blocked, NULL};
    char *s = status_of(LOG, &untold);
    CHECK_INT(status_int(s, "forecast.saveMilliseconds"), 5000);
    CHECK_INT(status_int(s, "forecast.persistMilliseconds"), -1);
    CHECK(strstr(s, "\"A save is durable as soon as it stops to block: the log does not tell when.\"") != NULL);
    free(s);
}
