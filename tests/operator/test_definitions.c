/* Scheduling goodput as others define it, numerator and denominator by hand: of jobs that were suspended, preempted,
 * restarted, made smaller and larger, or failed. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

static struct model *begin(int pods) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, pods, "", "", 0.2);
    return m;
}

static void check_definition(const char *status, const char *name, int64_t numerator_ms, int64_t denominator_ms) {
    char path[96];
    snprintf(path, sizeof path, "otherDefinitions[name=%s].numeratorMilliseconds", name);
    CHECK_INT(status_int(status, path), numerator_ms);
    snprintf(path, sizeof path, "otherDefinitions[name=%s].denominatorMilliseconds", name);
    CHECK_INT(status_int(status, path), denominator_ms);
}

static void end(struct model *m, double now, int64_t available_ms, int64_t ready_ms, int64_t running_ms,
                int64_t suspended_ms, int64_t wall_ms) {
    char *s = replay_status(m, "ns", "js", fake_ms(now), NULL);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), available_ms);
    check_definition(s, "AllPodsReady", ready_ms, wall_ms);
    check_definition(s, "RunningOverTotal", running_ms, running_ms >= 0 ? wall_ms : -1);
    check_definition(s, "ExcludingSuspended", available_ms, wall_ms - suspended_ms);
    free(s);
    model_free(m);
}

static struct fake_pod run(struct model *m, const char *name, int index, int created, int ready) {
    struct fake_pod p = fake_pod(name, index, created);
    p.job_uid = created < 10 ? "uid-job" : NULL;
    p.bound = created + 1;
    p.started = created + 2;
    p.ready = ready;
    p.phase = "Running";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, ready + 0.1);
    return p;
}

static void finish(struct model *m, struct fake_pod *p, int at, int exit_code) {
    p->finished = p->unready = at;
    p->exit_code = exit_code;
    p->phase = exit_code ? "Failed" : "Succeeded";
    fake_observe_pod(m, p, OBSERVED_PRESENT, at + 0.1);
}

/* It is asked to go, and its container stops a while later: until then its condition says Ready. */
static void stop(struct model *m, struct fake_pod *p, int at, int stopped) {
    p->asked_to_go = at;
    p->grace = 30;
    fake_observe_pod(m, p, OBSERVED_PRESENT, at + 0.1);
    finish(m, p, stopped, 143);
    p->asked_to_go = stopped; /* as the last event of a pod has it */
    p->grace = 0;
    fake_observe_pod(m, p, OBSERVED_DELETED, stopped + 0.3);
}

/* a (bound 2, Ready 4) is done at 20; b (2, 6) fails at 30, and the set is made again: c (34, 37) and d (35, 50). */
TEST(an_index_that_was_done_is_needed_again_after_a_restart) {
    struct model *m = begin(2);
    fake_observe_job(m, 1, 1.1);
    struct fake_pod a = run(m, "a", 0, 1, 4), b = run(m, "b", 1, 1, 6);
    finish(m, &a, 20, 0);
    finish(m, &b, 30, 1);
    fake_observe_jobset(m, 2, "", "\"restarts\":1", 31.2);
    fake_observe_job_deleted(m, 1, 32);
    run(m, "c", 0, 33, 37);
    run(m, "d", 1, 34, 50);
    end(m, 60, 28000 + 25000, 24000 + 10000, -1, 0, 60000); /* 2-30, 35-60; 6-30, 50-60 */
}

TEST(a_suspended_job) {
    struct model *m = begin(1);
    fake_observe_job(m, 1, 1.1);
    struct fake_pod a = run(m, "a", 0, 1, 4);
    char status[512];
    snprintf(status, sizeof status, "\"conditions\":[%s]", fake_condition("Suspended", "True", "SuspendedJobs", 20));
    fake_observe_jobset(m, 1, ",\"suspend\":true", status, 20.1);
    stop(m, &a, 20, 24);
    snprintf(status, sizeof status, "\"conditions\":[%s]", fake_condition("Suspended", "False", "ResumeJobs", 50));
    fake_observe_jobset(m, 1, ",\"suspend\":false", status, 50.1);
    run(m, "b", 0, 51, 55);
    end(m, 60, 18000 + 8000, 16000 + 5000, -1, 30000, 60000); /* 2-20, 52-60; 4-20, 55-60 */
}

static void show_workload(struct model *m, const char *admitted, int since, const char *evicted, int evicted_at,
                          double at) {
    CLEANUP_FREE char *conditions = mem_format(
        "%s,%s%s%s", fake_condition("QuotaReserved", admitted, "QuotaReserved", since),
        fake_condition("Admitted", admitted, "Admitted", since), evicted ? "," : "",
        evicted ? fake_condition("Evicted", evicted, evicted[0] == 'T' ? "Preempted" : "QuotaReserved", evicted_at)
                : "");
    fake_observe_workload(m, conditions, at);
}

/* Kueue counts as run what was admitted: until the pods were deleted after the eviction at 20. */
TEST(a_preempted_job) {
    struct model *m = begin(1);
    char status[512];
    show_workload(m, "True", 0, NULL, 0, 0.5);
    fake_observe_job(m, 1, 1.1);
    struct fake_pod a = run(m, "a", 0, 5, 8);
    show_workload(m, "True", 0, "True", 20, 20.1);
    stop(m, &a, 20, 24);
    show_workload(m, "False", 24, "True", 20, 24.5);
    show_workload(m, "True", 40, "False", 40, 40.1);
    struct fake_pod b = run(m, "b", 0, 41, 45);
    finish(m, &b, 58, 0);
    snprintf(status, sizeof status, "\"conditions\":[%s]", fake_condition("Completed", "True", "AllJobsCompleted", 60));
    fake_observe_jobset(m, 1, "", status, 60.1);
    end(m, 70, 14000 + 18000, 12000 + 15000, 24000 + 20000, 0, 60000); /* 6-20, 42-60; 8-20, 45-60; 0-24, 40-60 */
}

TEST(a_job_that_failed) {
    struct model *m = begin(1);
    char status[512];
    fake_observe_job(m, 1, 1.1);
    struct fake_pod a = run(m, "a", 0, 1, 4);
    finish(m, &a, 30, 1);
    snprintf(status, sizeof status, "\"conditions\":[%s]", fake_condition("Failed", "True", "FailedJobs", 33));
    fake_observe_jobset(m, 1, "", status, 33.1);
    end(m, 40, 28000, 26000, -1, 0, 33000); /* 2-30; 4-30 */
}

/* b is deleted at 20, when one pod is enough; at 40 two are required again. */
TEST(an_elastic_job_needs_what_it_needed_then) {
    struct model *m = begin(2);
    fake_observe_job(m, 1, 1.1);
    run(m, "a", 0, 1, 4);
    struct fake_pod b = run(m, "b", 1, 1, 6);
    fake_observe_jobset(m, 1, "", "", 20);
    stop(m, &b, 20, 22);
    fake_observe_jobset(m, 2, "", "", 40);
    run(m, "c", 1, 41, 50);
    end(m, 60, 38000 + 18000, 14000 + 20000 + 10000, -1, 0, 60000); /* 2-40, 42-60; 6-20, 20-40, 50-60 */
}
