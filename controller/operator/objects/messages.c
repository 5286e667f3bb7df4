/* Numbers and names as in Kubernetes v1.36 k8s.io/apimachinery meta/v1 and k8s.io/api core/v1 and batch/v1,
 * generated.proto; a number never changes its meaning. */
#include "operator/objects/messages.h"

#include "formulas/chips.h"
#include "operator/objects/objects.h"

#define TEXT(number, name) PROTOBUF_FIELD(number, PROTOBUF_STRING, false, name, NULL, NULL)
#define INT(number, name) PROTOBUF_FIELD(number, PROTOBUF_INT, false, name, NULL, NULL)
#define BOOL(number, name) PROTOBUF_FIELD(number, PROTOBUF_BOOL, false, name, NULL, NULL)
#define TIME(number, name) PROTOBUF_FIELD(number, PROTOBUF_TIME, false, name, NULL, NULL)
#define MICRO_TIME(number, name) PROTOBUF_FIELD(number, PROTOBUF_MICRO_TIME, false, name, NULL, NULL)
#define TEXTS(number, name, reads) PROTOBUF_FIELD(number, PROTOBUF_TEXTS, false, name, NULL, reads)
#define QUANTITIES(number, name, reads) PROTOBUF_FIELD(number, PROTOBUF_QUANTITIES, false, name, NULL, reads)
#define ONE(number, name, message) PROTOBUF_FIELD(number, PROTOBUF_MESSAGE, false, name, &(message), NULL)
#define MANY(number, name, message) PROTOBUF_FIELD(number, PROTOBUF_MESSAGE, true, name, &(message), NULL)
#define MESSAGE(message, ...)                                                                                          \
    static const struct protobuf_field message##_rows[] = {__VA_ARGS__};                                               \
    static const struct protobuf_message message = PROTOBUF_MESSAGE_OF(message##_rows)
#define KIND(message, ...)                                                                                             \
    static const struct protobuf_field message##_rows[] = {__VA_ARGS__};                                               \
    const struct protobuf_message message = PROTOBUF_MESSAGE_OF(message##_rows)

/* meta/v1 */
MESSAGE(owner_reference, TEXT(1, "kind"), TEXT(3, "name"), TEXT(4, "uid"), BOOL(6, "controller"));
MESSAGE(managed_fields, TEXT(1, "manager"), TIME(4, "time"));
/* meta/v1: ObjectMeta; `reads` says which labels and annotations are written, NULL: all. */
#define META(message, reads)                                                                                           \
    MESSAGE(message, TEXT(1, "name"), TEXT(3, "namespace"), TEXT(5, "uid"), TEXT(6, "resourceVersion"),                \
            INT(7, "generation"), TIME(8, "creationTimestamp"), TIME(9, "deletionTimestamp"),                          \
            INT(10, "deletionGracePeriodSeconds"), TEXTS(11, "labels", reads), TEXTS(12, "annotations", reads),        \
            MANY(13, "ownerReferences", owner_reference), MANY(17, "managedFields", managed_fields))
META(object_meta, NULL);
META(pod_meta, object_reads_label);

/* core/v1: Pod */
MESSAGE(name_only, TEXT(1, "name"));
MESSAGE(restart_rule, TEXT(1, "action"));
MESSAGE(resources, QUANTITIES(1, "limits", chip_is_resource), QUANTITIES(2, "requests", chip_is_resource),
        MANY(3, "claims", name_only));
MESSAGE(container, TEXT(1, "name"), ONE(8, "resources", resources), TEXT(24, "restartPolicy"),
        MANY(25, "restartPolicyRules", restart_rule));
MESSAGE(requirement, TEXT(1, "key"), TEXT(2, "operator"));
MESSAGE(selector_term, MANY(1, "matchExpressions", requirement));
MESSAGE(node_selector, MANY(1, "nodeSelectorTerms", selector_term));
MESSAGE(node_affinity, ONE(1, "requiredDuringSchedulingIgnoredDuringExecution", node_selector));
MESSAGE(affinity, ONE(1, "nodeAffinity", node_affinity));
MESSAGE(pod_claim, TEXT(1, "name"), TEXT(4, "resourceClaimTemplateName"));
MESSAGE(pod_spec, MANY(2, "containers", container), TEXT(3, "restartPolicy"), TEXTS(7, "nodeSelector", NULL),
        TEXT(10, "nodeName"), ONE(18, "affinity", affinity), MANY(39, "resourceClaims", pod_claim));
MESSAGE(condition, TEXT(1, "type"), TEXT(2, "status"), TIME(4, "lastTransitionTime"), TEXT(5, "reason"),
        TEXT(6, "message")); /* PodCondition and JobCondition */
MESSAGE(waiting, TEXT(1, "reason"), TEXT(2, "message"));
MESSAGE(running, TIME(1, "startedAt"));
MESSAGE(terminated, INT(1, "exitCode"), TEXT(3, "reason"), TEXT(4, "message"), TIME(5, "startedAt"),
        TIME(6, "finishedAt"));
MESSAGE(container_state, ONE(1, "waiting", waiting), ONE(2, "running", running), ONE(3, "terminated", terminated));
MESSAGE(container_status, TEXT(1, "name"), ONE(2, "state", container_state), ONE(3, "lastState", container_state),
        INT(5, "restartCount"));
MESSAGE(pod_status, TEXT(1, "phase"), MANY(2, "conditions", condition), TEXT(3, "message"), TEXT(4, "reason"),
        MANY(8, "containerStatuses", container_status));
KIND(object_pod_message, ONE(1, "metadata", pod_meta), ONE(2, "spec", pod_spec), ONE(3, "status", pod_status));
MESSAGE(known_pod_meta, TEXT(1, "name"), TEXT(3, "namespace"), TEXT(5, "uid"), TEXT(6, "resourceVersion"),
        TIME(9, "deletionTimestamp"), INT(10, "deletionGracePeriodSeconds"));
KIND(object_known_pod_message, ONE(1, "metadata", known_pod_meta), ONE(3, "status", pod_status));

/* core/v1: Node and Event */
MESSAGE(taint, TEXT(1, "key"), TEXT(2, "value"), TEXT(3, "effect"), TIME(4, "timeAdded"));
MESSAGE(node_condition, TEXT(1, "type"), TEXT(2, "status"), TIME(3, "lastHeartbeatTime"), TIME(4, "lastTransitionTime"),
        TEXT(5, "reason"), TEXT(6, "message"));
MESSAGE(node_spec, MANY(5, "taints", taint));
MESSAGE(node_status, QUANTITIES(2, "allocatable", NULL), MANY(4, "conditions", node_condition));
KIND(object_node_message, ONE(1, "metadata", object_meta), ONE(2, "spec", node_spec), ONE(3, "status", node_status));
MESSAGE(reference, TEXT(1, "kind"), TEXT(2, "namespace"), TEXT(3, "name"), TEXT(4, "uid"));
KIND(object_event_message, ONE(1, "metadata", object_meta), ONE(2, "involvedObject", reference), TEXT(3, "reason"),
     TEXT(4, "message"), TIME(6, "firstTimestamp"), TIME(7, "lastTimestamp"), MICRO_TIME(10, "eventTime"));

/* batch/v1 */
MESSAGE(pod_template, ONE(2, "spec", pod_spec));
MESSAGE(job_spec, INT(1, "parallelism"), INT(2, "completions"), ONE(6, "template", pod_template), BOOL(10, "suspend"),
        TEXT(15, "managedBy"));
MESSAGE(job_status, MANY(1, "conditions", condition), TIME(3, "completionTime"), INT(6, "failed"),
        TEXT(7, "completedIndexes"));
KIND(object_job_message, ONE(1, "metadata", object_meta), ONE(2, "spec", job_spec), ONE(3, "status", job_status));

const struct protobuf_message *object_message(enum resource resource) {
    switch (resource) {
    case RESOURCE_POD:
        return &object_pod_message;
    case RESOURCE_JOB:
        return &object_job_message;
    case RESOURCE_NODE:
        return &object_node_message;
    case RESOURCE_EVENT:
    case RESOURCE_NODE_EVENT:
        return &object_event_message;
    default:
        return NULL;
    }
}
