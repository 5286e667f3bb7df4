/* hash: a keyed hash of bytes, SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). A tenant
 * chooses many of the names that are hashed; without the key it cannot choose names that collide. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/slice.h"

/* The bytes of a plain value without padding: hash_local(0, HASH_BYTES(&number)). */
#define HASH_BYTES(at) ((struct slice){(const char *)(at), sizeof *(at)})

/* seed: 0, or the hash of what comes before these bytes: `h = hash_local(h, bytes)` hashes a sequence. */

/* The key is random and differs from process to process: for tables and comparisons within one process. */
uint64_t hash_local(uint64_t seed, struct slice bytes);
/* The key is a constant: for what is stored and read by another process, such as checksums and the identities in
 * checkpoints. Whoever stores it must accept that bytes can be chosen to collide. */
uint64_t hash_stable(uint64_t seed, struct slice bytes);
/* No key, and faster: for long lines of a file that only its reader would harm with collisions. Not for
 * what is stored. The multiplier of splitmix64 (Steele, Lea and Flood 2014). */
uint64_t hash_fast(uint64_t seed, struct slice bytes);

/* The same of one word: `h = hash_word(h, word)` hashes a sequence. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xBF58476D1CE4E5B9u;
    return hash ^ hash >> 32;
}

uint64_t hash_siphash(const uint64_t key[static 2], struct slice bytes);

#endif
