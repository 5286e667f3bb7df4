#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static uint64_t process_key[2];

/* Before main(), so that threads only read it. */
__attribute__((constructor)) static void make_key(void) {
    if (getentropy(process_key, sizeof process_key) != 0)
        abort();
}

static inline uint64_t little_endian(uint64_t word) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

static inline uint64_t rotate(uint64_t value, int bits) {
    return value << bits | value >> (64 - bits);
}

static inline void sip_round(uint64_t v[static 4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

static inline void add_word(uint64_t v[static 4], uint64_t word) {
    v[3] ^= word;
    sip_round(v);
    sip_round(v);
    v[0] ^= word;
}

uint64_t hash_siphash(const uint64_t key[static 2], struct slice bytes) {
    uint64_t v[] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                    key[1] ^ 0x7465646279746573}; /* "somepseudorandomlygeneratedbytes" */
    uint64_t word, last = (uint64_t)bytes.size_bytes << 56;
    for (; bytes.size_bytes >= sizeof word; bytes = slice_skip(bytes, sizeof word)) {
        memcpy(&word, bytes.data, sizeof word);
        add_word(v, little_endian(word));
    }
    for (size_t i = 0; i < bytes.size_bytes; i++)
        last |= (uint64_t)(unsigned char)bytes.data[i] << (8 * i);
    add_word(v, last);
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t hash_local(uint64_t seed, struct slice bytes) {
    return hash_siphash((const uint64_t[]){process_key[0] ^ seed, process_key[1]}, bytes);
}

uint64_t hash_stable(uint64_t seed, struct slice bytes) {
    return hash_siphash((const uint64_t[]){seed, 0}, bytes);
}

static inline uint64_t word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* The last bytes of a text, which the words before it did not take: the word that ends with them, or a short text. */
static inline uint64_t last_word(struct slice bytes) {
    uint64_t word = 0;
    if (bytes.size_bytes >= sizeof word)
        return word_at(bytes.data + bytes.size_bytes - sizeof word);
    memcpy(&word, bytes.data, bytes.size_bytes);
    return word;
}

uint64_t hash_fast(uint64_t seed, struct slice bytes) {
    enum { WORD = sizeof seed };
    uint64_t one = hash_word(seed, bytes.size_bytes), other = ~one; /* side by side, as a product takes its time */
    const char *at = bytes.data;
    size_t left = bytes.size_bytes;
    for (; left >= 2 * WORD; at += 2 * WORD, left -= 2 * WORD) {
        one = hash_word(one, word_at(at));
        other = hash_word(other, word_at(at + WORD));
    }
    if (left >= WORD)
        one = hash_word(one, word_at(at));
    return hash_word(hash_word(one, last_word(bytes)), other);
}
