/* Reads Nodes, their Leases, Workloads and Events. */
#include "operator/objects/cluster.h"

#include <string.h>

/* Whether the taint ends pods, or announces that the node ends. */
static bool ends_pods(const struct object_taint *t) {
    return slice_is(t->effect, "NoExecute") || slice_contains(t->key, "impending-node-termination") ||
           slice_contains(t->key, "maintenance");
}

static void taint_scan(struct jscan *j, void *at) {
    typedef struct object_taint taint;
    static const struct jmember rows[] = {JMEMBER(taint, key, "key"), JMEMBER(taint, value, "value"),
                                          JMEMBER(taint, effect, "effect"), JMEMBER_TIME(taint, added_ms, "timeAdded")};
    struct object_node *node = at;
    struct object_taint t = {.added_ms = TIME_UNKNOWN};
    jmembers_read(j, JMEMBERS(rows), &t);
    if (ends_pods(&t) && node->taint_count < OBJECT_TAINTS)
        node->taints[node->taint_count++] = t;
}

int object_node_parse(struct slice json, struct object_node *node) {
    typedef struct object_node object;
    static const struct jmember spec[] = {JMEMBER_ELEMENTS("taints", taint_scan)};
    static const struct jmember status[] = {JMEMBER_FIELD(object, chips, "allocatable", object_chips_scan),
                                            JMEMBER_FIELD(object, conditions, "conditions", object_conditions_scan)};
    static const struct jmember rows[] = {JMEMBER_FIELD(object, meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", spec), JMEMBER_OBJECT("status", status)};
    memset(node, 0, sizeof *node);
    object_meta_init(&node->meta);
    node->meta.is_node = true;
    return object_read(json, JMEMBERS(rows), node);
}

int object_lease_parse(struct slice json, struct object_lease *lease) {
    typedef struct object_lease object;
    static const struct jmember spec[] = {JMEMBER_TIME(object, renewed_ms, "renewTime")};
    static const struct jmember rows[] = {JMEMBER_FIELD(object, meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", spec)};
    memset(lease, 0, sizeof *lease);
    object_meta_init(&lease->meta);
    lease->renewed_ms = TIME_UNKNOWN;
    return object_read(json, JMEMBERS(rows), lease);
}

bool object_check_next(struct slice *checks, struct object_check *check) {
    typedef struct object_check object;
    static const struct jmember rows[] = {JMEMBER(object, name, "name"), JMEMBER(object, state, "state"),
                                          JMEMBER(object, message, "message")};
    *check = (struct object_check){0};
    return object_element_read(checks, JMEMBERS(rows), check);
}

/* Nodes that failed and are to be replaced: [{"name": "gke-tpu-07"}]. */
bool object_unhealthy_next(struct slice *unhealthy, struct slice *name) {
    static const struct jmember rows[] = {JMEMBER(struct object_check, name, "name")};
    struct object_check node = {0};
    bool is_there = object_element_read(unhealthy, JMEMBERS(rows), &node);
    *name = node.name;
    return is_there;
}

#define WORKLOAD struct object_workload

static void eviction_scan(struct jscan *j, void *workload) {
    static const struct jmember rows[] = {JMEMBER_WITHIN(WORKLOAD, evictions, "count", 0, 999999)};
    struct object_workload one = {.evictions = 0};
    jmembers_read(j, JMEMBERS(rows), &one);
    ((struct object_workload *)workload)->evictions += one.evictions;
}

/* The names of the priority class: v1beta1's and v1beta2's. */
int object_workload_parse(struct slice json, struct object_workload *workload) {
    static const struct jmember class[] = {JMEMBER(WORKLOAD, priority, "name")};
    static const struct jmember spec[] = {
        JMEMBER(WORKLOAD, queue, "queueName"),
        JMEMBER(WORKLOAD, priority, "priorityClassName"),
        JMEMBER_OBJECT("priorityClassRef", class),
        JMEMBER(WORKLOAD, is_active, "active"),
    };
    static const struct jmember admission[] = {JMEMBER(WORKLOAD, cluster_queue, "clusterQueue")};
    static const struct jmember stats[] = {JMEMBER_ELEMENTS("evictions", eviction_scan)};
    static const struct jmember status[] = {
        JMEMBER_FIELD(WORKLOAD, conditions, "conditions", object_conditions_scan),
        JMEMBER_OBJECT("admission", admission),
        JMEMBER_RAW(WORKLOAD, checks, "admissionChecks"),
        JMEMBER_OBJECT("schedulingStats", stats),
        JMEMBER_RAW(WORKLOAD, unhealthy, "unhealthyNodes"),
    };
    static const struct jmember rows[] = {JMEMBER_FIELD(WORKLOAD, meta, "metadata", object_meta_scan),
                                          JMEMBER_OBJECT("spec", spec), JMEMBER_OBJECT("status", status)};
    memset(workload, 0, sizeof *workload);
    object_meta_init(&workload->meta);
    workload->is_active = true;
    return object_read(json, JMEMBERS(rows), workload);
}

struct reading {
    struct object_event event;
    int64_t micro_ms;
};

/* Either shape, core/v1 or events.k8s.io/v1; a micro-time wins over whole seconds. */
int object_event_parse(struct slice json, struct object_event *event) {
    static const struct jmember involved[] = {
        JMEMBER(struct reading, event.kind, "kind"),
        JMEMBER(struct reading, event.namespace_, "namespace"),
        JMEMBER(struct reading, event.name, "name"),
        JMEMBER(struct reading, event.uid, "uid"),
    };
    static const struct jmember rows[] = {
        JMEMBER_FIELD(struct reading, event.meta, "metadata", object_meta_scan),
        JMEMBER_OBJECT("involvedObject", involved),
        JMEMBER_OBJECT("regarding", involved),
        JMEMBER(struct reading, event.reason, "reason"),
        JMEMBER(struct reading, event.message, "message"),
        JMEMBER(struct reading, event.message, "note"),
        JMEMBER_TIME(struct reading, event.first_ms, "firstTimestamp"),
        JMEMBER_TIME(struct reading, event.first_ms, "deprecatedFirstTimestamp"),
        JMEMBER_TIME(struct reading, event.last_ms, "lastTimestamp"),
        JMEMBER_TIME(struct reading, event.last_ms, "deprecatedLastTimestamp"),
        JMEMBER_TIME(struct reading, micro_ms, "eventTime"),
    };
    struct reading r = {.event = {.first_ms = TIME_UNKNOWN, .last_ms = TIME_UNKNOWN}, .micro_ms = TIME_UNKNOWN};
    object_meta_init(&r.event.meta);
    int err = object_read(json, JMEMBERS(rows), &r);
    *event = r.event;
    if (r.micro_ms != TIME_UNKNOWN)
        event->first_ms = r.micro_ms;
    if (event->first_ms == TIME_UNKNOWN)
        event->first_ms = event->last_ms != TIME_UNKNOWN ? event->last_ms : event->meta.created_ms;
    if (event->last_ms == TIME_UNKNOWN)
        event->last_ms = event->first_ms;
    return err;
}
