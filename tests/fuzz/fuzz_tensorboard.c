/* An event file that somebody else wrote into: frames are taken only whole, from within it, and in order. */
#include "export/push/tensorboard_events.h"
#include "reach.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct slice whole = {(const char *)data, size};
    struct slice file = whole, event;
    struct tensorboard_event e;
    int r;
    while ((r = tensorboard_take(&file, &event)) > 0) {
        assert(event.data >= whole.data && event.data + event.size_bytes + 4 == file.data);
        REACHED("a whole event");
        tensorboard_read(event, &e);
    }
    if (r < 0)
        REACHED("a broken event");
    assert(r == 0 ? file.size_bytes == 0 : file.size_bytes > 0);
    tensorboard_read(whole, &e); /* no search finds a checksum */
    return 0;
}
