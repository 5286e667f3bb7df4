#include "kube/review.h"

#include "base/jmembers.h"
#include "base/jwrite.h"
#include "base/mem.h"

struct kube_review {
    struct kube_call *call;
    kube_review_done *done;
    void *context;
};

bool kube_review_read(struct slice reply, struct kube_review_verdict *verdict) {
    typedef struct kube_review_verdict of;
    static const struct jmember status[] = {JMEMBER(of, is_authenticated, "authenticated"),
                                            JMEMBER(of, is_allowed, "allowed"), JMEMBER_RAW(of, user, "user")};
    static const struct jmember rows[] = {JMEMBER_OBJECT("status", status)};
    struct jscan j;
    *verdict = (struct kube_review_verdict){.user = {0}};
    jscan_init(&j, reply);
    return jmembers_read(&j, JMEMBERS(rows), verdict) && jscan_error(&j, NULL) == NULL;
}

/* Begins the body of a review, inside its spec. */
static void begin(struct jwrite *w, struct buf *body, const char *version, const char *kind) {
    jwrite_init(w, body);
    jwrite_object(w);
    jwrite_member_text(w, "apiVersion", version);
    jwrite_member_text(w, "kind", kind);
    jwrite_member_object(w, "spec");
}

static void on_reply(void *context, int status, struct slice body, const struct error *err) {
    struct kube_review *r = context;
    struct kube_review_verdict v = {.user = {0}};
    (void)status;
    bool is_somebody = err == NULL && kube_review_read(body, &v) && v.is_authenticated;
    r->done(r->context, is_somebody ? v.user : (struct slice){0}, err);
    free(r);
}

struct kube_review *kube_review_token(struct kube_client *client, struct slice token, const char *audience,
                                      kube_review_done *done, void *context) {
    struct kube_review *r = mem_new(struct kube_review);
    struct jwrite w;
    CLEANUP_BUF struct buf body;
    *r = (struct kube_review){.done = done, .context = context};
    buf_init(&body, 1 << 16);
    begin(&w, &body, "authentication.k8s.io/v1", "TokenReview");
    jwrite_key(&w, "token");
    jwrite_slice(&w, token);
    if (audience != NULL) {
        jwrite_member_array(&w, "audiences");
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

/* Copies the user of a TokenReview, whose members have other names in a SubjectAccessReview. */
static void copy_user(struct jwrite *w, struct slice user) {
    struct jscan j;
    struct slice key, value;
    jscan_init(&j, user);
    if (!jscan_object(&j))
        return;
    while (jscan_key(&j, &key)) {
        const char *name = slice_is(key, "username") ? "user"
                           : slice_is(key, "uid")    ? "uid"
                           : slice_is(key, "groups") ? "groups"
                           : slice_is(key, "extra")  ? "extra"
                                                     : NULL;
        if (name == NULL || !jscan_raw(&j, &value)) {
            if (name == NULL)
                jscan_skip(&j);
            continue;
        }
        jwrite_key(w, name);
        jwrite_raw(w, value);
    }
}

static void write_access(struct jwrite *w, const struct kube_access *access) {
    jwrite_member_object(w, access->path != NULL ? "nonResourceAttributes" : "resourceAttributes");
    if (access->path != NULL)
        jwrite_member_text(w, "path", access->path);
    else {
        jwrite_member_text(w, "group", access->group);
        jwrite_member_text(w, "resource", access->resource);
        if (access->namespace_ != NULL)
            jwrite_member_text(w, "namespace", access->namespace_);
    }
    jwrite_member_text(w, "verb", access->path != NULL ? "get" : "list");
    jwrite_object_end(w);
}

struct kube_call *kube_review_access(struct kube_client *client, struct slice user, const struct kube_access *access,
                                     kube_done *done, void *context) {
    struct jwrite w;
    CLEANUP_BUF struct buf body;
    buf_init(&body, 1 << 20);
    begin(&w, &body, "authorization.k8s.io/v1", "SubjectAccessReview");
    copy_user(&w, user);
    write_access(&w, access);
    jwrite_object_end(&w);
    jwrite_object_end(&w);
    const struct kube_request request = {.method = "POST",
                                         .path = "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                                         .body = buf_slice(&body),
                                         .timeout_us = KUBE_REVIEW_US,
                                         .may_retry = true};
    return kube_call(client, &request, done, context);
}
