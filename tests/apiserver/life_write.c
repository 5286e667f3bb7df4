#include "base/mem.h"
#include "life.h"

#include <stdio.h>
#include <string.h>

bool life_patch(struct srv *s, const char *kind, const char *ns, const char *name, json_t *steal_patch) {
    CLEANUP_JSON json_t *patch = steal_patch;
    struct object *o = kstore_find(&s->store, registry_named(&s->registry, kind), ns, name);
    if (o == NULL)
        return false;
    CLEANUP_JSON json_t *after = kstore_json(o);
    jx_strategic_patch(after, patch);
    srv_change(s, o, after, NULL, "");
    return true;
}

void life_condition_set(struct srv *s, const char *kind, const char *ns, const char *name, const char *type,
                        const char *status, const char *reason, const char *message) {
    struct object *o = kstore_find(&s->store, registry_named(&s->registry, kind), ns, name);
    char now[40];
    if (o == NULL)
        return;
    CLEANUP_JSON json_t *after = kstore_json(o);
    json_t *list = jx_array(jx_object(after, "status"), "conditions"), *c = jx_find(list, "type", type);
    if (c == NULL) {
        c = json_object();
        jx_set_text(c, "type", type);
        json_array_append_new(list, c);
    }
    srv_now_text(s, now, 0);
    if (strcmp(jx_text(c, "status"), status) != 0) {
        jx_set_text(c, "lastTransitionTime", now);
        if (strcmp(kind, "jobs") == 0)
            jx_set_text(c, "lastProbeTime", now);
    }
    jx_set_text(c, "status", status);
    jx_set(c, "reason", *reason != '\0' ? json_string(reason) : NULL);
    jx_set(c, "message", *message != '\0' ? json_string(message) : NULL);
    if (strcmp(kind, "pods") == 0)
        jx_set(c, "lastProbeTime", json_null());
    if (strcmp(kind, "workloads") == 0)
        jx_set(c, "observedGeneration", json_incref(jx_get(after, "metadata.generation")));
    srv_change(s, o, after, NULL, "");
}

void life_event(struct srv *s, enum event_style style, const char *component, const char *kind, const char *ns,
                const char *name, const char *uid, const char *type, const char *reason, const char *message) {
    char micro[40], seconds[40], suffix[17], why[200];
    const char *api = strcmp(kind, "Pod") == 0 || strcmp(kind, "Node") == 0 ? "v1"
                      : strcmp(kind, "Job") == 0                            ? "batch/v1"
                      : strcmp(kind, "JobSet") == 0                         ? "jobset.x-k8s.io/v1alpha2"
                                                                            : "kueue.x-k8s.io/v1beta2";
    srv_now_text(s, micro, 6);
    srv_now_text(s, seconds, 0);
    snprintf(suffix, sizeof suffix, "%016llx", (unsigned long long)srv_now_us(s) * 1000);
    CLEANUP_JSON json_t *e = jx_format(
        "{\"kind\":\"Event\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%.200s.%s\",\"namespace\":\"%s\"},"
        "\"involvedObject\":{\"kind\":\"%s\",%s%s%s\"name\":\"%s\",\"uid\":\"%s\",\"apiVersion\":\"%s\"},\"reason\":\"%"
        "s\","
        "\"type\":\"%s\",\"source\":{},\"firstTimestamp\":null,\"lastTimestamp\":null,\"eventTime\":null,"
        "\"reportingComponent\":\"%s\",\"reportingInstance\":\"%s\"}",
        name, suffix, *ns != '\0' ? ns : "default", kind, *ns != '\0' ? "\"namespace\":\"" : "", ns,
        *ns != '\0' ? "\"," : "", name, uid, api, reason, type, component, style == EVENT_MICRO ? "0" : "");
    jx_set_text(e, "message", message);
    if (style == EVENT_MICRO) {
        jx_set_text(e, "eventTime", micro);
    } else {
        jx_set_text(e, "source.component", component);
        jx_set_text(e, "firstTimestamp", seconds);
        jx_set_text(e, "lastTimestamp", seconds);
        jx_set(e, "count", json_integer(1));
    }
    srv_apply(s, e, why);
}
