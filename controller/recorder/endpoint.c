#include "recorder/endpoint.h"

#include "base/jmembers.h"
#include "base/jsonlog.h"
#include "base/jwrite.h"
#include "base/mem.h"
#include "io/work.h"
#include "recorder/entries_write.h"
#include "recorder/quota.h"
#include "recorder/store_list.h"
#include "recorder/who.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PAGE_BYTES ((int64_t)4 << 20)
#define HELD_PAGE_BYTES ((size_t)2 * PAGE_BYTES) /* as it is read, and as it is sent */
#define PAGE_ENTRIES INT64_C(5000)
#define TOKEN_S 600
#define TOKEN_BODY_BYTES 65536
#define MAX_REQUESTS 32 /* of one namespace, under way at once */
#define MAX_CONNECTIONS 96
#define MAX_WAITING 256      /* writes that wait for the disk */
#define MAX_WAITING_LISTS 16 /* of one namespace */
#define LOG_EVERY_US INT64_C(10000000)
#define HOLDS_TOO_MUCH "server busy with as much of the namespace as it may hold; retry later"

enum kind { WRITE, LIST, PUSH, TOKEN, PATHS };

struct exchange {
    struct endpoint *endpoint;
    struct exchange *next;
    enum kind kind;
    struct who_asker asker;
    struct server_ticket *ticket; /* of the admission, then of the reply */
    bool is_admitted;
    size_t body_bytes; /* announced */
    size_t held_bytes; /* of the namespace's share */
    struct buf body;
    char *query;
    char namespace_[WHO_NAME_SIZE];
    /* done off the loop */
    struct work_task *task;
    bool waits; /* a list whose turn has not come */
    struct entries_lines lines;
    struct filter *filter;
    struct store_query list;
    struct store *store;
    struct buf page;
    struct store_place last;
    struct error *err;
    int64_t now_s;
    int result;
};

struct endpoint {
    struct loop *loop;
    struct who *who;
    struct store *store;
    struct work_pool *writes, *lists; /* a thread each: reading back delays no write */
    struct exchange *exchanges;
    int waiting;
    bool is_listing;
    char listed_namespace[WHO_NAME_SIZE]; /* whose list ran last */
    struct quota *quota;
    struct page_hold *pages; /* replies that are not taken yet */
    uint64_t next_id;
    int64_t logged_us;
    struct endpoint_figures figures;
    bool (*is_leading)(const void *context); /* NULL: always */
    const void *leading_context;
    struct server_endpoint paths[PATHS];
    struct path {
        struct endpoint *endpoint;
        enum kind kind;
    } contexts[PATHS];
};

/* ---- answers ---- */

/* Frees what is not counted: on any thread. */
static void exchange_free(void *data) {
    struct exchange *x = data;
    buf_done(&x->body);
    buf_done(&x->page);
    entries_lines_done(&x->lines);
    error_free(x->err);
    free(x->filter);
    free(x->query);
    free(x);
}

static void exchange_end(struct exchange *x) {
    quota_release(x->endpoint->quota, x->namespace_, x->held_bytes);
    MEM_UNLINK(x->endpoint->exchanges, x);
    exchange_free(x);
}

static void count(struct endpoint *e, int status) {
    int at = status < 300                     ? 0
             : status == 401 || status == 403 ? 2
             : status == 413                  ? 3
             : status == 429                  ? 4
             : status >= 500                  ? 5
                                              : 1;
    e->figures.requests[at]++;
}

static void answer(struct exchange *x, struct server_reply *reply) {
    count(x->endpoint, reply->status);
    reply->content_type = "application/json";
    server_answer(x->ticket, reply);
    buf_done(&reply->body);
    exchange_end(x);
}

/* Once in ten seconds: a writer that does something wrong does it often. */
static bool may_log(struct endpoint *e) {
    int64_t now_us = loop_now(e->loop).us;
    if (e->logged_us != 0 && now_us - e->logged_us < LOG_EVERY_US)
        return false;
    e->logged_us = now_us;
    return true;
}

/* As Google's endpoints word it. */
static void refuse(struct exchange *x, int status, const char *text) {
    const char *name = status == 400   ? "INVALID_ARGUMENT"
                       : status == 401 ? "UNAUTHENTICATED"
                       : status == 403 ? "PERMISSION_DENIED"
                       : status == 413 ? "OUT_OF_RANGE"
                       : status == 429 ? "RESOURCE_EXHAUSTED"
                                       : "UNAVAILABLE";
    CLEANUP_BUF struct buf text_buf;
    struct jwrite w;
    buf_init(&text_buf, 1 << 16);
    jwrite_init(&w, &text_buf);
    jwrite_object(&w);
    jwrite_member_object(&w, "error");
    jwrite_member_int(&w, "code", status);
    jwrite_member_text(&w, "message", text);
    jwrite_member_text(&w, "status", name);
    jwrite_object_end(&w);
    jwrite_object_end(&w);
    if (status != 401 && may_log(x->endpoint))
        jsonlog(JSONLOG_WARNING, "request of a recorder refused", "namespace", LOG_S(x->namespace_), "status",
                LOG_I(status), "why", LOG_S(text), NULL);
    if (x->is_admitted) {
        struct server_reply reply = {.status = status, .body = text_buf};
        text_buf = (struct buf){0};
        answer(x, &reply);
        return;
    }
    const struct server_admission admission = {.status = status, .text = buf_text(&text_buf)};
    count(x->endpoint, status);
    server_admit(x->ticket, &admission);
    exchange_end(x);
}

static int status_of(int code) {
    return code == EDQUOT                      ? 429
           : code == EPERM                     ? 403
           : code == EMSGSIZE                  ? 413
           : code == EBADMSG || code == EINVAL ? 400
                                               : 503;
}

/* ---- off the loop ---- */

static void run_write(void *data) {
    struct exchange *x = data;
    for (int i = 0; i < x->lines.job_count && x->result == 0; i++)
        if (x->lines.jobs[i].lines.size_bytes > 0)
            x->result = store_append(x->store, x->namespace_, slice_of(x->lines.jobs[i].job),
                                     buf_slice(&x->lines.jobs[i].lines), x->now_s, &x->err);
}

static void run_list(void *data) {
    struct exchange *x = data;
    x->result = store_list(x->store, &x->list, &x->page, &x->last, &x->err);
}

static void written(struct exchange *x) {
    struct endpoint *e = x->endpoint;
    struct server_reply reply = {.status = 200};
    e->figures.entries += x->lines.taken;
    e->figures.bytes += (int64_t)x->body_bytes;
    e->figures.refused_entries += x->lines.refused;
    if (x->lines.refused > 0) {
        refuse(x, 400, error_text(x->lines.why));
        return;
    }
    buf_init(&reply.body, 64);
    if (x->kind == PUSH)
        buf_format(&reply.body, "{\"lines\":%d}", x->lines.taken);
    else
        buf_append_text(&reply.body, "{}");
    answer(x, &reply);
}

/* The reader's share holds the page until the reader has taken it. */
struct page_hold {
    struct endpoint *endpoint;
    struct page_hold *next;
    size_t bytes;
    char namespace_[WHO_NAME_SIZE];
};

static void start_next_list(struct endpoint *e);

static void page_taken(void *context) {
    struct page_hold *hold = context;
    struct endpoint *e = hold->endpoint;
    if (e != NULL) {
        MEM_UNLINK(e->pages, hold);
        quota_release(e->quota, hold->namespace_, hold->bytes);
        start_next_list(e);
    }
    free(hold);
}

static struct server_hold hold_page(struct exchange *x) {
    struct endpoint *e = x->endpoint;
    struct page_hold *hold = mem_new(struct page_hold);
    *hold = (struct page_hold){.endpoint = e, .next = e->pages, .bytes = x->held_bytes};
    slice_copy(hold->namespace_, sizeof hold->namespace_, slice_of(x->namespace_));
    e->pages = hold;
    x->held_bytes = 0;
    return (struct server_hold){page_taken, hold};
}

static void listed(struct exchange *x) {
    struct server_reply reply = {.status = 200, .hold = hold_page(x)};
    buf_init(&reply.body, (size_t)PAGE_BYTES + (1 << 20));
    buf_append_text(&reply.body, "{\"entries\":[");
    buf_append_slice(&reply.body, buf_slice(&x->page));
    buf_append_char(&reply.body, ']');
    if (x->result > 0)
        buf_format(&reply.body, ",\"nextPageToken\":\"%lld.%s\"", (long long)x->last.at_ns, x->last.insert_id);
    buf_append_char(&reply.body, '}');
    answer(x, &reply);
}

static void on_done(void *context) {
    struct exchange *x = context;
    x->task = NULL;
    x->endpoint->waiting--;
    if (x->result < 0)
        refuse(x, status_of(-x->result), error_text(x->err));
    else
        written(x);
}

/* A job's own token is for that job. */
static bool is_allowed(const struct exchange *x, struct slice job) {
    return x->asker.job[0] == '\0' || slice_is(job, x->asker.job);
}

static void refuse_job(struct exchange *x) {
    CLEANUP_FREE char *text = mem_format("the token is for job \"%s\" alone", x->asker.job);
    refuse(x, 403, text);
}

/* From now on it holds its lines instead of its body: times and names before short lines make them longer. 0, or the
 * status to refuse it with. */
static int hold_lines(struct exchange *x) {
    struct endpoint *e = x->endpoint;
    size_t bytes = sizeof *x;
    for (int i = 0; i < x->lines.job_count; i++)
        bytes += x->lines.jobs[i].lines.size_bytes;
    buf_done(&x->body);
    quota_release(e->quota, x->namespace_, x->held_bytes);
    x->held_bytes = 0;
    if (bytes > quota_default_limits.held_bytes_one)
        return 413;
    if (!quota_hold(e->quota, loop_now(e->loop).us, x->namespace_, bytes))
        return 429;
    x->held_bytes = bytes;
    return 0;
}

static void start_write(struct exchange *x) {
    struct endpoint *e = x->endpoint;
    int refused = e->waiting >= MAX_WAITING ? 503 : hold_lines(x);
    if (refused != 0) {
        refuse(x, refused,
               refused == 503   ? "the volume of the store does not keep up; retry later"
               : refused == 413 ? "the request holds too many lines: send fewer at once"
                                : HOLDS_TOO_MUCH);
        return;
    }
    e->waiting++;
    x->store = e->store;
    x->now_s = loop_wall(e->loop).us / 1000000;
    x->task = work_start(e->writes, run_write, x, on_done, x, exchange_free);
}

/* ---- lists: one at a time runs, and namespaces take turns ---- */

static void on_listed(void *context);

/* The oldest that waits, of another namespace than the last one's if there is one, whose page its share can hold. */
static struct exchange *next_list(struct endpoint *e) {
    struct exchange *next = NULL;
    for (struct exchange *x = e->exchanges; x != NULL; x = x->next) { /* the newest first */
        bool is_better = next == NULL || strcmp(next->namespace_, e->listed_namespace) == 0 ||
                         strcmp(x->namespace_, e->listed_namespace) != 0;
        if (x->waits && is_better && quota_may_hold(e->quota, loop_now(e->loop).us, x->namespace_, HELD_PAGE_BYTES))
            next = x;
    }
    return next;
}

static void start_next_list(struct endpoint *e) {
    struct exchange *next = e->is_listing ? NULL : next_list(e);
    if (next == NULL)
        return;
    quota_hold(e->quota, loop_now(e->loop).us, next->namespace_, HELD_PAGE_BYTES);
    next->held_bytes += HELD_PAGE_BYTES;
    e->is_listing = true;
    next->waits = false;
    slice_copy(e->listed_namespace, sizeof e->listed_namespace, slice_of(next->namespace_));
    buf_init(&next->page, (size_t)PAGE_BYTES + ENTRY_MAX_BYTES);
    next->store = e->store;
    next->task = work_start(e->lists, run_list, next, on_listed, next, exchange_free);
}

static void on_listed(void *context) {
    struct exchange *x = context;
    struct endpoint *e = x->endpoint;
    x->task = NULL;
    e->is_listing = false;
    if (x->result < 0)
        refuse(x, status_of(-x->result), error_text(x->err));
    else
        listed(x);
    start_next_list(e);
}

static void queue_list(struct exchange *x) {
    int count = 0;
    for (const struct exchange *o = x->endpoint->exchanges; o != NULL; o = o->next)
        count += o->waits && strcmp(o->namespace_, x->namespace_) == 0;
    if (count >= MAX_WAITING_LISTS) {
        refuse(x, 429, "the namespace has 16 requests waiting; retry later");
        return;
    }
    x->waits = true;
    start_next_list(x->endpoint);
}

/* ---- what is asked ---- */

static struct entries_received received(struct exchange *x) {
    return (struct entries_received){loop_wall(x->endpoint->loop).us * 1000, &x->endpoint->next_id, x->namespace_};
}

static void begin_write(struct exchange *x) {
    const struct entries_received r = received(x);
    int code = entries_write_read(&x->lines, buf_slice(&x->body), &r, &x->err);
    bool are_allowed = true;
    for (int i = 0; code == 0 && i < x->lines.job_count; i++)
        are_allowed &= is_allowed(x, slice_of(x->lines.jobs[i].job));
    if (code < 0)
        refuse(x, status_of(-code), error_text(x->err));
    else if (!are_allowed)
        refuse_job(x);
    else
        start_write(x);
}

/* "job=NAME" of the query, decoded by the server already. */
static void begin_push(struct exchange *x) {
    const struct entries_received r = received(x);
    struct slice job = slice_of(x->query);
    char name[512];
    if (!slice_take_prefix(&job, "job=") || job.size_bytes == 0 || !slice_copy(name, sizeof name, job)) {
        refuse(x, 400, "the job is missing: POST /v1/push?job=NAME");
        return;
    }
    if (!is_allowed(x, job)) {
        refuse_job(x);
        return;
    }
    int code = entries_push_read(&x->lines, buf_slice(&x->body), name, &r, &x->err);
    if (code < 0)
        refuse(x, status_of(-code), error_text(x->err));
    else
        start_write(x);
}

struct list_request {
    char filter[FILTER_BYTES], order[64], token[128];
    int64_t size;
    const char *namespace_; /* of the reader */
    bool is_of_project;     /* all that is asked for */
};

static void read_resource(struct jscan *j, void *request) {
    struct list_request *q = request;
    struct slice name;
    q->is_of_project &=
        jscan_string_raw(j, &name) && slice_take_prefix(&name, "projects/") && slice_is(name, q->namespace_);
}

static bool read_list(struct slice body, const char *namespace_, struct list_request *q) {
    typedef struct list_request request;
    static const struct jmember rows[] = {JMEMBER(request, filter, "filter"), JMEMBER(request, order, "orderBy"),
                                          JMEMBER(request, token, "pageToken"), JMEMBER(request, size, "pageSize"),
                                          JMEMBER_ELEMENTS("resourceNames", read_resource)};
    q->namespace_ = namespace_;
    q->is_of_project = true;
    return jmembers_parse(body, JMEMBERS(rows), q);
}

static bool read_token(struct exchange *x, struct slice token) {
    x->list.after.at_ns = INT64_MIN;
    if (token.size_bytes == 0)
        return true;
    return slice_take_int(&token, &x->list.after.at_ns) && slice_take_char(&token, '.') &&
           slice_copy(x->list.after.insert_id, sizeof x->list.after.insert_id, token);
}

static void begin_list(struct exchange *x) {
    CLEANUP_FREE struct list_request *q = mem_new(struct list_request);
    x->filter = mem_new(struct filter);
    if (!read_list(buf_slice(&x->body), x->namespace_, q) || !read_token(x, slice_of(q->token))) {
        refuse(x, 400, "the body is not the JSON of entries:list, or was cut off");
        return;
    }
    if (!q->is_of_project) {
        refuse(x, 403, "the project is not the reader's namespace");
        return;
    }
    if (filter_parse(x->filter, slice_of(q->filter), &x->err) < 0) {
        refuse(x, 400, error_text(x->err));
        return;
    }
    if (q->order[0] != '\0' && strcmp(q->order, "timestamp asc") != 0) {
        refuse(x, 400, "orderBy: entries are given by \"timestamp asc\" only");
        return;
    }
    x->list.namespace_ = x->namespace_;
    x->list.job = filter_job(x->filter);
    x->list.filter = x->filter;
    x->list.max_entries = q->size > 0 && q->size < PAGE_ENTRIES ? q->size : PAGE_ENTRIES;
    x->list.max_bytes = PAGE_BYTES;
    if (x->list.job.size_bytes == 0)
        refuse(x, 400, "the filter must name a job: jsonPayload.job_name=\"...\"");
    else if (!is_allowed(x, x->list.job))
        refuse_job(x);
    else
        queue_list(x);
}

/* What a request makes this process hold: its body, and as much again when it is parsed. */
static size_t bytes_to_hold(const struct exchange *x) {
    return sizeof *x + 2 * x->body_bytes;
}

static int requests_of(const struct exchange *x) {
    int count = 0;
    for (const struct exchange *o = x->endpoint->exchanges; o != NULL; o = o->next)
        count += strcmp(o->namespace_, x->namespace_) == 0;
    return count;
}

/* The connection ended before the body was there; perhaps after the endpoint. */
static void drop_admitted(void *admitted) {
    struct exchange *x = admitted;
    if (x->endpoint != NULL)
        exchange_end(x);
    else
        exchange_free(x);
}

static void admit(struct exchange *x) {
    const struct server_admission admission = {.status = 200, .admitted = x, .drop = drop_admitted};
    struct server_ticket *ticket = x->ticket;
    x->ticket = NULL;
    x->is_admitted = true;
    server_admit(ticket, &admission);
}

static void on_who(void *context, int status, const char *namespace_, const char *user) {
    struct exchange *x = context;
    struct endpoint *e = x->endpoint;
    int64_t now_us = loop_now(e->loop).us;
    (void)user;
    slice_copy(x->namespace_, sizeof x->namespace_, slice_of(namespace_));
    if (status == 401)
        refuse(x, 401, "a ServiceAccount's token that the cluster knows, or a job's own, is required");
    else if (status == 403)
        refuse(x, 403, "only ServiceAccounts write and read here");
    else if (status == 429)
        refuse(x, 429, "too many tokens that are not known come from this address; retry later");
    else if (status != 200)
        refuse(x, 503, "the API server could not be asked who this is; retry later");
    else if (requests_of(x) > MAX_REQUESTS)
        refuse(x, 429, "the namespace has 32 requests under way; retry later");
    else if (!quota_send(e->quota, now_us, x->namespace_, x->kind == LIST ? 0 : (int64_t)x->body_bytes))
        refuse(x, 429, "the namespace sends more than 1 MiB or 20 requests a second");
    else if (!quota_hold(e->quota, now_us, x->namespace_, bytes_to_hold(x)))
        refuse(x, 429, HOLDS_TOO_MUCH);
    else {
        x->held_bytes = bytes_to_hold(x);
        admit(x);
    }
}

static void begin_admission(struct endpoint *e, enum kind kind, const struct server_request *request, size_t body_bytes,
                            struct server_ticket *ticket) {
    struct exchange *x = mem_new(struct exchange);
    x->endpoint = e;
    x->kind = kind;
    x->body_bytes = body_bytes;
    x->next = e->exchanges;
    e->exchanges = x;
    x->ticket = ticket;
    if (e->is_leading != NULL && !e->is_leading(e->leading_context)) {
        refuse(x, 503, "this replica does not lead; retry later");
        return;
    }
    x->query = slice_dup(request->query);
    x->asker = (struct who_asker){.done = on_who, .context = x};
    who_ask(e->who, request->authorization, request->peer, &x->asker);
}

static void on_admit(void *context, const struct server_request *request, size_t body_bytes,
                     struct server_ticket *ticket) {
    const struct path *path = context;
    struct server_admission answer = {.status = 200};
    if (path->kind != TOKEN) {
        begin_admission(path->endpoint, path->kind, request, body_bytes, ticket);
        return;
    }
    if (body_bytes > TOKEN_BODY_BYTES)
        answer = (struct server_admission){.status = 413, .text = "the body is too large\n"};
    server_admit(ticket, &answer); /* gives back what it was given: there is nothing to check */
}

static void handle(const struct server_request *request, void (*begin)(struct exchange *x)) {
    struct exchange *x = request->admitted;
    x->ticket = server_reply_later(request);
    x->body = *request->owned_body;
    *request->owned_body = (struct buf){0};
    begin(x);
}

static void handle_write(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context, (void)reply;
    handle(request, begin_write);
}
static void handle_list(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context, (void)reply;
    handle(request, begin_list);
}
static void handle_push(void *context, const struct server_request *request, struct server_reply *reply) {
    (void)context, (void)reply;
    handle(request, begin_push);
}

/* RFC 8693, as Google's clients ask for it of an external_account: the ServiceAccount's token for an access token,
 * which here is the same: whoever asks has it already, and each request is checked. */
static void handle_token(void *context, const struct server_request *request, struct server_reply *reply) {
    struct slice rest = request->body, pair;
    struct jwrite w;
    (void)context;
    bool is_last = false;
    while (!is_last) {
        is_last = !slice_take_until(&rest, '&', &pair);
        pair = is_last ? rest : pair;
        if (slice_take_prefix(&pair, "subject_token="))
            break;
        pair = (struct slice){0};
    }
    reply->content_type = "application/json";
    jwrite_init(&w, &reply->body);
    jwrite_object(&w);
    if (pair.size_bytes == 0 || slice_find_char(pair, '%') != NULL) {
        reply->status = 400;
        jwrite_member_text(&w, "error", "invalid_request");
        jwrite_member_text(&w, "error_description", "subject_token is missing: a ServiceAccount's JWT");
    } else {
        jwrite_key(&w, "access_token");
        jwrite_slice(&w, pair);
        jwrite_member_text(&w, "issued_token_type", "urn:ietf:params:oauth:token-type:access_token");
        jwrite_member_text(&w, "token_type", "Bearer");
        jwrite_member_int(&w, "expires_in", TOKEN_S);
    }
    jwrite_object_end(&w);
}

/* ---- the interface ---- */

struct endpoint *endpoint_new(struct kube_client *client, const char *root, const char *tokens_folder) {
    struct endpoint *e = mem_new(struct endpoint);
    e->loop = kube_client_loop(client);
    e->who = who_new(client, tokens_folder != NULL ? tokens_new(tokens_folder) : NULL);
    e->store = store_new(root, &store_default_limits);
    e->writes = work_pool_new(e->loop, 1);
    e->lists = work_pool_new(e->loop, 1);
    e->quota = quota_new(&quota_default_limits);
    static const struct server_endpoint paths[PATHS] = {[WRITE] = {"/v2/entries:write", handle_write, NULL},
                                                        [LIST] = {"/v2/entries:list", handle_list, NULL},
                                                        [PUSH] = {"/v1/push", handle_push, NULL},
                                                        [TOKEN] = {"/v1/token", handle_token, NULL}};
    for (enum kind kind = 0; kind < PATHS; kind++) {
        e->contexts[kind] = (struct path){e, kind};
        e->paths[kind] = paths[kind];
        e->paths[kind].context = &e->contexts[kind];
    }
    return e;
}

void endpoint_serve_while(struct endpoint *endpoint, bool (*is_leading)(const void *context), const void *context) {
    endpoint->is_leading = is_leading;
    endpoint->leading_context = context;
}

void endpoint_serve(struct endpoint *endpoint, struct server_options *options) {
    options->endpoints = endpoint->paths;
    options->endpoint_count = (int)ARRAY_SIZE(endpoint->paths);
    options->max_body_bytes = ENDPOINT_BODY_BYTES;
    options->max_connections = MAX_CONNECTIONS;
    options->admit = on_admit;
}

const struct endpoint_figures *endpoint_figures(const struct endpoint *endpoint) {
    return &endpoint->figures;
}

void endpoint_free(struct endpoint *e) {
    if (e == NULL)
        return;
    who_free(e->who);
    while (e->exchanges != NULL) {
        struct exchange *x = e->exchanges;
        e->exchanges = x->next;
        x->endpoint = NULL;
        if (x->is_admitted && x->ticket == NULL)
            continue; /* its body is not here: drop_admitted frees it */
        if (x->is_admitted)
            server_answer(x->ticket, NULL);
        else
            server_admit(x->ticket, &(struct server_admission){.status = 503, .text = "the controller ends\n"});
        if (x->task != NULL)
            work_cancel(x->task); /* frees it once nobody uses it */
        else
            exchange_free(x);
    }
    for (struct page_hold *hold = e->pages; hold != NULL; hold = hold->next)
        hold->endpoint = NULL;
    work_pool_free(e->writes);
    work_pool_free(e->lists);
    if (e->waiting == 0 && !e->is_listing) /* else its thread may still be at it, and the process ends */
        store_free(e->store);
    quota_free(e->quota);
    free(e);
}
