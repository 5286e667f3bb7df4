/* jmembers: reads a JSON object (jscan.h) into a struct by a table: a row for each member that is read, all others are
 * skipped. A value of another type than its row, or out of its bounds, leaves the field as it is: set the defaults
 * first.
 *
 *   static const struct jmember rows[] = {JMEMBER(struct pod, node, "nodeName"), JMEMBER_TIME(struct pod, end_ms,
 * "end")}; jmembers_read(&j, JMEMBERS(rows), &pod);
 *
 * Rows in the order in which the writer writes its members are found at the first comparison. */
#ifndef BASE_JMEMBERS_H
#define BASE_JMEMBERS_H

#include "base/jscan.h"
#include "base/mem.h"

/* Consumes one value; at: the field, or the struct that is read. */
typedef void jmember_scan(struct jscan *j, void *at);

enum jmember_kind {
    JMEMBER_SLICE, /* a string, raw */
    JMEMBER_INT,
    JMEMBER_BOOL,
    JMEMBER_CHARS,  /* a string, decoded into an array */
    JMEMBER_UNIX,   /* RFC 3339 to milliseconds */
    JMEMBER_VALUE,  /* the bytes of any value */
    JMEMBER_NESTED, /* an object with rows for the same struct */
    JMEMBER_CALL,
    JMEMBER_EACH /* the elements of an array */
};

struct jmember {
    const char *name;
    uint8_t name_size, kind;
    bool is_required;
    uint32_t offset, size;
    union {
        struct {
            int64_t low, high;
        };
        struct {
            const struct jmember *rows;
            size_t row_count;
        };
        jmember_scan *scan;
    };
};

#define JMEMBERS(rows) (rows), ARRAY_SIZE(rows)
/* No object is at 8: only the type of its field counts. cppcheck takes a 0 there for one that is read. */
#define JMEMBER_ROW(type, field, key, how)                                                                             \
    .name = (key), .name_size = sizeof(key) - 1, .kind = (how), .offset = offsetof(type, field),                       \
    .size = sizeof(((type *)8)->field)
/* The kind follows from the field's type; an int64_t takes any integer. */
#define JMEMBER(type, field, key)                                                                                        \
    {                                                                                                                    \
        JMEMBER_ROW(type, field, key,                                                                                  \
                    _Generic(((type *)8)->field, struct slice                                                          \
                             : JMEMBER_SLICE, int64_t                                                                  \
                             : JMEMBER_INT, bool                                                                       \
                             : JMEMBER_BOOL, char *                                                                    \
                             : JMEMBER_CHARS)),                                                                        \
            .low = INT64_MIN, .high = INT64_MAX \
    }
#define JMEMBER_WITHIN(type, field, key, from, to)                                                                     \
    { JMEMBER_ROW(type, field, key, JMEMBER_INT), .low = (from), .high = (to) }
#define JMEMBER_TIME(type, field, key)                                                                                 \
    { JMEMBER_ROW(type, field, key, JMEMBER_UNIX) }
#define JMEMBER_RAW(type, field, key)                                                                                  \
    { JMEMBER_ROW(type, field, key, JMEMBER_VALUE) }
#define JMEMBER_FIELD(type, field, key, function)                                                                      \
    { JMEMBER_ROW(type, field, key, JMEMBER_CALL), .scan = (function) }
#define JMEMBER_LIST(type, field, key, function)                                                                       \
    { JMEMBER_ROW(type, field, key, JMEMBER_EACH), .scan = (function) }
/* These pass on the struct itself. */
#define JMEMBER_SELF(key, function)                                                                                    \
    { .name = (key), .name_size = sizeof(key) - 1, .kind = JMEMBER_CALL, .scan = (function) }
#define JMEMBER_ELEMENTS(key, function)                                                                                \
    { .name = (key), .name_size = sizeof(key) - 1, .kind = JMEMBER_EACH, .scan = (function) }
#define JMEMBER_OBJECT(key, table)                                                                                     \
    {                                                                                                                  \
        .name = (key), .name_size = sizeof(key) - 1, .kind = JMEMBER_NESTED, .rows = (table),                          \
        .row_count = ARRAY_SIZE(table)                                                                                 \
    }
#define JMEMBER_REQUIRED(type, field, key)                                                                             \
    { JMEMBER_ROW(type, field, key, JMEMBER_SLICE), .is_required = true }

/* Consumes one value. False: it is not an object, or one of the required rows was not read; these come first. At most
 * 64 rows. */
bool jmembers_read(struct jscan *j, const struct jmember *rows, size_t count, void *to);
/* All of json is such an object. */
bool jmembers_parse(struct slice json, const struct jmember *rows, size_t count, void *to);
/* Consumes the elements of an array. */
void jmembers_each(struct jscan *j, jmember_scan *scan, void *at);
/* For an object whose other members are read as well: the key's row, or NULL; and the value, into the row's field. */
const struct jmember *jmembers_find(const struct jmember *rows, size_t count, struct slice key);
bool jmembers_take(struct jscan *j, const struct jmember *row, void *to);

#endif
