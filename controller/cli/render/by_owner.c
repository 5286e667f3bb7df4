#include "cli/render/by_owner.h"

#include "cli/render/pick.h"

#include <string.h>

/* "Provider 11m 40s (9.48%), 1 interruption, 23.33 chip-hours (28.00 USD)" */
static void draw_owner(const json_t *o, const char *currency, const struct text_style *style, struct buf *out) {
    char duration[TEXT_DURATION_SIZE];
    CLEANUP_BUF struct buf line;
    long long interruptions = (long long)pick_int(o, "interruptions", 0);
    long long hundredths = (long long)(pick_int(o, "chipSeconds", 0) + 18) / 36;
    buf_init(&line, 4096);
    buf_format(&line, "%s %s", pick_text(o, "owner"), text_duration(duration, pick_int(o, "milliseconds", 0)));
    if (*pick_text(o, "share"))
        buf_format(&line, " (%s)", pick_text(o, "share"));
    if (interruptions > 0)
        buf_format(&line, ", %lld interruption%s", interruptions, interruptions == 1 ? "" : "s");
    if (hundredths > 0)
        buf_format(&line, ", %lld.%02lld chip-hours", hundredths / 100, hundredths % 100);
    if (hundredths > 0 && *pick_text(o, "cost"))
        buf_format(&line, " (%s %s)", pick_text(o, "cost"), currency);
    text_wrap(out, style, 2, 2, buf_text(&line));
}

/* The one with the most time among those that are not drawn yet; NULL: none. */
static const json_t *next_owner(const json_t *list, const bool *is_drawn, size_t *ret_at) {
    const json_t *largest = NULL, *o;
    size_t i;
    json_array_foreach(list, i, o) {
        if (is_drawn[i] || (largest != NULL && pick_int(o, "milliseconds", 0) <= pick_int(largest, "milliseconds", 0)))
            continue;
        largest = o;
        *ret_at = i;
    }
    return largest;
}

enum { MAX_OWNERS = 8 };

void by_owner_draw(const json_t *status, const struct text_style *style, struct buf *out) {
    const json_t *list = pick(status, "byOwner"), *o;
    bool is_drawn[MAX_OWNERS] = {false};
    size_t at = 0;
    if (json_array_size(list) == 0 || json_array_size(list) > MAX_OWNERS)
        return;
    buf_append_text(out, "\nWho owns the lost time\n");
    while ((o = next_owner(list, is_drawn, &at)) != NULL) {
        draw_owner(o, pick_text(status, "cost.currency"), style, out);
        is_drawn[at] = true;
    }
}
