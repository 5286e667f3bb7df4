/* name: NAMESPACE/NAME of an object. */
#ifndef CLI_RENDER_NAME_H
#define CLI_RENDER_NAME_H

#include "cli/render/text.h"

#include <jansson.h>

void name_draw(const json_t *object, const struct text_style *style, struct buf *out);

#endif
