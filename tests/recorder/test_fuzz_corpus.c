/* The fuzz target's corpus, replayed as an ordinary test. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_recorder
#include "../fuzz/fuzz_recorder.c"
#undef LLVMFuzzerTestOneInput

TEST(the_corpus_of_the_recorder_is_read) {
    harness_replay("fuzz_recorder", 4, fuzz_recorder);
}
