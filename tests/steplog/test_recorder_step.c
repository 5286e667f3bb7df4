/* The short way over recorder step lines that begin alike gives what the long way gives, for any numbers: each line is
 * read once after a line that begins the same, once by a parser that saw nothing before. */
#include "harness.h"

#include "base/mem.h"
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

TEST(a_step_line_like_the_one_before) {
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
