/* The tables of tests/data/steplog (its README says how they are read). */
#include "harness.h"

#include "base/buf.h"
#include "base/jwrite.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "record_names.h"
#include "steplog/steplog.h"

#include <glob.h>

#define FIRST_STAMP_MS INT64_C(1795230000000)

/* What may stand around a line: nothing, kubelet's stamp, gcloud's, CRI's prefix (whole, or in two parts), the
 * json-file driver's object, Cloud Logging's entry (a line each). */
enum wrapping { BARE, KUBELET, GCLOUD, CRI, CRI_PARTS, JSON_FILE, CLOUD_LOGGING, WRAPPINGS };

struct table {
    enum wrapping wrapping;
    const char *path;
    struct steplog *log;
    bool has_stamps;
    int64_t stamp_ms;
    struct buf actual;
};

static void put(struct buf *b, const char *name, int64_t value) {
    if (value != RECORD_NONE)
        buf_format(b, " %s=%" PRId64, name, value);
}

static void on_record(void *context, const struct record *r) {
    struct table *t = context;
    if (r->kind == RECORD_SIGN_OF_LIFE)
        return;
    buf_format(&t->actual, "\t%s", record_kind_name(r->kind));
    put(&t->actual, "step", r->step);
    if (r->at_ms == TIME_UNKNOWN)
        buf_append_text(&t->actual, " at=unknown");
    else if (!t->has_stamps || r->at_ms != t->stamp_ms)
        put(&t->actual, "at", r->at_ms);
    put(&t->actual, "duration", r->duration_ms);
    put(&t->actual, "tflops", r->tflops_milli);
    put(&t->actual, "active", r->active);
    put(&t->actual, "total", r->total);
    put(&t->actual, "available", r->available);
    if (r->is_async)
        buf_append_text(&t->actual, " async");
    if (r->name[0] != '\0')
        buf_format(&t->actual, " name=%s", r->name);
    buf_append_char(&t->actual, '\n');
    CHECK_INT(r->received_ms, t->has_stamps ? t->stamp_ms : RECORD_NONE);
    CHECK_INT(r->process, -1);
}

/* "! format=MaxText job=jobA stamps=no" */
static void start_log(struct table *t, struct slice options) {
    enum steplog_format format = STEPLOG_AUTO;
    CLEANUP_FREE char *job = NULL;
    t->has_stamps = true;
    for (struct slice word; options.size_bytes != 0;) {
        options = slice_trim(options);
        if (!slice_take_until(&options, ' ', &word)) {
            word = options;
            options.size_bytes = 0;
        }
        if (slice_take_prefix(&word, "format="))
            format = (enum steplog_format)steplog_format_of_name(word);
        else if (slice_take_prefix(&word, "job="))
            job = slice_dup(word);
        else if (slice_is(word, "stamps=no"))
            t->has_stamps = false;
    }
    steplog_free(t->log);
    t->log = steplog_new(format, job, on_record, t);
}

static void unescape(struct buf *out, struct slice line) {
    buf_clear(out);
    while (line.size_bytes != 0) {
        if (slice_take_prefix(&line, "\xE2\x90\x9B"))
            buf_append_char(out, '\x1b');
        else if (slice_take_prefix(&line, "\xE2\x90\x8D"))
            buf_append_char(out, '\r');
        else {
            buf_append_char(out, line.data[0]);
            line = slice_skip(line, 1);
        }
    }
}

static void append_object(struct buf *out, struct slice line, const char *stamp, bool is_entry) {
    struct jwrite w;
    CLEANUP_BUF struct buf text;
    buf_init(&text, STEPLOG_MAX_LINE_BYTES);
    buf_append_slice(&text, line);
    buf_append_text(&text, is_entry ? "" : "\n");
    jwrite_init(&w, out);
    jwrite_object(&w);
    jwrite_key(&w, is_entry ? "insertId" : "log");
    jwrite_slice(&w, is_entry ? SLICE("1q2w3e") : buf_slice(&text));
    jwrite_key(&w, is_entry ? "textPayload" : "stream");
    jwrite_slice(&w, is_entry ? buf_slice(&text) : SLICE("stderr"));
    jwrite_key(&w, is_entry ? "timestamp" : "time");
    jwrite_text(&w, stamp);
    jwrite_object_end(&w);
    buf_append_char(out, '\n');
}

static void feed(struct table *t, struct slice line) {
    char stamp[RFC3339_SIZE];
    CLEANUP_BUF struct buf out;
    size_t half = line.size_bytes / 2;
    buf_init(&out, 1 << 20);
    if (t->wrapping == BARE || !t->has_stamps) {
        steplog_line(t->log, line, t->stamp_ms);
        return;
    }
    rfc3339_format_ms(stamp, t->stamp_ms);
    if (t->wrapping >= JSON_FILE)
        append_object(&out, line, stamp, t->wrapping == CLOUD_LOGGING);
    else if (t->wrapping == CRI_PARTS)
        buf_format(&out, "%s stdout P %.*s\n%s stdout F %.*s\n", stamp, (int)half, line.data, stamp,
                   (int)(line.size_bytes - half), line.data + half);
    else
        buf_format(&out, "%s%s%.*s\n", stamp,
                   t->wrapping == CRI      ? " stdout F "
                   : t->wrapping == GCLOUD ? "\t"
                                           : " ",
                   SLICE_ARG(line));
    steplog_feed(t->log, buf_slice(&out), t->wrapping == KUBELET || t->wrapping == GCLOUD);
}

static void check_line(struct table *t, int number, struct slice line, const struct buf *expected) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, STEPLOG_MAX_LINE_BYTES);
    unescape(&text, line);
    t->stamp_ms = t->has_stamps ? t->stamp_ms + 1000 : TIME_UNKNOWN;
    if (t->has_stamps && t->stamp_ms < FIRST_STAMP_MS)
        t->stamp_ms = FIRST_STAMP_MS;
    buf_clear(&t->actual);
    feed(t, buf_slice(&text));
    if (strcmp(buf_text(&t->actual), buf_text(expected)) != 0)
        harness_fail(t->path, number, "(wrapping %d) gives\n%sexpected\n%s", t->wrapping, buf_text(&t->actual),
                     buf_text(expected));
}

static int run_table(const char *path, enum wrapping wrapping) {
    CLEANUP_FREE char *data = harness_read_file(path, NULL);
    if (data == NULL)
        return 0;
    struct table t = {.wrapping = wrapping, .path = path, .stamp_ms = FIRST_STAMP_MS};
    CLEANUP_BUF struct buf expected;
    buf_init(&t.actual, 1 << 20);
    buf_init(&expected, 1 << 20);
    start_log(&t, SLICE(""));
    struct slice rest = slice_of(data), line;
    int number = 0, cases = 0;
    while (slice_take_line(&rest, &line)) {
        number++;
        if (line.size_bytes == 0 || line.data[0] == '#')
            continue;
        if (slice_take_prefix(&line, "! ")) {
            start_log(&t, line);
            continue;
        }
        buf_clear(&expected);
        int line_number = number;
        for (struct slice record; slice_starts(rest, "\t") && slice_take_line(&rest, &record); number++)
            buf_format(&expected, "%.*s\n", SLICE_ARG(record));
        check_line(&t, line_number, line, &expected);
        cases++;
    }
    steplog_free(t.log);
    buf_done(&t.actual);
    return cases;
}

TEST(every_line_of_every_table) {
    glob_t found;
    REQUIRE(glob("tests/data/steplog/*.tsv", 0, NULL, &found) == 0);
    int cases = 0;
    for (size_t i = 0; i < found.gl_pathc; i++)
        cases += run_table(found.gl_pathv[i], BARE);
    printf(" %d lines in %zu tables ", cases, found.gl_pathc);
    CHECK(cases > 80);
    globfree(&found);
}

TEST(every_line_of_every_table_as_it_may_be_wrapped) {
    glob_t found;
    REQUIRE(glob("tests/data/steplog/*.tsv", 0, NULL, &found) == 0);
    for (int w = KUBELET; w < WRAPPINGS; w++)
        for (size_t i = 0; i < found.gl_pathc; i++)
            CHECK(run_table(found.gl_pathv[i], (enum wrapping)w) > 0);
    globfree(&found);
}
