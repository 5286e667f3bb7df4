/* rfc3339: what is read is written and read back as the same time. */
#include "base/rfc3339.h"
#include "reach.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice s = {(const char *)data, size}, whole = s;
    int64_t ns, ms, back;
    int digits;
    char out[RFC3339_SIZE];
    if (rfc3339_take(&s, &ns, &digits)) {
        struct slice written = slice_of(rfc3339_format(out, ns, 9));
        REACHED("a time");
        assert(digits >= 0 && digits <= 9 && rfc3339_take(&written, &back, NULL) && back == ns);
    }
    if (rfc3339_parse_ms(whole, &ms) && ms >= -62135596800000 && ms <= 253402300799999)
        assert(rfc3339_parse_ms(slice_of(rfc3339_format_ms(out, ms)), &back) && back == ms);
    return 0;
}
