/* fake: the objects of fake_objects.h, delivered to a model at a given time. */
#ifndef TEST_FAKE_H
#define TEST_FAKE_H

#include "fake_objects.h"
#include "operator/model/model.h"

/* A model with the JobGoodput ns/js of the JobSet "js", without a log; more_spec as in replay_jobgoodput. */
struct model *fake_model(const char *more_spec);
/* The same, of a controller that finds this status (NULL: none) and keeps checkpoints. */
struct model *fake_successor(const char *status);
/* The status of ns/js then (heap); the model is freed. */
char *fake_finish(struct model *m, double at);

/* The status then (heap), after all is listed up to then. */
char *fake_status(struct model *m, double at);
/* Cuts the checkpoint off: the status of a model that keeps none. */
void fake_cut_checkpoint(char *status);
/* A line of the log of that pod's container, and when the kubelet wrote it. */
void fake_log_line(struct model *m, const char *pod, double at, const char *line);
/* Steps first to last in MaxText's format, of that many seconds; the line of the first comes then. */
void fake_log_steps(struct model *m, const char *pod, int first, int last, int seconds, double at);
/* Any object, in namespace ns; json NULL: it is known only that it exists no more. */
void fake_observe(struct model *m, enum resource resource, enum observed what, const char *name, const char *uid,
                  const char *json, double at);
void fake_observe_jobgoodput(struct model *m, const struct fake_jobgoodput *goodput, double at);
void fake_observe_jobset_of(struct model *m, const struct fake_jobset *jobset, double at);
void fake_observe_job_of(struct model *m, const struct fake_job *job, enum observed what, double at);
void fake_observe_pod(struct model *m, const struct fake_pod *pod, enum observed what, double at);

/* A JobSet "js" with 1 x pods, created at 0, and further members of its spec and status, with a leading comma in
 * more_spec. */
void fake_observe_jobset(struct model *m, int pods, const char *more_spec, const char *status, double at);
/* Such a JobSet of one pod, "try1", which runs on a node with these labels since 994, and its JobGoodput ns/js. */
struct fake_pod fake_observe_trainer(struct model *m, const char *node_labels, const char *more_jobgoodput_spec);
void fake_observe_jobset_deleted(struct model *m, int pods, int deletion, double at);
void fake_observe_workload(struct model *m, const char *conditions, double at);
/* The same with spec.active false. */
void fake_observe_workload_inactive(struct model *m, const char *conditions, double at);
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

#endif
