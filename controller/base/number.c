#include "base/number.h"

#include "base/digits.h"

#include <errno.h>
#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPONENT_LIMIT 1000000000

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

struct slice number_digits(struct slice *s) {
    size_t n = 0;
    while (n < s->size_bytes && is_digit(s->data[n]))
        n++;
    struct slice digits = {s->data, n};
    *s = slice_skip(*s, n);
    return digits;
}

int64_t number_exponent(struct slice digits, bool is_negative) {
    int64_t exponent = 0;
    for (size_t i = 0; i < digits.size_bytes && exponent < EXPONENT_LIMIT; i++)
        exponent = exponent * 10 + (digits.data[i] - '0');
    if (exponent > EXPONENT_LIMIT)
        exponent = EXPONENT_LIMIT;
    return is_negative ? -exponent : exponent;
}

static void take_exponent(struct slice *s, struct number *n) {
    struct slice rest = *s;
    if (!slice_take_char(&rest, 'e') && !slice_take_char(&rest, 'E'))
        return;
    bool negative = slice_take_char(&rest, '-');
    if (!negative)
        slice_take_char(&rest, '+');
    struct slice digits = number_digits(&rest);
    if (digits.size_bytes == 0)
        return;
    n->exponent = number_exponent(digits, negative);
    *s = rest;
}

bool number_take(struct slice *s, struct number *n) {
    struct slice rest = *s;
    struct number found = {0};
    found.is_negative = slice_take_char(&rest, '-');
    if (!found.is_negative)
        slice_take_char(&rest, '+');
    found.whole = number_digits(&rest);
    if (rest.size_bytes > 1 && rest.data[0] == '.' && is_digit(rest.data[1])) {
        rest = slice_skip(rest, 1);
        found.fraction = number_digits(&rest);
    }
    if (found.whole.size_bytes == 0 && found.fraction.size_bytes == 0)
        return false;
    take_exponent(&rest, &found);
    *s = rest;
    *n = found;
    return true;
}

/* Digit i of whole and fraction read as one run. */
static int digit_at(const struct number *n, size_t i) {
    char c = i < n->whole.size_bytes ? n->whole.data[i] : n->fraction.data[i - n->whole.size_bytes];
    return c - '0';
}

static size_t digit_count(const struct number *n) {
    return n->whole.size_bytes + n->fraction.size_bytes;
}

static size_t leading_zeros(const struct number *n) {
    size_t i = 0, count = digit_count(n);
    while (i < count && digit_at(n, i) == 0)
        i++;
    return i;
}

/* A double is decided by at most 768 significant digits; what follows matters only by being zero or not, so a single 1
 * stands for it. Written without a decimal point the text means the same in every locale; strtod_l() with the C locale
 * says so to the reader as well (newlocale("C") is a constant in glibc and musl: no allocation, nothing to keep). */
static double slow_double(const struct number *n, size_t first) {
    enum { DIGITS = 800 };
    char text[DIGITS + 32];
    size_t size = 0, count = digit_count(n), i = first;
    for (; i < count && size < DIGITS; i++)
        text[size++] = (char)('0' + digit_at(n, i));
    int64_t exponent = n->exponent - (int64_t)n->fraction.size_bytes + (int64_t)(count - i);
    for (; i < count; i++)
        if (digit_at(n, i) != 0) {
            text[size++] = '1';
            exponent--;
            break;
        }
    snprintf(text + size, sizeof text - size, "e%lld", (long long)exponent);
    int saved_errno = errno;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    errno = saved_errno;
    return value;
}

enum { DOUBLE_BITS = 53 };

typedef unsigned __int128 wide;

/* The nearest double to (bits + less than 1, if is_more) * 2^exponent; ties go to the even one. bits has more than
 * DOUBLE_BITS + 1, and the result is far from the ends of what a double can hold. */
static double rounded(wide bits, bool is_more, int exponent) {
    uint64_t high = (uint64_t)(bits >> 64);
    int size = high != 0 ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)bits);
    int dropped = size - DOUBLE_BITS;
    uint64_t mantissa = (uint64_t)(bits >> dropped);
    wide rest = bits & (((wide)1 << dropped) - 1), half = (wide)1 << (dropped - 1);
    if (rest > half || (rest == half && (is_more || (mantissa & 1) != 0)))
        mantissa++;
    return ldexp((double)mantissa, dropped + exponent);
}

/* The same where the whole part and the fraction each fit into a word, as in a time of 17 digits, which Python prints:
 * two divisions of 64 bits instead of two of 128. */
static bool quotient(uint64_t mantissa, uint64_t power, double *value) {
    uint64_t whole = mantissa / power, rest = mantissa % power;
    int shift = whole != 0 ? DOUBLE_BITS - (64 - __builtin_clzll(whole)) : -1; /* bits of the fraction */
    if (shift < 0 || rest >= UINT64_C(1) << (63 - shift))
        return false;
    rest <<= shift;
    uint64_t bits = (whole << shift) + rest / power, left = rest % power;
    bits += left > power - left || (left == power - left && (bits & 1) != 0);
    *value = (double)bits / (double)(UINT64_C(1) << shift); /* exact: a power of two */
    return true;
}

/* Exact in 128 bits, or a quotient of 64 bits and whether there is more. */
static double wide_double(uint64_t mantissa, int exponent) {
    uint64_t power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        power *= 10; /* 10^19 is below 2^64 */
    double value;
    if (exponent < 0 && quotient(mantissa, power, &value))
        return value;
    int shift = __builtin_clzll(mantissa);
    mantissa <<= shift;
    if (exponent >= 0)
        return rounded((wide)mantissa * power, false, -shift);
    wide dividend = (wide)mantissa << 64;
    return rounded(dividend / power, dividend % power != 0, -shift - 64);
}

double number_of_mantissa(uint64_t mantissa, int exponent) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                    1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    if (mantissa > (uint64_t)1 << DOUBLE_BITS)
        return wide_double(mantissa, exponent);
    /* Both operands are exact doubles, so the one operation rounds once, correctly (Clinger 1990). */
    return exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
}

double number_to_double(const struct number *n) {
    size_t count = digit_count(n), first = leading_zeros(n);
    int64_t exponent = n->exponent - (int64_t)n->fraction.size_bytes;
    double value = 0;
    if (first < count && count - first <= DIGITS_MAX && exponent >= -NUMBER_EXPONENT_MAX &&
        exponent <= NUMBER_EXPONENT_MAX) {
        uint64_t mantissa = 0;
        for (size_t i = first; i < count; i++)
            mantissa = mantissa * 10 + (uint64_t)digit_at(n, i);
        value = number_of_mantissa(mantissa, (int)exponent);
    } else if (first < count) {
        value = slow_double(n, first);
    }
    return n->is_negative ? -value : value;
}

/* The ordinary number (no exponent, few digits, nothing to round off) in one go; the general way is several times
 * slower, and a million recorder entries have a million times. */
static bool scaled_quickly(const struct number *n, int digits, int64_t *value) {
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
    int shift = digits - (int)n->fraction.size_bytes;
    if (n->exponent != 0 || digit_count(n) > 18 || shift < 0 || shift > 9)
        return false;
    int64_t sum = 0;
    for (size_t i = 0; i < n->whole.size_bytes; i++)
        sum = sum * 10 + (n->whole.data[i] - '0');
    for (size_t i = 0; i < n->fraction.size_bytes; i++)
        sum = sum * 10 + (n->fraction.data[i] - '0');
    return !__builtin_mul_overflow(n->is_negative ? -sum : sum, powers[shift], value);
}

bool number_to_scaled(const struct number *n, int digits, int64_t *value, bool *is_exact) {
    int64_t quick;
    if (scaled_quickly(n, digits, &quick)) {
        *value = quick;
        if (is_exact != NULL)
            *is_exact = true;
        return true;
    }
    size_t count = digit_count(n), first = leading_zeros(n);
    /* How many of the digits from the first on are before the (moved) decimal point. */
    int64_t keep = n->exponent - (int64_t)n->fraction.size_bytes + digits + (int64_t)count - (int64_t)first;
    int64_t sum = 0;
    bool exact = true;
    if (first < count && keep > 19)
        return false;
    if (first < count && keep >= 0) {
        size_t i = first;
        for (int64_t k = 0; k < keep; k++, i++)
            if (__builtin_mul_overflow(sum, 10, &sum) ||
                __builtin_add_overflow(sum, i < count ? digit_at(n, i) : 0, &sum))
                return false;
        if (i < count && digit_at(n, i) >= 5 && __builtin_add_overflow(sum, 1, &sum))
            return false;
        for (; i < count && exact; i++)
            exact = digit_at(n, i) == 0;
    } else if (first < count) {
        exact = false;
    }
    *value = n->is_negative ? -sum : sum;
    if (is_exact != NULL)
        *is_exact = exact;
    return true;
}
