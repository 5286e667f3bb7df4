/* ledger_internal: the ledger's facts. Each kind has its own store, where a fact replaces the one with the same
 * identity. Nothing is computed here. Private to ledger/. */
#ifndef LEDGER_LEDGER_INTERNAL_H
#define LEDGER_LEDGER_INTERNAL_H

#include "ledger/key_index.h"
#include "ledger/ledger.h"
#include "ledger/process.h"
#include "ledger/rest.h"
#include "ledger/settled.h"
#include "ledger/texts.h"
#include "ledger/totals.h"

struct occupancy_fact { /* struct ledger_occupancy without its bounded text: there are many */
    uint64_t id;
    int64_t created_ms, bound_ms, pull_start_ms, pull_end_ms, running_ms, lost_ms, done_ms, released_ms;
    int64_t known_until_ms, settled_ms;
    uint32_t older, newer; /* neighbors of the same slot, by creation: position + 1; slots.c */
    uint32_t slot;
    int32_t chips;
    int64_t held; /* enum ledger_held; without padding, since occupancies are compared as bytes */
    char *name;   /* texts.h; NULL: none */
};

struct occupancy_gap { /* a restart (down to running) or a silence (from to to) within an occupancy */
    uint64_t occupancy_id;
    int64_t from_ms, to_ms;
    uint32_t next; /* gap of the same occupancy: position + 1; slots.c */
};

struct occupancy_gaps {
    struct occupancy_gap *items;
    size_t count;
};

struct amount_from { /* a step function of time: the amount from from_ms on */
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
        struct key_index keys;                                                                                         \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

struct slot_change { /* the sum of what all occupancies change at one time */
    struct ledger_change did;
    int32_t uses; /* the number of occupancies that change something at that time */
    bool is_used; /* this entry of the table is occupied */
};

struct slot_changes { /* by time */
    struct slot_change *table;
    size_t size, count;
};

struct gap_index { /* the last gap of each occupancy that has any: position + 1 */
    struct key_index occupancies;
    uint32_t *first;
    size_t capacity;
};

struct slot_occupancies { /* derived from occupancies, restarts and silences; slots.c */
    bool is_made;
    struct key_index slots;
    uint32_t *newest; /* the newest occupancy of each slot: position + 1 */
    size_t capacity;
    struct gap_index restarts, silences;
    struct slot_changes changes;
};

struct slowest_occupancy { /* evidence.c */
    bool is_known, is_running;
    uint32_t occupancy;         /* position + 1; 0: none */
    int64_t from_ms, to_ms;     /* asked for */
    int64_t valid_to_ms, at_ms; /* before valid_to_ms no other occupancy can be the slowest; the wait ended at at_ms */
    uint32_t *later; /* positions of occupancies that changed since, and for which no slot waited before to_ms */
    size_t later_count, later_capacity;
};

struct alike { /* stands for disruptions that are equal in time, cause and effect; disruptions.c */
    int64_t at_ms;
    enum cause cause;
    bool opens;
    uint32_t position;
};

struct slot_timeline {
    struct slot_state *items; /* slots.h; the first one begins at or before the ledger's start */
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
    /* derived from the facts below; valid until one of them changes */
    struct slot_timeline slots;
    struct hold_timeline hold_times;
    bool has_slots, has_hold_times, has_alike;
    struct slowest_occupancy slowest[3]; /* of Binding, ImagePull and ContainerStart */
    struct alike *alike;                 /* in the order in which causes are looked for */
    size_t alike_count, alike_capacity;
    struct slot_occupancies slot_occupancies;
    STORE(struct ledger_change) past;
    uint64_t *named; /* the occupancies and disruptions that the results of the last evaluation name */
    size_t named_count, named_capacity;
    STORE(struct amount_from) required, required_chips;
    STORE(struct occupancy_fact) occupancies;
    STORE(struct occupancy_gap) restarts, silences;
    STORE(struct hold_fact) holds;
    STORE(struct disruption_fact) disruptions;
    struct ledger_texts texts;
    struct ledger_owners owners;
    struct ledger_sink sink;
    struct key_index process_keys;
    struct process **processes; /* NULL: settled */
    size_t process_count, process_capacity;
    struct process **live; /* those that are not settled, in time order once sorted */
    size_t live_count, live_capacity;
    bool is_live_sorted;
    struct time_span *unwatched; /* in time order, disjoint */
    size_t unwatched_count;
    struct time_span *exclusions; /* as given */
    size_t exclusion_count, exclusion_capacity;
    struct settled *settled; /* NULL: nothing is settled, or it is packed. ledger_settled() reads it */
    void *packed_settled;    /* rest.c; NULL: not packed */
    int64_t evaluated_ms;    /* the latest time of an evaluation; TIME_UNKNOWN */
    int64_t folded_ms; /* an unknown process that began no later than this was joined into a known one (compact.c) */
    struct totals totals;
    int64_t late_records; /* of processes whose time was settled */
    /* The work of evaluations, which must not grow with the log: tests/ledger/test_cost.c. */
    int64_t steps_visited;       /* steps and intervals, counted each time that one is settled or evaluated */
    int64_t occupancies_visited; /* occupancies and disruptions, counted each time that one is summed or searched */
};

struct ledger_blame ledger_blame_of(const struct ledger *l, int number, const struct ledger_disruption *d);
void ledger_set_options(struct ledger *l, const struct ledger_options *options);

#endif
