#include "steplog/progress.h"

#include "steplog/parser.h"
#include "steplog/text.h"

/* "00:07" or "1:02:03" */
static bool take_elapsed(struct slice *s, int64_t *seconds) {
    int64_t sum, part;
    if (!slice_take_uint(s, &sum))
        return false;
    for (int i = 0; i < 2 && slice_take_char(s, ':'); i++) {
        if (!slice_take_uint(s, &part) || part > 59 || sum > 10000000)
            return false;
        sum = sum * 60 + part;
    }
    *seconds = sum;
    return true;
}

static bool take_counts(struct slice *s, struct progress *bar) {
    if (!take_step(s, &bar->done) || !slice_take_char(s, '/'))
        return false;
    bar->total = -1;
    if (!slice_take_char(s, '?') && (!take_step(s, &bar->total) || bar->done > bar->total))
        return false;
    return slice_take_prefix(s, " [") && take_elapsed(s, &bar->elapsed_s) &&
           (slice_starts(*s, "<") || slice_starts(*s, ","));
}

bool progress_parse(struct slice piece, struct progress *bar) {
    struct slice rest = piece, cells;
    if (!slice_take_until(&rest, '|', &cells))
        return false;
    const char *first = cells.data + cells.size_bytes;
    do
        if (!slice_take_until(&rest, '|', &cells))
            return false;
    while (!slice_take_char(&rest, ' '));
    if (!take_counts(&rest, bar))
        return false;
    struct slice head = slice_range(piece.data, first);
    if (slice_ends(head, "%")) {
        head.size_bytes--;
        while (head.size_bytes > 0 && head.data[head.size_bytes - 1] >= '0' && head.data[head.size_bytes - 1] <= '9')
            head.size_bytes--;
    }
    head = slice_trim(head);
    if (slice_ends(head, ":"))
        head.size_bytes--;
    bar->description = head;
    bar->at = first;
    return true;
}

const struct progress *progress_of(struct steplog *s, struct slice text) {
    if (s->drawing_of.data != text.data || s->drawing_of.size_bytes != text.size_bytes) {
        s->drawing_of = text;
        s->is_drawing = progress_parse(text, &s->drawing);
    }
    return s->is_drawing ? &s->drawing : NULL;
}
