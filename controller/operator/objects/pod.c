/* The reader of pods: the hot one. Status is read last, whatever its place, as it needs nothing but itself. */
#include "operator/objects/pod.h"
#include "base/jscan.h"

#include <errno.h>
#include <string.h>

struct state {
    int64_t started_ms, finished_ms, exit_code;
    struct slice reason, message;
};

static struct state state_scan(struct jscan *j) {
    struct state s = {TIME_UNKNOWN, TIME_UNKNOWN, -1, {0}, {0}};
    struct slice key;
    if (!jscan_object(j))
        return s;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "startedAt"))
            s.started_ms = object_time_scan(j);
        else if (slice_is(key, "finishedAt"))
            s.finished_ms = object_time_scan(j);
        else if (slice_is(key, "exitCode"))
            s.exit_code = object_int_scan(j, -1);
        else if (slice_is(key, "reason"))
            s.reason = object_text_scan(j);
        else if (slice_is(key, "message"))
            s.message = object_text_scan(j);
        else
            jscan_skip(j);
    }
    return s;
}

static void states_scan(struct jscan *j, struct object_container_status *out, bool is_last) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        struct state s = state_scan(j);
        if (is_last) {
            if (slice_is(key, "terminated")) {
                out->last_started_ms = s.started_ms;
                out->last_finished_ms = s.finished_ms;
                out->last_exit_code = s.exit_code;
                out->last_reason = s.reason;
            }
        } else if (slice_is(key, "running")) {
            out->started_ms = s.started_ms;
            out->is_running = true;
        } else if (slice_is(key, "terminated")) {
            out->started_ms = s.started_ms;
            out->finished_ms = s.finished_ms;
            out->exit_code = s.exit_code;
            out->reason = s.reason;
        } else if (slice_is(key, "waiting")) {
            out->waiting_reason = s.reason;
            out->waiting_message = s.message;
        }
    }
}

static struct object_container_status status_scan_one(struct jscan *j) {
    struct slice key;
    struct object_container_status s = {.started_ms = TIME_UNKNOWN,
                                        .finished_ms = TIME_UNKNOWN,
                                        .exit_code = -1,
                                        .last_started_ms = TIME_UNKNOWN,
                                        .last_finished_ms = TIME_UNKNOWN,
                                        .last_exit_code = -1};
    if (!jscan_object(j))
        return s;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "name"))
            s.name = object_text_scan(j);
        else if (slice_is(key, "restartCount"))
            s.restart_count = object_int_scan(j, 0);
        else if (slice_is(key, "state"))
            states_scan(j, &s, false);
        else if (slice_is(key, "lastState"))
            states_scan(j, &s, true);
        else
            jscan_skip(j);
    }
    if (s.restart_count < 0 || s.restart_count > INT32_MAX)
        s.restart_count = 0;
    return s;
}

bool object_status_next(struct slice *statuses, struct object_container_status *status) {
    struct slice element;
    struct jscan j;
    if (!object_element_next(statuses, &element))
        return false;
    jscan_init_loose(&j, element);
    *status = status_scan_one(&j);
    return true;
}

static void spec_scan(struct jscan *j, struct object_pod *pod) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "nodeName"))
            pod->node = object_text_scan(j);
        else if (slice_is(key, "containers"))
            jscan_raw(j, &pod->containers);
        else if (slice_is(key, "restartPolicy"))
            pod->restart_policy = object_text_scan(j);
        else
            jscan_skip(j);
    }
}

static void status_scan(struct jscan *j, struct object_pod *pod) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "phase"))
            pod->phase = object_text_scan(j);
        else if (slice_is(key, "reason"))
            pod->reason = object_text_scan(j);
        else if (slice_is(key, "message"))
            pod->message = object_text_scan(j);
        else if (slice_is(key, "conditions"))
            object_conditions_scan(j, &pod->conditions);
        else if (slice_is(key, "containerStatuses"))
            jscan_raw(j, &pod->statuses);
        else
            jscan_skip(j);
    }
}

static void brief_meta_scan(struct jscan *j, struct object_meta *meta) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "name"))
            meta->name = object_text_scan(j);
        else if (slice_is(key, "uid"))
            meta->uid = object_text_scan(j);
        else if (slice_is(key, "deletionTimestamp"))
            meta->deletion_ms = object_time_scan(j);
        else if (slice_is(key, "deletionGracePeriodSeconds"))
            meta->grace_seconds = object_int_scan(j, 0);
        else
            jscan_skip(j);
    }
    object_meta_bound(meta);
}

int object_pod_parse(struct slice json, bool is_known, struct object_pod *pod) {
    struct jscan j;
    struct slice key;
    memset(pod, 0, sizeof *pod);
    object_meta_init(&pod->meta);
    jscan_init_loose(&j, json);
    if (!jscan_object(&j))
        return -EINVAL;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "metadata"))
            (is_known ? brief_meta_scan : object_meta_scan)(&j, &pod->meta);
        else if (slice_is(key, "spec") && !is_known)
            spec_scan(&j, pod);
        else if (slice_is(key, "status"))
            status_scan(&j, pod);
        else
            jscan_skip(&j);
    }
    return object_finish(&j, &pod->meta);
}

bool object_is_pull_reason(struct slice reason) {
    return slice_is(reason, "ErrImagePull") || slice_is(reason, "ImagePullBackOff") ||
           slice_is(reason, "InvalidImageName") || slice_is(reason, "ErrImageNeverPull");
}
