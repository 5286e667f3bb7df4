/* The short way over recorder step lines that begin alike gives what the long way gives, for any numbers: each line is
 * read once after a line that begins the same, once by a parser that saw nothing before. Lines in a row are read as
 * they are in a log that comes byte by byte. */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "random.h"
#include "record_names.h"
#include "steplog/repeats.h"
#include "steplog/steplog.h"

struct seen {
    struct record last;
    int count;
};

static void on_record(void *context, const struct record *r) {
    struct seen *seen = context;
    seen->last = *r;
    seen->count++;
}

static struct seen read_lines(const char *first, const char *second, struct steplog_counts *counts) {
    struct seen seen = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, NULL, on_record, &seen);
    if (first)
        steplog_line(s, slice_of(first), TIME_UNKNOWN);
    seen.count = 0;
    steplog_line(s, slice_of(second), 5000);
    *counts = steplog_counts_get(s);
    steplog_free(s);
    return seen;
}

static const char *const numbers[] = {"0",
                                      "1",
                                      "01",
                                      "00",
                                      "12.5",
                                      "1795223940.885915",
                                      "1795223940.8859155",
                                      "12.",
                                      ".5",
                                      "-1",
                                      "1e3",
                                      "1795223940",
                                      "9000000000.5",
                                      "99999999999",
                                      "1.0e1",
                                      "null",
                                      "\"7\"",
                                      "1.123456789",
                                      "1.1234567890",
                                      "1.1234567895",
                                      "999999999999999",
                                      "1e15",
                                      "1.5}",
                                      "1000000000000000",
                                      "18446744073709551617",
                                      "NaN",
                                      "",
                                      " 1",
                                      "1 ",
                                      "0.000499999"};
static const char *const ends[] = {"}", "}}", "} ", ", \"x\": 1}", "", "}\r", "} {"};

TEST(a_step_line_like_the_one_before) {
    const char *first = "{\"job_name\": \"a b\", \"step_count\": 3, \"step_start_time\": 99.5}";
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        for (size_t k = 0; k < ARRAY_SIZE(numbers); k++)
            for (size_t e = 0; e < ARRAY_SIZE(ends); e++) {
                struct steplog_counts a, b;
                CLEANUP_FREE char *line =
                    mem_format("{\"job_name\": \"a b\", \"step_count\": %s, \"step_start_time\": %s%s", numbers[i],
                               numbers[k], ends[e]);
                struct seen quick = read_lines(first, line, &a), slow = read_lines(NULL, line, &b);
                if (quick.count != slow.count || quick.last.kind != slow.last.kind ||
                    (slow.count > 0 && (quick.last.step != slow.last.step || quick.last.at_ms != slow.last.at_ms ||
                                        quick.last.received_ms != slow.last.received_ms)))
                    harness_fail(__FILE__, __LINE__, "%s: %d records, step %lld at %lld; else %d, %lld at %lld", line,
                                 quick.count, (long long)quick.last.step, (long long)quick.last.at_ms, slow.count,
                                 (long long)slow.last.step, (long long)slow.last.at_ms);
                CHECK_INT(a.malformed, b.malformed);
            }
}

static void write_record(void *context, const struct record *r) {
    buf_format(context, "%" PRId64 " %s %" PRId64 " %" PRId64 " %" PRId64 "\n", r->line, record_kind_name(r->kind),
               r->at_ms, r->received_ms, r->step);
}

static void write_steps(void *context, const struct step_starts *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        struct record r = {.kind = RECORD_STEP_START,
                           .line = steps->items[i].line,
                           .at_ms = steps->items[i].at_ms,
                           .received_ms = RECORD_NONE,
                           .step = steps->items[i].step};
        write_record(context, &r);
    }
}

/* Its records and what was counted, as text. */
static void read_in_pieces(struct slice log, size_t piece, struct buf *out) {
    struct repeats repeats = {0};
    struct steplog *s = steplog_new(STEPLOG_AUTO, "a b", write_record, out);
    repeats_begin(&repeats);
    steplog_leave_out_repeats(s, &repeats);
    if (piece > 1)
        steplog_join_steps(s, write_steps);
    while (log.size_bytes > 0) {
        size_t n = piece < log.size_bytes ? piece : log.size_bytes;
        steplog_feed(s, (struct slice){log.data, n}, false);
        log = slice_skip(log, n);
    }
    steplog_end(s);
    struct steplog_counts c = steplog_counts_get(s);
    buf_format(out,
               "%" PRId64 " lines, %" PRId64 " repeated, %" PRId64 " malformed, %" PRId64 " steps, %" PRId64
               " of other jobs, %" PRId64 " bytes\n",
               c.lines, c.repeated, c.malformed, c.steps, c.other_job, c.bytes);
    steplog_free(s);
    repeats_done(&repeats);
}

/* Each has the layout of the line before, or another one, or a byte that does not belong there. */
static void add_damaged_lines(struct buf *log) {
    static const char bytes[] = "0000000123456789.,}{ex \"-\n";
    uint64_t random = random_setting("GOODPUT_SEED", 17);
    for (int i = 0; i < 6000; i++) {
        size_t from = log->size_bytes;
        buf_format(log, "{\"job_name\": \"a b\", \"step_count\": %d, \"step_start_time\": 1795223940.%d}\n",
                   i / 2 % 120 + (int)random_below(&random, 2), i % 3 == 0 ? 123456 + i : 123456);
        size_t number = from + 35, size = log->size_bytes - number;
        if (random_below(&random, 3) == 0)
            log->data[number + (size_t)random_below(&random, (int64_t)size)] =
                bytes[random_below(&random, sizeof bytes - 1)];
    }
}

TEST(step_lines_in_a_row) {
    static const char *const between[] = {"", "no object",
                                          "{\"job_name\": \"other\", \"step_count\": 3, \"step_start_time\": 7.5}",
                                          "{\"job_name\": \"a b\", \"job_start_time\": 8.5}"};
    CLEANUP_BUF struct buf log, whole, bytewise;
    buf_init(&log, 1 << 20);
    buf_init(&whole, 1 << 22);
    buf_init(&bytewise, 1 << 22);
    for (size_t i = 0; i < 4 * ARRAY_SIZE(numbers); i++) {
        const char *step = numbers[i % ARRAY_SIZE(numbers)], *seconds = numbers[i * 7 % ARRAY_SIZE(numbers)];
        for (int k = 0; k < 3; k++) /* the second one is a repeat, the third one is not */
            buf_format(&log, "{\"job_name\": \"a b\", \"step_count\": %s, \"step_start_time\": %s}%s\n",
                       k < 2 ? step : "5", k < 2 ? seconds : "99.5", i % 5 == 4 ? "\r" : "");
        if (i % 3 == 0)
            buf_format(&log, "%s\n", between[i / 3 % ARRAY_SIZE(between)]);
    }
    add_damaged_lines(&log);
    read_in_pieces(buf_slice(&log), SIZE_MAX, &whole);
    read_in_pieces(buf_slice(&log), 1, &bytewise);
    CHECK_TEXT(buf_text(&whole), buf_text(&bytewise));
    CHECK(slice_contains(buf_slice(&whole), " repeated") && !slice_contains(buf_slice(&whole), " 0 repeated"));
}
