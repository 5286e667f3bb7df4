#include "operator/runtime/role.h"

#include "base/jsonlog.h"
#include "base/mem.h"

#include <string.h>

#define RETRY_US INT64_C(1000000) /* doubling up to ... */
#define RETRY_MAX_US INT64_C(30000000)
#define NAME_SIZE 256

struct label { /* of one pod */
    struct role *role;
    char pod[NAME_SIZE]; /* "": none */
    const char *value;   /* to be written; NULL: it is, or need not be */
    struct kube_call *call;
    struct loop_timer *timer;
    int64_t retry_us;
};

struct role {
    struct kube_client *client;
    char *namespace_;
    struct label own, predecessor;
};

static void write_label(void *context);

static void on_written(void *context, int status, struct slice body, const struct error *err) {
    struct label *l = context;
    (void)body;
    l->call = NULL;
    bool is_other = l != &l->role->own;
    if (err == NULL || (is_other && status == 404)) { /* the predecessor's pod is deleted */
        l->value = NULL;
        return;
    }
    jsonlog(JSONLOG_WARNING, "the pod's label is not written; a Service may not find the leader", "label",
            LOG_S(ROLE_LABEL), "pod", LOG_S(l->pod), "http_status", LOG_I(status), "error", LOG_S(error_text(err)),
            "retry_s", LOG_I(l->retry_us / 1000000), NULL);
    loop_timer_set(l->timer, l->retry_us);
    l->retry_us = l->retry_us * 2 < RETRY_MAX_US ? l->retry_us * 2 : RETRY_MAX_US;
}

static void write_label(void *context) {
    struct label *l = context;
    char namespace_[3 * NAME_SIZE], pod[3 * NAME_SIZE];
    if (l->value == NULL || l->call != NULL || !kube_escape(namespace_, sizeof namespace_, l->role->namespace_) ||
        !kube_escape(pod, sizeof pod, l->pod))
        return;
    CLEANUP_FREE char *path = mem_format("/api/v1/namespaces/%s/pods/%s", namespace_, pod);
    CLEANUP_FREE char *body = mem_format("{\"metadata\":{\"labels\":{\"%s\":\"%s\"}}}", ROLE_LABEL, l->value);
    struct kube_request request = {.method = "PATCH",
                                   .path = path,
                                   .body = slice_of(body),
                                   .content_type = "application/merge-patch+json",
                                   .may_retry = true};
    l->call = kube_call(l->role->client, &request, on_written, l);
}

static void set(struct label *l, const char *value) {
    kube_call_cancel(l->call);
    l->call = NULL;
    l->value = value;
    l->retry_us = RETRY_US;
    loop_timer_stop(l->timer);
    write_label(l);
}

static void label_init(struct label *l, struct role *role) {
    l->role = role;
    l->timer = loop_timer_new(kube_client_loop(role->client), write_label, l);
}

static void label_done(struct label *l) {
    kube_call_cancel(l->call);
    loop_timer_free(l->timer);
}

struct role *role_new(struct kube_client *client, const char *namespace_, const char *pod) {
    struct role *role = mem_new(struct role);
    role->client = client;
    role->namespace_ = mem_strdup(namespace_);
    label_init(&role->own, role);
    label_init(&role->predecessor, role);
    slice_copy(role->own.pod, sizeof role->own.pod, slice_of(pod));
    return role;
}

void role_free(struct role *role) {
    if (role == NULL)
        return;
    label_done(&role->own);
    label_done(&role->predecessor);
    free(role->namespace_);
    free(role);
}

void role_wait(struct role *role) {
    set(&role->own, "standby");
}

void role_lead(struct role *role, const char *predecessor) {
    const char *end = strrchr(predecessor, '_'); /* not in a pod's name */
    struct slice pod = end != NULL ? slice_range(predecessor, end) : slice_of(NULL);
    set(&role->own, "leader");
    if (pod.size_bytes == 0 || slice_is(pod, role->own.pod) ||
        !slice_copy(role->predecessor.pod, sizeof role->predecessor.pod, pod))
        return;
    set(&role->predecessor, "standby");
}
