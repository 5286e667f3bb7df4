/* otlp_wire: as much of protobuf's wire format as OTLP's messages need
 * (https://protobuf.dev/programming-guides/encoding/), and what an OTLP receiver answers. Field numbers are those of
 * opentelemetry-proto 1.x; tests/recorder/otlp.py reads what is written with OpenTelemetry's own package. */
#ifndef EXPORT_PUSH_OTLP_WIRE_H
#define EXPORT_PUSH_OTLP_WIRE_H

#include "base/buf.h"

/* Fields are appended in the order of the calls. Texts that are empty are left out, as proto3 has it. */
void otlp_uint(struct buf *out, int field, uint64_t value);
void otlp_fixed64(struct buf *out, int field, uint64_t value);
void otlp_double(struct buf *out, int field, double value);
void otlp_bytes(struct buf *out, int field, struct slice bytes); /* also texts and finished messages; never left out */
/* Bytes that are no UTF-8 become U+FFFD: a receiver refuses the whole request otherwise. */
void otlp_text(struct buf *out, int field, const char *text);
/* A message inside: what is appended between the two. */
size_t otlp_begin(struct buf *out, int field);
void otlp_end(struct buf *out, size_t begun);

/* KeyValue; nothing if the text is empty. field: of the list that it belongs to. */
void otlp_attribute(struct buf *out, int field, const char *key, const char *text);
void otlp_attribute_int(struct buf *out, int field, const char *key, int64_t value);

/* Of an answer's body: Export...ServiceResponse's partial_success (is_status false), or google.rpc.Status. Whatever it
 * is not able to say stays 0 and "". */
struct otlp_answer {
    int64_t rejected;
    char text[512];
};
void otlp_read_answer(struct slice body, bool is_status, struct otlp_answer *answer);

#endif
