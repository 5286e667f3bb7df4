/* random: the random numbers of tests, the same for the same seed on every machine; and the variables of the
 * environment by which a person repeats a failed search (GOODPUT_SEED) or makes it longer (GOODPUT_JOBS). */
#ifndef HARNESS_RANDOM_H
#define HARNESS_RANDOM_H

#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood 2014). */
uint64_t random_next(uint64_t *state);
/* [0, bound); 0 where the bound is not positive. */
int64_t random_below(uint64_t *state, int64_t bound);
/* The number in that variable of the environment; otherwise if it is not set. */
uint64_t random_setting(const char *name, uint64_t otherwise);

#endif
