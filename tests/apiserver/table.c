/* Tables as kubectl prints them: columns of the CRD's additionalPrinterColumns, or of a list of our own in the same
 * form for built-in kinds, with a few computed cells. */
#include "base/mem.h"
#include "base/rfc3339.h"
#include "srv.h"

#include <stdio.h>
#include <string.h>

struct column {
    const char *plural, *name, *type, *path;
    int priority;
};

/* A path that begins with '@' is computed by cell_computed(). */
static const struct column columns[] = {
    {"pods", "Name", "string", ".metadata.name", 0},
    {"pods", "Ready", "string", "@ready", 0},
    {"pods", "Status", "string", "@podstatus", 0},
    {"pods", "Restarts", "string", "@restarts", 0},
    {"pods", "Age", "date", ".metadata.creationTimestamp", 0},
    {"pods", "IP", "string", ".status.podIP", 1},
    {"pods", "Node", "string", ".spec.nodeName", 1},
    {"nodes", "Name", "string", ".metadata.name", 0},
    {"nodes", "Status", "string", "@nodestatus", 0},
    {"nodes", "Roles", "string", "@none", 0},
    {"nodes", "Age", "date", ".metadata.creationTimestamp", 0},
    {"nodes", "Version", "string", ".status.nodeInfo.kubeletVersion", 0},
    {"jobs", "Name", "string", ".metadata.name", 0},
    {"jobs", "Status", "string", "@jobstatus", 0},
    {"jobs", "Completions", "string", "@completions", 0},
    {"jobs", "Age", "date", ".metadata.creationTimestamp", 0},
    {"jobsets", "Name", "string", ".metadata.name", 0},
    {"jobsets", "TerminalState", "string", ".status.terminalState", 0},
    {"jobsets", "Restarts", "integer", ".status.restarts", 0},
    {"jobsets", "Completed", "string", ".status.conditions[?(@.type==\"Completed\")].status", 0},
    {"jobsets", "Suspended", "string", ".spec.suspend", 0},
    {"jobsets", "Age", "date", ".metadata.creationTimestamp", 0},
    {"workloads", "Name", "string", ".metadata.name", 0},
    {"workloads", "Queue", "string", ".spec.queueName", 0},
    {"workloads", "Reserved in", "string", ".status.admission.clusterQueue", 0},
    {"workloads", "Admitted", "string", ".status.conditions[?(@.type==\"Admitted\")].status", 0},
    {"workloads", "Finished", "string", ".status.conditions[?(@.type==\"Finished\")].status", 0},
    {"workloads", "Age", "date", ".metadata.creationTimestamp", 0},
    {"events", "Last Seen", "date", "@lastseen", 0},
    {"events", "Type", "string", ".type", 0},
    {"events", "Reason", "string", ".reason", 0},
    {"events", "Object", "string", "@object", 0},
    {"events", "Message", "string", "@message", 0},
    {"leases", "Name", "string", ".metadata.name", 0},
    {"leases", "Holder", "string", ".spec.holderIdentity", 0},
    {"leases", "Age", "date", ".metadata.creationTimestamp", 0},
    {"namespaces", "Name", "string", ".metadata.name", 0},
    {"namespaces", "Status", "string", ".status.phase", 0},
    {"namespaces", "Age", "date", ".metadata.creationTimestamp", 0},
    {"*", "Name", "string", ".metadata.name", 0},
    {"*", "Age", "date", ".metadata.creationTimestamp", 0},
};

static const char *table_key(const struct resource *t) {
    for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
        if (strcmp(columns[i].plural, t->plural) == 0)
            return t->plural;
    return "*";
}

static void define(json_t *list, const char *name, const char *type, const char *description, int priority) {
    json_t *d = json_object();
    json_object_set_new(d, "name", json_string(name));
    json_object_set_new(d, "type", json_string(type));
    json_object_set_new(d, "format", json_string(strcmp(name, "Name") == 0 ? "name" : ""));
    json_object_set_new(d, "description", json_string(description));
    json_object_set_new(d, "priority", json_integer(priority));
    json_array_append_new(list, d);
}

json_t *table_begin(const struct resource *t, const char *version, const char *rv) {
    (void)version;
    json_t *table =
        jx_format("{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"%s\"},"
                  "\"columnDefinitions\":[],\"rows\":[]}",
                  rv);
    json_t *list = json_object_get(table, "columnDefinitions"), *column;
    size_t i;
    if (t->columns != NULL) {
        define(list, "Name", "string", "Name must be unique within a namespace.", 0);
        json_array_foreach(t->columns, i, column)
            define(list, jx_text(column, "name"), jx_text(column, "type"), jx_text(column, "description"),
                   (int)jx_int(column, "priority"));
        return table;
    }
    for (i = 0; i < ARRAY_SIZE(columns); i++)
        if (strcmp(columns[i].plural, table_key(t)) == 0)
            define(list, columns[i].name, columns[i].type, columns[i].name, columns[i].priority);
    return table;
}

/* As kubectl's HumanDuration: the two largest units where they matter. */
static json_t *human_age(const json_t *stamp, int64_t now_ms) {
    int64_t then_ms;
    if (json_string_value(stamp) == NULL)
        return json_string("<unknown>");
    if (!rfc3339_parse_ms(slice_of(json_string_value(stamp)), &then_ms))
        return json_string("<invalid>");
    int64_t s = (now_ms - then_ms) / 1000, m = s / 60, h = m / 60, d = h / 24;
    char text[64];
    if (s < 0)
        s = 0;
    if (s < 120)
        snprintf(text, sizeof text, "%llds", (long long)s);
    else if (m < 10 && s % 60 != 0)
        snprintf(text, sizeof text, "%lldm%llds", (long long)m, (long long)(s % 60));
    else if (h < 3)
        snprintf(text, sizeof text, "%lldm", (long long)m);
    else if (h < 8 && m % 60 != 0)
        snprintf(text, sizeof text, "%lldh%lldm", (long long)h, (long long)(m % 60));
    else if (d < 2)
        snprintf(text, sizeof text, "%lldh", (long long)h);
    else
        snprintf(text, sizeof text, "%lldd", (long long)d);
    return json_string(text);
}

static json_t *pod_status(const json_t *o) {
    const char *reason = jx_text(o, "status.reason");
    if (*reason == '\0')
        reason = jx_text(o, "status.phase");
    size_t i;
    json_t *status;
    json_array_foreach(jx_get(o, "status.containerStatuses"), i, status) {
        const char *why = jx_text(status, "state.waiting.reason");
        if (*why == '\0')
            why = jx_text(status, "state.terminated.reason");
        if (*why != '\0')
            reason = why;
    }
    return json_string(jx_get(o, "metadata.deletionTimestamp") != NULL ? "Terminating" : reason);
}

static json_t *node_status(const json_t *o) {
    const json_t *ready = jx_find(jx_get(o, "status.conditions"), "type", "Ready");
    CLEANUP_FREE char *text = mem_format("%s%s", strcmp(jx_text(ready, "status"), "True") == 0 ? "Ready" : "NotReady",
                                         jx_true(o, "spec.unschedulable") ? ",SchedulingDisabled" : "");
    return json_string(text);
}

static json_t *job_status(const json_t *o) {
    static const char *const types[] = {"Complete", "Failed", "Suspended"};
    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        if (strcmp(jx_text(jx_find(jx_get(o, "status.conditions"), "type", types[i]), "status"), "True") == 0)
            return json_string(types[i]);
    return json_string("Running");
}

static json_t *cell_computed(const char *path, const json_t *o, int64_t now_ms) {
    char text[300] = "<none>";
    size_t i, ready = 0;
    long long restarts = 0;
    json_t *status, *statuses = jx_get(o, "status.containerStatuses");
    json_array_foreach(statuses, i, status) {
        ready += jx_true(status, "ready");
        restarts += jx_int(status, "restartCount");
    }
    if (strcmp(path, "@podstatus") == 0)
        return pod_status(o);
    if (strcmp(path, "@nodestatus") == 0)
        return node_status(o);
    if (strcmp(path, "@jobstatus") == 0)
        return job_status(o);
    if (strcmp(path, "@ready") == 0)
        snprintf(text, sizeof text, "%zu/%zu", ready, json_array_size(jx_get(o, "spec.containers")));
    else if (strcmp(path, "@restarts") == 0)
        snprintf(text, sizeof text, "%lld", restarts);
    else if (strcmp(path, "@completions") == 0)
        snprintf(text, sizeof text, "%lld/%lld", (long long)jx_int(o, "status.succeeded"),
                 (long long)jx_int(o, "spec.completions"));
    else if (strcmp(path, "@object") == 0)
        snprintf(text, sizeof text, "%.60s/%.200s", jx_text(o, "involvedObject.kind"),
                 jx_text(o, "involvedObject.name"));
    else if (strcmp(path, "@message") == 0)
        return json_string(jx_text(o, *jx_text(o, "note") != '\0' ? "note" : "message"));
    else if (strcmp(path, "@lastseen") == 0) {
        json_t *seen = jx_get(o, "lastTimestamp");
        return human_age(json_is_string(seen) ? seen : jx_get(o, "eventTime"), now_ms);
    }
    return json_string(text);
}

static json_t *cell(const char *type, const char *path, const json_t *object, int64_t now_ms) {
    if (*path == '@')
        return cell_computed(path, object, now_ms);
    json_t *value = jx_path(object, path);
    if (value == NULL)
        return json_null();
    if (strcmp(type, "date") == 0)
        return human_age(value, now_ms);
    if (strcmp(type, "string") == 0 && !json_is_string(value)) {
        CLEANUP_FREE char *text = jx_dump(value);
        return json_string(text);
    }
    return json_incref(value);
}

json_t *table_partial(const json_t *object) {
    json_t *partial = jx_format("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\"}");
    json_object_set(partial, "metadata", json_object_get(object, "metadata"));
    return partial;
}

void table_row(json_t *table, const struct resource *t, const json_t *object, const char *include, int64_t now_ms) {
    json_t *row = json_object(), *cells = jx_array(row, "cells"), *column;
    size_t i;
    if (t->columns != NULL) {
        json_array_append_new(cells, json_string(jx_text(object, "metadata.name")));
        json_array_foreach(t->columns, i, column)
            json_array_append_new(cells, cell(jx_text(column, "type"), jx_text(column, "jsonPath"), object, now_ms));
    } else {
        for (i = 0; i < ARRAY_SIZE(columns); i++)
            if (strcmp(columns[i].plural, table_key(t)) == 0)
                json_array_append_new(cells, cell(columns[i].type, columns[i].path, object, now_ms));
    }
    if (strcmp(include, "Object") == 0)
        json_object_set(row, "object", (json_t *)object);
    else if (strcmp(include, "None") != 0)
        json_object_set_new(row, "object", table_partial(object));
    json_array_append_new(json_object_get(table, "rows"), row);
}
