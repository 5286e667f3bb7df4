/* base64: RFC 4648, the standard alphabet with padding. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/slice.h"

/* Line breaks and spaces are allowed. NULL if it is not base64; heap, NUL-terminated. */
char *base64_decode(struct slice text, size_t *ret_size_bytes);
char *base64_encode(struct slice bytes); /* heap */

#endif
