/* target: what is stored of a target (a JobSet, or a Job that belongs to none), of the Jobs of a JobSet and of Kueue's
 * Workloads for it. store.h says how long it lives. */
#ifndef OPERATOR_STORE_TARGET_H
#define OPERATOR_STORE_TARGET_H

#include "operator/store/history.h"
#include "operator/store/kinds.h"
#include "operator/store/past.h"
#include "operator/store/pod.h"

struct model_job;

struct kube_job {
    bool is_restored;
    char *uid, *name;
    struct target *target;
    const char *replicated_job;
    int64_t created_ms, deletion_ms, removed_ms, failing_ms;
    int64_t job_index;
    int64_t attempt; /* of the whole set: label restart-attempt; -1 */
    const char *failing_reason;
    struct history suspended;
    char *completed_indexes;
    int64_t failed_pods;      /* status.failed */
    int64_t failed_unwatched; /* of them, counted while its pods were not watched */
    int64_t failed_unsettled; /* of them, counted since pods_complete_ms: the watch of pods may prove to be cut */
    int64_t failed_ms;        /* receipt of the newest of failed_unsettled */
    int64_t seen_ms;          /* newest receipt */
    int64_t lost_pods;        /* its pods whose end is known and that failed_pods may contain */
    struct pod *pods;
    struct kube_job *next_in_target;
};

struct unhealthy_node { /* Kueue declared that it failed and is to be replaced: status.unhealthyNodes */
    const char *name;
    int64_t from_ms, to_ms; /* receipts: no field of the object has them; TIME_OPEN */
};

struct workload {
    char *uid, *name;
    struct target *target;
    int64_t created_ms, finished_ms, removed_ms;
    int64_t written_ms; /* newest managedFields time of its last version; TIME_UNKNOWN: none was observed */
    struct history reserved, admitted, evicted, active; /* active: spec.active */
    bool awaits_provisioning, is_restored;
    int64_t evictions; /* as its status counts them: status.schedulingStats; 0 in older versions of Kueue */
    const char *check_name, *queue;
    const char *cluster_queue, *priority; /* of the last admission: an eviction removes it; NULL */
    char *check_message;
    struct unhealthy_node *unhealthy; /* NULL: none ever */
    int unhealthy_count, unhealthy_capacity;
    struct workload *next_in_target;
};

struct required { /* a number of slots from a time on */
    int64_t at_ms, slots;
};

#define STORE_MAX_CLAIM_TEMPLATES 8 /* of one pod; the API allows 32 claims, most for networks */

struct replicated_job {
    const char *name;
    int64_t replicas, pods;       /* pods of one job */
    int64_t stride;               /* largest value of pods so far */
    int64_t chips, claimed_chips; /* of one pod; the latter: of them, by ResourceClaims or its node's labels */
    bool has_node_chips;          /* its pods use all chips of their nodes: node_chips.h */
    bool shares_nodes;            /* two of its pods were on one node at once: how many each used is not known */
    const char *claim_templates[STORE_MAX_CLAIM_TEMPLATES]; /* ResourceClaimTemplates of its pods; NULL: no more */
    bool has_dependency, prints_log, is_helper;             /* as in struct object_replicated_job */
    struct required *sizes;                                 /* elastic sets change it */
    int size_count, size_capacity;
};

struct restart {
    int64_t at_ms;
    int64_t number;
    const char *what; /* "restarts", "jobRestarts" */
    char *message;
    bool is_derived;
};

/* ---- the parts of a target ---- */

struct target_spec { /* the spec, as observed last */
    const char *queue, *managed_by;
    bool is_started_in_order;
    const char *coordinator; /* replicated job; NULL */
    int64_t coordinator_job_index, coordinator_pod_index;
    struct replicated_job *jobs;
    int job_count;
    int left_out; /* replicated jobs that should be required and do not fit: objects.h */
};

struct target_end {
    int64_t at_ms; /* TIME_UNKNOWN while it runs */
    int64_t removed_ms;
    bool is_deleted;
    bool has_vanished; /* its deletion was not observed: it was at removed_ms or before */
    enum ledger_outcome outcome;
    const char *reason;
    char *message;
};

struct target_restarts {
    int64_t count, job_restarts,
        executions; /* as observed last; -1. executions: the JobSet's own count, or its pods' */
    struct restart *items;
    int item_count, item_capacity;
};

struct target_pods {
    struct pod **items;
    size_t count, capacity;
    size_t unindexed;                /* those without completion index */
    int64_t first_created_ms;        /* TIME_OPEN: none is known */
    uint64_t version, shape_version; /* change when a pod is added, or when slots are numbered again */
    struct pod *dirty;
    int64_t forget_at_ms; /* when there may be pods to forget; TIME_OPEN */
};

struct target_past { /* of pods that are forgotten, or that a checkpoint had no room for: past.h */
    struct past *items;
    int count;
    struct settled_slots *slots; /* of a checkpoint; NULL: it had room for all pods */
    int slot_list_count;
    int64_t settled_ms, settled_created_ms; /* until when, and of which pods: those created up to settled_created_ms */
};

struct target_watch {   /* when its pods were watched: unwatched.h */
    int64_t known_ms;   /* all is known until then: its creation, or the time of a predecessor's checkpoint */
    int64_t resumed_ms; /* all is known from then on; TIME_UNKNOWN: since this process watches */
    struct spans gaps;  /* without a controller or a permission: pods may have been created and deleted unobserved */
};

struct target {
    char *uid, *namespace_, *name;
    enum target_kind kind;
    int64_t created_ms;
    int64_t written_ms; /* newest managedFields time of its last version; TIME_UNKNOWN: none observed */
    bool is_seen;       /* the object was observed itself, not only others that name it */
    bool is_restored;
    bool is_partial; /* the checkpoint had no room for all that a predecessor knew */
    bool is_cut;     /* its restarts, or those of a container, have lost their oldest entries */
    struct target_spec spec;
    struct history suspended;
    int64_t suspended_ms; /* lastTransitionTime of Suspended when that was last observed True; TIME_UNKNOWN */
    struct target_end end;
    struct target_restarts restarts;
    struct target_pods pods;
    struct target_past past;
    struct target_watch watch;
    struct kube_job *kube_jobs;
    uint64_t jobs_version;       /* changes when a Job is added or its creation becomes known */
    int64_t forgotten_restarted; /* forgotten Jobs that were restarted alone */
    struct workload *workloads;
    struct target *trainjob;    /* of a JobSet that a TrainJob made: what is known of that, its Workloads; NULL */
    struct target *run;         /* of a TrainJob: its newest JobSet, which is measured; NULL */
    struct incident *incidents; /* by time: failures.h; NULL: none */
    int incident_count;
    struct model_job *job;     /* the JobGoodput that measures it; NULL */
    struct target *next_named; /* older targets of the same name */
    bool has_lost_pods;        /* its job counted pods that turned out to be of another target */
    bool is_touched, is_named; /* it is in store.touched; and because its name was registered */
};

/* Kueue's LocalQueue, by its own label or its Workload's; "" or NULL: none. */
static inline const char *target_queue(const struct target *t) {
    return t->spec.queue[0] || t->workloads == NULL ? t->spec.queue : t->workloads->queue;
}

#endif
