/* table: the forecast, drawn for a terminal. */
#ifndef CLI_WHATIF_TABLE_H
#define CLI_WHATIF_TABLE_H

#include "cli/render/text.h"
#include "cli/whatif/expect.h"

void whatif_draw(const struct whatif *w, const struct text_style *style, struct buf *out);

#endif
