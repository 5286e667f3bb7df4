#include "cli/render/name.h"

#include "cli/render/pick.h"

void name_draw(const json_t *object, const struct text_style *style, struct buf *out) {
    text_color(out, style, COLOR_BOLD);
    text_cell(out, pick_text(object, "metadata.namespace"), 0, 0);
    buf_append_text(out, *pick_text(object, "metadata.namespace") ? "/" : "");
    text_cell(out, pick_text(object, "metadata.name"), 0, 0);
    text_color(out, style, COLOR_NONE);
}
