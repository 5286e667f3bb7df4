/* One search for many texts finds what a search for each finds. */
#include "harness.h"

#include "base/literals.h"
#include "base/mem.h"

#define LLVMFuzzerTestOneInput fuzz_literals
/* cppcheck-suppress preprocessorErrorDirective */
#include "../fuzz/fuzz_literals.c"
#undef LLVMFuzzerTestOneInput

TEST(texts_are_found_where_they_start) {
    const struct slice texts[] = {SLICE("CUDA"), SLICE("CUDA error"), SLICE("error"), SLICE("CUDA")};
    static const struct { size_t at, number; } expected[] = {{1, 0}, {1, 1}, {1, 3}, {6, 2}, {13, 0}, {13, 3}};
    struct literals *l = literals_new(texts, ARRAY_SIZE(texts));
    struct slice text = SLICE("[CUDA error] CUDA");
    struct literals_hit hit = {0};
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        CHECK(literals_next(l, text, &hit));
        CHECK_INT(hit.at, expected[i].at);
        CHECK_INT(hit.number, expected[i].number);
    }
    CHECK(!literals_next(l, text, &hit));
    literals_free(l);
}

TEST(a_start_is_only_the_start) {
    const struct slice texts[] = {SLICE("step"), SLICE("step: ")};
    struct literals *l = literals_new(texts, ARRAY_SIZE(texts));
    struct literals_hit hit = {0};
    CHECK(literals_next_at_start(l, SLICE("step: step"), &hit));
    CHECK(literals_next_at_start(l, SLICE("step: step"), &hit));
    CHECK_INT(hit.number, 1);
    CHECK(!literals_next_at_start(l, SLICE("step: step"), &hit));
    hit = (struct literals_hit){0};
    CHECK(!literals_next_at_start(l, SLICE("a step"), &hit));
    literals_free(l);
}

TEST(short_texts_and_no_literals_give_nothing) {
    const struct slice texts[] = {SLICE("abcd")};
    struct literals *none = literals_new(NULL, 0), *l = literals_new(texts, 1);
    struct literals_hit hit = {0};
    CHECK(!literals_next(none, SLICE("abcd"), &hit));
    for (size_t size = 0; size < 4; size++) {
        hit = (struct literals_hit){0};
        CHECK(!literals_next(l, (struct slice){"abcd", size}, &hit));
    }
    hit = (struct literals_hit){0};
    CHECK(!literals_next(l, (struct slice){NULL, 0}, &hit));
    literals_free(none);
    literals_free(l);
}

/* Bytes of a small alphabet, so that literals overlap and share their starts. */
TEST(random_texts_as_one_by_one) {
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        uint8_t input[160];
        for (size_t i = 0; i < sizeof input; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            input[i] = i > 80 && seed >> 33 < UINT64_C(1) << 28 ? '\n' : (uint8_t)('a' + (seed >> 60) % 2);
        }
        input[80] = '\n';
        fuzz_literals(input, sizeof input);
    }
}

TEST(literals_on_their_seeds) {
    harness_replay("fuzz_literals", 3, fuzz_literals);
}
