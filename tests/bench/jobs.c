/* bench-jobs: the cost of the model alone for N JobGoodputs, each of a JobSet of one pod whose log has steps: no
 * API server, no network. Prints memory and CPU time of the start, and of rounds in which every job has an event of its
 * pod, ten steps and an evaluation. Arguments: the number of jobs (10000). */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "operator/model/evaluate.h"
#include "operator/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EPOCH_MS INT64_C(1795226400000)
enum { STEPS = 50, ROUNDS = 5, ROUND_STEPS = 10 };

static double cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double resident_mib(void) {
    long total = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%ld %ld", &total, &resident) != 2)
        abort();
    fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* Takes the JSON. */
static void observe(struct model *m, enum resource resource, int i, char *object, int64_t ms) {
    CLEANUP_FREE char *json = object;
    char name[32], uid[32];
    snprintf(name, sizeof name, "j%d", i);
    const char *kind = resource == RESOURCE_POD ? "pod" : resource == RESOURCE_JOBSET ? "set" : "gp";
    snprintf(uid, sizeof uid, "%s-%d", kind, i);
    if (model_observe(m, resource, OBSERVED_PRESENT, slice_of("ns"), slice_of(name), slice_of(uid), slice_of(json),
                      ms) < 0)
        abort();
}

#define GOODPUT                                                                                                        \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j%d\",\"uid\":\"gp-%d\",\"resourceVersion\":\"1\",\"generation\":" \
    "1,"                                                                                                               \
    "\"creationTimestamp\":\"2026-11-21T02:00:00Z\"},\"spec\":{\"targetRef\":{\"apiGroup\":\"jobset.x-k8s.io"          \
    "\",\"kind\":\"JobSet\","                                                                                          \
    "\"name\":\"j%d\"},\"stepLog\":{\"source\":\"PodLog\",\"format\":\"MaxText\"}}}"
#define JOBSET                                                                                                         \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j%d\",\"uid\":\"set-%d\",\"creationTimestamp\":\"2026-11-21T02:"   \
    "00:00Z\"},\"spec\":{"                                                                                             \
    "\"replicatedJobs\":[{\"name\":\"slice\",\"replicas\":1,\"template\":{\"spec\":{\"parallelism\":1,"                \
    "\"completions\":1,"                                                                                               \
    "\"template\":{\"spec\":{\"containers\":[{\"name\":\"t\",\"resources\":{\"limits\":{\"google.com/"                 \
    "tpu\":\"4\"}}}]}}}}}]}}"
#define NODE                                                                                                           \
    "{\"metadata\":{\"name\":\"n\",\"uid\":\"n\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":"         \
    "\"True\","                                                                                                        \
    "\"lastTransitionTime\":\"2026-11-21T01:00:00Z\"}]}}"
#define POD                                                                                                            \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j%d\",\"uid\":\"pod-%d\",\"creationTimestamp\":\"2026-11-21T02:"   \
    "00:00Z\",\"labels\":{"                                                                                            \
    "\"jobset.sigs.k8s.io/jobset-uid\":\"set-%d\",\"jobset.sigs.k8s.io/jobset-name\":\"j%d\","                         \
    "\"jobset.sigs.k8s.io/replicatedjob-name\":\"slice\",\"jobset.sigs.k8s.io/job-index\":\"0\","                      \
    "\"batch.kubernetes.io/"                                                                                           \
    "job-completion-index\":\"0\"},\"ownerReferences\":[{\"kind\":\"Job\",\"name\":\"k%d\",\"uid\":"                   \
    "\"k-%d\",\"controller\":true}]},\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"name\":\"t\",\"resources\":{"     \
    "\"limits\":"                                                                                                      \
    "{\"google.com/"                                                                                                   \
    "tpu\":\"4\"}}}]},\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":"        \
    "\"True\",\"lastTransitionTime\":\"2026-11-21T02:00:01Z\"}],\"containerStatuses\":[{\"name\":\"t\","               \
    "\"restartCount\":0,"                                                                                              \
    "\"state\":{\"running\":{\"startedAt\":\"2026-11-21T02:00:02Z\"}}}]}}"

static void steps(struct model *m, int i, int from, int count) {
    char uid[32], name[32], line[128];
    snprintf(uid, sizeof uid, "pod-%d", i);
    snprintf(name, sizeof name, "j%d", i);
    struct model_job *job = model_job_find(m, "ns", name);
    for (int s = from; s < from + count; s++) {
        snprintf(line, sizeof line, "completed step: %d, seconds: 1.000, TFLOP/s/device: 50.1, loss: 2.1", s);
        model_job_log_line(job, uid, 0, (EPOCH_MS + 5000 + s * INT64_C(1000)) * 1000000, slice_of(line));
    }
}

/* All that are dirty; how many have steps. */
static int evaluate(struct model *m, int64_t now_ms) {
    CLEANUP_BUF struct buf status;
    struct model_job *job;
    int with_steps = 0;
    buf_init(&status, 1 << 20);
    for (int r = 0; r < RESOURCE_COUNT; r++)
        model_watermark(m, (enum resource)r, now_ms, r == RESOURCE_WORKLOAD);
    while ((job = model_next_dirty(m)) != NULL) {
        buf_clear(&status);
        model_job_status(job, now_ms, &status, NULL);
        with_steps += slice_contains(buf_slice(&status), "\"retained\":");
    }
    return with_steps;
}

int main(int argc, char **argv) {
    int jobs = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10000, seen = 0;
    struct model *m = model_new(&(struct model_options){.version = "bench"});
    double before_mib = resident_mib(), started_s = cpu_s();
    observe(m, RESOURCE_NODE, 0, mem_strdup(NODE), EPOCH_MS + 2000);
    for (int i = 0; i < jobs; i++) {
        observe(m, RESOURCE_JOBGOODPUT, i, mem_format(GOODPUT, i, i, i), EPOCH_MS + 2000);
        observe(m, RESOURCE_JOBSET, i, mem_format(JOBSET, i, i), EPOCH_MS + 2000);
        observe(m, RESOURCE_POD, i, mem_format(POD, i, i, i, i, i, i), EPOCH_MS + 2500);
    }
    evaluate(m, EPOCH_MS + 3000);
    for (int i = 0; i < jobs; i++)
        steps(m, i, 0, STEPS);
    seen = evaluate(m, EPOCH_MS + STEPS * 1000 + 5000);
    double started_s = cpu_s(), mib = resident_mib() - before_mib;
    printf("%d JobGoodputs, %d with steps: %.1f MiB, %.1f KiB each; %.1f CPU seconds for the start, %.0f us each\n",
           jobs, seen, mib, 1024 * mib / jobs, started_s - started_s, 1e6 * (started_s - started_s) / jobs);
    for (int r = 0; r < ROUNDS; r++) {
        int first = STEPS + r * ROUND_STEPS;
        for (int i = 0; i < jobs; i++) {
            observe(m, RESOURCE_POD, i, mem_format(POD, i, i, i, i, i, i), EPOCH_MS + (first + 5) * INT64_C(1000));
            steps(m, i, first, ROUND_STEPS);
        }
        evaluate(m, EPOCH_MS + (first + ROUND_STEPS + 5) * INT64_C(1000));
    }
    double round_s = (cpu_s() - started_s) / ROUNDS;
    printf("a round of an event, %d steps and an evaluation of each: %.2f CPU seconds, %.0f us a job; %.1f MiB in the "
           "end\n",
           ROUND_STEPS, round_s, 1e6 * round_s / jobs, resident_mib());
    model_free(m);
    return seen == jobs ? 0 : 1;
}
