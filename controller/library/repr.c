#include "library/library.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* %.*e gives the correctly rounded digits of a length; the shortest length that reads back is repr's. */
static int digits_needed(double value) {
    char text[LIBRARY_REPR_SIZE];
    for (int digits = 1; digits < 17; digits++) {
        double back = 0;
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        struct slice s = slice_of(text);
        if (slice_take_double(&s, &back) && back == value)
            return digits;
        if (digits == 1) { /* most have 16 or 17: where 15 are too few, less are too */
            snprintf(text, sizeof text, "%.14e", value);
            s = slice_of(text);
            if (!slice_take_double(&s, &back) || back != value)
                digits = 15;
        }
    }
    return 17;
}

const char *library_repr(char out[LIBRARY_REPR_SIZE], double value) {
    if (!isfinite(value)) {
        snprintf(out, LIBRARY_REPR_SIZE, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return out;
    }
    int digits = value == 0 ? 1 : digits_needed(value);
    char text[LIBRARY_REPR_SIZE];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    struct slice tail = slice_of(strchr(text, 'e') + 1);
    int64_t exponent = 0;
    slice_take_int(&tail, &exponent);
    if (exponent >= -4 && exponent < 16) {
        int decimals = digits - 1 - (int)exponent;
        snprintf(out, LIBRARY_REPR_SIZE, "%.*f", decimals > 1 ? decimals : 1, value);
    } else {
        snprintf(out, LIBRARY_REPR_SIZE, "%.*e", digits - 1, value);
    }
    return out;
}
