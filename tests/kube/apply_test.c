/* Server-side apply on the embedded API server: what a manager no longer applies is removed, whatever its shape. */
#include "fixture.h"
#include "harness.h"
#include "rawserver.h"

#include <stdlib.h>

struct reply {
    bool done;
    int status;
    struct buf body;
};

static void on_done(void *context, int status, struct slice body, const struct error *err) {
    struct reply *r = context;
    (void)err;
    r->done = true;
    r->status = status;
    buf_append_slice(&r->body, body);
}

/* The pod as it is after that was applied: heap. */
static char *apply(struct fixture *f, const char *pod) {
    struct reply r = {0};
    buf_init(&r.body, 1 << 20);
    struct kube_request q = {.method = "PATCH",
                             .path = "/api/v1/namespaces/n/pods/p?fieldManager=m&force=true",
                             .body = slice_of(pod),
                             .content_type = "application/apply-patch+yaml"};
    kube_call(f->client, &q, on_done, &r);
    CHECK(loop_until(f->loop, &r.done));
    CHECK(r.status == 200 || r.status == 201);
    return buf_take(&r.body);
}

#define POD(metadata, spec)                                                                                            \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"" metadata "},\"spec\":{" spec                \
    "\"containers\":[{\"name\":\"main\",\"image\":\"i\"}]}}"

TEST(apply_removes_what_is_no_longer_applied) {
    struct fixture f;
    REQUIRE(fixture_begin(&f, NULL));
    char *pod = apply(&f, POD(",\"labels\":{\"kept\":\"1\",\"dropped\":\"2\"},\"annotations\":{\"only\":\"3\"}",
                              "\"nodeSelector\":{\"pool\":\"a\"},\"priority\":7,\"securityContext\":{},"));
    CHECK(strstr(pod, "\"dropped\"") != NULL && strstr(pod, "\"priority\":7") != NULL);
    CHECK(strstr(pod, "\"securityContext\":{}") != NULL);
    free(pod);
    pod = apply(&f, POD(",\"labels\":{\"kept\":\"1\"}", ""));
    CHECK(strstr(pod, "\"kept\":\"1\"") != NULL);
    static const char *const ended[] = {"\"dropped\"", "\"annotations\"", "\"nodeSelector\"", "\"priority\"",
                                        "\"securityContext\""};
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        if (strstr(pod, ended[i]) != NULL)
            harness_fail(__FILE__, __LINE__, "%s is still there: %s", ended[i], pod);
    free(pod);
    fixture_end(&f);
}
