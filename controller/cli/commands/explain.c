#include "cli/commands/explain.h"

#include "base/clock.h"
#include "base/mem.h"
#include "cli/commands/fetch.h"
#include "cli/render/by_owner.h"
#include "cli/render/name.h"
#include "cli/render/pick.h"
#include "cli/render/reasons.h"
#include "cli/render/waterfall.h"

#include <stdio.h>
#include <string.h>

static void draw_head(const json_t *job, const struct text_style *style, struct buf *out) {
    const json_t *status = pick(job, "status");
    char since[TEXT_DURATION_SIZE];
    name_draw(job, style, out);
    buf_append_text(out, " (");
    text_cell(out, pick_text(job, "spec.targetRef.kind"), 0, 0);
    buf_append_char(out, ' ');
    text_cell(out, pick_text(job, "spec.targetRef.name"), 0, 0);
    buf_append_text(out, ")\n");
    CLEANUP_BUF struct buf line;
    buf_init(&line, 1024);
    text_cell(&line, *pick_text(status, "phase") ? pick_text(status, "phase") : "no status yet", 0, 0);
    if (pick_has(status, "phaseSince"))
        buf_format(&line, " since %s UTC", text_stamp(since, pick_time_ms(status, "phaseSince")));
    if (pick_int(status, "availability.required", 0) > 0)
        buf_format(&line, ", %lld of %lld slots available", (long long)pick_int(status, "availability.available", 0),
                   (long long)pick_int(status, "availability.required", 0));
    if (pick_has(status, "steps.last"))
        buf_format(&line, ", step %lld", (long long)pick_int(status, "steps.last", 0));
    text_wrap(out, style, 0, 2, buf_text(&line));
    if (*pick_text(status, "availability.message"))
        text_wrap(out, style, 2, 0, pick_text(status, "availability.message"));
}

void explain_draw(const json_t *job, const struct text_style *style, struct buf *out) {
    const json_t *status = pick(job, "status");
    draw_head(job, style, out);
    buf_append_char(out, '\n');
    waterfall_draw(status, style, out);
    by_owner_draw(status, style, out);
    reasons_draw(status, style, out);
}

int explain_command(const struct cli_options *options, struct error **err) {
    return fetch_and_show(options, explain_draw, err);
}
