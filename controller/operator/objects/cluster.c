/* The readers of Nodes, their Leases, Workloads and Events. */
#include "operator/objects/cluster.h"
#include "base/jscan.h"

#include <errno.h>
#include <string.h>

/* It ends pods, or announces that the node ends. */
static bool ends_pods(const struct object_taint *t) {
    return slice_is(t->effect, "NoExecute") || slice_contains(t->key, "impending-node-termination") ||
           slice_contains(t->key, "maintenance");
}

static void taints_scan(struct jscan *j, struct object_node *node) {
    struct slice key;
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        struct object_taint t = {.added_ms = TIME_UNKNOWN};
        if (!jscan_object(j))
            continue;
        while (jscan_key(j, &key)) {
            if (slice_is(key, "key"))
                t.key = object_text_scan(j);
            else if (slice_is(key, "value"))
                t.value = object_text_scan(j);
            else if (slice_is(key, "effect"))
                t.effect = object_text_scan(j);
            else if (slice_is(key, "timeAdded"))
                t.added_ms = object_time_scan(j);
            else
                jscan_skip(j);
        }
        if (ends_pods(&t) && node->taint_count < OBJECT_TAINTS)
            node->taints[node->taint_count++] = t;
    }
}

/* spec.taints and status.conditions of a node. */
static void node_part_scan(struct jscan *j, struct object_node *node) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "taints"))
            taints_scan(j, node);
        else if (slice_is(key, "conditions"))
            object_conditions_scan(j, &node->conditions);
        else if (slice_is(key, "allocatable"))
            node->chips = object_chips_scan(j);
        else
            jscan_skip(j);
    }
}

int object_node_parse(struct slice json, struct object_node *node) {
    struct jscan j;
    struct slice key;
    memset(node, 0, sizeof *node);
    object_meta_init(&node->meta);
    jscan_init_loose(&j, json);
    if (!jscan_object(&j))
        return -EINVAL;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "metadata"))
            object_meta_scan(&j, &node->meta);
        else if (slice_is(key, "spec") || slice_is(key, "status"))
            node_part_scan(&j, node);
        else
            jscan_skip(&j);
    }
    return object_finish(&j, &node->meta);
}

static int64_t renewed_scan(struct jscan *j) {
    struct slice key;
    int64_t at = TIME_UNKNOWN;
    if (!jscan_object(j))
        return at;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "renewTime"))
            at = object_time_scan(j);
        else
            jscan_skip(j);
    }
    return at;
}

int object_lease_parse(struct slice json, struct object_lease *lease) {
    struct jscan j;
    struct slice key;
    memset(lease, 0, sizeof *lease);
    object_meta_init(&lease->meta);
    lease->renewed_ms = TIME_UNKNOWN;
    jscan_init_loose(&j, json);
    if (!jscan_object(&j))
        return -EINVAL;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "metadata"))
            object_meta_scan(&j, &lease->meta);
        else if (slice_is(key, "spec"))
            lease->renewed_ms = renewed_scan(&j);
        else
            jscan_skip(&j);
    }
    return object_finish(&j, &lease->meta);
}

bool object_check_next(struct slice *checks, struct object_check *check) {
    struct slice element, key;
    struct jscan j;
    if (!object_element_next(checks, &element))
        return false;
    *check = (struct object_check){0};
    jscan_init_loose(&j, element);
    if (!jscan_object(&j))
        return true;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "name"))
            check->name = object_text_scan(&j);
        else if (slice_is(key, "state"))
            check->state = object_text_scan(&j);
        else if (slice_is(key, "message"))
            check->message = object_text_scan(&j);
        else
            jscan_skip(&j);
    }
    return true;
}

static void evictions_scan(struct jscan *j, struct object_workload *workload) {
    struct slice key;
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        if (!jscan_object(j))
            continue;
        while (jscan_key(j, &key)) {
            int64_t n = 0;
            if (slice_is(key, "count"))
                n = object_int_scan(j, 0);
            else
                jscan_skip(j);
            workload->evictions += n > 0 && n < 1000000 ? n : 0;
        }
    }
}

static void stats_scan(struct jscan *j, struct object_workload *workload) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "evictions"))
            evictions_scan(j, workload);
        else
            jscan_skip(j);
    }
}

/* The text of one member of an object: {"clusterQueue": "tpu", ...}. */
static struct slice member_text_scan(struct jscan *j, const char *name) {
    struct slice key, text = {0};
    if (!jscan_object(j))
        return text;
    while (jscan_key(j, &key)) {
        if (slice_is(key, name))
            text = object_text_scan(j);
        else
            jscan_skip(j);
    }
    return text;
}

/* Nodes that failed and are to be replaced: [{"name": "gke-tpu-07"}]. */
bool object_unhealthy_next(struct slice *unhealthy, struct slice *name) {
    struct slice element;
    struct jscan j;
    if (!object_element_next(unhealthy, &element))
        return false;
    jscan_init_loose(&j, element);
    *name = member_text_scan(&j, "name");
    return true;
}

/* spec and status of a Workload: the keys of the two do not meet. The priority class: v1beta1's way and v1beta2's. */
static void workload_part_scan(struct jscan *j, struct object_workload *workload) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "active"))
            workload->is_active = object_bool_scan(j);
        else if (slice_is(key, "queueName"))
            workload->queue = object_text_scan(j);
        else if (slice_is(key, "priorityClassName"))
            workload->priority = object_text_scan(j);
        else if (slice_is(key, "priorityClassRef"))
            workload->priority = member_text_scan(j, "name");
        else if (slice_is(key, "admission"))
            workload->cluster_queue = member_text_scan(j, "clusterQueue");
        else if (slice_is(key, "conditions"))
            object_conditions_scan(j, &workload->conditions);
        else if (slice_is(key, "admissionChecks"))
            jscan_raw(j, &workload->checks);
        else if (slice_is(key, "schedulingStats"))
            stats_scan(j, workload);
        else if (slice_is(key, "unhealthyNodes"))
            jscan_raw(j, &workload->unhealthy);
        else
            jscan_skip(j);
    }
}

int object_workload_parse(struct slice json, struct object_workload *workload) {
    struct jscan j;
    struct slice key;
    memset(workload, 0, sizeof *workload);
    object_meta_init(&workload->meta);
    workload->is_active = true;
    jscan_init_loose(&j, json);
    if (!jscan_object(&j))
        return -EINVAL;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "metadata"))
            object_meta_scan(&j, &workload->meta);
        else if (slice_is(key, "spec") || slice_is(key, "status"))
            workload_part_scan(&j, workload);
        else
            jscan_skip(&j);
    }
    return object_finish(&j, &workload->meta);
}

static void involved_scan(struct jscan *j, struct object_event *event) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "kind"))
            event->kind = object_text_scan(j);
        else if (slice_is(key, "namespace"))
            event->namespace_ = object_text_scan(j);
        else if (slice_is(key, "name"))
            event->name = object_text_scan(j);
        else if (slice_is(key, "uid"))
            event->uid = object_text_scan(j);
        else
            jscan_skip(j);
    }
}

static void event_member_scan(struct jscan *j, struct slice key, struct object_event *event, int64_t *micro_ms) {
    if (slice_is(key, "metadata"))
        object_meta_scan(j, &event->meta);
    else if (slice_is(key, "involvedObject") || slice_is(key, "regarding"))
        involved_scan(j, event);
    else if (slice_is(key, "reason"))
        event->reason = object_text_scan(j);
    else if (slice_is(key, "message") || slice_is(key, "note"))
        event->message = object_text_scan(j);
    else if (slice_is(key, "firstTimestamp") || slice_is(key, "deprecatedFirstTimestamp"))
        event->first_ms = object_time_scan(j);
    else if (slice_is(key, "lastTimestamp") || slice_is(key, "deprecatedLastTimestamp"))
        event->last_ms = object_time_scan(j);
    else if (slice_is(key, "eventTime"))
        *micro_ms = object_time_scan(j);
    else
        jscan_skip(j);
}

/* Either shape, core/v1 or events.k8s.io/v1; a micro-time wins over whole seconds. */
int object_event_parse(struct slice json, struct object_event *event) {
    struct jscan j;
    struct slice key;
    int64_t micro_ms = TIME_UNKNOWN;
    memset(event, 0, sizeof *event);
    object_meta_init(&event->meta);
    event->first_ms = event->last_ms = TIME_UNKNOWN;
    jscan_init_loose(&j, json);
    if (!jscan_object(&j))
        return -EINVAL;
    while (jscan_key(&j, &key))
        event_member_scan(&j, key, event, &micro_ms);
    if (micro_ms != TIME_UNKNOWN)
        event->first_ms = micro_ms;
    if (event->first_ms == TIME_UNKNOWN)
        event->first_ms = event->last_ms != TIME_UNKNOWN ? event->last_ms : event->meta.created_ms;
    if (event->last_ms == TIME_UNKNOWN)
        event->last_ms = event->first_ms;
    return object_finish(&j, &event->meta);
}
