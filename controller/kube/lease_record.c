#include "kube/lease_record.h"

#include "base/jscan.h"
#include "base/jwrite.h"

static void parse_count(struct jscan *j, int64_t *ret) {
    int64_t n;
    if (jscan_int(j, &n))
        *ret = n < 0 ? 0 : n > INT32_MAX ? INT32_MAX : n;
}

static void parse_spec(struct jscan *j, struct lease_record *r) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "holderIdentity"))
            jscan_string(j, r->holder, sizeof r->holder);
        else if (slice_is(key, "acquireTime"))
            jscan_string(j, r->acquire_time, sizeof r->acquire_time);
        else if (slice_is(key, "leaseDurationSeconds"))
            parse_count(j, &r->duration_s);
        else if (slice_is(key, "leaseTransitions"))
            parse_count(j, &r->transitions);
        else
            jscan_skip(j);
    }
}

static void parse_metadata(struct jscan *j, struct lease_record *r) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key))
        if (slice_is(key, "resourceVersion"))
            jscan_string(j, r->resource_version, sizeof r->resource_version);
        else
            jscan_skip(j);
}

bool lease_record_parse(struct slice body, struct lease_record *ret) {
    struct lease_record r = {0};
    struct jscan j;
    struct slice key;
    jscan_init(&j, body);
    if (jscan_object(&j))
        while (jscan_key(&j, &key)) {
            if (slice_is(key, "metadata"))
                parse_metadata(&j, &r);
            else if (slice_is(key, "spec"))
                parse_spec(&j, &r);
            else
                jscan_skip(&j);
        }
    if (jscan_error(&j, NULL) != NULL || !jscan_at_end(&j) || r.resource_version[0] == '\0')
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
    jwrite_key(&w, "metadata");
    jwrite_object(&w);
    jwrite_member_text(&w, "name", name);
    jwrite_member_text(&w, "namespace", namespace_);
    if (r->resource_version[0] != '\0')
        jwrite_member_text(&w, "resourceVersion", r->resource_version);
    jwrite_object_end(&w);
    jwrite_key(&w, "spec");
    jwrite_object(&w);
    jwrite_member_text(&w, "holderIdentity", r->holder);
    jwrite_member_int(&w, "leaseDurationSeconds", r->duration_s);
    jwrite_member_text(&w, "acquireTime", r->acquire_time);
    jwrite_member_text(&w, "renewTime", renew_time);
    jwrite_member_int(&w, "leaseTransitions", r->transitions);
    jwrite_object_end(&w);
    jwrite_object_end(&w);
}
