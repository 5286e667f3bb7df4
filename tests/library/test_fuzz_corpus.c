/* The fuzz target's corpus, replayed as an ordinary test; what fuzzing once found is kept there. */
#include "harness.h"

#include "../fuzz/fuzz_library.c"

TEST(the_library_definition_survives_its_corpus) {
    harness_replay("fuzz_library", 6, LLVMFuzzerTestOneInput);
}
