#include "rig.h"

#include "base/mem.h"
#include "folder.h"
#include "harness.h"

#include <stdlib.h>
#include <sys/stat.h>

char *rig_pipe(const struct rig *r, const char *namespace_, const char *job) {
    CLEANUP_FREE char *all = mem_format("%s/store/%s", r->root, namespace_), *its = mem_format("%s/%s", all, job);
    char *pipe = mem_format("%s/00000001.jsonl", its);
    CHECK_INT(mkdir(all, 0700) | mkdir(its, 0700) | mkfifo(pipe, 0600), 0);
    return pipe;
}

void rig_begin(struct rig *r) {
    CLEANUP_ERROR struct error *err = NULL;
    *r = (struct rig){0};
    folder_make(r->root);
    CLEANUP_FREE char *store = mem_format("%s/store", r->root), *tokens = mem_format("%s/tokens", r->root);
    mkdir(store, 0700);
    folder_write(r->root, "tokens/a.one", TOKEN_A "\n");
    folder_write(r->root, "tokens/b.two", TOKEN_B "\n");
    r->loop = loop_new(NULL);
    reviews_begin(&r->api, r->loop);
    r->endpoint = endpoint_new(r->api.client, store, tokens);
    struct server_options serve = {.address = "127.0.0.1:0"};
    endpoint_serve(r->endpoint, &serve);
    r->server = server_new(r->loop, &serve, &err);
    if (r->server == NULL)
        harness_fail(__FILE__, __LINE__, "%s", error_text(err));
    r->http = http_client_new(r->loop);
}

void rig_end(struct rig *r) {
    http_client_free(r->http);
    server_free(r->server);
    endpoint_free(r->endpoint);
    reviews_end(&r->api);
    loop_free(r->loop);
    folder_remove(r->root);
}

static int on_data(void *context, struct slice bytes) {
    struct call *c = context;
    return c->body.size_bytes < 65536 ? buf_append_slice(&c->body, bytes) : 0;
}

static void on_done(void *context, const struct http_reply *reply, const struct error *err) {
    struct call *c = context;
    c->status = err == NULL ? reply->status : -1;
    c->rig->finished++;
    c->done = true;
}

void call_start(struct rig *r, struct call *c, const char *path, const char *token, struct slice body) {
    CLEANUP_FREE char *url = mem_format("http://127.0.0.1:%d%s", server_port(r->server), path);
    CLEANUP_FREE char *bearer = mem_format("Authorization: Bearer %s", token);
    const char *const headers[] = {"Content-Type: application/json", token != NULL ? bearer : NULL, NULL};
    struct http_options options = {.method = "POST", .url = url, .headers = headers, .body = body};
    const struct http_handler handler = {NULL, on_data, on_done, c};
    *c = (struct call){.rig = r};
    buf_init(&c->body, 16 << 20);
    c->request = http_start(r->http, &options, &handler);
}

void call_done(struct call *c) {
    buf_done(&c->body);
}

int call_post(struct rig *r, const char *path, const char *token, struct slice body, const char *part) {
    struct call c;
    call_start(r, &c, path, token, body);
    CHECK(loop_until(r->loop, &c.done));
    if (part != NULL && strstr(buf_text(&c.body), part) == NULL)
        harness_fail(__FILE__, __LINE__, "%s: %d %s, expected \"%s\"", path, c.status, buf_text(&c.body), part);
    call_done(&c);
    return c.status;
}

void call_list(struct rig *r, struct call *c, const char *namespace_, const char *job, const char *token) {
    CLEANUP_FREE char *body = mem_format(
        "{\"resourceNames\":[\"projects/%s\"],\"filter\":\"jsonPayload.job_name=\\\"%s\\\"\"}", namespace_, job);
    call_start(r, c, "/v2/entries:list", token, slice_of(body));
}

void rig_until(struct rig *r, const int *number, int min) {
    for (int i = 0; i < 20000 && *number < min; i++)
        loop_for(r->loop, 1000);
    CHECK(*number >= min);
}
