#include "operator/status/owned.h"

#include "formulas/owners.h"
#include "formulas/price.h"

static void write_class(struct jwrite *w, const char *name, int64_t before, int64_t chip_ms) {
    int64_t chip_s = (before + chip_ms) / 1000 - before / 1000;
    if (chip_s <= 0)
        return;
    jwrite_object(w);
    jwrite_member_text(w, "class", name);
    jwrite_member_int(w, "chipSeconds", chip_s);
    jwrite_object_end(w);
}

/* The parts add up to the owner's chip time. Absent where no interruption cost any. */
static void write_classes(struct jwrite *w, const struct ledger_owned *owned, int64_t before) {
    int64_t caused = 0;
    for (int c = 0; c < CLASS_COUNT; c++)
        caused += owned->class_chip_ms[c];
    if (caused == 0)
        return;
    int64_t end = before + owned->chip_ms;
    jwrite_member_array(w, "byClass");
    for (int c = 0; c < CLASS_COUNT; before += owned->class_chip_ms[c++])
        write_class(w, rootcause_class_name((enum rootcause_class)c), before, owned->class_chip_ms[c]);
    write_class(w, LOST_WITHOUT_INTERRUPTION, before, end - before);
    jwrite_array_end(w);
}

/* Chip time is rounded so that the parts add up to what is lost, and its cost likewise. */
static void write_owner(struct jwrite *w, const struct view *v, enum rootcause_owner owner,
                        const struct ledger_owned *owned, int64_t chip_ms_before) {
    char text[PRICE_TEXT_SIZE];
    int64_t before = v->result.chip_ms_productive + chip_ms_before, after = before + owned->chip_ms;
    jwrite_object(w);
    jwrite_member_text(w, "owner", rootcause_owner_name(owner));
    jwrite_member_int(w, "milliseconds", owned->ms);
    if (v->result.wall_ms > 0)
        jwrite_member_percent(w, "share", ledger_ppm(owned->ms, v->result.wall_ms));
    jwrite_member_int(w, "interruptions", owned->count);
    jwrite_member_int(w, "chipSeconds", (chip_ms_before + owned->chip_ms) / 1000 - chip_ms_before / 1000);
    if (v->price >= 0)
        jwrite_member_text(w, "cost",
                           price_cents_format(text, price_cents(after, v->price) - price_cents(before, v->price)));
    write_classes(w, owned, chip_ms_before);
    jwrite_object_end(w);
}

/* Interruptions that only counters show cost nothing that is known. */
static void add_counted(const struct view *v, struct ledger_owned owned[static OWNER_COUNT]) {
    struct owners_case unknown = {.cause = CAUSE_UNKNOWN, .queue = v->seen.queue},
                       evicted = {.cause = CAUSE_KUEUE_EVICTION, .queue = v->seen.queue};
    owned[owners_of_interruption(v->owner_policy, &unknown)].count += v->counted;
    owned[owners_of_interruption(v->owner_policy, &evicted)].count += v->counted_evictions;
}

void owned_write(struct jwrite *w, const struct view *v) {
    static const enum rootcause_owner order[] = {OWNER_TENANT, OWNER_PLATFORM, OWNER_PROVIDER, OWNER_SCHEDULER,
                                                 OWNER_UNKNOWN};
    struct ledger_owned owned[OWNER_COUNT];
    const char *top = NULL;
    int64_t before = 0, top_ms = 0;
    owners_sum(v->owner_policy, v->seen.queue, &v->result, owned);
    add_counted(v, owned);
    jwrite_member_array(w, "byOwner");
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        const struct ledger_owned *o = &owned[order[i]];
        if (o->ms == 0 && o->chip_ms == 0 && o->count == 0)
            continue;
        write_owner(w, v, order[i], o, before);
        before += o->chip_ms;
        if (o->ms > top_ms) {
            top = rootcause_owner_name(order[i]);
            top_ms = o->ms;
        }
    }
    jwrite_array_end(w);
    if (top != NULL)
        jwrite_member_text(w, "topOwner", top);
}

void owned_write_bucket(struct jwrite *w, const struct view *v, const struct ledger_bucket *b) {
    jwrite_member_text(w, "owner",
                       rootcause_owner_name(owners_of_bucket(v->owner_policy, b->bucket, b->custom, v->seen.queue)));
    if (b->interrupted_ms > 0)
        jwrite_member_int(w, "interruptionMilliseconds", b->interrupted_ms);
    if (b->interrupted_chip_ms >= 1000)
        jwrite_member_int(w, "interruptionChipSeconds", b->interrupted_chip_ms / 1000);
}

void owned_write_interruption(struct jwrite *w, const struct ledger_interruption *i) {
    jwrite_member_text(w, "owner", rootcause_owner_name(i->owner));
    jwrite_member_int(w, "lostMilliseconds", i->cost_ms);
    if (i->chip_ms >= 1000)
        jwrite_member_int(w, "lostChipSeconds", i->chip_ms / 1000);
}
