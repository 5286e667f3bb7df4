/* The cursor's text: "1 FLOOR NAME:PRINT:OFFSET:WRITTEN ...", numbers in hex. */
#include "sources/look.h"

static bool take_hex(struct slice *s, uint64_t *value) {
    struct slice at = *s;
    uint64_t v = 0;
    int digits = 0;
    for (; at.size_bytes > 0; at = slice_skip(at, 1), digits++) {
        char c = at.data[0];
        if (c >= '0' && c <= '9')
            v = v << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (uint64_t)(c - 'a' + 10);
        else
            break;
    }
    if (digits == 0 || digits > 16)
        return false;
    *value = v;
    *s = at;
    return true;
}

static bool take_file(struct slice *s, struct look_file *f) {
    uint64_t offset, written;
    if (!slice_take_char(s, ' ') || !take_hex(s, &f->name) || !slice_take_char(s, ':') || !take_hex(s, &f->print) ||
        !slice_take_char(s, ':') || !take_hex(s, &offset) || !slice_take_char(s, ':') || !take_hex(s, &written))
        return false;
    f->offset = (int64_t)offset;
    f->written_ns = (int64_t)written;
    return f->offset > 0;
}

bool look_table_parse(struct look_table *table, struct slice cursor) {
    struct look_table t = {.floor_ns = INT64_MIN};
    uint64_t floor;
    if (!slice_take_prefix(&cursor, "1 ") || !take_hex(&cursor, &floor))
        return false;
    t.floor_ns = (int64_t)floor;
    while (cursor.size_bytes > 0)
        if (t.count == LOOK_FILES || !take_file(&cursor, &t.files[t.count++]))
            return false;
    *table = t;
    return true;
}

void look_table_write(const struct look_table *table, struct buf *cursor) {
    buf_format(cursor, "1 %llx", (unsigned long long)table->floor_ns);
    for (int i = 0; i < table->count; i++) {
        const struct look_file *f = &table->files[i];
        buf_format(cursor, " %llx:%llx:%llx:%llx", (unsigned long long)f->name, (unsigned long long)f->print,
                   (unsigned long long)f->offset, (unsigned long long)f->written_ns);
    }
}
