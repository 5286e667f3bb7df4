/* waterfall: the scores of a status, and its wall time from the whole down to productive time: parts that add up
 * exactly as bars, as shares and as durations. */
#ifndef CLI_RENDER_WATERFALL_H
#define CLI_RENDER_WATERFALL_H

#include "cli/render/text.h"

#include <jansson.h>

void waterfall_draw(const json_t *status, const struct text_style *style, struct buf *out);

#endif
