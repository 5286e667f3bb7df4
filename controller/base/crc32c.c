#include "base/crc32c.h"

/* One nibble per round: the input is a few hundred bytes every half minute. The polynomial reversed is 0x82F63B78.
 */
static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                   0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                   0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};

uint32_t crc32c(struct slice bytes) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < bytes.size_bytes; i++) {
        crc ^= (unsigned char)bytes.data[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
