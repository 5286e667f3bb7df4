/* The fuzz corpus of checkpoints, replayed as an ordinary test. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_checkpoint
#include "../fuzz/fuzz_checkpoint.c"

TEST(the_model_survives_the_corpus_of_checkpoints) {
    harness_replay("fuzz_checkpoint", 6, fuzz_checkpoint);
}
