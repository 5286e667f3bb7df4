/* write: a list of incidents as a document for the one who owns them: table, JSON, CSV, or an HTML file. */
#ifndef CLI_INCIDENTS_WRITE_H
#define CLI_INCIDENTS_WRITE_H

#include "cli/incidents/incidents.h"
#include "cli/render/text.h"

void incidents_table(const struct incidents *n, const struct text_style *style, struct buf *out);
void incidents_csv(const struct incidents *n, struct buf *out); /* a line for each interval, no sums */
void incidents_html(const struct incidents *n, struct buf *out);
json_t *incidents_json(const struct incidents *n); /* the caller owns it */

#endif
