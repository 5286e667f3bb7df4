/* The endpoint with its real server and store: one namespace's requests beside another's. */
#include "harness.h"

#include "base/mem.h"
#include "io/http.h"
#include "io/rawserver.h"
#include "recorder/endpoint.h"
#include "recorder/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LISTS 12

struct rig {
    char root[64];
    struct loop *loop;
    struct kube_client *client;
    struct endpoint *endpoint;
    struct server *server;
    struct http_client *http;
    int finished; /* requests */
};

struct call {
    struct rig *rig;
    int status, place; /* the how manieth that finished */
    bool done;
};

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0)
        harness_fail(__FILE__, __LINE__, "cannot write %s", path);
}

/* Two jobs, "a.one" and "b.two", each with a token of its own. */
static void begin(struct rig *r) {
    CLEANUP_ERROR struct error *err = NULL;
    *r = (struct rig){.root = "/tmp/endpoint.XXXXXX"};
    if (mkdtemp(r->root) == NULL)
        abort();
    char store[96], tokens[96], path[160];
    snprintf(store, sizeof store, "%s/store", r->root);
    snprintf(tokens, sizeof tokens, "%s/tokens", r->root);
    mkdir(store, 0700);
    mkdir(tokens, 0700);
    snprintf(path, sizeof path, "%s/a.one", tokens);
    write_text(path, "token-of-job-one-in-namespace-a-0123456789\n");
    snprintf(path, sizeof path, "%s/b.two", tokens);
    write_text(path, "token-of-job-two-in-namespace-b-0123456789\n");
    snprintf(path, sizeof path, "%s/kubeconfig", r->root);
    write_text(path,
               "{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}], users: "
               "[{name: u, user: {}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}");
    r->loop = loop_new(NULL);
    struct kube_options options = {.kubeconfig = path, .user_agent = "test/0"};
    r->client = kube_client_new(r->loop, &options, &err);
    if (r->client == NULL)
        harness_fail(__FILE__, __LINE__, "%s", error_text(err));
    r->endpoint = endpoint_new(r->client, store, tokens);
    struct server_options serve = {.address = "127.0.0.1:0"};
    endpoint_serve(r->endpoint, &serve);
    r->server = server_new(r->loop, &serve, &err);
    if (r->server == NULL)
        harness_fail(__FILE__, __LINE__, "%s", error_text(err));
    r->http = http_client_new(r->loop);
}

static void end(struct rig *r) {
    CLEANUP_FREE char *remove_all = mem_format("rm -rf %s", r->root);
    http_client_free(r->http);
    server_free(r->server);
    endpoint_free(r->endpoint);
    kube_client_free(r->client);
    loop_free(r->loop);
    CHECK_INT(system(remove_all), 0);
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct call *c = context;
    c->status = err == NULL ? reply->status : -1;
    c->place = ++c->rig->finished;
    c->done = true;
}

static int on_data(void *context, struct slice bytes) {
    (void)context, (void)bytes;
    return 0;
}

static void post(struct rig *r, struct call *c, const char *path, const char *token, const char *body) {
    CLEANUP_FREE char *url = mem_format("http://127.0.0.1:%d%s", server_port(r->server), path);
    CLEANUP_FREE char *bearer = mem_format("Authorization: Bearer %s", token);
    const char *const headers[] = {bearer, "Content-Type: application/json", NULL};
    struct http_options options = {.method = "POST", .url = url, .headers = headers, .body = slice_of(body)};
    const struct http_handler handler = {NULL, on_data, on_done, c};
    *c = (struct call){.rig = r};
    http_start(r->http, &options, &handler);
}

static void list(struct rig *r, struct call *c, const char *namespace_, const char *job, const char *token) {
    CLEANUP_FREE char *body = mem_format(
        "{\"resourceNames\":[\"projects/%s\"],\"filter\":\"jsonPayload.job_name=\\\"%s\\\"\"}", namespace_, job);
    post(r, c, "/v2/entries:list", token, body);
}

#define TOKEN_A "token-of-job-one-in-namespace-a-0123456789"
#define TOKEN_B "token-of-job-two-in-namespace-b-0123456789"

/* Some 20 MB of entries of job "one", so that reading them back takes its time. */
static void fill(struct rig *r) {
    CLEANUP_FREE char *root = mem_format("%s/store", r->root);
    struct store *store = store_new(root, &store_default_limits);
    CLEANUP_BUF struct buf lines;
    buf_init(&lines, 1 << 20);
    for (int i = 0; i < 4000; i++)
        buf_format(&lines,
                   "{\"timestamp\":\"2026-01-01T00:%02d:%02dZ\",\"insertId\":\"i%d\",\"logName\":\"projects/a/logs/l\","
                   "\"jsonPayload\":{\"job_name\":\"one\",\"step_count\":%d,\"step_start_time\":1767225600.5}}\n",
                   i / 60 % 60, i % 60, i, i);
    for (int i = 0; i < 30; i++)
        CHECK_INT(store_append(store, "a", SLICE("one"), buf_slice(&lines), 1, NULL), 0);
    store_free(store);
}

TEST(lists_of_one_namespace_delay_no_write_of_another) {
    struct rig r;
    struct call lists[LISTS], push;
    begin(&r);
    fill(&r);
    for (int i = 0; i < LISTS; i++)
        list(&r, &lists[i], "a", "one", TOKEN_A);
    CHECK(loop_until(r.loop, &lists[0].done) || lists[0].done);
    post(&r, &push, "/v1/push?job=two", TOKEN_B, "step 1\n");
    CHECK(loop_until(r.loop, &push.done));
    CHECK_INT(push.status, 200);
    for (int i = 0; i < LISTS; i++) {
        CHECK(loop_until(r.loop, &lists[i].done));
        CHECK_INT(lists[i].status, 200);
    }
    /* With one thread for both it was the last of all. */
    if (push.place > 4)
        harness_fail(__FILE__, __LINE__, "the write was answered as number %d of %d", push.place, LISTS + 1);
    end(&r);
}

TEST(namespaces_take_turns_with_their_lists) {
    struct rig r;
    struct call lists[LISTS], other;
    begin(&r);
    fill(&r);
    for (int i = 0; i < LISTS; i++)
        list(&r, &lists[i], "a", "one", TOKEN_A);
    CHECK(loop_until(r.loop, &lists[0].done));
    list(&r, &other, "b", "two", TOKEN_B);
    CHECK(loop_until(r.loop, &other.done));
    CHECK_INT(other.status, 200);
    for (int i = 0; i < LISTS; i++)
        CHECK(loop_until(r.loop, &lists[i].done));
    if (other.place > 4)
        harness_fail(__FILE__, __LINE__, "the other's list was answered as number %d of %d", other.place, LISTS + 1);
    end(&r);
}

TEST(a_namespace_has_so_many_lists_waiting) {
    struct rig r;
    struct call lists[40];
    int refused = 0;
    begin(&r);
    fill(&r);
    for (int i = 0; i < 40; i++)
        list(&r, &lists[i], "a", "one", TOKEN_A);
    for (int i = 0; i < 40; i++) {
        CHECK(loop_until(r.loop, &lists[i].done));
        CHECK(lists[i].status == 200 || lists[i].status == 429);
        refused += lists[i].status == 429;
    }
    CHECK(refused > 0 && refused < 40 - 16);
    end(&r);
}
