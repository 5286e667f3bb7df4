#include "kube/review.h"

#include "base/jscan.h"
#include "base/mem.h"

struct kube_review {
    struct kube_call *call;
    kube_review_done *done;
    void *context;
};

bool kube_review_read(struct slice reply, const char *verdict, struct slice *user) {
    struct jscan j;
    struct slice key, member;
    bool is_so = false, value = false;
    jscan_init(&j, reply);
    if (!jscan_object(&j))
        return false;
    while (jscan_key(&j, &key)) {
        if (!slice_is(key, "status") || !jscan_object(&j)) {
            if (!slice_is(key, "status"))
                jscan_skip(&j);
            continue;
        }
        while (jscan_key(&j, &member)) {
            if (slice_is(member, verdict))
                is_so = jscan_bool(&j, &value) && value;
            else if (user != NULL && slice_is(member, "user"))
                jscan_raw(&j, user);
            else
                jscan_skip(&j);
        }
    }
    return is_so && jscan_error(&j, NULL) == NULL;
}

void kube_review_begin(struct jwrite *w, struct buf *body, const char *version, const char *kind) {
    jwrite_init(w, body);
    jwrite_object(w);
    jwrite_member_text(w, "apiVersion", version);
    jwrite_member_text(w, "kind", kind);
    jwrite_key(w, "spec");
    jwrite_object(w);
}

static void on_reply(void *context, int status, struct slice body, const struct error *err) {
    struct kube_review *r = context;
    struct slice user = {0};
    (void)status;
    if (err == NULL && !kube_review_read(body, "authenticated", &user))
        user = (struct slice){0};
    r->done(r->context, user, err);
    free(r);
}

struct kube_review *kube_review_token(struct kube_client *client, struct slice token, const char *audience,
                                      kube_review_done *done, void *context) {
    struct kube_review *r = mem_new(struct kube_review);
    struct jwrite w;
    CLEANUP_BUF struct buf body;
    *r = (struct kube_review){.done = done, .context = context};
    buf_init(&body, 1 << 16);
    kube_review_begin(&w, &body, "authentication.k8s.io/v1", "TokenReview");
    jwrite_key(&w, "token");
    jwrite_slice(&w, token);
    if (audience != NULL) {
        jwrite_key(&w, "audiences");
        jwrite_array(&w);
        jwrite_text(&w, audience);
        jwrite_array_end(&w);
    }
    jwrite_object_end(&w);
    jwrite_object_end(&w);
    const struct kube_request request = {.method = "POST",
                                         .path = "/apis/authentication.k8s.io/v1/tokenreviews",
                                         .body = buf_slice(&body),
                                         .timeout_us = KUBE_REVIEW_US,
                                         .may_retry = true};
    r->call = kube_call(client, &request, on_reply, r);
    return r;
}

void kube_review_cancel(struct kube_review *r) {
    if (r == NULL)
        return;
    kube_call_cancel(r->call);
    free(r);
}
