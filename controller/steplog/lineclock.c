/* The times that lines carry themselves, for logs without a transport's stamps: absl's "I1121 02:17:41.048881 1400..."
 * (MaxText), which has no year, and any "2026-11-21 02:28:06.282898" (or "T", or a comma before the fraction) near the
 * front: Megatron's and DeepSpeed's brackets, torchtitan's and NeMo's prefixes. They are local times without a zone and
 * are taken as UTC: what matters is what lies between them. Hugging Face, Keras and Lightning print no time at all, and
 * neither do NeMo's step lines. */
#include "steplog/lineclock.h"
#include "base/rfc3339.h"
#include "ledger/record.h"

#define LOOK_AT_BYTES 96
#define DAY_MS INT64_C(86400000)

static bool take_number(const char **at, const char *end, int digits, int *value) {
    const char *p = *at;
    int sum = 0;
    for (int i = 0; i < digits; i++, p++) {
        if (p >= end || *p < '0' || *p > '9')
            return false;
        sum = sum * 10 + (*p - '0');
    }
    *at = p;
    *value = sum;
    return true;
}

static bool take_char(const char **at, const char *end, char a, char b) {
    if (*at >= end || (**at != a && **at != b))
        return false;
    ++*at;
    return true;
}

/* "02:17:41.048881", perhaps without a fraction. */
static bool take_time_of_day(const char **at, const char *end, int64_t *ms) {
    int h, m, s, fraction = 0;
    if (!take_number(at, end, 2, &h) || !take_char(at, end, ':', ':') || !take_number(at, end, 2, &m) ||
        !take_char(at, end, ':', ':') || !take_number(at, end, 2, &s) || h > 23 || m > 59 || s > 60)
        return false;
    if (take_char(at, end, '.', ',') && !take_number(at, end, 3, &fraction))
        return false;
    *ms = ((h * 60 + m) * 60 + s) * INT64_C(1000) + fraction;
    return true;
}

static bool is_date(int month, int day) {
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/* The latest year in which it is not after now (by a day: clocks differ, and zones). */
static bool absl_ms(const char *p, const char *end, int64_t now_ms, int64_t *ms) {
    int month, day;
    int64_t in_day;
    p++;
    if (!take_number(&p, end, 2, &month) || !take_number(&p, end, 2, &day) || !is_date(month, day) ||
        !take_char(&p, end, ' ', ' ') || !take_time_of_day(&p, end, &in_day) || now_ms == TIME_UNKNOWN)
        return false;
    int64_t year = 1970 + now_ms / (DAY_MS * 1461 / 4) + 1;
    do
        *ms = rfc3339_unix_days(year--, month, day) * DAY_MS + in_day;
    while (*ms > now_ms + DAY_MS && year > 1970);
    return true;
}

static bool dated_ms(const char *p, const char *end, int64_t *ms) {
    int year, month, day;
    int64_t in_day;
    if (!take_number(&p, end, 4, &year) || !take_char(&p, end, '-', '-') || !take_number(&p, end, 2, &month) ||
        !take_char(&p, end, '-', '-') || !take_number(&p, end, 2, &day) || !is_date(month, day) || year < 1970 ||
        !take_char(&p, end, ' ', 'T') || !take_time_of_day(&p, end, &in_day))
        return false;
    *ms = rfc3339_unix_days(year, month, day) * DAY_MS + in_day;
    return true;
}

int64_t lineclock_ms(struct slice line, int64_t now_ms) {
    const char *end = line.data + (line.size_bytes < LOOK_AT_BYTES ? line.size_bytes : LOOK_AT_BYTES);
    int64_t ms;
    if (line.size_bytes == 0 || line.data[0] == '{')
        return TIME_UNKNOWN;
    if (slice_find_char(SLICE("IWEF"), line.data[0]) != NULL && absl_ms(line.data, end, now_ms, &ms))
        return ms;
    for (const char *p = line.data; p < end; p++) {
        bool begins = *p >= '1' && *p <= '9' && (p == line.data || p[-1] == '[' || p[-1] == ' ' || p[-1] == ':');
        if (begins && dated_ms(p, end, &ms))
            return ms;
    }
    return TIME_UNKNOWN;
}
