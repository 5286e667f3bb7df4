/* store: what the model remembers of the cluster, trimmed: targets (JobSets and Jobs) with their pods, jobs and
 * workloads, and nodes. observe_*.c fill it from objects, facts/ reads it. Everything hangs on the UID, so that a
 * thing that is deleted and made again is another thing, and a thing may be named by others before it is seen itself.
 *
 * What is stored about an object depends only on the order of that object's own stream and on the receipt times given;
 * whatever needs two objects is worked out later, in facts. Conditions hold only their last transition, so histories
 * are kept here. The model owns all of it. */
#ifndef OPERATOR_STORE_H
#define OPERATOR_STORE_H

#include "base/map.h"
#include "base/mem.h"
#include "ledger/ledger.h"
#include "operator/objects/objects.h"
#include "operator/objects/resource.h"
#include "operator/store/history.h"

struct model_job;

#define STORE_MESSAGE_SIZE 256
#define STORE_MAX_TRANSITIONS 512 /* of one history; the oldest is dropped: store_is_cut() */
#define STORE_MAX_INSTANCES 64    /* of one container; the oldest but the first is dropped: store_is_cut() */
#define STORE_MAX_CONTAINERS 255  /* of one pod; those with chips first, then the first of the others */
#define STORE_MAX_UNHEALTHY 64    /* of one Workload; the oldest that is over is dropped */
#define STORE_MAX_UNMEASURED 32   /* targets that are gone and that no JobGoodput measures */
#define STORE_SECOND_MS 1000      /* stamps are whole seconds */
#define STORE_SOON_MS 2000        /* what was made so long ago is known, and earlier than what comes now */
#define STORE_MISSING_MS 10000    /* a Node that a pod names is listed no later after the binding */
#define STORE_MAX_EVENTS 65536    /* pods of which only events are known */

/* ---- what the ledger was told ---- */

/* One fact that depends on several objects, and so may turn out otherwise: sink.h takes back what no longer holds. */
enum pushed_kind { PUSHED_HOLD, PUSHED_DISRUPTION, PUSHED_SILENCE, PUSHED_RESTART };

struct pushed {
    uint8_t kind;   /* enum pushed_kind */
    uint8_t detail; /* bucket or cause */
    bool is_current;
    uint64_t key;
    int64_t from_ms; /* of silences and restarts, part of their identity */
};

struct pushed_list {
    struct pushed *items;
    int count, capacity;
};

/* ---- pods ---- */

/* Of a container's end and its pod being asked to go, which was seen first. Their stamps are whole seconds. */
enum end_order { END_UNSEEN, END_SEEN_FIRST, END_SEEN_AFTER, END_SEEN_TOGETHER };

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
    uint16_t count, capacity;
    struct instance first; /* most containers have no other: instances stands for it while there is none */
};

enum pod_phase { POD_PENDING, POD_RUNNING, POD_SUCCEEDED, POD_FAILED };

/* What few pods ever have. */
struct pod_trouble {
    int64_t gated_from_ms, gated_to_ms, unschedulable_ms, disruption_ms; /* TIME_UNKNOWN */
    int64_t gated_written_ms; /* newest managedFields time of the last version in which it was gated; TIME_UNKNOWN */
    const char *disruption_reason, *reason;                     /* reason: of its status; "" */
    char *unschedulable_message, *disruption_message, *message; /* NULL */
};

struct pod {     /* there are many: what is not there for all of them is elsewhere */
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
    int64_t seen_ms;     /* when it was told last */
    int64_t deletion_ms; /* when it was asked for */
    int64_t ended_ms;    /* phase Succeeded or Failed */
    int64_t gone_ms;
    int64_t settled_ms;     /* what it did until then is in its target's pasts; 0: nothing is */
    int64_t ready_until_ms; /* the newest end of a span in the job's ready_line; see ready_told */
    int32_t chips;
    int job_index, completion_index; /* -1: none */
    int slot_index;                  /* for pods without a completion index: given in the order of creation */
    int slot;                        /* job_slot(), when its facts were told */
    uint16_t ready_told;             /* so many borders of its spans are in the job's ready_line */
    uint8_t container_count;
    uint8_t phase;      /* enum pod_phase */
    uint8_t ready_kind; /* of its spans: none, first_ready, or ready */
    uint8_t loss_told;  /* why it was lost, to the ledger: enum cause + 1; 0: not told */
    uint8_t uid_at;
    bool restarts_in_place, is_dirty, is_deleted;
    bool was_asked_first;  /* to go, or disrupted, when it was seen to have ended */
    bool is_restored;      /* of this and of other objects: known from a checkpoint, not seen since */
    bool had_pull_trouble; /* its image could not be had for a while: told by its status */
    bool has_vanished;     /* its end was not observed: gone_ms is when it was last known to be there */
    bool is_counted;       /* in its Job's lost_pods */
    bool goes;             /* is being forgotten: model/forget.c */
    bool is_left_out;      /* of the checkpoint that is being written: model/settle.c */
    uint8_t held;          /* its slot at settled_ms: enum ledger_held */
    char name[];           /* the UID follows */
};

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

/* What Events tell about a pod. */
struct pod_events {
    int64_t pull_start_ms, pull_end_ms, pull_duration_ms; /* TIME_UNKNOWN, duration -1 */
    int64_t evicted_ms;
    char *evicted_message; /* heap; NULL */
};

/* What Events tell about a Job: its pods were refused from then until then. */
#define STORE_MAX_REFUSALS 16        /* of one Job; the oldest is dropped */
#define STORE_MAX_REFUSED_JOBS 4096  /* of which only Events are known */
#define STORE_REFUSED_AGAIN_MS 62000 /* the Job controller tries again after at most 60 s (MaxJobApiBackOff) */

struct refusal {
    int64_t from_ms, last_ms;
    bool is_quota;
};

struct refusals {
    struct refusal items[STORE_MAX_REFUSALS]; /* in time order, apart */
    int count;
    char message[STORE_MESSAGE_SIZE]; /* of the last one */
};

/* ---- nodes ---- */

struct node_trouble {
    int64_t visible_ms;   /* Ready turned False or Unknown, or the Node was deleted */
    int64_t heartbeat_ms; /* as its conditions told then */
    int64_t to_ms;        /* Ready again; TIME_OPEN */
    bool is_silent;       /* Unknown or deleted: the kubelet no longer speaks */
    const char *reason;
};

struct node_taint { /* NoExecute, or a known notice of termination */
    const char *key, *value;
    int64_t from_ms, to_ms;
};

struct node_past { /* what few nodes ever have */
    struct node_trouble *troubles;
    int trouble_count, trouble_capacity;
    struct node_taint *taints;
    int taint_count, taint_capacity;
    struct spans maintenance;
    struct spans silences; /* gaps between lease renewals that were too long */
};

struct node {
    const char *pool;
    const struct chip *chip; /* NULL: its labels name none */
    int64_t price;           /* per chip-hour, by its label: formulas/price.h */
    bool is_spot, exists, is_restored;
    int64_t restored_ms;    /* when what was restored of it was written; TIME_UNKNOWN */
    struct node_past *past; /* NULL: none; read it by node_past() */
    int64_t renewed_ms;     /* newest lease renewal */
    int64_t ready_ms;       /* Ready since then, as observed last; TIME_UNKNOWN */
    struct pod *pods;
    char name[];
};

const struct node_past *node_past(const struct node *n);
struct node_past *store_node_past(struct node *n); /* to write to */

/* ---- jobs, workloads, targets ---- */

struct kube_job {
    bool is_restored;
    char *uid, *name;
    struct target *target;
    const char *replicated_job;
    int64_t created_ms, deletion_ms, gone_ms, failing_ms;
    int64_t job_index;
    int64_t attempt; /* of the whole set: label restart-attempt; -1 */
    const char *failing_reason;
    struct history suspended;
    char *completed_indexes;
    int64_t failed_pods;      /* as its status tells */
    int64_t failed_unwatched; /* of them, while its pods were not watched */
    int64_t failed_unsettled; /* of them, since its pods were last known: the watch of pods may turn out to be cut */
    int64_t failed_ms;        /* receipt of the newest of those */
    int64_t seen_ms;          /* newest receipt */
    int64_t lost_pods;        /* its pods whose end is known and that may be counted there */
    struct pod *pods;
    struct kube_job *next_in_target;
};

struct unhealthy_node { /* Kueue declared that it failed and is to be replaced: status.unhealthyNodes */
    const char *name;
    int64_t from_ms, to_ms; /* no field of the object tells them; TIME_OPEN */
};

struct workload {
    char *uid, *name;
    struct target *target;
    int64_t created_ms, finished_ms, gone_ms;
    int64_t written_ms; /* newest managedFields time of its last version; TIME_UNKNOWN: none was observed */
    struct history reserved, admitted, evicted, active; /* active: spec.active */
    bool awaits_provisioning, is_restored;
    int64_t evictions; /* as its status counts them: status.schedulingStats; 0 in older versions of Kueue */
    const char *check_name, *queue;
    const char *cluster_queue, *priority; /* as told last: an eviction takes the admission away; NULL */
    char *check_message;
    struct unhealthy_node *unhealthy; /* NULL: none ever */
    int unhealthy_count, unhealthy_capacity;
    struct workload *next_in_target;
};

struct required { /* a number of slots from a time on */
    int64_t at_ms, slots;
};

struct replicated_job {
    const char *name;
    int64_t replicas, pods; /* pods of one job */
    int64_t stride;         /* the most that pods ever was */
    int64_t chips;          /* of one pod */
    bool has_dependency;
    const char *containers[OBJECT_CONTAINERS];
    int container_count;
    struct required *sizes; /* elastic sets change it */
    int size_count, size_capacity;
};

struct restart {
    int64_t at_ms;
    int64_t number;
    const char *what; /* "restarts", "jobRestarts" */
    char *message;
    bool is_derived;
};

/* What the pods of a replicated job did that are forgotten: model/forget.c. */
struct past_change {
    struct ledger_change all;
    int64_t ready; /* by so much the number of Ready ones moved */
};

struct past {
    const char *replicated_job;
    struct past_change *items; /* in time order, each time once */
    size_t count, capacity;
    bool is_told, is_ready_told; /* to the ledger, and to the job's ready_line */
};

/* The slots of a replicated job whose pods a checkpoint had no room for: what they did is in its past. */
struct settled_slots {
    const char *replicated_job;
    int64_t stride; /* slots of one job */
    size_t count;
    char *are_held; /* each then, 1 or 0; by a pod that is not in the checkpoint */
};

enum target_kind { TARGET_JOBSET, TARGET_JOB };

struct target {
    char *uid, *namespace_, *name;
    enum target_kind kind;
    bool is_seen; /* the object itself, not only others that name it */
    bool is_deleted, is_restored;
    bool has_vanished;          /* when it was deleted was not observed: by gone_ms, or before */
    int64_t created_ms, end_ms; /* end: TIME_UNKNOWN while it runs */
    int64_t gone_ms;
    int64_t watched_ms;       /* all is known until then: its creation, or what a predecessor's checkpoint reaches to */
    int64_t watched_again_ms; /* from then on as well; TIME_UNKNOWN: since this process watches */
    enum ledger_outcome outcome;
    const char *end_reason, *queue, *managed_by;
    char *end_message;
    struct history suspended;
    int64_t suspended_ms; /* time of its condition Suspended when that was last observed to be True; TIME_UNKNOWN */
    struct replicated_job *jobs;
    int job_count;
    int left_out; /* replicated jobs that should be required and do not fit: objects.h */
    bool is_started_in_order;
    const char *coordinator; /* replicated job; NULL */
    int64_t coordinator_job_index, coordinator_pod_index;
    int64_t restarts, job_restarts; /* as last seen; -1 */
    struct restart *restart_list;
    int restart_count, restart_capacity;
    bool is_cut; /* of its own restarts or of those of a container, as of a history */
    struct pod **pods;
    size_t pod_count, pod_capacity;
    size_t unindexed_pods;  /* of them have no completion index */
    int64_t first_pod_ms;   /* the first creation that is known; TIME_OPEN */
    struct spans unwatched; /* time of predecessors, or without permission, in which pods may have come and gone */
    int64_t written_ms;     /* newest managedFields time of its last version; TIME_UNKNOWN: none observed */
    struct kube_job *kube_jobs;
    int64_t forgotten_restarted; /* Jobs that are forgotten, and were restarted alone */
    uint64_t jobs_version;       /* moves when a Job is added or its creation gets known */
    bool is_partial;             /* a checkpoint had no room for all that its predecessor knew of it */
    struct workload *workloads;
    struct pod *dirty_pods;
    struct past *pasts;
    int past_count;
    struct settled_slots *settled; /* as a checkpoint told; NULL: it told of all pods */
    int settled_count;
    int64_t settled_ms, settled_created_ms; /* until when, and of which pods: those that were created by then */
    int64_t look_ms;                        /* then there may be pods that can be forgotten; TIME_OPEN */
    uint64_t pods_version, shape_version;   /* move when a pod is added / when slots are numbered anew */
    struct model_job *job;                  /* the JobGoodput that measures it; NULL */
    struct target *next_named;              /* older targets of the same name */
    bool is_touched, is_named;              /* in the model's list: its status may change; it has got its name */
};

/* ---- permissions that are missing ---- */

struct forbidden {
    enum resource resource;
    char *namespace_;   /* "": all of them */
    char *words;        /* the server's */
    int64_t through_ms; /* known until then; TIME_UNKNOWN: never listed */
};

/* ---- the model ---- */

struct model {
    char version[32];
    struct map targets;   /* uid -> target */
    struct map names;     /* "JobSet/ns/name" -> newest target */
    struct map pods;      /* uid -> pod */
    struct map kube_jobs; /* uid -> kube_job */
    struct map workloads; /* uid -> workload */
    struct map nodes;     /* name -> node */
    struct map events;    /* pod uid -> pod_events */
    struct map refusals;  /* Job uid -> refusals */
    struct map strings;   /* interned */
    struct map jobs;      /* "ns/name" -> model_job */
    struct map by_target; /* "JobSet/ns/name" -> the oldest JobGoodput of that target, seen or not */
    struct map formats;   /* StepLogFormats by name: model/formats.c */
    struct map log_work;  /* "ns/name" -> units of this minute: job/log_work.c */
    int64_t log_work_minute;
    struct target **touched; /* since the last look of who keeps the jobs */
    size_t touched_count, touched_capacity;
    struct model_job **dirty;
    size_t dirty_count, dirty_capacity;
    struct model_job *gone;               /* deleted and told; freed by the next model_next_dirty */
    int64_t watermark_ms[RESOURCE_COUNT]; /* TIME_UNKNOWN */
    int64_t receipt_ms;                   /* of the object that is being observed; TIME_UNKNOWN: none is */
    int64_t pods_complete_ms; /* by then no pod was left untold; an object of a new list tells nothing of it */
    int64_t watching_ms;      /* since then this process watches; TIME_OPEN: not yet */
    int64_t received_ms;      /* the newest receipt */
    struct spans cuts;        /* since then, spans in which the watch of pods was cut */
    struct spans unreachable; /* ... in which the API server was, so that no node could renew its lease */
    bool is_absent[RESOURCE_COUNT], is_swept[RESOURCE_COUNT];
    struct forbidden *forbidden; /* few: at most one for each watch */
    size_t forbidden_count, forbidden_capacity;
    bool keeps_checkpoints;
    int64_t forget_after_ms;
    char *chip_peaks, *chip_prices; /* NULL */
    char *documentation_url;        /* without a / at its end */
    char currency[PRICE_CURRENCY_SIZE];
    int64_t malformed;
    uint64_t labels_version; /* moves when a node's labels tell another chip or price */
    int64_t pods_told;       /* so often a pod was made a fact of: what an event costs beside reading it */
    int64_t pods_looked_at;  /* for a status, beside */
    int64_t jobs_looked_at;  /* so often a JobGoodput was, to find out which one measures a target */
};

/* The same text gives the same pointer, valid as long as the model. Bounded to 253 bytes. */
const char *store_intern(struct model *m, struct slice text);
/* Heap copy of raw JSON text, decoded and bounded; replaces *to. True if it changed. */
bool store_text(char **to, struct slice raw);

struct target *store_target(struct model *m, enum target_kind kind, struct slice uid, struct slice namespace_,
                            struct slice name);
#define STORE_NAME_KEY 520
void store_name_key(char out[static STORE_NAME_KEY], enum target_kind kind, const char *namespace_, const char *name);
struct target *store_target_by_name(struct model *m, enum target_kind kind, const char *namespace_, const char *name);
/* Puts a target that is now seen under its name; JobGoodputs of that name are told. */
void store_target_named(struct model *m, struct target *t);
struct node *store_node(struct model *m, struct slice name);
struct pod *store_pod_new(struct model *m, struct target *t, const struct object_meta *meta);
void store_pod_bind(struct pod *p, struct node *n);
struct kube_job *store_kube_job(struct model *m, struct target *t, struct slice uid);
struct workload *store_workload(struct model *m, struct target *t, struct slice uid);
void store_events_free(void *events);
struct pod_events *store_events(struct model *m, struct slice pod_uid);
struct refusals *store_refusals(struct model *m, struct slice job_uid); /* NULL: there are too many */
/* A target that no JobGoodput measures and that is gone may be forgotten with all that belongs to it. */
void store_trim(struct model *m);
void store_forget(struct model *m, struct target *t);       /* with all that belongs to it; no JobGoodput measures it */
void store_forget_pod(struct model *m, struct pod *p);      /* takes it off all lists but its target's */
void store_forget_job(struct model *m, struct kube_job *j); /* it has no pods any more */
/* past.c: the one of that replicated job, which is made if need be; its change of that time. */
struct past *store_past(struct target *t, const char *replicated_job);
struct past_change *past_at(struct past *past, int64_t at_ms);
/* The place of a pod in the list; -1: none. */
int64_t store_settled_slot(const struct settled_slots *s, const struct pod *p);
/* A pod that no checkpoint told of is seen for the first time: what it did until the last checkpoint may be settled. */
void store_settle_pod(struct pod *p);
void store_settled_done(struct target *t);
/* A pod has its node from the scheduler, which takes none that is not there: what no complete list of the nodes shows,
 * some time after the pod was bound, was deleted, and nobody saw it. */
bool store_is_on_missing_node(const struct pod *p, int64_t complete_ms);
/* What was restored of that kind and was not seen since has vanished; so have nodes that only pods tell of. */
void store_sweep(struct model *m, enum resource resource, int64_t received_ms);
/* forbidden.c: as model_forbidden(); true if it changed anything. */
bool store_forbid(struct model *m, enum resource resource, struct slice namespace_, const char *words,
                  int64_t through_ms);
/* Why no object of that kind in this namespace can be read; NULL: they can. */
const struct forbidden *store_forbidden(const struct model *m, enum resource resource, const char *namespace_);
void store_forbidden_done(struct model *m);
void store_node_done(struct node *n); /* frees what it holds */
void store_done(struct model *m);

/* Its job's status may change: it comes into m->touched. */
void store_touch_target(struct model *m, struct target *t);
void store_mark_pod(struct pod *p); /* its facts are made anew */
void store_touch_pod(struct model *m, struct pod *p);
void store_touch_node(struct model *m, struct node *n);
/* unwatched.c: something was told: from the first time on this process watches. */
void store_watching(struct model *m, int64_t received_ms);
/* Pods in that namespace (empty: any) were not watched from then until now. */
void store_unwatch(struct model *m, struct slice namespace_, int64_t from_ms);
/* How far all is known of pods, by now. */
int64_t store_pods_known_ms(const struct model *m, int64_t now_ms);
/* A Job counts so many failed pods. was_watched: a version of it was known, or it was made while this process watched.
 */
void store_count_failed(const struct model *m, struct kube_job *j, int64_t failed_pods, bool was_watched,
                        int64_t received_ms);
/* The watch of pods was cut between those times, and they were listed again. */
void store_cut(struct model *m, int64_t from_ms, int64_t to_ms);
/* The spans, in time order and disjoint, in which the target's pods may have come and gone unobserved. Heap. */
struct spans store_unwatched(const struct model *m, const struct target *t);
/* When the pod was last known to be there; TIME_OPEN: it is. */
int64_t store_known_until_ms(const struct pod *p);

/* A history of the target, its Jobs, Workloads or containers is cut: what the ledger has of its start is taken back. */
bool store_is_cut(const struct target *t);
struct instance *container_now(struct container *c);
struct instance *container_instance(struct container *c, int restart_count);

/* observe_*.c */
int observe_pod(struct model *m, enum observed what, struct slice uid, struct slice json, int64_t received_ms);
int observe_jobset(struct model *m, enum observed what, struct slice uid, struct slice json, int64_t received_ms);
int observe_job(struct model *m, enum observed what, struct slice uid, struct slice json, int64_t received_ms);
int observe_workload(struct model *m, enum observed what, struct slice uid, struct slice json, int64_t received_ms);
int observe_node(struct model *m, enum observed what, struct slice name, struct slice json, int64_t received_ms);
int observe_lease(struct model *m, enum observed what, struct slice json);
int observe_event(struct model *m, enum observed what, struct slice json);

#endif
