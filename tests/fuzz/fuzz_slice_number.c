/* numbers: never read beyond the bytes; the double is strtod's (this program runs in the C locale); the scaled integer
 * is the double's neighbor. */
#include "base/slice.h"
#include "reach.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct slice s = {(const char *)data, size}, scaled = s, integer = s;
    double value;
    int64_t i;
    slice_take_int(&integer, &i);
    bool is_scaled = slice_take_scaled(&scaled, 3, &i);
    if (!slice_take_double(&s, &value) || size > 4096)
        return 0;
    REACHED("a double");
    size_t taken = (size_t)(s.data - (const char *)data);
    char *text = malloc(taken + 1);
    memcpy(text, data, taken);
    text[taken] = '\0';
    double expected = strtod(text, NULL);
    free(text);
    assert(isnan(value) ? isnan(expected) : value == expected);
    if (is_scaled)
        REACHED("a scaled integer");
    if (is_scaled)
        assert(fabs((double)i - value * 1000) <= 0.5 + fabs(value) * 1000 * 1e-15);
    else
        assert(!isfinite(value) || fabs(value) >= 9.2e15);
    return 0;
}
