/* The ledger's fuzz corpus, replayed as an ordinary test. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_ledger
#include "../fuzz/fuzz_ledger.c"

TEST(the_ledger_survives_its_corpus) {
    harness_replay("fuzz_ledger", 4, fuzz_ledger);
}
