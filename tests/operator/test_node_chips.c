/* Pods of Ray that ask for no chips and declare none, on nodes whose labels count them. A head "c-head" on node "cpu",
 * and workers on other nodes. */
#include "base/mem.h"
#include "harness.h"
#include "kinds.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define GPU_SELECTOR "\"nodeSelector\":{\"nvidia.com/gpu.present\":\"true\"},"
#define GPU_LABELS "\"nvidia.com/gpu.count\":\"8\",\"nvidia.com/gpu.product\":\"NVIDIA-H100-80GB-HBM3\""
#define OWNER(kind, name)                                                                                              \
    "\"ownerReferences\":[{\"controller\":true,\"kind\":\"" kind "\",\"name\":\"" name "\",\"uid\":\"uid-" name "\"}]"

static char *pod_meta(int index, int attempt) {
    (void)attempt;
    return mem_format("\"labels\":{\"ray.io/cluster\":\"rc\",\"ray.io/group\":\"%s\"}," OWNER("RayCluster", "rc"),
                      index < 0 ? "headgroup" : "slice");
}

static const struct kind_shape shape = {"ray.io", "RayJob", RESOURCE_RAYJOB, NULL, pod_meta, NULL};

/* selector: members of a pod template's spec; more: members of the group of workers. */
static void observe_run(struct model *m, const char *head_selector, const char *selector, const char *more, double at) {
    CLEANUP_FREE char *spec =
        mem_format("\"headGroupSpec\":{\"template\":{\"spec\":{%s\"containers\":[{\"name\":\"ray-head\"}]}}},"
                   "\"workerGroupSpecs\":[{\"groupName\":\"slice\",\"replicas\":2,\"template\":{\"spec\":{%s"
                   "\"containers\":[{\"name\":\"main\"}]}}%s}]",
                   head_selector, selector, more);
    CLEANUP_FREE char *rayjob =
        mem_format("{\"metadata\":{\"creationTimestamp\":%s,\"name\":\"js\",\"namespace\":\"ns\",\"uid\":\"uid-js\"},"
                   "\"spec\":{\"rayClusterSpec\":{%s}}}",
                   fake_time(0), spec);
    CLEANUP_FREE char *cluster =
        mem_format("{\"metadata\":{\"creationTimestamp\":%s,\"name\":\"rc\",\"namespace\":\"ns\"," OWNER(
                       "RayJob", "js") ",\"uid\":\"uid-rc\"},\"spec\":{%s}}",
                   fake_time(1), spec);
    fake_observe(m, RESOURCE_RAYJOB, OBSERVED_PRESENT, "js", "uid-js", rayjob, at);
    fake_observe(m, RESOURCE_RAYCLUSTER, OBSERVED_PRESENT, "rc", "uid-rc", cluster, at);
}

static struct fake_pod worker(const char *name, const char *node, int created) {
    struct fake_pod p = fake_started(name, strcmp(name, "head") == 0 ? -1 : 0, created, created + 1, created + 2);
    p.chips = 0;
    p.node = node;
    return p;
}

static void observe_worker(struct model *m, const char *name, const char *node, int created, double at) {
    struct fake_pod p = worker(name, node, created);
    kind_observe_pod(m, &shape, &p, 0, OBSERVED_PRESENT, at);
}

static void observe_nodes(struct model *m, const char *labels, double at) {
    fake_observe_node(m, "cpu", "True", 0, "", "", at);
    fake_observe_node(m, "n1", "True", 0, labels, "", at);
    fake_observe_node(m, "n2", "True", 0, labels, "", at);
}

static void observe_pods(struct model *m, const char *head_node) {
    observe_worker(m, "head", head_node, 2, 5);
    observe_worker(m, "w1", "n1", 2, 5);
    observe_worker(m, "w2", "n2", 2, 5);
}

static struct model *new_model(void) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    kind_observe_jobgoodput(m, &shape, "", 0);
    return m;
}

struct rule_case {
    const char *selector, *more, *labels;
    int chips; /* of each worker */
};

/* In three orders: nodes, pods, RayCluster; pods first; nodes last. */
static void check_case(const struct rule_case *c) {
    for (int order = 0; order < 3; order++) {
        struct model *m = new_model();
        if (order == 0)
            observe_nodes(m, c->labels, 1);
        if (order != 2)
            observe_pods(m, "cpu");
        observe_run(m, "", c->selector, c->more, 6);
        if (order == 2)
            observe_pods(m, "cpu");
        if (order != 0)
            observe_nodes(m, c->labels, 7);
        CLEANUP_FREE char *s = fake_status(m, 3603);
        CLEANUP_FREE char *hours = mem_format("%d.000", 2 * c->chips);
        CHECK_INT(status_int(s, "target.chips"), c->chips > 0 ? 2 * c->chips : -1);
        CHECK_TEXT(status_text(s, "acceleratorHours.allocated"), c->chips > 0 ? hours : "");
        CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Accounted");
        model_free(m);
    }
}

#define TERM(key, operator_)                                                                                           \
    "{\"matchExpressions\":[{\"key\":\"" key "\",\"operator\":\"" operator_ "\",\"values\":[\"x\"]}]}"
#define AFFINITY(terms)                                                                                                \
    "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"nodeSelectorTerms\":"       \
    "[" terms "]}}},"

TEST(ray_workers_have_the_chips_that_the_labels_of_their_nodes_count) {
    static const struct rule_case cases[] = {
        {GPU_SELECTOR, "", GPU_LABELS, 8},
        {"\"nodeSelector\":{\"cloud.google.com/gke-tpu-accelerator\":\"tpu-v6e-slice\"},", "",
         "\"cloud.google.com/gke-accelerator-count\":\"4\"", 4},
        {"\"nodeSelector\":{\"karpenter.k8s.aws/instance-gpu-name\":\"h100\"},", "",
         "\"karpenter.k8s.aws/instance-gpu-count\":\"8\"," GPU_LABELS, 8}, /* two labels count the same chips */
        {AFFINITY(TERM("nvidia.com/gpu.product", "In")), "", GPU_LABELS, 8},
        {AFFINITY(TERM("nvidia.com/gpu.product", "In") "," TERM("karpenter.azure.com/sku-gpu-count", "Gt")), "",
         GPU_LABELS, 8},
        /* not bound to accelerators */
        {"", "", GPU_LABELS, 0},
        {"\"nodeSelector\":{\"kubernetes.io/arch\":\"amd64\"},", "", GPU_LABELS, 0},
        {AFFINITY(TERM("nvidia.com/gpu.product", "In") "," TERM("kubernetes.io/arch", "In")), "", GPU_LABELS, 0},
        {AFFINITY(TERM("nvidia.com/gpu.product", "NotIn")), "", GPU_LABELS, 0},
        {AFFINITY(""), "", GPU_LABELS, 0},
        /* declared, even that there are none */
        {GPU_SELECTOR, ",\"rayStartParams\":{\"num-gpus\":\"2\"}", GPU_LABELS, 2},
        {GPU_SELECTOR, ",\"rayStartParams\":{\"num-gpus\":\"0\"}", GPU_LABELS, 0},
        /* labels that count no whole chips */
        {GPU_SELECTOR, "", "\"nvidia.com/gpu.product\":\"NVIDIA-H100-80GB-HBM3\"", 0},
        {GPU_SELECTOR, "", "\"nvidia.com/gpu.count\":\"56\",\"nvidia.com/gpu.product\":\"NVIDIA-A100-MIG-1g.5gb\"", 0},
        {GPU_SELECTOR, "", "\"nvidia.com/gpu.count\":\"-8\"", 0},
        {GPU_SELECTOR, "", "\"nvidia.com/gpu.count\":\"1e9\"", 0},
        {GPU_SELECTOR, "", "\"nvidia.com/gpu.count\":\"99999\"", 0},
        {GPU_SELECTOR, "", "\"nvidia.com/gpu.count\":\"0\"", 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        check_case(&cases[i]);
}

/* Also where the head came to run on a node with accelerators, without selecting it. */
TEST(a_ray_head_has_chips_only_where_it_selects_accelerators) {
    static const struct {
        const char *selector, *node;
        int required, chips;
    } cases[] = {{"", "cpu", 2, 16}, {"", "n1", 2, 16}, {GPU_SELECTOR, "n3", 3, 24}, {GPU_SELECTOR, "cpu", 3, 24}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct model *m = new_model();
        observe_nodes(m, GPU_LABELS, 1);
        fake_observe_node(m, "n3", "True", 0, GPU_LABELS, "", 1);
        observe_run(m, cases[i].selector, GPU_SELECTOR, "", 1.5);
        observe_pods(m, cases[i].node);
        CLEANUP_FREE char *s = fake_status(m, 3603);
        CHECK_INT(status_int(s, "availability.required"), cases[i].required);
        bool has_all = strcmp(cases[i].node, "n3") == 0;
        CHECK_TEXT(status_text(s, "acceleratorHours.allocated"), has_all ? "24.000" : "16.000");
        CHECK_TEXT(status_text(s, "target.accelerator"), "H100 SXM");
        model_free(m);
    }
}

static bool says_that_nodes_are_shared(const char *status) {
    return strstr(status_text(status, "conditions[type=Ready].message"), "pods of slice share a node") != NULL;
}

/* Nothing says how many each of them uses. */
TEST(ray_workers_that_share_a_node_have_no_chips) {
    for (int late = 0; late < 2; late++) {
        struct model *m = new_model();
        observe_nodes(m, GPU_LABELS, 1);
        observe_run(m, "", GPU_SELECTOR, "", 1.5);
        observe_worker(m, "w1", "n1", 2, 5);
        if (late) {
            CLEANUP_FREE char *alone = fake_status(m, 10);
            CHECK_INT(status_int(alone, "target.chips"), 16);
        }
        observe_worker(m, "w2", "n1", late ? 20 : 2, late ? 25 : 5);
        CLEANUP_FREE char *s = fake_status(m, 100);
        CHECK_INT(status_int(s, "target.chips"), -1);
        CHECK_TEXT(status_text(s, "acceleratorHours.allocated"), "");
        CHECK_INT(status_int(s, "availability.required"), 2);
        CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Accounted");
        CHECK(says_that_nodes_are_shared(s));
        struct fake_pod first = worker("w1", "n1", 2);
        first.asked_to_go = 200;
        kind_observe_pod(m, &shape, &first, 0, OBSERVED_DELETED, 201);
        CLEANUP_FREE char *after = fake_status(m, 300);
        CHECK_INT(status_int(after, "target.chips"), -1);
        CHECK(says_that_nodes_are_shared(after));
        model_free(m);
    }
}

/* KubeRay replaces a pod while the one before it ends, and the scheduler sees the node as free. */
TEST(a_ray_worker_shares_no_node_with_the_one_that_it_replaces) {
    for (int is_unobserved = 0; is_unobserved < 2; is_unobserved++) {
        struct model *m = new_model();
        observe_nodes(m, GPU_LABELS, 1);
        observe_run(m, "", GPU_SELECTOR, "", 1.5);
        observe_pods(m, "cpu");
        free(fake_status(m, 50));
        struct fake_pod first = worker("w1", "n1", 2);
        first.asked_to_go = 100;
        if (!is_unobserved)
            kind_observe_pod(m, &shape, &first, 0, OBSERVED_PRESENT, 100.5);
        observe_worker(m, "w3", "n1", 101, 104); /* in a list, the first is missing: that shows at its end */
        free(replay_status(m, "ns", "js", fake_ms(105), NULL));
        fake_observe(m, RESOURCE_POD, OBSERVED_VANISHED, "w1", "uid-w1", NULL, 106);
        CLEANUP_FREE char *s = fake_status(m, 3606);
        CHECK_INT(status_int(s, "target.chips"), 16);
        CHECK(!says_that_nodes_are_shared(s));
        CHECK_INT(status_int(s, "availability.available"), 2);
        CHECK_TEXT(status_text(s, "acceleratorHours.allocated"), is_unobserved ? "15.898" : "16.010");
        model_free(m);
    }
}

static struct model *successor(const char *status, double at) {
    CLEANUP_FREE char *left = replay_left(status);
    struct model *next = model_new(&(struct model_options){.keeps_checkpoints = true});
    kind_observe_jobgoodput(next, &shape, left, at);
    return next;
}

/* The successor reads pods before nodes, and may find that a node is deleted. */
TEST(the_chips_of_nodes_are_continued_from_a_checkpoint) {
    struct model *m = new_model();
    observe_nodes(m, GPU_LABELS, 1);
    observe_run(m, "", GPU_SELECTOR, "", 1.5);
    observe_pods(m, "cpu");
    CLEANUP_FREE char *s = fake_status(m, 1803);
    CHECK_TEXT(status_text(s, "acceleratorHours.allocated"), "8.000");
    model_free(m);
    struct model *next = successor(s, 1810);
    observe_pods(next, "cpu");
    observe_run(next, "", GPU_SELECTOR, "", 1812);
    CLEANUP_FREE char *after = fake_status(next, 3603);
    CHECK_INT(status_int(after, "target.chips"), 16);
    CHECK_TEXT(status_text(after, "acceleratorHours.allocated"), "16.000");
    model_free(next);
}

TEST(that_ray_workers_shared_a_node_is_continued_from_a_checkpoint) {
    struct model *m = new_model();
    observe_nodes(m, GPU_LABELS, 1);
    observe_run(m, "", GPU_SELECTOR, "", 1.5);
    observe_worker(m, "w1", "n1", 2, 5);
    observe_worker(m, "w2", "n1", 2, 5);
    CLEANUP_FREE char *s = fake_status(m, 100);
    CHECK(says_that_nodes_are_shared(s));
    model_free(m);
    struct model *next = successor(s, 110);
    observe_nodes(next, GPU_LABELS, 110);
    observe_worker(next, "w2", "n1", 2, 111);
    observe_run(next, "", GPU_SELECTOR, "", 112);
    fake_observe(next, RESOURCE_POD, OBSERVED_VANISHED, "w1", "uid-w1", NULL, 113);
    CLEANUP_FREE char *after = fake_status(next, 3603);
    CHECK_TEXT(status_text(after, "acceleratorHours.allocated"), "");
    CHECK(says_that_nodes_are_shared(after));
    model_free(next);
}

/* What a deleted pod had stays in the sums. */
TEST(chips_of_nodes_stay_known_when_pods_are_forgotten) {
    struct model *m = model_new(&(struct model_options){.forget_after_ms = 1});
    kind_observe_jobgoodput(m, &shape, "", 0);
    observe_nodes(m, GPU_LABELS, 1);
    observe_run(m, "", GPU_SELECTOR, "", 1.5);
    observe_pods(m, "cpu");
    free(fake_status(m, 1000));
    struct fake_pod first = worker("w1", "n1", 2);
    first.asked_to_go = 1803;
    kind_observe_pod(m, &shape, &first, 0, OBSERVED_DELETED, 1804);
    for (int at = 1900; at < 3600; at += 100)
        free(fake_status(m, at));
    CLEANUP_FREE char *s = fake_status(m, 3603);
    CHECK_TEXT(status_text(s, "acceleratorHours.allocated"), "12.000");
    model_free(m);
}
