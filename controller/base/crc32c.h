/* crc32c: the checksum of TFRecord files: CRC-32 with Castagnoli's polynomial (RFC 3720, appendix B.4, whose vectors
 * tests/base/test_crc32c.c holds). */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include "base/slice.h"

uint32_t crc32c(struct slice bytes);

#endif
