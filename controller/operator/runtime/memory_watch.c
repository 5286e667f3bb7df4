#include "operator/runtime/memory_watch.h"

#include "base/jsonlog.h"
#include "base/memory.h"

#include <malloc.h>
#include <stddef.h>

#define LOOK_US INT64_C(1000000)
#define WARN_US INT64_C(600000000) /* between two warnings */
#define TRIM_US INT64_C(10000000)
#define GROWN_BYTES (INT64_C(1) << 20)

bool memory_watch_is_due(struct memory_watch *watch, int64_t now_us, int64_t resident_bytes, int64_t limit_bytes) {
    bool is_near =
        resident_bytes != MEMORY_UNKNOWN && limit_bytes != MEMORY_UNKNOWN && resident_bytes >= limit_bytes / 5 * 4;
    if (!is_near || (watch->warned_us != 0 && now_us - watch->warned_us < WARN_US))
        return false;
    watch->warned_us = now_us;
    return true;
}

bool memory_watch_has_grown(const struct memory_watch *watch, int64_t now_us, int64_t resident_bytes) {
    bool is_soon = watch->trimmed_us != 0 && now_us - watch->trimmed_us < TRIM_US;
    return !is_soon && resident_bytes != MEMORY_UNKNOWN &&
           resident_bytes >= watch->trimmed_bytes + watch->trimmed_bytes / 32 + GROWN_BYTES;
}

void memory_watch_look(struct memory_watch *watch, int64_t now_us, int64_t jobs) {
    if (watch->looked_us != 0 && now_us - watch->looked_us < LOOK_US)
        return;
    watch->looked_us = now_us;
    int64_t resident_bytes = memory_resident_bytes(), limit_bytes = memory_limit_bytes("");
    if (memory_watch_has_grown(watch, now_us, resident_bytes)) {
        malloc_trim(0);
        watch->trimmed_us = now_us;
        watch->trimmed_bytes = resident_bytes = memory_resident_bytes();
    }
    if (memory_watch_is_due(watch, now_us, resident_bytes, limit_bytes))
        jsonlog(JSONLOG_WARNING, "memory is near the container's limit: raise resources.limits.memory",
                "resident_bytes", LOG_I(resident_bytes), "limit_bytes", LOG_I(limit_bytes), "jobgoodputs", LOG_I(jobs),
                NULL);
}
