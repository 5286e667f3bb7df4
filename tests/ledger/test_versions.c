/* A checkpoint of an older version is refused in a sentence, whatever its bytes are. */
#include "fact_list.h"
#include "harness.h"
#include "ledger/checkpoint.h"

#include "base/mem.h"

#include <string.h>

TEST(a_checkpoint_of_an_older_version_is_refused_in_words) {
    size_t size;
    CLEANUP_FREE char *data = harness_read_file("tests/data/ledger/checkpoint-v8.bin", &size);
    REQUIRE(data != NULL);
    for (size_t i = 0; i < size; i++) {
        CLEANUP_ERROR struct error *err = NULL;
        char was = data[i];
        data[i] ^= (char)(i % 128);
        uint64_t sum = slice_hash((struct slice){data, size - 8});
        for (size_t k = 0; k < 8; k++)
            data[size - 8 + k] = (char)(sum >> (8 * k));
        struct ledger *l = ledger_load((struct slice){data, size}, NULL, &err);
        if (i == 0)
            CHECK_TEXT(error_text(err), "the ledger's checkpoint is of version 8; this program reads version 11");
        CHECK(l == NULL && err != NULL);
        ledger_free(l);
        data[i] = was;
    }
}
