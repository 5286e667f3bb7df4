/* objects: Kubernetes objects, read in place (jscan) into plain structs that hold only what goodput needs. Slices point
 * into the bytes given and live as long as those. What is absent is the empty slice, TIME_UNKNOWN or -1; an enum value
 * nobody has heard of is kept as the text it is. Not the store: store.h keeps what is remembered. */
#ifndef OPERATOR_OBJECTS_H
#define OPERATOR_OBJECTS_H

#include "base/clock.h"
#include "base/jmembers.h"
#include "base/slice.h"
#include "formulas/price.h"

/* How many of each are kept, and what happens to one more (tests/operator/test_limits.c):
 * Conditions: only types that something reads are kept (object_condition_find), each once, so there is never one more.
 * A pod's containers and their statuses, a Workload's admission checks and unhealthyNodes have no bound: they are read
 * one by one. Of a pod template's containers only the chips count, of all together.
 * Replicated jobs: one with chips takes the place of the last without; one left out that would decide is counted, and
 * the condition Ready says so.
 * Taints: only those that end pods or announce an end are kept; the first ones explain as much as all.
 * windowSeconds (4), requiredReplicatedJobs (64): the CRD of the JobGoodput allows no more; the first ones count. */
#define OBJECT_CONDITIONS 20
#define OBJECT_REPLICATED_JOBS 64
#define OBJECT_TAINTS 16
#define OBJECT_WINDOWS 4

struct chip;

struct object_condition {
    struct slice type, status, reason;
    struct slice message; /* raw: escapes not decoded */
    int64_t at_ms;        /* lastTransitionTime */
    int64_t heartbeat_ms; /* nodes */
};

struct object_conditions {
    struct object_condition items[OBJECT_CONDITIONS];
    int count;
};

/* NULL if there is none of that type, which is one of the table in objects.c. */
const struct object_condition *object_condition_find(const struct object_conditions *conditions, const char *type);

struct object_meta {
    struct slice namespace_, name, uid, resource_version;
    int64_t generation, created_ms;
    int64_t deletion_ms;                            /* deletionTimestamp: in the future while the grace period runs */
    int64_t grace_seconds;                          /* deletionGracePeriodSeconds; 0 if absent */
    struct slice owner_kind, owner_uid, owner_name; /* the controlling owner */
    int64_t written_ms;                             /* the newest managedFields time */
    bool is_by_provisioner; /* Kueue's controller of ProvisioningRequests is among the managers of its fields */
    /* labels and annotations */
    struct slice jobset_uid, jobset_name, replicated_job, controller_uid, queue, default_container, enabled;
    int64_t job_index, completion_index, restart_attempt, execution_attempt; /* -1 */
    /* of pods that no Job makes: the group of a RayCluster, the replica type of a PyTorchJob, the LeaderWorkerSet */
    struct slice ray_group, replica_type, set_name, pod_group, pod_set; /* pod_group, pod_set: Kueue's */
    struct slice is_group;                                              /* of a Workload: "true" */
    int64_t group_index, member_index; /* of a LeaderWorkerSet; its worker's, or the replica's of a PyTorchJob; -1 */
    struct slice node_pool;
    const struct chip *chip;                            /* that the labels of a node name; NULL */
    int64_t price;                                      /* per chip-hour, by the label of a node: price.h */
    int64_t node_chips;                                 /* that the labels of a node count; 0: they do not say */
    bool is_spot, is_under_maintenance, is_partitioned; /* is_partitioned: what they count are parts of chips */
    bool is_node;                                       /* set before it is read: only then the labels of clouds are */
};

struct object_container {
    struct slice name;
    int64_t chips;
    bool has_claims;  /* it uses devices of its pod's ResourceClaims */
    bool may_restart; /* by its custom policy or rules, whatever the restartPolicy of its pod (KEP-5307) */
};

/* The next of an array, which is taken off it; false: there are no more. */
bool object_container_next(struct slice *containers, struct object_container *container);

/* The version of an object before the one at hand: its newest managedFields time (TIME_UNKNOWN: not known), and a time
 * at which it was still the last one (0: not known). */
struct object_before {
    int64_t written_ms, at_ms;
};

/* When a change that an object shows came about, if no field of its own reports it: its newest managedFields time, or
 * the receipt. A write that only removes something leaves no entry in managedFields: then the newest time is the one of
 * the version before. */
static inline int64_t object_changed_ms(const struct object_meta *meta, struct object_before before,
                                        int64_t received_ms) {
    int64_t written_ms = meta->written_ms;
    bool is_known = written_ms != TIME_UNKNOWN && written_ms < received_ms && written_ms >= meta->created_ms;
    bool is_new = before.written_ms != TIME_UNKNOWN ? written_ms > before.written_ms
                                                    : written_ms > before.at_ms - 1000; /* times are whole seconds */
    return is_known && is_new ? written_ms : received_ms;
}

/* Whether that label or annotation is read of other objects than Nodes. */
bool object_reads_label(struct slice key);

/* Shared by the readers of one kind each; each consumes one value, most as a row of jmembers.h does. */
void object_meta_scan(struct jscan *j, void *meta); /* what is out of bounds is left out */
void object_meta_init(struct object_meta *meta);
void object_conditions_scan(struct jscan *j, void *conditions);
/* Chips among resources: {"google.com/tpu": "4", ...}; raises *chips, an int64_t, to their sum. */
void object_chips_scan(struct jscan *j, void *chips);
void object_containers_chips_scan(struct jscan *j, void *sum); /* adds those of all together */
void object_is_filled_scan(struct jscan *j, void *is_filled);  /* a bool: set by an array with elements */
struct slice object_text_scan(struct jscan *j);                /* the raw string; empty if it is of another type */
/* Reads the next element off an array whose bytes were checked with the object's; false: there are no more. */
bool object_element_read(struct slice *array, const struct jmember *rows, size_t count, void *to);
/* Reads a whole object, which starts with its struct object_meta. 0, or -EINVAL if it is malformed or has no name. */
int object_read(struct slice json, const struct jmember *rows, size_t count, void *object);

#endif
