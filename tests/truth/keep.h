/* keep: logs of simulated jobs as files, for tests that read logs from files. */
#ifndef TRUTH_KEEP_H
#define TRUTH_KEEP_H

#include "sim.h"

/* Writes DIR/FORMAT-SEED/attempt-N.log for the first `jobs` jobs from a seed on that last that long, and for format
 * Regex the arguments that `analyze` needs, one a line, in a file next to them. False and a line on stderr if it
 * cannot.
 */
bool keep_logs(const char *dir, enum steplog_format format, uint64_t seed, int64_t jobs, int64_t min_ms);

#endif
