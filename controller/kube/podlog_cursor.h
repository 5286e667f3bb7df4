/* podlog_cursor: which lines of a container's log were handed on already. A resumed log begins at a whole second
 * (sinceTime is cut on its way to the kubelet), so it repeats, in the same order, the lines that were seen of that
 * second: they are counted, and that many are dropped. Exact also for equal lines with equal stamps. */
#ifndef KUBE_PODLOG_CURSOR_H
#define KUBE_PODLOG_CURSOR_H

#include "base/slice.h"

struct podlog_cursor {
    int64_t drop_through_ns; /* from an earlier process: up to and including it all is known; INT64_MIN: nothing */
    int64_t drop_lines;      /* this many lines with just that stamp are known; INT64_MAX: all */
    int64_t drop_lines_left; /* of the stream under way */
    int64_t newest_ns;       /* handed on; INT64_MIN: none */
    int64_t second;          /* of newest_ns */
    int64_t count;           /* lines handed on with a stamp of that second or later */
    int64_t repeats_left;    /* of the stream under way */
    int64_t repeats_through_ns;
};

/* drop_lines: how many of the lines with just that stamp are known; 0: not counted, all are taken for known. */
void podlog_cursor_init(struct podlog_cursor *c, int64_t drop_through_ns, int64_t drop_lines);
void podlog_cursor_next_container(struct podlog_cursor *c);
/* A stream begins. True if it shall ask for sinceTime, whole seconds since the epoch in *since_s. */
bool podlog_cursor_open(struct podlog_cursor *c, int64_t *since_s);
/* True if a line with this stamp is new. */
bool podlog_cursor_take(struct podlog_cursor *c, int64_t stamp_ns);

#endif
