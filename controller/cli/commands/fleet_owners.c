#include "cli/commands/fleet_owners.h"

#include "fleet/cost.h"

#include <math.h>
#include <stdio.h>

/* Unknown last, as in status.byOwner. */
static int owner_at(int i) {
    return (OWNER_UNKNOWN + 1 + i) % OWNER_COUNT;
}

static bool has_owner(const struct sums *s, int owner) {
    return s->of[SUMS_PAID_OWNED(owner)] > 0 || s->of[SUMS_OWNED(owner)] > 0;
}

/* Below the owner: what interruptions cost, by class, and the rest. */
static void draw_classes(const struct sums *s, enum rootcause_owner owner, struct buf *out) {
    int64_t chip_s[SUMS_CLASSES];
    if (!sums_owned_by_class(s, owner, chip_s))
        return;
    for (int c = 0; c < SUMS_CLASSES; c++) {
        char text[32];
        if (chip_s[c] == 0)
            continue;
        buf_append_text(out, "    ");
        text_cell(out, sums_class_name(c), 20, 1);
        snprintf(text, sizeof text, "%.1f", (double)chip_s[c] / 3600);
        text_cell(out, text, 12, -1);
        buf_append_char(out, '\n');
    }
}

static json_t *classes_of(const struct sums *s, enum rootcause_owner owner) {
    int64_t chip_s[SUMS_CLASSES];
    if (!sums_owned_by_class(s, owner, chip_s))
        return NULL;
    json_t *classes = json_array();
    for (int c = 0; c < SUMS_CLASSES; c++)
        if (chip_s[c] > 0)
            json_array_append_new(classes, json_pack("{s:s, s:I}", "class", sums_class_name(c), "paidChipSeconds",
                                                     (json_int_t)chip_s[c]));
    return classes;
}

static void draw_owner(const struct sums *s, int owner, double price, bool is_priced, struct buf *out) {
    char text[32];
    double cost = cost_owned(s, (enum rootcause_owner)owner, price);
    buf_append_text(out, "  ");
    text_cell(out, rootcause_owner_name((enum rootcause_owner)owner), 22, 1);
    snprintf(text, sizeof text, "%.1f", (double)s->of[SUMS_PAID_OWNED(owner)] / 3.6e6);
    text_cell(out, text, 12, -1);
    snprintf(text, sizeof text, "%lldx", (long long)s->of[SUMS_OWNED(owner)]);
    text_cell(out, text, 9, -1);
    snprintf(text, sizeof text, isnan(cost) ? "-" : "%.2f", cost);
    if (is_priced)
        text_cell(out, text, 14, -1);
    buf_append_char(out, '\n');
    draw_classes(s, (enum rootcause_owner)owner, out);
}

void fleet_owners_draw(const struct sums *s, double price, bool is_priced, const struct text_style *style,
                       struct buf *out) {
    bool any = false;
    CLEANUP_BUF struct buf line;
    buf_init(&line, 4096);
    for (int i = 0; i < OWNER_COUNT; i++) {
        int o = owner_at(i);
        if (!has_owner(s, o))
            continue;
        if (!any)
            buf_append_text(out, "Who owns the lost chip-hours, of those allocated\n");
        any = true;
        draw_owner(s, o, price, is_priced, out);
    }
    if (any)
        buf_append_char(out, '\n');
    for (int c = 0; c < CLASS_COUNT; c++)
        if (s->of[SUMS_OF_CLASS(c)] > 0)
            buf_format(&line, "%s%s %lld", line.size_bytes > 0 ? ", " : "Root causes of interruptions: ",
                       rootcause_class_name((enum rootcause_class)c), (long long)s->of[SUMS_OF_CLASS(c)]);
    if (line.size_bytes == 0)
        return;
    text_wrap(out, style, 0, 2, buf_text(&line));
    buf_append_char(out, '\n');
}

void fleet_owners_add(json_t *to, const struct sums *s, double price) {
    json_t *owners = json_array(), *classes = json_array();
    for (int i = 0; i < OWNER_COUNT; i++) {
        int o = owner_at(i);
        if (!has_owner(s, o))
            continue;
        double cost = cost_owned(s, (enum rootcause_owner)o, price);
        json_t *item = json_pack("{s:s, s:I, s:I}", "owner", rootcause_owner_name((enum rootcause_owner)o),
                                 "interruptions", (json_int_t)s->of[SUMS_OWNED(o)], "paidChipSeconds",
                                 (json_int_t)(s->of[SUMS_PAID_OWNED(o)] / 1000));
        if (!isnan(cost))
            json_object_set_new(item, "cost", json_real(cost));
        json_t *by_class = classes_of(s, (enum rootcause_owner)o);
        if (by_class != NULL)
            json_object_set_new(item, "byClass", by_class);
        json_array_append_new(owners, item);
    }
    for (int c = 0; c < CLASS_COUNT; c++)
        if (s->of[SUMS_OF_CLASS(c)] > 0)
            json_array_append_new(classes,
                                  json_pack("{s:s, s:I}", "class", rootcause_class_name((enum rootcause_class)c),
                                            "count", (json_int_t)s->of[SUMS_OF_CLASS(c)]));
    json_object_set_new(to, "byOwner", owners);
    json_object_set_new(to, "byClass", classes);
}
