#include "sources/look_table.h"

#define MAX_OLD_OFFSET ((INT64_C(1) << 40) - 1) /* the cursor is bounded; larger files are not known again */

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

static bool take_old(struct slice *s, struct look_old *old) {
    uint64_t name, print, offset;
    if (!slice_take_prefix(s, " -") || !take_hex(s, &name) || !slice_take_char(s, ':') || !take_hex(s, &print) ||
        !slice_take_char(s, ':') || !take_hex(s, &offset))
        return false;
    *old = (struct look_old){(uint32_t)name, (uint32_t)print, (int64_t)offset};
    return name <= UINT32_MAX && print <= UINT32_MAX && offset > 0 && offset <= MAX_OLD_OFFSET;
}

bool look_table_parse(struct look_table *table, struct slice cursor) {
    struct look_table t = {.floor_ns = INT64_MIN};
    uint64_t floor;
    if (!slice_take_prefix(&cursor, "1 ") || !take_hex(&cursor, &floor))
        return false;
    t.floor_ns = (int64_t)floor;
    while (cursor.size_bytes > 0 && !slice_starts(cursor, " -"))
        if (t.count == LOOK_FILES || !take_file(&cursor, &t.files[t.count++]))
            return false;
    while (cursor.size_bytes > 0)
        if (t.old_count == LOOK_OLD || !take_old(&cursor, &t.old[t.old_count++]))
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
    /* The oldest first, so that the ring starts again at the same place. */
    for (int i = 0; i < table->old_count; i++) {
        const struct look_old *o = &table->old[table->old_count < LOOK_OLD ? i : (table->old_next + i) % LOOK_OLD];
        buf_format(cursor, " -%x:%x:%llx", (unsigned)o->name, (unsigned)o->print, (unsigned long long)o->offset);
    }
}

void look_table_add_old(struct look_table *table, const struct look_file *f) {
    if (f->offset > MAX_OLD_OFFSET)
        return;
    bool is_full = table->old_count == LOOK_OLD;
    table->old[is_full ? table->old_next : table->old_count++] =
        (struct look_old){(uint32_t)f->name, (uint32_t)f->print, f->offset};
    if (is_full)
        table->old_next = (table->old_next + 1) % LOOK_OLD;
}
