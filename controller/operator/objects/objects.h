/* objects: Kubernetes objects, read in place (jscan) into plain structs that hold only what goodput needs. Slices point
 * into the bytes given and live as long as those. What is absent is the empty slice, TIME_UNKNOWN or -1; an enum value
 * nobody has heard of is kept as the text it is. Not the store: store.h keeps what is remembered. */
#ifndef OPERATOR_OBJECTS_H
#define OPERATOR_OBJECTS_H

#include "base/clock.h"
#include "base/slice.h"
#include "formulas/chips.h"
#include "formulas/flops.h"
#include "formulas/price.h"

/* How many of each are kept, and what happens to one more (tests/operator/test_caps.c):
 * Conditions: only types that something reads are kept (object_condition_find), each once, so there is never one more.
 * A pod's containers and their statuses, a Workload's admission checks and unhealthyNodes have no bound: they are read
 * one by one. Of a pod template's containers only the chips count, of all together.
 * Replicated jobs: one with chips takes the place of the last without; one left out that would decide is counted, and
 * the condition Ready says so.
 * Taints: only those that end pods or announce an end are kept; the first ones explain as much as all.
 * windowSeconds (4), requiredReplicatedJobs (64): the CRD of the JobGoodput allows no more; the first ones count. */
#define OBJECT_CONDITIONS 20
#define OBJECT_CONTAINERS 16
#define OBJECT_REPLICATED_JOBS 64
#define OBJECT_TAINTS 16
#define OBJECT_WINDOWS 4

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
    int64_t job_index, completion_index, restart_attempt; /* -1 */
    struct slice node_pool;
    const struct chip *chip; /* that the labels of a node name; NULL */
    int64_t price;           /* per chip-hour, by the label of a node: price.h */
    bool is_spot, is_under_maintenance;
};

struct object_container {
    struct slice name;
    int64_t chips;
    bool may_restart; /* by a policy or rules of its own, whatever its pod's restartPolicy (KEP-5307) */
};

struct object_containers {
    struct object_container items[OBJECT_CONTAINERS];
    int count;
    int64_t chips; /* of all together */
};

struct object_container_status {
    struct slice name, waiting_reason, reason; /* reason of the terminated state */
    struct slice waiting_message;              /* raw */
    int64_t restart_count, started_ms, finished_ms;
    int64_t exit_code; /* -1 if it has not ended */
    bool is_running;
    int64_t last_started_ms, last_finished_ms, last_exit_code; /* lastState.terminated */
    struct slice last_reason;
};

struct object_pod {
    struct object_meta meta;
    struct slice node, restart_policy, phase, reason;
    struct slice message;    /* raw */
    struct slice containers; /* spec.containers: object_container_next */
    struct object_conditions conditions;
    struct slice statuses; /* status.containerStatuses: object_status_next */
};
/* is_known: only what can still change once it is bound is read: its end, its deletion, its status. */
int object_pod_parse(struct slice json, bool is_known, struct object_pod *pod);
/* Why a container waits: its image cannot be had, in the words of the kubelet's image manager. */
bool object_is_pull_reason(struct slice reason);
/* The next of an array, which is taken off it; false: there are no more. */
bool object_container_next(struct slice *containers, struct object_container *container);
bool object_status_next(struct slice *statuses, struct object_container_status *status);

struct object_replicated_job {
    struct slice name;
    int64_t replicas, parallelism, completions; /* -1: not set */
    struct object_containers containers;
    bool has_dependency;
};

struct object_jobset {
    struct object_meta meta;
    struct object_replicated_job jobs[OBJECT_REPLICATED_JOBS];
    int job_count, left_out; /* left_out: so many that ask for chips (or of any, if none does) are not among jobs */
    bool is_suspended, is_started_in_order;
    struct slice managed_by;
    struct slice coordinator_job; /* spec.coordinator */
    int64_t coordinator_job_index, coordinator_pod_index;
    struct object_conditions conditions;
    int64_t restarts, job_restarts; /* job_restarts: sum over all jobRestarts[] */
};
int object_jobset_parse(struct slice json, struct object_jobset *jobset);

struct object_job {
    struct object_meta meta;
    struct object_replicated_job job; /* one, without a name */
    bool is_suspended;
    struct slice managed_by, completed_indexes;
    int64_t failed_pods;
    struct object_conditions conditions;
    int64_t completion_ms;
};
int object_job_parse(struct slice json, struct object_job *job);

struct object_taint {
    struct slice key, value, effect;
    int64_t added_ms;
};

struct object_node {
    struct object_meta meta;
    struct object_taint taints[OBJECT_TAINTS];
    int taint_count;
    struct object_conditions conditions;
    int64_t chips; /* allocatable */
};
int object_node_parse(struct slice json, struct object_node *node);

struct object_check {
    struct slice name, state;
    struct slice message; /* raw */
};

struct object_workload {
    struct object_meta meta;
    bool is_active;
    struct slice queue, cluster_queue, priority; /* cluster_queue: that admitted it */
    struct object_conditions conditions;
    int64_t evictions;      /* counted in status.schedulingStats */
    struct slice unhealthy; /* status.unhealthyNodes: object_unhealthy_next */
    struct slice checks;    /* status.admissionChecks: object_check_next */
};
int object_workload_parse(struct slice json, struct object_workload *workload);
/* As object_container_next. */
bool object_check_next(struct slice *checks, struct object_check *check);
bool object_unhealthy_next(struct slice *unhealthy, struct slice *name);

struct object_event {
    struct object_meta meta;
    struct slice kind, namespace_, name, uid, reason;
    struct slice message; /* raw */
    int64_t first_ms, last_ms;
};
int object_event_parse(struct slice json, struct object_event *event);

struct object_lease {
    struct object_meta meta;
    int64_t renewed_ms;
};
int object_lease_parse(struct slice json, struct object_lease *lease);

#define OBJECT_REGEXES 4
#define OBJECT_REGEX_NAMES                                                                                             \
    { "step", "checkpointStart", "checkpointSaved", "checkpointRestored" }

struct object_program {  /* spec.program: what is needed for program goodput */
    int64_t peak_gflops; /* per chip; 0: not given */
    double parameters;
    int64_t layers, heads, head_dim, sequence_length; /* 0: attention is not counted */
    int64_t tokens_per_step;
    int64_t devices_per_chip; /* 0: as the chip has */
    bool is_causal, is_quantized;
    enum chip_type type;      /* CHIP_TYPES: not one of them */
    int64_t tokens_per_s;     /* 0: not given; goes after tokens_per_step */
    struct flops_shape shape; /* layers, heads and head_dim are above; width 0: not given */
};

struct object_cost { /* spec.cost */
    int64_t price;   /* price.h; PRICE_NONE: not given */
    struct slice currency;
};

#define OBJECT_PREVIOUS 4

struct object_numbers { /* of one target, as a status has them */
    struct slice uid;
    int64_t start_ms, end_ms, wall_ms, available_ms, productive_ms; /* TIME_UNKNOWN; RECORD_NONE */
};

struct object_jobgoodput {
    struct object_meta meta;
    struct slice target_kind, target_name;
    struct slice required[OBJECT_REPLICATED_JOBS];
    int required_count;
    struct slice source, format, container;
    struct slice regex[OBJECT_REGEXES]; /* spec.stepLog.regex, raw: in the order of OBJECT_REGEX_NAMES */
    struct slice log_job;               /* spec.stepLog.podLog.pod */
    struct slice log_path;              /* spec.stepLog.file; raw, as all texts */
    struct slice log_project, log_logger, log_job_name; /* spec.stepLog.cloudLogging */
    int64_t log_job_index, log_completion_index;        /* -1 */
    int64_t ideal_step_ms, hang_after_ms;               /* 0: learnt */
    int64_t windows_ms[OBJECT_WINDOWS];
    int window_count;
    struct object_program program;
    struct object_cost cost;
    int64_t total_steps; /* 0: not told */
    /* as written before, by whomever */
    struct slice status; /* the whole of it, JSON; empty if there is none */
    bool is_finished;    /* condition Finished=True */
    struct slice checkpoint;
    struct slice phase, accelerator;
    int64_t label_price;           /* PRICE_NONE: it was not of a node's label */
    struct object_numbers numbers; /* of its target */
    struct object_numbers previous[OBJECT_PREVIOUS];
    int previous_count;
};
int object_jobgoodput_parse(struct slice json, struct object_jobgoodput *jobgoodput);

struct object_steplogformat {
    struct object_meta meta;
    struct slice spec; /* JSON: steplog/userformat.h */
    int64_t observed_generation;
    struct object_conditions conditions; /* as written before */
};
int object_steplogformat_parse(struct slice json, struct object_steplogformat *format);

/* The version of an object before the one at hand: its newest managedFields time (TIME_UNKNOWN: not known), and a time
 * at which it was still the last one (0: not known). */
struct object_before {
    int64_t written_ms, at_ms;
};

/* When a change that an object shows came about, if no field of its own reports it: its newest managedFields time, or
 * the receipt. A write that only removes something leaves no entry in managedFields: then the newest time is the one of
 * the version before. */
static inline int64_t object_told_ms(const struct object_meta *meta, struct object_before before, int64_t received_ms) {
    int64_t written_ms = meta->written_ms;
    bool is_known = written_ms != TIME_UNKNOWN && written_ms < received_ms && written_ms >= meta->created_ms;
    bool is_new = before.written_ms != TIME_UNKNOWN ? written_ms > before.written_ms
                                                    : written_ms > before.at_ms - 1000; /* times are whole seconds */
    return is_known && is_new ? written_ms : received_ms;
}

/* Shared by the readers of one kind each; each consumes one value. */
struct jscan;
void object_meta_scan(struct jscan *j, struct object_meta *meta);
void object_meta_bound(struct object_meta *meta); /* what is out of bounds is left out */
void object_meta_init(struct object_meta *meta);
void object_conditions_scan(struct jscan *j, struct object_conditions *conditions);
/* Chips among resources: {"google.com/tpu": "4", ...}. */
int64_t object_chips_scan(struct jscan *j);
/* Takes the next element off an array whose bytes were checked with the object's; false: there are no more. */
bool object_element_next(struct slice *array, struct slice *element);
void object_containers_scan(struct jscan *j, struct object_containers *containers);
struct slice object_text_scan(struct jscan *j); /* the raw string; empty if it is of another type */
int64_t object_time_scan(struct jscan *j);      /* TIME_UNKNOWN if it is none */
int64_t object_int_scan(struct jscan *j, int64_t otherwise);
bool object_bool_scan(struct jscan *j);
/* 0, or -EINVAL if the scan met an error or the object has neither name nor UID. */
int object_finish(struct jscan *j, const struct object_meta *meta);

#endif
