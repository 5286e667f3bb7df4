#include "export/page.h"

#include "base/jscan.h"
#include "base/jwrite.h"
#include "base/mem.h"
#include "export/comparison.h"
#include "export/document.h"

#include <errno.h>
#include <string.h>

enum {
    MESSAGE_BYTES = 64 << 10,
    TRACE_BYTES = 256 << 10,
    LEDGER_BYTES = 16 << 20, /* of one job; a larger one is answered by 500 */
    MAX_LEDGERS = 4,         /* on their way at once; one more gets 503 */
};

struct page {
    struct loop *loop;
    const struct fleet *fleet, *rollups;
    struct page_traces traces;
    struct page_ledgers ledgers;
    int ledgers_sent;        /* now */
    struct viewers *viewers; /* NULL: all who reach it see all */
    struct server *server;
    struct buf document, sign_in;
};

/* ---- summaries: the members that the list of jobs needs ---- */

static bool is_in(struct slice key, const char *const *names) {
    for (; *names != NULL; names++)
        if (slice_is(key, *names))
            return true;
    return false;
}

static const char *const of_object[] = {"metadata", "status", NULL};
static const char *const of_metadata[] = {"namespace", "name", NULL};
static const char *const of_status[] = {"phase",   "phaseSince",       "conditions", "target",
                                        "goodput", "goodputPPM",       "time",       "topBadput",
                                        "steps",   "acceleratorHours", "executions", NULL};
static const char *const of_condition[] = {"type", "status", "reason", NULL};
static const char *const of_execution[] = {"number", "start", "availableAt",          "firstStepAt",
                                           "end",    "cause", "lostWorkMilliseconds", NULL};

static void copy_members(struct jscan *j, struct jwrite *w, const char *const *names);

static void copy_elements(struct jscan *j, struct jwrite *w, const char *const *names) {
    jwrite_array(w);
    if (jscan_array(j))
        while (jscan_element(j))
            copy_members(j, w, names);
    jwrite_array_end(w);
}

/* Copies one object; anything else is written as an empty one. */
static void copy_members(struct jscan *j, struct jwrite *w, const char *const *names) {
    struct slice key, value;
    char name[32];
    jwrite_object(w);
    if (jscan_object(j))
        while (jscan_key(j, &key)) {
            if (!is_in(key, names)) {
                jscan_skip(j);
                continue;
            }
            slice_copy(name, sizeof name, key);
            jwrite_key(w, name);
            if (names == of_object)
                copy_members(j, w, slice_is(key, "status") ? of_status : of_metadata);
            else if (slice_is(key, "executions"))
                copy_elements(j, w, of_execution);
            else if (slice_is(key, "conditions"))
                copy_elements(j, w, of_condition);
            else if (jscan_raw(j, &value))
                jwrite_raw(w, value);
        }
    jwrite_object_end(w);
}

static void write_summary(struct jwrite *w, const struct fleet_job *job) {
    struct jscan j;
    jscan_init(&j, fleet_object(job));
    copy_members(&j, w, of_object);
}

static void write_deleted(struct jwrite *w, const struct fleet_job *job) {
    jwrite_object(w);
    jwrite_member_object(w, "metadata");
    jwrite_member_text(w, "namespace", job->namespace_);
    jwrite_member_text(w, "name", job->name);
    jwrite_object_end(w);
    jwrite_object_end(w);
}

/* ---- the feed ---- */

/* The first one that the viewer sees. */
static const struct fleet_job *first_after(const struct fleet *fleet, const struct viewer *viewer, int64_t cursor) {
    const struct fleet_job *job = fleet->last, *found = NULL;
    for (; job != NULL && job->change > cursor; job = job->earlier)
        found = viewer_sees(viewer, job->namespace_) ? job : found;
    return found;
}

/* A message holds either jobs or deleted jobs, in the order of their changes. */
bool page_news(const struct fleet *fleet, const struct viewer *viewer, int64_t *cursor, struct buf *message) {
    bool is_new = *cursor <= 0, is_lost = !is_new && *cursor < fleet->forgotten;
    const struct fleet_job *job = first_after(fleet, viewer, is_new || is_lost ? 0 : *cursor);
    if (!is_new && !is_lost && job == NULL) {
        *cursor = fleet->change;
        return false;
    }
    struct jwrite w;
    size_t start = message->size_bytes;
    jwrite_init(&w, message);
    jwrite_object(&w);
    jwrite_member_bool(&w, "reset", is_new || is_lost);
    if ((is_new || is_lost) && fleet->cluster_name[0] != '\0')
        jwrite_member_text(&w, "clusterName", fleet->cluster_name);
    bool are_deleted = job != NULL && job->is_deleted;
    jwrite_member_array(&w, are_deleted ? "deleted" : "jobs");
    int64_t reached = fleet->change;
    for (; job != NULL; job = job->later) {
        if (!viewer_sees(viewer, job->namespace_))
            continue;
        if (message->size_bytes - start > MESSAGE_BYTES || job->is_deleted != are_deleted) {
            reached = job->change - 1;
            break;
        }
        if (are_deleted)
            write_deleted(&w, job);
        else
            write_summary(&w, job);
    }
    jwrite_array_end(&w);
    jwrite_member_bool(&w, "more", reached < fleet->change);
    jwrite_object_end(&w);
    *cursor = reached;
    return true;
}

static int next_news(void *context, void *who, int64_t *cursor, struct buf *message) {
    const struct page *page = context;
    if (viewer_is_over(who, loop_now(page->loop).us))
        return -1;
    return page_news(page->fleet, who, cursor, message);
}

/* Who shows a token that is not known yet is refused, and known when their page tries again. */
static void *admit_reader(void *context, const struct server_request *request) {
    const struct page *page = context;
    struct viewer *viewer = NULL;
    viewers_find(page->viewers, request, &viewer);
    return viewer;
}

/* ---- requests ---- */

static void write_document(struct page *page, const struct viewer *viewer, struct slice query,
                           struct server_reply *reply) {
    (void)viewer, (void)query;
    reply->content_type = "text/html; charset=utf-8";
    buf_append_slice(&reply->body, buf_slice(&page->document));
}

/* False if it is absent or too long. */
static bool parameter(struct slice query, const char *name, char *out, size_t out_size) {
    struct slice value;
    return slice_find_pair(query, '&', name, &value) && slice_copy(out, out_size, value);
}

void page_write_job(const struct fleet_job *job, struct page_traces traces, struct buf *out) {
    CLEANUP_BUF struct buf trace;
    buf_init(&trace, TRACE_BYTES);
    /* fleet_trim() wrote the object: it has members and ends with its brace. */
    struct slice object = fleet_object(job), head = {object.data, object.size_bytes - 1};
    if (traces.write == NULL || !traces.write(traces.context, job->namespace_, job->name, &trace) || trace.truncated) {
        buf_append_slice(out, object);
        return;
    }
    buf_append_slice(out, head);
    buf_append_text(out, head.size_bytes > 1 ? ",\"trace\":" : "\"trace\":");
    buf_append_slice(out, buf_slice(&trace));
    buf_append_text(out, "}");
}

static void write_job(struct page *page, const struct viewer *viewer, struct slice query, struct server_reply *reply) {
    char namespace_[256], name[256];
    const struct fleet_job *job = NULL;
    if (parameter(query, "namespace", namespace_, sizeof namespace_) && parameter(query, "name", name, sizeof name) &&
        viewer_sees(viewer, namespace_))
        job = fleet_find(page->fleet, namespace_, name);
    if (job == NULL) {
        reply->status = 404;
        buf_append_text(&reply->body, "no such JobGoodput\n");
        return;
    }
    reply->content_type = "application/json";
    page_write_job(job, page->traces, &reply->body);
}

/* ---- ledgers and comparisons ---- */

static void ledger_sent(void *context) {
    struct page *page = context;
    page->ledgers_sent--;
}

/* The status of the reply. */
static int find_ledger(struct page *page, const struct viewer *viewer, struct slice query, const char *of_namespace,
                       const char *of_name, struct buf *lines) {
    char namespace_[256], name[256];
    if (page->ledgers_sent >= MAX_LEDGERS)
        return 503;
    if (page->ledgers.write == NULL || !parameter(query, of_namespace, namespace_, sizeof namespace_) ||
        !parameter(query, of_name, name, sizeof name) || !viewer_sees(viewer, namespace_))
        return 404;
    return page->ledgers.write(page->ledgers.context, namespace_, name, lines);
}

static void say_why(struct server_reply *reply) {
    buf_append_text(&reply->body, reply->status == 404
                                      ? "no such JobGoodput\n"
                                      : "this replica does not lead, has not evaluated the job yet, or is busy; retry "
                                        "later\n");
}

/* A ledger that is on its way holds memory: few are at once. */
static void write_ledger(struct page *page, const struct viewer *viewer, struct slice query,
                         struct server_reply *reply) {
    buf_done(&reply->body);
    buf_init(&reply->body, LEDGER_BYTES);
    reply->status = find_ledger(page, viewer, query, "namespace", "name", &reply->body);
    if (reply->status != 200) {
        say_why(reply);
    } else {
        page->ledgers_sent++;
        reply->hold = (struct server_hold){ledger_sent, page};
        reply->content_type = "application/x-ndjson";
    }
}

static int take_side(struct page *page, const struct viewer *viewer, struct slice query, const char *of_namespace,
                     const char *of_name, struct comparison_side *side, struct error **err) {
    CLEANUP_BUF struct buf lines;
    buf_init(&lines, LEDGER_BYTES);
    int status = find_ledger(page, viewer, query, of_namespace, of_name, &lines);
    if (status == 200 && lines.truncated) {
        error_set(err, EMSGSIZE,
                  "the ledger of %s is longer than %d MiB: compare logs or archives with kubectl goodput compare",
                  side->name, LEDGER_BYTES >> 20);
        return 500;
    }
    if (status == 200 && comparison_take(side, buf_slice(&lines), COMPARISON_JOINED, err) < 0)
        return 404;
    return status;
}

/* Two ledgers, of which only what was compared is sent. */
static void write_comparison(struct page *page, const struct viewer *viewer, struct slice query,
                             struct server_reply *reply) {
    CLEANUP_ERROR struct error *why = NULL;
    CLEANUP_FREE struct compare_table *table = mem_new(struct compare_table);
    struct comparison_side sides[2];
    char names[2][256] = {"", ""};
    struct jwrite w;
    parameter(query, "name", names[0], sizeof names[0]);
    parameter(query, "otherName", names[1], sizeof names[1]);
    comparison_init(&sides[0], names[0]);
    comparison_init(&sides[1], names[1]);
    reply->status = take_side(page, viewer, query, "namespace", "name", &sides[0], &why);
    if (reply->status == 200)
        reply->status = take_side(page, viewer, query, "otherNamespace", "otherName", &sides[1], &why);
    if (why != NULL) {
        buf_format(&reply->body, "%s\n", error_text(why));
    } else if (reply->status != 200) {
        say_why(reply);
    } else {
        compare_jobs(&sides[0].job, &sides[1].job, table);
        jwrite_init(&w, &reply->body);
        comparison_write(sides, table, &w);
        reply->content_type = "application/json";
    }
    comparison_done(&sides[0]);
    comparison_done(&sides[1]);
}

/* All FleetGoodputs: there are few. */
static void write_fleets(struct page *page, const struct viewer *viewer, struct slice query,
                         struct server_reply *reply) {
    const char *comma = "";
    (void)query;
    reply->content_type = "application/json";
    buf_append_text(&reply->body, "{\"items\":[");
    for (const struct fleet_job *f = page->rollups->first; f != NULL; f = f->later) {
        if (f->is_deleted || !viewer_sees_fleets(viewer))
            continue;
        buf_append_text(&reply->body, comma);
        buf_append_slice(&reply->body, fleet_object(f));
        comma = ",";
    }
    buf_append_text(&reply->body, "]}");
}

/* ---- who asks ---- */

typedef void writer(struct page *page, const struct viewer *viewer, struct slice query, struct server_reply *reply);

/* A request of somebody who is not known yet. */
struct visit {
    struct page *page;
    writer *write;
    struct server_ticket *ticket;
    char *query;
};

/* The sign-in in place of the page; of its parts the script needs only the number. */
static void refuse(const struct page *page, writer *write, enum viewer_answer answer, struct server_reply *reply) {
    reply->status = answer == VIEWER_UNKNOWN ? 401 : 503;
    if (answer == VIEWER_UNKNOWN && write == write_document) {
        reply->content_type = "text/html; charset=utf-8";
        buf_append_slice(&reply->body, buf_slice(&page->sign_in));
    } else if (answer == VIEWER_UNKNOWN)
        buf_append_text(&reply->body, "sign in, or send a bearer token of this cluster in the Authorization header\n");
    else
        buf_append_text(&reply->body, "the API server did not review the token; retry later\n");
}

static void on_viewer(void *context, enum viewer_answer answer, struct viewer *viewer) {
    struct visit *visit = context;
    struct server_reply reply = {.status = 200};
    buf_init(&reply.body, SERVER_REPLY_MAX_BYTES);
    if (answer == VIEWER_KNOWN)
        visit->write(visit->page, viewer, slice_of(visit->query), &reply);
    else
        refuse(visit->page, visit->write, answer, &reply);
    server_reply_whole(&reply);
    server_answer(visit->ticket, &reply);
    buf_done(&reply.body);
    free(visit->query);
    free(visit);
}

static void serve(struct page *page, writer *write, const struct server_request *request, struct server_reply *reply) {
    struct viewer *viewer = NULL;
    enum viewer_answer answer = page->viewers == NULL ? VIEWER_KNOWN : viewers_find(page->viewers, request, &viewer);
    if (answer == VIEWER_ASKED) {
        struct visit *visit = mem_new(struct visit);
        *visit = (struct visit){page, write, server_reply_later(request), slice_dup(request->query)};
        viewers_await(page->viewers, request, on_viewer, visit);
        return;
    }
    if (answer == VIEWER_KNOWN)
        write(page, viewer, request->query, reply);
    else
        refuse(page, write, answer, reply);
    viewer_release(viewer);
}

static void serve_document(void *context, const struct server_request *request, struct server_reply *reply) {
    serve(context, write_document, request, reply);
}

static void serve_job(void *context, const struct server_request *request, struct server_reply *reply) {
    serve(context, write_job, request, reply);
}

static void serve_ledger(void *context, const struct server_request *request, struct server_reply *reply) {
    serve(context, write_ledger, request, reply);
}

static void serve_comparison(void *context, const struct server_request *request, struct server_reply *reply) {
    serve(context, write_comparison, request, reply);
}

static void serve_fleets(void *context, const struct server_request *request, struct server_reply *reply) {
    serve(context, write_fleets, request, reply);
}

struct page *page_new(const struct page_options *o, struct error **err) {
    struct page *page = mem_new(struct page);
    struct server_endpoint endpoints[] = {{"/", serve_document, page},
                                          {"/job", serve_job, page},
                                          {"/ledger", serve_ledger, page},
                                          {"/compare", serve_comparison, page},
                                          {"/fleets", serve_fleets, page}};
    struct server_feed feed = {"/feed", next_news, page, NULL, viewer_release};
    struct server_options options = {.address = o->address,
                                     .endpoints = endpoints,
                                     .endpoint_count = ARRAY_SIZE(endpoints),
                                     .feed = &feed,
                                     .is_for_browsers = true};
    page->loop = o->loop;
    page->fleet = o->fleet;
    page->rollups = o->rollups;
    page->traces = o->traces;
    page->ledgers = o->ledgers;
    page->viewers = o->viewers;
    if (o->viewers != NULL)
        feed.admit = admit_reader;
    buf_init(&page->document, DOCUMENT_MAX_BYTES);
    buf_init(&page->sign_in, DOCUMENT_MAX_BYTES);
    document_write(slice_of(""), &page->document);
    document_write_sign_in(&page->sign_in);
    page->server = o->serve != NULL ? o->serve(o->context, &options, err) : server_new(o->loop, &options, err);
    if (page->server == NULL) {
        page_free(page);
        return NULL;
    }
    return page;
}

void page_free(struct page *page) {
    if (page == NULL)
        return;
    server_free(page->server);
    buf_done(&page->document);
    buf_done(&page->sign_in);
    free(page);
}

int page_port(const struct page *page) {
    return server_port(page->server);
}

void page_notify(struct page *page) {
    if (page != NULL)
        server_feed_wake(page->server);
}
