/* The real logs of a MaxText run that was killed twice, joined with pods made from when its processes ran. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

#define RESTARTS "tests/data/trainer-logs/maxtext/restarts/"

static struct model *begin(const char *name, const char *more_spec) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    replay_jobgoodput(m, "ns", name, "PodLog", more_spec, fake_ms(0));
    return m;
}

/* run.json of the attempts: spawned and exited, in seconds after 02:00:00, cut to whole seconds as kubelets do. */
static const struct {
    int spawned, exited, exit_code;
} attempts[] = {{994, 1012, 137}, {1016, 1036, 137}, {1042, 1069, 0}};

static void report_attempt(struct model *m, int i, bool is_over) {
    char name[16];
    snprintf(name, sizeof name, "try%d", i + 1);
    struct fake_pod p = fake_pod(name, 0, attempts[i].spawned);
    p.bound = p.started = attempts[i].spawned;
    p.phase = "Running";
    if (is_over) {
        p.finished = attempts[i].exited;
        p.exit_code = attempts[i].exit_code;
        p.phase = p.exit_code ? "Failed" : "Succeeded";
    }
    fake_observe_pod(m, &p, OBSERVED_PRESENT, is_over ? attempts[i].exited + 1 : attempts[i].spawned + 1);
}

static void observe_run(struct model *m, int order) {
    char status[512], path[128], uid[32];
    fake_observe_jobset(m, 1, "", "", 0.2);
    for (int i = 0; i < 3; i++) {
        report_attempt(m, i, false);
        if (order != 0) /* all objects first, or all logs in the end, from the last to the first */
            report_attempt(m, i, true);
        snprintf(path, sizeof path, RESTARTS "attempt-%d.log", i + 1);
        snprintf(uid, sizeof uid, "uid-try%d", i + 1);
        if (order != 2)
            replay_log_file(model_job_find(m, "ns", "js"), uid, path);
        if (order == 0)
            report_attempt(m, i, true);
    }
    for (int i = 2; i >= 0 && order == 2; i--) {
        snprintf(path, sizeof path, RESTARTS "attempt-%d.log", i + 1);
        snprintf(uid, sizeof uid, "uid-try%d", i + 1);
        replay_log_file(model_job_find(m, "ns", "js"), uid, path);
    }
    snprintf(status, sizeof status, "\"conditions\":[%s]",
             fake_condition("Completed", "True", "AllJobsCompleted", 1069));
    fake_observe_jobset(m, 1, "", status, 1070);
}

struct figure {
    const char *what, *path;
    int64_t truth_ms, within_ms;
};

/* From truth.json next to the logs (kept_cadence_s, lost_s; 47 steps completed, 30 of them distinct). A MaxText line
 * has the host loop's time while the steps run asynchronously, a line late: a tolerance of half a step per attempt. The
 * lines of the last step of each killed attempt never came. truth.json says to use the cadence of the kept steps where
 * dispatch is asynchronous: its productive_s (12.274) counts as saves the wait for steps that were dispatched before.
 * Start-up is from the restore's end to the end of the first step (its line), less an ideal step, in attempts 2 and 3:
 * 16.12 - 12.44 and 13.92 - 11.35 s after their spawns by truth.json and the logs' stamps. */
static const struct figure figures[] = {
    {"productive", "time.productiveMilliseconds", 13813, 600},
    {"start-up", "badput[bucket=ProgramStartup].milliseconds", 6250 - 2 * 450, 100},
    {"lost steps' time", "badput[bucket=WastedProgress].milliseconds", 7077, 900},
    {"wall time", "time.wallMilliseconds", 1069000, 0},
    {"steps that were kept", "steps.retained", 30, 0},
    {"steps done again", "steps.repeated", 17, 2},
    {"last step", "steps.last", 29, 0},
    {"interruptions", "interruptions.total", 2, 0},
    {"first step of attempt 2 (restored 10)", "executions[number=2].firstStep", 11, 0},
    {"first step of attempt 3 (the save of 20 was cut)", "executions[number=3].firstStep", 11, 0},
};

TEST(maxtext_restarts_joined_with_pods) {
    struct model *m = begin("js", "");
    struct model_summary summary;
    observe_run(m, 0);
    char *s = replay_status(m, "ns", "js", fake_ms(1080), &summary);
    printf("%-52s %10s %10s\n", "MaxText, killed twice (ms or count)", "truth", "status");
    for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
        const struct figure *f = &figures[i];
        int64_t value = status_int(s, f->path);
        printf("%-52s %10" PRId64 " %10" PRId64 "\n", f->what, f->truth_ms, value);
        if (value < f->truth_ms - f->within_ms || value > f->truth_ms + f->within_ms)
            harness_fail(__FILE__, __LINE__, "%s: %" PRId64 ", truth %" PRId64, f->what, value, f->truth_ms);
    }
    CHECK_TEXT(status_text(s, "target.logFormat"), "MaxText");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].status"), "True");
    CHECK_TEXT(status_text(s, "conditions[type=ClockSkew].status"),
               ""); /* the last lines lie within the whole seconds */
    CHECK_TEXT(status_text(s, "phase"), "Completed");
    /* What the page draws: the save of 20 was cut, that of 10 was restored twice. */
    CLEANUP_BUF struct buf trace;
    buf_init(&trace, 1 << 20);
    model_job_trace(model_job_find(m, "ns", "js"), &trace);
    CHECK(strstr(buf_text(&trace),
                 ",[1795227465833,29]],\"saves\":[[1795227405684,0,1],[1795227410226,10,1],"
                 "[1795227436324,20,0],[1795227461048,20,1],[1795227465418,29,1]],\"interruptions\":[["));
    CHECK(!summary.is_final); /* what led to the end may still be on its way */
    CHECK_TEXT(status_text(s, "conditions[type=Finished].status"), "False"); /* who waits for it waits on */
    CHECK_TEXT(status_text(s, "conditions[type=Finished].reason"), "Settling");
    free(s);
    s = replay_status(m, "ns", "js", fake_ms(1082), &summary);
    CHECK(summary.is_final);
    CHECK_TEXT(status_text(s, "conditions[type=Finished].status"), "True");
    CHECK_TEXT(status_text(s, "conditions[type=Finished].reason"), "Succeeded");
    free(s);
    model_free(m);
}

TEST(logs_and_objects_in_any_order_give_the_same) {
    char *first = NULL;
    for (int order = 0; order < 3; order++) {
        struct model *m = begin("js", "");
        observe_run(m, order);
        char *s = replay_status(m, "ns", "js", fake_ms(1080), NULL);
        if (first)
            CHECK_TEXT(s, first);
        else
            first = strdup(s);
        free(s);
        model_free(m);
    }
    free(first);
}

TEST(while_training_the_numbers_reach_to_the_last_record) {
    struct model *m = begin("js", "");
    fake_observe_jobset(m, 1, "", "", 0.2);
    report_attempt(m, 0, false);
    replay_log_file(model_job_find(m, "ns", "js"), "uid-try1", RESTARTS "attempt-1.log");
    char *s = replay_status(m, "ns", "js", fake_ms(1030), NULL);
    CHECK_TEXT(status_text(s, "phase"), "Training");
    CHECK_TEXT(status_text(s, "time.observedThrough"), "2026-11-21T02:16:52.658Z");
    CHECK_INT(status_int(s, "steps.last"), 15);
    free(s);
    s = replay_status(m, "ns", "js", fake_ms(1700), NULL); /* hangAfter has passed: it follows the clock */
    CHECK_TEXT(status_text(s, "time.observedThrough"), "2026-11-21T02:28:20.000Z");
    free(s);
    model_free(m);
}

/* A MaxText log has 800 lines before its first step; a log that cannot be read for a moment is not a reason either. */
TEST(training_means_that_a_step_was_done) {
    struct model *m = begin("js", "");
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod p = fake_pod("a", 0, 1);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 1.1);
    struct model_job *job = model_job_find(m, "ns", "js");
    static const struct {
        int at;
        const char *phase, *since;
    } expected[] = {{2, "Provisioning", "2026-11-21T02:00:00.000Z"},
                    {6, "Starting", "2026-11-21T02:00:04.000Z"},
                    {10, "Starting", "2026-11-21T02:00:04.000Z"},
                    {20, "Starting", "2026-11-21T02:00:04.000Z"},
                    {50, "Training", "2026-11-21T02:00:25.000Z"}};
    for (int i = 0; i < 5; i++) {
        if (i == 1) {
            p.bound = 4;
            p.started = 5;
            p.phase = "Running";
            fake_observe_pod(m, &p, OBSERVED_PRESENT, 5.1);
        }
        if (i == 2)
            model_job_log_trouble(job, "uid-a", "container is waiting to start");
        if (i == 3)
            model_job_log_trouble(job, "uid-a", NULL);
        for (int k = 0; k < 800 && i == 3; k++)
            model_job_log_line(job, "uid-a", 0, fake_ms(15) * 1000000 + k, SLICE("Config param steps: 10"));
        if (i == 4)
            fake_log_steps(m, "a", 0, 2, 5, 30);
        char *s = replay_status(m, "ns", "js", fake_ms(expected[i].at), NULL);
        CHECK_TEXT(status_text(s, "phase"), expected[i].phase);
        CHECK_TEXT(status_text(s, "phaseSince"), expected[i].since);
        free(s);
    }
    model_free(m);
}

/* The time of a container's last line counts when the line comes, although its format holds the line back: Hugging
 * Face's, until it is known whether a bar comes. finishedAt is of a whole second, and the line comes after it. */
TEST(a_line_that_a_format_holds_is_a_sign_of_life) {
    for (int lines = 0; lines <= 3; lines++) {
        struct model *m = begin("js", "");
        fake_observe_jobset(m, 1, "", "", 0.2);
        struct fake_pod p = fake_started("a", 0, 1, 2, 3);
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 3.1);
        for (int i = 0; i < lines; i++)
            fake_log_line(m, "a", 40.7 - 10 * (lines - 1 - i),
                          "{'loss': 2.5, 'grad_norm': 1.5, 'learning_rate': 0.1, "
                          "'epoch': 0.5}");
        p.finished = 40;
        p.exit_code = 1;
        p.phase = "Failed";
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 41.5);
        char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
        CHECK_INT(status_int(s, "steps.last"), -1);
        CHECK_TEXT(status_text(s, "executions[number=1].end"),
                   lines > 0 ? "2026-11-21T02:00:40.700Z" : "2026-11-21T02:00:40.000Z");
        free(s);
        model_free(m);
    }
}

/* A clock that is set and output that is buffered leave the numbers within their bounds; a condition says why they are
 * uncertain, and a successor says the same. */
TEST(times_of_a_log_that_are_uncertain) {
    static const struct {
        const char *type, *status, *reason, *message;
        int set_by_s, at_once;
    } cases[] = {
        {"ClockSkew", "", "", "", 0, 1},
        {"EvidenceComplete", "True", "Explained", "", 0, 1},
        {"ClockSkew", "True", "ClockSet",
         "the clock that stamped the log of pod try1 was set back by 58000 ms; its lines before that may be too "
         "late",
         -60, 1},
        {"ClockSkew", "True", "StampsAhead",
         "the stamps in the log of pod try1 went 60000 ms further than its steps state: the clock was set forward, or "
         "the trainer paused; that time is Unattributed",
         60, 1},
        {"EvidenceComplete", "False", "WrittenInBursts",
         "60 of 60 steps were written many at once, so that their stamps do not say when they ended; set "
         "PYTHONUNBUFFERED=1 in the container, or print with flush=True",
         0, 12}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
        fake_observe_trainer(m, "", "");
        for (int step = 0; step < 60; step++) {
            int written = step - step % cases[i].at_once + cases[i].at_once - 1;
            double at = 1000 + 2 * written + 0.0001 * (step % cases[i].at_once) + (step >= 40 ? cases[i].set_by_s : 0);
            CLEANUP_FREE char *line = mem_format("completed step: %d, seconds: 2.0, TFLOP/s/device: 1.0", step);
            fake_log_line(m, "try1", at, line);
        }
        char *s = fake_status(m, 1125);
        for (int successor = 0; successor < 2; successor++) {
            char path[64];
            snprintf(path, sizeof path, "conditions[type=%s].status", cases[i].type);
            CHECK_TEXT(status_text(s, path), cases[i].status);
            snprintf(path, sizeof path, "conditions[type=%s].reason", cases[i].type);
            CHECK_TEXT(status_text(s, path), cases[i].reason);
            snprintf(path, sizeof path, "conditions[type=%s].message", cases[i].type);
            if (cases[i].message[0] != '\0')
                CHECK_TEXT(status_text(s, path), cases[i].message);
            int64_t productive_ms = status_int(s, "time.productiveMilliseconds");
            CHECK(productive_ms <= 120000);
            CLEANUP_FREE char *left = replay_left(s);
            model_free(m);
            m = model_new(&(struct model_options){.keeps_checkpoints = true});
            fake_observe_trainer(m, "", left);
            free(s);
            s = fake_status(m, 1125);
        }
        free(s);
        model_free(m);
    }
}

/* ---- logs that cannot be read: a condition says so, scheduling scores continue ---- */

static void jobgoodput(struct model *m, const char *step_log) {
    fake_observe_jobgoodput(m, &(struct fake_jobgoodput){.step_log = step_log}, 0);
}

enum trouble { NOTHING, LINES, TROUBLE, LOST };

static void check_reason(const char *step_log, enum trouble trouble, const char *reason) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    jobgoodput(m, step_log);
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod p = fake_started("a", 0, 1, 2, 3);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 3.1);
    struct model_job *job = model_job_find(m, "ns", "js");
    for (int i = 0; i < 200 && trouble == LINES; i++)
        model_job_log_line(job, "uid-a", 0, fake_ms(4) * 1000000 + i, SLICE("loading shard"));
    if (trouble == TROUBLE)
        model_job_log_trouble(job, "uid-a", "pods \"a\" is forbidden");
    if (trouble == LOST)
        model_job_log_end(job, "uid-a", 0, "rotated away");
    char *s = replay_status(m, "ns", "js", fake_ms(10), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].status"), "False");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), reason);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].status"), "True");
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 8000);
    CHECK_INT(status_int(s, "time.productiveMilliseconds"), -1);
    free(s);
    model_free(m);
}

TEST(a_faulty_log_is_reported) {
    check_reason("\"source\":\"PodLog\"", NOTHING, "Waiting");
    check_reason("\"source\":\"PodLog\"", LINES, "FormatNotRecognized");
    check_reason("\"source\":\"PodLog\"", TROUBLE, "LogUnreadable");
    check_reason("\"source\":\"PodLog\"", LOST, "LogUnreadable");
    check_reason("\"source\":\"PodLog\",\"podLog\":{\"container\":\"no-such\"}", NOTHING, "ContainerNotFound");
    check_reason("\"source\":\"PodLog\",\"podLog\":{\"pod\":{\"replicatedJob\":\"x\"}}", NOTHING,
                 "NoSuchReplicatedJob");
    check_reason("\"source\":\"PodLog\",\"format\":\"Invented\"", NOTHING, "FormatUnsupported");
    check_reason("\"source\":\"Pigeon\"", NOTHING, "SourceUnsupported");
    check_reason("\"source\":\"CloudLogging\",\"cloudLogging\":{\"project\":\"p\",\"logger\":\"l\"}", NOTHING,
                 "Waiting");
}

/* The job's success is observed before its last pod's: the numbers wait for that, for a minute at most. */
TEST(a_pod_that_is_observed_after_the_end_is_waited_for) {
    for (int is_observed = 0; is_observed < 2; is_observed++) {
        struct model *m = begin("js", "");
        struct model_summary summary;
        char status[512];
        fake_observe_jobset(m, 1, "", "", 0.2);
        struct fake_pod a = fake_pod("a", 0, 1);
        a.bound = 2;
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 2.1);
        snprintf(status, sizeof status, "\"conditions\":[%s]",
                 fake_condition("Completed", "True", "AllJobsCompleted", 20));
        fake_observe_jobset(m, 1, "", status, 20.3);
        free(replay_status(m, "ns", "js", fake_ms(21), &summary));
        free(replay_status(m, "ns", "js", fake_ms(30), &summary));
        CHECK(!summary.is_final);
        if (is_observed) {
            struct model_job *job = model_job_find(m, "ns", "js");
            a.started = 3;
            a.finished = 20;
            a.phase = "Succeeded";
            fake_observe_pod(m, &a, OBSERVED_PRESENT, 31);
            free(replay_status(m, "ns", "js", fake_ms(32), &summary));
            CHECK(!summary.is_final); /* its log is not read */
            model_job_log_line(job, "uid-a", 0, fake_ms(10) * 1000000,
                               SLICE("completed step: 0, seconds: 1.000, loss: 7"));
            model_job_log_end(job, "uid-a", 0, NULL);
        }
        char *s = replay_status(m, "ns", "js", fake_ms(is_observed ? 33 : 90), &summary);
        CHECK(summary.is_final);
        CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].status"), is_observed ? "True" : "False");
        free(s);
        model_free(m);
    }
}

/* The job ended at 20, its pod is still there, its log cannot be had: the numbers wait a minute for it, not forever.
 */
TEST(a_log_that_stays_unreadable_after_the_end_is_given_up) {
    struct model *m = begin("js", "");
    char status[512];
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_pod("a", 0, 1);
    a.bound = 2;
    a.started = 3;
    a.finished = 20;
    a.phase = "Succeeded";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 20.1);
    snprintf(status, sizeof status, "\"conditions\":[%s]", fake_condition("Completed", "True", "AllJobsCompleted", 20));
    fake_observe_jobset(m, 1, "", status, 20.3);
    struct model_job *job = model_job_find(m, "ns", "js");
    for (int at = 30; at <= 300; at += 90) { /* before a minute is over, then long after: first read, then not */
        struct model_summary summary;
        model_job_log_trouble(job, "uid-a", at == 120 ? NULL : "the kubelet does not answer");
        char *s = replay_status(m, "ns", "js", fake_ms(at), &summary);
        CHECK(summary.is_final == (at > 120));
        CHECK_TEXT(status_text(s, "conditions[type=Finished].status"), at > 120 ? "True" : "False");
        free(s);
    }
    model_free(m);
}

/* The second pod's log cannot be had: its steps are unknown, and a condition says so. */
TEST(a_log_that_is_given_up_is_unattributed) {
    struct model *m = begin("js", "");
    char status[512];
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct model_job *job = model_job_find(m, "ns", "js");
    struct fake_pod a = fake_pod("a", 0, 1);
    a.bound = 2;
    a.started = 3;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4);
    fake_log_steps(m, "a", 0, 9, 1, 5);
    a.finished = 15;
    a.phase = "Failed";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 15.1);
    model_job_log_end(job, "uid-a", 0, NULL);
    struct fake_pod b = fake_pod("b", 0, 16);
    b.bound = 17;
    b.started = 20;
    b.finished = 60;
    b.phase = "Succeeded";
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 60.1);
    model_job_log_trouble(job, "uid-b", "the kubelet does not answer");
    snprintf(status, sizeof status, "\"conditions\":[%s]", fake_condition("Completed", "True", "AllJobsCompleted", 60));
    fake_observe_jobset(m, 1, "", status, 60.3);
    struct model_summary summary;
    free(replay_status(m, "ns", "js", fake_ms(70), &summary));
    char *text = replay_status(m, "ns", "js", fake_ms(300), &summary);
    CHECK(summary.is_final);
    CHECK(strstr(text, "a part of the log was not read: the kubelet does not answer") != NULL);
    CHECK(strstr(text, "\"bucket\":\"Unattributed\",\"family\":\"Runtime\",\"milliseconds\":4") != NULL);
    free(text);
    model_free(m);
}

TEST(the_model_names_the_log_to_read) {
    struct model *m = begin("js", "");
    struct model_log log;
    fake_observe_jobset(m, 2, "", "", 0.2);
    struct fake_pod a = fake_pod("a", 0, 1), b = fake_pod("b", 1, 1);
    a.bound = b.bound = 2;
    a.started = b.started = 3;
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 3.1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.2);
    struct model_job *job = model_job_find(m, "ns", "js");
    CHECK_INT(model_job_log_count(job), 1);
    model_job_log_get(job, 0, &log);
    CHECK_TEXT(log.pod, "a");
    CHECK_TEXT(log.container, "train");
    CHECK(log.is_running && log.has_started && log.pod_exists);
    model_free(m);
}
