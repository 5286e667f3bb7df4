#include "cli/analyze/array.h"

static bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

void analyze_array_look(struct analyze_array *a, const char *bytes, size_t size) {
    size_t i = 0;
    while (i < size && is_space(bytes[i]))
        i++;
    if (i == size)
        return;
    a->is_known = bytes[i] != '[';
    if (a->is_known)
        return;
    for (i++; i < size && is_space(bytes[i]);)
        i++;
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

size_t analyze_array_unfold(struct analyze_array *a, char *bytes, size_t size) {
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        char c = bytes[i];
        bool stays = a->depth > 0 ? take_inner(a, c) : take_outer(a, c);
        if (stays) {
            bytes[kept++] = c;
        } else if (a->owes_newline) { /* a dropped byte made room for it */
            bytes[kept++] = '\n';
            a->owes_newline = false;
        }
    }
    return kept;
}
