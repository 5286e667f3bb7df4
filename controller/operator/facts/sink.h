/* sink: adds facts to the ledger and removes those that no longer hold. The next object may change facts that depend on
 * several objects, such as the cause of a loss. sink_end removes each earlier fact that was not added again since
 * sink_begin. */
#ifndef OPERATOR_SINK_H
#define OPERATOR_SINK_H

#include "operator/store/store.h"

struct sink {
    struct ledger *ledger;
    struct pushed_list *list;
    struct ledger_hold now; /* the open hold of highest precedence; kind BUCKET_COUNT: none */
    int64_t over_ms;        /* end of the last hold that has ended; TIME_UNKNOWN: none */
};

/* The key of a fact: what shows it, its object's UID or name, and a number that is unique among that object's. */
uint64_t sink_key(const char *shows, const char *object, int64_t number);
struct sink sink_begin(struct ledger *l, struct pushed_list *list);
void sink_end(struct sink *s);
void sink_hold(struct sink *s, const struct ledger_hold *hold);
/* Adds the parts of the hold that are outside of suspensions: a suspended target is held by its suspension alone. */
void sink_hold_pieces(const struct history *suspended, struct ledger_hold hold, struct sink *sink);
void sink_disruption(struct sink *s, const struct ledger_disruption *d);
void sink_silence(struct sink *s, uint64_t occupancy_id, int64_t from_ms, int64_t to_ms);
void sink_restart(struct sink *s, uint64_t occupancy_id, int64_t down_ms, int64_t running_ms);

#endif
