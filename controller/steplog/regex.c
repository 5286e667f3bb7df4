#include "steplog/regex.h"

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

struct work {
    const char *pattern;
    size_t item_units, at, units, limit;
};

struct regex {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    struct slice text; /* of the last match */
    bool is_cut;
    struct work work; /* of the last match */
    int too_expensive;
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

static enum regex_result match_from(struct regex *r, size_t offset, size_t limit) {
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

enum regex_result regex_match(struct regex *r, struct slice text, size_t limit) {
    r->work.units = 0;
    if (regex_is_disabled(r))
        return REGEX_NO;
    r->is_cut = text.size_bytes > HEAD_BYTES;
    if (r->is_cut)
        text.size_bytes = HEAD_BYTES;
    r->text = text;
    return match_from(r, 0, limit);
}

enum regex_result regex_match_next(struct regex *r, size_t limit) {
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(r->data);
    bool is_empty = ends[1] <= ends[0] || ends[1] > r->text.size_bytes; /* or \K turned it round */
    r->work.units = 0;
    return is_empty || regex_is_disabled(r) ? REGEX_NO : match_from(r, ends[1], limit);
}

bool regex_group(const struct regex *r, const char *group, struct slice *value) {
    int number = pcre2_substring_number_from_name(r->code, (PCRE2_SPTR)group);
    if (number <= 0 || (uint32_t)number >= pcre2_get_ovector_count(r->data))
        return false;
    const PCRE2_SIZE *ends = pcre2_get_ovector_pointer(r->data) + 2 * number;
    if (ends[0] == PCRE2_UNSET || ends[0] > ends[1] || ends[1] > r->text.size_bytes) /* \K may turn them round */
        return false;
    *value = slice_range(r->text.data + ends[0], r->text.data + ends[1]);
    return true;
}
