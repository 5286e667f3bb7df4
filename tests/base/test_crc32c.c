#include "harness.h"

#include "base/crc32c.h"

/* RFC 3720, appendix B.4, and the check value of the catalogues. */
TEST(the_published_vectors) {
    char bytes[48];
    CHECK_INT(crc32c(SLICE("123456789")), 0xe3069283);
    CHECK_INT(crc32c(SLICE("")), 0);
    memset(bytes, 0, 32);
    CHECK_INT(crc32c((struct slice){bytes, 32}), 0x8a9136aa);
    memset(bytes, 0xff, 32);
    CHECK_INT(crc32c((struct slice){bytes, 32}), 0x62a8ab43);
    for (int i = 0; i < 32; i++)
        bytes[i] = (char)i;
    CHECK_INT(crc32c((struct slice){bytes, 32}), 0x46dd794e);
    for (int i = 0; i < 32; i++)
        bytes[i] = (char)(31 - i);
    CHECK_INT(crc32c((struct slice){bytes, 32}), 0x113fdb5c);
    /* An iSCSI read command. */
    memset(bytes, 0, sizeof bytes);
    bytes[0] = 0x01;
    bytes[1] = (char)0xc0;
    bytes[16] = 0x14;
    bytes[22] = 0x04;
    bytes[27] = 0x14;
    bytes[31] = 0x18;
    bytes[32] = 0x28;
    bytes[40] = 0x02;
    CHECK_INT(crc32c((struct slice){bytes, 48}), 0xd9963a56);
}
