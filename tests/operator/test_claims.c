/* Chips that pods ask for by ResourceClaims (Dynamic Resource Allocation). The objects are as Kubernetes 1.36 writes
 * them; the sources that controller/operator/objects/claim.c names. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "operator/objects/claim.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* ---- what one claim asks for ---- */

static int64_t chips_of(const char *spec, const char *status) {
    CLEANUP_FREE char *json = mem_format("{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceClaim\","
                                         "\"metadata\":{\"name\":\"c\",\"namespace\":\"ns\",\"uid\":\"u\"},"
                                         "\"spec\":{\"devices\":{\"requests\":[%s]}},\"status\":{%s}}",
                                         spec, status);
    struct object_claim claim;
    CHECK_INT(object_claim_parse(slice_of(json), &claim), 0);
    return claim.chips;
}

#define RESULT(driver, device, more)                                                                                   \
    "{\"device\":\"" device "\",\"driver\":\"" driver "\",\"pool\":\"n0\",\"request\":\"r\"" more "}"
#define ALLOCATED(results) "\"allocation\":{\"devices\":{\"results\":[" results "]}}"

TEST(a_claim_asks_for_the_chips_of_its_requests) {
    static const struct {
        const char *requests, *status;
        int chips;
    } cases[] = {
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu.nvidia.com\",\"allocationMode\":\"ExactCount\","
         "\"count\":"
         "8}}",
         "", 8},
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"tpu.google.com\"}}", "", 1},
        /* v1beta1 */
        {"{\"name\":\"r\",\"deviceClassName\":\"gpu.nvidia.com\",\"allocationMode\":\"ExactCount\",\"count\":4}", "",
         4},
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu.amd.com\",\"count\":2}},{\"name\":\"nic\",\"exactly\":"
         "{"
         "\"deviceClassName\":\"dra.net\",\"count\":2}}",
         "", 2},
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"mig.nvidia.com\",\"count\":2}}", "", 0},
        {"{\"name\":\"r\",\"firstAvailable\":[{\"name\":\"a\",\"deviceClassName\":\"gpu.nvidia.com\",\"count\":4},{"
         "\"name\":\"b\",\"deviceClassName\":\"gpu.amd.com\",\"count\":8}]}",
         "", 4},
        /* how many All is shows once they are allocated; so does what a class of a site's own name gives */
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu.nvidia.com\",\"allocationMode\":\"All\"}}", "", 0},
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu.nvidia.com\",\"allocationMode\":\"All\"}}",
         ALLOCATED(RESULT("gpu.nvidia.com", "gpu-0", "") "," RESULT("gpu.nvidia.com", "gpu-1", "")), 2},
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"our-h100\",\"count\":1}}",
         ALLOCATED(RESULT("gpu.nvidia.com", "gpu-0", "")), 1},
        {"{\"name\":\"r\",\"firstAvailable\":[{\"name\":\"a\",\"deviceClassName\":\"gpu.nvidia.com\",\"count\":4},{"
         "\"name\":\"b\",\"deviceClassName\":\"gpu.amd.com\",\"count\":2}]}",
         ALLOCATED(RESULT("gpu.amd.com", "gpu-0", "") "," RESULT("gpu.amd.com", "gpu-1", "")), 2},
        /* a share, a partition, and what administrators look at are no chips */
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu.nvidia.com\"}}",
         ALLOCATED(RESULT("gpu.nvidia.com", "gpu-0-mig-1g.12gb-0", "")), 0},
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu.nvidia.com\"}}",
         ALLOCATED(RESULT("gpu.nvidia.com", "gpu-0", ",\"shareID\":\"s\"")), 0},
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu.nvidia.com\"}}",
         ALLOCATED(RESULT("gpu.nvidia.com", "gpu-0", ",\"adminAccess\":true")), 0},
        /* out of bounds */
        {"{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"gpu.nvidia.com\",\"count\":-3}}", "", 1},
        {"{\"name\":\"r\",\"exactly\":7},3,{\"name\":\"s\",\"firstAvailable\":[{}]}", "", 0},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        CHECK_INT(chips_of(cases[i].requests, cases[i].status), cases[i].chips);
}

/* ---- of which pod it is ---- */

static bool is_of(const char *metadata, const char *status, const char *pod_uid) {
    CLEANUP_FREE char *json =
        mem_format("{\"metadata\":{\"name\":\"c\",\"uid\":\"u\"%s},\"status\":{%s}}", metadata, status);
    struct object_claim claim;
    return object_claim_parse(slice_of(json), &claim) == 0 && slice_is(claim.pod_uid, pod_uid);
}

#define RESERVED                                                                                                       \
    "\"reservedFor\":[{\"apiGroup\":\"g\",\"resource\":\"others\",\"name\":\"o\",\"uid\":\"o\"},{\"resource\":"        \
    "\"pods\","                                                                                                        \
    "\"name\":\"a\",\"uid\":\"a\"},{\"resource\":\"pods\",\"name\":\"b\",\"uid\":\"b\"}]"
#define OWNED                                                                                                          \
    "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p\",\"uid\":\"p\",\"controller\":true}]"

TEST(a_claim_is_of_the_pod_it_was_made_for_or_of_the_first_that_has_it) {
    CHECK(is_of(",\"annotations\":{\"resource.kubernetes.io/pod-claim-name\":\"gpus\"}," OWNED, "", "p"));
    CHECK(is_of("", "", ""));
    CHECK(is_of("", RESERVED, "a"));
    /* The scheduler made it for an extended resource, which the container asks for. */
    CHECK(is_of(",\"annotations\":{\"resource.kubernetes.io/extended-resource-claim\":\"true\"}," OWNED, RESERVED, ""));
}

/* ---- a job ---- */

/* A driver without devices, and two workers of four each. */
static void observe_jobset(struct model *m, double at) {
    fake_observe_node(m, "n0", "True", 0, "", "", at);
    fake_observe(
        m, RESOURCE_JOBSET, OBSERVED_PRESENT, "js", "uid-js",
        "{\"metadata\":{\"name\":\"js\",\"namespace\":\"ns\",\"uid\":\"uid-js\",\"creationTimestamp\":"
        "\"2026-11-21T02:00:00Z\"},\"spec\":{\"replicatedJobs\":[{\"name\":\"driver\",\"replicas\":1,\"template\":{"
        "\"spec\":{\"parallelism\":1,\"completions\":1,\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}"
        "}}},{\"name\":\"slice\",\"replicas\":1,\"template\":{\"spec\":{\"parallelism\":2,\"completions\":2,"
        "\"template\":{\"spec\":{\"containers\":[{\"name\":\"trainer\",\"resources\":{\"claims\":[{\"name\":"
        "\"gpus\"}]}}],\"resourceClaims\":[{\"name\":\"gpus\",\"resourceClaimTemplateName\":\"four\"}]}}}}}]}}",
        at);
}

static void observe_pod(struct model *m, const char *name, int index, double at) {
    struct fake_pod p = fake_started(name, index, 10, 20, 22);
    p.chips = 0;
    p.node = "n0";
    p.container_more = ",\"resources\":{\"claims\":[{\"name\":\"gpus\"}]}";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, at);
}

static void observe_claim(struct model *m, const char *pod, enum observed what, double at) {
    CLEANUP_FREE char *name = mem_format("%s-gpus-x", pod), *uid = mem_format("claim-%s", pod);
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\",\"uid\":\"%s\",\"annotations\":{"
        "\"resource.kubernetes.io/"
        "pod-claim-name\":\"gpus\"},\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\","
        "\"name\":\"%s\",\"uid\":\"uid-%s\",\"controller\":true}]},\"spec\":{\"devices\":{\"requests\":[{\"name\":"
        "\"r\","
        "\"exactly\":{\"deviceClassName\":\"gpu.nvidia.com\",\"allocationMode\":\"ExactCount\",\"count\":4}}]}}}",
        name, uid, pod, pod);
    fake_observe(m, RESOURCE_RESOURCECLAIM, what, name, uid, json, at);
}

/* Two pods of four chips, from 20 to 3620; three slots were required until it was known that the driver has none. */
static void check_hours(struct model *m) {
    CLEANUP_FREE char *s = fake_status(m, 3620);
    CHECK_TEXT(status_text(s, "acceleratorHours.allocated"), "8.000");
    CHECK_INT(status_int(s, "availability.required"), 2);
    CHECK_INT(status_int(s, "availability.available"), 2);
}

TEST(pods_have_the_chips_of_their_claims_in_any_order) {
    static const char *const orders[] = {"jpqcd", "jpcqd", "cdjpq", "pqcdj", "cpdqj", "pjcqd"};
    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        struct model *m = fake_model("");
        for (const char *what = orders[i]; *what; what++) {
            if (*what == 'j')
                observe_jobset(m, 0.2);
            else if (*what == 'p' || *what == 'q')
                observe_pod(m, *what == 'p' ? "p" : "q", *what == 'q', 23);
            else
                observe_claim(m, *what == 'c' ? "p" : "q", OBSERVED_PRESENT, 23);
        }
        check_hours(m);
        model_free(m);
    }
}

/* A ResourceClaimTemplate, in the shapes of the API's versions: v1 and v1beta2, v1beta1. */
static void observe_template(struct model *m, const char *name, bool is_v1beta1, const char *class_, int count,
                             double at) {
    CLEANUP_FREE char *request =
        mem_format("\"deviceClassName\":\"%s\",\"allocationMode\":\"ExactCount\",\"count\":%d", class_, count);
    CLEANUP_FREE char *uid = mem_format("template-%s", name);
    CLEANUP_FREE char *json = mem_format(
        "{\"apiVersion\":\"resource.k8s.io/%s\",\"kind\":\"ResourceClaimTemplate\",\"metadata\":{\"name\":\"%s\","
        "\"namespace\":\"ns\",\"uid\":\"%s\"},\"spec\":{\"metadata\":{\"labels\":{}},\"spec\":{\"devices\":{"
        "\"requests\":[{\"name\":\"r\",%s%s%s}]}}}}",
        is_v1beta1 ? "v1beta1" : "v1", name, uid, is_v1beta1 ? "" : "\"exactly\":{", request, is_v1beta1 ? "" : "}");
    fake_observe(m, RESOURCE_RESOURCECLAIMTEMPLATE, OBSERVED_PRESENT, name, uid, json, at);
}

/* No pod exists yet: which replicated job has the chips, and how many the job waits for. */
TEST(a_queued_job_asks_for_the_chips_of_its_claim_templates) {
    for (int order = 0; order < 4; order++) {
        struct model *m = fake_model("");
        if (order % 2 == 0)
            observe_jobset(m, 0.2);
        observe_template(m, "four", order / 2, "gpu.nvidia.com", 4, 0.3);
        observe_template(m, "network", order / 2, "dra.net", 8, 0.3);
        if (order % 2 != 0)
            observe_jobset(m, 0.4);
        CLEANUP_FREE char *queued = fake_status(m, 3600);
        CHECK_INT(status_int(queued, "availability.required"), 2); /* not the driver */
        CHECK_INT(status_int(queued, "target.chips"), 8);
        CHECK_TEXT(status_text(queued, "acceleratorHours.waiting"), "8.000");
        model_free(m);
    }
}

/* The claims of its pods are those of the template, and another namespace's or a deleted template's are nothing. */
TEST(the_chips_of_a_claim_template_count_once) {
    struct model *m = fake_model("");
    observe_template(m, "four", false, "gpu.nvidia.com", 4, 0.1);
    observe_jobset(m, 0.2);
    observe_pod(m, "p", 0, 23);
    observe_pod(m, "q", 1, 23);
    observe_claim(m, "p", OBSERVED_PRESENT, 23);
    observe_claim(m, "q", OBSERVED_PRESENT, 23);
    observe_template(m, "four", false, "gpu.nvidia.com", 4, 24);
    fake_observe(m, RESOURCE_RESOURCECLAIMTEMPLATE, OBSERVED_DELETED, "four", "template-four", "{}", 25);
    observe_jobset(m, 30);
    check_hours(m);
    model_free(m);
}

TEST(claim_templates_that_may_not_be_read_are_missed_by_the_jobs_that_name_one) {
    for (int has_claims = 0; has_claims < 2; has_claims++) {
        struct model *m = fake_model("");
        if (has_claims)
            observe_jobset(m, 0.2);
        else
            fake_observe_jobset(m, 1, "", "", 0.2);
        model_forbidden(m, RESOURCE_RESOURCECLAIMTEMPLATE, slice_of(""), "templates are forbidden", TIME_UNKNOWN);
        CLEANUP_FREE char *s = fake_status(m, 100);
        CHECK_TEXT(status_text(s, "conditions[type=PermissionMissing].message"),
                   has_claims ? "templates are forbidden" : "");
        model_free(m);
    }
}

/* Observed twice, changed and deleted with its pod: the chips were there. */
TEST(a_claim_counts_once_and_its_deletion_takes_nothing_away) {
    struct model *m = fake_model("");
    observe_jobset(m, 0.2);
    observe_pod(m, "p", 0, 23);
    observe_pod(m, "q", 1, 23);
    for (int i = 0; i < 3; i++) {
        observe_claim(m, "p", OBSERVED_PRESENT, 23 + i);
        observe_claim(m, "q", OBSERVED_PRESENT, 23 + i);
    }
    observe_jobset(m, 30);
    observe_claim(m, "p", OBSERVED_DELETED, 31);
    fake_observe(m, RESOURCE_RESOURCECLAIM, OBSERVED_VANISHED, "q-gpus-x", "claim-q", NULL, 32);
    fake_observe(m, RESOURCE_RESOURCECLAIM, OBSERVED_VANISHED, "q-gpus-x", "claim-q", NULL, 33);
    observe_pod(m, "p", 0, 34);
    check_hours(m);
    model_free(m);
}

/* The claims of the first controller's time are no longer there when the second one starts. */
TEST(a_successor_knows_the_chips_of_claims_that_are_no_longer_there) {
    struct model *m = fake_successor(NULL);
    observe_jobset(m, 0.2);
    observe_pod(m, "p", 0, 23);
    observe_pod(m, "q", 1, 23);
    observe_claim(m, "p", OBSERVED_PRESENT, 23);
    observe_claim(m, "q", OBSERVED_PRESENT, 23);
    CLEANUP_FREE char *status = fake_status(m, 100);
    model_free(m);
    m = fake_successor(status);
    observe_jobset(m, 101);
    observe_pod(m, "p", 0, 101);
    observe_pod(m, "q", 1, 101);
    check_hours(m);
    model_free(m);
}

TEST(claims_that_may_not_be_read_are_missed_by_the_jobs_that_have_some) {
    for (int has_claims = 0; has_claims < 2; has_claims++) {
        struct model *m = fake_model("");
        struct fake_pod plain = fake_running("p", "n0", 1);
        if (has_claims) {
            observe_jobset(m, 0.2);
            observe_pod(m, "p", 0, 23);
        } else {
            fake_observe_jobset(m, 1, "", "", 0.2);
            fake_observe_pod(m, &plain, OBSERVED_PRESENT, 4);
        }
        model_forbidden(m, RESOURCE_RESOURCECLAIM, slice_of(""), "resourceclaims is forbidden", TIME_UNKNOWN);
        CLEANUP_FREE char *s = fake_status(m, 100);
        CHECK_TEXT(status_text(s, "conditions[type=PermissionMissing].message"),
                   has_claims ? "resourceclaims is forbidden" : "");
        model_free(m);
    }
}
