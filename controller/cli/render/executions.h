/* executions: a row per execution on one time axis: waiting for slots, starting, stepping, and the work that was lost.
 */
#ifndef CLI_RENDER_EXECUTIONS_H
#define CLI_RENDER_EXECUTIONS_H

#include "cli/render/text.h"

#include <jansson.h>

void executions_draw(const json_t *status, const struct text_style *style, struct buf *out);

#endif
