#include "base/memory.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/slice.h"

#include <string.h>
#include <unistd.h>

#define FILE_MAX_BYTES 65536
/* v1 has no word for "no limit", but the largest multiple of a page: whatever is near it is none. */
#define NO_LIMIT_BYTES (INT64_MAX / 2)

/* The first number in a file; MEMORY_UNKNOWN: there is none, as in memory.max: "max". */
static int64_t read_number(const char *path) {
    CLEANUP_FREE char *text = NULL;
    CLEANUP_ERROR struct error *err = NULL;
    int64_t number;
    if (file_read(path, FILE_MAX_BYTES, &text, &err) < 0)
        return MEMORY_UNKNOWN;
    struct slice rest = slice_trim(slice_of(text));
    return slice_take_int(&rest, &number) && number >= 0 ? number : MEMORY_UNKNOWN;
}

int64_t memory_resident_bytes(void) {
    CLEANUP_FREE char *text = NULL;
    CLEANUP_ERROR struct error *err = NULL;
    struct slice rest, field;
    int64_t pages;
    if (file_read("/proc/self/statm", FILE_MAX_BYTES, &text, &err) < 0)
        return MEMORY_UNKNOWN;
    rest = slice_of(text);
    if (!slice_take_until(&rest, ' ', &field) || !slice_take_until(&rest, ' ', &field))
        return MEMORY_UNKNOWN;
    return slice_take_int(&field, &pages) ? pages * sysconf(_SC_PAGESIZE) : MEMORY_UNKNOWN;
}

/* The least limit from a cgroup up to the root of its hierarchy. In a container with a cgroup namespace the path is /;
 * without one the files are below the mount itself, and the path, which is the host's, is not there. */
static int64_t min_limit(const char *mount, struct slice path, const char *name) {
    int64_t min = INT64_MAX;
    for (;;) {
        CLEANUP_FREE char *file = mem_format("%s%.*s/%s", mount, (int)path.size_bytes, path.data, name);
        int64_t bytes = read_number(file);
        if (bytes != MEMORY_UNKNOWN)
            min = min_of(min, bytes);
        if (path.size_bytes == 0)
            return min;
        while (path.size_bytes > 0 && path.data[--path.size_bytes] != '/') {
        }
    }
}

int64_t memory_limit_bytes(const char *root) {
    CLEANUP_FREE char *cgroups = mem_format("%s/proc/self/cgroup", root);
    CLEANUP_FREE char *unified = mem_format("%s/sys/fs/cgroup", root);
    CLEANUP_FREE char *memory = mem_format("%s/sys/fs/cgroup/memory", root);
    CLEANUP_FREE char *text = NULL;
    CLEANUP_ERROR struct error *err = NULL;
    int64_t min = INT64_MAX;
    if (file_read(cgroups, FILE_MAX_BYTES, &text, &err) < 0)
        return MEMORY_UNKNOWN;
    struct slice rest = slice_of(text), line, number, controllers;
    while (slice_take_line(&rest, &line)) { /* "4:memory:/path", "0::/path": cgroups(7) */
        if (!slice_take_until(&line, ':', &number) || !slice_take_until(&line, ':', &controllers))
            continue;
        if (slice_is(number, "0") && controllers.size_bytes == 0)
            min = min_of(min, min_limit(unified, line, "memory.max"));
        else if (slice_find(controllers, "memory") != NULL)
            min = min_of(min, min_limit(memory, line, "memory.limit_in_bytes"));
    }
    return min < NO_LIMIT_BYTES ? min : MEMORY_UNKNOWN;
}
