#include "base/jmembers.h"

/* In line, it would cost every member a stack frame. */
static __attribute__((noinline)) bool take_int(struct jscan *j, const struct jmember *row, int64_t *to) {
    int64_t value;
    if (!jscan_int(j, &value) || value < row->low || value > row->high)
        return false;
    *to = value;
    return true;
}

bool jmembers_take(struct jscan *j, const struct jmember *row, void *to) {
    void *at = (char *)to + row->offset;
    switch ((enum jmember_kind)row->kind) {
    case JMEMBER_SLICE:
        return jscan_string_raw(j, at);
    case JMEMBER_INT:
        return take_int(j, row, at);
    case JMEMBER_BOOL:
        return jscan_bool(j, at);
    case JMEMBER_CHARS:
        return jscan_string(j, at, row->size);
    case JMEMBER_UNIX:
        return jscan_time_ms(j, at);
    case JMEMBER_VALUE:
        return jscan_raw(j, at);
    case JMEMBER_NESTED:
        return jmembers_read(j, row->rows, row->row_count, at);
    case JMEMBER_CALL:
        row->scan(j, at);
        return true;
    case JMEMBER_EACH:
        jmembers_each(j, row->scan, at);
        return true;
    }
    return false;
}

__attribute__((noinline)) void jmembers_each(struct jscan *j, jmember_scan *scan, void *at) {
    if (jscan_array(j))
        while (jscan_element(j))
            scan(j, at);
}

static inline bool is_named(const struct jmember *row, struct slice key) {
    return row->name_size == key.size_bytes && row->name[0] == key.data[0] &&
           memcmp(row->name, key.data, key.size_bytes) == 0;
}

static inline const struct jmember *find(const struct jmember *rows, size_t count, struct slice key) {
    for (const struct jmember *row = rows; row < rows + count; row++)
        if (is_named(row, key))
            return row;
    return NULL;
}

const struct jmember *jmembers_find(const struct jmember *rows, size_t count, struct slice key) {
    return find(rows, count, key);
}

static inline uint64_t size_bit(size_t name_size) {
    return UINT64_C(1) << (name_size & 63);
}

bool jmembers_read(struct jscan *j, const struct jmember *rows, size_t count, void *to) {
    const struct jmember *end = rows + count, *next = rows; /* next: after the last one found */
    struct slice key;
    uint64_t missing = 0, sizes = 0; /* sizes: of all names, to skip most other members at once */
    if (!jscan_object(j))
        return false;
    for (size_t i = 0; i < count && rows[i].is_required; i++)
        missing |= UINT64_C(1) << i;
    while (jscan_key(j, &key)) {
        const struct jmember *row = next;
        if (next == end || !is_named(next, key)) {
            for (size_t i = sizes == 0 ? 0 : count; i < count; i++)
                sizes |= size_bit(rows[i].name_size);
            row = (sizes & size_bit(key.size_bytes)) != 0 ? find(rows, count, key) : NULL;
        }
        if (row == NULL) {
            jscan_skip(j);
            continue;
        }
        next = row + 1;
        if (jmembers_take(j, row, to) && missing != 0)
            missing &= ~(UINT64_C(1) << (row - rows));
    }
    return missing == 0;
}

bool jmembers_parse(struct slice json, const struct jmember *rows, size_t count, void *to) {
    struct jscan j;
    jscan_init(&j, json);
    return jmembers_read(&j, rows, count, to) && jscan_at_end(&j);
}
