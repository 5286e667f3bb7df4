/* texts: the names of occupancies and the descriptions of disruptions. There are many of both and results name few, so
 * a disruption's texts share one piece of memory, and the ledger asks for texts that it was not given when it needs
 * them (ledger_set_texts). Private to ledger/. */
#ifndef LEDGER_TEXTS_H
#define LEDGER_TEXTS_H

#include "ledger/ledger.h"

struct occupancy_fact;

struct disruption_fact { /* struct ledger_disruption without its bounded texts */
    uint64_t key;
    int64_t at_ms;
    enum cause cause;
    bool opens;
    char *words; /* reason, evidence, node, node_pool, each with its NUL; NULL: ask for them */
};

struct disruption_fact texts_pack(const struct ledger_disruption *d);
struct ledger_disruption texts_unpack(const struct ledger *l, const struct disruption_fact *fact);

/* Takes an occupancy's name over; *name is freed or kept. */
void texts_set_name(char **name, const struct ledger_occupancy *occupancy);
void texts_free_name(char *name);
bool texts_has_name(const struct occupancy_fact *occupancy);
/* What has that key is named in a result, and must stay. */
void texts_keep(struct ledger *l, uint64_t key);
/* Empty if it has none. */
void texts_name(struct ledger *l, const struct occupancy_fact *occupancy, char name[static LEDGER_NAME_SIZE]);

#endif
