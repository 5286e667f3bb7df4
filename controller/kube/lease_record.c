#include "kube/lease_record.h"

#include "base/jmembers.h"
#include "base/jwrite.h"

static void parse_count(struct jscan *j, void *count) {
    int64_t n;
    if (jscan_int(j, &n))
        *(int64_t *)count = n < 0 ? 0 : n > INT32_MAX ? INT32_MAX : n;
}

bool lease_record_parse(struct slice body, struct lease_record *ret) {
    typedef struct lease_record record;
    static const struct jmember metadata[] = {JMEMBER(record, resource_version, "resourceVersion")};
    static const struct jmember spec[] = {
        JMEMBER(record, holder, "holderIdentity"),
        JMEMBER_FIELD(record, duration_s, "leaseDurationSeconds", parse_count),
        JMEMBER(record, acquire_time, "acquireTime"),
        JMEMBER_FIELD(record, transitions, "leaseTransitions", parse_count),
    };
    static const struct jmember rows[] = {JMEMBER_OBJECT("metadata", metadata), JMEMBER_OBJECT("spec", spec)};
    struct lease_record r = {0};
    if (!jmembers_parse(body, JMEMBERS(rows), &r) || r.resource_version[0] == '\0')
        return false;
    *ret = r;
    return true;
}

void lease_record_write(const struct lease_record *r, const char *namespace_, const char *name, const char *renew_time,
                        struct buf *out) {
    struct jwrite w;
    jwrite_init(&w, out);
    jwrite_object(&w);
    jwrite_member_text(&w, "apiVersion", "coordination.k8s.io/v1");
    jwrite_member_text(&w, "kind", "Lease");
    jwrite_member_object(&w, "metadata");
    jwrite_member_text(&w, "name", name);
    jwrite_member_text(&w, "namespace", namespace_);
    if (r->resource_version[0] != '\0')
        jwrite_member_text(&w, "resourceVersion", r->resource_version);
    jwrite_object_end(&w);
    jwrite_member_object(&w, "spec");
    jwrite_member_text(&w, "holderIdentity", r->holder);
    jwrite_member_int(&w, "leaseDurationSeconds", r->duration_s);
    jwrite_member_text(&w, "acquireTime", r->acquire_time);
    jwrite_member_text(&w, "renewTime", renew_time);
    jwrite_member_int(&w, "leaseTransitions", r->transitions);
    jwrite_object_end(&w);
    jwrite_object_end(&w);
}
