#include "random.h"

#include <stdlib.h>

uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

int64_t random_below(uint64_t *state, int64_t bound) {
    return bound <= 0 ? 0 : (int64_t)(random_next(state) % (uint64_t)bound);
}

uint64_t random_setting(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}
