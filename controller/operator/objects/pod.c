/* Most of what the API server sends is pods. */
#include "operator/objects/pod.h"

#include <string.h>

typedef struct object_container_status container_status;

static const struct jmember started[] = {JMEMBER_TIME(container_status, started_ms, "startedAt")};

static void running_scan(struct jscan *j, void *status) {
    ((container_status *)status)->is_running = true;
    jmembers_read(j, JMEMBERS(started), status);
}

bool object_status_next(struct slice *statuses, struct object_container_status *status) {
    static const struct jmember waiting[] = {JMEMBER(container_status, waiting_reason, "reason"),
                                             JMEMBER(container_status, waiting_message, "message")};
    static const struct jmember terminated[] = {
        JMEMBER(container_status, exit_code, "exitCode"),
        JMEMBER(container_status, reason, "reason"),
        JMEMBER(container_status, message, "message"),
        JMEMBER_TIME(container_status, started_ms, "startedAt"),
        JMEMBER_TIME(container_status, finished_ms, "finishedAt"),
    };
    static const struct jmember last_terminated[] = {
        JMEMBER(container_status, last_exit_code, "exitCode"),
        JMEMBER(container_status, last_reason, "reason"),
        JMEMBER(container_status, last_message, "message"),
        JMEMBER_TIME(container_status, last_started_ms, "startedAt"),
        JMEMBER_TIME(container_status, last_finished_ms, "finishedAt"),
    };
    static const struct jmember state[] = {JMEMBER_OBJECT("waiting", waiting), JMEMBER_SELF("running", running_scan),
                                           JMEMBER_OBJECT("terminated", terminated)};
    static const struct jmember last[] = {JMEMBER_OBJECT("terminated", last_terminated)};
    static const struct jmember rows[] = {
        JMEMBER(container_status, name, "name"),
        JMEMBER_OBJECT("state", state),
        JMEMBER_OBJECT("lastState", last),
        JMEMBER_WITHIN(container_status, restart_count, "restartCount", 0, INT32_MAX),
    };
    *status = (struct object_container_status){.started_ms = TIME_UNKNOWN,
                                               .finished_ms = TIME_UNKNOWN,
                                               .exit_code = -1,
                                               .last_started_ms = TIME_UNKNOWN,
                                               .last_finished_ms = TIME_UNKNOWN,
                                               .last_exit_code = -1};
    return object_element_read(statuses, JMEMBERS(rows), status);
}

#define POD struct object_pod

static const struct jmember known_metadata[] = {
    JMEMBER(POD, meta.name, "name"),
    JMEMBER(POD, meta.uid, "uid"),
    JMEMBER_TIME(POD, meta.deletion_ms, "deletionTimestamp"),
    JMEMBER_WITHIN(POD, meta.grace_seconds, "deletionGracePeriodSeconds", 0, 1000000000),
};
static const struct jmember spec[] = {
    JMEMBER_RAW(POD, containers, "containers"),
    JMEMBER(POD, restart_policy, "restartPolicy"),
    JMEMBER(POD, node, "nodeName"),
};
static const struct jmember status_rows[] = {
    JMEMBER(POD, phase, "phase"),
    JMEMBER_FIELD(POD, conditions, "conditions", object_conditions_scan),
    JMEMBER(POD, message, "message"),
    JMEMBER(POD, reason, "reason"),
    JMEMBER_RAW(POD, statuses, "containerStatuses"),
};
static const struct jmember known_pod[] = {JMEMBER_OBJECT("metadata", known_metadata),
                                           JMEMBER_OBJECT("status", status_rows)};
static const struct jmember new_pod[] = {JMEMBER_FIELD(POD, meta, "metadata", object_meta_scan),
                                         JMEMBER_OBJECT("spec", spec), JMEMBER_OBJECT("status", status_rows)};

int object_pod_parse(struct slice json, bool is_known, struct object_pod *pod) {
    memset(pod, 0, sizeof *pod);
    object_meta_init(&pod->meta);
    return is_known ? object_read(json, JMEMBERS(known_pod), pod) : object_read(json, JMEMBERS(new_pod), pod);
}

bool object_is_pull_reason(struct slice reason) {
    return slice_is(reason, "ErrImagePull") || slice_is(reason, "ImagePullBackOff") ||
           slice_is(reason, "InvalidImageName") || slice_is(reason, "ErrImageNeverPull");
}
