/* mask: a line as it may be quoted: bounded, printable, without tokens, keys and passwords. */
#ifndef ROOTCAUSE_MASK_H
#define ROOTCAUSE_MASK_H

#include "base/slice.h"

#define QUOTE_BYTES 320

/* The line from a little before `at` on. What looks like a secret becomes "***". */
void quote_line(char out[static QUOTE_BYTES], struct slice line, size_t at);
/* Bytes that are not UTF-8 become "?", in place: JSON takes no others. */
void quote_clean(char *text);

#endif
