/* order: the files of a job in the order of time. */
#ifndef CLI_ANALYZE_ORDER_H
#define CLI_ANALYZE_ORDER_H

#include "base/error.h"
#include "cli/analyze/options.h"

/* Sorts the files by their first times. */
int analyze_order(struct analyze *a, struct error **err);

#endif
