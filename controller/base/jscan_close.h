/* jscan_close: where an object or array of JSON ends. Private to jscan. */
#ifndef BASE_JSCAN_CLOSE_H
#define BASE_JSCAN_CLOSE_H

#include <stddef.h>

/* At an opening bracket: its closing one, or NULL if there is none before the end. Only strings and the number of open
 * brackets are looked at. */
const char *jscan_close_of(const char *at, const char *end);

#endif
