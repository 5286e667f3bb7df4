/* The fuzz targets' corpora, replayed as ordinary tests; what fuzzing once found is kept there. */
#include "harness.h"

#define LLVMFuzzerTestOneInput fuzz_jscan
#include "../fuzz/fuzz_jscan.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_rfc3339
#include "../fuzz/fuzz_rfc3339.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_slice_number
#include "../fuzz/fuzz_slice_number.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_regex
#define on_record on_regex_record
#include "../fuzz/fuzz_regex.c"
#undef on_record
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_userformat
#define on_record on_userformat_record
#include "../fuzz/fuzz_userformat.c"
#undef on_record
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_steplog
#include "../fuzz/fuzz_steplog.c"

TEST(corpora_are_replayed) {
    harness_replay("fuzz_jscan", 6, fuzz_jscan);
    harness_replay("fuzz_rfc3339", 6, fuzz_rfc3339);
    harness_replay("fuzz_slice_number", 6, fuzz_slice_number);
    harness_replay("fuzz_regex", 6, fuzz_regex);
    harness_replay("fuzz_userformat", 5, fuzz_userformat);
    harness_replay("fuzz_steplog", 6, fuzz_steplog);
}
