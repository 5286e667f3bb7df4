/* duration: a length of time in Go's notation, as flags have it. */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* "15s", "1m30s", "1.5h", "300ms"; microseconds. False if it is not that, negative, or over a year. */
bool duration_parse(const char *text, int64_t *duration_us);

#endif
