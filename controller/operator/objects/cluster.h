/* cluster: reads what a job runs on and waits for: a Node, its Lease, a Workload, an Event. */
#ifndef OPERATOR_OBJECTS_CLUSTER_H
#define OPERATOR_OBJECTS_CLUSTER_H

#include "operator/objects/objects.h"

struct object_taint {
    struct slice key, value, effect;
    int64_t added_ms;
};

struct object_node {
    struct object_meta meta;
    struct object_taint taints[OBJECT_TAINTS];
    int taint_count;
    struct object_conditions conditions;
    int64_t chips; /* allocatable */
};
int object_node_parse(struct slice json, struct object_node *node);

struct object_check {
    struct slice name, state;
    struct slice message; /* raw */
};

struct object_workload {
    struct object_meta meta;
    bool is_active;
    struct slice queue, cluster_queue, priority; /* cluster_queue: that admitted it */
    struct object_conditions conditions;
    int64_t evictions;      /* counted in status.schedulingStats */
    struct slice unhealthy; /* status.unhealthyNodes: object_unhealthy_next */
    struct slice checks;    /* status.admissionChecks: object_check_next */
};
int object_workload_parse(struct slice json, struct object_workload *workload);
/* As object_container_next. */
bool object_check_next(struct slice *checks, struct object_check *check);
bool object_unhealthy_next(struct slice *unhealthy, struct slice *name);

struct object_event {
    struct object_meta meta;
    struct slice kind, namespace_, name, uid, reason;
    struct slice message; /* raw */
    int64_t first_ms, last_ms;
};
int object_event_parse(struct slice json, struct object_event *event);

struct object_lease {
    struct object_meta meta;
    int64_t renewed_ms;
};
int object_lease_parse(struct slice json, struct object_lease *lease);

#endif
