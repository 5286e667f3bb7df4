/* The fuzz targets' corpora, replayed as ordinary tests; what fuzzing once found is kept there. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_kubeconfig
#include "../fuzz/fuzz_kubeconfig.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_exec
#include "../fuzz/fuzz_exec.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_watch
#include "../fuzz/fuzz_watch.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_list
#include "../fuzz/fuzz_list.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_lease
#include "../fuzz/fuzz_lease.c"
#undef LLVMFuzzerTestOneInput

TEST(corpora_are_replayed) {
    harness_replay("fuzz_kubeconfig", 6, fuzz_kubeconfig);
    harness_replay("fuzz_exec", 6, fuzz_exec);
    harness_replay("fuzz_watch", 6, fuzz_watch);
    harness_replay("fuzz_list", 6, fuzz_list);
    harness_replay("fuzz_lease", 6, fuzz_lease);
}
