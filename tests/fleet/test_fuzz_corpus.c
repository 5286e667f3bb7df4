/* What fuzzing kept, replayed as an ordinary test. */
#include "harness.h"

#include "../fuzz/fuzz_roll.c"

TEST(stored_fleets_survive_their_corpus) {
    harness_replay("fuzz_roll", 6, LLVMFuzzerTestOneInput);
}
