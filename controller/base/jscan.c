#include "base/jscan.h"

#include "base/jscan_close.h"
#include "base/number.h"
#include "base/rfc3339.h"

#include <math.h>
#include <string.h>

void jscan_init(struct jscan *j, struct slice bytes) {
    const char *data = bytes.data != NULL ? bytes.data : "";
    j->at = j->start = data;
    j->end = data + bytes.size_bytes;
    j->error = NULL;
    j->depth = 0;
    j->is_loose = false;
}

void jscan_init_loose(struct jscan *j, struct slice bytes) {
    jscan_init(j, bytes);
    j->is_loose = true;
}

/* The end is moved to the cursor, so that every later call finds no more bytes. */
static bool fail(struct jscan *j, const char *what) {
    if (j->error == NULL) {
        j->error = what;
        j->end = j->at;
    }
    return false;
}

static inline void skip_space(struct jscan *j) {
    while (j->at < j->end && (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r'))
        j->at++;
}

enum jscan_type jscan_peek(struct jscan *j) {
    skip_space(j);
    if (j->error != NULL || j->at == j->end)
        return JSCAN_NONE;
    switch (*j->at) {
    case '{':
        return JSCAN_OBJECT;
    case '[':
        return JSCAN_ARRAY;
    case '"':
        return JSCAN_STRING;
    case 't':
    case 'f':
        return JSCAN_BOOL;
    case 'n':
        return JSCAN_NULL;
    case '-':
    case '0' ... '9':
    case 'N':
    case 'I':
        return JSCAN_NUMBER;
    default:
        return JSCAN_NONE;
    }
}

/* At an opening quote. The end of the string is the first quote with an even number of backslashes before it; each
 * backslash is looked at once, because a run of them ends at the quote. */
static bool take_string(struct jscan *j, struct slice *raw) {
    const char *from = j->at + 1, *quote = from;
    for (;; quote++) {
        quote = quote < j->end ? memchr(quote, '"', (size_t)(j->end - quote)) : NULL;
        if (quote == NULL)
            return fail(j, "string not closed");
        if (quote == from || quote[-1] != '\\')
            break;
        const char *back = quote;
        while (back > from && back[-1] == '\\')
            back--;
        if ((quote - back) % 2 == 0)
            break;
    }
    *raw = slice_range(from, quote);
    j->at = quote + 1;
    return true;
}

static bool take_word(struct jscan *j, const char *word, size_t size) {
    if ((size_t)(j->end - j->at) < size || memcmp(j->at, word, size) != 0)
        return fail(j, "not a JSON value");
    j->at += size;
    return true;
}

static struct slice take_digits(struct jscan *j) {
    const char *from = j->at;
    while (j->at < j->end && *j->at >= '0' && *j->at <= '9')
        j->at++;
    return slice_range(from, j->at);
}

static bool take_exponent(struct jscan *j, struct number *n) {
    j->at++;
    bool negative = j->at < j->end && *j->at == '-';
    if (j->at < j->end && (*j->at == '+' || *j->at == '-'))
        j->at++;
    struct slice digits = take_digits(j);
    if (digits.size_bytes == 0)
        return fail(j, "malformed number");
    n->exponent = number_exponent(digits, negative);
    return true;
}

/* Checked against JSON's grammar and taken apart in one go. NaN, Infinity and -Infinity are no JSON, but Python's json
 * module writes them: n then has no digits. */
static bool take_number(struct jscan *j, struct number *n) {
    *n = (struct number){.is_negative = *j->at == '-'};
    if (n->is_negative)
        j->at++;
    if (j->at < j->end && (*j->at == 'N' || *j->at == 'I')) {
        bool is_nan = *j->at == 'N';
        return take_word(j, is_nan ? "NaN" : "Infinity", is_nan ? 3 : 8);
    }
    n->whole = take_digits(j);
    if (n->whole.size_bytes == 0 || (n->whole.size_bytes > 1 && *n->whole.data == '0'))
        return fail(j, "malformed number");
    if (j->at < j->end && *j->at == '.') {
        j->at++;
        n->fraction = take_digits(j);
        if (n->fraction.size_bytes == 0)
            return fail(j, "malformed number");
    }
    return j->at == j->end || (*j->at | 0x20) != 'e' || take_exponent(j, n);
}

static bool enter(struct jscan *j, char closer) {
    if (j->depth == JSCAN_MAX_DEPTH)
        return fail(j, "nested too deeply");
    j->at++;
    j->depth++;
    j->first[j->depth] = 1;
    j->closer[j->depth] = closer;
    return true;
}

/* Moves to the next member: true, or false at the closer (consumed) or after an error. */
static bool next_member(struct jscan *j, char closer) {
    if (j->error != NULL)
        return false;
    if (j->depth == 0 || j->closer[j->depth] != closer)
        return fail(j, "a value was not consumed exactly once");
    skip_space(j);
    if (j->at == j->end)
        return fail(j, "cut off");
    if (*j->at == closer) {
        j->at++;
        j->depth--;
        return false;
    }
    if (!j->first[j->depth]) {
        if (*j->at != ',')
            return fail(j, "comma or closing bracket expected");
        j->at++;
        skip_space(j);
        if (j->at == j->end)
            return fail(j, "cut off");
        if (*j->at == closer)
            return fail(j, "value expected after the comma");
    }
    j->first[j->depth] = 0;
    return true;
}

bool jscan_key(struct jscan *j, struct slice *key) {
    if (!next_member(j, '}'))
        return false;
    if (*j->at != '"')
        return fail(j, "key expected");
    if (!take_string(j, key))
        return false;
    skip_space(j);
    if (j->at == j->end || *j->at != ':')
        return fail(j, "colon expected");
    j->at++;
    return true;
}

bool jscan_element(struct jscan *j) {
    return next_member(j, ']');
}

/* One scalar, or the opening of an object or array; type: as jscan_peek gave it. */
static bool skip_head(struct jscan *j, enum jscan_type type) {
    struct slice ignored;
    struct number number;
    switch (type) {
    case JSCAN_OBJECT:
        return enter(j, '}');
    case JSCAN_ARRAY:
        return enter(j, ']');
    case JSCAN_STRING:
        return take_string(j, &ignored);
    case JSCAN_NUMBER:
        return take_number(j, &number);
    case JSCAN_BOOL:
        return *j->at == 't' ? take_word(j, "true", 4) : take_word(j, "false", 5);
    case JSCAN_NULL:
        return take_word(j, "null", 4);
    case JSCAN_NONE:
        break;
    }
    return fail(j, j->at == j->end ? "cut off" : "not a JSON value");
}

/* Moves behind the end of the `depth` levels open at the cursor (0: of the value that starts there). */
static void skip_to_close(struct jscan *j, int depth) {
    const char *close = jscan_close_of(j->at, j->end, depth);
    if (close == NULL)
        fail(j, "cut off");
    else
        j->at = close + 1;
}

void jscan_skip(struct jscan *j) {
    int depth = j->depth;
    struct slice key;
    enum jscan_type type = jscan_peek(j);
    if (j->is_loose && (type == JSCAN_OBJECT || type == JSCAN_ARRAY)) {
        skip_to_close(j, 0);
        return;
    }
    if (!skip_head(j, type))
        return;
    while (j->depth > depth && j->error == NULL) {
        bool more = j->closer[j->depth] == '}' ? jscan_key(j, &key) : jscan_element(j);
        if (more)
            skip_head(j, jscan_peek(j));
    }
}

void jscan_leave(struct jscan *j) {
    struct slice key;
    int depth = j->depth;
    if (j->is_loose && j->error == NULL && depth > 0) {
        skip_to_close(j, 1);
        j->depth--;
        return;
    }
    while (j->error == NULL && j->depth == depth && (j->closer[depth] == '}' ? jscan_key(j, &key) : jscan_element(j)))
        jscan_skip(j);
}

/* True if the value is of the type; else it is skipped. */
static bool expect(struct jscan *j, enum jscan_type type) {
    if (jscan_peek(j) == type)
        return true;
    jscan_skip(j);
    return false;
}

bool jscan_object(struct jscan *j) {
    return expect(j, JSCAN_OBJECT) && enter(j, '}');
}

bool jscan_array(struct jscan *j) {
    return expect(j, JSCAN_ARRAY) && enter(j, ']');
}

bool jscan_string_raw(struct jscan *j, struct slice *raw) {
    return expect(j, JSCAN_STRING) && take_string(j, raw);
}

bool jscan_number_raw(struct jscan *j, struct slice *raw) {
    struct number ignored;
    if (!expect(j, JSCAN_NUMBER))
        return false;
    const char *from = j->at;
    if (!take_number(j, &ignored))
        return false;
    *raw = slice_range(from, j->at);
    return true;
}

bool jscan_scaled(struct jscan *j, int digits, int64_t *value) {
    struct number n;
    return expect(j, JSCAN_NUMBER) && take_number(j, &n) && n.whole.size_bytes != 0 &&
           number_to_scaled(&n, digits, value, NULL);
}

bool jscan_int(struct jscan *j, int64_t *value) {
    struct number n;
    int64_t found;
    bool exact;
    if (!expect(j, JSCAN_NUMBER) || !take_number(j, &n) || n.whole.size_bytes == 0 ||
        !number_to_scaled(&n, 0, &found, &exact) || !exact)
        return false;
    *value = found;
    return true;
}

bool jscan_bool(struct jscan *j, bool *value) {
    if (!expect(j, JSCAN_BOOL))
        return false;
    bool found = *j->at == 't';
    if (!skip_head(j, JSCAN_BOOL))
        return false;
    *value = found;
    return true;
}

bool jscan_time_ms(struct jscan *j, int64_t *unix_ms) {
    struct slice raw;
    return jscan_string_raw(j, &raw) && rfc3339_parse_ms(raw, unix_ms);
}

bool jscan_raw(struct jscan *j, struct slice *raw) {
    skip_space(j);
    const char *from = j->at;
    jscan_skip(j);
    if (j->error != NULL)
        return false;
    *raw = slice_range(from, j->at);
    return true;
}

const char *jscan_error(const struct jscan *j, size_t *offset) {
    if (j->error != NULL && offset != NULL)
        *offset = (size_t)(j->at - j->start);
    return j->error;
}

bool jscan_at_end(struct jscan *j) {
    skip_space(j);
    return j->error == NULL && j->at == j->end;
}

/* ---- escapes to UTF-8 ---- */

/* Four hexadecimal digits at *p, which is advanced; -1 if they are not there. */
static int take_hex4(const char **p, const char *end) {
    int value = 0;
    if (end - *p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = (*p)[i], low = (char)(c | 0x20);
        int digit = c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    *p += 4;
    return value;
}

/* After "\u". What cannot stand in a C string of UTF-8 (half a surrogate pair, NUL) becomes U+FFFD. */
static int take_unicode(const char **p, const char *end) {
    int code = take_hex4(p, end);
    if (code >= 0xD800 && code <= 0xDBFF) {
        const char *second = *p;
        if (end - second >= 6 && second[0] == '\\' && second[1] == 'u') {
            second += 2;
            int low = take_hex4(&second, end);
            if (low >= 0xDC00 && low <= 0xDFFF) {
                *p = second;
                return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            }
        }
        return 0xFFFD;
    }
    return code == 0 || (code >= 0xDC00 && code <= 0xDFFF) ? 0xFFFD : code;
}

/* After a backslash: the code point meant, -1 if it is not an escape. */
static int take_escape(const char **p, const char *end) {
    if (*p == end)
        return -1;
    char c = *(*p)++;
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'u':
        return take_unicode(p, end);
    default:
        return -1;
    }
}

static size_t encode(char out[4], int code) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const int leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)(leads[n] | code);
    return n;
}

/* *ret_at: where a malformed escape ends. */
static bool decode(struct slice raw, char *out, size_t out_size, const char **ret_at) {
    if (slice_find_char(raw, '\\') == NULL) { /* also a member that is missing, whose data is NULL */
        slice_copy(out, out_size, raw);
        return true;
    }
    const char *p = raw.data, *end = raw.data + raw.size_bytes;
    size_t size = 0;
    bool full = out_size == 0;
    while (p < end) {
        char one[4] = {*p};
        size_t n = 1;
        if (*p++ == '\\') {
            int code = take_escape(&p, end);
            if (code < 0) {
                *ret_at = p;
                return false;
            }
            n = encode(one, code);
        }
        /* Continuation bytes go with their character, so that truncation cuts none in two. */
        while (n < 4 && p < end && ((unsigned char)*p & 0xC0) == 0x80)
            one[n++] = *p++;
        /* After the first character that does not fit the rest is only checked. */
        full = full || size + n >= out_size;
        if (!full) {
            memcpy(out + size, one, n);
            size += n;
        }
    }
    if (out_size != 0)
        out[size] = '\0';
    return true;
}

bool jscan_unescape(struct slice raw, char *out, size_t out_size) {
    const char *at;
    return decode(raw, out, out_size, &at);
}

bool jscan_string(struct jscan *j, char *out, size_t out_size) {
    struct slice raw;
    const char *at;
    if (!jscan_string_raw(j, &raw))
        return false;
    if (decode(raw, out, out_size, &at))
        return true;
    j->at = at;
    return fail(j, "malformed escape");
}
