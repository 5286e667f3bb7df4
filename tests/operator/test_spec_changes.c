/* The spec of a JobGoodput changes while its job runs: a change of the counting keeps the records; a change of the log
 * starts again, reads all again, and reports the pods that cannot be read any more. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

static void observe_spec(struct model *m, int generation, const char *spec) {
    CLEANUP_FREE char *members = mem_format(",%s", spec);
    struct fake_jobgoodput g = {.generation = generation, .step_log = "", .more = members};
    fake_observe_jobgoodput(m, &g, generation);
}

static struct fake_pod show_pod(struct model *m, const char *name, int created) {
    struct fake_pod p = fake_running(name, "n0", created);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, created + 2.1);
    return p;
}

/* Two executions: steps 0 to 4 in pod a, which is deleted, then 5 to 9 in pod b. */
static struct model *train(const char *spec) {
    struct model_options options = {.keeps_checkpoints = true};
    struct model *m = model_new(&options);
    observe_spec(m, 1, spec);
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = show_pod(m, "a", 1);
    fake_log_steps(m, "a", 0, 4, 10, 15);
    a.asked_to_go = a.finished = 60;
    a.exit_code = 143;
    a.phase = "Failed";
    fake_observe_pod(m, &a, OBSERVED_DELETED, 61);
    model_job_log_end(model_job_find(m, "ns", "js"), "uid-a", 0, NULL);
    show_pod(m, "b", 62);
    fake_log_steps(m, "b", 5, 9, 10, 80);
    return m;
}

static char *status(struct model *m) {
    return replay_status(m, "ns", "js", fake_ms(125), NULL);
}

TEST(a_spec_that_counts_otherwise_keeps_what_was_read) {
    struct model *m = train("\"stepLog\":{\"source\":\"PodLog\"}");
    CLEANUP_FREE char *before = status(m);
    uint64_t generation = model_job_log_generation(model_job_find(m, "ns", "js"));
    observe_spec(m, 2, "\"stepLog\":{\"source\":\"PodLog\"},\"windowSeconds\":[60],\"idealStepMilliseconds\":9000");
    CLEANUP_FREE char *after = status(m);
    CHECK(model_job_log_generation(model_job_find(m, "ns", "js")) == generation);
    CHECK_INT(status_int(after, "observedGeneration"), 2);
    CHECK_INT(status_int(after, "steps.last"), 9);
    CHECK_INT(status_int(after, "steps.retained"), status_int(before, "steps.retained"));
    CHECK_INT(status_int(after, "time.wallMilliseconds"), status_int(before, "time.wallMilliseconds"));
    CHECK_INT(status_int(after, "time.availableMilliseconds"), status_int(before, "time.availableMilliseconds"));
    CHECK_INT(status_int(after, "interruptions.total"), 1);
    CHECK_INT(status_int(after, "steps.idealMilliseconds"), 9000);
    CHECK_INT(status_int(after, "windows[windowSeconds=60].milliseconds"), 60000);
    CHECK(strstr(after, "read again") == NULL);
    /* and the log continues where it was */
    fake_log_steps(m, "b", 10, 10, 10, 130);
    CLEANUP_FREE char *later = replay_status(m, "ns", "js", fake_ms(135), NULL);
    CHECK_INT(status_int(later, "steps.last"), 10);
    model_free(m);
}

TEST(a_spec_that_reads_another_log_reads_it_all_again) {
    struct model *m = train("\"stepLog\":{\"source\":\"PodLog\",\"format\":\"NeMo\"}");
    struct model_job *job = model_job_find(m, "ns", "js");
    CLEANUP_FREE char *before = status(m);
    CHECK(strstr(before, "\"runtime\"") == NULL); /* no step is read */
    uint64_t generation = model_job_log_generation(job);
    observe_spec(m, 2, "\"stepLog\":{\"source\":\"PodLog\",\"format\":\"MaxText\"}");
    CHECK(model_job_log_generation(job) != generation);
    struct model_log log;
    REQUIRE(model_job_log_count(job) == 2);
    model_job_log_get(job, 1, &log);
    CHECK_TEXT(log.pod_uid, "uid-b");
    CHECK_INT(log.first_unread, 0);
    CHECK(log.read_through_ns == INT64_MIN); /* from its begin */
    fake_log_steps(m, "b", 5, 9, 10, 80);
    CLEANUP_FREE char *after = status(m);
    CHECK_INT(status_int(after, "steps.last"), 9);
    CHECK_INT(status_int(after, "interruptions.total"), 1); /* objects are all there still */
    CHECK_TEXT(status_text(after, "conditions[type=Ready].message"),
               "JobSet js is measured; its steps were read again for generation 2 of the spec");
    CHECK_TEXT(status_text(after, "conditions[type=EvidenceComplete].reason"), "SpecChanged");
    CHECK_TEXT(status_text(after, "conditions[type=EvidenceComplete].message"),
               "generation 2 of the spec reads another log: those of 1 deleted pods cannot be read any more");
    model_free(m);
}

TEST(other_required_replicated_jobs_take_effect_at_once) {
    struct model *m = train("\"stepLog\":{\"source\":\"PodLog\"}");
    CLEANUP_FREE char *before = status(m);
    CHECK_INT(status_int(before, "availability.required"), 1);
    observe_spec(m, 2, "\"stepLog\":{\"source\":\"PodLog\"},\"requiredReplicatedJobs\":[\"nothing\"]");
    CLEANUP_FREE char *after = status(m);
    CHECK_INT(status_int(after, "availability.required"), 0);
    CHECK_TEXT(status_text(after, "conditions[type=Ready].reason"), "NothingRequired");
    CHECK_INT(status_int(after, "steps.last"), 9);
    observe_spec(m, 3, "\"stepLog\":{\"source\":\"PodLog\"}");
    CLEANUP_FREE char *again = status(m);
    CHECK_INT(status_int(again, "time.availableMilliseconds"), status_int(before, "time.availableMilliseconds"));
    CHECK_INT(status_int(again, "time.productiveMilliseconds"), status_int(before, "time.productiveMilliseconds"));
    model_free(m);
}
