#include "cli/commands/interval_rows.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "cli/render/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MS ((int64_t)1 << 60)
enum { TIME_WIDTH = 16, SCORES = 3 };

void interval_rows_add(struct interval_rows *rows, const char *name, const char *of, struct interval_range ms) {
    struct interval_row *row = NULL;
    for (size_t i = 0; i < rows->count && row == NULL; i++)
        if (strcmp(rows->items[i].name, name) == 0 && strcmp(rows->items[i].of, of) == 0)
            row = &rows->items[i];
    if (row == NULL) {
        MEM_GROW(rows->items, rows->count, rows->capacity);
        row = &rows->items[rows->count++];
        *row = (struct interval_row){name, of, {0, 0}};
    }
    row->ms.low = min_of(row->ms.low + ms.low, MAX_MS);
    row->ms.high = min_of(row->ms.high + ms.high, MAX_MS);
}

static int by_size(const void *a, const void *b) {
    const struct interval_row *x = a, *y = b;
    if (x->ms.high != y->ms.high)
        return x->ms.high > y->ms.high ? -1 : 1;
    return strcmp(x->name, y->name) != 0 ? strcmp(x->name, y->name) : strcmp(x->of, y->of);
}

void interval_rows_sort(struct interval_rows *rows) {
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].ms.high > 0)
            rows->items[kept++] = rows->items[i];
    rows->count = kept;
    if (kept > 1)
        qsort(rows->items, kept, sizeof *rows->items, by_size);
}

static int64_t ppm(int64_t part, int64_t whole) { /* rounded as in a status */
    return whole > 0 ? (int64_t)(((__int128)part * 2000000 + whole) / ((__int128)whole * 2)) : 0;
}

static const char *put_percent(char out[INTERVAL_TEXT_SIZE], struct interval_range ppm) {
    int n = snprintf(out, INTERVAL_TEXT_SIZE, "%.2f%%", (double)ppm.low / 1e4);
    if (ppm.high != ppm.low)
        snprintf(out + n, INTERVAL_TEXT_SIZE - (size_t)n, " to %.2f%%", (double)ppm.high / 1e4);
    return out;
}

const char *interval_duration(char out[INTERVAL_TEXT_SIZE], struct interval_range ms) {
    char low[TEXT_DURATION_SIZE], high[TEXT_DURATION_SIZE];
    text_duration_in(low, ms.low, 1);
    text_duration_in(high, ms.high, 1);
    snprintf(out, INTERVAL_TEXT_SIZE, ms.low == ms.high ? "%s" : "%s to %s", low, high);
    return out;
}

void interval_rows_draw(const struct interval_rows *rows, const char *title, const char *of, int64_t wall_ms,
                        struct buf *out) {
    char time[INTERVAL_TEXT_SIZE], share[INTERVAL_TEXT_SIZE];
    buf_append_char(out, '\n');
    text_cell(out, title, 24, 1);
    text_cell(out, of, 12, 1);
    text_cell(out, "TIME", TIME_WIDTH, -1);
    buf_append_text(out, "  SHARE\n");
    for (size_t i = 0; i < rows->count; i++) {
        const struct interval_row *row = &rows->items[i];
        const struct interval_range shares = {ppm(row->ms.low, wall_ms), ppm(row->ms.high, wall_ms)};
        interval_duration(time, row->ms);
        text_cell(out, *row->name != '\0' ? row->name : "-", 23, 1);
        buf_append_char(out, ' ');
        text_cell(out, row->of, 11, 1);
        buf_append_char(out, ' ');
        text_cell(out, time, text_width(time) > TIME_WIDTH ? 0 : TIME_WIDTH, -1);
        buf_format(out, "  %s\n", put_percent(share, shares));
    }
}

struct score {
    const char *title, *key;
    bool is_known;
    struct interval_range ppm;
};

static void find_scores(const struct interval_scores *s, struct score out[static SCORES]) {
    const struct interval_range a = s->available, p = s->productive;
    int64_t highest = p.high == 0 ? 0 : p.high >= a.low ? 1000000 : ppm(p.high, a.low);
    out[0] = (struct score){"SCHEDULING", "scheduling", true, {ppm(a.low, s->wall_ms), ppm(a.high, s->wall_ms)}};
    out[1] = (struct score){"RUNTIME", "runtime", s->has_steps && a.high > 0, {ppm(p.low, a.high), highest}};
    out[2] = (struct score){"GOODPUT", "job", s->has_steps, {ppm(p.low, s->wall_ms), ppm(p.high, s->wall_ms)}};
}

void interval_scores_draw(const struct interval_scores *s, struct buf *out) {
    struct score scores[SCORES];
    char percent[INTERVAL_TEXT_SIZE];
    find_scores(s, scores);
    for (size_t i = 0; i < SCORES; i++)
        if (scores[i].is_known)
            buf_format(out, "%s%s %s", i > 0 ? "   " : "", scores[i].title, put_percent(percent, scores[i].ppm));
    buf_append_text(out, s->has_steps ? "\n" : "; no steps are known\n");
}

void interval_interruptions_draw(struct interval_range count, struct buf *out) {
    buf_format(out, "\n%lld", (long long)count.low);
    if (count.high != count.low)
        buf_format(out, " to %lld", (long long)count.high);
    buf_append_text(out, count.high == 1 ? " interruption" : " interruptions");
}

json_t *interval_scores_json(const struct interval_scores *s) {
    struct score scores[SCORES];
    json_t *out = json_object();
    find_scores(s, scores);
    for (size_t i = 0; i < SCORES; i++)
        if (scores[i].is_known)
            json_object_set_new(out, scores[i].key, interval_range_json(scores[i].ppm));
    return out;
}

json_t *interval_range_json(struct interval_range x) {
    return json_pack("{s:I, s:I}", "low", (json_int_t)x.low, "high", (json_int_t)x.high);
}

json_t *interval_rows_json(const struct interval_rows *rows, const char *name, const char *of) {
    json_t *out = json_array();
    for (size_t i = 0; i < rows->count; i++) {
        const struct interval_row *row = &rows->items[i];
        json_array_append_new(out, json_pack("{s:s, s:s, s:o}", name, row->name, of, row->of, "milliseconds",
                                             interval_range_json(row->ms)));
    }
    return out;
}
