/* output: the forecast as JSON and as a chart (SVG). */
#ifndef CLI_WHATIF_OUTPUT_H
#define CLI_WHATIF_OUTPUT_H

#include "base/buf.h"
#include "cli/whatif/expect.h"

#include <jansson.h>

json_t *whatif_json(const struct whatif *w); /* caller owns */
/* Goodput over the checkpoint interval as a self-contained SVG file. */
void whatif_svg(const struct whatif *w, struct buf *out);

#endif
