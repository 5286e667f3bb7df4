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
#include "formulas/price.h"
#include "operator/objects/objects.h"
#include "operator/objects/resource.h"
#include "operator/store/forbidden.h"
#include "operator/store/history.h"
#include "operator/store/node.h"
#include "operator/store/past.h"
#include "operator/store/pod.h"

struct model_job;

#define STORE_MESSAGE_SIZE 256
#define STORE_MAX_TRANSITIONS 512 /* of one history; the oldest is dropped: store_is_cut() */
#define STORE_MAX_UNHEALTHY 64    /* of one Workload; the oldest that is over is dropped */
#define STORE_MAX_UNMEASURED 32   /* targets that are gone and that no JobGoodput measures */
#define STORE_SECOND_MS 1000      /* stamps are whole seconds */
#define STORE_SOON_MS 2000        /* what was made so long ago is known, and earlier than what comes now */
#define STORE_MAX_EVENTS 65536    /* pods of which only events are known */

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

enum target_kind { TARGET_JOBSET, TARGET_JOB };

/* ---- the parts of a target ---- */

struct target_spec { /* what it asks for, as observed last */
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
    int64_t gone_ms;
    bool is_deleted;
    bool has_vanished; /* when it was deleted was not observed: by gone_ms, or before */
    enum ledger_outcome outcome;
    const char *reason;
    char *message;
};

struct target_restarts {
    int64_t count, job_restarts; /* as observed last; -1 */
    struct restart *items;
    int item_count, item_capacity;
};

struct target_pods {
    struct pod **items;
    size_t count, capacity;
    size_t unindexed;                /* of them have no completion index */
    int64_t first_created_ms;        /* TIME_OPEN: none is known */
    uint64_t version, shape_version; /* move when a pod is added / when slots are numbered again */
    struct pod *dirty;
    int64_t forget_at_ms; /* then there may be pods that can be forgotten; TIME_OPEN */
};

struct target_past { /* of pods that are forgotten, or that a checkpoint had no room for: past.h */
    struct past *items;
    int count;
    struct settled_slots *slots; /* of a checkpoint; NULL: it had room for all pods */
    int slot_list_count;
    int64_t settled_ms, settled_created_ms; /* until when, and of which pods: those that were created by then */
};

struct target_watch {   /* in which time its pods are known: unwatched.h */
    int64_t known_ms;   /* all is known until then: its creation, or what a predecessor's checkpoint reaches to */
    int64_t resumed_ms; /* from then on as well; TIME_UNKNOWN: since this process watches */
    struct spans gaps;  /* of predecessors, or without permission: pods may have come and gone */
};

struct target {
    char *uid, *namespace_, *name;
    enum target_kind kind;
    int64_t created_ms;
    int64_t written_ms; /* newest managedFields time of its last version; TIME_UNKNOWN: none observed */
    bool is_seen;       /* the object itself, not only others that name it */
    bool is_restored;
    bool is_partial; /* a checkpoint had no room for all that its predecessor knew of it */
    bool is_cut;     /* of its own restarts or of those of a container, as of a history */
    struct target_spec spec;
    struct history suspended;
    int64_t suspended_ms; /* time of its condition Suspended when that was last observed to be True; TIME_UNKNOWN */
    struct target_end end;
    struct target_restarts restarts;
    struct target_pods pods;
    struct target_past past;
    struct target_watch watch;
    struct kube_job *kube_jobs;
    uint64_t jobs_version;       /* moves when a Job is added or its creation gets known */
    int64_t forgotten_restarted; /* Jobs that are forgotten, and were restarted alone */
    struct workload *workloads;
    struct model_job *job;     /* the JobGoodput that measures it; NULL */
    struct target *next_named; /* older targets of the same name */
    bool is_touched, is_named; /* in the model's list: its status may change; it has got its name */
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
    int64_t pods_recorded;   /* so often a pod was made a fact of: what an event costs beside reading it */
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
struct node *store_node(struct model *m, struct slice name);
struct pod *store_pod_new(struct model *m, struct target *t, const struct object_meta *meta);
void store_pod_bind(struct pod *p, struct node *n);
struct kube_job *store_kube_job(struct model *m, struct target *t, struct slice uid);
struct workload *store_workload(struct model *m, struct target *t, struct slice uid);
struct pod_events *store_events(struct model *m, struct slice pod_uid);
struct refusals *store_refusals(struct model *m, struct slice job_uid); /* NULL: there are too many */

/* Its job's status may change: it comes into m->touched. */
void store_touch_target(struct model *m, struct target *t);
void store_touch_pod(struct model *m, struct pod *p);
void store_touch_node(struct model *m, struct node *n);

/* A history of the target, its Jobs, Workloads or containers is cut: what the ledger has of its start is taken back. */
bool store_is_cut(const struct target *t);

#endif
