/* sink: hands facts to the ledger and takes back those that no longer hold. Facts that depend on several objects (why a
 * pod was lost, when its node fell silent) may turn out otherwise when the next object comes; what was told before and
 * is not told again between sink_begin and sink_end is made void. */
#ifndef OPERATOR_SINK_H
#define OPERATOR_SINK_H

#include "operator/store/store.h"

struct sink {
    struct ledger *ledger;
    struct pushed_list *list;
    struct ledger_hold
        now;         /* the first in table order of those that have not ended; kind BUCKET_COUNT if there is none */
    int64_t over_ms; /* when the last of those that have ended did; TIME_UNKNOWN */
};

struct sink sink_begin(struct ledger *l, struct pushed_list *list);
void sink_end(struct sink *s);
void sink_hold(struct sink *s, const struct ledger_hold *hold);
/* The hold in as many pieces as suspensions leave of it: what is suspended is held back by that alone. */
void sink_hold_pieces(const struct history *suspended, struct ledger_hold hold, struct sink *sink);
void sink_disruption(struct sink *s, const struct ledger_disruption *d);
void sink_silence(struct sink *s, uint64_t occupancy_id, int64_t from_ms, int64_t to_ms);
void sink_restart(struct sink *s, uint64_t occupancy_id, int64_t down_ms, int64_t running_ms);

#endif
