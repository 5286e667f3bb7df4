/* otlp_wire: the part of protobuf's wire format that OTLP's messages need
 * (https://protobuf.dev/programming-guides/encoding/), and the answers of an OTLP receiver. Field numbers are those of
 * opentelemetry-proto 1.x; tests/recorder/otlp.py reads the output with OpenTelemetry's package. */
#ifndef EXPORT_PUSH_OTLP_WIRE_H
#define EXPORT_PUSH_OTLP_WIRE_H

#include "base/buf.h"

/* Fields are appended in the order of the calls. Empty texts are left out, as in proto3. */
void otlp_uint(struct buf *out, int field, uint64_t value);
void otlp_fixed64(struct buf *out, int field, uint64_t value);
void otlp_double(struct buf *out, int field, double value);
void otlp_bytes(struct buf *out, int field, struct slice bytes); /* also texts and finished messages; never left out */
/* Invalid UTF-8 becomes U+FFFD: otherwise a receiver refuses the whole request. */
void otlp_text(struct buf *out, int field, const char *text);
/* An embedded message: everything that is appended between the two calls. */
size_t otlp_begin(struct buf *out, int field);
void otlp_end(struct buf *out, size_t start);

/* Appends a KeyValue; nothing if the text is empty. field: the number of its list. */
void otlp_attribute(struct buf *out, int field, const char *key, const char *text);
void otlp_attribute_int(struct buf *out, int field, const char *key, int64_t value);

/* Reads an answer's body: Export...ServiceResponse's partial_success (is_status false), or google.rpc.Status. Missing
 * values stay 0 and "". */
struct otlp_answer {
    int64_t rejected;
    char text[512];
};
void otlp_read_answer(struct slice body, bool is_status, struct otlp_answer *answer);

#endif
