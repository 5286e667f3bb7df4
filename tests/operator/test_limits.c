/* How many of a thing an object may hold is not ours to say: one more than is kept must not take away what decides. */
#include "base/buf.h"
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "operator/objects/cluster.h"
#include "operator/objects/jobset.h"
#include "operator/objects/objects.h"
#include "operator/objects/pod.h"
#include "replay.h"

#include <string.h>

#define MANY 100

/* MANY conditions of types that nothing reads. */
static void add_conditions(struct buf *b) {
    for (int i = 0; i < MANY; i++)
        buf_format(b, "{\"type\":\"example.com/Probe%d\",\"status\":\"False\",\"lastTransitionTime\":%s},", i,
                   fake_time(1));
}

TEST(the_ready_condition_of_a_node_counts_wherever_it_is) {
    CLEANUP_BUF struct buf b;
    struct object_node node;
    buf_init(&b, 1 << 20);
    buf_append_text(&b, "{\"metadata\":{\"name\":\"n0\",\"uid\":\"u\"},\"status\":{\"conditions\":[");
    add_conditions(&b);
    buf_append_text(&b, "{\"type\":\"Ready\",\"status\":\"Unknown\"}]}}");
    REQUIRE(object_node_parse(buf_slice(&b), &node) == 0);
    const struct object_condition *c = object_condition_find(&node.conditions, "Ready");
    CHECK(c != NULL && slice_is(c->status, "Unknown"));
}

TEST(all_condition_types_that_are_read_fit_and_the_first_of_a_type_counts) {
    CLEANUP_BUF struct buf b;
    struct object_pod pod;
    buf_init(&b, 1 << 20);
    buf_append_text(&b, "{\"metadata\":{\"name\":\"p\",\"uid\":\"u\"},\"status\":{\"conditions\":[");
    for (int i = 0; i < MANY; i++)
        buf_append_text(&b, i == 0 ? "{\"type\":\"Suspended\",\"status\":\"True\"}," : "{\"type\":\"Suspended\"},");
    add_conditions(&b);
    buf_append_text(&b, "{\"type\":\"DisruptionTarget\",\"status\":\"True\"}]}}");
    REQUIRE(object_pod_parse(buf_slice(&b), false, &pod) == 0);
    const struct object_condition *c = object_condition_find(&pod.conditions, "DisruptionTarget");
    CHECK(c != NULL && slice_is(c->status, "True"));
    c = object_condition_find(&pod.conditions, "Suspended");
    CHECK(c != NULL && slice_is(c->status, "True"));
}

static int64_t chips_of(const char *resource) {
    CLEANUP_BUF struct buf b;
    struct object_pod pod;
    struct object_container container;
    int64_t chips = 0;
    buf_init(&b, 1 << 20);
    buf_format(&b,
               "{\"metadata\":{\"name\":\"p\",\"uid\":\"u\"},\"spec\":{\"containers\":[{\"name\":\"t\",\"resources\":"
               "{\"limits\":{\"cpu\":\"8\",\"%s\":\"4\"},\"requests\":{\"%s\":\"4\"}}}]}}",
               resource, resource);
    CHECK(object_pod_parse(buf_slice(&b), false, &pod) == 0);
    while (object_container_next(&pod.containers, &container))
        chips += container.chips;
    return chips;
}

/* The names that device plugins register; what is a share of a chip, or counts a device a second time, is none. */
TEST(chips_count_whatever_their_maker) {
    static const char *const counted[] = {"google.com/tpu",       "nvidia.com/gpu",         "amd.com/gpu",
                                          "habana.ai/gaudi",      "aws.amazon.com/neuron",  "gpu.intel.com/xe",
                                          "huawei.com/Ascend910", "huawei.com/Ascend910B3", "cambricon.com/mlu"};
    static const char *const others[] = {"nvidia.com/gpu.shared",     "nvidia.com/mig-1g.5gb",
                                         "aws.amazon.com/neuroncore", "aws.amazon.com/neurondevice",
                                         "huawei.com/Ascend910-16c",  "huawei.com/Ascend910B-memory",
                                         "huawei.com/Ascend",         "gpu.intel.com/i915_monitoring",
                                         "vpc.amazonaws.com/efa",     "rdma/hca"};
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        CHECK_INT(chips_of(counted[i]), 4);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        CHECK_INT(chips_of(others[i]), 0);
}

/* A pod with N sidecars before and after the container that trains. */
static void add_containers(struct buf *b, int before, int after) {
    buf_append_text(b, "{\"metadata\":{\"name\":\"p\",\"uid\":\"u\"},\"spec\":{\"containers\":[");
    for (int i = 0; i < before; i++)
        buf_format(b, "{\"name\":\"a%d\"},", i);
    buf_append_text(b, "{\"name\":\"train\",\"resources\":{\"limits\":{\"google.com/tpu\":4}}}");
    for (int i = 0; i < after; i++)
        buf_format(b, ",{\"name\":\"b%d\"}", i);
    buf_append_text(b, "]},\"status\":{\"containerStatuses\":[");
    for (int i = 0; i < before; i++)
        buf_format(b, "{\"name\":\"a%d\",\"state\":{\"running\":{}}},", i);
    buf_append_text(b, "{\"name\":\"train\",\"state\":{\"terminated\":{\"exitCode\":3}}}]}}");
}

TEST(the_container_with_chips_counts_wherever_it_is) {
    static const int before[] = {0, 15, 16, 17, MANY};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        CLEANUP_BUF struct buf b;
        struct object_pod pod;
        struct object_container container;
        struct object_container_status status;
        int found = 0, containers = 0, statuses = 0, exit_code = -1;
        buf_init(&b, 1 << 20);
        add_containers(&b, before[i], 2);
        REQUIRE(object_pod_parse(buf_slice(&b), false, &pod) == 0);
        while (object_container_next(&pod.containers, &container)) {
            containers++;
            found += slice_is(container.name, "train") && container.chips == 4;
        }
        CHECK_INT(containers, before[i] + 3);
        CHECK_INT(found, 1);
        while (object_status_next(&pod.statuses, &status)) {
            statuses++;
            exit_code = slice_is(status.name, "train") ? (int)status.exit_code : exit_code;
        }
        CHECK_INT(statuses, before[i] + 1);
        CHECK_INT(exit_code, 3);
    }
}

TEST(container_statuses_are_taken_one_by_one_whatever_they_hold) {
    static const char *const odd[] = {"[]", "", "null", "{}", "[ ]", "[1,2]", "[{}]", "\"x\""};
    static const int expected[] = {0, 0, 0, 0, 0, 2, 1, 0};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct slice rest = slice_of(odd[i]);
        struct object_container_status status;
        int count = 0;
        while (count < 10 && object_status_next(&rest, &status))
            count++;
        CHECK_INT(count, expected[i]);
    }
}

TEST(a_taint_that_ends_pods_counts_wherever_it_is) {
    CLEANUP_BUF struct buf b;
    struct object_node node;
    buf_init(&b, 1 << 20);
    buf_append_text(&b, "{\"metadata\":{\"name\":\"n0\",\"uid\":\"u\"},\"spec\":{\"taints\":[");
    for (int i = 0; i < MANY; i++)
        buf_format(&b, "{\"key\":\"team-%d\",\"effect\":\"NoSchedule\"},", i);
    buf_append_text(&b, "{\"key\":\"node.kubernetes.io/unreachable\",\"effect\":\"NoExecute\"}]}}");
    REQUIRE(object_node_parse(buf_slice(&b), &node) == 0);
    CHECK_INT(node.taint_count, 1);
    CHECK(slice_is(node.taints[0].key, "node.kubernetes.io/unreachable"));
}

/* First `idle` replicated jobs without chips, and then others with them. */
static void parse_jobset(int without, int with, struct object_jobset *jobset) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1 << 20);
    buf_append_text(&b, "{\"metadata\":{\"name\":\"js\",\"uid\":\"u\"},\"spec\":{\"replicatedJobs\":[");
    for (int i = 0; i < without + with; i++)
        buf_format(
            &b,
            "%s{\"name\":\"j%d\",\"template\":{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\","
            "\"resources\":{\"limits\":{\"google.com/tpu\":%d}}}]}}}}}",
            i > 0 ? "," : "", i, i < without ? 0 : 4);
    buf_append_text(&b, "]}}");
    REQUIRE(object_jobset_parse(buf_slice(&b), jobset) == 0);
}

static int with_chips(const struct object_jobset *jobset) {
    int n = 0;
    for (int i = 0; i < jobset->job_count; i++)
        n += jobset->jobs[i].chips > 0;
    return n;
}

TEST(replicated_jobs_with_chips_are_kept_and_one_that_is_left_out_is_counted) {
    struct object_jobset *jobset = mem_new(struct object_jobset);
    parse_jobset(MANY, 3, jobset);
    CHECK_INT(with_chips(jobset), 3);
    CHECK_INT(jobset->left_out, 0);
    parse_jobset(1, OBJECT_REPLICATED_JOBS, jobset);
    CHECK_INT(with_chips(jobset), OBJECT_REPLICATED_JOBS);
    CHECK_INT(jobset->left_out, 0);
    parse_jobset(0, OBJECT_REPLICATED_JOBS + 1, jobset);
    CHECK_INT(jobset->left_out, 1);
    parse_jobset(OBJECT_REPLICATED_JOBS + 2, 0, jobset);
    CHECK_INT(jobset->left_out, 2);
    free(jobset);
}

/* The status says so. */
TEST(a_jobset_of_too_many_replicated_jobs_is_not_ready) {
    CLEANUP_BUF struct buf b;
    struct model *m = fake_model("");
    buf_init(&b, 1 << 20);
    buf_format(&b,
               "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"uid-js\",\"creationTimestamp\":%s},"
               "\"spec\":{\"replicatedJobs\":[",
               fake_time(0));
    for (int i = 0; i <= OBJECT_REPLICATED_JOBS; i++)
        buf_format(&b, "%s{\"name\":\"j%d\",\"template\":{\"spec\":{\"parallelism\":1}}}", i > 0 ? "," : "", i);
    buf_append_text(&b, "]}}");
    CHECK_INT(model_observe(m, RESOURCE_JOBSET, OBSERVED_PRESENT, SLICE("ns"), SLICE("js"), SLICE("uid-js"),
                            buf_slice(&b), fake_ms(0.2)),
              0);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(5), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "TooManyReplicatedJobs");
    model_free(m);
}

/* Twenty times its pods were refused, minutes apart; sixteen are kept. */
TEST(more_refusals_than_are_kept_do_not_hide_the_present_one) {
    struct model *m = fake_model("");
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_job(m, 1, 1.1);
    for (int i = 0; i < 20; i++)
        fake_observe_job_event(m, "FailedCreate", "Error creating: pods is forbidden: exceeded quota: chips",
                               100 + 200 * i, 110 + 200 * i);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(3915), NULL);
    CHECK(strstr(status_text(s, "availability.message"), "exceeded quota") != NULL);
    model_free(m);
}
