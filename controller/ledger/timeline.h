/* timeline: step functions of time that the sweep walks. Private to ledger/. All spans are half open, [from, to). */
#ifndef LEDGER_TIMELINE_H
#define LEDGER_TIMELINE_H

#include "ledger/facts.h"

/* What the objects show from a time on, until the next one. */
struct slot_state {
    int64_t from_ms;
    int64_t required, available, running, pulling; /* slots; running and pulling only among the available */
    int64_t silent, known;                         /* slots; known: only where it is not watched */
    int64_t chips_allocated, chips_required;       /* required: RECORD_NONE where nobody told */
    int32_t largest_chips;                         /* of the lives that were bound by then */
    bool is_unwatched;
    bool is_replaced;  /* a slot got a new life here while the old one was there */
    bool is_lost;      /* a slot was lost here */
    bool is_restarted; /* a training container of a slot went down here within its life */
};

/* From lives, restarts, silences, unwatched spans and required slots. Made anew when one of them changed; valid until
 * the next fact. */
const struct slot_timeline *slot_timeline_get(struct ledger *l);

/* The chips that the slots ask for in a state: as told, else as many each as the largest life has. */
static inline int64_t slot_state_chips(const struct slot_state *s, int32_t largest_chips) {
    return s->chips_required != RECORD_NONE ? s->chips_required : s->required * largest_chips;
}

/* The state that holds at a time. */
size_t slot_timeline_at(const struct slot_timeline *t, int64_t at_ms);

static inline bool slot_state_is_available(const struct slot_state *s) {
    return s->required > 0 && s->available >= s->required;
}

/* Nothing proves that a slot was not held: all of those that are not known to be may have been. */
static inline bool slot_state_is_unobserved(const struct slot_state *s) {
    int64_t unknown = s->silent;
    if (s->is_unwatched && s->known < s->required)
        unknown += s->required - s->known;
    return s->available < s->required && s->available + unknown >= s->required;
}

static inline bool slot_state_is_running(const struct slot_state *s) {
    return slot_state_is_available(s) && s->running >= s->required;
}

/* Which hold applies: the first in table order; and whether the one of a dead process does. */
struct hold_state {
    int64_t from_ms;
    const struct hold_fact *scheduling, *process; /* NULL: none */
};

const struct hold_timeline *hold_timeline_get(struct ledger *l); /* as above */

#endif
