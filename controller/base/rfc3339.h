/* rfc3339: times as Kubernetes, the container runtimes and Cloud Logging write them. By hand: no locale, no time zone
 * data. Parses "2026-11-21T02:16:52Z", 0 to 9 fraction digits, "Z"/"z" or an offset such as "+05:45"; years 0001 to
 * 9999; a leap second ":60" is read as ":59.999...". Source: RFC 3339 section 5.6. */
#ifndef BASE_RFC3339_H
#define BASE_RFC3339_H

#include "base/slice.h"

/* Cursor: takes a time from the front of *s. *fraction_digits (may be NULL) gets the precision given: 0 means a
 * whole-second stamp, which stands for [t, t + 1 s). False outside 1677-09-21 to 2262-04-11, which is what int64
 * nanoseconds span (metav1's zero time "0001-01-01T00:00:00Z" is read by rfc3339_parse_ms). */
bool rfc3339_take(struct slice *s, int64_t *unix_ns, int *fraction_digits);
/* The whole of s must be one time; milliseconds, rounded down. */
bool rfc3339_parse_ms(struct slice s, int64_t *unix_ms);
#define RFC3339_SIZE 40
/* Formatting: a time outside the years 0001 to 9999 (TIME_UNKNOWN) is shown as the nearest that is inside. */
/* "2026-11-21T02:16:52.123Z"; whole seconds are written without a fraction when digits is 0. digits: 0, 3, 6 or 9. */
const char *rfc3339_format(char out[static RFC3339_SIZE], int64_t unix_ns, int digits);
const char *rfc3339_format_ms(char out[static RFC3339_SIZE], int64_t unix_ms); /* 3 digits */
const char *rfc3339_format_s(char out[static RFC3339_SIZE], int64_t unix_ms);  /* 0 digits, rounded down */
/* Days from civil date and back (proleptic Gregorian), for other line formats' dates. */
int64_t rfc3339_unix_days(int64_t year, int month, int day);

#endif
