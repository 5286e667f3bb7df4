/* The corpus of what stores and token services answer, replayed as an ordinary test. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_objectstore
#include "../fuzz/fuzz_objectstore.c"

TEST(answers_of_stores_survive_their_corpus) {
    harness_replay("fuzz_objectstore", 8, fuzz_objectstore);
}
