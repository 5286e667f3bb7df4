/* compare: where the ledger and the Python library differ, and why. */
#ifndef CLI_ANALYZE_COMPARE_H
#define CLI_ANALYZE_COMPARE_H

#include "cli/render/text.h"

#include <jansson.h>

/* Both results as an array of {what, unit, ledger, library, why}; why is "" where they agree. Empty if the library has
 * no result. The caller owns it. */
json_t *analyze_compare(const json_t *status, const json_t *answer);
void analyze_compare_draw(const json_t *differences, const struct text_style *style, struct buf *out);

#endif
