/* status.executions[].nodeEvidence: the signals of nodes, in the shape of each agent, that belong to an interruption.
 */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "operator/status/node_evidence.h"
#include "operator/store/signals.h"
#include "replay.h"

#include <stdlib.h>

#define XID_79 "\"type\":\"XidCriticalError\",\"status\":\"True\",\"reason\":\"{\\\"79\\\":true}\",\"message\":\"5ae1\""

/* A node with more members of its metadata and its taints, and another condition. */
static void show_node(struct model *m, const char *name, const char *metadata, const char *taints,
                      const char *condition, int since, double at) {
    CLEANUP_FREE char *more =
        condition[0] ? mem_format(",{%s,\"lastTransitionTime\":%s}", condition, fake_time(since)) : mem_strdup("");
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"name\":\"%s\",\"uid\":\"uid-%s\"%s},\"spec\":{\"taints\":[%s]},\"status\":{\"conditions\":["
        "{\"type\":\"Ready\",\"status\":\"True\",\"reason\":\"KubeletReady\",\"lastTransitionTime\":%s}%s]}}",
        name, name, metadata, taints, fake_time(0), more);
    fake_observe(m, RESOURCE_NODE, OBSERVED_PRESENT, name, "", json, at);
}

static void show_event(struct model *m, const char *node, const char *reason, const char *message, int first, int last,
                       double at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s.1\",\"uid\":\"uid-e%d\"},\"involvedObject\":{\"kind\":"
        "\"Node\",\"name\":\"%s\",\"uid\":\"%s\"},\"reason\":\"%s\",\"message\":\"%s\",\"type\":\"Warning\","
        "\"firstTimestamp\":%s,\"lastTimestamp\":%s}",
        node, first, node, node, reason, message, fake_time(first), fake_time(last));
    fake_observe(m, RESOURCE_NODE_EVENT, OBSERVED_PRESENT, "e", "", json, at);
}

/* In v1beta1 a device has its taints within "basic". */
static void show_slice(struct model *m, const char *node, const char *taints, bool is_v1beta1, double at) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"name\":\"slice-%s\",\"uid\":\"s\"},\"spec\":{\"driver\":\"gpu.nvidia.com\",\"nodeName\":"
        "\"%s\",\"devices\":[{\"name\":\"gpu-0\"},{\"name\":\"gpu-3\",%s\"taints\":[%s]%s}]}}",
        node, node, is_v1beta1 ? "\"basic\":{\"attributes\":{}," : "", taints, is_v1beta1 ? "}" : "");
    char name[64];
    snprintf(name, sizeof name, "slice-%s", node);
    fake_observe(m, RESOURCE_RESOURCESLICE, OBSERVED_PRESENT, name, "s", json, at);
}

static struct model *new_model(void) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 2, "", "", 0.2);
    show_node(m, "n0", "", "", "", 0, 1);
    show_node(m, "n1", "", "", "", 0, 1);
    struct fake_pod a = fake_running("a", "n0", 5), b = fake_running("b", "n1", 5);
    b.index = 1;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 8);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 8);
    return m;
}

/* a fails at 1000, is replaced at 1010 on n2. */
static void fail(struct model *m) {
    struct fake_pod a = fake_running("a", "n0", 5), next = fake_running("a2", "n2", 1010);
    a.finished = 1000;
    a.exit_code = 1;
    a.phase = "Failed";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 1006);
    show_node(m, "n2", "", "", "", 0, 1010);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 1013);
}

/* The nodeEvidence of the first execution; "": none. */
static char *evidence_of_status(char *status) {
    char *at = strstr(status, "\"nodeEvidence\":["), *end = at ? strstr(at, "\"}],") : NULL;
    char *text = at == NULL ? mem_strdup("") : mem_strndup(at + strlen("\"nodeEvidence\":["), (size_t)(end - at) - 14);
    free(status);
    return text;
}

static void check_evidence(char *status, const char *expected, const char *what) {
    CLEANUP_FREE char *found = evidence_of_status(status);
    if (strcmp(found, expected) != 0)
        harness_fail(__FILE__, __LINE__, "%s: \"%s\", expected \"%s\"", what, found, expected);
}

#define ITEM(node, signal, role, class_, time, message)                                                                \
    "{\"node\":\"" node "\",\"signal\":\"" signal "\",\"role\":\"" role "\",\"class\":\"" class_ "\"," time            \
    "\"message\":\"" message "\"}"
#define AT(time) "\"time\":\"2026-11-21T02:" time "Z\","

TEST(a_condition_before_the_loss_is_its_cause) {
    struct model *m = new_model();
    show_node(m, "n0", "", "", XID_79, 970, 972);
    fail(m);
    check_evidence(fake_finish(m, 1100),
                   ITEM("n0", "Xid79", "Cause", "GPUHardware", AT("16:10"),
                        "condition XidCriticalError=True, {\\\"79\\\":true}: 5ae1"),
                   "before");
}

/* The node that a status accuses, as advice takes it. */
static void check_accused(const char *class_name, const char *expected) {
    struct node_evidence item = {.node = "n0", .role = EVIDENCE_CAUSE};
    struct interruption_evidence of_one = {.number = 3, .count = 1, .items = &item};
    struct job_evidence evidence = {.items = &of_one, .count = 1};
    int class_ = rootcause_class_find(slice_of(class_name));
    REQUIRE(class_ >= 0);
    item.class_ = (enum rootcause_class)class_;
    const char *accused = node_evidence_accused(&evidence, 3);
    CHECK_TEXT(accused != NULL ? accused : "", expected);
    CHECK(node_evidence_accused(&evidence, 4) == NULL);
    item.role = EVIDENCE_CONSEQUENCE;
    CHECK(node_evidence_accused(&evidence, 3) == NULL);
}

TEST(neither_a_notice_nor_exhausted_memory_accuses_a_node) {
    check_accused("GPUHardware", "n0");
    check_accused("Unknown", "n0");
    check_accused("Preemption", "");
    check_accused("HostOOM", "");
    CHECK(node_evidence_accused(NULL, 3) == NULL);
}

TEST(a_signal_after_the_loss_is_a_consequence_unless_it_names_an_earlier_time) {
    struct model *m = new_model();
    fail(m);
    show_node(m, "n0", "", "", XID_79, 1030, 1032);
    show_event(m, "n0", "SystemOOM", "victim process: python, at 2026-11-21T02:16:30Z", 1040, 1040, 1041);
    check_evidence(
        fake_finish(m, 1100),
        ITEM("n0", "SystemOOM", "Cause", "HostOOM", AT("16:30"),
             "event SystemOOM, victim process: python, at 2026-11-21T02:16:30Z") "," ITEM("n0", "Xid79", "Consequence",
                                                                                          "GPUHardware", AT("17:10"),
                                                                                          "condition "
                                                                                          "XidCriticalError=True, "
                                                                                          "{\\\"79\\\":true}: 5ae1"),
        "after");
}

TEST(other_nodes_times_and_weak_signals_are_no_cause) {
    struct model *m = new_model();
    show_node(m, "n0", "", "", "\"type\":\"KernelDeadlock\",\"status\":\"True\",\"reason\":\"DockerHung\"", 100, 101);
    show_node(m, "n1", "", "", XID_79, 990, 991);
    show_event(m, "n1", "OOMKilling", "weak, and of a slot that did not fail", 990, 990, 991);
    show_event(m, "n0", "OOMKilling", "Killed process 7", 995, 995, 996);
    show_event(m, "n0", "KernelOops", "long before", 100, 100, 101);
    show_event(m, "n9", "SystemOOM", "a node of others", 995, 995, 996);
    show_event(m, "n0", "NodeNotReady", "no signal", 995, 995, 996);
    fail(m);
    show_event(m, "n0", "SystemOOM", "long after", 1700, 1700, 1701);
    check_evidence(
        fake_finish(m, 1800),
        ITEM(
            "n0", "KernelDeadlock", "Evidence", "Unknown", AT("01:40"),
            "condition KernelDeadlock=True, DockerHung") "," ITEM("n1", "Xid79", "Evidence", "GPUHardware", AT("16:30"),
                                                                  "condition XidCriticalError=True, {\\\"79\\\":true}: "
                                                                  "5ae1") "," ITEM("n0", "OOMKilling", "Evidence",
                                                                                   "HostOOM", AT("16:35"),
                                                                                   "event OOMKilling, Killed process "
                                                                                   "7"),
        "none");
}

TEST(each_shape_is_read) {
    static const struct {
        const char *metadata, *taints, *device, *expected;
    } cases[] = {
        {",\"labels\":{\"metricsexporter.amd.com.gpu.3.state\":\"unhealthy\"}", "", "",
         ITEM("n0", "AMDGPUUnhealthy", "Cause", "GPUHardware", AT("16:25"),
              "label metricsexporter.amd.com.gpu.3.state=unhealthy")},
        {"", "{\"key\":\"amd-gpu-unhealthy\",\"value\":\"true\",\"effect\":\"NoSchedule\"}", "",
         ITEM("n0", "AMDGPUUnhealthy", "Cause", "GPUHardware", AT("16:25"),
              "taint amd-gpu-unhealthy=true, NoSchedule")},
        {",\"annotations\":{\"quarantineHealthEvent\":\"[{\\\"componentClass\\\":\\\"GPU\\\",\\\"errorCode\\\":["
         "\\\"79\\\"],"
         "\\\"generatedTimestamp\\\":\\\"2026-11-21T02:16:20Z\\\"}]\"}",
         "", "",
         ITEM("n0", "Xid79", "Cause", "GPUHardware", AT("16:20"),
              "annotation quarantineHealthEvent=[{\\\"componentClass\\\":\\\"GPU\\\",\\\"errorCode\\\":[\\\"79\\\"],"
              "\\\"generatedTimestamp\\\":\\\"2026-11-21T02:16:20Z\\\"}]")},
        {"", "",
         "{\"key\":\"gpu.nvidia.com/xid\",\"value\":\"79\",\"effect\":\"NoSchedule\",\"timeAdded\":"
         "\"2026-11-21T02:16:21Z\"}",
         ITEM("n0", "Xid79", "Cause", "GPUHardware", AT("16:21"),
              "device gpu-3 taint gpu.nvidia.com/xid=79, NoSchedule")},
    };
    for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
        struct model *m = new_model();
        show_node(m, "n0", cases[i / 2].metadata, cases[i / 2].taints, "", 0, 985);
        model_watermark(m, RESOURCE_RESOURCESLICE, fake_ms(9), false);
        show_slice(m, "n0", cases[i / 2].device, i % 2 == 1, 985);
        fail(m);
        check_evidence(fake_finish(m, 1100), cases[i / 2].expected, "shape");
    }
}

/* A label has no time: on a node that is new to this controller it may be old. */
TEST(a_signal_of_unknown_age_is_evidence) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    show_node(m, "n0", ",\"labels\":{\"metricsexporter.amd.com.gpu.0.state\":\"unhealthy\"}", "", "", 0, 1);
    struct fake_pod a = fake_running("a", "n0", 5);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 8);
    fail(m);
    check_evidence(fake_finish(m, 1100),
                   ITEM("n0", "AMDGPUUnhealthy", "Evidence", "GPUHardware", "",
                        "label metricsexporter.amd.com.gpu.0.state=unhealthy"),
                   "unknown age");
}

/* What ended before a controller took over is in the status of its predecessor. */
TEST(a_successor_keeps_what_was_found) {
    struct model *m = new_model();
    show_node(m, "n0", "", "", XID_79, 970, 972);
    fail(m);
    CLEANUP_FREE char *left = fake_status(m, 1020);
    model_free(m);
    m = fake_successor(left);
    fake_observe_jobset(m, 2, "", "", 1021);
    show_node(m, "n0", "", "", "", 0, 1021);
    struct fake_pod b = fake_running("b", "n1", 5), next = fake_running("a2", "n2", 1010);
    b.index = 1;
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 1022);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 1022);
    check_evidence(fake_finish(m, 1100),
                   ITEM("n0", "Xid79", "Cause", "GPUHardware", AT("16:10"),
                        "condition XidCriticalError=True, {\\\"79\\\":true}: 5ae1"),
                   "successor");
}

TEST(a_site_adds_its_own_signals) {
    struct model *m = model_new(&(struct model_options){
        .keeps_checkpoints = true,
        .node_signals =
            "condition\tRackPowerLost\tTrue\t*\tUnknown\tprimary\tProvider\tRackPowerLost\tour facility\n"});
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    show_node(m, "n0", "", "", "", 0, 1);
    struct fake_pod a = fake_running("a", "n0", 5);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 8);
    show_node(m, "n0", "", "", "\"type\":\"RackPowerLost\",\"status\":\"True\",\"reason\":\"PDU\"", 999, 999.5);
    fail(m);
    check_evidence(fake_finish(m, 1100),
                   ITEM("n0", "RackPowerLost", "Cause", "Unknown", AT("16:39"), "condition RackPowerLost=True, PDU"),
                   "a site's");
}

TEST(the_list_is_bounded) {
    struct model *m = new_model();
    for (int i = 0; i < 200; i++) {
        CLEANUP_FREE char *condition =
            mem_format("\"type\":\"AMDGPU%d\",\"status\":\"True\",\"reason\":\"AMDGPUIsDown\"", i);
        show_node(m, "n0", "", "", condition, 900 + i / 3, 900 + i / 3.0);
    }
    show_event(m, "n0", "SystemOOM", "the last", 980, 980, 981);
    fail(m);
    CLEANUP_FREE char *found = evidence_of_status(fake_finish(m, 1100));
    int count = 0;
    for (const char *at = found; (at = strstr(at, "{\"node\":")) != NULL; at++)
        count++;
    CHECK_INT(count, 2); /* one name of many keys, and the last */
    CHECK(strstr(found, "SystemOOM") != NULL);
}
