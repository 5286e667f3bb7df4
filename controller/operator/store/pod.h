/* pod: what is stored of a pod and its containers: when they ended, and whether they were asked to stop. */
#ifndef OPERATOR_STORE_POD_H
#define OPERATOR_STORE_POD_H

#include "operator/store/history.h"
#include "operator/store/pushed.h"

#define STORE_MAX_CONTAINERS 255 /* of one pod; those with chips first, then the first of the others */
#define STORE_MAX_INSTANCES 64   /* of one container; the oldest but the first is dropped: store_is_cut() */

/* Which was observed first: the container's end, or the request to delete its pod. Their stamps are whole seconds. */
enum end_order { END_UNOBSERVED, END_SEEN_FIRST, END_SEEN_AFTER, END_SEEN_TOGETHER };

struct instance { /* one run of a container */
    int restart_count;
    int exit_code; /* -1 */
    const char *reason;
    int64_t started_ms, finished_ms; /* TIME_UNKNOWN */
    int64_t last_line_ms;            /* stamp of the last line of its log, TIME_UNKNOWN if it was not read */
    bool is_running;
    uint8_t end_order; /* enum end_order */
};

struct container {
    const char *name;
    struct instance *instances; /* by restart count; at least one */
    int32_t chips;
    bool has_claims;
    uint16_t count, capacity;
    struct instance first; /* few containers have another: instances points to it while it is the only one */
};

enum pod_phase { POD_PENDING, POD_RUNNING, POD_SUCCEEDED, POD_FAILED };

/* Reason of Kueue's condition TerminationTarget, and behind it the reason why it evicted the Workload of the pod's
 * group: kueue v0.16 pkg/controller/jobs/pod/pod_controller.go (Stop). */
#define POD_EVICTED_WITH_WORKLOAD "WorkloadEvictedDueTo"

/* What only few pods have. */
struct pod_trouble {
    int64_t gated_from_ms, gated_to_ms, unschedulable_ms, disruption_ms; /* TIME_UNKNOWN */
    int64_t gated_written_ms; /* newest managedFields time of the last version in which it was gated; TIME_UNKNOWN */
    const char *disruption_reason, *reason;                     /* reason: of its status; "" */
    char *unschedulable_message, *disruption_message, *message; /* NULL */
};

struct kube_job;
struct node;
struct target;

struct pod {     /* there are many: what only some have is elsewhere */
    uint64_t id; /* hash of the UID */
    struct target *target;
    struct kube_job *job; /* NULL if not known */
    struct node *node;    /* NULL until bound */
    struct pod *next_on_node, *next_in_job, *next_dirty;
    const char *replicated_job, *default_container, *waiting_reason;
    struct pod_trouble *trouble; /* NULL: none; read it by pod_trouble() */
    struct container *containers;
    union { /* pod_ready() */
        struct span first_ready;
        struct spans ready;
    };
    struct pushed_list pushed;
    int64_t created_ms, bound_ms;
    int64_t seen_ms;        /* newest receipt */
    int64_t deletion_ms;    /* deletionTimestamp */
    int64_t ended_ms;       /* phase Succeeded or Failed */
    int64_t removed_ms;     /* no longer in the API server, or last known to be there: has_vanished */
    int64_t settled_ms;     /* its target's pasts contain what it did until then; 0: nothing */
    int64_t ready_until_ms; /* the newest end of a span in the job's ready_line; see ready_counted */
    int32_t chips;
    int job_index, completion_index; /* -1: none */
    int slot_index;                  /* of a pod without completion index: by order of creation */
    int slot;                        /* job_slot(), when its facts were last added; -1: none. POD_UNREAD */
    uint16_t ready_counted;          /* starts and ends of its spans that are in the job's ready_line */
    uint8_t container_count;
    uint8_t phase;         /* enum pod_phase */
    uint8_t ready_kind;    /* READY_NEVER: no spans; READY_ONCE: first_ready; READY_OFTEN: ready */
    uint8_t loss_recorded; /* why it was lost, as the ledger has it: enum cause + 1; 0: it has nothing */
    uint8_t uid_at;
    bool restarts_in_place, is_dirty, is_deleted;
    bool was_asked_first;  /* its deletion or disruption was known before its end */
    bool is_restored;      /* known from a checkpoint, not observed since; likewise in other objects */
    bool had_pull_trouble; /* its status once showed that the image could not be pulled */
    bool has_vanished;     /* its end was not observed */
    bool is_counted;       /* in its Job's lost_pods */
    bool is_forgettable;   /* model/forget.c is about to forget it */
    bool is_left_out;      /* not in the checkpoint that is being written: model/settle.c */
    uint8_t held;          /* its slot at settled_ms: enum ledger_held */
    char name[];           /* the UID follows */
};

#define POD_UNREAD (-2) /* its slot, until its facts are added for the first time */
enum { READY_NEVER, READY_ONCE, READY_OFTEN };

static inline const char *pod_uid(const struct pod *p) {
    return p->name + p->uid_at;
}

/* When it was Ready; the items are the pod's. */
static inline struct spans pod_ready(const struct pod *p) {
    return p->ready_kind == READY_OFTEN  ? p->ready
           : p->ready_kind == READY_ONCE ? (struct spans){(struct span *)&p->first_ready, 1, 1}
                                         : (struct spans){0};
}

const struct pod_trouble *pod_trouble(const struct pod *p);
struct pod_trouble *store_trouble(struct pod *p); /* to write to */
void store_trouble_free(struct pod *p);
struct instance *container_now(struct container *c);
struct instance *container_instance(struct container *c, int restart_count);
/* The scheduler binds pods only to Nodes that exist. So a Node that is missing in a complete list, some time after a
 * pod was bound to it, was deleted unobserved. */
bool store_is_on_missing_node(const struct pod *p, int64_t complete_ms);
void store_mark_pod(struct pod *p); /* facts/ reads it again */

/* A stamp of whole seconds means [t, t + 1 s). A line of the same process within that second moves the end to it. */
int64_t instance_finished_ms(const struct instance *i);
/* When the pod ended; TIME_UNKNOWN while it runs. */
int64_t pod_ended_ms(const struct pod *p);
bool container_has_devices(const struct container *c); /* chips, or what a ResourceClaim gives */
bool pod_is_training_container(const struct pod *p, int container);
/* The container ended because its pod was to be deleted, not by itself. */
bool instance_was_signaled(const struct pod *p, const struct instance *i);
/* When the container got SIGTERM and a grace period; TIME_UNKNOWN: it got none, or that is not known. */
int64_t instance_signaled_ms(const struct pod *p, const struct instance *i);

#endif
