/* When a warning of memory is due; what memory and limit are is tests/base/test_memory.c's. */
#include "harness.h"

#include "base/memory.h"
#include "operator/runtime/memory_watch.h"

#define S INT64_C(1000000)
#define MIB (INT64_C(1) << 20)

TEST(memory_is_warned_of_from_four_fifths_of_the_limit_on) {
    struct memory_watch watch = {0};
    CHECK(!memory_watch_is_due(&watch, 1 * S, 199 * MIB, 250 * MIB));
    CHECK(memory_watch_is_due(&watch, 2 * S, 200 * MIB, 250 * MIB));
    CHECK(!memory_watch_is_due(&watch, 3 * S, 240 * MIB, 250 * MIB)); /* said a moment ago */
    CHECK(!memory_watch_is_due(&watch, 601 * S, 240 * MIB, 250 * MIB));
    CHECK(memory_watch_is_due(&watch, 602 * S, 240 * MIB, 250 * MIB));
    CHECK(!memory_watch_is_due(&watch, 9000 * S, 199 * MIB, 250 * MIB));
}

TEST(memory_is_not_warned_of_without_a_limit) {
    struct memory_watch watch = {0};
    CHECK(!memory_watch_is_due(&watch, 1 * S, 999 * MIB, MEMORY_UNKNOWN));
    CHECK(!memory_watch_is_due(&watch, 1 * S, MEMORY_UNKNOWN, 250 * MIB));
}
