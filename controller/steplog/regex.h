/* regex: a user's own patterns (PCRE2), compiled once and matched with limits: a pattern comes from a user, and the
 * controller is everybody's. Not for use outside steplog/. */
#ifndef STEPLOG_REGEX_H
#define STEPLOG_REGEX_H

#include "base/error.h"
#include "base/slice.h"

/* What one line has for all patterns. */
#define REGEX_LINE_UNITS 320000

struct regex;

enum regex_result { REGEX_NO, REGEX_YES, REGEX_TOO_EXPENSIVE };

/* name says which pattern it is in errors ("regex.step"). A pattern may be 1 to STEPLOG_MAX_PATTERN_BYTES long. NULL
 * and *err if it cannot be compiled. */
struct regex *regex_new(const char *name, const char *pattern, struct error **err);
void regex_free(struct regex *r);
bool regex_has_group(const struct regex *r, const char *group);

/* Only the first 8,192 bytes of a text are searched. A match that needs more than `limit` units of work is
 * REGEX_TOO_EXPENSIVE. A pattern that was too expensive on 20 texts is disabled: it matches none. */
enum regex_result regex_match(struct regex *r, struct slice text, size_t limit);
/* The next match in the same text, behind the last one, if that was REGEX_YES. */
enum regex_result regex_match_next(struct regex *r, size_t limit);
/* What the last match took: a unit is at most some tens of nanoseconds, whatever the pattern. */
size_t regex_units(const struct regex *r);
bool regex_is_disabled(const struct regex *r);
/* What the named group held in the last match; false if it took no part. */
bool regex_group(const struct regex *r, const char *group, struct slice *value);

#endif
