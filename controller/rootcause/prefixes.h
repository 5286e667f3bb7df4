/* prefixes: what tools put before a line of a process: a rank, an actor, a host, a pod, the head of syslog, Airflow's.
 */
#ifndef ROOTCAUSE_PREFIXES_H
#define ROOTCAUSE_PREFIXES_H

#include "base/slice.h"

/* Takes them. *rank changes where one names it. Returns the same number for each line of one writer; 0: no prefix
 * names it. */
uint64_t prefixes_take(struct slice *text, int64_t *rank);

#endif
