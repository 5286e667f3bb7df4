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
#define LLVMFuzzerTestOneInput fuzz_steplog
#include "../fuzz/fuzz_steplog.c"

#include <glob.h>

static void replay(const char *pattern, int (*target)(const uint8_t *data, size_t size)) {
    glob_t found;
    REQUIRE(glob(pattern, 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t size;
        char *data = harness_read_file(found.gl_pathv[i], &size);
        char *exact = malloc(size != 0 ? size : 1); /* so that a read beyond is seen */
        if (data != NULL && exact != NULL) {
            memcpy(exact, data, size);
            CHECK_INT(target((const uint8_t *)exact, size), 0);
        }
        free(exact);
        free(data);
    }
    CHECK(found.gl_pathc >= 6);
    globfree(&found);
}

TEST(corpora_are_replayed) {
    replay("tests/data/fuzz/fuzz_jscan/*", fuzz_jscan);
    replay("tests/data/fuzz/fuzz_rfc3339/*", fuzz_rfc3339);
    replay("tests/data/fuzz/fuzz_slice_number/*", fuzz_slice_number);
    replay("tests/data/fuzz/fuzz_regex/*", fuzz_regex);
    replay("tests/data/fuzz/fuzz_steplog/*", fuzz_steplog);
}
