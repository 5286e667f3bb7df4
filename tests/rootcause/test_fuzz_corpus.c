/* The fuzz target replayed on its seeds. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_rootcause
/* cppcheck-suppress preprocessorErrorDirective */
#include "../fuzz/fuzz_rootcause.c"
#undef LLVMFuzzerTestOneInput

TEST(last_words) {
    harness_replay("fuzz_rootcause", 12, fuzz_rootcause);
}
