/* The archive's fuzz corpus, replayed as an ordinary test. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_archive
#include "../fuzz/fuzz_archive.c"

TEST(the_archive_survives_its_corpus) {
    harness_replay("fuzz_archive", 3, fuzz_archive);
}
