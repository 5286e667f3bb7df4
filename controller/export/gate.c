#include "export/gate.h"

#include "base/jscan.h"
#include "base/jsonlog.h"
#include "base/mem.h"
#include "export/verdicts.h"
#include "kube/review.h"

#include <string.h>

enum {
    MAX_VERDICTS = 64,
    MAX_PENDING = 16, /* unknown tokens in review at once; one more gets 503 */
};

/* A request that waits for the API server. */
struct pending {
    struct gate *gate;
    struct pending *next;
    struct server_ticket *ticket;
    struct kube_review *review;
    struct kube_call *call;
    unsigned char token[SHA256_BYTES];
    struct buf accept, accept_encoding;
};

struct gate {
    struct kube_client *client;
    struct server_endpoint behind;
    struct verdicts *verdicts;
    struct pending *pending;
    int pending_count;
};

struct gate *gate_new(struct kube_client *client, const struct server_endpoint *behind) {
    struct gate *gate = mem_new(struct gate);
    gate->client = client;
    gate->behind = *behind;
    gate->verdicts = verdicts_new(MAX_VERDICTS, NULL);
    return gate;
}

static int64_t now_us(const struct gate *gate) {
    return loop_now(kube_client_loop(gate->client)).us;
}

static void refuse(struct server_reply *reply, int status) {
    reply->status = status;
    buf_append_text(&reply->body,
                    status == 401 ? "a bearer token of this cluster is required: send one in the Authorization header\n"
                    : status == 403 ? "this user may not get /metrics: bind it to a role that allows it\n"
                                    : "the API server did not review the token; retry later\n");
}

static void pending_end(struct pending *p) {
    MEM_UNLINK(p->gate->pending, p);
    p->gate->pending_count--;
    kube_review_cancel(p->review);
    kube_call_cancel(p->call);
    buf_done(&p->accept);
    buf_done(&p->accept_encoding);
    free(p);
}

/* Answers all who wait. 200: the reply of the endpoint behind the gate; 503 is not cached. */
static void conclude(struct pending *p, int status) {
    struct gate *gate = p->gate;
    struct server_reply reply = {.status = status};
    struct server_request request = {.accept = buf_slice(&p->accept),
                                     .accept_encoding = buf_slice(&p->accept_encoding)};
    buf_init(&reply.body, SERVER_REPLY_MAX_BYTES);
    if (status == 200)
        gate->behind.handle(gate->behind.context, &request, &reply);
    else
        refuse(&reply, status);
    server_reply_whole(&reply);
    if (status != 503)
        verdicts_put(gate->verdicts, p->token, status, NULL, now_us(gate));
    server_answer(p->ticket, &reply);
    buf_done(&reply.body);
    pending_end(p);
}

static void fail(struct pending *p, const char *what, const struct error *err) {
    jsonlog(JSONLOG_WARNING, "cannot review a reader of the metrics", "review", LOG_S(what), "error",
            LOG_S(error_text(err)), NULL);
    conclude(p, 503);
}

static void on_access(void *context, int status, struct slice body, const struct error *err) {
    struct pending *p = context;
    struct kube_review_verdict verdict;
    (void)status;
    p->call = NULL;
    if (err != NULL)
        fail(p, "SubjectAccessReview", err);
    else
        conclude(p, kube_review_read(body, &verdict) && verdict.is_allowed ? 200 : 403);
}

static void on_token(void *context, struct slice user, const struct error *err) {
    struct pending *p = context;
    p->review = NULL;
    if (err != NULL) {
        fail(p, "TokenReview", err);
        return;
    }
    if (user.size_bytes == 0) {
        conclude(p, 401);
        return;
    }
    const struct kube_access access = {.path = p->gate->behind.path};
    p->call = kube_review_access(p->gate->client, user, &access, on_access, p);
}

static void ask(struct gate *gate, const struct server_request *request, struct slice token,
                const unsigned char *digest) {
    struct pending *p = mem_new(struct pending);
    p->gate = gate;
    p->next = gate->pending;
    gate->pending = p;
    gate->pending_count++;
    memcpy(p->token, digest, SHA256_BYTES);
    buf_init(&p->accept, request->accept.size_bytes + 1);
    buf_append_slice(&p->accept, request->accept);
    buf_init(&p->accept_encoding, request->accept_encoding.size_bytes + 1);
    buf_append_slice(&p->accept_encoding, request->accept_encoding);
    p->ticket = server_reply_later(request);
    p->review = kube_review_token(gate->client, token, NULL, on_token, p);
}

void gate_handle(void *context, const struct server_request *request, struct server_reply *reply) {
    struct gate *gate = context;
    struct slice token = request->authorization;
    unsigned char digest[SHA256_BYTES];
    if (!slice_take_prefix(&token, "Bearer ") || token.size_bytes == 0) {
        refuse(reply, 401);
        return;
    }
    sha256(token, digest);
    const struct verdict *verdict = verdicts_find(gate->verdicts, digest, now_us(gate));
    if (verdict != NULL && verdict->status == 200)
        gate->behind.handle(gate->behind.context, request, reply);
    else if (verdict != NULL)
        refuse(reply, verdict->status);
    else if (gate->pending_count >= MAX_PENDING)
        refuse(reply, 503);
    else
        ask(gate, request, token, digest);
}

void gate_free(struct gate *gate) {
    if (gate == NULL)
        return;
    while (gate->pending != NULL) {
        server_answer(gate->pending->ticket, NULL);
        pending_end(gate->pending);
    }
    verdicts_free(gate->verdicts);
    free(gate);
}
