/* What is taken for a log collector's envelope, and what is not. The shapes: envelope.h names their tools. */
#include "harness.h"

#include "base/mem.h"
#include "steplog/steplog.h"
#include "steplog/transport.h"

#define AT_MS INT64_C(1795223940123)
#define AT "2026-11-21T01:19:00.123456789Z"
#define AT_S "1795223940.123456789"

static const struct {
    const char *line, *text; /* NULL: it is a program's own line */
    int stream;
    bool is_partial;
} lines[] = {
    {"{\"log\":\"a\\n\",\"stream\":\"stderr\",\"time\":\"" AT "\"}", "a", 1, false},
    {"{\"log\":\"a\",\"stream\":\"stdout\",\"time\":\"" AT "\"}", "a", 0, true},
    {"{\"log\":\"a\",\"stream\":\"stdout\",\"logtag\":\"P\",\"time\":\"" AT "\"}", "a", 0, true},
    {"{\"log\":\"a\",\"stream\":\"stdout\",\"logtag\":\"F\",\"time\":\"" AT "\"}", "a", 0, false},
    {"{\"textPayload\":\"\\u00e9\\\"b\\n\",\"timestamp\":\"" AT "\"}", "\xC3\xA9\"b", 0, false},
    {"{\"labels\":{\"log\":\"x\"},\"line\":\"a\",\"timestamp\":\"2026-11-21T02:19:00.123+01:00\"}", "a", 0, false},
    {"{\"line\":\"a\",\"timestamp\":\"1795223940123456789\"}", "a", 0, false},
    {"[\"1795223940123456789\",\"a \\\\ b\"]", "a \\ b", 0, false},
    {"[\"1795223940123456789\",\"a\",{\"structuredMetadata\":{\"x\":\"y\"}}]", "a", 0, false},
    {"{\"date\":" AT_S ",\"log\":\"a\"}", "a", 0, false},
    {"{\"date\":1795223940123,\"message\":\"a\"}", "a", 0, false}, /* epoch_ms */
    {"{\"date\":1.0,\"time\":\"" AT "\",\"log\":\"a\"}", "a", 0, false},
    {"{\"log\":\"a\",\"kubernetes\":{\"pod_name\":\"p\"},\"date\":" AT_S "}", "a", 0, false},
    {"{\"message\":\"a\",\"source_type\":\"file\",\"timestamp\":\"" AT "\"}", "a", 0, false},
    {"[12] t.0: [[" AT_S ", {}], {\"log\"=>\"a\"}]", "a", 0, false},
    {"[12] t.0: [" AT_S ", {\"x\"=>\"y\", \"log\"=>\"a \"b\", \"c\"\", \"stream\"=>\"stderr\"}]", "a \"b\", \"c\"", 1,
     false},
    {"[12] t.0: [" AT_S ", {\"log\"=>\"a", "a", 0, false},
    /* without a time that can be read, or without a sign of a collector, they are what the program wrote */
    {"{\"log\":\"a\",\"stream\":\"stdout\"}", NULL, 0, false},
    {"{\"log\":\"a\",\"stream\":\"stdout\",\"time\":\"noon\"}", NULL, 0, false},
    {"{\"message\":\"a\",\"timestamp\":\"" AT "\"}", NULL, 0, false},
    {"{\"message\":\"a\",\"time\":\"" AT "\"}", NULL, 0, false},
    {"{\"step\":3,\"loss\":1.5,\"time\":12.5}", NULL, 0, false},
    {"{\"line\":12,\"timestamp\":\"" AT "\",\"msg\":\"a\"}", NULL, 0, false},
    {"{\"date\":-1,\"log\":\"a\"}", NULL, 0, false},
    {"{\"date\":" AT_S ",\"log\":\"a\"} b", NULL, 0, false},
    {"[\"1795223940123456789\"]", NULL, 0, false},
    {"[\"a\",\"b\"]", NULL, 0, false},
    {"[2026-11-21 02:28:06,282] [INFO] a", NULL, 0, false},
    {"[12] t.0: [" AT_S ", {\"cpu\"=>1}]", NULL, 0, false},
    {"[12] a: b", NULL, 0, false},
};

TEST(envelopes) {
    CLEANUP_BUF struct buf decoded;
    struct transport t;
    buf_init(&decoded, STEPLOG_MAX_LINE_BYTES + 8);
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        bool is_one = transport_parse(&t, slice_of(lines[i].line), &decoded);
        if (is_one != (lines[i].text != NULL)) {
            harness_fail(__FILE__, __LINE__, "%s: %s", lines[i].line, is_one ? "is taken" : "is not taken");
            continue;
        }
        if (!is_one)
            continue;
        if (!slice_is(t.text, lines[i].text) || t.stamp_ms != AT_MS)
            harness_fail(__FILE__, __LINE__, "%s: \"%.*s\" at %lld", lines[i].line, SLICE_ARG(t.text),
                         (long long)t.stamp_ms);
        CHECK_INT(t.stream, lines[i].stream);
        CHECK_INT(t.is_partial, lines[i].is_partial);
    }
}

/* Any part of a line, each in memory of its own size, so that a sanitizer sees a read beyond it. */
TEST(torn_envelopes) {
    CLEANUP_BUF struct buf decoded;
    struct transport t;
    buf_init(&decoded, STEPLOG_MAX_LINE_BYTES + 8);
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        for (size_t size = 0; size < strlen(lines[i].line); size++) {
            CLEANUP_FREE char *part = mem_alloc(size + 1);
            memcpy(part, lines[i].line, size);
            char *exact = size > 0 ? mem_resize(NULL, size, 1) : NULL;
            if (size > 0)
                memcpy(exact, part, size);
            transport_parse(&t, (struct slice){exact, size}, &decoded);
            free(exact);
        }
}
