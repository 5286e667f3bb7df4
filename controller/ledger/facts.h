/* facts: what the ledger was told, each kind in its own store where adding the same identity again replaces. Nothing
 * is computed here. Private to ledger/. */
#ifndef LEDGER_FACTS_H
#define LEDGER_FACTS_H

#include "ledger/keyed.h"
#include "ledger/ledger.h"
#include "ledger/process.h"
#include "ledger/settled.h"
#include "ledger/told.h"
#include "ledger/words.h"

struct life_fact { /* struct ledger_life without its bounded text: there are many */
    uint64_t id;
    int64_t created_ms, bound_ms, pull_start_ms, pull_end_ms, running_ms, lost_ms, ended_ms, done_ms, released_ms;
    uint32_t slot;
    int32_t chips;
    char *name; /* words.h; NULL: none */
};

struct life_gap { /* a restart (down to running) or an outage (from to to) within a life */
    uint64_t life_id;
    int64_t from_ms, to_ms;
};

struct amount_from { /* a step function of time: this much from then on */
    int64_t from_ms, amount;
};

struct hold_fact {
    enum bucket kind;
    enum basis basis;
    uint64_t key;
    int64_t from_ms, to_ms;
    char *evidence;
};

struct time_span {
    int64_t from_ms, to_ms;
};

#define STORE(type)                                                                                                    \
    struct {                                                                                                           \
        struct keyed keys;                                                                                             \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

struct slot_timeline {
    struct slot_state *items; /* timeline.h; the first one begins at or before the ledger's start */
    size_t count;
};

struct hold_timeline {
    struct hold_state *items; /* the first one begins at INT64_MIN */
    size_t count;
};

struct ledger {
    struct ledger_options options;
    int64_t start_ms, end_ms;
    enum ledger_outcome outcome;
    /* made of what follows; they are right as long as nothing of it changes */
    struct slot_timeline slots;
    struct hold_timeline hold_times;
    bool has_slots, has_hold_times;
    STORE(struct amount_from) required, required_chips;
    STORE(struct life_fact) lives;
    STORE(struct life_gap) restarts, outages;
    STORE(struct hold_fact) holds;
    STORE(struct disruption_fact) disruptions;
    struct ledger_words words;
    struct keyed process_keys;
    struct process **processes; /* NULL: settled */
    size_t process_count, process_capacity;
    struct process **live; /* those that are not settled, in time order once sorted */
    size_t live_count, live_capacity;
    bool is_live_sorted;
    struct time_span *exclusions; /* as told */
    size_t exclusion_count, exclusion_capacity;
    struct settled *settled; /* NULL: nothing is */
    int64_t evaluated_ms;    /* the latest time that was asked for; TIME_UNKNOWN */
    int64_t folded_ms;       /* a process that is not known and began by then is part of one that is (fold.c) */
    struct told told;
    int64_t late_records; /* of processes whose time was settled */
    int64_t looked_at;    /* ledger_cost_of */
};

void ledger_set_options(struct ledger *l, const struct ledger_options *options);

#endif
