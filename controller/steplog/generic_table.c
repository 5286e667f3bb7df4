#include "steplog/generic_table.h"

#include "base/mem.h"
#include "steplog/generic_line.h"
#include "steplog/generic_number.h"

#include <stdio.h>
#include <string.h>

#define MIN_COLUMNS 3

static bool is_edge(const char *at, const char *end) {
    bool is_box = end - at >= 3 && memcmp(at, "\xE2\x94", 2) == 0; /* box-drawing characters */
    return *at == '\t' || *at == '|' || is_box || (*at == ' ' && end - at > 1 && at[1] == ' ');
}

/* Cursor: what stands between two spaces or more, tabs or bars. */
static bool take_cell(struct slice *rest, struct slice *cell) {
    const char *at = rest->data, *end = at + rest->size_bytes;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '|' || (unsigned char)*at >= 0x80))
        at++;
    const char *from = at;
    while (at < end && !is_edge(at, end))
        at++;
    *cell = slice_trim(slice_range(from, at));
    *rest = slice_range(at, end);
    return cell->size_bytes > 0;
}

/* "Step (% Done)" is "Step", spaCy's "E" and "#" are the epoch and the step. */
static struct slice name_of(struct slice cell) {
    const char *more = slice_find_char(cell, '(');
    if (slice_is(cell, "#"))
        return SLICE("step");
    if (slice_is(cell, "E"))
        return SLICE("epoch");
    return more != NULL ? slice_trim(slice_range(cell.data, more)) : cell;
}

static bool is_of_evaluation(struct slice name) {
    struct generic_line l;
    return generic_line_parse(name, &l) && l.is_evaluation;
}

static void add_pair(char *buf, size_t size_bytes, struct slice name, struct slice value) {
    size_t used = strlen(buf);
    if (used + name.size_bytes + value.size_bytes + 5 < size_bytes && !is_of_evaluation(name))
        snprintf(buf + used, size_bytes - used, "%.*s: %.*s, ", (int)name.size_bytes, name.data, (int)value.size_bytes,
                 value.data);
}

void generic_table_done(struct generic_table *t) {
    free(t->head);
}

static void keep_head(struct generic_table *t, struct slice head) {
    free(t->head);
    t->head = head.size_bytes > 0 ? mem_strndup(head.data, head.size_bytes) : NULL;
}

void generic_table_visit(struct generic_table *t, struct codec *c) {
    char head[GENERIC_TABLE_BYTES] = "";
    if (t->head != NULL)
        snprintf(head, sizeof head, "%s", t->head);
    codec_chars(c, head, sizeof head);
    keep_head(t, slice_of(head));
}

/* "step 10", "loss: 9.1": no name. */
static bool has_value(struct slice cell) {
    char before = ' ';
    for (size_t i = 0; i < cell.size_bytes; i++) {
        char c = cell.data[i];
        if (c == ':' || c == '=' || (before == ' ' && generic_is_digit(c)))
            return true;
        before = c;
    }
    return false;
}

/* "loss", "LOSS", "Train". */
static bool names_figure(struct slice text) {
    return slice_contains(text, "oss") || slice_contains(text, "OSS") || slice_contains(text, "rain");
}

static bool may_be_head(struct slice text) {
    return text.size_bytes < GENERIC_TABLE_BYTES &&
           (slice_find_char(text, '|') != NULL || slice_contains(text, "  ")) && names_figure(text);
}

static bool take_head(struct generic_table *t, struct slice text) {
    char buf[2 * GENERIC_TABLE_BYTES] = "";
    struct slice rest = text, cell;
    struct generic_line l;
    int columns = 0;
    while (take_cell(&rest, &cell)) {
        bool is_counter = generic_is_letter(name_of(cell).data[0]) && columns == 0;
        char pair[GENERIC_NAME_BYTES + 8] = "";
        add_pair(pair, sizeof pair, name_of(cell), SLICE("1"));
        if (is_counter && (!generic_line_parse((struct slice){pair, strlen(pair)}, &l) || l.name[0] == '\0'))
            continue; /* a logger's prefix */
        if (columns == 0 && !is_counter)
            continue;
        if (has_value(cell))
            return false;
        columns++;
        add_pair(buf, sizeof buf, name_of(cell), SLICE("1"));
    }
    if (columns < MIN_COLUMNS || !generic_line_parse((struct slice){buf, strlen(buf)}, &l) || !generic_line_is_step(&l))
        return false;
    keep_head(t, text);
    return true;
}

bool generic_table_head(struct generic_table *t, struct slice text) {
    return may_be_head(text) && take_head(t, text);
}

/* The name of which the largest part is above what lies between the two places of a line, else the last one that begins
 * before it (spaCy aligns names to the left and values to the right); empty: none. */
static struct slice name_above(const struct generic_table *t, size_t from, size_t to) {
    struct slice rest = slice_of(t->head), cell, name = {0};
    size_t max = 0;
    while (take_cell(&rest, &cell)) {
        size_t at = (size_t)(cell.data - t->head), end = at + cell.size_bytes;
        size_t first = at > from ? at : from, last = end < to ? end : to;
        if (last > first ? last - first > max : max == 0 && at < to)
            name = name_of(cell);
        if (last > first && last - first > max)
            max = last - first;
    }
    return name;
}

bool generic_table_row(const struct generic_table *t, struct slice text, char buf[static 2 * GENERIC_TABLE_BYTES],
                       struct slice *ret) {
    struct slice rest = text, cell;
    int columns = 0;
    if (t->head == NULL || text.size_bytes > 2 * GENERIC_TABLE_BYTES)
        return false;
    buf[0] = '\0';
    while (take_cell(&rest, &cell)) {
        size_t from = (size_t)(cell.data - text.data);
        struct slice name = name_above(t, from, from + cell.size_bytes);
        if (name.size_bytes == 0 || !generic_is_digit(cell.data[cell.data[0] == '-']))
            continue;
        add_pair(buf, 2 * GENERIC_TABLE_BYTES, name, cell);
        columns++;
    }
    struct slice pairs = {buf, strlen(buf)};
    struct generic_line l;
    if (columns < MIN_COLUMNS || !generic_line_parse(pairs, &l) || l.name[0] == '\0')
        return false; /* the rows of another table, as of a validation */
    *ret = pairs;
    return true;
}
