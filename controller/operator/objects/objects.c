#include "operator/objects/objects.h"

#include "base/jscan.h"
#include "base/minmax.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* What object_condition_find is asked for: of Pods, JobSets and Jobs, Workloads, Nodes, and our own kinds. */
static const char *const read_types[OBJECT_CONDITIONS] = {
    "PodScheduled",  "Ready",    "DisruptionTarget", "TerminatedByKueue", "Suspended",
    "Completed",     "Complete", "Failed",           "FailureTarget",     "RestartingJobSet",
    "QuotaReserved", "Admitted", "Evicted",          "Requeued",          "Finished"};

static bool is_read(struct slice type) {
    for (int i = 0; i < OBJECT_CONDITIONS && read_types[i] != NULL; i++)
        if (slice_is(type, read_types[i]))
            return true;
    return false;
}

const struct object_condition *object_condition_find(const struct object_conditions *conditions, const char *type) {
    assert(is_read(slice_of(type)));
    for (int i = 0; i < conditions->count; i++)
        if (slice_is(conditions->items[i].type, type))
            return &conditions->items[i];
    return NULL;
}

struct slice object_text_scan(struct jscan *j) {
    struct slice raw = {0};
    if (!jscan_string_raw(j, &raw))
        raw = (struct slice){0};
    return raw;
}

int64_t object_time_scan(struct jscan *j) {
    int64_t ms;
    return jscan_time_ms(j, &ms) ? ms : TIME_UNKNOWN;
}

int64_t object_int_scan(struct jscan *j, int64_t otherwise) {
    int64_t value;
    return jscan_int(j, &value) ? value : otherwise;
}

bool object_bool_scan(struct jscan *j) {
    bool value = false;
    return jscan_bool(j, &value) && value;
}

static int64_t index_of(struct slice text) {
    int64_t value;
    if (!slice_take_uint(&text, &value) || text.size_bytes > 0 || value > INT32_MAX)
        return -1;
    return value;
}

void object_meta_init(struct object_meta *meta) {
    memset(meta, 0, sizeof *meta);
    meta->created_ms = meta->deletion_ms = meta->written_ms = TIME_UNKNOWN;
    meta->job_index = meta->completion_index = meta->restart_attempt = -1;
    meta->price = PRICE_NONE;
}

static void jobset_label(struct slice key, struct slice value, struct object_meta *meta) {
    if (slice_is(key, "jobset-uid"))
        meta->jobset_uid = value;
    else if (slice_is(key, "jobset-name"))
        meta->jobset_name = value;
    else if (slice_is(key, "replicatedjob-name"))
        meta->replicated_job = value;
    else if (slice_is(key, "job-index"))
        meta->job_index = index_of(value);
    else if (slice_is(key, "restart-attempt"))
        meta->restart_attempt = index_of(value);
}

/* Node pools by the labels of the clouds; the first that is there. */
static void node_label(struct slice key, struct slice value, struct object_meta *meta) {
    if (slice_is(key, "cloud.google.com/gke-nodepool") || slice_is(key, "eks.amazonaws.com/nodegroup") ||
        slice_is(key, "kubernetes.azure.com/agentpool"))
        meta->node_pool = value;
    else if (slice_is(key, "cloud.google.com/gke-spot") || slice_is(key, "cloud.google.com/gke-preemptible"))
        meta->is_spot = slice_is(value, "true");
    else if (slice_is(key, "cloud.google.com/active-node-maintenance"))
        meta->is_under_maintenance = slice_is(value, "ONGOING");
    else if (slice_is(key, "goodput.dev/price-per-chip-hour"))
        meta->price = price_parse(value);
    else if (meta->chip == NULL)
        meta->chip = chip_of_label(key, value);
}

static void labels_scan(struct jscan *j, struct object_meta *meta) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        struct slice rest = key;
        if (slice_take_prefix(&rest, "jobset.sigs.k8s.io/"))
            jobset_label(rest, object_text_scan(j), meta);
        else if (slice_is(key, "batch.kubernetes.io/controller-uid"))
            meta->controller_uid = object_text_scan(j);
        else if (slice_is(key, "batch.kubernetes.io/job-completion-index"))
            meta->completion_index = index_of(object_text_scan(j));
        else if (slice_is(key, "kueue.x-k8s.io/queue-name"))
            meta->queue = object_text_scan(j);
        else if (slice_is(key, "kubectl.kubernetes.io/default-container"))
            meta->default_container = object_text_scan(j);
        else if (slice_is(key, "goodput.dev/enabled"))
            meta->enabled = object_text_scan(j);
        else
            node_label(key, object_text_scan(j), meta);
    }
}

static void owners_scan(struct jscan *j, struct object_meta *meta) {
    struct slice key;
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        struct slice kind = {0}, uid = {0}, name = {0};
        bool is_controller = false;
        if (!jscan_object(j))
            continue;
        while (jscan_key(j, &key)) {
            if (slice_is(key, "kind"))
                kind = object_text_scan(j);
            else if (slice_is(key, "uid"))
                uid = object_text_scan(j);
            else if (slice_is(key, "name"))
                name = object_text_scan(j);
            else if (slice_is(key, "controller"))
                is_controller = object_bool_scan(j);
            else
                jscan_skip(j);
        }
        if (is_controller)
            meta->owner_kind = kind, meta->owner_uid = uid, meta->owner_name = name;
    }
}

static void managed_scan(struct jscan *j, struct object_meta *meta) {
    struct slice key;
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        if (!jscan_object(j))
            continue;
        while (jscan_key(j, &key)) {
            if (slice_is(key, "time"))
                meta->written_ms = max_of(meta->written_ms, object_time_scan(j));
            else if (slice_is(key, "manager"))
                meta->is_by_provisioner |= slice_is(object_text_scan(j), "kueue.x-k8s.io/provisioning-request");
            else
                jscan_skip(j);
        }
    }
}

void object_meta_bound(struct object_meta *meta) {
    if (meta->grace_seconds < 0 || meta->grace_seconds > 1000000000)
        meta->grace_seconds = 0;
}

void object_meta_scan(struct jscan *j, struct object_meta *meta) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "name"))
            meta->name = object_text_scan(j);
        else if (slice_is(key, "namespace"))
            meta->namespace_ = object_text_scan(j);
        else if (slice_is(key, "uid"))
            meta->uid = object_text_scan(j);
        else if (slice_is(key, "resourceVersion"))
            meta->resource_version = object_text_scan(j);
        else if (slice_is(key, "generation"))
            meta->generation = object_int_scan(j, 0);
        else if (slice_is(key, "creationTimestamp"))
            meta->created_ms = object_time_scan(j);
        else if (slice_is(key, "deletionTimestamp"))
            meta->deletion_ms = object_time_scan(j);
        else if (slice_is(key, "deletionGracePeriodSeconds"))
            meta->grace_seconds = object_int_scan(j, 0);
        else if (slice_is(key, "labels") || slice_is(key, "annotations"))
            labels_scan(j, meta);
        else if (slice_is(key, "ownerReferences"))
            owners_scan(j, meta);
        else if (slice_is(key, "managedFields"))
            managed_scan(j, meta);
        else
            jscan_skip(j);
    }
    object_meta_bound(meta);
}

void object_conditions_scan(struct jscan *j, struct object_conditions *conditions) {
    struct slice key;
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        struct object_condition c = {.at_ms = TIME_UNKNOWN, .heartbeat_ms = TIME_UNKNOWN};
        if (!jscan_object(j))
            continue;
        while (jscan_key(j, &key)) {
            if (slice_is(key, "type"))
                c.type = object_text_scan(j);
            else if (slice_is(key, "status"))
                c.status = object_text_scan(j);
            else if (slice_is(key, "reason"))
                c.reason = object_text_scan(j);
            else if (slice_is(key, "message"))
                c.message = object_text_scan(j);
            else if (slice_is(key, "lastTransitionTime"))
                c.at_ms = object_time_scan(j);
            else if (slice_is(key, "lastHeartbeatTime"))
                c.heartbeat_ms = object_time_scan(j);
            else
                jscan_skip(j);
        }
        bool is_known = !is_read(c.type);
        for (int i = 0; i < conditions->count && !is_known; i++)
            is_known = slice_equal(conditions->items[i].type, c.type);
        if (!is_known)
            conditions->items[conditions->count++] = c;
    }
}

static bool is_chip(struct slice resource) {
    return slice_is(resource, "google.com/tpu") || slice_is(resource, "nvidia.com/gpu") ||
           slice_is(resource, "amd.com/gpu");
}

/* Quantities of chips are whole numbers, written as text or as a number. */
static int64_t quantity_scan(struct jscan *j) {
    int64_t value = 0;
    if (jscan_peek(j) == JSCAN_NUMBER)
        return object_int_scan(j, 0);
    struct slice text = object_text_scan(j);
    if (!slice_take_uint(&text, &value) || text.size_bytes > 0)
        return 0;
    return value;
}

int64_t object_chips_scan(struct jscan *j) {
    struct slice key;
    int64_t sum = 0;
    if (!jscan_object(j))
        return 0;
    while (jscan_key(j, &key)) {
        int64_t n = 0;
        if (is_chip(key))
            n = quantity_scan(j);
        else
            jscan_skip(j);
        sum += n > 0 && n <= 65536 ? n : 0;
    }
    return sum;
}

static int64_t resources_scan(struct jscan *j) {
    struct slice key;
    int64_t chips = 0;
    if (!jscan_object(j))
        return 0;
    while (jscan_key(j, &key)) {
        if (!slice_is(key, "limits") && !slice_is(key, "requests")) {
            jscan_skip(j);
            continue;
        }
        int64_t sum = object_chips_scan(j);
        chips = sum > chips ? sum : chips;
    }
    return chips;
}

static bool is_filled_array(struct jscan *j) {
    bool is_filled = false;
    if (!jscan_array(j))
        return false;
    while (jscan_element(j)) {
        jscan_skip(j);
        is_filled = true;
    }
    return is_filled;
}

static struct object_container container_scan(struct jscan *j) {
    struct object_container c = {0};
    struct slice key;
    if (!jscan_object(j))
        return c;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "name"))
            c.name = object_text_scan(j);
        else if (slice_is(key, "resources"))
            c.chips = resources_scan(j);
        else if (slice_is(key, "restartPolicy"))
            c.may_restart |= !slice_is(object_text_scan(j), "Never");
        else if (slice_is(key, "restartPolicyRules"))
            c.may_restart |= is_filled_array(j);
        else
            jscan_skip(j);
    }
    return c;
}

int64_t object_containers_chips_scan(struct jscan *j) {
    int64_t chips = 0;
    if (jscan_array(j))
        while (jscan_element(j))
            chips += container_scan(j).chips;
    return chips;
}

bool object_element_next(struct slice *array, struct slice *element) {
    struct slice rest = *array;
    struct jscan j;
    if (!slice_take_char(&rest, '[') && !slice_take_char(&rest, ','))
        return false;
    rest = slice_trim(rest);
    jscan_init_loose(&j, rest);
    if (rest.size_bytes == 0 || rest.data[0] == ']' || !jscan_raw(&j, element))
        return false;
    *array = slice_trim(slice_skip(rest, (size_t)(element->data + element->size_bytes - rest.data)));
    return true;
}

bool object_container_next(struct slice *containers, struct object_container *container) {
    struct slice element;
    struct jscan j;
    if (!object_element_next(containers, &element))
        return false;
    jscan_init_loose(&j, element);
    *container = container_scan(&j);
    return true;
}

int object_finish(struct jscan *j, const struct object_meta *meta) {
    if (jscan_error(j, NULL) || !jscan_at_end(j))
        return -EINVAL;
    return meta->name.size_bytes == 0 || meta->name.size_bytes > 253 || meta->uid.size_bytes > 64 ? -EINVAL : 0;
}
