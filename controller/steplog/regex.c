#include "steplog/regex.h"

#include "base/digits.h"
#include "base/mem.h"
#include "steplog/steplog.h"

#include <errno.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

/* PCRE2's own match limit restarts at each place in the text where a match may begin, and loops that the compiler made
 * possessive do not count against it (the pattern of test_regex.c's hostile tenant ran for minutes). Work is counted
 * here instead, at callouts before every item of the pattern (PCRE2_AUTO_CALLOUT, pcre2callout(3)): eight units for the
 * item, one for each byte since the last callout, and half the rest of the text for an item that may compare all of it.
 * An item costs more where a counted repeat of a group was compiled into thousands of nested groups, which end without
 * a callout. test_regex.c measures what a unit takes. */
#define HEAD_BYTES 8192
#define ITEM_UNITS 8
#define SCAN_SHARE 2
#define COMPILED_BYTES_A_UNIT 2048
#define HEAP_LIMIT_KIB 256
#define MAX_TOO_EXPENSIVE 20
#define SHAPE_BYTES 1024 /* a longer text is not kept */
#define SHAPE_MATCHES 33 /* of one text */

struct work {
    const char *pattern;
    size_t item_units, at, units, limit;
};

/* What a search found. */
struct search {
    enum regex_result result;
    size_t units;
    PCRE2_SIZE *ends; /* of the groups */
};

struct regex {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    struct slice text; /* of the last match */
    bool is_cut;
    struct work work;       /* of the last match */
    const PCRE2_SIZE *ends; /* of the last match */
    int too_expensive;
    /* A text, and what the searches in it found, one after the other. A pattern that takes all digits alike finds the
     * same in each text that differs in digits alone, and takes the same steps: a trainer's next line is such a text.
     */
    bool takes_digits_alike;
    struct buf shape;
    struct search *searches;
    int search_count, search; /* search: the next one's number */
    char pattern[STEPLOG_MAX_PATTERN_BYTES + 1];
};

static pcre2_code *compile(const char *name, const char *pattern, struct error **err) {
    size_t size = strlen(pattern), offset = 0;
    if (size == 0 || size > STEPLOG_MAX_PATTERN_BYTES) {
        error_set(err, EINVAL, "%s has %zu bytes; a pattern has 1 to %d", name, size, STEPLOG_MAX_PATTERN_BYTES);
        return NULL;
    }
    int code = 0;
    /* Bytes, not UTF: lines need not be valid UTF-8. */
    pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)pattern, size,
                                         PCRE2_NEVER_UTF | PCRE2_NEVER_UCP | PCRE2_AUTO_CALLOUT, &code, &offset, NULL);
    if (compiled == NULL) {
        char text[160] = "unknown error";
        pcre2_get_error_message(code, (PCRE2_UCHAR *)text, sizeof text);
        error_set(err, EINVAL, "%s is not a valid pattern: at byte %zu: %s", name, offset, text);
    }
    return compiled;
}

/* A counted repeat and a back reference compare many bytes and may fail at the last one, where no callout shows how far
 * they came. */
static bool may_scan(const struct work *w, const pcre2_callout_block *item) {
    const char *text = w->pattern + item->pattern_position;
    size_t size = item->next_item_length;
    return size > 1 && (text[size - 1] == '}' || (text[0] == '\\' && strchr("123456789gk", text[1]) != NULL) ||
                        (size > 3 && memcmp(text, "(?P=", 4) == 0));
}

/* Zero continues the match, a negative value ends it with that error. */
static int count_work(pcre2_callout_block *item, void *context) {
    struct work *w = context;
    size_t at = item->current_position;
    w->units += w->item_units + (at > w->at ? at - w->at : 0);
    w->at = at;
    if (may_scan(w, item))
        w->units += (item->subject_length - at) / SCAN_SHARE;
    return w->units > w->limit ? PCRE2_ERROR_MATCHLIMIT : 0;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* A quantifier: "{2}", "{2,}", "{2,3}"; its end, or NULL. */
static const char *quantifier_end(const char *p) {
    size_t digits = strspn(p + 1, "0123456789");
    p += 1 + digits;
    if (*p == ',')
        p += 1 + strspn(p + 1, "0123456789");
    return digits > 0 && *p == '}' ? p : NULL;
}

/* Behind "(?": groups, assertions and names, but no reference back, flag, condition or verb. Its last character, or
 * NULL. */
static const char *group_end(const char *p) {
    if (p[1] != '?')
        return p[1] == '*' ? NULL : p;
    p += 2;
    if (*p == 'P' && p[1] == '<')
        p++;
    if (*p == ':' || *p == '=' || *p == '!' || *p == '>' || *p == '|')
        return p;
    if (*p != '<')
        return NULL;
    if (p[1] == '=' || p[1] == '!')
        return p + 1;
    return strchr(p, '>');
}

/* Whether nothing in the pattern holds some digits and not others: then whatever it finds in a text, it finds in the
 * same text with other digits. False where that is not plain. */
static bool takes_digits_alike(const char *pattern) {
    static const char escapes[] = "dDwWsSbBAzZnrt";
    bool is_in_class = false;
    for (const char *p = pattern; *p != '\0'; p++) {
        if (*p == '\\') {
            p++;
            bool is_letter = (*p | 32) >= 'a' && (*p | 32) <= 'z';
            if (*p == '\0' || is_digit(*p) || (is_letter && strchr(escapes, *p) == NULL))
                return false;
        } else if (is_in_class && strncmp(p, "0-9", 3) == 0 && p[-1] != '-') {
            p += 2;
        } else if (is_digit(*p)) {
            return false;
        } else if (*p == '[' || *p == ']') {
            is_in_class = *p == '[';
        } else if (!is_in_class && *p == '{' && quantifier_end(p) != NULL) {
            p = quantifier_end(p);
        } else if (!is_in_class && *p == '(') {
            p = group_end(p);
            if (p == NULL)
                return false;
        }
    }
    return true;
}

static void forget_shape(struct regex *r) {
    for (int i = 0; i < r->search_count; i++)
        free(r->searches[i].ends);
    r->search_count = 0;
    buf_clear(&r->shape);
}

/* The searches of the last text hold for this one, or it is kept for the next. */
static void use_shape(struct regex *r, struct slice text) {
    struct slice shape = buf_slice(&r->shape);
    r->search = 0;
    if (!r->takes_digits_alike ||
        (shape.size_bytes == text.size_bytes && digits_alone_differ(shape.data, text.data, text.size_bytes)))
        return;
    forget_shape(r);
    if (text.size_bytes <= SHAPE_BYTES)
        buf_append_slice(&r->shape, text);
}

static void keep_search(struct regex *r, enum regex_result result) {
    bool is_next = r->search == r->search_count && r->search_count < SHAPE_MATCHES;
    if (!r->takes_digits_alike || r->shape.size_bytes == 0 || !is_next || result == REGEX_TOO_EXPENSIVE)
        return;
    size_t size = 2 * pcre2_get_ovector_count(r->data) * sizeof *r->ends;
    if (r->searches == NULL)
        r->searches = mem_alloc(SHAPE_MATCHES * sizeof *r->searches);
    struct search *s = &r->searches[r->search_count++];
    *s = (struct search){.result = result, .units = r->work.units, .ends = mem_alloc(size)};
    memcpy(s->ends, r->ends, size);
}

struct regex *regex_new(const char *name, const char *pattern, struct error **err) {
    pcre2_code *code = compile(name, pattern, err);
    if (code == NULL)
        return NULL;
    struct regex *r = mem_new(struct regex);
    r->code = code;
    r->data = pcre2_match_data_create_from_pattern(code, NULL);
    r->limits = pcre2_match_context_create(NULL);
    if (r->data == NULL || r->limits == NULL) {
        error_set(err, ENOMEM, "%s: out of memory", name);
        regex_free(r);
        return NULL;
    }
    memcpy(r->pattern, pattern, strlen(pattern) + 1);
    r->takes_digits_alike = takes_digits_alike(pattern);
    buf_init(&r->shape, SHAPE_BYTES);
    size_t compiled_bytes = 0;
    pcre2_pattern_info(code, PCRE2_INFO_SIZE, &compiled_bytes);
    r->work.pattern = r->pattern;
    r->work.item_units = ITEM_UNITS * (1 + compiled_bytes / COMPILED_BYTES_A_UNIT);
    pcre2_set_callout(r->limits, count_work, &r->work);
    pcre2_set_heap_limit(r->limits, HEAP_LIMIT_KIB);
    return r;
}

void regex_free(struct regex *r) {
    if (r == NULL)
        return;
    forget_shape(r);
    free(r->searches);
    buf_done(&r->shape);
    pcre2_match_context_free(r->limits);
    pcre2_match_data_free(r->data);
    pcre2_code_free(r->code);
    free(r);
}

bool regex_has_group(const struct regex *r, const char *group) {
    return pcre2_substring_number_from_name(r->code, (PCRE2_SPTR)group) > 0;
}

bool regex_is_disabled(const struct regex *r) {
    return r->too_expensive >= MAX_TOO_EXPENSIVE;
}

size_t regex_units(const struct regex *r) {
    return r->work.units;
}

static enum regex_result search_from(struct regex *r, size_t offset, size_t limit) {
    r->work.at = offset;
    r->work.units = ITEM_UNITS;
    r->work.limit = limit;
    uint32_t options = r->is_cut ? PCRE2_NOTEOL : 0; /* "$" is not there */
    int found = pcre2_match(r->code, (PCRE2_SPTR)r->text.data, r->text.size_bytes, offset, options, r->data, r->limits);
    if (found >= 0)
        return REGEX_YES;
    if (found == PCRE2_ERROR_NOMATCH)
        return REGEX_NO;
    r->too_expensive++;
    return REGEX_TOO_EXPENSIVE;
}

static enum regex_result match_from(struct regex *r, size_t offset, size_t limit) {
    const struct search *known = r->search < r->search_count ? &r->searches[r->search] : NULL;
    enum regex_result result;
    if (known != NULL && known->units <= limit) {
        r->work.units = known->units;
        r->ends = known->ends;
        result = known->result;
    } else {
        result = search_from(r, offset, limit);
        r->ends = pcre2_get_ovector_pointer(r->data);
        keep_search(r, result);
    }
    r->search++;
    return result;
}

enum regex_result regex_match(struct regex *r, struct slice text, size_t limit) {
    r->work.units = 0;
    if (regex_is_disabled(r))
        return REGEX_NO;
    r->is_cut = text.size_bytes > HEAD_BYTES;
    if (r->is_cut)
        text.size_bytes = HEAD_BYTES;
    r->text = text;
    use_shape(r, text);
    return match_from(r, 0, limit);
}

enum regex_result regex_match_next(struct regex *r, size_t limit) {
    const PCRE2_SIZE *ends = r->ends;
    bool is_empty = ends[1] <= ends[0] || ends[1] > r->text.size_bytes; /* or \K turned it round */
    r->work.units = 0;
    return is_empty || regex_is_disabled(r) ? REGEX_NO : match_from(r, ends[1], limit);
}

bool regex_group(const struct regex *r, const char *group, struct slice *value) {
    int number = pcre2_substring_number_from_name(r->code, (PCRE2_SPTR)group);
    if (number <= 0 || (uint32_t)number >= pcre2_get_ovector_count(r->data))
        return false;
    const PCRE2_SIZE *ends = r->ends + 2 * number;
    if (ends[0] == PCRE2_UNSET || ends[0] > ends[1] || ends[1] > r->text.size_bytes) /* \K may turn them round */
        return false;
    *value = slice_range(r->text.data + ends[0], r->text.data + ends[1]);
    return true;
}
