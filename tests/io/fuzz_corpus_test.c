/* What clients once sent, or might: replayed as an ordinary test. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_server
#include "../fuzz/fuzz_server.c"
#undef LLVMFuzzerTestOneInput

TEST(requests_are_replayed) {
    harness_replay("fuzz_server", 23, fuzz_server);
    server_free(server);
    server_free(poster);
    loop_free(loop);
}
