#include "cli/commands/timeline.h"

#include "cli/commands/fetch.h"
#include "cli/render/executions.h"
#include "cli/render/name.h"
#include "cli/render/pick.h"

void timeline_draw(const json_t *job, const struct text_style *style, struct buf *out) {
    const json_t *status = pick(job, "status");
    name_draw(job, style, out);
    buf_append_text(out, "  ");
    text_cell(out, *pick_text(status, "phase") ? pick_text(status, "phase") : "no status yet", 0, 0);
    buf_append_char(out, '\n');
    executions_draw(status, style, out);
}

int timeline_command(const struct cli_options *options, struct error **err) {
    return fetch_and_show(options, timeline_draw, err);
}
