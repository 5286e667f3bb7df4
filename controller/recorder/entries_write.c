#include "recorder/entries_write.h"

#include "base/jmembers.h"
#include "base/jwrite.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINES_MAX_BYTES ((size_t)32 << 20)
#define FUTURE_NS INT64_C(86400000000000) /* as Cloud Logging: a day ahead is too far */

struct one {
    struct slice log_name, timestamp, severity, insert_id, payload; /* raw, but for payload without quotes */
    int64_t severity_number;
    char job[1024];
    bool has_job;
};

void entries_lines_done(struct entries_lines *l) {
    for (int i = 0; i < l->job_count; i++) {
        free(l->jobs[i].job);
        buf_done(&l->jobs[i].lines);
    }
    error_free(l->why);
    *l = (struct entries_lines){0};
}

static struct buf *lines_of(struct entries_lines *l, const char *job) {
    for (int i = 0; i < l->job_count; i++)
        if (strcmp(l->jobs[i].job, job) == 0)
            return &l->jobs[i].lines;
    if (l->job_count == ENTRIES_MAX_JOBS)
        return NULL;
    l->jobs[l->job_count].job = mem_strdup(job);
    buf_init(&l->jobs[l->job_count].lines, LINES_MAX_BYTES);
    return &l->jobs[l->job_count++].lines;
}

/* ---- one entry ---- */

static void read_job(struct jscan *j, void *one) {
    struct one *e = one;
    e->has_job = jscan_string(j, e->job, sizeof e->job) && e->job[0] != '\0';
}

/* By name or by number. */
static void read_severity(struct jscan *j, void *one) {
    struct one *e = one;
    if (jscan_peek(j) == JSCAN_NUMBER)
        jscan_int(j, &e->severity_number);
    else
        jscan_string_raw(j, &e->severity);
}

static bool read_one(struct slice json, struct one *e) {
    typedef struct one entry;
    static const struct jmember rows[] = {JMEMBER(entry, log_name, "logName"), JMEMBER(entry, timestamp, "timestamp"),
                                          JMEMBER(entry, insert_id, "insertId"),
                                          JMEMBER_SELF("severity", read_severity),
                                          JMEMBER_RAW(entry, payload, "jsonPayload")};
    static const struct jmember payload[] = {JMEMBER_SELF("job_name", read_job)};
    if (!jmembers_parse(json, JMEMBERS(rows), e))
        return false;
    jmembers_parse(e->payload, JMEMBERS(payload), e);
    return true;
}

static const char *severity_name(int64_t number) {
    static const char *const names[] = {"DEFAULT", "DEBUG",    "INFO",  "NOTICE",   "WARNING",
                                        "ERROR",   "CRITICAL", "ALERT", "EMERGENCY"};
    return number >= 0 && number / 100 < (int64_t)ARRAY_SIZE(names) ? names[number / 100] : names[0];
}

/* A JSON text of raw bytes: escapes and all as they came. */
static void append_raw(struct buf *out, const char *key, struct slice raw) {
    buf_format(out, "\"%s\":\"%.*s\",", key, SLICE_ARG(raw));
}

static void append_line(struct buf *out, const struct one *e, const struct entries_received *r) {
    char stamp[RFC3339_SIZE];
    rfc3339_format(stamp, r->at_ns, 9);
    buf_append_char(out, '{');
    if (e->insert_id.size_bytes > 0)
        append_raw(out, "insertId", e->insert_id);
    else
        buf_format(out, "\"insertId\":\"%016llx%06llx\",", (unsigned long long)r->at_ns,
                   (unsigned long long)((*r->next_id)++ & 0xffffff));
    append_raw(out, "logName", e->log_name);
    buf_format(out, "\"receiveTimestamp\":\"%s\",", stamp);
    append_raw(out, "severity", e->severity.size_bytes > 0 ? e->severity : slice_of(severity_name(e->severity_number)));
    append_raw(out, "timestamp", e->timestamp.size_bytes > 0 ? e->timestamp : slice_of(stamp));
    buf_append_text(out, "\"jsonPayload\":");
    size_t at = out->size_bytes;
    buf_append_slice(out, e->payload);
    for (size_t i = at; i < out->size_bytes; i++) /* line ends are between the tokens: in a text they are escaped */
        if (out->data[i] == '\n' || out->data[i] == '\r')
            out->data[i] = ' ';
    buf_append_text(out, "}\n");
}

/* JSON has them escaped; as they are they would end the line that is kept, and begin another. */
static bool has_control(struct slice raw) {
    for (size_t i = 0; i < raw.size_bytes; i++)
        if ((unsigned char)raw.data[i] < ' ')
            return true;
    return false;
}

/* NULL, or why it cannot be taken. */
static const char *check(const struct one *e, const struct entries_received *r) {
    struct slice time = e->timestamp;
    int64_t at_ns = r->at_ns;
    if (time.size_bytes > 0 && (!rfc3339_take(&time, &at_ns, NULL) || time.size_bytes > 0))
        return "its timestamp is none (RFC 3339)";
    if (at_ns > r->at_ns + FUTURE_NS)
        return "its timestamp is more than a day ahead: is the writer's clock right?";
    if (!e->has_job)
        return "it has no jsonPayload.job_name: only entries of the goodput recorder are taken";
    if (has_control(e->log_name) || has_control(e->severity) || has_control(e->insert_id))
        return "its logName, severity or insertId has a control character that is not escaped";
    if (e->insert_id.size_bytes > 60)
        return "its insertId is longer than 60 bytes";
    return NULL;
}

static int refuse(struct entries_lines *l, int64_t index, int code, const char *why) {
    if (l->refused++ == 0)
        error_set(&l->why, code, "entry %lld: %s", (long long)index, why);
    return -code;
}

static bool is_of_project(struct slice log_name, const char *project) {
    return slice_take_prefix(&log_name, "projects/") && slice_take_prefix(&log_name, project) &&
           slice_take_prefix(&log_name, "/logs/") && log_name.size_bytes > 0;
}

/* ---- the whole ---- */

struct head {
    struct slice log_name, entries;
    bool is_partial, is_dry;
};

static bool read_head(struct slice body, struct head *h) {
    typedef struct head head;
    static const struct jmember rows[] = {JMEMBER(head, log_name, "logName"), JMEMBER_RAW(head, entries, "entries"),
                                          JMEMBER(head, is_partial, "partialSuccess"), JMEMBER(head, is_dry, "dryRun"),
                                          JMEMBER(head, is_dry, "dry_run")};
    return jmembers_parse(body, JMEMBERS(rows), h);
}

static int take_one(struct entries_lines *l, const struct head *h, struct slice raw, int64_t index,
                    const struct entries_received *r) {
    struct one e = {0};
    if (raw.size_bytes > ENTRY_MAX_BYTES)
        return refuse(l, index, EINVAL, "Log entry with size exceeds maximum size of 256.0K");
    if (!read_one(raw, &e))
        return refuse(l, index, EINVAL, "not an entry");
    if (e.log_name.size_bytes == 0)
        e.log_name = h->log_name;
    if (!is_of_project(e.log_name, r->project))
        return refuse(l, index, EPERM, "its logName is not of the project that is the writer's namespace");
    const char *why = check(&e, r);
    if (why != NULL)
        return refuse(l, index, EINVAL, why);
    struct buf *lines = lines_of(l, e.job);
    if (lines == NULL)
        return refuse(l, index, EINVAL, "the request is about more than 16 jobs");
    append_line(lines, &e, r);
    l->taken++;
    return 0;
}

int entries_write_read(struct entries_lines *l, struct slice body, const struct entries_received *r,
                       struct error **err) {
    struct head h = {0};
    struct slice raw;
    struct jscan j;
    *l = (struct entries_lines){0};
    if (!read_head(body, &h))
        return error_set(err, EBADMSG, "the body is not the JSON of entries:write, or was cut off");
    jscan_init(&j, h.entries);
    if (jscan_array(&j))
        for (int64_t i = 0; jscan_element(&j) && jscan_raw(&j, &raw); i++)
            if (take_one(l, &h, raw, i, r) == -EPERM)
                return error_set(err, EPERM, "%s (projects/%s/logs/...)", error_text(l->why), r->project);
    for (int i = 0; i < l->job_count; i++)
        if (l->jobs[i].lines.truncated)
            return error_set(err, EMSGSIZE, "the request holds too many entries: send fewer at once");
    if ((l->refused > 0 && !h.is_partial) || h.is_dry) {
        for (int i = 0; i < l->job_count; i++)
            buf_clear(&l->jobs[i].lines);
        l->taken = 0;
    }
    return 0;
}

int entries_push_read(struct entries_lines *l, struct slice body, const char *job, const struct entries_received *r,
                      struct error **err) {
    struct slice line;
    char stamp[RFC3339_SIZE];
    int64_t ns;
    *l = (struct entries_lines){0};
    rfc3339_format(stamp, r->at_ns, 9);
    for (int64_t i = 1; slice_take_line(&body, &line); i++) {
        struct slice rest = line;
        if (line.size_bytes == 0)
            continue;
        if (line.size_bytes > ENTRY_MAX_BYTES || memchr(line.data, '\0', line.size_bytes) != NULL)
            return error_set(err, EINVAL, "line %lld %s", (long long)i,
                             line.size_bytes > ENTRY_MAX_BYTES ? "is longer than 256 KiB" : "has a NUL in it");
        struct buf *lines = lines_of(l, job);
        bool is_stamped = rfc3339_take(&rest, &ns, NULL) && slice_take_char(&rest, ' ');
        buf_format(lines, "%s%s", is_stamped ? "" : stamp, is_stamped ? "" : " ");
        buf_append_slice(lines, line);
        buf_append_char(lines, '\n');
        l->taken++;
    }
    if (l->job_count > 0 && l->jobs[0].lines.truncated)
        return error_set(err, EMSGSIZE, "the request holds too many lines: send fewer at once");
    return 0;
}
