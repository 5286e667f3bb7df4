/* What the page is given. How it looks is tested in a browser: tests/export/page.py. */
#include "harness.h"

#include "base/jscan.h"
#include "base/mem.h"
#include "export/document.h"
#include "export/page.h"

#include <stdlib.h>

static void put(struct fleet *f, const char *name, const char *status) {
    CLEANUP_FREE char *text = mem_format(
        "{\"metadata\":{\"namespace\":\"n\",\"name\":\"%s\",\"labels\":{}},\"spec\":{},\"status\":%s}", name, status);
    CHECK_INT(fleet_put(f, "n", name, slice_of(text)), 0);
}

/* The next message; "" if there is none. */
static const char *news(const struct fleet *f, int64_t *cursor, struct buf *message) {
    buf_clear(message);
    return page_news(f, NULL, cursor, message) ? buf_text(message) : "";
}

TEST(a_reader_gets_only_the_changes_that_it_does_not_have) {
    struct fleet f;
    CLEANUP_BUF struct buf m;
    int64_t a = 0, b = 0;
    fleet_init(&f);
    buf_init(&m, 1 << 20);
    CHECK_TEXT(news(&f, &a, &m), "{\"reset\":true,\"jobs\":[],\"more\":false}");
    CHECK_TEXT(news(&f, &a, &m), "");
    put(&f, "x",
        "{\"phase\":\"Queued\",\"badput\":[1],\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\","
        "\"reason\":\"Odd\",\"message\":\"m\"}],\"executions\":[{\"number\":1,\"evidence\":\"e\"},7]}");
    static const char summary[] = "{\"metadata\":{\"namespace\":\"n\",\"name\":\"x\"},\"status\":{\"phase\":\"Queued\","
                                  "\"conditions\":[{\"type\":\"Ready\",\"status\":\"False\",\"reason\":\"Odd\"}],"
                                  "\"executions\":[{\"number\":1},{}]}}";
    CLEANUP_FREE char *update = mem_format("{\"reset\":false,\"jobs\":[%s],\"more\":false}", summary);
    CLEANUP_FREE char *hello = mem_format("{\"reset\":true,\"jobs\":[%s],\"more\":false}", summary);
    CHECK_TEXT(news(&f, &a, &m), update);
    CHECK_TEXT(news(&f, &a, &m), "");
    CHECK_TEXT(news(&f, &b, &m), hello);
    fleet_remove(&f, "n", "x");
    put(&f, "y", "{}");
    CHECK_TEXT(news(&f, &a, &m),
               "{\"reset\":false,\"deleted\":[{\"metadata\":{\"namespace\":\"n\",\"name\":\"x\"}}],\"more\":true}");
    CHECK_TEXT(news(&f, &a, &m), "{\"reset\":false,\"jobs\":[{\"metadata\":{\"namespace\":\"n\",\"name\":\"y\"},"
                                 "\"status\":{}}],\"more\":false}");
    CHECK_TEXT(news(&f, &a, &m), "");
    /* A reader that was away for too long starts again. */
    for (int i = 0; i < 400; i++) {
        put(&f, "z", "{}");
        fleet_remove(&f, "n", "z");
        CLEANUP_FREE char *name = mem_format("z%d", i);
        put(&f, name, "{}");
        fleet_remove(&f, "n", name);
    }
    CHECK(strncmp(news(&f, &b, &m), "{\"reset\":true,", 14) == 0);
    /* Where the cluster has a name, whoever starts learns it, and the others know it already. */
    f.cluster_name = "prod-\"1\"";
    b = 0;
    CHECK(strncmp(news(&f, &b, &m), "{\"reset\":true,\"clusterName\":\"prod-\\\"1\\\"\",", 41) == 0);
    put(&f, "last", "{}");
    CHECK(strstr(news(&f, &b, &m), "clusterName") == NULL);
    fleet_done(&f);
}

/* Many jobs come in pieces, each whole JSON, and every job once. */
TEST(many_jobs_come_in_pieces) {
    struct fleet f;
    CLEANUP_BUF struct buf m;
    CLEANUP_FREE char *text = harness_read_file("tests/data/export/story.json", NULL);
    int64_t cursor = 0;
    int messages = 0, jobs = 0;
    fleet_init(&f);
    buf_init(&m, 1 << 20);
    for (int i = 0; i < 500; i++) {
        CLEANUP_FREE char *name = mem_format("job-%d", i);
        CHECK_INT(fleet_put(&f, "n", name, slice_of(text)), 0);
    }
    for (; *news(&f, &cursor, &m); messages++) {
        struct jscan j;
        jscan_init(&j, buf_slice(&m));
        jscan_skip(&j);
        CHECK(jscan_at_end(&j));
        CHECK(m.size_bytes < 80000);
        for (const char *at = buf_text(&m); (at = strstr(at, "\"metadata\"")) != NULL; at++)
            jobs++;
        REQUIRE(messages < 1000);
    }
    CHECK(messages > 3);
    CHECK_INT(jobs, 500);
    fleet_done(&f);
}

static bool trace_of_x(void *context, const char *namespace_, const char *name, struct buf *json) {
    (void)context;
    buf_append_text(json, "{\"saves\":[[1,2,1]]}");
    return strcmp(namespace_, "n") == 0 && strcmp(name, "x") == 0;
}

/* Only where something is known of its log; and it stays one JSON object. */
TEST(a_job_is_served_with_the_records_of_its_log) {
    struct fleet f;
    CLEANUP_BUF struct buf out;
    fleet_init(&f);
    buf_init(&out, 1 << 20);
    put(&f, "x", "{}");
    put(&f, "y", "{}");
    struct page_traces traces = {trace_of_x, NULL};
    page_write_job(fleet_find(&f, "n", "x"), traces, &out);
    CHECK_TEXT(buf_text(&out), "{\"metadata\":{\"namespace\":\"n\",\"name\":\"x\",\"labels\":{}},\"spec\":{},"
                               "\"status\":{},\"trace\":{\"saves\":[[1,2,1]]}}");
    buf_clear(&out);
    page_write_job(fleet_find(&f, "n", "y"), traces, &out);
    CHECK(strstr(buf_text(&out), "trace") == NULL && strstr(buf_text(&out), "\"name\":\"y\"") != NULL);
    buf_clear(&out);
    page_write_job(fleet_find(&f, "n", "x"), (struct page_traces){0}, &out);
    CHECK(strstr(buf_text(&out), "trace") == NULL);
    fleet_done(&f);
}

TEST(the_document_holds_data_as_data) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, DOCUMENT_MAX_BYTES);
    CHECK_INT(document_write(SLICE("{\"a\":\"</script><b>\"}"), &out), 0);
    CHECK(strstr(buf_text(&out), "{\"a\":\"\\u003c/script>\\u003cb>\"}") != NULL);
    CHECK(strstr(buf_text(&out), "{{") == NULL);
    CHECK(strstr(buf_text(&out), "unsafe") == NULL && strstr(buf_text(&out), "script-src 'sha256-") != NULL);
    CHECK(strstr(buf_text(&out), "innerHTML =") == NULL);
    /* The page is small: nothing of it is only for its authors. */
    CHECK(out.size_bytes < 90 * 1024);
    CHECK(strstr(buf_text(&out), "\n ") == NULL && strstr(buf_text(&out), "\n//") == NULL);
    const char *style = strstr(buf_text(&out), "<style>"), *style_end = strstr(buf_text(&out), "</style>");
    CHECK(style != NULL && style_end != NULL && memmem(style, (size_t)(style_end - style), ";}", 2) == NULL);
    struct buf small;
    buf_init(&small, 100);
    CHECK(document_write(slice_of(""), &small) < 0);
    buf_done(&small);
}
