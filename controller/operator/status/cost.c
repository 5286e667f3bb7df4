/* What the chips cost: allocated chip time x the price per chip-hour, which is of spec.cost, else of the label of the
 * job's nodes, else of the controller's list (formulas/price.h). Amounts are rounded to hundredths so that the parts
 * add up: productive and all of badput to what is allocated. Without a price there is none of it, never 0. */
#include "formulas/price.h"
#include "ledger/evaluate.h"
#include "operator/status/view.h"

/* The amount of the next part, so that those up to it add up. */
int64_t view_cost_next(const struct view *v, int64_t *chip_ms_before, int64_t chip_ms) {
    int64_t before = *chip_ms_before;
    *chip_ms_before += chip_ms;
    return price_cents(before + chip_ms, v->price) - price_cents(before, v->price);
}

void view_write_money(struct jwrite *w, const char *key, int64_t cents) {
    char text[PRICE_TEXT_SIZE];
    jwrite_member_text(w, key, price_cents_format(text, cents));
}

void view_write_cost(struct jwrite *w, const struct view *v) {
    const struct ledger_result *r = &v->result;
    char text[PRICE_TEXT_SIZE];
    if (v->price == PRICE_NONE || (r->chips == 0 && r->chip_ms_allocated == 0))
        return;
    jwrite_key(w, "cost");
    jwrite_object(w);
    if (v->price == PRICE_BAD) {
        jwrite_member_text(w, "message",
                           "the label goodput.dev/price-per-chip-hour of its nodes is no price: give a decimal from 0 "
                           "to 1000000, such as 2.5");
    } else {
        jwrite_member_text(w, "currency", v->currency);
        jwrite_member_text(w, "pricePerChipHour", price_format(text, v->price));
        jwrite_member_text(w, "source", v->price_source);
        int64_t allocated = price_cents(r->chip_ms_allocated, v->price);
        view_write_money(w, "allocated", allocated);
        if (r->has_steps) {
            int64_t productive = price_cents(r->chip_ms_productive, v->price);
            view_write_money(w, "productive", productive);
            view_write_money(w, "lost", allocated - productive);
        }
    }
    jwrite_object_end(w);
}
