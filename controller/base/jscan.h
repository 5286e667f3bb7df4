/* jscan: reads JSON in place, without a tree and without allocation, by walking a cursor over the bytes. It is how
 * watch events, list pages and recorder lines are read: only the requested keys are read, everything else is
 * skipped. Checked strictly enough that malformed input is an error, never a crash: depth at most 64, strings must be
 * closed, numbers well-formed. Python's NaN, Infinity and -Infinity pass as numbers (jscan_number_raw alone reads
 * them). (For building JSON use jwrite.h; for configuration-sized documents jansson.)
 *
 * Typical use:
 *   struct jscan j; jscan_init(&j, bytes);
 *   if (jscan_object(&j)) while (jscan_key(&j, &key)) {
 *       if (slice_is(key, "metadata")) parse_metadata(&j, ...);      // consumes exactly one value
 *       else jscan_skip(&j);
 *   }
 *   if (jscan_error(&j)) ...
 * Every value after a key, and every element after jscan_element(), must be consumed by exactly one call. After an
 * error all calls return false and the loops end. */
#ifndef BASE_JSCAN_H
#define BASE_JSCAN_H

#include "base/slice.h"

enum jscan_type { JSCAN_NONE, JSCAN_OBJECT, JSCAN_ARRAY, JSCAN_STRING, JSCAN_NUMBER, JSCAN_BOOL, JSCAN_NULL };

#define JSCAN_MAX_DEPTH 64

struct jscan {
    const char *at, *end, *start;
    const char *error; /* constant text, NULL while all is well */
    int depth;
    bool is_loose;
    char first[JSCAN_MAX_DEPTH + 1]; /* per open level: 1 before its first member */
    char closer[JSCAN_MAX_DEPTH + 1];
};

void jscan_init(struct jscan *j, struct slice bytes);
/* For objects of an API server, most of whose fields are skipped: a skipped object or array is only searched for its
 * end (strings closed, as many brackets closed as opened); what is read is checked in full. */
void jscan_init_loose(struct jscan *j, struct slice bytes);
/* Type of the value at the cursor, which is not consumed. */
enum jscan_type jscan_peek(struct jscan *j);
/* Enters an object / array; false (value skipped) if the value is of another type. */
bool jscan_object(struct jscan *j);
bool jscan_array(struct jscan *j);
/* Next key of the object last entered; false at its end (which is consumed). The key is raw (escapes not decoded). */
bool jscan_key(struct jscan *j, struct slice *key);
/* Next element of the array last entered; false at its end (which is consumed). */
bool jscan_element(struct jscan *j);
void jscan_skip(struct jscan *j);
/* Skips what is left of the object or array last entered, its end included. */
void jscan_leave(struct jscan *j);
/* Each consumes one value. On another type they return false and have skipped the value. */
bool jscan_string_raw(struct jscan *j, struct slice *raw); /* bytes between the quotes, escapes kept */
/* Decoded into out (truncated at a UTF-8 boundary if too long, still true), NUL-terminated. */
bool jscan_string(struct jscan *j, char *out, size_t out_size);
/* The same for the bytes that jscan_string_raw gave; false on a malformed escape. */
bool jscan_unescape(struct slice raw, char *out, size_t out_size);
bool jscan_int(struct jscan *j, int64_t *value); /* integral numbers only, also "3.0" and "3e2"; not INT64_MIN */
bool jscan_scaled(struct jscan *j, int digits, int64_t *value); /* as slice_take_scaled */
bool jscan_number_raw(struct jscan *j, struct slice *raw);      /* for slice_take_double and others */
bool jscan_bool(struct jscan *j, bool *value);
bool jscan_time_ms(struct jscan *j, int64_t *unix_ms); /* a string holding RFC 3339 */
/* The bytes of one whole value (checked), for handing on. */
bool jscan_raw(struct jscan *j, struct slice *raw);
/* NULL, or what is wrong; *offset (may be NULL) where, in bytes. */
const char *jscan_error(const struct jscan *j, size_t *offset);
/* True if only white space is left and no error occurred. */
bool jscan_at_end(struct jscan *j);

#endif
