/* The fuzz corpus of replies in protobuf, replayed as an ordinary test. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_protobuf
#include "../fuzz/fuzz_protobuf.c"

TEST(replies_in_protobuf_survive_their_corpus) {
    harness_replay("fuzz_protobuf", 6, fuzz_protobuf);
}
