/* The fuzz target's command lines, replayed as an ordinary test. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_arguments
#include "../fuzz/fuzz_arguments.c"
#undef LLVMFuzzerTestOneInput

TEST(command_lines_are_replayed) {
    harness_replay("fuzz_arguments", 10, fuzz_arguments);
}
