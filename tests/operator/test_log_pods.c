/* Whose log is read: the first pod's, the last rank's, the coordinator's of the JobSet, or the one that the spec names.
 */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"

#include <stdlib.h>

#define COORDINATOR ",\"coordinator\":{\"replicatedJob\":\"slice\",\"jobIndex\":1,\"podIndex\":0}"

/* Of two Jobs of two pods, named by their two indexes. */
static void check_log_of(const char *more_jobset, const char *step_log, const char *pod) {
    struct model *m = model_new(&(struct model_options){0});
    struct model_log log;
    fake_observe_jobgoodput(m, &(struct fake_jobgoodput){.step_log = step_log}, 0);
    fake_observe_jobset_of(m, &(struct fake_jobset){.replicas = 2, .pods = 2, .more_spec = more_jobset}, 0.2);
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d-%d", i / 2, i % 2);
        struct fake_pod p = fake_started(name, i % 2, 1, 2, 3);
        p.job_index = i / 2;
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 3.1);
    }
    struct model_job *job = model_job_find(m, "ns", "js");
    CHECK_INT(model_job_log_count(job), 1);
    if (model_job_log_count(job) == 1) {
        model_job_log_get(job, 0, &log);
        CHECK_TEXT(log.pod, pod);
    }
    model_free(m);
}

TEST(the_log_is_the_first_pods_or_the_last_ranks) {
    check_log_of("", "\"source\":\"PodLog\"", "0-0");
    check_log_of("", "\"source\":\"PodLog\",\"format\":\"Megatron\"", "1-1");
}

TEST(the_coordinator_of_a_jobset_writes_the_log) {
    check_log_of(COORDINATOR, "\"source\":\"PodLog\"", "1-0");
    check_log_of(COORDINATOR, "\"source\":\"PodLog\",\"format\":\"Megatron\"", "1-0");
}

TEST(the_spec_names_another_pod) {
    check_log_of(COORDINATOR, "\"source\":\"PodLog\",\"podLog\":{\"pod\":{\"completionIndex\":1}}", "1-1");
    check_log_of(COORDINATOR, "\"source\":\"PodLog\",\"podLog\":{\"pod\":{\"replicatedJob\":\"slice\"}}", "0-0");
    check_log_of("", "\"source\":\"PodLog\",\"podLog\":{\"pod\":{\"jobIndex\":1,\"completionIndex\":0}}", "1-0");
}
