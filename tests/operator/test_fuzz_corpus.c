/* The model's fuzz corpus, replayed as an ordinary test; what fuzzing once found is kept there. */
#include "harness.h"

#include "../fuzz/fuzz_model.c"

#include <glob.h>
#include <stdlib.h>

TEST(the_model_survives_its_corpus) {
    glob_t found;
    REQUIRE(glob("tests/data/fuzz/fuzz_model/*", 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t size;
        char *data = harness_read_file(found.gl_pathv[i], &size);
        if (data != NULL)
            CHECK_INT(LLVMFuzzerTestOneInput((const uint8_t *)data, size), 0);
        free(data);
    }
    globfree(&found);
}
