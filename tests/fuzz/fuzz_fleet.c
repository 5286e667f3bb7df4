/* fleet: whatever the object, it is refused or kept; what is kept of it is JSON and gives the same numbers, or as
 * little as the object itself (a string whose escapes mean nothing is JSON by its shape only: such a job has no
 * metrics). */
#include "base/jscan.h"
#include "export/fleet.h"
#include "export/fleet_read.h"
#include "reach.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct fleet_numbers before, after;
    CLEANUP_BUF struct buf kept;
    struct slice object = {(const char *)data, size};
    buf_init(&kept, 2 << 20);
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    bool is_read = fleet_read_numbers(object, &before);
    if (fleet_trim(object, &kept) < 0) /* bytes after the object are refused here alone */
        return 0;
    struct jscan j;
    jscan_init(&j, buf_slice(&kept));
    jscan_skip(&j);
    assert(jscan_at_end(&j));
    assert(fleet_read_numbers(buf_slice(&kept), &after) == is_read);
    if (is_read)
        REACHED("an object with numbers");
    assert(!is_read || memcmp(&before, &after, sizeof before) == 0);
    return 0;
}
