/* lines: splits a byte stream into lines with bounded memory. Bytes come in any pieces; a line that lies whole within
 * one piece is handed on without copying. A line longer than the maximum is handed on once, as its head, marked. */
#ifndef KUBE_LINES_H
#define KUBE_LINES_H

#include "base/buf.h"

struct lines {
    struct buf head;  /* the unfinished line */
    bool is_skipping; /* ... was handed on already, cut: drop up to its end */
};

/* A line without "\n" and without "\r" before it. A negative return stops lines_feed, which returns it. */
typedef int lines_handler(void *context, struct slice line, bool is_cut);

void lines_init(struct lines *l, size_t max_line_bytes);
void lines_done(struct lines *l);
void lines_clear(struct lines *l); /* forgets the unfinished line */
int lines_feed(struct lines *l, struct slice bytes, lines_handler *handler, void *context);
/* At the stream's end: the unfinished line, if there is one. */
int lines_finish(struct lines *l, lines_handler *handler, void *context);

#endif
