/* source: where a recorded step log is, other than in a pod's log: it is followed from where a cursor says, and its
 * lines are handed on in order, each with the time at which it was written. What a line means, and whose it is, is not
 * known here. One implementation a file: file.h, cloud_logging.h.
 *
 * Everything is asynchronous; callbacks come from the loop, never from within source_..._new or source_free. */
#ifndef SOURCES_SOURCE_H
#define SOURCES_SOURCE_H

#include "base/slice.h"
#include "io/loop.h"

struct source {
    void (*free)(struct source *source);
};

struct source_handler {
    /* A whole line without its end. stamp_ms: when it was written, by itself or by whoever stored it. False: not now,
     * it is offered again later, before anything behind it. */
    bool (*on_line)(void *context, int64_t stamp_ms, struct slice line);
    /* Where to resume after the lines taken so far: opaque text of at most SOURCE_CURSOR_BYTES. Called before the loop
     * does anything else, so that whoever saves it saves what was read up to just there. */
    void (*on_cursor)(void *context, struct slice cursor);
    /* All that was written up to through_ms and can be read was taken. */
    void (*on_read)(void *context, int64_t through_ms);
    /* It cannot be read now, and why, in a sentence; NULL: it is over. */
    void (*on_trouble)(void *context, const char *text);
    void *context;
    /* Whoever wrote at written_ms writes no more, so that what was written last is a line though it has no end. NULL:
     * never. */
    bool (*is_over)(void *context, int64_t written_ms);
};

#define SOURCE_CURSOR_BYTES 4096

static inline void source_free(struct source *source) { /* no callback follows; NULL-safe */
    if (source != NULL)
        source->free(source);
}

#endif
