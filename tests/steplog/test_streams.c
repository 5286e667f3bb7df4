/* Bytes as they come: pieces, limits, stamps, damage. */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "record_names.h"
#include "steplog/steplog.h"

#include <locale.h>

/* Every record as text, in order. */
static void on_record(void *context, const struct record *r) {
    buf_format(context, "%" PRId64 " %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %s\n", r->line,
               record_kind_name(r->kind), r->at_ms, r->received_ms, r->step, r->duration_ms, r->tflops_milli,
               r->is_async, r->name);
}

static struct steplog_counts read_in_pieces(struct slice bytes, size_t piece, bool stamped, struct buf *out) {
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, out);
    while (bytes.size_bytes != 0) {
        size_t n = piece < bytes.size_bytes ? piece : bytes.size_bytes;
        steplog_feed(s, (struct slice){bytes.data, n}, stamped);
        bytes = slice_skip(bytes, n);
    }
    steplog_end(s);
    struct steplog_counts counts = steplog_counts_get(s);
    steplog_free(s);
    return counts;
}

static void check_pieces(const char *path, bool stamped) {
    size_t size;
    CLEANUP_FREE char *data = harness_read_file(path, &size);
    REQUIRE(data != NULL);
    CLEANUP_BUF struct buf whole, pieces;
    buf_init(&whole, 1 << 24);
    buf_init(&pieces, 1 << 24);
    struct slice bytes = {data, size};
    struct steplog_counts expected = read_in_pieces(bytes, size, stamped, &whole);
    CHECK(expected.records > 0);
    static const size_t sizes[] = {1, 7, 4096};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        buf_clear(&pieces);
        struct steplog_counts counts = read_in_pieces(bytes, sizes[i], stamped, &pieces);
        CHECK(strcmp(buf_text(&pieces), buf_text(&whole)) == 0);
        CHECK_INT(counts.lines, expected.lines);
        CHECK_INT(counts.bytes, expected.bytes);
        CHECK_INT(counts.records, expected.records);
        CHECK_INT(counts.last_stamp_ms, expected.last_stamp_ms);
    }
}

TEST(pieces_of_any_size_give_the_same_records) {
    check_pieces("tests/data/trainer-logs/jax-orbax-goodput/restarts-file/attempt-2.log", true);
    check_pieces("tests/data/trainer-logs/jax-orbax-goodput/restarts-file/entries.jsonl", false);
    check_pieces("tests/data/trainer-logs/maxtext/restarts/attempt-3.log", true);
    check_pieces("tests/data/trainer-logs/hf-trainer/restarts/attempt-2.log", true);
    check_pieces("tests/data/trainer-logs/lightning/restarts-tqdm/attempt-1.log", true);
    check_pieces("tests/data/trainer-logs/torchtitan/restarts/attempt-2.log", true);
}

TEST(the_locale_changes_nothing) {
    CLEANUP_BUF struct buf plain, german;
    buf_init(&plain, 1 << 20);
    buf_init(&german, 1 << 20);
    struct slice bytes = SLICE("completed step: 9, seconds: 5.667, TFLOP/s/device: 134.924, loss: 10.374\n"
                               "{\"step_count\": 1, \"step_start_time\": 1795227102.884774}\n");
    read_in_pieces(bytes, 1000, false, &plain);
    const char *set = setlocale(LC_ALL, "de_DE.UTF-8");
    read_in_pieces(bytes, 1000, false, &german);
    if (set != NULL)
        setlocale(LC_ALL, "C");
    CHECK_TEXT(buf_text(&german), buf_text(&plain));
    CHECK(strstr(buf_text(&plain), " 5667 134924 ") != NULL);
}

TEST(stamps_are_taken_off) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 16);
    struct steplog_counts c = read_in_pieces(SLICE("2026-11-21T02:16:52.123456789Z completed step: 1, seconds: 1.0, x\n"
                                                   "2026-11-21T08:01:53.5+05:45 completed step: 2, seconds: 1.0, x\r\n"
                                                   "completed step: 3, seconds: 1.0, a continued part without a stamp\n"
                                                   "2026-11-21T02:16:54Z\n"
                                                   "2026-11-21T02:16:59.9Z the process lives"),
                                             1000, true, &out);
    CHECK_TEXT(buf_text(&out), "1 STEP_END 1795227412123 1795227412123 1 1000 -9223372036854775808 0 \n"
                               "2 STEP_END 1795227413500 1795227413500 2 1000 -9223372036854775808 0 \n"
                               "3 STEP_END 1795227413500 1795227413500 3 1000 -9223372036854775808 0 \n"
                               "5 SIGN_OF_LIFE 1795227419900 1795227419900 -9223372036854775808 -9223372036854775808 "
                               "-9223372036854775808 0 \n");
    CHECK_INT(c.lines, 5);
    CHECK_INT(c.steps, 3);
    CHECK_INT(c.last_stamp_ms, 1795227419900);
    CHECK_INT(c.recognized, STEPLOG_MAXTEXT);
}

/* A line split by the runtime is one line again, also where the other stream's come in between. */
static const char cri[] = "2026-11-21T02:16:52.1Z stdout P completed step: 1, sec\n"
                          "2026-11-21T02:16:52.2Z stderr F completed step: 7, seconds: 1.5, x\n"
                          "2026-11-21T02:16:52.3Z stdout P:TAG onds: 2.\n"
                          "2026-11-21T02:16:52.4Z stdout F 5, x\n"
                          "2026-11-21T02:16:52.5Z stdout F\n"
                          "2026-11-21T02:16:53.5Z stdout X completed step: 3, seconds: 1, x\n"
                          "2026-11-21T02:16:54.5Z stdout P completed step: 9, seconds: 1, x";
static const char json_file[] =
    "{\"log\":\"completed step: 1, sec\",\"stream\":\"stdout\",\"time\":\"2026-11-21T02:16:52.1Z\"}\n"
    "{\"log\":\"completed step: 7, seconds: 1.5, x\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-21T02:16:52.2Z\"}\n"
    "{\"log\":\"onds: 2.5, "
    "\\u003cx\\n\",\"stream\":\"stdout\",\"attrs\":{\"a\":\"b\"},\"time\":\"2026-11-21T02:16:52.4Z\"}\n"
    "{\"log\":\"completed step: 3, seconds: 1, x\\n\",\"stream\":\"stdout\"}\n"
    "{\"log\":\"completed step: 9, seconds: 1, x\",\"stream\":\"stdout\",\"time\":\"2026-11-21T02:16:54.5Z\"}";

static void check_transport(const char *text, size_t size, bool stamped) {
    static const size_t pieces[] = {1, 1 << 20};
    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
        CLEANUP_BUF struct buf out;
        buf_init(&out, 1 << 16);
        struct steplog_counts c = read_in_pieces((struct slice){text, size}, pieces[i], stamped, &out);
        CHECK_INT(c.steps, 4); /* step 3's is not a runtime's line, and read as it stands */
        const char *first = strstr(buf_text(&out), "STEP_END 1795227412200 1795227412200 7 1500 ");
        const char *second = strstr(buf_text(&out), "STEP_END 1795227412400 1795227412400 1 2500 ");
        CHECK(first != NULL && second != NULL && first < second);
        CHECK(strstr(buf_text(&out), "STEP_END 1795227414500 1795227414500 9 1000 ") != NULL);
    }
}

TEST(container_runtimes_files_are_read) {
    check_transport(json_file, sizeof json_file - 1, false);
    check_transport(json_file, sizeof json_file - 1, true);
    check_transport(cri, sizeof cri - 1, false);
}

TEST(parts_beyond_the_limit_are_dropped) {
    CLEANUP_BUF struct buf in, out;
    buf_init(&in, 1 << 20);
    buf_init(&out, 1 << 16);
    for (int i = 0; i < 5; i++) {
        buf_append_text(&in, "2026-11-21T02:16:52.1Z stdout P completed step: 9, seconds: 1, ");
        for (int k = 0; k < 16384; k++)
            buf_append_char(&in, 'x');
        buf_append_char(&in, '\n');
    }
    buf_append_text(&in,
                    "2026-11-21T02:16:52.1Z stdout F end\n2026-11-21T02:16:52.1Z stdout F completed step: 10, x\n");
    struct steplog_counts c = read_in_pieces(buf_slice(&in), 1000, false, &out);
    CHECK_INT(c.too_long, 1);
    CHECK_INT(c.lines, 2);
    CHECK_INT(c.steps, 2);
}

TEST(keepalive_records_are_rare) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 20);
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &out);
    for (int64_t ms = 0; ms < 10000; ms++)
        steplog_line(s, SLICE("tokens"), 1795227412000 + ms);
    CHECK_INT(steplog_counts_get(s).records, 10);
    for (int i = 0; i < 1000; i++)
        steplog_line(s, SLICE("tokens"), TIME_UNKNOWN);
    CHECK_INT(steplog_counts_get(s).records, 10);
    steplog_free(s);
}

/* A line of exactly n bytes whose step is at its front; its end shows by a second "step" what was still read. */
static struct steplog_counts read_long_line(size_t n, size_t piece, struct buf *out) {
    static const char head[] = "completed step: 9, seconds: 1, ", tail[] = ", TFLOP/s/device: 7";
    CLEANUP_FREE char *line = mem_alloc(n + 1);
    memset(line, 'x', n);
    memcpy(line, head, sizeof head - 1);
    memcpy(line + n - (sizeof tail - 1), tail, sizeof tail - 1);
    line[n] = '\n';
    buf_clear(out);
    return read_in_pieces((struct slice){line, n + 1}, piece, false, out);
}

TEST(the_head_of_a_line_that_is_too_long_is_read) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 16);
    static const size_t pieces[] = {1 << 20, 1000, 1};
    for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
        for (size_t n = STEPLOG_MAX_LINE_BYTES - 1; n <= STEPLOG_MAX_LINE_BYTES + 1; n++) {
            struct steplog_counts c = read_long_line(n, pieces[i], &out);
            bool fits = n <= STEPLOG_MAX_LINE_BYTES;
            CHECK_INT(c.too_long, fits ? 0 : 1);
            CHECK_INT(c.lines, 1);
            CHECK_INT(c.steps, 1);
            /* The flops' last digit is the line's last byte: cut off, the number is not there. */
            CHECK((strstr(buf_text(&out), " 9 1000 7000 ") != NULL) == fits);
        }
}

TEST(a_last_line_without_its_end_counts) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 16);
    struct steplog_counts c = read_in_pieces(SLICE("x\ncompleted step: 9, seconds: 1, loss"), 5, false, &out);
    CHECK_INT(c.steps, 1);
    CHECK_INT(c.lines, 2);
    c = read_in_pieces(SLICE(""), 5, true, &out);
    CHECK_INT(c.lines, 0);
}

TEST(other_jobs_and_malformed_lines_are_counted) {
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 16);
    struct steplog *s = steplog_new(STEPLOG_RECORDER, "jobA", on_record, &out);
    steplog_feed(s,
                 SLICE("{\"job_name\": \"jobB\", \"job_start_time\": 1.5}\n"
                       "{\"job_name\": \"jobA\", \"job_start_time\": \"x\"}\n"
                       "{\"job_name\": \"jobA\", \"job_start\n"
                       "{\"job_name\": \"jobA\", \"job_start_time\": 1.5}\n"),
                 false);
    struct steplog_counts c = steplog_counts_get(s);
    CHECK_INT(c.other_job, 1);
    CHECK_INT(c.malformed, 2);
    CHECK_INT(c.records, 1);
    CHECK_INT(c.recognized, STEPLOG_AUTO); /* no step yet */
    steplog_free(s);
}

TEST(formats_have_names_and_a_parser) {
    CHECK_INT(steplog_format_of_name(SLICE("MaxText")), STEPLOG_MAXTEXT);
    CHECK_INT(steplog_format_of_name(SLICE("maxtext")), -1);
    CHECK_TEXT(steplog_format_name(STEPLOG_HUGGINGFACE), "HuggingFace");
    for (int f = 0; f < STEPLOG_FORMAT_COUNT; f++) {
        CHECK_INT(steplog_format_of_name(slice_of(steplog_format_name((enum steplog_format)f))), f);
        struct steplog *s = steplog_new((enum steplog_format)f, NULL, on_record, NULL);
        CHECK((s != NULL) == (f != STEPLOG_REGEX)); /* it needs its patterns */
        steplog_free(s);
    }
    steplog_free(NULL);
}

static const char *const damaged[] = {
    "2026-11-21T02:17:36.5Z completed step: 11, seconds: 0.054, live slice count: 4, TFLOP/s/device: 0.304, loss: 7.9",
    "2026-11-21T02:17:36.5Z [process=0] [async] Finished save (blocking + background) in 0.65 seconds @ /ck/20",
    ("2026-11-21T02:17:36.5Z \x1b[1m{'step': 10, 'event_type': 'save', 'x': None, "
     "'checkpoint_manager_blocking_start_time': "
     "1795227453.7, 'checkpoint_manager_blocking_duration_secs': 0.25}\x1b[0m"),
    ("2026-11-21T02:17:36.5Z {\"jsonPayload\": {\"job_name\": \"j\", \"step_count\": 1, \"step_start_time\": "
     "1795223940.5}}"),
    "2026-11-21T02:17:36.5Z {\"message\": \"Finished XLA compilation of jit(\\u00e9) in 45.15 sec\"}",
};

/* What is cut off or flipped may give other records or none; it never breaks anything, and what is there is bounded. */
static void check_bounds(void *context, const struct record *r) {
    (void)context;
    CHECK((unsigned)r->kind < RECORD_KIND_COUNT);
    CHECK(r->step == RECORD_NONE || (r->step >= 0 && r->step <= INT64_C(1000000000000000)));
    CHECK(r->duration_ms == RECORD_NONE || (r->duration_ms >= 0 && r->duration_ms < INT64_C(40000000000)));
    CHECK(memchr(r->name, '\0', sizeof r->name) != NULL);
}

static void read_exactly(const char *data, size_t n) {
    char *exact = mem_alloc(n != 0 ? n : 1); /* of the exact size, so that a read beyond is seen */
    memcpy(exact, data, n);
    struct steplog *s = steplog_new(STEPLOG_AUTO, "j", check_bounds, NULL);
    steplog_feed(s, (struct slice){exact, n}, true);
    steplog_end(s);
    free(exact);
    steplog_free(s);
}

TEST(truncations_and_flips_do_no_harm) {
    for (size_t i = 0; i < ARRAY_SIZE(damaged); i++) {
        size_t size = strlen(damaged[i]);
        CLEANUP_FREE char *copy = mem_strdup(damaged[i]);
        for (size_t n = 0; n <= size; n++)
            read_exactly(copy, n);
        for (size_t n = 0; n < size; n++)
            for (int bit = 0; bit < 8; bit++) {
                copy[n] = (char)(copy[n] ^ 1 << bit);
                read_exactly(copy, size);
                copy[n] = (char)(copy[n] ^ 1 << bit);
            }
    }
}
