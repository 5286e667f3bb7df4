/* transport: what container runtimes put around a line when they write it to a file of the node: CRI's prefix
 * ("2026-11-21T02:16:52.123456789Z stdout F text"; containerd, CRI-O) and the json-file driver's object
 * ({"log":"text\n","stream":"stderr","time":"2026-..."}). Both split long lines into parts, of two streams in turn. And
 * what Cloud Logging puts around it, exported a line each ({"textPayload": "text", "timestamp": "2026-...", ...}). Not
 * for use outside steplog/. */
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
