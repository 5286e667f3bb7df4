#include "harness.h"

#include "base/hash.h"
#include "base/mem.h"

/* The authors' reference vectors (vectors_sip64 in github.com/veorq/SipHash, vectors.h): the bytes 0, 1, 2 ... n-1
 * under the key 00 01 ... 0f. The one of 15 bytes is in the paper's appendix A. */
TEST(siphash_gives_the_published_vectors) {
    static const uint64_t key[] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
    static const uint64_t vectors[] = {0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
                                       0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
                                       0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
                                       0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5};
    char bytes[ARRAY_SIZE(vectors)];
    for (size_t n = 0; n < ARRAY_SIZE(vectors); n++) {
        bytes[n] = (char)n;
        CHECK(hash_siphash(key, (struct slice){bytes, n}) == vectors[n]);
    }
}

TEST(each_of_seed_key_and_bytes_changes_the_hash) {
    CHECK(hash_local(0, SLICE("a")) == hash_local(0, SLICE("a")));
    CHECK(hash_local(0, SLICE("a")) != hash_local(1, SLICE("a")));
    CHECK(hash_local(0, SLICE("a")) != hash_local(0, SLICE("b")));
    CHECK(hash_local(0, SLICE("a")) != hash_stable(0, SLICE("a"))); /* 2^-64: the random key is the constant one */
    CHECK(hash_stable(0, SLICE("")) == hash_stable(0, (struct slice){0}));
}

/* Stored hashes outlive a release: a change of this number needs new versions of what is stored. */
TEST(the_stable_hash_is_the_same_in_every_process) {
    CHECK(hash_stable(0, SLICE("foobar")) == 0x0aac7cb99d530deb); /* openssl mac SIPHASH, a key of zeros */
}
