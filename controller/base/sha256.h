/* sha256: the SHA-256 of FIPS 180-4. Not for secrets: it makes no effort to take the same time for all of them. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/slice.h"

#define SHA256_BYTES 32

void sha256(struct slice bytes, unsigned char digest[static SHA256_BYTES]);

#endif
