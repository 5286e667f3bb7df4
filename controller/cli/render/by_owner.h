/* by_owner: draws status.byOwner: who owns the lost time, the largest part first. */
#ifndef CLI_RENDER_BY_OWNER_H
#define CLI_RENDER_BY_OWNER_H

#include "cli/render/text.h"

#include <jansson.h>

void by_owner_draw(const json_t *status, const struct text_style *style, struct buf *out);

#endif
