/* table: the status of analyze, drawn. */
#ifndef CLI_ANALYZE_TABLE_H
#define CLI_ANALYZE_TABLE_H

#include "cli/analyze/options.h"

#include <jansson.h>

void analyze_ledger_draw(const struct analyze *a, const json_t *status, struct buf *out);
int64_t analyze_best_save_interval_ms(int64_t save_ms, int64_t between_ms);

#endif
