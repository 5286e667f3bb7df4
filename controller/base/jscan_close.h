/* jscan_close: where an object or array of JSON ends. Private to jscan. */
#ifndef BASE_JSCAN_CLOSE_H
#define BASE_JSCAN_CLOSE_H

#include <stddef.h>

/* Where the `depth` brackets that are open at `at` are all closed (0: those opened from there on), or NULL if they are
 * not closed before the end. Only strings and the number of open brackets are looked at. */
const char *jscan_close_of(const char *at, const char *end, int depth);

#endif
