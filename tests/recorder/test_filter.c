/* Cloud Logging's query language, as far as the library and its client write it. */
#include "base/mem.h"
#include "harness.h"
#include "recorder/filter.h"

#include <string.h>

#define T(text) INT64_C(1795224030000000000) + (text)

static bool matches(const char *text) {
    static struct filter f;
    struct error *err CLEANUP_ERROR = NULL;
    const struct filter_entry e = {.at_ns = T(919351000), /* 2026-11-21T01:20:30.919351Z */
                                   .fields = {[FILTER_LOG_NAME] = SLICE("projects/p/logs/goodput_j"),
                                              [FILTER_SEVERITY] = SLICE("INFO"),
                                              [FILTER_INSERT_ID] = SLICE("b"),
                                              [FILTER_JOB_NAME] = SLICE("j \"1\"")}};
    if (filter_parse(&f, slice_of(text), &err) < 0)
        harness_fail(__FILE__, __LINE__, "%s: %s", text, error_text(err));
    return filter_matches(&f, &e);
}

TEST(what_the_library_asks) {
    CHECK(
        matches("logName=\"projects/p/logs/goodput_j\" AND severity=INFO AND jsonPayload.job_name=\"j \\\"1\\\"\" AND "
                "timestamp<=\"2026-11-21T01:20:32.943111+00:00\" AND timestamp>\"2026-11-14T01:20:32.943111+00:00\" "
                "AND logName=projects/p/logs/goodput_j"));
#define SINCE(at, id) "(timestamp > \"" at "\" OR (timestamp = \"" at "\" AND insertId > \"" id "\"))"
    CHECK(matches(SINCE("2026-11-21T01:20:30.919351Z", "a")));
    CHECK(!matches(SINCE("2026-11-21T01:20:30.919351Z", "b")));
    CHECK(matches(SINCE("2026-11-21T01:20:30.919350Z", "c")));
    CHECK(!matches(SINCE("2026-11-21T01:20:30.919352Z", "a")));
}

TEST(comparisons_and_their_order) {
    CHECK(matches(""));
    CHECK(matches("  \n"));
    CHECK(matches("severity=DEBUG OR severity=INFO AND insertId=b"));
    CHECK(!matches("(severity=DEBUG OR severity=INFO) AND insertId=c"));
    CHECK(matches("severity=INFO OR insertId=x AND insertId=y")); /* AND binds first */
    CHECK(matches("insertId>=b AND insertId<=b AND insertId!=c"));
    CHECK(!matches("insertId<b"));
    CHECK(!matches("timestamp>=\"2026-11-21T02:20:30.919352+01:00\""));
    CHECK(matches("timestamp>=\"2026-11-21T02:20:30.919351+01:00\""));
}

static void refuses(const char *text, const char *what) {
    static struct filter f;
    struct error *err CLEANUP_ERROR = NULL;
    CHECK_INT(filter_parse(&f, slice_of(text), &err) < 0, 1);
    if (strstr(error_text(err), what) == NULL)
        harness_fail(__FILE__, __LINE__, "%s: %s", text, error_text(err));
}

TEST(what_is_not_understood_is_refused) {
    char deep[200] = "", many[4096] = "severity=A";
    refuses("labels.x=y", "a field that is not read here");
    refuses("severity", "a comparison is missing");
    refuses("severity=", "a value is missing");
    refuses("severity=\"INFO", "a quote is open");
    refuses("(severity=INFO", "a parenthesis is open");
    refuses("severity=INFO)", "neither AND nor OR");
    refuses("severity=INFO insertId=b", "neither AND nor OR");
    refuses("severity=INFO AND", "a field that is not read here");
    refuses("timestamp>yesterday", "a time that is none");
    memset(deep, '(', 100);
    refuses(deep, "too many parentheses");
    for (int i = 0; i < 40; i++)
        strcat(many, " OR severity=A");
    refuses(many, "more comparisons");
    CLEANUP_FREE char *longest = mem_alloc(FILTER_BYTES + 1);
    memset(longest, ' ', FILTER_BYTES);
    refuses(longest, "longer than");
}

TEST(the_job_that_a_filter_names) {
    static struct filter f;
    const struct {
        const char *filter, *job;
    } cases[] = {{"jsonPayload.job_name=\"a\"", "a"},
                 {"severity=INFO AND (jsonPayload.job_name=a AND insertId=1)", "a"},
                 {"jsonPayload.job_name=a OR severity=INFO", ""},
                 {"jsonPayload.job_name!=a", ""},
                 {"", ""}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CHECK_INT(filter_parse(&f, slice_of(cases[i].filter), NULL), 0);
        CLEANUP_FREE char *job = slice_dup(filter_job(&f));
        CHECK_TEXT(job, cases[i].job);
    }
}
