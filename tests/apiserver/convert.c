/* Between the stored form of a kind and its other versions and groups: events of v1 are events.k8s.io/v1 too, Workloads
 * of v1beta2 are v1beta1 too. */
#include "srv.h"

#include <stdio.h>
#include <string.h>

bool convert_is_identity(const struct resource *t, const char *group, const char *version) {
    return strcmp(group, t->group) == 0 && strcmp(version, t->storage_version) == 0;
}

static void rename_field(json_t *object, const char *from, const char *to) {
    json_t *value = json_object_get(object, from);
    if (value != NULL) {
        json_object_set(object, to, value);
        json_object_del(object, from);
    }
}

static const struct {
    const char *core, *events;
} event_fields[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

void convert_out(const struct resource *t, const char *group, const char *version, json_t *object) {
    char api[200];
    snprintf(api, sizeof api, "%s%s%s", group, *group != '\0' ? "/" : "", version);
    jx_set_text(object, "apiVersion", api);
    if (strcmp(group, "events.k8s.io") == 0)
        for (size_t i = 0; i < sizeof event_fields / sizeof event_fields[0]; i++)
            rename_field(object, event_fields[i].core, event_fields[i].events);
    json_t *priority = jx_get(object, "spec.priorityClassRef");
    if (strcmp(t->plural, "workloads") == 0 && strcmp(version, "v1beta1") == 0 && priority != NULL) {
        json_object_set(jx_get(object, "spec"), "priorityClassName", json_object_get(priority, "name"));
        jx_set_text(object, "spec.priorityClassSource", "kueue.x-k8s.io/workloadpriorityclass");
        jx_set(object, "spec.priorityClassRef", NULL);
    }
}

void convert_in(const struct resource *t, json_t *object) {
    char api[200];
    bool is_new_event = strncmp(jx_text(object, "apiVersion"), "events.k8s.io/", 14) == 0;
    if (is_new_event)
        for (size_t i = 0; i < sizeof event_fields / sizeof event_fields[0]; i++)
            rename_field(object, event_fields[i].events, event_fields[i].core);
    const char *priority = jx_text(object, "spec.priorityClassName");
    if (strcmp(t->plural, "workloads") == 0 && *priority != '\0') {
        json_t *ref = jx_format("{\"group\":\"kueue.x-k8s.io\",\"kind\":\"WorkloadPriorityClass\"}");
        jx_set_text(ref, "name", priority);
        jx_set(object, "spec.priorityClassRef", ref);
        jx_set(object, "spec.priorityClassName", NULL);
        jx_set(object, "spec.priorityClassSource", NULL);
    }
    jx_set_text(object, "apiVersion", resource_api_version(t, t->storage_version, api));
}
