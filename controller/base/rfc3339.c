#include "base/rfc3339.h"

#include <assert.h>
#include <stdio.h>

#define NS_PER_S 1000000000

/* A time as it was written. Seconds alone span years 0001 to 9999; nanoseconds in an int64 do not. */
struct stamp {
    int64_t unix_s;
    int32_t ns;
    int fraction_digits;
};

int64_t rfc3339_unix_days(int64_t year, int month, int day) {
    /* Days from civil, Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years start in March, so that
     * the leap day is the last one; an era is 400 years. */
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void civil_of_days(int64_t days, int *year, int *month, int *day) {
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * day_of_year + 2) / 153;
    *day = (int)(day_of_year - (153 * shifted + 2) / 5 + 1);
    *month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    *year = (int)(year_of_era + era * 400 + (*month <= 2));
}

static int days_in_month(int year, int month) {
    static const signed char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

/* n digits at p as a number, -1 if one of them is not a digit. */
static int digits_at(const char *p, int n) {
    int value = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9')
            return -1;
        value = value * 10 + (p[i] - '0');
    }
    return value;
}

static bool take_fraction(struct slice *s, struct stamp *t) {
    struct slice rest = *s;
    if (!slice_take_char(&rest, '.'))
        return true;
    int32_t unit = NS_PER_S;
    while (rest.size_bytes != 0 && rest.data[0] >= '0' && rest.data[0] <= '9') {
        if (++t->fraction_digits > 9)
            return false;
        unit /= 10;
        t->ns += (rest.data[0] - '0') * unit;
        rest = slice_skip(rest, 1);
    }
    *s = rest;
    return t->fraction_digits > 0;
}

static bool take_offset(struct slice *s, struct stamp *t) {
    if (slice_take_char(s, 'Z') || slice_take_char(s, 'z'))
        return true;
    if (s->size_bytes < 6 || (s->data[0] != '+' && s->data[0] != '-') || s->data[3] != ':')
        return false;
    int hours = digits_at(s->data + 1, 2), minutes = digits_at(s->data + 4, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
        return false;
    int offset_s = (hours * 60 + minutes) * 60;
    t->unix_s -= s->data[0] == '-' ? -offset_s : offset_s;
    *s = slice_skip(*s, 6);
    return true;
}

static bool take_stamp(struct slice *s, struct stamp *ret) {
    if (s->size_bytes < sizeof "2026-11-21T02:16:52Z" - 1)
        return false;
    const char *p = s->data;
    if (p[4] != '-' || p[7] != '-' || (p[10] | 0x20) != 't' || p[13] != ':' || p[16] != ':')
        return false;
    int year = digits_at(p, 4), month = digits_at(p + 5, 2), day = digits_at(p + 8, 2);
    int hour = digits_at(p + 11, 2), minute = digits_at(p + 14, 2), second = digits_at(p + 17, 2);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour < 0 || hour > 23 ||
        minute < 0 || minute > 59 || second < 0 || second > 60)
        return false;
    bool leap_second = second == 60;
    struct stamp t = {.unix_s = rfc3339_unix_days(year, month, day) * 86400 + hour * 3600 + minute * 60 +
                                (leap_second ? 59 : second)};
    struct slice rest = slice_skip(*s, 19);
    if (!take_fraction(&rest, &t) || !take_offset(&rest, &t))
        return false;
    if (leap_second)
        t.ns = NS_PER_S - 1;
    *s = rest;
    *ret = t;
    return true;
}

bool rfc3339_take(struct slice *s, int64_t *unix_ns, int *fraction_digits) {
    struct slice rest = *s;
    struct stamp t;
    int64_t ns;
    if (!take_stamp(&rest, &t) || __builtin_mul_overflow(t.unix_s, (int64_t)NS_PER_S, &ns) ||
        __builtin_add_overflow(ns, t.ns, &ns))
        return false;
    *s = rest;
    *unix_ns = ns;
    if (fraction_digits != NULL)
        *fraction_digits = t.fraction_digits;
    return true;
}

bool rfc3339_parse_ms(struct slice s, int64_t *unix_ms) {
    struct stamp t;
    if (!take_stamp(&s, &t) || s.size_bytes != 0)
        return false;
    *unix_ms = t.unix_s * 1000 + t.ns / 1000000;
    return true;
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* A number in `digits` digits, then `behind`; returns the place after it. snprintf() takes ten times as long, and a pod
 * that comes in protobuf has ten times. */
static char *put_number(char *at, int number, int digits, char behind) {
    for (int i = digits - 1; i >= 0; i--) {
        at[i] = (char)('0' + number % 10);
        number /= 10;
    }
    at[digits] = behind;
    return at + digits + 1;
}

static const char *format_stamp(char *out, int64_t unix_s, int32_t ns, int digits) {
    /* What four digits of a year cannot hold is shown as the nearest time that they can. */
    static const int64_t first_s = -62135596800, last_s = 253402300799;
    unix_s = unix_s < first_s ? first_s : unix_s > last_s ? last_s : unix_s;
    int64_t days = floor_div(unix_s, 86400);
    int second = (int)(unix_s - days * 86400), year, month, day;
    civil_of_days(days, &year, &month, &day);
    int unit = digits == 3 ? 1000000 : digits == 6 ? 1000 : 1;
    char *at = put_number(out, year, 4, '-');
    at = put_number(at, month, 2, '-');
    at = put_number(at, day, 2, 'T');
    at = put_number(at, second / 3600, 2, ':');
    at = put_number(at, second / 60 % 60, 2, ':');
    at = put_number(at, second % 60, 2, digits > 0 ? '.' : 'Z');
    if (digits > 0)
        at = put_number(at, ns / unit, digits, 'Z');
    *at = '\0';
    return out;
}

const char *rfc3339_format(char out[static RFC3339_SIZE], int64_t unix_ns, int digits) {
    assert(digits == 0 || digits == 3 || digits == 6 || digits == 9);
    int64_t s = floor_div(unix_ns, NS_PER_S);
    return format_stamp(out, s, (int32_t)(unix_ns - s * NS_PER_S), digits);
}

const char *rfc3339_format_ms(char out[static RFC3339_SIZE], int64_t unix_ms) {
    int64_t s = floor_div(unix_ms, 1000);
    return format_stamp(out, s, (int32_t)(unix_ms - s * 1000) * 1000000, 3);
}

const char *rfc3339_format_s(char out[static RFC3339_SIZE], int64_t unix_ms) {
    return format_stamp(out, floor_div(unix_ms, 1000), 0, 0);
}
