/* protobuf: reads messages of protobuf in place, without a tree, and writes as JSON the fields that a table names, so
 * that one reader (jmembers.h) reads both encodings. All other fields are skipped unread, as are fields of another wire
 * type than the table's. Source: protobuf.dev/programming-guides/encoding, proto2 without groups.
 *
 * The JSON is what a Kubernetes API server would write of those fields, except that empty texts and empty times are
 * left out. Elements of a repeated field that are apart are written as one array each; no API server writes such. */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include "base/jwrite.h"
#include "base/mem.h"

enum protobuf_kind {
    PROTOBUF_STRING,
    PROTOBUF_INT, /* int32 and int64 */
    PROTOBUF_BOOL,
    PROTOBUF_TIME,       /* a message of seconds and nanoseconds: as RFC 3339 in whole seconds */
    PROTOBUF_MICRO_TIME, /* the same with six digits */
    PROTOBUF_MESSAGE,
    PROTOBUF_TEXTS,      /* map<string, string> */
    PROTOBUF_QUANTITIES, /* map<string, Quantity>; a Quantity is a message whose field 1 is its text */
};

struct protobuf_message;

/* number and name as in the .proto file. */
struct protobuf_field {
    uint8_t number, kind;
    bool is_repeated;
    uint8_t name_size;
    const char *name;
    const struct protobuf_message *message; /* PROTOBUF_MESSAGE */
    bool (*reads)(struct slice key);        /* of PROTOBUF_TEXTS: which entries are written; NULL: all */
};

#define PROTOBUF_FIELD(number, kind, is_repeated, name, message, reads)                                                \
    { (number), (kind), (is_repeated), sizeof(name) - 1, (name), (message), (reads) }

/* Fields in the order of their numbers, as they are written. */
struct protobuf_message {
    const struct protobuf_field *fields;
    size_t count;
};

#define PROTOBUF_MESSAGE_OF(rows)                                                                                      \
    { (rows), ARRAY_SIZE(rows) }

/* One field as it is on the wire. */
struct protobuf_value {
    uint32_t number;
    bool is_bytes; /* else a varint, or a fixed number, whose value is not read */
    uint64_t varint;
    struct slice bytes; /* borrowed */
};

/* Takes the next field of a message. 1; 0 at its end; -EBADMSG: malformed. */
int protobuf_next(struct slice *message, struct protobuf_value *value);
/* Takes a varint of at most ten bytes. 1; 0: it does not end within the bytes; -EBADMSG: it is longer. */
int protobuf_take_varint(struct slice *bytes, uint64_t *value);
/* Writes the fields of the message as members of the object that is open. 0 or -EBADMSG, after a part. */
int protobuf_write_members(struct jwrite *w, const struct protobuf_message *message, struct slice bytes);

#endif
