/* fleet_object: the status of a FleetGoodput. */
#ifndef CLI_RENDER_FLEET_OBJECT_H
#define CLI_RENDER_FLEET_OBJECT_H

#include "cli/render/text.h"

#include <jansson.h>

void fleet_object_draw(const json_t *fleet, const struct text_style *style, struct buf *out);

#endif
