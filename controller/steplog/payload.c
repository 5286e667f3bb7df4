#include "steplog/payload.h"

#include "base/clock.h"
#include "base/rfc3339.h"

#include <string.h>

enum field_type { INTEGER, SECONDS, TEXT, BOOLEAN };

static const struct field {
    const char *key;
    unsigned char size, type;
} fields[FIELD_COUNT] = {
#define X(key, type) [FIELD_##key] = {#key, sizeof #key - 1, type},
    PAYLOAD_FIELDS(X)
#undef X
};

_Static_assert(FIELD_COUNT <= 64, "a bit per field");

/* A bit for each size that a field's key has: other programs' keys are shorter, or of another size. */
static const uint64_t sizes = 0
#define X(key, type) | UINT64_C(1) << (sizeof #key - 1)
    PAYLOAD_FIELDS(X)
#undef X
    ;

static int find_field(struct slice key) {
    if (key.size_bytes >= 64 || (sizes >> key.size_bytes & 1) == 0)
        return -1;
    for (int i = 0; i < FIELD_COUNT; i++)
        if (fields[i].size == key.size_bytes && memcmp(fields[i].key, key.data, key.size_bytes) == 0)
            return i;
    return -1;
}

static void parse_field(struct payload *p, struct jscan *j, int i) {
    if (jscan_peek(j) == JSCAN_NULL) {
        jscan_skip(j);
        return;
    }
    bool found = false;
    switch (fields[i].type) {
    case INTEGER:
        found = jscan_int(j, &p->number[i]);
        break;
    case SECONDS:
        found = jscan_scaled(j, 9, &p->number[i]) && p->number[i] >= 0;
        break;
    case TEXT:
        found = jscan_string_raw(j, &p->text[i]);
        break;
    default: {
        bool value;
        if ((found = jscan_bool(j, &value)))
            p->number[i] = value;
    }
    }
    if (found)
        p->present |= UINT64_C(1) << i;
    else
        p->is_unreadable = true;
}

static void parse_object(struct payload *p, struct jscan *j);

/* What a log line's own structure may hold around the payload: Cloud Logging's entry, or a logger's message, which may
 * be in the entry. */
static bool parse_envelope(struct payload *p, struct jscan *j, struct slice key, bool is_outermost) {
    if (!is_outermost && !slice_is(key, "message") && !slice_is(key, "msg"))
        return false;
    if (slice_is(key, "jsonPayload"))
        parse_object(p, j);
    else if (slice_is(key, "timestamp"))
        jscan_time_ms(j, &p->envelope_ms);
    else if (slice_is(key, "message") || slice_is(key, "msg") || slice_is(key, "textPayload") || slice_is(key, "log"))
        jscan_string_raw(j, &p->message);
    else
        return false;
    return true;
}

static void parse_object(struct payload *p, struct jscan *j) {
    struct slice key;
    if (!jscan_object(j))
        return;
    bool is_outermost = j->depth == 1;
    while (jscan_key(j, &key)) {
        int i = find_field(key);
        if (i >= 0)
            parse_field(p, j, i);
        else if (!parse_envelope(p, j, key, is_outermost))
            jscan_skip(j);
    }
}

bool payload_parse(struct payload *p, struct slice text) {
    struct jscan j;
    jscan_init(&j, text);
    p->present = 0;
    p->is_unreadable = false;
    p->message = (struct slice){"", 0};
    p->envelope_ms = TIME_UNKNOWN;
    parse_object(p, &j);
    return jscan_error(&j, NULL) == NULL;
}

/* ---- Python's repr ---- */

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_number(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-';
}

/* At a quote of either kind; false if the string does not end. */
static bool convert_string(struct buf *json, struct slice *s) {
    char quote = s->data[0];
    *s = slice_skip(*s, 1);
    buf_append_char(json, '"');
    while (s->size_bytes != 0 && s->data[0] != quote) {
        char c = s->data[0];
        size_t n = 1;
        if (c == '\\' && s->size_bytes > 1) {
            char next = s->data[1];
            n = 2;
            if (next == 'x')
                buf_append_text(json, "\\u00"); /* its two digits follow as they are */
            else if (next == '\'')
                buf_append_char(json, next);
            else
                buf_append(json, s->data, 2);
        } else if (c == '"') {
            buf_append_text(json, "\\\"");
        } else {
            buf_append_char(json, c);
        }
        *s = slice_skip(*s, n);
    }
    buf_append_char(json, '"');
    return slice_take_char(s, quote);
}

/* None, True, nan, and names: PosixPath('/x') becomes ["/x"], anything else null. */
static void convert_word(struct buf *json, struct slice *s) {
    static const char *const pairs[][2] = {
        {"None", "null"}, {"True", "true"}, {"False", "false"}, {"nan", "NaN"}, {"inf", "Infinity"}};
    size_t n = 0;
    while (n < s->size_bytes && (is_word(s->data[n]) || is_number(s->data[n])))
        n++;
    struct slice word = {s->data, n};
    *s = slice_skip(*s, n);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (slice_is(word, pairs[i][0])) {
            buf_append_text(json, pairs[i][1]);
            return;
        }
    if (!slice_starts(*s, "("))
        buf_append_text(json, "null");
}

static void convert_number(struct buf *json, struct slice *s) {
    size_t n = 0;
    while (n < s->size_bytes && (is_number(s->data[n]) || (n > 0 && s->data[n] == 'e')))
        n++;
    buf_append(json, s->data, n);
    *s = slice_skip(*s, n);
}

static void close_bracket(struct buf *json, char c) {
    /* (1,) is a tuple in Python; JSON has no comma there. */
    if (json->size_bytes != 0 && json->data[json->size_bytes - 1] == ',')
        json->size_bytes--;
    buf_append_char(json, c == ')' ? ']' : c);
}

bool payload_json_of_python(struct buf *json, struct slice text) {
    buf_clear(json);
    int depth = 0;
    while (text.size_bytes != 0 && !json->truncated) {
        char c = text.data[0];
        if (c == '\'' || c == '"') {
            if (!convert_string(json, &text))
                return false;
            continue;
        }
        if (is_word(c)) {
            convert_word(json, &text);
            continue;
        }
        if (is_number(c)) {
            convert_number(json, &text);
            continue;
        }
        text = slice_skip(text, 1);
        if (c == '{' || c == '[' || c == '(') {
            depth++;
            buf_append_char(json, c == '(' ? '[' : c);
        } else if (c == '}' || c == ']' || c == ')') {
            close_bracket(json, c);
            if (--depth == 0)
                return !json->truncated;
        } else if (c != ' ') {
            buf_append_char(json, c);
        }
    }
    return false;
}

int64_t payload_ms(struct slice line) {
    static const enum payload_field times[] = {
        FIELD_step_start_time,
        FIELD_data_loading_start_time,
        FIELD_data_loading_end_time,
        FIELD_job_start_time,
        FIELD_job_end_time,
        FIELD_tpu_init_start_time,
        FIELD_tpu_init_end_time,
        FIELD_training_prep_start_time,
        FIELD_training_prep_end_time,
        FIELD_custom_badput_event_start_time,
        FIELD_custom_badput_event_end_time,
        FIELD_elastic_slice_counts_timestamp,
        FIELD_elastic_wait_start_time,
        FIELD_elastic_wait_end_time,
        FIELD_elastic_reinit_start_time,
        FIELD_elastic_reinit_end_time,
        FIELD_checkpoint_manager_blocking_start_time,
        FIELD_checkpointer_blocking_start_time,
        FIELD_checkpoint_manager_start_time,
        FIELD_checkpointer_start_time,
    };
    struct payload p;
    if (!slice_starts(line, "{") || !payload_parse(&p, line))
        return TIME_UNKNOWN;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (payload_has(&p, times[i]))
            return p.number[times[i]] / 1000000;
    return p.envelope_ms;
}
