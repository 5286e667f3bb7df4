/* transport: what container runtimes and log collectors put around a line: CRI's prefix
 * ("2026-11-21T02:16:52.123456789Z stdout F text"; containerd, CRI-O), and the objects of the json-file driver, Cloud
 * Logging, Loki, fluent-bit, fluentd and Vector (envelope.h). Runtimes split long lines into parts, of two streams in
 * turn. Not for use outside steplog/. */
#ifndef STEPLOG_TRANSPORT_H
#define STEPLOG_TRANSPORT_H

#include "base/buf.h"

struct transport {
    struct slice text; /* into the line, or into *decoded */
    int64_t stamp_ms;
    int stream;      /* 0: standard output, 1: standard error */
    bool is_partial; /* the line continues in the stream's next part */
};

/* False if the line is none of them. decoded is overwritten. */
bool transport_parse(struct transport *t, struct slice line, struct buf *decoded);

#endif
