/* number: a decimal number found in text, taken apart but not yet converted, so that it can become a double (correctly
 * rounded) or a scaled integer (exactly) without a detour through the other. The grammar is that of slice_take_double:
 * [+-] digits [. digits] [e [+-] digits]; a dot or an e that no digit follows is not part of the number ("in 5.").
 * Locale-free. Used by slice.h's and jscan.h's functions; other layers want those. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/slice.h"

struct number {
    bool is_negative;
    struct slice whole, fraction; /* digits, borrowed; one of them may be empty */
    int64_t exponent;             /* clamped to +-1,000,000,000 */
};

/* Cursors. */
struct slice number_digits(struct slice *s);
bool number_take(struct slice *s, struct number *n);
/* Exponent digits as a number, clamped as above. */
int64_t number_exponent(struct slice digits, bool is_negative);
/* Nearest double, ties to even; too large gives +-infinity, too small +-0. */
double number_to_double(const struct number *n);
#define NUMBER_EXPONENT_MAX 19
/* Nearest double to mantissa * 10^exponent, ties to even; exponent: at most NUMBER_EXPONENT_MAX either way. */
double number_of_mantissa(uint64_t mantissa, int exponent);
/* value * 10^digits, half away from zero; false if it is beyond +-INT64_MAX. *is_exact (may be NULL): nothing was
 * rounded off. */
bool number_to_scaled(const struct number *n, int digits, int64_t *value, bool *is_exact);

#endif
