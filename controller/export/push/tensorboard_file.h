/* tensorboard_file: appends events to the files of one run below a mounted folder: ROOT/NAMESPACE/NAME/START/
 * events.out.tfevents.SECONDS.goodput-controller, each with its version first. Everything blocks: a task of io/work.
 *
 * A file is only ever appended to, a whole record at a time. What a failed write left behind is cut off again; where
 * that was not possible (a crash), the next process finds no whole record at the file's end, leaves the file as it is
 * for those who read it, and begins another. A point that is not later than the last one there is not written again. */
#ifndef EXPORT_PUSH_TENSORBOARD_FILE_H
#define EXPORT_PUSH_TENSORBOARD_FILE_H

#include "export/push/tensorboard_points.h"

#define TENSORBOARD_FILE_BYTES ((int64_t)16 << 20) /* then the next one begins */

struct tensorboard_place { /* where a run stands; all zero: it was not looked at yet */
    char file[80];         /* the newest; "": none */
    int64_t size_bytes;    /* of it; 0: it is not to be appended to */
    int64_t last_step, last_at_ms;
    bool is_known, has_points;
};

struct tensorboard_write {
    /* told */
    char *root, *namespace_, *name;
    struct tensorboard_point point;
    int64_t file_bytes; /* TENSORBOARD_FILE_BYTES */
    struct tensorboard_place place;
    /* found: the place as it is now, and */
    bool was_written; /* false without an error: the point is there already */
    char error[512];  /* "": none */
};

void tensorboard_file_run(void *write);
void tensorboard_write_free(void *write);

#endif
