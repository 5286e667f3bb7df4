/* yaml: JSON values as YAML in block style; strings are quoted where YAML would read another type. */
#ifndef CLI_RENDER_YAML_H
#define CLI_RENDER_YAML_H

#include "base/buf.h"

#include <jansson.h>

void yaml_write(struct buf *out, const json_t *value);

#endif
