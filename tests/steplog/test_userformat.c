/* StepLogFormat: a user's own patterns with fields and units, checked by their examples. */
#include "harness.h"

#include "base/buf.h"
#include "base/mem.h"
#include "record_names.h"
#include "steplog/patterns.h"

#include <string.h>

#define STEP_HEAD "{\"patterns\":[{\"name\":\"iteration\",\"kind\":\"Step\",\"pattern\":"
#define STEP_PATTERN "\"^iter (?<n>\\\\d+) took (?<t>[\\\\d.]+)us at (?<at>\\\\S+) (?<f>[\\\\d.]+) GF\""
#define FIELDS                                                                                                         \
    "[{\"group\":\"n\",\"meaning\":\"Step\"},{\"group\":\"t\",\"meaning\":\"Duration\",\"unit\":\"us\"},"              \
    "{\"group\":\"at\",\"meaning\":\"Time\",\"unit\":\"unixSeconds\"},"                                                \
    "{\"group\":\"f\",\"meaning\":\"Throughput\",\"unit\":\"GFLOP/s\"}]"
#define LINE "iter 12 took 1500000us at 1795230000.25 401500 GF"
#define GIVES                                                                                                          \
    "{\"step\":12,\"milliseconds\":\"1500\",\"tflopsPerDevice\":\"401.5\",\"time\":\"2026-11-21T03:00:00.250Z\"}"
#define SAVED                                                                                                          \
    ",{\"name\":\"saved\",\"kind\":\"CheckpointSaved\",\"pattern\":\"^iter (?<step>\\\\d+) saved\",\"examples\":["     \
    "{\"line\":\"iter 7 saved\",\"gives\":{\"step\":7}}]}"
#define WITH(line, gives)                                                                                              \
    STEP_HEAD STEP_PATTERN ",\"fields\":" FIELDS ",\"examples\":[{\"line\":\"" line "\",\"gives\":" gives "}]}" SAVED  \
                           "]}"

/* What is wrong with it; "" if nothing is. */
static const char *trouble(const char *spec, char out[static 256]) {
    CLEANUP_ERROR struct error *err = NULL;
    struct userformat *f = userformat_parse(slice_of(spec), &err);
    out[0] = '\0';
    if (f == NULL || userformat_check(f, &err) < 0)
        snprintf(out, 256, "%s", error_text(err));
    userformat_free(f);
    return out;
}

TEST(examples_that_give_what_they_must) {
    char text[256];
    CHECK_TEXT(trouble(WITH(LINE, GIVES), text), "");
    CHECK_TEXT(trouble(WITH(LINE, "{}"), text), "");
}

TEST(an_example_that_fails_is_named_with_the_reason) {
    char text[256];
    CHECK_TEXT(trouble(WITH(LINE, "{\"step\":13}"), text), "pattern \"iteration\", example 1: step is 12, expected 13");
    CHECK_TEXT(trouble(WITH(LINE, "{\"milliseconds\":1}"), text),
               "pattern \"iteration\", example 1: milliseconds is 1500, expected 1");
    CHECK_TEXT(trouble(WITH(LINE, "{\"tflopsPerDevice\":401.4}"), text),
               "pattern \"iteration\", example 1: tflopsPerDevice (thousandths) is 401500, expected 401400");
    CHECK_TEXT(trouble(WITH(LINE, "{\"time\":\"2026-11-21T03:00:00Z\"}"), text),
               "pattern \"iteration\", example 1: time (ms since 1970) is 1795230000250, expected 1795230000000");
    CHECK_TEXT(trouble(WITH("something else", "{}"), text),
               "pattern \"iteration\", example 1: no pattern matches the line");
    CHECK_TEXT(trouble(WITH("iter 7 saved", "{}"), text),
               "pattern \"iteration\", example 1: pattern \"saved\", which comes first, has the line");
    CHECK_TEXT(trouble(WITH("iter 99999999999999999999 took 1us at 1 1 GF", "{}"), text),
               "pattern \"iteration\", example 1: the step cannot be read, or it takes too long");
}

TEST(a_wrong_format_is_refused_with_a_sentence) {
    static const struct {
        const char *spec, *trouble;
    } cases[] = {
        {"{}", "no pattern is of kind Step or StepStart"},
        {"[]", "there is no spec"},
        {"", "there is no spec"},
        {STEP_HEAD "\"^x (?<step>\"}]}",
         "pattern iteration is not a valid pattern: at byte 11: missing closing parenthesis"},
        {STEP_HEAD "\"^x\"}]}", "pattern iteration has no group named step, for example 'step=(?<step>[0-9]+)'"},
        {STEP_HEAD "\"^(?<step>.)\",\"fields\":[{\"group\":\"s\",\"meaning\":\"Step\"}]}]}",
         "pattern iteration has no group named s"},
        {STEP_HEAD "\"^(?<s>.)\",\"fields\":[{\"group\":\"s\",\"meaning\":\"Duration\",\"unit\":\"GFLOP/s\"}]}]}",
         "pattern \"iteration\": group \"s\" cannot be a \"Duration\" in \"GFLOP/s\""},
        {"{\"patterns\":[{\"kind\":\"Stop\",\"pattern\":\"x\"}]}", "pattern \"1\": there is no kind \"Stop\""},
        {"{\"patterns\":[{\"kind\":\"Step\"}]}", "pattern \"1\" needs a kind and a pattern of 1 to 1024 bytes"},
        {STEP_HEAD "\"^(?<step>.)\",\"examples\":[{\"gives\":{}}]}]}",
         "pattern \"iteration\", example 1 needs a line of at most 2048 bytes, and gives numbers (step, milliseconds, "
         "tflopsPerDevice) and an RFC 3339 time"},
    };
    char text[256];
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        CHECK_TEXT(trouble(cases[i].spec, text), cases[i].trouble);
}

static void on_record(void *context, const struct record *r) {
    if (r->kind == RECORD_SIGN_OF_LIFE)
        return;
    buf_format(context, "%s %" PRId64, record_kind_name(r->kind), r->step);
    if (r->duration_ms != RECORD_NONE)
        buf_format(context, " took %" PRId64, r->duration_ms);
    if (r->tflops_milli != RECORD_NONE)
        buf_format(context, " flops %" PRId64, r->tflops_milli);
    buf_format(context, " at %" PRId64 "\n", r->at_ms);
}

/* A change of the format applies to lines that are read later. */
TEST(lines_are_read_by_it_and_by_what_it_becomes) {
    CLEANUP_BUF struct buf out;
    CLEANUP_ERROR struct error *err = NULL, *bad = NULL;
    buf_init(&out, 4096);
    struct userformat *f = userformat_parse(SLICE(WITH(LINE, GIVES)), &err);
    struct userformat *other =
        userformat_parse(SLICE("{\"patterns\":[{\"kind\":\"Step\",\"pattern\":\"^s(?<step>\\\\d+)\"}]}"), &err);
    struct userformat *broken = userformat_parse(SLICE("{\"patterns\":[{\"kind\":\"Step\",\"pattern\":\"(\"}]}"), &err);
    REQUIRE(f != NULL && other != NULL && broken != NULL);
    struct steplog *s = steplog_new_user(f, on_record, &out, &err);
    REQUIRE(s != NULL);
    steplog_line(s, slice_of(LINE), 1795230001000);
    steplog_line(s, SLICE("s13"), 1795230002000);
    steplog_line(s, SLICE("iter 12 saved"), 1795230003000);
    CHECK(steplog_change_user(s, broken, &bad) < 0 && bad != NULL);
    CHECK_INT(steplog_change_user(s, other, &err), 0);
    steplog_line(s, SLICE("iter 14 took 1us at 1 1 GF"), 1795230004000);
    steplog_line(s, SLICE("s15"), 1795230005000);
    CHECK_TEXT(buf_text(&out), "STEP_END 12 took 1500 flops 401500 at 1795230000250\nSAVE_DURABLE 12 at 1795230003000\n"
                               "STEP_END 15 at 1795230005000\n");
    steplog_free(s);
    userformat_free(f);
    userformat_free(other);
    userformat_free(broken);
}
