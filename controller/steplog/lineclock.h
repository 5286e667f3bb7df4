/* lineclock: the time that a line carries itself. */
#ifndef STEPLOG_LINECLOCK_H
#define STEPLOG_LINECLOCK_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

/* TIME_UNKNOWN: none. now_ms gives the year where the line has none. *has_zone: no daylight saving time changes it. */
int64_t lineclock_ms(struct slice line, int64_t now_ms, bool *has_zone);

#endif
