/* What is asked for, and what is made of it: each refusal in its words, and what the limits keep out. */
#include "base/mem.h"
#include "harness.h"
#include "rig.h"
#include "steer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SECOND_US INT64_C(1000000)
#define PUSH "/v1/push?job=one"
#define WRITE "/v2/entries:write"
#define LIST "/v2/entries:list"

TEST(a_request_that_makes_no_sense_is_refused_in_words) {
    static const struct {
        const char *path, *body, *part;
        int status;
    } cases[] = {
        {WRITE, "{\"entries\":[", "was cut off", 400},
        {WRITE, "{\"logName\":\"projects/a/logs/l\",\"entries\":[{\"textPayload\":\"x\"}]}", "job_name", 400},
        {WRITE, "{\"logName\":\"projects/b/logs/l\",\"entries\":[{\"jsonPayload\":{\"job_name\":\"one\"}}]}",
         "PERMISSION_DENIED", 403},
        {"/v1/push", "x\n", "the job is missing", 400},
        {"/v1/push?job=", "x\n", "the job is missing", 400},
        {"/v1/push?step=1&job=one", "x\n", "the job is missing", 400},
        {LIST, "{", "not the JSON of entries:list", 400},
        {LIST, "[]", "not the JSON of entries:list", 400},
        {LIST, "{} {}", "not the JSON of entries:list", 400},
        {LIST, "{\"pageToken\":\"x\"}", "not the JSON of entries:list", 400},
        {LIST, "{\"pageToken\":\"12\"}", "not the JSON of entries:list", 400},
        {LIST, "{\"resourceNames\":[\"projects/a\",\"projects/b\"]}", "not the reader's namespace", 403},
        {LIST, "{\"resourceNames\":[7]}", "not the reader's namespace", 403},
        {LIST, "{\"filter\":\"jsonPayload.job_name=\"}", "Unparseable filter", 400},
        {LIST, "{\"filter\":\"severity=INFO\"}", "the filter must name a job", 400},
        {LIST, "{\"filter\":\"jsonPayload.job_name=\\\"one\\\"\",\"orderBy\":\"timestamp desc\"}", "timestamp asc",
         400},
        {LIST, "{\"filter\":\"jsonPayload.job_name=\\\"one\\\"\",\"orderBy\":\"timestamp asc\",\"more\":{}}",
         "{\"entries\":[]}", 200},
    };
    struct rig r;
    rig_begin(&r);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int status = call_post(&r, cases[i].path, TOKEN_A, slice_of(cases[i].body), cases[i].part);
        if (status != cases[i].status)
            harness_fail(__FILE__, __LINE__, "%s %s: %d, expected %d", cases[i].path, cases[i].body, status,
                         cases[i].status);
    }
    CHECK_INT(endpoint_figures(r.endpoint)->entries, 0);
    rig_end(&r);
}

TEST(entries_that_are_refused_keep_no_others_out_where_the_writer_says_so) {
    static const char body[] = "{\"logName\":\"projects/a/logs/"
                               "l\",\"partialSuccess\":%s,\"entries\":[{\"jsonPayload\":{\"job_name\":\"one\"}},"
                               "{\"jsonPayload\":{\"job_name\":\"one\"},\"timestamp\":\"yesterday\"}]}";
    struct rig r;
    rig_begin(&r);
    for (int is_partial = 0; is_partial < 2; is_partial++) {
        CLEANUP_FREE char *text = mem_format(body, is_partial ? "true" : "false");
        CHECK_INT(call_post(&r, WRITE, TOKEN_A, slice_of(text), "entry 1: its timestamp"), 400);
        CHECK_INT(endpoint_figures(r.endpoint)->refused_entries, is_partial + 1);
        CHECK_INT(endpoint_figures(r.endpoint)->entries, is_partial);
        CHECK_INT(call_post(&r, LIST, TOKEN_A, SLICE("{\"filter\":\"jsonPayload.job_name=\\\"one\\\"\"}"),
                            is_partial ? "\"logName\"" : "{\"entries\":[]}"),
                  200);
    }
    rig_end(&r);
}

TEST(a_list_is_read_page_by_page) {
    static const char filter[] = "\"filter\":\"jsonPayload.job_name=\\\"one\\\"\"";
    struct rig r;
    char token[256] = "";
    int pages = 0, entries = 0;
    CLEANUP_BUF struct buf body;
    rig_begin(&r);
    buf_init(&body, 1 << 16);
    buf_append_text(&body, "{\"logName\":\"projects/a/logs/l\",\"entries\":[");
    for (int i = 0; i < 5; i++)
        buf_format(&body, "%s{\"timestamp\":\"2026-01-01T00:00:0%dZ\",\"jsonPayload\":{\"job_name\":\"one\",\"n\":%d}}",
                   i > 0 ? "," : "", i, i);
    buf_append_text(&body, "]}");
    CHECK_INT(call_post(&r, WRITE, TOKEN_A, buf_slice(&body), "{}"), 200);
    CHECK_INT(endpoint_figures(r.endpoint)->entries, 5);
    do {
        struct call c;
        CLEANUP_FREE char *text = mem_format("{%s,\"pageSize\":2,\"pageToken\":\"%s\"}", filter, token);
        call_start(&r, &c, LIST, TOKEN_A, slice_of(text));
        CHECK(loop_until(r.loop, &c.done));
        CHECK_INT(c.status, 200);
        for (const char *at = buf_text(&c.body); (at = strstr(at, "\"n\":")) != NULL; at++)
            CHECK_INT(strtol(at + 4, NULL, 10), entries++);
        const char *next = strstr(buf_text(&c.body), "\"nextPageToken\":\"");
        token[0] = '\0';
        if (next != NULL)
            sscanf(next, "\"nextPageToken\":\"%255[^\"]", token);
        call_done(&c);
    } while (token[0] != '\0' && ++pages < 10);
    CHECK_INT(pages, 2);
    CHECK_INT(entries, 5);
    rig_end(&r);
}

TEST(bodies_that_are_too_large_are_refused_before_they_are_read_or_when_their_lines_are) {
    struct rig r;
    CLEANUP_BUF struct buf body;
    rig_begin(&r);
    buf_init(&body, 16 << 20);
    while (body.size_bytes <= ENDPOINT_BODY_BYTES)
        buf_append_text(&body, "0123456789abcdef0123456789abcde\n");
    CHECK_INT(call_post(&r, PUSH, TOKEN_A, buf_slice(&body), "too large"), 413);
    CHECK_INT(call_post(&r, "/v1/token", NULL, (struct slice){body.data, 65537}, "too large"), 413);
    CHECK_INT(call_post(&r, "/v1/token", NULL, (struct slice){body.data, 65536}, "subject_token"), 400);
    buf_clear(&body);
    while (body.size_bytes < 3 << 20)
        buf_append_text(&body, "a\n"); /* 32 bytes each, as they are kept */
    CHECK_INT(call_post(&r, PUSH, TOKEN_A, buf_slice(&body), "OUT_OF_RANGE"), 413);
    CHECK_INT(endpoint_figures(r.endpoint)->requests[3], 1); /* the others did not come so far */
    CHECK_INT(endpoint_figures(r.endpoint)->bytes, 0);
    rig_end(&r);
}

TEST(a_service_account_exchanges_its_token_for_itself) {
    struct rig r;
    rig_begin(&r);
    CHECK_INT(
        call_post(&r, "/v1/token", NULL, SLICE("grant_type=x&subject_token=a.b.c&audience=y"),
                  "{\"access_token\":\"a.b.c\",\"issued_token_type\":"
                  "\"urn:ietf:params:oauth:token-type:access_token\",\"token_type\":\"Bearer\",\"expires_in\":600}"),
        200);
    CHECK_INT(call_post(&r, "/v1/token", NULL, SLICE("subject_token=last"), "\"access_token\":\"last\""), 200);
    static const char *const bad[] = {"", "subject_token=", "subject_token=a%2Eb", "my_subject_token=a", "&&"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_INT(call_post(&r, "/v1/token", NULL, slice_of(bad[i]), "invalid_request"), 400);
    rig_end(&r);
}

TEST(a_namespace_that_sends_too_much_waits_and_others_do_not) {
    enum { BURST = 200 };
    struct rig r;
    int refused = 0;
    rig_begin(&r);
    for (int i = 0; i < BURST + 100 && refused == 0; i++)
        refused += call_post(&r, "/v1/push", TOKEN_A, SLICE("x"), NULL) == 429;
    CHECK_INT(refused, 1);
    CHECK_INT(endpoint_figures(r.endpoint)->requests[4], 1);
    CHECK_INT(call_post(&r, "/v1/push?job=two", TOKEN_B, SLICE("x\n"), NULL), 200);
    steer_by(SECOND_US);
    CHECK_INT(call_post(&r, PUSH, TOKEN_A, SLICE("x\n"), NULL), 200);
    rig_end(&r);
}

/* ---- a volume that does not answer: a file of a job is a pipe without a reader ---- */

/* Takes all that is written to it, until all of these are done. */
static void drain(struct rig *r, const char *pipe, const struct call *calls, int count) {
    static char space[1 << 16];
    int fd = open(pipe, O_RDONLY | O_NONBLOCK), left = count;
    for (int i = 0; i < 20000 && left > 0; i++) {
        while (read(fd, space, sizeof space) > 0)
            continue;
        loop_for(r->loop, 1000);
        left = 0;
        for (int k = 0; k < count; k++)
            left += !calls[k].done;
    }
    CHECK_INT(left, 0);
    close(fd);
}

/* The store's thread has the pipe open, for both directions. */
static void await_writer(struct rig *r, const char *pipe) {
    int fd = -1;
    for (int i = 0; i < 20000 && fd < 0; i++) {
        loop_for(r->loop, 1000);
        fd = open(pipe, O_WRONLY | O_NONBLOCK);
    }
    CHECK(fd >= 0 && close(fd) == 0);
}

static struct slice lines_of(struct buf *space, size_t bytes) {
    buf_init(space, 2 * bytes);
    while (space->size_bytes < bytes)
        buf_append_text(space, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n");
    return buf_slice(space);
}

/* The volume's errors are not the writer's: it keeps its lines and comes again. */
TEST(what_the_volume_refuses_is_unavailable) {
    struct rig r;
    struct call c;
    CLEANUP_BUF struct buf space;
    rig_begin(&r);
    CLEANUP_FREE char *pipe = rig_pipe(&r, "a", "one");
    CHECK(pipe != NULL);
    call_start(&r, &c, PUSH, TOKEN_A, lines_of(&space, 4096));
    CHECK(loop_until(r.loop, &c.done)); /* it cannot be made durable: EINVAL */
    CHECK_INT(c.status, 503);
    CHECK(strstr(buf_text(&c.body), "the store cannot write to one") != NULL);
    call_done(&c);
    CHECK_INT(endpoint_figures(r.endpoint)->entries, 0);
    rig_end(&r);
}

/* 256 of nine namespaces, each of which may have 32 requests under way: their peers leave, the writes wait on. */
TEST(writes_that_wait_for_the_volume_are_bounded) {
    enum { NAMESPACES = 9, EACH = 33 };
    struct rig r;
    struct call first, calls[EACH], late;
    CLEANUP_BUF struct buf space;
    char token[64], name[32];
    rig_begin(&r);
    CLEANUP_FREE char *pipe = rig_pipe(&r, "a", "one");
    for (int i = 0; i < NAMESPACES; i++) {
        snprintf(name, sizeof name, "tokens/n%d.job", i);
        snprintf(token, sizeof token, "0123456789abcdef0123456789abcdef-%d\n", i);
        folder_write(r.root, name, token);
    }
    call_start(&r, &first, PUSH, TOKEN_A, lines_of(&space, 1 << 17)); /* more than a pipe holds */
    await_writer(&r, pipe);
    bool is_full = false;
    for (int i = 0; i < NAMESPACES && !is_full; i++) {
        snprintf(token, sizeof token, "0123456789abcdef0123456789abcdef-%d", i);
        for (int k = 0; k < EACH; k++)
            call_start(&r, &calls[k], "/v1/push?job=job", token, SLICE("x\n"));
        int refused = -1; /* the one too many, when the others are under way */
        for (int turn = 0; turn < 120000 && refused < 0; turn++) {
            loop_for(r.loop, 1000);
            for (int k = 0; k < EACH && refused < 0; k++)
                refused = calls[k].done ? k : -1;
        }
        REQUIRE(refused >= 0);
        is_full = calls[refused].status == 503;
        if (!is_full && calls[refused].status != 429)
            harness_fail(__FILE__, __LINE__, "%s: %d %s", token, calls[refused].status, buf_text(&calls[refused].body));
        for (int k = 0; k < EACH; k++) {
            if (!calls[k].done)
                http_cancel(calls[k].request);
            call_done(&calls[k]);
        }
        steer_by(125 * SECOND_US); /* the connections end, and leave their places */
        loop_for(r.loop, 5000);
    }
    CHECK(is_full);
    call_start(&r, &late, "/v1/push?job=two", TOKEN_B, SLICE("x\n"));
    CHECK(loop_until(r.loop, &late.done));
    CHECK_INT(late.status, 503);
    CHECK(strstr(buf_text(&late.body), "does not keep up") != NULL);
    do { /* until one of them is behind all that wait */
        call_done(&late);
        call_start(&r, &late, "/v1/push?job=two", TOKEN_B, SLICE("x\n"));
        drain(&r, pipe, &late, 1);
    } while (late.status == 503);
    CHECK_INT(late.status, 200);
    call_done(&first);
    call_done(&late);
    rig_end(&r);
}

/* Short lines take up to 17 times their size when their times are put before them: that counts, too. */
TEST(lines_that_wait_for_the_volume_are_in_the_share_of_their_namespace) {
    enum { CALLS = 8 };
    struct rig r;
    struct call first, calls[CALLS], other;
    CLEANUP_BUF struct buf space, body;
    int refused = 0;
    rig_begin(&r);
    CLEANUP_FREE char *pipe = rig_pipe(&r, "a", "one");
    call_start(&r, &first, PUSH, TOKEN_A, lines_of(&space, 1 << 17));
    await_writer(&r, pipe);
    buf_init(&body, 1 << 20);
    while (body.size_bytes < 1 << 19)
        buf_append_text(&body, "a\n"); /* half a MiB, kept as 8 */
    for (int i = 0; i < CALLS; i++)
        call_start(&r, &calls[i], PUSH, TOKEN_A, buf_slice(&body));
    for (int i = 0; i < 120000 && refused < CALLS - 2; i++) { /* two of them fit into 24 MiB */
        loop_for(r.loop, 1000);
        refused = 0;
        for (int k = 0; k < CALLS; k++)
            refused += calls[k].done && calls[k].status == 429;
    }
    CHECK_INT(refused, CALLS - 2);
    call_start(&r, &other, "/v2/entries:list", TOKEN_B,
               SLICE("{\"filter\":\"jsonPayload.job_name=\\\"two\\\"\"}")); /* another namespace is not concerned */
    CHECK(loop_until(r.loop, &other.done));
    CHECK_INT(other.status, 200);
    drain(&r, pipe, calls, CALLS);
    CHECK(first.done);
    for (int i = 0; i < CALLS; i++)
        call_done(&calls[i]);
    call_done(&first);
    call_done(&other);
    rig_end(&r);
}
