/* pick: reads a JobGoodput by paths such as "status.time.wallMilliseconds". A value that is absent or of another type
 * is "" or the given default, so that any status can be shown. */
#ifndef CLI_PICK_H
#define CLI_PICK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

const json_t *pick(const json_t *object, const char *path); /* NULL if absent; borrowed */
bool pick_has(const json_t *object, const char *path);
const char *pick_text(const json_t *object, const char *path); /* "" if absent; borrowed */
/* Clamped to +-2^53. */
int64_t pick_int(const json_t *object, const char *path, int64_t otherwise);
/* A time as milliseconds since the epoch; TIME_UNKNOWN if absent. */
int64_t pick_time_ms(const json_t *object, const char *path);
/* A decimal string such as "12.5" as thousandths; 0 if absent. */
int64_t pick_thousandths(const json_t *object, const char *path);

#endif
