#include "base/sparse.h"

#include "harness.h"

#include "base/mem.h"
#include "random.h"

#include <malloc.h>
#include <string.h>

/* Any words come back, and no other: all zero, none, and any mixture, at sizes around those of a word of bits. */
TEST(what_was_packed_comes_back) {
    enum { MAX = 130 };
    uint64_t random = random_setting("GOODPUT_SEED", 20261128);
    for (size_t words = 0; words <= MAX; words++)
        for (int zeros = 0; zeros <= 10; zeros++) {
            uint64_t from[MAX + 1], to[MAX + 1];
            memset(to, 0xa5, sizeof to);
            for (size_t i = 0; i < words; i++)
                from[i] = random_below(&random, 10) < zeros ? 0 : (uint64_t)random_below(&random, INT64_MAX);
            CLEANUP_FREE void *packed = sparse_pack(from, words * sizeof *from);
            sparse_unpack(packed, to, words * sizeof *to);
            CHECK(memcmp(from, to, words * sizeof *from) == 0);
            CHECK(to[words] == UINT64_C(0xa5a5a5a5a5a5a5a5));
        }
}

TEST(zeros_take_a_bit_each) {
    static const uint64_t from[6400] = {[17] = 1, [6399] = 2};
    CLEANUP_FREE void *packed = sparse_pack(from, sizeof from);
    CHECK(malloc_usable_size(packed) <= 6400 / 8 + 2 * sizeof *from + 16);
}
