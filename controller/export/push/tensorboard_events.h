/* tensorboard_events: the contents of TensorBoard's event files: TFRecord frames (length, checksums) of Event messages
 * (tensorflow/core/util/event.proto, framework/summary.proto), of which only scalars are written. Pure: bytes in, bytes
 * out. `make recorder-test` has TensorBoard itself read them. */
#ifndef EXPORT_PUSH_TENSORBOARD_EVENTS_H
#define EXPORT_PUSH_TENSORBOARD_EVENTS_H

#include "base/buf.h"

#include <stdint.h>

struct tensorboard_value {
    char tag[128];
    float value;
};

/* The parts of an event that are read. */
struct tensorboard_event {
    double wall_s; /* Unix time */
    int64_t step;
    bool is_version, has_summary;
};

/* Each writes one whole frame. A file begins with the version. */
void tensorboard_write_version(struct buf *out, double wall_s);
void tensorboard_write_scalars(struct buf *out, double wall_s, int64_t step, const struct tensorboard_value *values,
                               int count);

/* Takes the next frame. 0: no more bytes; -EBADMSG: the next frame is incomplete or its checksum is wrong, and the
 * cursor does not move. */
int tensorboard_take(struct slice *file, struct slice *event);
/* -EBADMSG: not an Event. */
int tensorboard_read(struct slice event, struct tensorboard_event *read);

#endif
