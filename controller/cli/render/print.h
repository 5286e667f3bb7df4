/* print: objects as -o json, yaml or name. */
#ifndef CLI_RENDER_PRINT_H
#define CLI_RENDER_PRINT_H

#include "base/error.h"

#include <jansson.h>

int print_as(const char *output, const json_t *value, struct error **err);

#endif
