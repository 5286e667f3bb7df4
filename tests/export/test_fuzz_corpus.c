/* The fuzz target's corpus, replayed as an ordinary test. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_push
#include "../fuzz/fuzz_push.c"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_compare
#include "../fuzz/fuzz_compare.c"
#undef LLVMFuzzerTestOneInput

TEST(the_corpus_of_what_receivers_answer_is_read) {
    harness_replay("fuzz_push", 6, fuzz_push);
}

TEST(the_corpus_of_compared_ledgers_is_read) {
    harness_replay("fuzz_compare", 3, fuzz_compare);
}
