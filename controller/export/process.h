/* process: the figures that Prometheus' client libraries report of a process (process_*), from /proc. A figure that
 * cannot be read is PROCESS_NONE. */
#ifndef EXPORT_PROCESS_H
#define EXPORT_PROCESS_H

#include <stdint.h>

#define PROCESS_NONE INT64_MIN

struct process_figures {
    int64_t cpu_ms, resident_bytes, virtual_bytes, start_ms /* since the epoch */, open_fds, max_fds;
};
void process_read(struct process_figures *figures);

#endif
