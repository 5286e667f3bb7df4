/* texts: the names of occupancies and the descriptions of disruptions. There are many of both and results name few. So
 * a disruption's texts share one allocation, and the ledger asks for missing texts when it needs them
 * (ledger_set_texts). Private to ledger/. */
#ifndef LEDGER_TEXTS_H
#define LEDGER_TEXTS_H

#include "ledger/ledger.h"

struct occupancy_fact;

struct disruption_fact { /* struct ledger_disruption without its bounded texts */
    uint64_t key;
    int64_t at_ms;
    enum cause cause;
    uint32_t slot;
    bool opens;
    char *texts; /* reason, evidence, node, node_pool, each NUL-terminated; NULL: ask for them */
};

struct disruption_fact texts_pack(const struct ledger_disruption *d);
struct ledger_disruption texts_unpack(const struct ledger *l, const struct disruption_fact *fact);
/* By reason, then by evidence, as far as they were given. */
int texts_compare(const struct disruption_fact *x, const struct disruption_fact *y);

/* Copies an occupancy's name into *name, which is freed if it differs. */
void texts_set_name(char **name, const struct ledger_occupancy *occupancy);
void texts_free_name(char *name);
bool texts_has_name(const struct occupancy_fact *occupancy);
/* Marks the fact with that key as named in a result: it must not be forgotten. */
void texts_keep(struct ledger *l, uint64_t key);
/* Writes the occupancy's name; empty if it has none. */
void texts_name(struct ledger *l, const struct occupancy_fact *occupancy, char name[static LEDGER_NAME_SIZE]);

#endif
