/* slots: the sums over occupancies. Private to ledger/. Call slots_take before an occupancy or one of its gaps changes,
 * and slots_put after it: that keeps the sums right for the next slot_timeline_get. */
#ifndef LEDGER_SLOTS_H
#define LEDGER_SLOTS_H

#include "ledger/evaluate.h"
#include "ledger/ledger_internal.h"

/* The state of the slots from from_ms until the next state, from objects. */
struct slot_state {
    int64_t from_ms;
    int64_t required, available, running, pulling; /* slots; running and pulling only among the available */
    int64_t silent, known;                         /* slots; known: only in unwatched time */
    int64_t chips_allocated, chips_required;       /* required: RECORD_NONE where not known */
    int32_t largest_chips;                         /* of the occupancies bound no later than from_ms */
    bool is_unwatched;
    bool is_replaced;  /* a slot got a new occupancy here before the old one ended */
    bool is_lost;      /* a slot was lost here */
    bool is_restarted; /* a training container of a slot went down here within its occupancy */
};

/* The timeline of occupancies, restarts, silences, unwatched spans and required slots. Rebuilt after a change; valid
 * until the next fact. */
const struct slot_timeline *slot_timeline_get(struct ledger *l);

/* The chips that the slots require in a state: as set, else the chips of the largest occupancy for each slot. */
static inline int64_t slot_state_chips(const struct slot_state *s, int32_t largest_chips) {
    return s->chips_required != RECORD_NONE ? s->chips_required : s->required * largest_chips;
}

/* The index of the state at at_ms. */
size_t slot_timeline_at(const struct slot_timeline *t, int64_t at_ms);

static inline bool slot_state_is_available(const struct slot_state *s) {
    return s->required > 0 && s->available >= s->required;
}

/* Whether all slots may have been available, although it is not known of all of them. */
static inline bool slot_state_is_unobserved(const struct slot_state *s) {
    int64_t unknown = s->silent;
    if (s->is_unwatched && s->known < s->required)
        unknown += s->required - s->known;
    return s->available < s->required && s->available + unknown >= s->required;
}

static inline bool slot_state_is_running(const struct slot_state *s) {
    return slot_state_is_available(s) && s->running >= s->required;
}

/* The order of occupancies whose times are equal: by slot, then by age. */
int slots_compare(const struct occupancy_fact *x, const struct occupancy_fact *y);

void slots_take(struct ledger *l, size_t position); /* position: of the occupancy in its store */
void slots_put(struct ledger *l, size_t position);
/* Called between the two with the old and the new occupancy. */
void slots_moved(struct ledger *l, const struct occupancy_fact *before, const struct occupancy_fact *now);
void slots_put_gap(struct ledger *l, bool is_silence, size_t position, bool is_new);
/* Adds the occupancy's changes, summed per time, to a table that the caller owns. */
void slots_add_occupancy(const struct ledger *l, size_t position, struct slot_changes *changes);
bool slots_is_held(const struct ledger *l, size_t position, int64_t at_ms);
/* Whether its changes are final: the slot's next occupancy has started, or it was lost before. And no other occupancy
 * of the slot ended only because this one started. */
bool slots_is_past(const struct ledger *l, size_t position);
bool slots_is_newest(const struct ledger *l, size_t position);
void slots_put_past(struct ledger *l, const struct ledger_change *change);
void slots_done(struct ledger *l); /* rebuilt at the next slot_timeline_get */

#endif
