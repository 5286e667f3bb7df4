#include "applied_jobs.h"

#include "base/mem.h"
#include "base/rfc3339.h"

#include <stdlib.h>
#include <time.h>

static int64_t epoch_ms;

struct apiserver *applied_begin(void) {
    epoch_ms = ((int64_t)time(NULL) - 120) * 1000;
    return apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", NULL});
}

const char *applied_time(int second) {
    static char ring[8][RFC3339_SIZE];
    static int next;
    return rfc3339_format_s(ring[next++ % 8], epoch_ms + second * 1000);
}

bool applied_object(struct apiserver *s, char *json) {
    CLEANUP_FREE char *command = mem_format("apply <<END\n%s\nEND\n", json);
    free(json);
    return apiserver_do(s, command) == 0;
}

bool applied_job(struct apiserver *s, const char *name, int pods) {
    return applied_object(s,
                          mem_format("{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{"
                                     "\"name\":\"%s\",\"namespace\":\"default\"},\"spec\":{\"targetRef\":{\"apiGroup\":"
                                     "\"batch\",\"kind\":\"Job\",\"name\":\"%s\"},\"stepLog\":{\"source\":\"None\"}}}",
                                     name, name)) &&
           applied_object(
               s, mem_format("{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"%s\","
                             "\"namespace\":\"default\",\"uid\":\"job-%s\",\"creationTimestamp\":\"%s\"},\"spec\":{"
                             "\"completionMode\":\"Indexed\",\"parallelism\":%d,\"completions\":%d,\"template\":{"
                             "\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}",
                             name, name, applied_time(0), pods, pods));
}

bool applied_pod(struct apiserver *s, const struct applied_pod *p) {
    return applied_object(
        s, mem_format("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\","
                      "\"uid\":\"pod-%s\",\"creationTimestamp\":\"%s\",\"labels\":{\"batch.kubernetes.io/job-name\":"
                      "\"%s\",\"batch.kubernetes.io/controller-uid\":\"job-%s\",\"batch.kubernetes.io/"
                      "job-completion-index\":\"%d\"},\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":"
                      "\"Job\",\"name\":\"%s\",\"uid\":\"job-%s\",\"controller\":true}]},\"spec\":{\"nodeName\":\"%s\","
                      "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"%s\","
                      "\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":\"%s\"}],"
                      "\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":0,\"state\":{%s}}]}}",
                      p->name, p->name, applied_time(p->made), p->job, p->job, p->index, p->job, p->job, p->node,
                      p->phase, applied_time(p->made + 1), p->state));
}

bool applied_failure(struct apiserver *s, const char *job, int index, const char *node) {
    CLEANUP_FREE char *name = mem_format("%s-%d", job, index);
    CLEANUP_FREE char *state =
        mem_format("\"terminated\":{\"exitCode\":1,\"reason\":\"Error\",\"startedAt\":\"%s\",\"finishedAt\":\"%s\"}",
                   applied_time(3), applied_time(50));
    return applied_pod(s, &(struct applied_pod){job, name, node, index, 1, "Failed", state});
}
