#include "operator/runtime/formats.h"

#include "base/jsonlog.h"
#include "base/mem.h"
#include "operator/model/formats.h"

#include <string.h>

#define AGAIN_US INT64_C(10000000)

struct runtime_formats {
    struct kube_client *client;
    struct model *model;
    struct loop_timer *timer;
    struct kube_call *write; /* one at a time */
    char name[MODEL_FORMAT_NAME_SIZE];
    bool is_active;
};

static void pump(void *context);

static void on_written(void *context, int status, struct slice body, const struct error *err) {
    struct runtime_formats *f = context;
    (void)body;
    f->write = NULL;
    if (err != NULL && status != 404) {
        jsonlog(JSONLOG_WARNING, "status of a StepLogFormat not written", "name", LOG_S(f->name), "http_status",
                LOG_I(status), "error", LOG_S(error_text(err)), NULL);
        model_format_again(f->model, f->name);
        loop_timer_set(f->timer, AGAIN_US);
        return;
    }
    pump(f);
}

static void pump(void *context) {
    struct runtime_formats *f = context;
    CLEANUP_BUF struct buf status, body;
    char name[256];
    buf_init(&status, 8192);
    buf_init(&body, 16384);
    if (f->write != NULL || !f->is_active || !model_next_format(f->model, f->name, &status))
        return;
    if (!kube_escape(name, sizeof name, f->name))
        return;
    CLEANUP_FREE char *path = mem_format(
        "/apis/goodput.dev/v1alpha1/steplogformats/%s/status?fieldManager=goodput-controller&force=true", name);
    buf_format(&body,
               "{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"StepLogFormat\",\"metadata\":{\"name\":\"%s\"},"
               "\"status\":%s}",
               f->name, buf_text(&status));
    struct kube_request request = {.method = "PATCH",
                                   .path = path,
                                   .body = buf_slice(&body),
                                   .content_type = "application/apply-patch+yaml",
                                   .may_retry = true};
    f->write = kube_call(f->client, &request, on_written, f);
}

struct runtime_formats *runtime_formats_new(struct kube_client *client, struct model *model) {
    struct runtime_formats *f = mem_new(struct runtime_formats);
    f->client = client;
    f->model = model;
    f->timer = loop_timer_new(kube_client_loop(client), pump, f);
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
