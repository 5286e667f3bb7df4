/* fake: Kubernetes objects for tests, with only the fields that the model reads, delivered to a model at a given time.
 * All times are seconds after FAKE_EPOCH; -1: not (yet). */
#ifndef TEST_FAKE_H
#define TEST_FAKE_H

#include "operator/model/model.h"

#define FAKE_EPOCH_S 1795226400 /* 2026-11-21T02:00:00Z */

/* A model with the JobGoodput ns/js of the JobSet "js", without a log; more_spec as in replay_jobgoodput. */
struct model *fake_model(const char *more_spec);
/* The same, of a controller that finds this status (NULL: none) and keeps checkpoints. */
struct model *fake_successor(const char *status);
/* The status of ns/js then (heap); the model is freed. */
char *fake_finish(struct model *m, double at);

struct fake_pod {
    const char *name, *node, *container;
    int index, restart_count, exit_code;
    int created, bound, started, finished, unschedulable, asked_to_go, grace;
    int last_finished, last_exit_code; /* lastState */
    int ready, unready;                /* condition Ready; 0: not (yet) */
    const char *phase, *reason;        /* of the terminated state */
    const char *disruption;            /* reason of DisruptionTarget, at `asked_to_go` */
    int failed_by_kueue;               /* condition TerminatedByKueue; 0: not (yet) */
    const char *restart_policy;
    const char *container_more; /* members of its container, each with a leading comma */
    const char *job_uid;        /* NULL: the pod names no Job */
};
/* Of JobSet "js", replicated job "slice", job 0; 4 chips, never restarted in place, unless a field says otherwise. */
struct fake_pod fake_pod(const char *name, int index, int created);
struct fake_pod fake_started(const char *name, int index, int created, int bound, int started);
/* Index 0, bound a second after that and started in the next. */
struct fake_pod fake_running(const char *name, const char *node, int created);
void fake_observe_pod(struct model *m, const struct fake_pod *pod, enum observed what, double at);

/* A JobSet "js" with 1 x pods, created at 0, and further members of its spec and status, with a leading comma in
 * more_spec. */
void fake_observe_jobset(struct model *m, int pods, const char *more_spec, const char *status, double at);
/* Such a JobSet of one pod, "try1", which runs on a node with these labels since 994, and its JobGoodput ns/js. */
struct fake_pod fake_observe_trainer(struct model *m, const char *node_labels, const char *more_jobgoodput_spec);
void fake_observe_jobset_deleted(struct model *m, int pods, int deletion, double at);
void fake_observe_workload(struct model *m, const char *conditions, double at);
/* With further members of its status, each with a leading comma. */
void fake_observe_workload_status(struct model *m, const char *conditions, const char *more, double at);
void fake_observe_node(struct model *m, const char *name, const char *ready, int since, const char *labels,
                       const char *taints, double at);
void fake_observe_node_deleted(struct model *m, const char *name, const char *ready, int since, double at);
/* Ready is Unknown since then; its last heartbeat was at another time. */
void fake_observe_heartbeat(struct model *m, const char *name, int since, int heartbeat, double at);
void fake_observe_lease(struct model *m, const char *node, double renewed);
/* The JobSet's one Job, created at that time; its Event between first and last. */
void fake_observe_job(struct model *m, int created, double at);
void fake_observe_job_status(struct model *m, int created, const char *status, double at);
void fake_observe_job_deleted(struct model *m, int created, int deletion);
void fake_observe_job_event(struct model *m, const char *reason, const char *message, int first, int last);
void fake_observe_event(struct model *m, const char *pod, const char *reason, const char *message, int at);
/* {"type":type,"status":status,"reason":reason,"lastTransitionTime":at}; a ring of 16. */
const char *fake_condition(const char *type, const char *status, const char *reason, int at);
const char *fake_time(int at); /* quoted; a ring of 16 */
int64_t fake_ms(double at);

#endif
