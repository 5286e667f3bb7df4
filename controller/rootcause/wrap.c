#include "rootcause/wrap.h"

#include "rootcause/exception_text.h"
#include "rootcause/line.h"

enum { NARROW = 80, WIDE = 120, MAX_HELD_BYTES = 16 << 10, SAME_BYTES = 4 };

void wrap_init(struct wrap *w) {
    *w = (struct wrap){.is_held = false};
    buf_init(&w->held, MAX_HELD_BYTES);
    buf_init(&w->plain, MAX_HELD_BYTES);
}

void wrap_done(struct wrap *w) {
    buf_done(&w->held);
    buf_done(&w->plain);
    w->is_held = false;
}

/* UTF-8: each character has one byte that is not 10xxxxxx. */
static size_t columns_of(struct slice raw) {
    size_t n = 0;
    for (size_t i = 0; i < raw.size_bytes; i++)
        n += ((unsigned char)raw.data[i] & 0xc0) != 0x80;
    return n;
}

/* A rule, a box, a progress bar: it fills the width, and nothing of it is cut off. */
static bool is_drawn(struct slice raw) {
    char last = raw.data[raw.size_bytes - 1];
    bool is_rule = true;
    for (size_t i = 1; i < SAME_BYTES; i++)
        is_rule &= raw.data[raw.size_bytes - 1 - i] == last;
    struct slice text = slice_trim(raw);
    return is_rule || (text.size_bytes > 0 && text.data[0] == '\xe2') || slice_find_char(raw, '\r') != NULL;
}

bool wrap_hold(struct wrap *w, struct slice raw, int64_t number) {
    if (raw.size_bytes < NARROW)
        return false;
    size_t columns = columns_of(raw);
    if (columns > w->widest)
        w->widest = columns;
    if (columns != w->widest || (columns != NARROW && columns != WIDE) || is_drawn(raw))
        return false;
    buf_clear(&w->held);
    buf_append_slice(&w->held, raw);
    w->number = number;
    w->columns = columns;
    w->is_held = !w->held.truncated;
    return w->is_held;
}

/* The next line of a log starts as one does: as the line before, with a prefix, indented, as an exception. */
static bool starts_as_line(struct wrap *w, const struct matcher *m, struct slice raw) {
    struct line line;
    struct slice exception;
    bool is_caused;
    line_read_text(&line, raw, &w->plain);
    return line.writer != 0 || line.indentation > 1 || line_starts_record(line.text) ||
           slice_starts(line.text, "Traceback (") || slice_starts(line.text, "File \"") ||
           memcmp(raw.data, w->held.data, SAME_BYTES) == 0 || exception_text_bare(m, line.text, &exception, &is_caused);
}

bool wrap_take_rest(struct wrap *w, const struct matcher *m, struct slice raw, bool *is_whole) {
    if (!w->is_held)
        return false;
    size_t columns = columns_of(raw);
    if (columns == 0 || columns > w->columns || (raw.size_bytes >= SAME_BYTES && starts_as_line(w, m, raw)))
        return false;
    buf_append_slice(&w->held, raw);
    *is_whole = columns < w->columns || w->held.truncated;
    return true;
}

bool wrap_release(struct wrap *w, struct slice *raw, int64_t *number) {
    if (!w->is_held)
        return false;
    w->is_held = false;
    *raw = buf_slice(&w->held);
    *number = w->number;
    return true;
}
