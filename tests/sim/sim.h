/* sim: random lives of training jobs on the Kubernetes side, with their truth. A life is a small discrete-event
 * simulation of what the real controllers do (JobSet, Job, Kueue, scheduler, kubelet, node lifecycle, a person) in
 * milliseconds, deterministic from its seed. Each write of an object is kept as the JSON that the API server would send
 * (whole-second stamps); next to it runs the truth, worked out forwards from the state of the world and never from the
 * objects. watch.c delivers the objects to a model, late, reordered, with gaps; judge.c compares. */
#ifndef SIM_H
#define SIM_H

#include "base/buf.h"
#include "ledger/buckets.h"
#include "operator/model/model.h"

#define SIM_EPOCH_MS INT64_C(1795226400000) /* 2026-11-21T02:00:00Z */
#define SIM_MAX_GROUPS 3                    /* replicated jobs */
#define SIM_MAX_JOBS_OF 3                   /* replicas */
#define SIM_MAX_PODS_OF 4
#define SIM_MAX_SLOTS (SIM_MAX_GROUPS * SIM_MAX_JOBS_OF * SIM_MAX_PODS_OF)
#define SIM_MAX_NODES (SIM_MAX_SLOTS + 3)
#define SIM_KILLS 3
#define SIM_GAPS 4
#define SIM_MAX_DEATHS 16 /* of one node */
#define NOT_YET INT64_MAX

enum restart_strategy { RECREATE, BLOCKING_RECREATE, RESTART_JOB };
/* What the one rule of the failure policy does when a Job fails; NO_RULE: there is none. */
enum rule {
    NO_RULE,
    FAIL_JOBSET,
    RESTART_JOBSET,
    RESTART_JOBSET_AND_IGNORE,
    RESTART_ONE_JOB,
    RESTART_ONE_JOB_AND_IGNORE
};
enum success { ALL_JOBS, ALL_TRAINERS, ANY_TRAINER }; /* successPolicy: of which Jobs it needs the end */

struct sim_life;

struct sim_shape {
    bool is_plain_job, has_kueue, has_provisioning_check, has_other_check, has_gates, is_spot_pool, restarts_in_place;
    bool has_quota_trouble, has_pull_trouble;
    bool has_dependency, has_driver; /* driver: a replicated job without chips, not required */
    bool has_initializer;            /* the first replicated job, without chips: the others depend on its completion */
    bool is_elastic;                 /* the pods of its first trainer change, up to what they began with */
    bool is_started_in_order, is_managed_elsewhere, names_required, has_check_retries, has_ready_timeout;
    enum rule rule;
    int rule_group; /* the replicated job that the rule is for; -1: all */
    enum success success;
    enum restart_strategy strategy;
    int max_restarts, backoff_limit, group_count, spare_nodes;
    int toleration_s; /* of node.kubernetes.io/unreachable */
    struct {
        char name[24];
        int replicas, pods, chips, stride; /* pods: now; stride: at most */
    } groups[SIM_MAX_GROUPS];
};

struct sim_pod {
    char name[96], uid[64], node_name[24];
    int group, job_index, index, job, node; /* job: index into jobs; node: -1 */
    bool exists, is_terminating, is_gated, is_unschedulable, is_bound, is_pulling, is_pulled, has_started, is_running;
    bool has_finished; /* its container is over for good */
    bool is_failed, is_succeeded, is_disrupted, was_counted, is_evicted_by_kubelet;
    int64_t created_ms, schedulable_from_ms, first_pull_ms;
    /* as the object says; NOT_YET */
    int64_t bound_ms, unschedulable_ms, deletion_ms, started_ms, finished_ms, ready_ms, unready_ms, disruption_ms;
    int64_t last_started_ms, last_finished_ms;
    int grace_s, exit_code, last_exit_code, restart_count, phase; /* 0 Pending .. 3 Failed */
    const char *exit_reason, *last_reason, *waiting, *disruption_reason, *status_reason;
    int64_t true_started_ms, true_finished_ms;
    int true_exit;
    const char *true_reason;
    bool true_unschedulable;
};

struct sim_job {
    char name[64], uid[48];
    int group, job_index, attempt, job_attempt, failures;
    bool exists, is_deleting, wants_suspend, is_suspended, was_suspended, is_failing, is_failed, is_complete, is_queued;
    bool is_refused; /* its pods cannot be made: the quota is used up */
    int refusals;    /* tries since it is */
    int64_t refused_ms;
    int64_t created_ms, deletion_ms, suspended_ms, failing_ms, failed_ms, complete_ms, backoff_until_ms;
    bool done[SIM_MAX_PODS_OF];
};

struct sim_node {
    char name[24];
    bool exists, is_ready, is_silent, is_visible, is_cordoned, is_spot;
    int64_t ready_ms, renewed_ms, taint_ms, maintenance_ms, deletion_ms;
    const char *taint, *taint_effect, *reason, *status;
    int pod, deaths;        /* pod: -1 */
    enum cause death_cause; /* of the last one */
};

struct sim_condition {
    bool is_set, is_true;
    const char *reason;
    int64_t at_ms;
};

struct sim_write { /* one write of an object, as a watch would deliver it */
    int64_t at_ms;
    enum resource resource;
    enum observed what;
    char uid[160], name[160];
    char *json;
};

struct sim_item { /* one pending action */
    int64_t at_ms;
    uint64_t order;
    void (*act)(struct sim_life *, int);
    int arg;
};

struct truth_interruption {
    int64_t at_ms, until_ms, tre_ms, wait_ms, spans;
    enum cause cause;
    char reason[48];
};

struct truth {
    int64_t ms[BUCKET_COUNT];
    int64_t spans[BUCKET_COUNT];
    int64_t available_ms, available_since_ms;
    int64_t silent_ms;              /* a node of a required slot gave no sign of life */
    int64_t hidden_ms;              /* of it, before any object showed that, where the pod was lost */
    int64_t lost_ms[SIM_MAX_SLOTS]; /* when each slot was lost last; 0 */
    bool was_there[SIM_MAX_SLOTS];
    enum bucket now;
    bool was_available, was_up; /* up: no node is silent either, whether or not it comes back */
    bool has_started;
    bool is_ambiguous;  /* two interruptions within the resolution of the stamps */
    bool is_unknowable; /* no object shows it */
    bool ends_silent;   /* a required slot's node is silent at the end: whether the slot was held stays unknown */
    struct truth_interruption *interruptions;
    size_t count, capacity;
    bool has_final; /* behind them stands the one that was the end of the job */
    int growths;
    int64_t shrunk_ms;
    bool is_open, is_restarting, is_growing;
    enum cause struck; /* the best of what struck since the last time all was available; CAUSE_COUNT: nothing */
    char struck_reason[48];
    int64_t struck_open_ms, struck_ms;
    int64_t reopened_ms; /* a slot was lost while containers of it restarted in place; 0 */
    int64_t ordered_ms;  /* the time to stop, or to start again, whether or not a slot was lost before; 0 */
};

struct sim_life {
    uint64_t seed, rng;
    struct sim_shape shape;
    int64_t now_ms, start_ms, end_ms; /* end: NOT_YET */
    struct sim_item *agenda;
    size_t agenda_count, agenda_capacity;
    uint64_t next_order, next_name;
    struct sim_write *writes;
    size_t write_count, write_capacity;
    struct sim_pod *pods;
    int pod_count, pod_capacity;
    struct sim_job *jobs;
    int job_count, job_capacity;
    struct sim_node nodes[SIM_MAX_NODES];
    int node_count;
    /* By node and death: the pod (its index + 1) with which it comes back, and which therefore held its slot
     * throughout. Known from a first run of the same life. */
    int comes_back[SIM_MAX_NODES][SIM_MAX_DEATHS];
    int newest[SIM_MAX_SLOTS]; /* pod of the slot, -1 */
    /* the JobSet, or the plain Job; is_stopped: its controller has obeyed is_suspended */
    bool exists, is_suspended, is_suspended_by_person, is_stopped, is_queued, is_finished, has_failed, is_restarting;
    int restarts; /* that count towards the maximum */
    int attempt, job_restarts[SIM_MAX_GROUPS][SIM_MAX_JOBS_OF];
    struct sim_condition suspended, restarting, completed, failed, starting, started; /* StartupPolicyIn.. */
    /* its Workload */
    bool workload_exists, is_active, is_inactive_by_person, is_evicted;
    const char *check_state;
    int admissions;
    struct sim_condition reserved, admitted, evicted, preempted, requeued, finished;
    const char *evict_reason;
    int evictions;
    int64_t workload_created_ms;
    int64_t quota_free_ms; /* the namespace's ResourceQuota is used up until then */
    bool wants_end, is_deleted;
    int64_t strike_ms; /* so much later the next thing may go wrong */
    int strikes_left;
    struct truth truth;
    const char *story[64]; /* what went wrong, for people */
    int64_t story_ms[64];
    int story_count;
};

/* life.c */
void sim_run(struct sim_life *l, uint64_t seed);
void sim_done(struct sim_life *l);
int64_t sim_pick(struct sim_life *l, int64_t low, int64_t high); /* both included */
bool sim_chance(struct sim_life *l, int percent);
void sim_at(struct sim_life *l, int64_t after_ms, void (*act)(struct sim_life *, int), int arg);
void sim_print_story(struct sim_life *l, const char *what);

/* shape.c: what kind of job it is, and its slots */
void shape_choose(struct sim_life *l);
bool sim_is_trainer(const struct sim_life *l, int group);
bool sim_is_required(const struct sim_life *l, int group);
int sim_slot(const struct sim_life *l, const struct sim_pod *p); /* -1: in none that is required */
int sim_slot_count(const struct sim_life *l);                    /* that may ever be required */
bool sim_is_slot_required(const struct sim_life *l, int slot);   /* now */

/* jobset.c: the JobSet and the Job controller */
void jobset_create(struct sim_life *l);
void jobset_touch(struct sim_life *l);
void job_touch(struct sim_life *l, int job);
void jobset_resize_plan(struct sim_life *l);
bool jobset_is_ready(const struct sim_life *l);
bool jobset_waits_for_dependency(const struct sim_life *l);
bool jobset_is_refused(const struct sim_life *l);
void jobset_end(struct sim_life *l, bool has_failed);

/* node.c: the scheduler, the kubelets and the nodes */
void nodes_create(struct sim_life *l);
void pod_created(struct sim_life *l, int pod);
void pod_delete(struct sim_life *l, int pod, int grace_s);
void pod_finish(struct sim_life *l, int pod, int exit_code, const char *reason); /* its container ends now */
void pod_disrupt(struct sim_life *l, int pod, const char *reason);
/* With that pod, from the death that it is in; pod -1: with any. */
bool node_comes_back(const struct sim_life *l, int node, int pod);
enum cause node_cause(const struct sim_node *n, enum cause otherwise);
void node_dies(struct sim_life *l, int node);
void node_is_reclaimed(struct sim_life *l, int node);
void node_add(struct sim_life *l);

/* kueue.c */
void workload_create(struct sim_life *l);
void workload_evict(struct sim_life *l, const char *reason);
void workload_stopped(struct sim_life *l);
void workload_finish(struct sim_life *l);

/* strike.c: what goes wrong */
void strike_plan(struct sim_life *l);

/* truth.c */
void truth_begin(struct sim_life *l);
void truth_advance(struct sim_life *l, int64_t to_ms); /* books the time since, in the state that it had */
void truth_look(struct sim_life *l);                   /* after something happened */
void truth_struck(struct sim_life *l, enum cause cause, const char *reason);
void truth_opens(struct sim_life *l); /* the execution ended, whatever the slots show */
void truth_restarted_in_place(struct sim_life *l);
void truth_grows(struct sim_life *l); /* more slots are required from now on: that interrupts nothing */
void truth_finish(struct sim_life *l);
bool truth_is_available(const struct sim_life *l, int slot);

/* json.c, json_cluster.c: the object as it is now goes to its stream */
void sim_keep(struct sim_life *l, enum resource resource, enum observed what, const char *uid, const char *name,
              struct buf *json);
const char *sim_stamp(int64_t ms); /* whole seconds; a ring of 16 */
void write_jobset(struct sim_life *l, enum observed what);
void write_job(struct sim_life *l, int job, enum observed what);
void write_pod(struct sim_life *l, int pod, enum observed what);
void write_node(struct sim_life *l, int node, enum observed what);
void write_workload(struct sim_life *l, enum observed what);
void write_lease(struct sim_life *l, int node);
void write_refusal(struct sim_life *l, int job);
void write_event(struct sim_life *l, int pod, const char *reason, const char *message);

/* watch.c: what a controller sees of it */
struct sim_gap {     /* nothing is delivered from..to; then everything is listed */
    int64_t from_ms; /* INT64_MIN: the controller starts at its end */
    int64_t to_ms;
    bool is_kill; /* another controller lists, which continues from the status written at from_ms */
};

struct sim_sight {
    struct sim_gap gaps[SIM_GAPS]; /* in order, disjoint */
    int gap_count;
    int64_t lag_ms[RESOURCE_COUNT]; /* maximum lag of each stream's events */
    int64_t killed_ms[SIM_KILLS];   /* each time another controller continues at once, in order; 0: no more */
    bool survives;                  /* what would kill it */
    bool loses_events, evaluates_often;
    bool has_other_uids;     /* the cluster gave its objects other UIDs */
    int64_t forget_after_ms; /* pods deleted that long ago leave numbers only */
    uint64_t rng;
};
/* A model that saw it so, with JobGoodput ns/js; the caller frees it. */
struct model *sim_watch(const struct sim_life *l, struct sim_sight sight, char **ret_status); /* heap */

#endif
