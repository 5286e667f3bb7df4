#include "recorder/who.h"

#include "base/base64.h"
#include "base/jmembers.h"
#include "base/jsonlog.h"
#include "base/mem.h"
#include "kube/review.h"
#include "recorder/quota.h"

#include <openssl/evp.h>
#include <string.h>

enum { MAX_VERDICTS = 1024, MAX_PENDING = 64 };
#define KNOWN_US INT64_C(60000000)
#define REFUSED_US INT64_C(10000000)

/* A node's pods may share an address, and each asks once a minute. */
static const struct quota_limits review_limits = {.requests_per_s = 5, .burst_requests = 100, .namespaces = 1024};

struct verdict {
    unsigned char token[32];
    int64_t until_us;
    int status;
    char namespace_[WHO_NAME_SIZE], user[320];
};

struct who {
    struct kube_client *client;
    struct tokens *tokens;
    struct verdict verdicts[MAX_VERDICTS];
    struct quota *reviews; /* by the address that brings unknown tokens */
    struct who_asker *pending;
    int pending_count;
};

struct who *who_new(struct kube_client *client, struct tokens *tokens) {
    struct who *who = mem_new(struct who);
    who->tokens = tokens;
    who->client = client;
    who->reviews = quota_new(&review_limits);
    return who;
}

static void forget(struct who_asker *a) {
    MEM_UNLINK(a->who->pending, a);
    a->who->pending_count--;
}

void who_free(struct who *who) {
    if (who == NULL)
        return;
    while (who->pending != NULL) {
        kube_review_cancel(who->pending->review);
        forget(who->pending);
    }
    tokens_free(who->tokens);
    quota_free(who->reviews);
    free(who);
}

static int64_t now_us(const struct who *who) {
    return loop_now(kube_client_loop(who->client)).us;
}

static struct verdict *find(struct who *who, const unsigned char *token) {
    for (int i = 0; i < MAX_VERDICTS; i++)
        if (who->verdicts[i].until_us > now_us(who) && memcmp(who->verdicts[i].token, token, 32) == 0)
            return &who->verdicts[i];
    return NULL;
}

static struct verdict *oldest(struct who *who) {
    struct verdict *v = &who->verdicts[0];
    for (int i = 1; i < MAX_VERDICTS; i++)
        if (who->verdicts[i].until_us < v->until_us)
            v = &who->verdicts[i];
    return v;
}

struct user {
    struct slice name; /* "system:serviceaccount:NAMESPACE:NAME" */
};

static void read_user(struct slice user, struct verdict *v) {
    static const struct jmember rows[] = {JMEMBER(struct user, name, "username")};
    struct user u = {.name = {0}};
    struct slice namespace_;
    v->status = user.size_bytes == 0 ? 401 : 403;
    jmembers_parse(user, JMEMBERS(rows), &u);
    struct slice name = u.name;
    slice_copy(v->user, sizeof v->user, name);
    if (slice_take_prefix(&name, "system:serviceaccount:") && slice_take_until(&name, ':', &namespace_) &&
        namespace_.size_bytes > 0 && slice_copy(v->namespace_, sizeof v->namespace_, namespace_))
        v->status = 200;
}

static void on_review(void *context, struct slice user, const struct error *err) {
    struct who_asker *a = context;
    struct verdict v = {.status = 503};
    a->review = NULL;
    forget(a);
    if (err != NULL) {
        jsonlog(JSONLOG_WARNING, "cannot ask who writes", "error", LOG_S(error_text(err)), NULL);
    } else {
        memcpy(v.token, a->token, sizeof v.token);
        read_user(user, &v);
        v.until_us = now_us(a->who) + (v.status == 200 ? KNOWN_US : REFUSED_US);
        *oldest(a->who) = v;
    }
    a->done(a->context, v.status, v.namespace_, v.user);
}

static void read_one(struct jscan *j, void *is_ours) {
    struct slice one;
    if (jscan_string_raw(j, &one))
        *(bool *)is_ours |= slice_is(one, WHO_AUDIENCE);
}

static void read_audience(struct jscan *j, void *is_ours) {
    if (jscan_peek(j) == JSCAN_ARRAY)
        jmembers_each(j, read_one, is_ours);
    else
        read_one(j, is_ours);
}

/* Whether the token says that it is for us; unchecked: the API server checks it. */
static bool is_for_us(struct slice token) {
    struct slice header, claims;
    if (!slice_take_until(&token, '.', &header) || !slice_take_until(&token, '.', &claims))
        return false;
    CLEANUP_FREE char *text =
        mem_format("%.*s%s", SLICE_ARG(claims), &"===="[claims.size_bytes % 4 ? claims.size_bytes % 4 : 4]);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '-' ? '+' : *c == '_' ? '/' : *c;
    size_t size;
    CLEANUP_FREE char *json = base64_decode(slice_of(text), &size);
    static const struct jmember rows[] = {JMEMBER_SELF("aud", read_audience)};
    bool is_ours = false;
    if (json != NULL)
        jmembers_parse((struct slice){json, size}, JMEMBERS(rows), &is_ours);
    return is_ours;
}

void who_ask(struct who *who, struct slice authorization, const char *peer, struct who_asker *a) {
    struct slice token = authorization;
    unsigned size;
    unsigned char digest[EVP_MAX_MD_SIZE];
    char namespace_[64];
    a->who = who;
    a->review = NULL;
    a->job[0] = '\0';
    if (!slice_take_prefix(&token, "Bearer ") || token.size_bytes == 0 ||
        EVP_Digest(token.data, token.size_bytes, digest, &size, EVP_sha256(), NULL) != 1) {
        a->done(a->context, 401, "", "");
        return;
    }
    if (tokens_find(who->tokens, digest, now_us(who), namespace_, a->job)) {
        a->done(a->context, 200, namespace_, a->job);
        return;
    }
    const struct verdict *known = find(who, digest);
    if (known != NULL) {
        a->done(a->context, known->status, known->namespace_, known->user);
        return;
    }
    bool may_review = quota_send(who->reviews, now_us(who), peer, 0);
    if (!may_review || who->pending_count >= MAX_PENDING) {
        a->done(a->context, may_review ? 503 : 429, "", "");
        return;
    }
    memcpy(a->token, digest, sizeof a->token);
    a->next = who->pending;
    who->pending = a;
    who->pending_count++;
    a->review = kube_review_token(who->client, token, is_for_us(token) ? WHO_AUDIENCE : NULL, on_review, a);
}
