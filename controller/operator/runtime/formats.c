#include "operator/runtime/formats.h"

#include "base/jsonlog.h"
#include "base/mem.h"
#include "operator/model/formats.h"
#include "steplog/shipped.h"

#include <string.h>

#define AGAIN_US INT64_C(10000000)

struct runtime_formats {
    struct kube_client *client;
    struct model *model;
    struct loop_timer *timer;
    struct kube_call *write; /* one at a time */
    char name[MODEL_FORMAT_NAME_SIZE];
    int next_shipped; /* the next one to install; SHIPPED_COUNT: none */
    bool is_active, is_waiting;
};

static void pump(struct runtime_formats *f);

static void on_timer(void *context) {
    struct runtime_formats *f = context;
    f->is_waiting = false;
    pump(f);
}

static void try_later(struct runtime_formats *f) {
    f->is_waiting = true;
    loop_timer_set(f->timer, AGAIN_US);
}

static void apply(struct runtime_formats *f, const char *subresource, struct slice body, kube_done *on_written) {
    char name[256];
    if (!kube_escape(name, sizeof name, f->name))
        return;
    CLEANUP_FREE char *path = mem_format("/apis/goodput.dev/v1alpha1/steplogformats/%s%s?fieldManager="
                                         "goodput-controller&force=true",
                                         name, subresource);
    struct kube_request request = {.method = "PATCH",
                                   .path = path,
                                   .body = body,
                                   .content_type = "application/apply-patch+yaml",
                                   .may_retry = true};
    f->write = kube_call(f->client, &request, on_written, f);
}

/* ---- those that the controller ships ---- */

static void on_installed(void *context, int status, struct slice body, const struct error *err) {
    struct runtime_formats *f = context;
    (void)body;
    f->write = NULL;
    if (err != NULL)
        jsonlog(JSONLOG_WARNING, "StepLogFormat not installed", "name", LOG_S(f->name), "http_status", LOG_I(status),
                "error", LOG_S(error_text(err)), NULL);
    if (status == 403)
        f->next_shipped = SHIPPED_COUNT; /* no other will be allowed either */
    else if (err == NULL || status == 422)
        f->next_shipped++;
    else
        try_later(f);
    pump(f);
}

static bool install_next(struct runtime_formats *f) {
    for (; f->next_shipped < SHIPPED_COUNT; f->next_shipped++) {
        const char *name = shipped_get(f->next_shipped)->name;
        if (!model_may_install_format(f->model, name))
            continue;
        slice_copy(f->name, sizeof f->name, slice_of(name));
        apply(f, "", shipped_yaml(f->next_shipped), on_installed);
        return true;
    }
    return false;
}

/* ---- statuses ---- */

static void on_status(void *context, int status, struct slice body, const struct error *err) {
    struct runtime_formats *f = context;
    (void)body;
    f->write = NULL;
    if (err != NULL && status != 404) {
        jsonlog(JSONLOG_WARNING, "status of a StepLogFormat not written", "name", LOG_S(f->name), "http_status",
                LOG_I(status), "error", LOG_S(error_text(err)), NULL);
        model_format_again(f->model, f->name);
        try_later(f);
    }
    pump(f);
}

static void pump(struct runtime_formats *f) {
    CLEANUP_BUF struct buf status, body;
    buf_init(&status, 8192);
    buf_init(&body, 16384);
    if (f->write != NULL || f->is_waiting || !f->is_active || install_next(f) ||
        !model_next_format(f->model, f->name, &status))
        return;
    buf_format(&body,
               "{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"StepLogFormat\",\"metadata\":{\"name\":\"%s\"},"
               "\"status\":%s}",
               f->name, buf_text(&status));
    apply(f, "/status", buf_slice(&body), on_status);
}

struct runtime_formats *runtime_formats_new(struct kube_client *client, struct model *model, bool installs) {
    struct runtime_formats *f = mem_new(struct runtime_formats);
    f->client = client;
    f->model = model;
    f->next_shipped = installs ? 0 : SHIPPED_COUNT;
    f->timer = loop_timer_new(kube_client_loop(client), on_timer, f);
    return f;
}

void runtime_formats_set_active(struct runtime_formats *f, bool is_active) {
    f->is_active = is_active;
    if (is_active)
        pump(f);
}

void runtime_formats_free(struct runtime_formats *f) {
    if (f == NULL)
        return;
    kube_call_cancel(f->write);
    loop_timer_free(f->timer);
    free(f);
}
