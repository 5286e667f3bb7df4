/* pod: reads a Pod. */
#ifndef OPERATOR_OBJECTS_POD_H
#define OPERATOR_OBJECTS_POD_H

#include "operator/objects/objects.h"

struct object_container_status {
    struct slice name, waiting_reason, reason; /* reason of the terminated state */
    struct slice waiting_message;              /* raw */
    struct slice message, last_message;        /* raw: termination messages */
    int64_t restart_count, started_ms, finished_ms;
    int64_t exit_code; /* -1 if it has not ended */
    bool is_running;
    int64_t last_started_ms, last_finished_ms, last_exit_code; /* lastState.terminated */
    struct slice last_reason;
};

struct object_pod {
    struct object_meta meta;
    struct slice node, restart_policy, phase, reason;
    struct slice message;    /* raw */
    struct slice containers; /* spec.containers: object_container_next */
    struct object_conditions conditions;
    struct slice statuses; /* status.containerStatuses: object_status_next */
};
/* is_known: only what can still change once it is bound is read: its end, its deletion, its status. */
int object_pod_parse(struct slice json, bool is_known, struct object_pod *pod);
/* Why a container waits: its image cannot be had, in the words of the kubelet's image manager. */
bool object_is_pull_reason(struct slice reason);
/* As object_container_next. */
bool object_status_next(struct slice *statuses, struct object_container_status *status);

#endif
