/* jobset: reads a JobSet, and a Job. What is read of a JobSet is also read of the kinds of job that have no Job
 * objects: store/kind_*.c. */
#ifndef OPERATOR_OBJECTS_JOBSET_H
#define OPERATOR_OBJECTS_JOBSET_H

#include "operator/objects/objects.h"

struct object_replicated_job {
    struct slice name;
    int64_t replicas, parallelism, completions; /* -1: not set */
    int64_t chips;                              /* of the containers of one pod */
    bool selects_chips;                         /* its pods run only on nodes with accelerators */
    bool has_node_chips;                        /* its pods use all chips of their nodes: store/node_chips.h */
    bool has_dependency;
    struct slice claims; /* resourceClaims of its pods, an array: claim.h; empty: none */
    bool prints_log;     /* the log of the whole job, which the pods with chips do not print */
    bool is_helper;      /* it only submits or watches: required by its name alone */
};

struct object_jobset {
    struct object_meta meta;
    struct object_replicated_job jobs[OBJECT_REPLICATED_JOBS];
    int left_out_idle; /* without chips, beyond the array */
    int job_count,
        left_out; /* left_out: the number of jobs with chips (of all jobs, if none has chips) beyond the array */
    bool is_suspended, is_started_in_order;
    struct slice managed_by;
    struct slice coordinator_job; /* spec.coordinator */
    int64_t coordinator_job_index, coordinator_pod_index;
    struct object_conditions conditions;
    int64_t restarts, job_restarts; /* job_restarts: sum over all jobRestarts[] */
    int64_t execution_attempts;     /* restarts and resumptions: KEP-1282, JobSet 0.13; -1: not counted */
    /* Of kinds whose fields, not conditions, report these: */
    bool has_ended, has_failed;
    struct slice reason, message; /* of the end, or of the last restart; message: raw */
    int64_t end_ms, restarted_ms;
};
int object_jobset_parse(struct slice json, struct object_jobset *jobset);
/* Adds the replicated job; where the array is full, one with chips takes the place of the last without. */
void object_jobset_add(struct object_jobset *jobset, const struct object_replicated_job *job);
/* Reads a whole object of such a kind. */
int object_jobset_read(struct slice json, const struct jmember *rows, size_t count, struct object_jobset *jobset);
/* Takes the end from the condition of that type, if it is True. */
void object_jobset_end_by(struct object_jobset *jobset, const char *type);
/* Of a pod template: the chips of its containers, into a struct object_replicated_job. */
void object_template_scan(struct jscan *j, void *job);

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

#endif
