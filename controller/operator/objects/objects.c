#include "operator/objects/objects.h"

#include "base/minmax.h"
#include "formulas/chips.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* What object_condition_find is asked for: of Pods, JobSets and Jobs, Workloads, Nodes, and our own kinds. */
#define TYPE(text)                                                                                                     \
    { (text), sizeof(text) - 1 }
static const struct slice read_types[] = {TYPE("PodScheduled"),
                                          TYPE("Ready"),
                                          TYPE("DisruptionTarget"),
                                          TYPE("TerminationTarget"),
                                          TYPE("TerminatedByKueue"),
                                          TYPE("Suspended"),
                                          TYPE("Completed"),
                                          TYPE("Complete"),
                                          TYPE("Failed"),
                                          TYPE("FailureTarget"),
                                          TYPE("RestartingJobSet"),
                                          TYPE("QuotaReserved"),
                                          TYPE("Admitted"),
                                          TYPE("Evicted"),
                                          TYPE("Requeued"),
                                          TYPE("Finished"),
                                          TYPE("Succeeded"),
                                          TYPE("SuccessCriteriaMet")};
static_assert(ARRAY_SIZE(read_types) <= OBJECT_CONDITIONS, "each type that is read is kept");

static bool is_read(struct slice type) {
    for (size_t i = 0; i < ARRAY_SIZE(read_types); i++)
        if (type.size_bytes == read_types[i].size_bytes && memcmp(type.data, read_types[i].data, type.size_bytes) == 0)
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
    return jscan_string_raw(j, &raw) ? raw : (struct slice){0};
}

static void index_scan(struct jscan *j, void *at) {
    struct slice text = object_text_scan(j);
    int64_t value, *index = at;
    *index = slice_take_uint(&text, &value) && text.size_bytes == 0 && value <= INT32_MAX ? value : -1;
}

void object_meta_init(struct object_meta *meta) {
    memset(meta, 0, sizeof *meta);
    meta->created_ms = meta->deletion_ms = meta->written_ms = TIME_UNKNOWN;
    meta->job_index = meta->completion_index = meta->restart_attempt = meta->execution_attempt = -1;
    meta->group_index = meta->member_index = -1;
    meta->price = PRICE_NONE;
}

/* Node pools by the labels of the clouds. */
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
    meta->node_chips = max_of(meta->node_chips, chip_count_of_label(key, value));
    meta->is_partitioned |= chip_is_partitioned(key, value);
}

#define META struct object_meta

static const struct jmember jobset_labels[] = {
    JMEMBER_FIELD(META, job_index, "job-index", index_scan),
    JMEMBER(META, jobset_name, "jobset-name"),
    JMEMBER(META, jobset_uid, "jobset-uid"),
    JMEMBER(META, replicated_job, "replicatedjob-name"),
    JMEMBER_FIELD(META, restart_attempt, "restart-attempt", index_scan),
    JMEMBER_FIELD(META, execution_attempt, "execution-attempt", index_scan),
};
static const struct jmember other_labels[] = {
    JMEMBER(META, controller_uid, "batch.kubernetes.io/controller-uid"),
    JMEMBER_FIELD(META, completion_index, "batch.kubernetes.io/job-completion-index", index_scan),
    JMEMBER(META, queue, "kueue.x-k8s.io/queue-name"),
    JMEMBER(META, default_container, "kubectl.kubernetes.io/default-container"),
    JMEMBER(META, enabled, "goodput.dev/enabled"),
    JMEMBER(META, ray_group, "ray.io/group"),
    JMEMBER(META, replica_type, "training.kubeflow.org/replica-type"),
    JMEMBER_FIELD(META, member_index, "training.kubeflow.org/replica-index", index_scan),
    JMEMBER(META, set_name, "leaderworkerset.sigs.k8s.io/name"),
    JMEMBER_FIELD(META, group_index, "leaderworkerset.sigs.k8s.io/group-index", index_scan),
    JMEMBER_FIELD(META, member_index, "leaderworkerset.sigs.k8s.io/worker-index", index_scan),
    JMEMBER(META, pod_group, "kueue.x-k8s.io/pod-group-name"),
    JMEMBER(META, pod_set, "kueue.x-k8s.io/role-hash"),
    JMEMBER(META, is_group, "kueue.x-k8s.io/is-group-workload"),
};

static const struct jmember *find_label(struct slice key) {
    return slice_take_prefix(&key, "jobset.sigs.k8s.io/") ? jmembers_find(JMEMBERS(jobset_labels), key)
                                                          : jmembers_find(JMEMBERS(other_labels), key);
}

bool object_reads_label(struct slice key) {
    return find_label(key) != NULL;
}

static void labels_scan(struct jscan *j, void *at) {
    struct object_meta *meta = at;
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        const struct jmember *row = find_label(key);
        if (row != NULL)
            jmembers_take(j, row, meta);
        else if (meta->is_node)
            node_label(key, object_text_scan(j), meta);
        else
            jscan_skip(j);
    }
}

struct owner {
    struct slice kind, uid, name;
    bool is_controller;
};

static void owner_scan(struct jscan *j, void *at) {
    static const struct jmember rows[] = {JMEMBER(struct owner, kind, "kind"), JMEMBER(struct owner, name, "name"),
                                          JMEMBER(struct owner, uid, "uid"),
                                          JMEMBER(struct owner, is_controller, "controller")};
    struct object_meta *meta = at;
    struct owner o = {.is_controller = false};
    jmembers_read(j, JMEMBERS(rows), &o);
    if (o.is_controller)
        meta->owner_kind = o.kind, meta->owner_uid = o.uid, meta->owner_name = o.name;
}

static void written_scan(struct jscan *j, void *at) {
    int64_t ms, *newest_ms = at;
    if (jscan_time_ms(j, &ms))
        *newest_ms = max_of(*newest_ms, ms);
}

static void manager_scan(struct jscan *j, void *at) {
    *(bool *)at |= slice_is(object_text_scan(j), "kueue.x-k8s.io/provisioning-request");
}

static void managed_scan(struct jscan *j, void *at) {
    static const struct jmember rows[] = {JMEMBER_FIELD(META, is_by_provisioner, "manager", manager_scan),
                                          JMEMBER_FIELD(META, written_ms, "time", written_scan)};
    jmembers_read(j, JMEMBERS(rows), at);
}

void object_meta_scan(struct jscan *j, void *meta) {
    static const struct jmember rows[] = {
        JMEMBER(META, name, "name"),
        JMEMBER(META, namespace_, "namespace"),
        JMEMBER(META, uid, "uid"),
        JMEMBER(META, resource_version, "resourceVersion"),
        JMEMBER(META, generation, "generation"),
        JMEMBER_TIME(META, created_ms, "creationTimestamp"),
        JMEMBER_TIME(META, deletion_ms, "deletionTimestamp"),
        JMEMBER_WITHIN(META, grace_seconds, "deletionGracePeriodSeconds", 0, 1000000000),
        JMEMBER_SELF("labels", labels_scan),
        JMEMBER_SELF("annotations", labels_scan),
        JMEMBER_ELEMENTS("ownerReferences", owner_scan),
        JMEMBER_ELEMENTS("managedFields", managed_scan),
    };
    jmembers_read(j, JMEMBERS(rows), meta);
}

static void condition_scan(struct jscan *j, void *at) {
    static const struct jmember rows[] = {
        JMEMBER(struct object_condition, type, "type"),
        JMEMBER(struct object_condition, status, "status"),
        JMEMBER_TIME(struct object_condition, at_ms, "lastTransitionTime"),
        JMEMBER(struct object_condition, reason, "reason"),
        JMEMBER(struct object_condition, message, "message"),
        JMEMBER_TIME(struct object_condition, heartbeat_ms, "lastHeartbeatTime"),
    };
    struct object_conditions *conditions = at;
    struct object_condition c = {.at_ms = TIME_UNKNOWN, .heartbeat_ms = TIME_UNKNOWN};
    jmembers_read(j, JMEMBERS(rows), &c);
    bool is_known = !is_read(c.type);
    for (int i = 0; i < conditions->count && !is_known; i++)
        is_known = slice_equal(conditions->items[i].type, c.type);
    if (!is_known)
        conditions->items[conditions->count++] = c;
}

void object_conditions_scan(struct jscan *j, void *conditions) {
    jmembers_each(j, condition_scan, conditions);
}

/* Quantities of chips are whole numbers, written as text or as a number. */
static int64_t quantity_scan(struct jscan *j) {
    int64_t value;
    if (jscan_peek(j) == JSCAN_NUMBER)
        return jscan_int(j, &value) ? value : 0;
    struct slice text = object_text_scan(j);
    return slice_take_uint(&text, &value) && text.size_bytes == 0 ? value : 0;
}

/* limits and requests: the greater of the two sums. */
void object_chips_scan(struct jscan *j, void *chips) {
    struct slice key;
    int64_t sum = 0, *max = chips;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        int64_t n = 0;
        if (chip_is_resource(key))
            n = quantity_scan(j);
        else
            jscan_skip(j);
        sum += n > 0 && n <= 65536 ? n : 0;
    }
    *max = max_of(*max, sum);
}

void object_is_filled_scan(struct jscan *j, void *is_filled) {
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        jscan_skip(j);
        *(bool *)is_filled = true;
    }
}

static void restart_policy_scan(struct jscan *j, void *may_restart) {
    *(bool *)may_restart |= !slice_is(object_text_scan(j), "Never");
}

static struct object_container container_scan(struct jscan *j) {
    typedef struct object_container container;
    static const struct jmember resources[] = {
        JMEMBER_FIELD(container, has_claims, "claims", object_is_filled_scan),
        JMEMBER_FIELD(container, chips, "limits", object_chips_scan),
        JMEMBER_FIELD(container, chips, "requests", object_chips_scan),
    };
    static const struct jmember rows[] = {
        JMEMBER(container, name, "name"),
        JMEMBER_OBJECT("resources", resources),
        JMEMBER_FIELD(container, may_restart, "restartPolicy", restart_policy_scan),
        JMEMBER_FIELD(container, may_restart, "restartPolicyRules", object_is_filled_scan),
    };
    struct object_container c = {.chips = 0};
    jmembers_read(j, JMEMBERS(rows), &c);
    return c;
}

static void containers_chips_scan(struct jscan *j, void *sum) {
    *(int64_t *)sum += container_scan(j).chips;
}

void object_containers_chips_scan(struct jscan *j, void *sum) {
    jmembers_each(j, containers_chips_scan, sum);
}

static bool element_next(struct slice *array, struct slice *element) {
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

bool object_element_read(struct slice *array, const struct jmember *rows, size_t count, void *to) {
    struct slice element;
    struct jscan j;
    if (!element_next(array, &element))
        return false;
    jscan_init_loose(&j, element);
    jmembers_read(&j, rows, count, to);
    return true;
}

bool object_container_next(struct slice *containers, struct object_container *container) {
    struct slice element;
    struct jscan j;
    if (!element_next(containers, &element))
        return false;
    jscan_init_loose(&j, element);
    *container = container_scan(&j);
    return true;
}

int object_read(struct slice json, const struct jmember *rows, size_t count, void *object) {
    const struct object_meta *meta = object;
    struct jscan j;
    jscan_init_loose(&j, json);
    jmembers_read(&j, rows, count, object);
    if (jscan_error(&j, NULL) || !jscan_at_end(&j))
        return -EINVAL;
    return meta->name.size_bytes == 0 || meta->name.size_bytes > 253 || meta->uid.size_bytes > 64 ? -EINVAL : 0;
}
