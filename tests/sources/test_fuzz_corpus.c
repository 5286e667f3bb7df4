/* The fuzz target's corpus, replayed as an ordinary test. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_source
#include "../fuzz/fuzz_source.c"
#undef LLVMFuzzerTestOneInput

TEST(the_corpus_of_the_sources_is_read) {
    harness_replay("fuzz_source", 9, fuzz_source);
}
