#include "steplog/envelope.h"

#include "base/jscan.h"
#include "base/rfc3339.h"

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

/* A number is Unix time in seconds, or in milliseconds, which as seconds would be after the year 5000. */
static bool take_time(struct jscan *j, int64_t *ms) {
    const int64_t last_ms = INT64_C(100000000000000);
    struct slice raw;
    if (jscan_peek(j) == JSCAN_STRING)
        return jscan_string_raw(j, &raw) && time_of_text(raw, ms);
    if (jscan_peek(j) != JSCAN_NUMBER) {
        jscan_skip(j);
        return false;
    }
    if (!jscan_scaled(j, 3, ms) || *ms < 0)
        return false;
    if (*ms > last_ms)
        *ms /= 1000;
    return true;
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

/* Which member is the text; KEY_COUNT: it is not an envelope. */
static enum key find_text(const struct object *o) {
    bool is_collected = has(o, KEY_kubernetes) || has(o, KEY_source_type) || has(o, KEY_stream);
    if (has(o, KEY_textPayload) && has(o, KEY_timestamp))
        return KEY_textPayload;
    if (has(o, KEY_line) && has(o, KEY_timestamp))
        return KEY_line;
    if (has(o, KEY_log) && (has(o, KEY_date) || is_collected))
        return KEY_log;
    if (has(o, KEY_message) && ((has(o, KEY_date) && !has(o, KEY_timestamp)) || is_collected))
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

static bool parse_object(struct transport *t, struct slice line, struct buf *decoded) {
    struct jscan j;
    struct slice name;
    struct object o;
    o.has = 0;
    jscan_init(&j, line);
    if (!jscan_object(&j))
        return false;
    while (jscan_key(&j, &name))
        take_member(&o, &j, name);
    if (!jscan_at_end(&j))
        return false;
    enum key text = find_text(&o);
    if (text == KEY_COUNT || !find_time(&o, &t->stamp_ms) || !decode(t, o.text[text], decoded))
        return false;
    t->stream = has(&o, KEY_stream) && slice_is(o.text[KEY_stream], "stderr");
    bool is_whole = ends_line(t);
    bool is_docker = text == KEY_log && !has(&o, KEY_date) && !has(&o, KEY_kubernetes);
    t->is_partial = has(&o, KEY_logtag) ? slice_starts(o.text[KEY_logtag], "P") : is_docker && !is_whole;
    return true;
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
    if (!slice_take_scaled(&line, 3, &t->stamp_ms) || t->stamp_ms < 0)
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
