/* Signals of nodes on their way from an API server to a status: a condition, an Event in the namespace default, and a
 * taint of a device. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "program.h"

#include <stdlib.h>
#include <time.h>

static int64_t epoch_ms;

static const char *at(int second) {
    static char ring[8][RFC3339_SIZE];
    static int next;
    return rfc3339_format_s(ring[next++ % 8], epoch_ms + second * 1000);
}

static bool apply(struct apiserver *s, char *json) {
    CLEANUP_FREE char *command = mem_format("apply <<END\n%s\nEND\n", json);
    free(json);
    return apiserver_do(s, command) == 0;
}

static bool apply_work(struct apiserver *s) {
    return apply(s, mem_format("{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{"
                               "\"name\":\"a\",\"namespace\":\"default\"},\"spec\":{\"targetRef\":{\"apiGroup\":"
                               "\"batch\",\"kind\":\"Job\",\"name\":\"a\"},\"stepLog\":{\"source\":\"None\"}}}")) &&
           apply(s, mem_format("{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"a\","
                               "\"namespace\":\"default\",\"uid\":\"job-a\",\"creationTimestamp\":\"%s\"},\"spec\":{"
                               "\"completionMode\":\"Indexed\",\"parallelism\":1,\"completions\":1,\"template\":{"
                               "\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}",
                               at(0))) &&
           apply(s, mem_format(
                        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a-0\",\"namespace\":"
                        "\"default\",\"uid\":\"pod-a\",\"creationTimestamp\":\"%s\",\"labels\":{\"batch.kubernetes.io/"
                        "job-name\":\"a\",\"batch.kubernetes.io/controller-uid\":\"job-a\",\"batch.kubernetes.io/"
                        "job-completion-index\":\"0\"},\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":"
                        "\"Job\",\"name\":\"a\",\"uid\":\"job-a\",\"controller\":true}]},\"spec\":{\"nodeName\":\"n0\","
                        "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":"
                        "\"Failed\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\","
                        "\"lastTransitionTime\":\"%s\"}],\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":0,"
                        "\"state\":{\"terminated\":{\"exitCode\":1,\"reason\":\"Error\",\"startedAt\":\"%s\","
                        "\"finishedAt\":\"%s\"}}}]}}",
                        at(1), at(2), at(3), at(50)));
}

static bool apply_signals(struct apiserver *s) {
    return apply(s, mem_format("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n0\"},\"status\":{"
                               "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"%s\"},"
                               "{\"type\":\"XidCriticalError\",\"status\":\"True\",\"reason\":\"{\\\"79\\\":true}\","
                               "\"message\":\"boot\",\"lastTransitionTime\":\"%s\"}]}}",
                               at(0), at(45))) &&
           apply(s, mem_format("{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceSlice\",\"metadata\":{"
                               "\"name\":\"n0-gpus\"},\"spec\":{\"nodeName\":\"n0\",\"devices\":[{\"name\":\"gpu-3\","
                               "\"taints\":[{\"key\":\"gpu.nvidia.com/gpu-lost\",\"effect\":\"NoSchedule\","
                               "\"timeAdded\":\"%s\"}]}]}}",
                               at(46))) &&
           apply(s, mem_format("{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"n0.1\","
                               "\"namespace\":\"default\"},\"involvedObject\":{\"kind\":\"Node\",\"name\":\"n0\"},"
                               "\"reason\":\"OOMKilling\",\"message\":\"Killed process 7\",\"type\":\"Warning\","
                               "\"firstTimestamp\":\"%s\",\"lastTimestamp\":\"%s\"}",
                               at(47), at(47)));
}

TEST(signals_of_nodes_reach_the_status) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", NULL});
    REQUIRE(s != NULL);
    epoch_ms = ((int64_t)time(NULL) - 120) * 1000;
    struct program *c = program_start(
        "goodput-controller", (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                               "--leader-elect=false", "--status-interval=1s", NULL});
    CLEANUP_FREE char *object = NULL;
    CHECK(apply_signals(s));
    CHECK(apply_work(s));
    CHECK_INT(apiserver_do(s, "wait 120s field jobgoodputs default/a .status.executions[0].nodeEvidence[2].signal "
                              "OOMKilling"),
              0);
    object = apiserver_ask(s, "get jobgoodputs default/a");
    REQUIRE(object != NULL);
    static const char *const expected[] = {
        "\"signal\":\"Xid79\",\"role\":\"Cause\",\"class\":\"GPUHardware\"",
        "\"signal\":\"GPULost\",\"role\":\"Cause\",\"class\":\"GPUHardware\"",
        "\"device gpu-3 taint gpu.nvidia.com/gpu-lost, NoSchedule\"",
        "\"signal\":\"OOMKilling\",\"role\":\"Evidence\",\"class\":\"HostOOM\"",
    };
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        if (strstr(object, expected[i]) == NULL)
            harness_fail(__FILE__, __LINE__, "%s is not in %s; the controller said:\n%s", expected[i], object,
                         program_output(c));
    program_free(c);
    apiserver_stop(s);
}
