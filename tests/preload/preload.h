/* preload: a test's hold on the libraries of this folder, which are preloaded into the programs that it starts. */
#ifndef TESTS_PRELOAD_H
#define TESTS_PRELOAD_H

#include "clock.h"

/* A clock for programs that start between preload_begin and preload_end: `speed` times as fast as the real one, from
 * now on. Its step_us may be written while they run. NULL if that is not possible. */
struct preload_clock *preload_clock(int64_t speed);
void preload_begin(void);
void preload_end(void);
void preload_done(struct preload_clock *clock);            /* NULL is fine */
int64_t preload_now_us(const struct preload_clock *clock); /* the programs' wall clock */

#endif
