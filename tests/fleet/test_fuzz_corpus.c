/* What fuzzing kept, replayed as an ordinary test. */
#include "harness.h"

#include "../fuzz/fuzz_roll.c"

TEST(what_fleets_keep_survives_its_corpus) {
    harness_replay("fuzz_roll", 6, LLVMFuzzerTestOneInput);
}
