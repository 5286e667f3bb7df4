/* The model's fuzz corpus, replayed as an ordinary test; what fuzzing once found is kept there. */
#include "harness.h"

#include "../fuzz/fuzz_model.c"

TEST(the_model_survives_its_corpus) {
    harness_replay("fuzz_model", 4, LLVMFuzzerTestOneInput);
}
