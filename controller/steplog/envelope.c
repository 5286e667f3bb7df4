#include "steplog/envelope.h"

#include "base/jscan.h"
#include "base/rfc3339.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* X(key): the keys of all envelopes. */
#define KEYS(X)                                                                                                        \
    X(log)                                                                                                             \
    X(message) X(line) X(textPayload) X(time) X(timestamp) X(date) X(stream) X(logtag) X(kubernetes) X(source_type)

enum key {
#define X(name) KEY_##name,
    KEYS(X)
#undef X
        KEY_COUNT
};

static const char *const names[KEY_COUNT] = {
#define X(name) [KEY_##name] = #name,
    KEYS(X)
#undef X
};

struct object {
    unsigned has;                 /* a bit per key */
    struct slice text[KEY_COUNT]; /* raw JSON of strings */
    int64_t ms[KEY_COUNT];        /* of times */
};

static bool has(const struct object *o, enum key key) {
    return (o->has >> key & 1) != 0;
}

static int64_t floor_ms(int64_t ns) {
    return ns / 1000000 - (ns % 1000000 < 0);
}

/* RFC 3339, or Unix nanoseconds as Loki writes them. */
static bool time_of_text(struct slice s, int64_t *ms) {
    int64_t ns;
    struct slice rest = s;
    bool is_number = s.size_bytes >= 18 && slice_take_uint(&rest, &ns) && rest.size_bytes == 0;
    if (!is_number && !(rfc3339_take(&s, &ns, NULL) && s.size_bytes == 0))
        return false;
    *ms = floor_ms(ns);
    return true;
}

/* Unix time in seconds, or in milliseconds, which as nanoseconds do not fit. */
static bool take_unix(struct slice *s, int64_t *ms) {
    int64_t ns;
    if (slice_take_scaled(s, 9, &ns)) {
        *ms = floor_ms(ns);
    } else {
        if (!slice_take_scaled(s, 3, ms))
            return false;
        *ms /= 1000;
    }
    return *ms >= 0;
}

static bool take_time(struct jscan *j, int64_t *ms) {
    struct slice raw;
    if (jscan_peek(j) == JSCAN_STRING)
        return jscan_string_raw(j, &raw) && time_of_text(raw, ms);
    if (jscan_peek(j) == JSCAN_NUMBER)
        return jscan_number_raw(j, &raw) && take_unix(&raw, ms);
    jscan_skip(j);
    return false;
}

static void take_member(struct object *o, struct jscan *j, struct slice name) {
    int key = 0;
    while (key < KEY_COUNT && !slice_is(name, names[key]))
        key++;
    bool is_time = key == KEY_time || key == KEY_timestamp || key == KEY_date;
    bool is_there = true;
    if (is_time)
        is_there = take_time(j, &o->ms[key]);
    else if (key == KEY_kubernetes || key == KEY_COUNT)
        jscan_skip(j);
    else
        is_there = jscan_string_raw(j, &o->text[key]);
    if (key < KEY_COUNT && is_there)
        o->has |= 1u << key;
}

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

static bool is_collected(const struct object *o) {
    return has(o, KEY_kubernetes) || has(o, KEY_source_type) || has(o, KEY_stream);
}

/* Which member is the text; KEY_COUNT: it is not an envelope. */
static enum key find_text(const struct object *o) {
    if (has(o, KEY_textPayload) && has(o, KEY_timestamp))
        return KEY_textPayload;
    if (has(o, KEY_line) && has(o, KEY_timestamp))
        return KEY_line;
    if (has(o, KEY_log) && (has(o, KEY_date) || is_collected(o)))
        return KEY_log;
    if (has(o, KEY_message) && ((has(o, KEY_date) && !has(o, KEY_timestamp)) || is_collected(o)))
        return KEY_message;
    return KEY_COUNT;
}

/* The container runtime's time before a collector's. */
static bool find_time(const struct object *o, int64_t *ms) {
    static const enum key times[] = {KEY_time, KEY_timestamp, KEY_date};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (has(o, times[i])) {
            *ms = o->ms[times[i]];
            return true;
        }
    return false;
}

static bool read_object(struct object *o, struct slice line) {
    struct jscan j;
    struct slice name;
    o->has = 0;
    jscan_init(&j, line);
    if (!jscan_object(&j))
        return false;
    while (jscan_key(&j, &name))
        take_member(o, &j, name);
    return jscan_at_end(&j);
}

static bool take_text(struct transport *t, const struct object *o, enum key text, struct buf *decoded) {
    if (!decode(t, o->text[text], decoded))
        return false;
    t->stream = has(o, KEY_stream) && slice_is(o->text[KEY_stream], "stderr");
    bool is_whole = ends_line(t);
    bool is_docker = text == KEY_log && !has(o, KEY_date) && !has(o, KEY_kubernetes);
    t->is_partial = has(o, KEY_logtag) ? slice_starts(o->text[KEY_logtag], "P") : is_docker && !is_whole;
    return true;
}

static bool parse_object(struct transport *t, struct slice line, struct buf *decoded) {
    struct object o;
    enum key text = read_object(&o, line) ? find_text(&o) : KEY_COUNT;
    return text != KEY_COUNT && find_time(&o, &t->stamp_ms) && take_text(t, &o, text, decoded);
}

/* An object behind a time and a tag, which show that it is a collector's. */
static bool parse_tagged(struct transport *t, struct slice object, int64_t at_ms, struct buf *decoded) {
    struct object o;
    if (!read_object(&o, object) || !(has(&o, KEY_log) || has(&o, KEY_message)))
        return false;
    if (!find_time(&o, &t->stamp_ms))
        t->stamp_ms = at_ms;
    bool is_taken = take_text(t, &o, has(&o, KEY_log) ? KEY_log : KEY_message, decoded);
    t->is_partial &= has(&o, KEY_logtag); /* no runtime's own object: these end without a newline */
    return is_taken;
}

static bool parse_value(struct transport *t, struct slice line, struct buf *decoded) {
    struct jscan j;
    struct slice time, text;
    jscan_init(&j, line);
    if (!jscan_array(&j) || !jscan_element(&j) || !jscan_string_raw(&j, &time) || !time_of_text(time, &t->stamp_ms) ||
        !jscan_element(&j) || !jscan_string_raw(&j, &text))
        return false;
    jscan_leave(&j);
    if (!jscan_at_end(&j) || !decode(t, text, decoded))
        return false;
    ends_line(t);
    return true;
}

/* Where a text ends that is not escaped: before the next member, else before the end of the map. */
static struct slice until_member(struct slice text) {
    static const char next[] = "\", \"";
    const char *at = text.data, *end = text.data + text.size_bytes;
    while ((at = slice_find(slice_range(at, end), next)) != NULL) {
        const char *name = at + sizeof next - 1, *p = name;
        while (p < end && *p != '"' && *p != ' ')
            p++;
        if (p > name && slice_starts(slice_range(p, end), "\"=>"))
            return slice_range(text.data, at);
        at++;
    }
    for (at = end; at - text.data >= 2; at--)
        if (at[-2] == '"' && at[-1] == '}')
            return slice_range(text.data, at - 2);
    return text; /* a newline in the text ended the line */
}

static bool parse_msgpack(struct transport *t, struct slice line) {
    static const char *const texts[] = {"{\"log\"=>\"", ", \"log\"=>\"", "{\"message\"=>\"", ", \"message\"=>\""};
    struct slice tag;
    int64_t number;
    if (!slice_take_char(&line, '[') || !slice_take_uint(&line, &number) || !slice_take_prefix(&line, "] ") ||
        !slice_take_until(&line, ' ', &tag) || !slice_ends(tag, ":") || !slice_take_char(&line, '['))
        return false;
    slice_take_char(&line, '['); /* around the time and its metadata, since version 2.1 */
    if (!take_unix(&line, &t->stamp_ms))
        return false;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *at = slice_find(line, texts[i]);
        if (at == NULL)
            continue;
        t->text = until_member(slice_range(at + strlen(texts[i]), line.data + line.size_bytes));
        t->stream = slice_contains(line, "\"stream\"=>\"stderr\"");
        if (!ends_line(t) && slice_ends(t->text, "\\n"))
            t->text.size_bytes -= 2;
        return true;
    }
    return false;
}

bool envelope_parse(struct transport *t, struct slice line, struct buf *decoded) {
    if (line.data[0] == '{')
        return parse_object(t, line, decoded);
    return slice_starts(line, "[\"") ? parse_value(t, line, decoded) : parse_msgpack(t, line);
}

bool envelope_parse_file(struct transport *t, struct slice line, struct buf *decoded) {
    const char *at = slice_find(line, ": [");
    int64_t ms;
    if (at == NULL || !slice_ends(line, "}]"))
        return false;
    struct slice tag = slice_range(line.data, at), rest = slice_range(at + 3, line.data + line.size_bytes - 1);
    return slice_find_char(tag, ' ') == NULL && take_unix(&rest, &ms) && slice_take_prefix(&rest, ", ") &&
           parse_tagged(t, rest, ms, decoded);
}

/* {name="value", ...} as Go quotes it. */
static bool skip_labels(struct slice *s) {
    const char *at = s->data + 1, *end = s->data + s->size_bytes;
    if (!slice_starts(*s, "{"))
        return false;
    while (at < end && *at != '}') {
        const char *name = at;
        while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
            at++;
        if (at == name || end - at < 2 || at[0] != '=' || at[1] != '"')
            return false;
        for (at += 2; at < end && *at != '"'; at++)
            at += *at == '\\';
        at++;
        if (at + 1 < end && at[0] == ',')
            at += 2;
    }
    if (at >= end)
        return false;
    *s = slice_range(at + 1, end);
    return true;
}

bool envelope_parse_stamped(struct transport *t, struct slice rest, int64_t at_ms, struct buf *decoded) {
    struct slice tag;
    char delimiter = rest.size_bytes > 0 ? rest.data[0] : '\0';
    rest = slice_skip(rest, 1);
    t->text = rest;
    t->stamp_ms = at_ms;
    if (delimiter == ' ' && skip_labels(&t->text)) {
        t->text = slice_trim(t->text);
        return true;
    }
    return (delimiter == '\t' || delimiter == ',') && slice_take_until(&rest, delimiter, &tag) &&
           slice_starts(rest, "{") && parse_tagged(t, rest, at_ms, decoded);
}

bool envelope_parse_local(struct transport *t, struct slice line, struct buf *decoded) {
    enum { DATE = 10, ZONE = 5 }; /* "2026-11-21", "+0900" */
    char text[48];
    struct slice time, zone, tag;
    int64_t ns;
    if (line.size_bytes <= DATE || line.data[DATE] != ' ')
        return false;
    struct slice date = {line.data, DATE};
    line = slice_skip(line, DATE + 1);
    if (!slice_take_until(&line, ' ', &time) || !slice_take_until(&line, ' ', &zone) || zone.size_bytes != ZONE ||
        (zone.data[0] != '+' && zone.data[0] != '-') || !slice_take_until(&line, ' ', &tag) || !slice_ends(tag, ":"))
        return false;
    snprintf(text, sizeof text, "%.*sT%.*s%.3s:%.2s", SLICE_ARG(date), SLICE_ARG(time), zone.data, zone.data + 3);
    struct slice stamp = slice_of(text);
    return rfc3339_take(&stamp, &ns, NULL) && stamp.size_bytes == 0 && parse_tagged(t, line, floor_ms(ns), decoded);
}
