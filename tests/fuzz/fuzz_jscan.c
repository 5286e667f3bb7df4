/* jscan: whatever the bytes, the walk ends, stays inside, and the quick skip agrees with reading every value. */
#include "base/jscan.h"
#include "reach.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_value(struct jscan *j) {
    struct slice s;
    int64_t i;
    bool b;
    char text[16];
    switch (jscan_peek(j)) {
    case JSCAN_OBJECT:
        if (jscan_object(j))
            while (jscan_key(j, &s))
                read_value(j);
        break;
    case JSCAN_ARRAY:
        if (jscan_array(j))
            while (jscan_element(j))
                read_value(j);
        break;
    case JSCAN_STRING:
        if (j->at + 12 < j->end && j->at[11] == 'T') {
            if (jscan_time_ms(j, &i))
                REACHED("a time");
        } else
            jscan_string_raw(j, &s);
        break;
    case JSCAN_NUMBER:
        if (j->depth % 2)
            jscan_int(j, &i);
        else
            jscan_number_raw(j, &s);
        break;
    case JSCAN_BOOL:
        jscan_bool(j, &b);
        break;
    default:
        jscan_string(j, text, sizeof text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice bytes = {(const char *)data, size};
    struct jscan skipping, reading, decoding;
    jscan_init(&skipping, bytes);
    jscan_skip(&skipping);
    jscan_init(&reading, bytes);
    read_value(&reading);
    if (jscan_at_end(&skipping))
        REACHED("a whole document");
    else
        REACHED("a broken document");
    assert(jscan_at_end(&skipping) == jscan_at_end(&reading));
    assert(skipping.at <= (const char *)data + size && reading.at <= (const char *)data + size);
    char text[8];
    jscan_init(&decoding, bytes);
    jscan_string(&decoding, text, size % (sizeof text + 1));
    return 0;
}
