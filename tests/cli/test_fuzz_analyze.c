/* The seeds of fuzz_analyze, replayed. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_analyze
#include "../fuzz/fuzz_analyze.c"

TEST(the_corpus_of_analyze_holds) {
    harness_replay("fuzz_analyze", 7, fuzz_analyze);
}
