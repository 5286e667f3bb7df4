/* When a warning of memory is due; what memory and limit are is tests/base/test_memory.c's. */
#include "harness.h"

#include "base/memory.h"
#include "operator/runtime/memory_watch.h"

#include <stdlib.h>
#include <string.h>

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

TEST(free_memory_is_given_back_when_more_is_resident_but_not_too_often) {
    struct memory_watch watch = {0};
    CHECK(memory_watch_has_grown(&watch, 1 * S, 8 * MIB));
    watch.trimmed_us = 1 * S;
    watch.trimmed_bytes = 160 * MIB;
    CHECK(!memory_watch_has_grown(&watch, 11 * S, 165 * MIB));
    CHECK(memory_watch_has_grown(&watch, 11 * S, 166 * MIB));
    CHECK(!memory_watch_has_grown(&watch, 10 * S, 166 * MIB));
    CHECK(!memory_watch_has_grown(&watch, 11 * S, MEMORY_UNKNOWN));
}

/* Blocks that are free between others that are not: only a look gives their pages back. */
TEST(a_look_gives_back_what_is_free) {
    enum { BLOCKS = 8000, BYTES = 8192 };
    static void *blocks[BLOCKS];
    struct memory_watch watch = {0};
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = memset(malloc(BYTES), 1, BYTES);
    for (int i = 0; i < BLOCKS; i++)
        if (i % 8 != 0)
            free(blocks[i]);
    int64_t before = memory_resident_bytes();
    memory_watch_look(&watch, 5 * S, 0);
#ifndef __SANITIZE_ADDRESS__ /* whose allocator keeps what is freed */
    CHECK(before - memory_resident_bytes() > 30 * MIB);
#else
    (void)before;
#endif
    for (int i = 0; i < BLOCKS; i += 8)
        free(blocks[i]);
}

TEST(memory_is_not_warned_of_without_a_limit) {
    struct memory_watch watch = {0};
    CHECK(!memory_watch_is_due(&watch, 1 * S, 999 * MIB, MEMORY_UNKNOWN));
    CHECK(!memory_watch_is_due(&watch, 1 * S, MEMORY_UNKNOWN, 250 * MIB));
}
