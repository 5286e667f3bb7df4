#include "export/viewers.h"

#include "base/jsonlog.h"
#include "base/mem.h"
#include "export/verdicts.h"
#include "kube/review.h"

#include <assert.h>
#include <string.h>

enum {
    MAX_VIEWERS = 128,     /* known at once */
    MAX_QUESTIONS = 16,    /* unknown tokens in review at once; one more gets 503 */
    MAX_WAITING = 32,      /* requests for one of them */
    MAX_NAMESPACES = 1000, /* that one viewer is asked about */
};
#define FEED_US INT64_C(600000000)
#define GROUP "goodput.dev"

struct viewer {
    int holds;
    bool sees_all, sees_fleets;
    struct map namespaces; /* that they see; values are the viewer itself */
    int64_t over_us;
};

struct waiting {
    viewer_done *done;
    void *context;
};

/* A token that the API server is asked about: first whose it is, then one access after the other. */
struct question {
    struct viewers *viewers;
    struct question *next;
    unsigned char token[SHA256_BYTES];
    struct viewer *viewer;
    struct kube_review *review;
    struct kube_call *call;
    struct buf user;
    char **namespaces; /* that have JobGoodputs */
    size_t count, capacity;
    int asked; /* accesses: 0 all JobGoodputs, 1 FleetGoodputs, then one for each namespace */
    struct waiting waiting[MAX_WAITING];
    int waiting_count;
};

struct viewers {
    struct kube_client *client;
    const struct fleet *fleet;
    struct verdicts *known; /* their bearers are held viewers */
    struct question *questions;
    int question_count;
};

struct viewers *viewers_new(struct kube_client *client, const struct fleet *fleet) {
    struct viewers *v = mem_new(struct viewers);
    v->client = client;
    v->fleet = fleet;
    v->known = verdicts_new(MAX_VIEWERS, viewer_release);
    return v;
}

static int64_t now_us(const struct viewers *v) {
    return loop_now(kube_client_loop(v->client)).us;
}

/* ---- a viewer ---- */

bool viewer_sees(const struct viewer *viewer, const char *namespace_) {
    return viewer == NULL || viewer->sees_all || map_get(&viewer->namespaces, slice_of(namespace_)) != NULL;
}

bool viewer_sees_fleets(const struct viewer *viewer) {
    return viewer == NULL || viewer->sees_fleets;
}

bool viewer_is_over(const struct viewer *viewer, int64_t now) {
    return viewer != NULL && now > viewer->over_us;
}

static struct viewer *viewer_hold(struct viewer *viewer) {
    viewer->holds++;
    return viewer;
}

void viewer_release(void *held) {
    struct viewer *viewer = held;
    if (viewer == NULL || --viewer->holds > 0)
        return;
    map_done(&viewer->namespaces);
    free(viewer);
}

/* ---- a question ---- */

static void question_end(struct question *q, enum viewer_answer answer) {
    MEM_UNLINK(q->viewers->questions, q);
    q->viewers->question_count--;
    for (int i = 0; i < q->waiting_count; i++)
        q->waiting[i].done(q->waiting[i].context, answer, answer == VIEWER_KNOWN ? q->viewer : NULL);
    kube_review_cancel(q->review);
    kube_call_cancel(q->call);
    for (size_t i = 0; i < q->count; i++)
        free(q->namespaces[i]);
    free(q->namespaces);
    buf_done(&q->user);
    viewer_release(q->viewer);
    free(q);
}

static void conclude(struct question *q, bool is_somebody) {
    int64_t now = now_us(q->viewers);
    q->viewer->over_us = now + FEED_US;
    verdicts_put(q->viewers->known, q->token, is_somebody ? 200 : 401, is_somebody ? viewer_hold(q->viewer) : NULL,
                 now);
    question_end(q, is_somebody ? VIEWER_KNOWN : VIEWER_UNKNOWN);
}

static void fail(struct question *q, const char *what, const struct error *err) {
    jsonlog(JSONLOG_WARNING, "cannot review a reader of the page", "review", LOG_S(what), "error",
            LOG_S(error_text(err)), NULL);
    question_end(q, VIEWER_BUSY);
}

static void on_access(void *context, int status, struct slice body, const struct error *err);

static void ask_access(struct question *q) {
    const struct kube_access all = {.group = GROUP, .resource = "jobgoodputs"},
                             fleets = {.group = GROUP, .resource = "fleetgoodputs"};
    struct kube_access one = all;
    if (q->asked >= 2)
        one.namespace_ = q->namespaces[q->asked - 2];
    q->call = kube_review_access(q->viewers->client, buf_slice(&q->user),
                                 q->asked == 0   ? &all
                                 : q->asked == 1 ? &fleets
                                                 : &one,
                                 on_access, q);
}

static void on_access(void *context, int status, struct slice body, const struct error *err) {
    struct question *q = context;
    struct kube_review_verdict verdict;
    (void)status;
    q->call = NULL;
    if (err != NULL) {
        fail(q, "SubjectAccessReview", err);
        return;
    }
    bool is_allowed = kube_review_read(body, &verdict) && verdict.is_allowed;
    if (q->asked == 0)
        q->viewer->sees_all = is_allowed;
    else if (q->asked == 1)
        q->viewer->sees_fleets = is_allowed;
    else if (is_allowed)
        map_put(&q->viewer->namespaces, slice_of(q->namespaces[q->asked - 2]), q->viewer);
    q->asked++;
    if (q->asked >= 2 && (q->viewer->sees_all || (size_t)q->asked - 2 >= q->count))
        conclude(q, true);
    else
        ask_access(q);
}

/* The namespaces that have JobGoodputs now, each once. One that gets its first later is seen after the next question.
 */
static void list_namespaces(struct question *q) {
    struct map seen;
    map_init(&seen, NULL);
    for (const struct fleet_job *job = q->viewers->fleet->last; job != NULL && q->count < MAX_NAMESPACES;
         job = job->earlier) {
        if (job->is_deleted || map_get(&seen, slice_of(job->namespace_)) != NULL)
            continue;
        map_put(&seen, slice_of(job->namespace_), q);
        MEM_GROW(q->namespaces, q->count, q->capacity);
        q->namespaces[q->count++] = mem_strdup(job->namespace_);
    }
    map_done(&seen);
}

static void on_token(void *context, struct slice user, const struct error *err) {
    struct question *q = context;
    q->review = NULL;
    if (err != NULL) {
        fail(q, "TokenReview", err);
        return;
    }
    if (user.size_bytes == 0) {
        conclude(q, false);
        return;
    }
    buf_append_slice(&q->user, user);
    list_namespaces(q);
    ask_access(q);
}

static struct question *question_new(struct viewers *v, const unsigned char *digest) {
    struct question *q = mem_new(struct question);
    q->viewers = v;
    q->next = v->questions;
    v->questions = q;
    v->question_count++;
    q->viewer = viewer_hold(mem_new(struct viewer));
    memcpy(q->token, digest, SHA256_BYTES);
    map_init(&q->viewer->namespaces, NULL);
    buf_init(&q->user, 1 << 20);
    return q;
}

/* ---- the request ---- */

static struct slice token_of(const struct server_request *request) {
    struct slice token = request->authorization;
    if (!slice_take_prefix(&token, "Bearer ") && !slice_find_pair(request->cookie, ';', "goodput-token", &token))
        return (struct slice){0};
    return token;
}

static struct question *asked(struct viewers *v, const unsigned char *digest) {
    for (struct question *q = v->questions; q != NULL; q = q->next)
        if (memcmp(q->token, digest, SHA256_BYTES) == 0)
            return q;
    return NULL;
}

enum viewer_answer viewers_find(struct viewers *v, const struct server_request *request, struct viewer **ret) {
    struct slice token = token_of(request);
    unsigned char digest[SHA256_BYTES];
    if (token.size_bytes == 0)
        return VIEWER_UNKNOWN;
    sha256(token, digest);
    const struct verdict *known = verdicts_find(v->known, digest, now_us(v));
    if (known != NULL && known->status != 200)
        return VIEWER_UNKNOWN;
    if (known != NULL) {
        *ret = viewer_hold(known->bearer);
        return VIEWER_KNOWN;
    }
    struct question *q = asked(v, digest);
    if (q != NULL)
        return q->waiting_count < MAX_WAITING ? VIEWER_ASKED : VIEWER_BUSY;
    if (v->question_count >= MAX_QUESTIONS)
        return VIEWER_BUSY;
    q = question_new(v, digest);
    q->review = kube_review_token(v->client, token, NULL, on_token, q);
    return VIEWER_ASKED;
}

void viewers_await(struct viewers *v, const struct server_request *request, viewer_done *done, void *context) {
    unsigned char digest[SHA256_BYTES];
    sha256(token_of(request), digest);
    struct question *q = asked(v, digest);
    assert(q != NULL && q->waiting_count < MAX_WAITING);
    q->waiting[q->waiting_count++] = (struct waiting){done, context};
}

void viewers_free(struct viewers *v) {
    if (v == NULL)
        return;
    while (v->questions != NULL)
        question_end(v->questions, VIEWER_BUSY);
    verdicts_free(v->known);
    free(v);
}
