/* spread: jobs whose steps vary in length: how far productive time is from the truth, and whether the truth lies
 * between productive time and that with Unattributed. */
#ifndef TRUTH_SPREAD_H
#define TRUTH_SPREAD_H

#include "sim.h"

/* A table: each format, and each style of the files, by spread. False if a truth lies outside its bounds, or a format
 * whose lines state each step's duration is off by more than 1 % of the wall time. */
bool spread_run(enum steplog_format format, const char *const *files, int file_count, const char *only, uint64_t seed,
                int64_t jobs, bool prints);
/* All jobs from here on vary as that row of the table; false if there is none. */
bool spread_set(const char *name);

#endif
