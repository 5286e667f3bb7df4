#include "steplog/transport.h"

#include "base/jscan.h"
#include "base/rfc3339.h"

#include <string.h>

static bool stream_of(struct slice name, int *stream) {
    *stream = slice_is(name, "stderr");
    return *stream || slice_is(name, "stdout");
}

/* <time> <stream> <tags> <text>; tags are "F" (full) or "P" (partial), perhaps with more behind colons. */
static bool parse_cri(struct transport *t, struct slice line) {
    int64_t unix_ns;
    struct slice name;
    if (!rfc3339_take(&line, &unix_ns, NULL) || !slice_take_char(&line, ' ') || !slice_take_until(&line, ' ', &name) ||
        !stream_of(name, &t->stream))
        return false;
    t->is_partial = slice_take_char(&line, 'P');
    if (!t->is_partial && !slice_take_char(&line, 'F'))
        return false;
    if (line.size_bytes > 0 && line.data[0] != ' ' && line.data[0] != ':')
        return false;
    struct slice more;
    if (!slice_take_until(&line, ' ', &more))
        line.size_bytes = 0;
    t->text = line;
    t->stamp_ms = unix_ns / 1000000 - (unix_ns % 1000000 < 0);
    return true;
}

/* The text of a JSON string, of which raw is what stands between the quotes. */
static bool decode(struct transport *t, struct slice raw, struct buf *decoded) {
    /* Decoding never makes it longer. */
    buf_clear(decoded);
    if (buf_append_slice(decoded, raw) < 0 || buf_append(decoded, "", 1) < 0 ||
        !jscan_unescape(raw, decoded->data, raw.size_bytes + 1))
        return false;
    t->text = slice_of(decoded->data);
    return true;
}

static bool ends_line(struct transport *t) {
    bool is_end = slice_ends(t->text, "\n");
    t->text.size_bytes -= is_end;
    return is_end;
}

/* Cloud Logging's entry of a container's line, a line each: textPayload, and when it was written. */
static bool parse_entry(struct transport *t, struct slice line, struct buf *decoded) {
    struct jscan j;
    struct slice key, text = {0};
    bool has_text = false, has_time = false;
    jscan_init(&j, line);
    if (!jscan_object(&j))
        return false;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "textPayload"))
            has_text = jscan_string_raw(&j, &text);
        else if (slice_is(key, "timestamp"))
            has_time = jscan_time_ms(&j, &t->stamp_ms);
        else
            jscan_skip(&j);
    }
    if (!jscan_at_end(&j) || !has_text || !has_time || !decode(t, text, decoded))
        return false;
    ends_line(t);
    return true;
}

static bool parse_json(struct transport *t, struct slice line, struct buf *decoded) {
    struct jscan j;
    struct slice key, log = {0};
    char stream[8] = "";
    bool has_log = false, has_time = false;
    jscan_init(&j, line);
    if (!jscan_object(&j))
        return false;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "log"))
            has_log = jscan_string_raw(&j, &log);
        else if (slice_is(key, "time"))
            has_time = jscan_time_ms(&j, &t->stamp_ms);
        else if (slice_is(key, "stream"))
            jscan_string(&j, stream, sizeof stream);
        else
            jscan_skip(&j);
    }
    if (!jscan_at_end(&j) || !has_log || !has_time || !stream_of(slice_of(stream), &t->stream))
        return false;
    if (!decode(t, log, decoded))
        return false;
    t->is_partial = !ends_line(t);
    return true;
}

bool transport_parse(struct transport *t, struct slice line, struct buf *decoded) {
    *t = (struct transport){0};
    if (line.size_bytes == 0)
        return false;
    if (slice_starts(line, "{\"log\":"))
        return parse_json(t, line, decoded);
    if (line.data[0] == '{') /* the recorder's own lines, of which there are many, leave early */
        return !slice_starts(line, "{\"job_name\"") && slice_contains(line, "\"textPayload\"") &&
               parse_entry(t, line, decoded);
    return line.data[0] >= '0' && line.data[0] <= '9' && parse_cri(t, line);
}
