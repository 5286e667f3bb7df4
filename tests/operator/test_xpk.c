/* The JobSets that XPK's commands apply (tests/data/xpk), each measured by a JobGoodput that sets nothing but its
 * target. */
#include "base/file.h"
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "operator/job/job.h"
#include "operator/job/log_pods.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

struct expected {
    const char *file;
    int required, chips;
    const char *log; /* the replicated job whose log is read */
    bool is_in_order;
};

/* The pod with the log is required, although it has no chips: the head of Pathways runs the training program. */
static const struct expected cases[] = {
    {"tpu", 1, 4, "slice-job", false},
    {"tpu-output-manifest", 1, 4, "slice-job", false},
    {"tpu-sub-slicing", 2, 8, "slice-job", false},
    {"tpu-super-slicing", 80, 320, "slice-job", false},
    {"gpu", 2, 16, "slice-job", false},
    {"gpu-arm", 2, 8, "slice-job", false},
    {"pathways", 1 + 1, 4, "pathways-head", true},
    {"pathways-super-slicing", 1 + 80, 320, "pathways-head", true},
    {"pathways-headless", 1 + 2 * 4, 32, "pathways-head", true},
    {"pathways-elastic", 1 + 4 * 4, 64, "pathways-head", true},
};

/* As the API server would have it. Heap. */
static char *created(const char *file) {
    CLEANUP_FREE char *path = mem_format("tests/data/xpk/%s.json", file), *json = NULL;
    if (file_read(path, 1 << 20, &json, NULL) < 0)
        return NULL;
    char *meta = strstr(json, "\"metadata\": {");
    size_t before = (size_t)(meta - json) + strlen("\"metadata\": {");
    return mem_format("%.*s\"namespace\":\"ns\",\"uid\":\"uid-js\",\"creationTimestamp\":%s,%s", (int)before, json,
                      fake_time(0), json + before);
}

TEST(every_jobset_of_xpk_is_measured_with_no_field_set) {
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct expected *e = &cases[i];
        struct model *m = model_new(&(struct model_options){0});
        CLEANUP_FREE char *json = created(e->file);
        REQUIRE(json != NULL);
        fake_observe_jobgoodput(m, &(struct fake_jobgoodput){.target = "golden-workload", .step_log = ""}, 0);
        fake_observe(m, RESOURCE_JOBSET, OBSERVED_PRESENT, "golden-workload", "uid-js", json, 1);
        CLEANUP_FREE char *s = fake_status(m, 100);
        const struct model_job *job = model_job_find(m, "ns", "js");
        bool is_right = status_int(s, "availability.required") == e->required &&
                        status_int(s, "target.chips") == e->chips && job_log_replicated_job(job) != NULL &&
                        strcmp(job_log_replicated_job(job)->name, e->log) == 0 &&
                        job->target->spec.is_started_in_order == e->is_in_order &&
                        strcmp(status_text(s, "target.queue"), "multislice-queue") == 0 &&
                        strcmp(status_text(s, "conditions[type=Ready].reason"), "Accounted") == 0;
        if (!is_right)
            harness_fail(__FILE__, __LINE__, "%s: %s", e->file, s);
        model_free(m);
    }
}
