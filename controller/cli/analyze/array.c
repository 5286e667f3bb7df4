#include "cli/analyze/array.h"

#include <string.h>

/* {"data": {"result": [{"stream": {...}, "values": [[...], ...]}]}} */
enum { RESULT_LEVEL = 3, STREAM_LEVEL = 5, VALUE_LEVEL = 6 };

static bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static size_t skip_spaces(const char *bytes, size_t size, size_t i) {
    while (i < size && is_space(bytes[i]))
        i++;
    return i;
}

/* {"status":"success" */
static void look_at_response(struct analyze_array *a, const char *bytes, size_t size, size_t i) {
    static const char *const words[] = {"{", "\"status\"", ":", "\"success\""};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        size_t n = strlen(words[w]);
        i = skip_spaces(bytes, size, i);
        size_t there = size - i < n ? size - i : n;
        a->is_known = memcmp(bytes + i, words[w], there) != 0;
        if (a->is_known || there < n)
            return;
        i += n;
    }
    a->is_known = a->is_array = a->is_response = true;
}

void analyze_array_look(struct analyze_array *a, const char *bytes, size_t size) {
    size_t i = skip_spaces(bytes, size, 0);
    if (i == size)
        return;
    if (bytes[i] == '{') {
        look_at_response(a, bytes, size, i);
        return;
    }
    a->is_known = bytes[i] != '[';
    if (a->is_known)
        return;
    i = skip_spaces(bytes, size, i + 1);
    a->is_known = i < size;
    a->is_array = i < size && bytes[i] == '{'; /* "[2026-11-21 ..." is a log line */
}

/* Takes a byte within an entry; true if it is kept. */
static bool take_inner(struct analyze_array *a, char c) {
    if (a->is_in_string) {
        a->is_in_string = c != '"' || a->is_escaped;
        a->is_escaped = c == '\\' && !a->is_escaped;
        return true;
    }
    a->is_in_string = c == '"';
    if (c == '{' || c == '[')
        a->depth++;
    else if (c == '}' || c == ']')
        a->owes_newline = --a->depth == 0;
    return !is_space(c);
}

/* Takes a byte between entries: drops brackets and commas; anything else (a line of another kind) stays a line. */
static bool take_outer(struct analyze_array *a, char c) {
    if (a->is_in_text) {
        a->is_in_text = c != '\n';
        return true;
    }
    if (c == '{')
        a->depth = 1;
    a->is_in_text = c != '{' && c != '[' && c != ']' && c != ',' && !is_space(c);
    return c == '{' || a->is_in_text;
}

/* Takes a byte of a response that is in no entry. */
static bool take_around(struct analyze_array *a, char c) {
    if (a->is_in_string) {
        a->is_in_string = c != '"' || a->is_escaped;
        a->is_escaped = c == '\\' && !a->is_escaped;
        return false;
    }
    a->is_in_string = c == '"';
    if (c == '{' || c == '[') {
        a->level++;
        if (a->level == RESULT_LEVEL)
            a->is_in_result = c == '[';
        bool is_entry = (c == '{' && a->level == STREAM_LEVEL) || (c == '[' && a->level == VALUE_LEVEL);
        if (is_entry && a->is_in_result) {
            a->level--; /* at the entry's end */
            a->depth = 1;
            return true;
        }
    } else if ((c == '}' || c == ']') && a->level > 0) {
        a->level--;
    }
    return false;
}

size_t analyze_array_unfold(struct analyze_array *a, char *bytes, size_t size) {
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        char c = bytes[i];
        bool stays = a->depth > 0 ? take_inner(a, c) : a->is_response ? take_around(a, c) : take_outer(a, c);
        if (stays) {
            bytes[kept++] = c;
        } else if (a->owes_newline) { /* a dropped byte made room for it */
            bytes[kept++] = '\n';
            a->owes_newline = false;
        }
    }
    return kept;
}
