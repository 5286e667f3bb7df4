/* urlencode: text as a part of a URL or of a form (RFC 3986, section 2.1): letters, digits and "-._~" as they are, all
 * other bytes as %XX. */
#ifndef BASE_URLENCODE_H
#define BASE_URLENCODE_H

#include "base/buf.h"

/* Appends the text. also: other bytes that stay as they are, such as "/" in a path. */
void urlencode(struct buf *out, const char *text, const char *also);

#endif
