#include "steplog/regex.h"

#include "base/mem.h"
#include "steplog/steplog.h"

#include <errno.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

/* The match limit counts anew from each place in the text where a match may begin, so that the text is limited too. */
#define HEAD_BYTES 2048
#define MATCH_LIMIT 10000
#define DEPTH_LIMIT 250
#define HEAP_LIMIT_KIB 256
#define TOO_EXPENSIVE_AT_MOST 20

struct regex {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    struct slice text; /* of the last match */
    int too_expensive;
};

static pcre2_code *compile(const char *name, const char *pattern, struct error **err) {
    size_t size = strlen(pattern), offset = 0;
    if (size == 0 || size > STEPLOG_MAX_PATTERN_BYTES) {
        error_set(err, EINVAL, "%s has %zu bytes; a pattern has 1 to %d", name, size, STEPLOG_MAX_PATTERN_BYTES);
        return NULL;
    }
    int code = 0;
    /* Bytes, not UTF: lines need not be valid UTF-8. */
    pcre2_code *compiled =
        pcre2_compile((PCRE2_SPTR)pattern, size, PCRE2_NEVER_UTF | PCRE2_NEVER_UCP, &code, &offset, NULL);
    if (compiled == NULL) {
        char text[160] = "unknown error";
        pcre2_get_error_message(code, (PCRE2_UCHAR *)text, sizeof text);
        error_set(err, EINVAL, "%s is no valid pattern: at byte %zu: %s", name, offset, text);
    }
    return compiled;
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
    pcre2_set_match_limit(r->limits, MATCH_LIMIT);
    pcre2_set_depth_limit(r->limits, DEPTH_LIMIT);
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

enum regex_result regex_match(struct regex *r, struct slice text) {
    if (r->too_expensive >= TOO_EXPENSIVE_AT_MOST)
        return REGEX_NO;
    bool is_cut = text.size_bytes > HEAD_BYTES;
    if (is_cut)
        text.size_bytes = HEAD_BYTES;
    r->text = text;
    uint32_t options = is_cut ? PCRE2_NOTEOL : 0; /* "$" is not there */
    int found = pcre2_match(r->code, (PCRE2_SPTR)text.data, text.size_bytes, 0, options, r->data, r->limits);
    if (found >= 0)
        return REGEX_YES;
    if (found == PCRE2_ERROR_NOMATCH)
        return REGEX_NO;
    r->too_expensive++;
    return REGEX_TOO_EXPENSIVE;
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
