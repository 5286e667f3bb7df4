/* An object of an archive: any bytes. What is taken are whole members whose time does not run backwards. */
#include "archive/members.h"
#include "archive/object.h"
#include "base/mem.h"
#include "reach.h"

#include <assert.h>
#include <stddef.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice in = {(const char *)data, size};
    struct archive_part part;
    CLEANUP_BUF struct buf text;
    buf_init(&text, 1 << 20);
    for (size_t left = in.size_bytes; archive_member_take(&in, &text, &part); left = in.size_bytes) {
        assert(in.size_bytes < left);
        assert(part.to_ms >= part.from_ms);
        REACHED("a part");
        if (part.is_final)
            REACHED("the last part");
    }
    CLEANUP_FREE char *name = mem_format("%.*s", (int)(size > 300 ? 300 : size), (const char *)data);
    assert(archive_object_sequence(name, "") <= ARCHIVE_MAX_SEQUENCE);
    return 0;
}
