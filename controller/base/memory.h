/* memory: what this process holds, and what its cgroup lets it hold: a container beyond that is killed. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdint.h>

#define MEMORY_UNKNOWN INT64_C(-1)

/* Resident, in bytes (/proc/self/statm); MEMORY_UNKNOWN if it cannot be read. */
int64_t memory_resident_bytes(void);

/* The lowest limit on this process's cgroup and those above it, in bytes; MEMORY_UNKNOWN: there is none, or it cannot
 * be read. Both hierarchies: memory.max of cgroup v2, memory.limit_in_bytes of v1 (Documentation/admin-guide in Linux).
 * root: a folder that stands for /, for tests; "" otherwise (tests/base/test_memory.c). */
int64_t memory_limit_bytes(const char *root);

#endif
