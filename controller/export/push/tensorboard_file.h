/* tensorboard_file: appends events to the files of one run below a mounted folder: ROOT/NAMESPACE/NAME/START/
 * events.out.tfevents.SECONDS.goodput-controller, each with its version first. Everything blocks: a task of io/work.
 *
 * A file is only ever appended to, in whole records. The rest of a failed write is cut off. After a crash, the
 * next process finds an incomplete record at the file's end, leaves the file unchanged for its readers, and starts
 * another. A point that is not later than the last one in the files is not written again. */
#ifndef EXPORT_PUSH_TENSORBOARD_FILE_H
#define EXPORT_PUSH_TENSORBOARD_FILE_H

#include "export/push/tensorboard_points.h"

#define TENSORBOARD_FILE_BYTES ((int64_t)16 << 20) /* then the next file starts */

struct tensorboard_place { /* the state of a run's files; all zero: not read yet */
    char file[80];         /* the newest; "": none */
    int64_t size_bytes;    /* its size; 0: do not append to it */
    int64_t last_step, last_at_ms;
    bool is_known, has_points;
};

struct tensorboard_write {
    /* input */
    char *root, *namespace_, *name;
    struct tensorboard_point point;
    int64_t file_bytes; /* TENSORBOARD_FILE_BYTES */
    struct tensorboard_place place;
    /* output, and the new place */
    bool was_written; /* false without an error: the point was written before */
    char error[512];  /* "": none */
};

void tensorboard_file_run(void *write);
void tensorboard_write_free(void *write);

#endif
