/* Reads ResourceClaims. Sources, Kubernetes 1.36: k8s.io/api/resource/v1 and v1beta1 types.go (fields, and the
 * annotations of claims that are made for a pod), pkg/controller/resourceclaim/controller.go (owner of a claim). */
#include "operator/objects/claim.h"

#include "base/minmax.h"
#include "formulas/chips.h"

#include <string.h>

#define MAX_CHIPS 65536 /* of one claim; a request has at most 128 devices by far */

struct reading {
    struct object_claim claim; /* first */
    struct slice reserved_uid, generated_for, is_extended;
    int64_t asked, given;
    bool is_allocated;
};

#define READING struct reading

/* One request, or one of the alternatives of firstAvailable. */
struct request {
    struct slice class_, mode;
    int64_t count;
    int64_t first; /* chips of the first alternative; -1: there are none */
};

static int64_t chips_of(const struct request *r) {
    bool is_counted = !slice_is(r->mode, "All") && chip_is_device_class(r->class_);
    return r->first >= 0 ? r->first : is_counted ? r->count : 0;
}

static const struct jmember request_fields[] = {
    JMEMBER(struct request, class_, "deviceClassName"),
    JMEMBER(struct request, mode, "allocationMode"),
    JMEMBER_WITHIN(struct request, count, "count", 1, MAX_CHIPS),
};

static void alternative_scan(struct jscan *j, void *at) {
    struct request *whole = at, one = {.count = 1, .first = -1};
    jmembers_read(j, JMEMBERS(request_fields), &one);
    if (whole->first < 0)
        whole->first = chips_of(&one);
}

static void request_scan(struct jscan *j, void *at) {
    static const struct jmember rows[] = {
        JMEMBER_OBJECT("exactly", request_fields),
        JMEMBER_ELEMENTS("firstAvailable", alternative_scan),
        JMEMBER(struct request, class_, "deviceClassName"),
        JMEMBER(struct request, mode, "allocationMode"),
        JMEMBER_WITHIN(struct request, count, "count", 1, MAX_CHIPS),
    };
    struct request r = {.count = 1, .first = -1};
    READING *reading = at;
    jmembers_read(j, JMEMBERS(rows), &r);
    reading->asked = min_of(reading->asked + chips_of(&r), MAX_CHIPS);
}

/* One device. Access for administrators leaves it to others; a share of one is not a whole chip. */
static void result_scan(struct jscan *j, void *at) {
    struct result {
        struct slice driver, device, share;
        bool is_for_admin;
    } r = {.is_for_admin = false};
    static const struct jmember rows[] = {
        JMEMBER(struct result, driver, "driver"), JMEMBER(struct result, device, "device"),
        JMEMBER(struct result, is_for_admin, "adminAccess"), JMEMBER(struct result, share, "shareID")};
    READING *reading = at;
    jmembers_read(j, JMEMBERS(rows), &r);
    reading->is_allocated = true;
    if (!r.is_for_admin && r.share.size_bytes == 0 && chip_is_device(r.driver, r.device))
        reading->given = min_of(reading->given + 1, MAX_CHIPS);
}

static void reserved_scan(struct jscan *j, void *at) {
    struct user {
        struct slice resource, uid;
    } user = {.resource = {0}};
    static const struct jmember rows[] = {JMEMBER(struct user, resource, "resource"), JMEMBER(struct user, uid, "uid")};
    READING *reading = at;
    jmembers_read(j, JMEMBERS(rows), &user);
    if (reading->reserved_uid.size_bytes == 0 && slice_is(user.resource, "pods"))
        reading->reserved_uid = user.uid;
}

static void metadata_scan(struct jscan *j, void *at) {
    static const struct jmember annotations[] = {
        JMEMBER(READING, generated_for, "resource.kubernetes.io/pod-claim-name"),
        JMEMBER(READING, is_extended, "resource.kubernetes.io/extended-resource-claim")};
    static const struct jmember rows[] = {JMEMBER_OBJECT("annotations", annotations)};
    READING *reading = at;
    struct slice raw;
    struct jscan inner;
    if (!jscan_raw(j, &raw))
        return;
    jscan_init_loose(&inner, raw);
    object_meta_scan(&inner, &reading->claim.meta);
    jscan_init_loose(&inner, raw);
    jmembers_read(&inner, JMEMBERS(rows), reading);
}

static const struct jmember spec_devices[] = {JMEMBER_ELEMENTS("requests", request_scan)};
static const struct jmember spec[] = {JMEMBER_OBJECT("devices", spec_devices)};

int object_claim_parse(struct slice json, struct object_claim *claim) {
    static const struct jmember allocated[] = {JMEMBER_ELEMENTS("results", result_scan)};
    static const struct jmember allocation[] = {JMEMBER_OBJECT("devices", allocated)};
    static const struct jmember status[] = {JMEMBER_OBJECT("allocation", allocation),
                                            JMEMBER_ELEMENTS("reservedFor", reserved_scan)};
    static const struct jmember rows[] = {JMEMBER_SELF("metadata", metadata_scan), JMEMBER_OBJECT("spec", spec),
                                          JMEMBER_OBJECT("status", status)};
    READING r;
    memset(&r, 0, sizeof r);
    object_meta_init(&r.claim.meta);
    int err = object_read(json, JMEMBERS(rows), &r);
    bool is_of_template = r.generated_for.size_bytes > 0 && slice_is(r.claim.meta.owner_kind, "Pod");
    r.claim.pod_uid = is_of_template ? r.claim.meta.owner_uid : r.reserved_uid;
    if (r.is_extended.size_bytes > 0) /* its pod asks for the same devices as an extended resource: counted there */
        r.claim.pod_uid = (struct slice){0};
    r.claim.chips = r.is_allocated ? r.given : r.asked;
    *claim = r.claim;
    return err;
}

int object_claim_template_parse(struct slice json, struct object_claim *claim) {
    static const struct jmember template_spec[] = {JMEMBER_OBJECT("spec", spec)};
    static const struct jmember rows[] = {JMEMBER_SELF("metadata", metadata_scan),
                                          JMEMBER_OBJECT("spec", template_spec)};
    READING r;
    memset(&r, 0, sizeof r);
    object_meta_init(&r.claim.meta);
    int err = object_read(json, JMEMBERS(rows), &r);
    r.claim.chips = r.asked;
    *claim = r.claim;
    return err;
}

bool object_claim_template_next(struct slice *resource_claims, struct slice *name) {
    struct reference {
        struct slice template_name;
    } reference;
    static const struct jmember rows[] = {JMEMBER(struct reference, template_name, "resourceClaimTemplateName")};
    do {
        reference.template_name = (struct slice){0};
        if (!object_element_read(resource_claims, JMEMBERS(rows), &reference))
            return false;
    } while (reference.template_name.size_bytes == 0);
    *name = reference.template_name;
    return true;
}
