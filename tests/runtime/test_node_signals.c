/* Signals of nodes on their way from an API server to a status: a condition, an Event in the namespace default, and a
 * taint of a device. */
#include "harness.h"

#include "applied_jobs.h"
#include "base/mem.h"
#include "program.h"

#include <stdlib.h>

static bool apply_signals(struct apiserver *s) {
    return applied_object(
               s, mem_format("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n0\"},\"status\":{"
                             "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"%s\"},"
                             "{\"type\":\"XidCriticalError\",\"status\":\"True\",\"reason\":\"{\\\"79\\\":true}\","
                             "\"message\":\"boot\",\"lastTransitionTime\":\"%s\"}]}}",
                             applied_time(0), applied_time(45))) &&
           applied_object(
               s, mem_format("{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceSlice\",\"metadata\":{"
                             "\"name\":\"n0-gpus\"},\"spec\":{\"nodeName\":\"n0\",\"devices\":[{\"name\":\"gpu-3\","
                             "\"taints\":[{\"key\":\"gpu.nvidia.com/gpu-lost\",\"effect\":\"NoSchedule\","
                             "\"timeAdded\":\"%s\"}]}]}}",
                             applied_time(46))) &&
           applied_object(
               s, mem_format("{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"n0.1\","
                             "\"namespace\":\"default\"},\"involvedObject\":{\"kind\":\"Node\",\"name\":\"n0\"},"
                             "\"reason\":\"OOMKilling\",\"message\":\"Killed process 7\",\"type\":\"Warning\","
                             "\"firstTimestamp\":\"%s\",\"lastTimestamp\":\"%s\"}",
                             applied_time(47), applied_time(47)));
}

TEST(signals_of_nodes_reach_the_status) {
    struct apiserver *s = applied_begin();
    REQUIRE(s != NULL);
    struct program *c = program_start(
        "goodput-controller", (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                               "--leader-elect=false", "--status-interval=1s", NULL});
    CLEANUP_FREE char *object = NULL;
    CHECK(apply_signals(s));
    CHECK(applied_job(s, "a", 1));
    CHECK(applied_failure(s, "a", 0, "n0"));
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

/* Conditions and taints as each vendor's agent writes them, on a separate node; one comes after the failure. */
static const struct {
    const char *vendor, *conditions, *taints; /* members; "%s": the time */
    int second;
    const char *shown;
} vendors[] = {
    {"eks",
     "{\"type\":\"AcceleratedHardwareReady\",\"status\":\"False\",\"reason\":\"NvidiaXID64Error\",\"message\":\"GPU "
     "3\","
     "\"lastTransitionTime\":\"%s\"}",
     "", 45, "\"signal\":\"Xid64\",\"role\":\"Cause\",\"class\":\"GPUHardware\""},
    {"aks",
     "{\"type\":\"XIDErrors\",\"status\":\"True\",\"reason\":\"XIDErrors\",\"message\":\"XID 94 on GPU 2\","
     "\"lastTransitionTime\":\"%s\"}",
     "", 45, "\"signal\":\"Xid94\",\"role\":\"Cause\",\"class\":\"GPUHardware\""},
    {"npd",
     "{\"type\":\"ReadonlyFilesystem\",\"status\":\"True\",\"reason\":\"FilesystemIsReadOnly\",\"message\":\"x\","
     "\"lastTransitionTime\":\"%s\"}",
     "", 70, "\"signal\":\"ReadonlyFilesystem\",\"role\":\"Consequence\",\"class\":\"StorageError\""},
    {"nvsentinel",
     "{\"type\":\"SysLogsXIDError\",\"status\":\"True\",\"reason\":\"SysLogsXIDErrorIsNotHealthy\",\"message\":"
     "\"ErrorCode:119 PCI:0000:0f:00 Recommended Action=COMPONENT_RESET;\",\"lastTransitionTime\":\"%s\"}",
     "", 45, "\"signal\":\"Xid119\",\"role\":\"Cause\",\"class\":\"GPUHardware\""},
    {"amd", "", "{\"key\":\"amd-gpu-unhealthy\",\"value\":\"true\",\"effect\":\"NoSchedule\",\"timeAdded\":\"%s\"}", 45,
     "\"signal\":\"AMDGPUUnhealthy\",\"role\":\"Cause\",\"class\":\"GPUHardware\""},
};

/* A member with the time in the place of "%s". */
static char *stamped(const char *member, int second) {
    const char *place = strstr(member, "%s");
    return place == NULL ? mem_strdup("")
                         : mem_format("%.*s%s%s", (int)(place - member), member, applied_time(second), place + 2);
}

TEST(the_shape_of_each_vendor_reaches_the_status) {
    struct apiserver *s = applied_begin();
    REQUIRE(s != NULL);
    struct program *c = program_start(
        "goodput-controller", (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                               "--leader-elect=false", "--status-interval=1s", NULL});
    for (size_t i = 0; i < ARRAY_SIZE(vendors); i++) {
        const char *name = vendors[i].vendor;
        CLEANUP_FREE char *conditions = stamped(vendors[i].conditions, vendors[i].second);
        CLEANUP_FREE char *taints = stamped(vendors[i].taints, vendors[i].second);
        CHECK(applied_object(
            s, mem_format("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"},\"spec\":{"
                          "\"taints\":[%s]},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
                          "\"lastTransitionTime\":\"%s\"}%s%s]}}",
                          name, taints, applied_time(0), conditions[0] != '\0' ? "," : "", conditions)));
        CHECK(applied_job(s, name, 1));
        CHECK(applied_failure(s, name, 0, name));
    }
    for (size_t i = 0; i < ARRAY_SIZE(vendors); i++) {
        CLEANUP_FREE char *wait = mem_format("wait 120s field jobgoodputs default/%s "
                                             ".status.executions[0].nodeEvidence[0].node %s",
                                             vendors[i].vendor, vendors[i].vendor);
        CHECK_INT(apiserver_do(s, wait), 0);
        CLEANUP_FREE char *get = mem_format("get jobgoodputs default/%s", vendors[i].vendor);
        CLEANUP_FREE char *object = apiserver_ask(s, get);
        if (object == NULL || strstr(object, vendors[i].shown) == NULL)
            harness_fail(__FILE__, __LINE__, "%s is not in %s", vendors[i].shown, object ? object : "");
    }
    program_free(c);
    apiserver_stop(s);
}
