/* formats: kubectl goodput formats: the log formats that are read without configuration, each with lines of it. */
#ifndef CLI_COMMANDS_FORMATS_H
#define CLI_COMMANDS_FORMATS_H

#include "base/buf.h"
#include "base/error.h"
#include "cli/commands/options.h"

#include <jansson.h>

/* [{"name", "trainer", "example": [LINE, ...]}], in the order of steplog/steplog.h. The caller owns it. */
json_t *formats_list(void);
void formats_draw(const json_t *formats, const struct text_style *style, struct buf *out);
int formats_command(const struct cli_options *options, struct error **err);

#endif
