#include "reviews.h"

#include "base/mem.h"
#include "folder.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNKNOWN "{\"status\":{\"authenticated\":false}}"
#define REFUSED "{\"status\":{\"allowed\":false}}"
#define ALLOWED "{\"status\":{\"allowed\":true}}"

static void answer(struct reviews *r, struct rawconn *c, const struct review_answer *a) {
    if (a->status != 0)
        rawconn_reply(c, a->status, "", a->body);
    else if (r->held_count < (int)(sizeof r->held / sizeof r->held[0]))
        r->held[r->held_count++] = c;
}

static void on_request(void *context, struct rawconn *c, struct slice request) {
    struct reviews *r = context;
    const char *body = slice_find(request, "\r\n\r\n");
    bool is_token = slice_starts(request, "POST /apis/authentication.k8s.io/v1/tokenreviews ");
    bool is_access = slice_starts(request, "POST /apis/authorization.k8s.io/v1/subjectaccessreviews ");
    if (!is_token && !is_access) {
        harness_fail(__FILE__, __LINE__, "not a review: %.*s", SLICE_ARG(request));
        rawconn_close(c);
        return;
    }
    struct buf *last = is_token ? &r->last_token : &r->last_access;
    buf_clear(last);
    buf_append_text(last, body + 4);
    *(is_token ? &r->tokens : &r->accesses) += 1;
    if (is_access && r->allowed != NULL)
        r->access = (struct review_answer){201, strstr(body, r->allowed) != NULL ? ALLOWED : REFUSED};
    answer(r, c, is_token ? &r->token : &r->access);
}

void reviews_begin(struct reviews *r, struct loop *loop) {
    CLEANUP_ERROR struct error *err = NULL;
    *r = (struct reviews){.token = {201, UNKNOWN}, .access = {201, REFUSED}};
    buf_init(&r->last_token, 1 << 20);
    buf_init(&r->last_access, 1 << 20);
    r->server = rawserver_new(loop, on_request, r);
    r->kubeconfig = folder_kubeconfig(rawserver_url(r->server), "", "");
    struct kube_options options = {.kubeconfig = r->kubeconfig, .user_agent = "test/0"};
    r->client = kube_client_new(loop, &options, &err);
    if (r->client == NULL)
        harness_fail(__FILE__, __LINE__, "%s", error_text(err));
}

void reviews_end(struct reviews *r) {
    kube_client_free(r->client);
    rawserver_free(r->server);
    unlink(r->kubeconfig);
    free(r->kubeconfig);
    buf_done(&r->last_token);
    buf_done(&r->last_access);
}

void reviews_know(struct reviews *r, const char *user) {
    static char body[2048];
    snprintf(body, sizeof body, "{\"kind\":\"TokenReview\",\"status\":{\"authenticated\":true,\"user\":%s}}", user);
    r->token = (struct review_answer){201, body};
}

void reviews_release(struct reviews *r) {
    int count = r->held_count;
    r->held_count = 0;
    for (int i = 0; i < count; i++)
        answer(r, r->held[i], &r->token);
}
