#include "harness.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/jscan.h"
#include "base/jsonlog.h"
#include "base/jwrite.h"
#include "base/map.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

TEST(a_buffer_keeps_its_maximum) {
    for (size_t n = 9; n <= 11; n++) {
        CLEANUP_BUF struct buf b;
        buf_init(&b, 10);
        CHECK_INT(buf_append(&b, "0123456789A", n), n <= 10 ? 0 : -EMSGSIZE);
        CHECK_INT(b.size_bytes, n <= 10 ? n : 0);
        CHECK(b.truncated == (n > 10));
    }
    CLEANUP_BUF struct buf b;
    buf_init(&b, 10);
    CHECK_TEXT(buf_text(&b), "");
    CHECK_INT(buf_format(&b, "%d-%s", 12, "ab"), 0);
    CHECK_INT(buf_format(&b, "%s", "too long now"), -EMSGSIZE);
    CHECK_TEXT(buf_text(&b), "12-ab");
    buf_consume(&b, 3);
    CHECK_TEXT(buf_text(&b), "ab");
    buf_consume(&b, 100);
    CHECK_INT(b.size_bytes, 0);
    CHECK_INT(buf_append_char(&b, 'x'), 0);
    CLEANUP_FREE char *taken = buf_take(&b);
    CHECK_TEXT(taken, "x");
    CHECK_TEXT(buf_text(&b), "");
}

TEST(long_formats_grow_the_buffer) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 10000);
    CHECK_INT(buf_format(&b, "%5000d", 7), 0);
    CHECK_INT(b.size_bytes, 5000);
    CHECK_INT(buf_format(&b, "%5000d", 7), 0);
    CHECK_INT(buf_format(&b, "x"), -EMSGSIZE);
}

TEST(errors_read_from_the_outside_in) {
    CLEANUP_ERROR struct error *err = NULL;
    CHECK_TEXT(error_text(err), "no error");
    CHECK_INT(error_set(&err, EINVAL, "mapping expected at %d", 3), -EINVAL);
    CHECK_INT(error_wrap(&err, EIO, "kubeconfig %s", "/a"), -EIO);
    CHECK_TEXT(error_text(err), "kubeconfig /a: mapping expected at 3");
    CHECK_INT(err->code, EIO);
    CHECK_INT(error_set(NULL, ENOENT, "x"), -ENOENT);
    CHECK_INT(error_wrap(NULL, ENOENT, "x"), -ENOENT);
}

static struct slice key_of(char out[16], int i) {
    snprintf(out, 16, "key-%d", i);
    return slice_of(out);
}

TEST(a_map_agrees_with_an_array) {
    enum { KEYS = 300 };
    void *expected[KEYS] = {0};
    size_t count = 0;
    struct map m;
    map_init(&m, free);
    uint64_t seed = 42;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int k = (int)((seed >> 33) % KEYS);
        char text[16];
        struct slice key = key_of(text, k);
        if ((seed >> 20 & 3) == 0) {
            CHECK(map_remove(&m, key) == (expected[k] != NULL));
            count -= expected[k] != NULL;
            expected[k] = NULL;
        } else {
            count += expected[k] == NULL;
            expected[k] = mem_alloc(4);
            map_put(&m, key, expected[k]);
        }
    }
    CHECK_INT(m.count, count);
    for (int k = 0; k < KEYS; k++) {
        char text[16];
        CHECK(map_get(&m, key_of(text, k)) == expected[k]);
    }
    map_done(&m);
    CHECK(map_get(&m, SLICE("x")) == NULL);
}

TEST(json_is_written_with_its_commas_and_escapes) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1000);
    struct jwrite w;
    jwrite_init(&w, &b);
    jwrite_object(&w);
    jwrite_member_text(&w, "a\"", "x\\\n\x01\x7F\xC3\xA9\xFF\xC0\x80\xED\xA0\x80z");
    jwrite_member_int(&w, "n", INT64_MIN);
    jwrite_key(&w, "list");
    jwrite_array(&w);
    jwrite_bool(&w, true);
    jwrite_null(&w);
    jwrite_object(&w);
    jwrite_object_end(&w);
    jwrite_raw(&w, SLICE("[0]"));
    jwrite_int(&w, 0);
    jwrite_array_end(&w);
    jwrite_member_bool(&w, "b", false);
    jwrite_object_end(&w);
    CHECK_TEXT(buf_text(&b),
               "{\"a\\\"\":\"x\\\\\\n\\u0001\\u007f\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
               "\xEF\xBF\xBD\xEF\xBF\xBDz\",\"n\":-9223372036854775808,\"list\":[true,null,{},[0],0],"
               "\"b\":false}");
    struct jscan j;
    jscan_init(&j, buf_slice(&b));
    jscan_skip(&j);
    CHECK(jscan_at_end(&j));
}

/* What jsonlog writes to a pipe in stderr's place. */
static void read_log(char *out, size_t out_size, const char *text) {
    int pipes[2], saved = dup(STDERR_FILENO);
    if (pipe(pipes) != 0)
        return;
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    dup2(pipes[1], STDERR_FILENO);
    jsonlog(JSONLOG_INFO, "watch started", "resource", LOG_S(text), "items", LOG_I(12), "again", LOG_B(1), NULL);
    jsonlog(JSONLOG_DEBUG, "not shown", NULL);
    dup2(saved, STDERR_FILENO);
    ssize_t n = read(pipes[0], out, out_size - 1);
    out[n > 0 ? n : 0] = '\0';
    close(saved);
    close(pipes[0]);
    close(pipes[1]);
}

TEST(log_lines_are_json) {
    char line[8192], expected[] =
                         "\",\"level\":\"info\",\"msg\":\"watch started\",\"resource\":\"po\\nds\",\"items\":12,"
                         "\"again\":true}\n";
    jsonlog_init(JSONLOG_INFO);
    read_log(line, sizeof line, "po\nds");
    size_t stamp = strlen("{\"ts\":\"2026-11-21T02:16:52.123Z");
    REQUIRE(strlen(line) > stamp);
    CHECK_TEXT(line + stamp, expected);
    char huge[8000];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    read_log(line, sizeof line, huge);
    CHECK(strstr(line, "\"msg\":\"watch started\",\"fieldsTooLong\":true}\n") != NULL);
}

TEST(a_full_pipe_drops_the_line_and_does_not_block) {
    int pipes[2], saved = dup(STDERR_FILENO);
    REQUIRE(pipe(pipes) == 0);
    fcntl(pipes[1], F_SETFL, O_NONBLOCK);
    char block[4096] = {0};
    while (write(pipes[1], block, sizeof block) > 0)
        ;
    fcntl(pipes[1], F_SETFL, 0);
    dup2(pipes[1], STDERR_FILENO);
    alarm(20); /* a write that blocks ends the program here */
    jsonlog(JSONLOG_ERROR, "dropped", NULL);
    alarm(0);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(pipes[0]);
    close(pipes[1]);
}
