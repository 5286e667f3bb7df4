/* The fuzz targets replayed on their seeds. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_rootcause
/* cppcheck-suppress preprocessorErrorDirective */
#include "../fuzz/fuzz_rootcause.c"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_node_signals
/* cppcheck-suppress preprocessorErrorDirective */
#include "../fuzz/fuzz_node_signals.c"
#undef LLVMFuzzerTestOneInput

TEST(last_words) {
    harness_replay("fuzz_rootcause", 12, fuzz_rootcause);
}

TEST(node_signals) {
    harness_replay("fuzz_node_signals", 12, fuzz_node_signals);
}
