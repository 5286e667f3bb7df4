/* output: a drawn buffer to standard output or to a file. */
#ifndef CLI_RENDER_OUTPUT_H
#define CLI_RENDER_OUTPUT_H

#include "base/buf.h"
#include "base/error.h"

/* Writes to standard output; -EPIPE is a failure. */
int output_write(const struct buf *out, struct error **err);
/* Writes to a file, which is replaced only by a complete new one; "-" is standard output. */
int output_write_to(const char *path, const struct buf *out, struct error **err);

#endif
