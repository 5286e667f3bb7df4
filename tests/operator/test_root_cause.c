/* status.executions[].rootCause: why an execution ended, from what its containers and nodes left behind. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define XID_79                                                                                                         \
    "{\"metadata\":{\"name\":\"n0\",\"uid\":\"uid-n0\"},\"spec\":{},\"status\":{\"conditions\":[{\"type\":\"Ready\","  \
    "\"status\":\"True\",\"lastTransitionTime\":%s},{\"type\":\"XidCriticalError\",\"status\":\"True\",\"reason\":"    \
    "\"{\\\"79\\\":true}\",\"message\":\"5ae1\",\"lastTransitionTime\":%s}]}}"

static struct model *new_model(void) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 2, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 1);
    fake_observe_node(m, "n1", "True", 0, "", "", 1);
    struct fake_pod a = fake_running("a", "n0", 5), b = fake_running("b", "n1", 5);
    b.index = 1;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 8);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 8);
    return m;
}

/* Member of the first execution's rootCause, as JSON; "": absent. */
static void check_member(const char *status, const char *key, const char *expected) {
    json_t *json = json_loads(status, 0, NULL);
    json_t *cause = json_object_get(json_array_get(json_object_get(json, "executions"), 0), "rootCause");
    json_t *value = *key != '\0' ? json_object_get(cause, key) : cause;
    char *text = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : mem_strdup("");
    if (strcmp(text, expected) != 0)
        harness_fail(__FILE__, __LINE__, "rootCause.%s is %s, expected %s", key, text, expected);
    free(text);
    json_decref(json);
}

static void fail_and_replace(struct model *m) {
    struct fake_pod a = fake_running("a", "n0", 5), next = fake_running("a2", "n1", 1010);
    a.finished = 1000;
    a.exit_code = 1;
    a.phase = "Failed";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 1006);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 1013);
}

TEST(a_cause_on_the_node_of_the_failed_slot_is_the_root_cause) {
    struct model *m = new_model();
    CLEANUP_FREE char *node = mem_format(XID_79, fake_time(0), fake_time(970));
    fake_observe(m, RESOURCE_NODE, OBSERVED_PRESENT, "n0", "", node, 972);
    fail_and_replace(m);
    CLEANUP_FREE char *status = fake_status(m, 1100);
    check_member(status, "class", "\"GPUHardware\"");
    check_member(status, "reason", "\"Xid79\"");
    check_member(status, "owner", "\"Provider\"");
    check_member(status, "node", "\"n0\"");
    CHECK_TEXT(status_text(status, "executions[number=1].owner"), "Provider"); /* the exit alone: Unknown */
    check_member(status, "basis", "\"Observed\"");
    CHECK(strstr(status, "\"byClass\":[{\"class\":\"GPUHardware\",\"count\":1}]") != NULL);

    /* The next leader has it from the status: the node shows it no more. */
    struct model *successor = fake_successor(status);
    fake_observe_jobset(successor, 2, "", "", 1101);
    CLEANUP_FREE char *later = fake_finish(successor, 1200);
    check_member(later, "reason", "\"Xid79\"");
    CHECK_TEXT(status_text(later, "executions[number=1].owner"), "Provider");
    CHECK(strstr(later, "\"byClass\":[{\"class\":\"GPUHardware\",\"count\":1}]") != NULL);
    model_free(m);
}
