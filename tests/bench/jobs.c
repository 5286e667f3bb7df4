/* bench-jobs: the cost of the model alone for N JobGoodputs, each of a JobSet of one pod whose log has steps: no
 * API server, no network. Prints memory and CPU time of the start, and of rounds in which every job has an event of its
 * pod, ten steps of STEP_S and an evaluation; each SAVE_EVERY steps a checkpoint. In the end each log has a line that
 * names a failure. Arguments: the number of jobs (10000), of rounds (5). */
#include "base/mem.h"
#include "fake_objects.h"
#include "operator/model/evaluate.h"
#include "operator/model/model.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 50, ROUNDS = 5, ROUND_STEPS = 10, STEP_S = 30, SAVE_EVERY = 100 };

static double cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* As the controller has it: free memory goes back to the system. */
static double resident_mib(void) {
    malloc_trim(0);
    long total = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%ld %ld", &total, &resident) != 2)
        abort();
    fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* Takes the JSON. */
static void observe(struct model *m, enum resource resource, const char *name, const char *uid, char *object,
                    double at) {
    CLEANUP_FREE char *json = object;
    if (model_observe(m, resource, OBSERVED_PRESENT, slice_of("ns"), slice_of(name), slice_of(uid), slice_of(json),
                      fake_ms(at)) < 0)
        abort();
}

static void observe_job(struct model *m, int i) {
    char name[32], goodput[48], jobset[48];
    snprintf(name, sizeof name, "j%d", i);
    snprintf(goodput, sizeof goodput, "goodput-of-j%d", i);
    snprintf(jobset, sizeof jobset, "uid-j%d", i);
    struct fake_jobgoodput g = {.name = name, .step_log = "\"source\":\"PodLog\",\"format\":\"Auto\""};
    observe(m, RESOURCE_JOBGOODPUT, name, goodput, fake_jobgoodput_json(&g), 2);
    observe(m, RESOURCE_JOBSET, name, jobset, fake_jobset_json(&(struct fake_jobset){.name = name}), 2);
}

static void observe_pod(struct model *m, int i, double at) {
    char name[32], pod[32], uid[48], job[32];
    snprintf(name, sizeof name, "j%d", i);
    snprintf(pod, sizeof pod, "pod-%d", i);
    snprintf(uid, sizeof uid, "uid-pod-%d", i);
    snprintf(job, sizeof job, "job-%d", i);
    struct fake_pod p = fake_started(pod, 0, 0, 1, 2);
    p.jobset = name;
    p.job_uid = job;
    observe(m, RESOURCE_POD, pod, uid, fake_pod_json(&p), at);
}

static void steps(struct model *m, int i, int from, int count) {
    char uid[32], name[32], line[160];
    snprintf(uid, sizeof uid, "uid-pod-%d", i);
    snprintf(name, sizeof name, "j%d", i);
    struct model_job *job = model_job_find(m, "ns", name);
    for (int s = from; s < from + count; s++) {
        int second = STEP_S * s + 5;
        if (s % SAVE_EVERY == SAVE_EVERY - 1) {
            snprintf(line, sizeof line,
                     "[process=0][thread=save_finalize][step=%d] CheckpointManager Save Finalize is done on all hosts.",
                     s);
            model_job_log_line(job, uid, 0, fake_ms(second - 1) * 1000000, slice_of(line));
        }
        snprintf(line, sizeof line, "completed step: %d, seconds: %d.%03d, TFLOP/s/device: 50.1, loss: 2.1", s,
                 STEP_S - 1, (s * 7919 + i) % 1000);
        model_job_log_line(job, uid, 0, fake_ms(second) * 1000000, slice_of(line));
    }
}

static void fail(struct model *m, int i, int second) {
    char uid[32], name[32];
    snprintf(uid, sizeof uid, "uid-pod-%d", i);
    snprintf(name, sizeof name, "j%d", i);
    model_job_log_line(model_job_find(m, "ns", name), uid, 0, fake_ms(second) * 1000000,
                       SLICE("RuntimeError: NCCL error: remote process exited or there was a network error"));
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
    int jobs = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10000;
    int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : ROUNDS, seen = 0;
    struct model *m = model_new(&(struct model_options){.reads_last_words = true});
    double before_mib = resident_mib(), before_s = cpu_s();
    observe(m, RESOURCE_NODE, "n0", "n0", fake_node_json("n0", "", "", "True", "KubeletReady", -3600), 2);
    for (int i = 0; i < jobs; i++) {
        observe_job(m, i);
        observe_pod(m, i, 2.5);
    }
    evaluate(m, fake_ms(3));
    for (int i = 0; i < jobs; i++)
        steps(m, i, 0, STEPS);
    seen = evaluate(m, fake_ms(STEP_S * STEPS + 5));
    double started_s = cpu_s(), mib = resident_mib() - before_mib;
    printf("%d JobGoodputs, %d with steps: %.1f MiB, %.1f KiB each; %.1f CPU seconds for the start, %.0f us each\n",
           jobs, seen, mib, 1024 * mib / jobs, started_s - before_s, 1e6 * (started_s - before_s) / jobs);
    for (int r = 0; r < rounds; r++) {
        int first = STEPS + r * ROUND_STEPS;
        for (int i = 0; i < jobs; i++) {
            observe_pod(m, i, STEP_S * first + 5);
            steps(m, i, first, ROUND_STEPS);
        }
        evaluate(m, fake_ms(STEP_S * (first + ROUND_STEPS) + 5));
    }
    double round_s = (cpu_s() - started_s) / rounds, rounds_mib = resident_mib();
    printf("a round of an event, %d steps and an evaluation of each: %.2f CPU seconds, %.0f us a job; after %.1f hours "
           "%.1f KiB a job\n",
           ROUND_STEPS, round_s, 1e6 * round_s / jobs, (STEPS + rounds * ROUND_STEPS) * STEP_S / 3600.0,
           1024 * (rounds_mib - before_mib) / jobs);
    for (int i = 0; i < jobs; i++)
        fail(m, i, STEP_S * (STEPS + rounds * ROUND_STEPS) + 5);
    printf("a line that names a failure in each log: %.1f MiB more\n", resident_mib() - rounds_mib);
    model_free(m);
    return seen == jobs ? 0 : 1;
}
