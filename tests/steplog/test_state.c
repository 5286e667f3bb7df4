/* A parser that resumes from what another remembered gives the records that the other would have given. */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "record_names.h"
#include "steplog/formats.h"
#include "steplog/steplog.h"
#include "steplog/steplog_state.h"

#include <glob.h>

static void on_record(void *context, const struct record *r) {
    buf_format(context, "%" PRId64 " %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %s\n", r->line,
               record_kind_name(r->kind), r->at_ms, r->received_ms, r->step, r->duration_ms, r->tflops_milli,
               r->is_async, r->name);
}

static void read_line(struct steplog *s, struct slice line) {
    int64_t stamp_ns = INT64_MIN;
    if (rfc3339_take(&line, &stamp_ns, NULL))
        slice_take_char(&line, ' ');
    steplog_line(s, line, stamp_ns == INT64_MIN ? TIME_UNKNOWN : stamp_ns / 1000000);
}

static struct steplog *new_parser(struct buf *out) {
    return steplog_new(STEPLOG_AUTO, NULL, on_record, out);
}

static struct steplog *handed_on(struct steplog *s, struct buf *out) {
    CLEANUP_BUF struct buf state;
    buf_init(&state, 1 << 16);
    struct codec c = codec_writing(&state);
    steplog_visit(s, &c);
    CHECK(!c.failed);
    steplog_free(s);
    s = new_parser(out);
    c = codec_reading(buf_slice(&state));
    steplog_visit(s, &c);
    CHECK(codec_is_done(&c));
    return s;
}

/* Hands on after every `every` lines, the first time after `first`; 0: never. */
static void read_log(struct slice bytes, int every, int first, struct buf *out) {
    struct steplog *s = new_parser(out);
    struct slice line;
    for (int n = 1; slice_take_line(&bytes, &line); n++) {
        read_line(s, line);
        if (every > 0 && n >= first && (n - first) % every == 0)
            s = handed_on(s, out);
    }
    steplog_end(s);
    steplog_free(s);
}

static void check_log(const char *path) {
    size_t size;
    CLEANUP_FREE char *data = harness_read_file(path, &size);
    REQUIRE(data != NULL);
    CLEANUP_BUF struct buf whole, parts;
    buf_init(&whole, 1 << 24);
    buf_init(&parts, 1 << 24);
    read_log((struct slice){data, size}, 0, 0, &whole);
    CHECK(whole.size_bytes > 0);
    static const int every[] = {1, 3, 50};
    for (size_t i = 0; i < ARRAY_SIZE(every); i++) {
        buf_clear(&parts);
        read_log((struct slice){data, size}, every[i], (int)i + 1, &parts);
        if (strcmp(buf_text(&parts), buf_text(&whole)) != 0)
            harness_fail(__FILE__, __LINE__, "%s handed on every %d lines gives other records", path, every[i]);
    }
}

TEST(a_parser_continues_where_another_stopped) {
    glob_t logs;
    REQUIRE(glob("tests/data/trainer-logs/*/*/attempt-*.log", 0, NULL, &logs) == 0);
    CHECK(logs.gl_pathc >= 16);
    for (size_t i = 0; i < logs.gl_pathc; i++)
        check_log(logs.gl_pathv[i]);
    globfree(&logs);
}

/* A checkpoint holds the state of each format that has one, in the order of the table. Where that changes, raise
 * VERSION in controller/operator/model/checkpoint.c and write the kept checkpoint again
 * (tests/operator/test_checkpoint.c), or an older checkpoint is read as another format's. Then change this list. */
TEST(formats_with_a_state_have_the_order_of_this_version) {
    static const enum steplog_format expected[] = {STEPLOG_MEGATRON,  STEPLOG_NEMO,  STEPLOG_AUTO,
                                                   STEPLOG_LIGHTNING, STEPLOG_KERAS, STEPLOG_HUGGINGFACE,
                                                   STEPLOG_GENERIC};
    size_t count = 0;
    for (size_t i = 0; steplog_formats[i] != NULL; i++) {
        if (steplog_formats[i]->state_visit == NULL)
            continue;
        REQUIRE(count < ARRAY_SIZE(expected));
        CHECK_TEXT(steplog_format_name(steplog_formats[i]->id), steplog_format_name(expected[count]));
        count++;
    }
    CHECK_INT(count, ARRAY_SIZE(expected));
}
