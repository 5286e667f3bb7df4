/* fake_objects: the JSON of Kubernetes objects for tests and benchmarks, with only the fields that the controller
 * reads. All are in namespace "ns"; times are seconds after FAKE_EPOCH_S, -1: not (yet). The JSON is the caller's
 * (heap). */
#ifndef HARNESS_FAKE_OBJECTS_H
#define HARNESS_FAKE_OBJECTS_H

#include "base/slice.h"

#define FAKE_EPOCH_S 1795226400 /* 2026-11-21T02:00:00Z */

int64_t fake_ms(double at);
const char *fake_time(int at); /* quoted; a ring of 16 */
/* {"type":type,"status":status,"reason":reason,"lastTransitionTime":at}; a ring of 16. */
const char *fake_condition(const char *type, const char *status, const char *reason, int at);

/* The same object, or status, in a cluster that gave other UIDs: with other hashes, and in another order. */
char *fake_other_uid(struct slice uid);
char *fake_other_uids(struct slice json);

/* All zero: "js", for the JobSet "js", without a log. */
struct fake_jobgoodput {
    const char *namespace_; /* NULL: "ns" */
    const char *name;       /* NULL: "js" */
    const char *target;     /* NULL: as the name */
    int generation;         /* 0: 1 */
    int version;            /* resourceVersion; 0: as the generation */
    int created;
    const char *labels;   /* their members; NULL: none */
    const char *step_log; /* members of stepLog; NULL: source None, "": no stepLog */
    const char *more;     /* members of its spec, each with a leading comma; NULL: none */
    const char *status;   /* NULL: none */
};
char *fake_jobgoodput_json(const struct fake_jobgoodput *goodput); /* uid: "goodput-of-" and its name */

/* All zero: "js" with one replicated job "slice" of one pod of four chips. Members have a leading comma; NULL: none. */
struct fake_jobset {
    const char *name;                           /* NULL: "js" */
    const char *uid;                            /* NULL: "uid-" and its name */
    int created, deletion;                      /* deletion 0: not deleted */
    int replicas, pods;                         /* of "slice", pods of each replica; 0: 1 */
    const char *more_jobs;                      /* replicated jobs before "slice", each with a comma behind it */
    const char *more_slice;                     /* members of "slice" */
    const char *more_meta, *more_spec, *status; /* status: without a leading comma */
};
char *fake_jobset_json(const struct fake_jobset *jobset);

/* All zero: the JobSet's one Job "js-slice-0", uid "uid-job". */
struct fake_job {
    const char *uid;            /* NULL: "uid-job" */
    int created, deletion;      /* deletion 0: not deleted */
    const char *replicated_job; /* NULL: "slice" */
    const char *attempt;        /* label restart-attempt; NULL: none */
    const char *status;         /* members; NULL: none */
};
char *fake_job_json(const struct fake_job *job);

struct fake_pod {
    const char *name, *node, *container;
    const char *jobset;         /* NULL: "js" */
    const char *replicated_job; /* NULL: "slice" */
    bool has_node;              /* before it is bound, too: who made it set the name of its node */
    int index;                  /* -1: the Job is not indexed */
    int job_index, restart_count, exit_code, chips;
    int created, bound, started, finished, unschedulable, gated, asked_to_go, grace;
    int last_finished, last_exit_code; /* lastState */
    int ready, unready;                /* condition Ready; 0: not (yet) */
    const char *phase, *reason;        /* of the terminated state */
    const char *message;               /* the same, as JSON; NULL: none */
    const char *waiting;               /* reason of the waiting state */
    const char *disruption;            /* reason of DisruptionTarget or Kueue's TerminationTarget, at `asked_to_go` */
    int failed_by_kueue;               /* condition TerminatedByKueue; 0: not (yet) */
    const char *restart_policy;
    const char *container_more; /* members of its container, each with a leading comma */
    const char *more_meta;      /* members of its metadata, each with a leading comma */
    const char *job_uid;        /* NULL: the pod names no Job */
};
/* Of JobSet "js", replicated job "slice", job 0; 4 chips, never restarted in place, unless a field says otherwise. */
struct fake_pod fake_pod(const char *name, int index, int created);
struct fake_pod fake_started(const char *name, int index, int created, int bound, int started);
/* Index 0, bound a second after that and started in the next. */
struct fake_pod fake_running(const char *name, const char *node, int created);
char *fake_pod_json(const struct fake_pod *pod); /* uid: "uid-" and its name */

/* labels: members; taints: elements; reason of the condition Ready, which has its value since then. */
char *fake_node_json(const char *name, const char *labels, const char *taints, const char *ready, const char *reason,
                     int since);

#endif
