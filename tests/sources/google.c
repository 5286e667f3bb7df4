#include "google.h"

#include "base/jscan.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "harness.h"
#include "rawserver.h"

#include <stdlib.h>
#include <string.h>

struct one {
    int64_t at_ns;
    char insert_id[32], job_name[64];
    char *payload;
};

struct google {
    struct rawserver *server;
    struct one *entries;
    size_t count, capacity;
    struct google_faults faults;
    int tokens, lists;
    char *form, *filter;
    bool saw_flavor;
};

static int compare(const void *a, const void *b) {
    const struct one *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return strcmp(x->insert_id, y->insert_id);
}

/* What stands behind `clause` in the filter, up to the quote. */
static bool clause_of(const char *filter, const char *clause, char *value, size_t size) {
    const char *at = strstr(filter, clause), *end = at ? strchr(at + strlen(clause), '"') : NULL;
    return end != NULL && slice_copy(value, size, slice_range(at + strlen(clause), end));
}

static int64_t time_of(const char *filter, const char *clause) {
    char text[64];
    int64_t ns = 0;
    CHECK(clause_of(filter, clause, text, sizeof text));
    struct slice s = slice_of(text);
    CHECK(rfc3339_take(&s, &ns, NULL) && s.size_bytes == 0);
    return ns;
}

static void write_page(struct google *g, int64_t from, int64_t size, const char *job, struct buf *out) {
    int64_t since_ns = time_of(g->filter, "timestamp>=\""), through_ns = time_of(g->filter, "timestamp<=\"");
    int64_t at = 0, written = 0;
    bool has_more = false;
    buf_append_text(out, "{\"entries\":[");
    for (size_t i = 0; i < g->count; i++) {
        const struct one *e = &g->entries[i];
        char stamp[RFC3339_SIZE];
        if (e->at_ns < since_ns || e->at_ns > through_ns || strcmp(e->job_name, job) != 0 || at++ < from)
            continue;
        if (written == size) {
            has_more = true;
            break;
        }
        buf_format(out,
                   "%s{\"logName\":\"projects/p/logs/goodput_j\",\"resource\":{\"type\":\"global\",\"labels\":{}},"
                   "\"timestamp\":\"%s\",\"severity\":\"INFO\",\"insertId\":\"%s\",\"jsonPayload\":%s}",
                   written++ > 0 ? "," : "", rfc3339_format(stamp, e->at_ns, 6), e->insert_id, e->payload);
    }
    buf_append_char(out, ']');
    if (has_more)
        buf_format(out, ",\"nextPageToken\":\"page\\/%lld\"", (long long)(from + size));
    buf_append_char(out, '}');
}

static void list(struct google *g, struct rawconn *c, struct slice body) {
    CLEANUP_BUF struct buf out;
    CLEANUP_FREE char *filter = mem_alloc(8192);
    char order[64] = "", token[64] = "", job[64] = "";
    int64_t size = 0, from = 0;
    struct jscan j;
    struct slice key;
    jscan_init(&j, body);
    CHECK(jscan_object(&j));
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "filter"))
            CHECK(jscan_string(&j, filter, 8192));
        else if (slice_is(key, "orderBy"))
            jscan_string(&j, order, sizeof order);
        else if (slice_is(key, "pageToken"))
            jscan_string(&j, token, sizeof token);
        else if (slice_is(key, "pageSize"))
            jscan_int(&j, &size);
        else
            jscan_skip(&j);
    }
    CHECK(jscan_at_end(&j));
    CHECK_TEXT(order, "timestamp asc");
    CHECK(strstr(filter, "logName=\"projects/p/logs/goodput_j\" AND ") == filter);
    CHECK(clause_of(filter, "jsonPayload.job_name=\"", job, sizeof job));
    free(g->filter);
    g->filter = mem_strdup(filter);
    if (token[0] != '\0')
        from = strtol(token + strlen("page/"), NULL, 10);
    buf_init(&out, 64 << 20);
    write_page(g, from, size, job, &out);
    g->lists++;
    rawconn_reply(c, 200, "Content-Type: application/json\r\n", buf_text(&out));
}

static bool fault(struct google *g, struct rawconn *c) {
    if (g->faults.count == 0)
        return false;
    g->faults.count--;
    if (g->faults.truncates)
        rawconn_reply(c, 200, "", "{\"entries\":[{\"timestamp\":\"2023-11-14T22:13:20Z\",\"insertId\":\"x\",\"jsonPay");
    else if (g->faults.status == 0)
        rawconn_reset(c);
    else
        rawconn_reply(c, g->faults.status, g->faults.headers ? g->faults.headers : "",
                      g->faults.body ? g->faults.body : "");
    return true;
}

static void on_request(void *context, struct rawconn *c, struct slice request) {
    struct google *g = context;
    const char *end = slice_find(request, "\r\n\r\n");
    struct slice body = slice_skip(request, (size_t)(end + 4 - request.data));
    char token[160];
    if (slice_starts(request, "POST /v2/entries:list")) {
        snprintf(token, sizeof token, "Authorization: Bearer token-%d\r\n", g->tokens);
        rawconn_drip(c, g->faults.drips);
        if (fault(g, c))
            return;
        if (slice_contains(request, token))
            list(g, c, body);
        else
            rawconn_reply(c, 401, "", "{\"error\":{\"code\":401,\"message\":\"old token\"}}");
        return;
    }
    g->saw_flavor = slice_contains(request, "Metadata-Flavor: Google");
    free(g->form);
    g->form = slice_dup(body);
    snprintf(token, sizeof token, "{\"access_token\":\"token-%d\",\"expires_in\":3599,\"token_type\":\"Bearer\"}",
             ++g->tokens);
    rawconn_reply(c, 200, "", token);
}

struct google *google_new(struct loop *loop) {
    struct google *g = mem_new(struct google);
    g->form = mem_strdup("");
    g->filter = mem_strdup("");
    g->server = rawserver_new(loop, on_request, g);
    return g;
}

void google_free(struct google *g) {
    rawserver_free(g->server);
    for (size_t i = 0; i < g->count; i++)
        free(g->entries[i].payload);
    free(g->entries);
    free(g->form);
    free(g->filter);
    free(g);
}

const char *google_url(const struct google *g) {
    return rawserver_url(g->server);
}

const char *google_host(const struct google *g) {
    return rawserver_url(g->server) + strlen("http://");
}

void google_add(struct google *g, int64_t at_ms, const char *insert_id, const char *job_name, const char *payload) {
    MEM_GROW(g->entries, g->count, g->capacity);
    struct one *e = &g->entries[g->count++];
    *e = (struct one){.at_ns = at_ms * 1000000, .payload = mem_strdup(payload)};
    slice_copy(e->insert_id, sizeof e->insert_id, slice_of(insert_id));
    slice_copy(e->job_name, sizeof e->job_name, slice_of(job_name));
    qsort(g->entries, g->count, sizeof *g->entries, compare);
}

void google_fault(struct google *g, struct google_faults faults) {
    g->faults = faults;
}

int google_tokens(const struct google *g) {
    return g->tokens;
}

int google_lists(const struct google *g) {
    return g->lists;
}

const char *google_form(const struct google *g) {
    return g->form;
}

const char *google_filter(const struct google *g) {
    return g->filter;
}

bool google_saw_flavor(const struct google *g) {
    return g->saw_flavor;
}
