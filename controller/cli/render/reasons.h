/* reasons: the explanations: the evidence of each bucket, interruptions, steps, chip-hours and their cost, forecast,
 * advice, conditions. */
#ifndef CLI_RENDER_REASONS_H
#define CLI_RENDER_REASONS_H

#include "cli/render/text.h"

#include <jansson.h>

void reasons_draw(const json_t *status, const struct text_style *style, struct buf *out);

#endif
