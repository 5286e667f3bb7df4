/* jobset: reads a JobSet, and a Job. */
#ifndef OPERATOR_OBJECTS_JOBSET_H
#define OPERATOR_OBJECTS_JOBSET_H

#include "operator/objects/objects.h"

struct object_replicated_job {
    struct slice name;
    int64_t replicas, parallelism, completions; /* -1: not set */
    int64_t chips;                              /* of the containers of one pod */
    bool has_dependency;
};

struct object_jobset {
    struct object_meta meta;
    struct object_replicated_job jobs[OBJECT_REPLICATED_JOBS];
    int job_count,
        left_out; /* left_out: the number of jobs with chips (of all jobs, if none has chips) beyond the array */
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

#endif
