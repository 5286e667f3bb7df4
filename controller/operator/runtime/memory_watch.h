/* memory_watch: a warning in the log before this process needs more memory than its container has: what it holds
 * grows with the JobGoodputs, targets and pods of the cluster, and beyond the limit the kernel kills it. And what it
 * does not hold any more goes back to the system where it has grown: glibc keeps free pages between used ones. */
#ifndef OPERATOR_RUNTIME_MEMORY_WATCH_H
#define OPERATOR_RUNTIME_MEMORY_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct memory_watch { /* all-zero at first */
    int64_t looked_us, warned_us;
    int64_t trimmed_us, trimmed_bytes; /* when free memory was given back last, and what was resident then */
};

/* To be called when what is held may have grown; looks once a second at most. jobs: JobGoodputs that are held. */
void memory_watch_look(struct memory_watch *watch, int64_t now_us, int64_t jobs);
/* True if free memory is to be given back: a 32nd, and a MiB, more is resident than after the last time, ten seconds
 * ago or more. It takes 14 ms of 200 MiB. */
bool memory_watch_has_grown(const struct memory_watch *watch, int64_t now_us, int64_t resident_bytes);
/* True if a warning is due. Pure: of the figures at now_us, MEMORY_UNKNOWN or in bytes. */
bool memory_watch_is_due(struct memory_watch *watch, int64_t now_us, int64_t resident_bytes, int64_t limit_bytes);

#endif
