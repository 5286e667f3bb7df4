#include "ledger/rest.h"

#include "base/mem.h"
#include "base/sparse.h"
#include "ledger/ledger_internal.h"
#include "ledger/slots.h"

#include <stdlib.h>

#define MANY 16 /* facts from here on take long to derive everything from again */

struct settled *ledger_settled(const struct ledger *l) {
    if (l->packed_settled != NULL) {
        struct ledger *own = (struct ledger *)l; /* the ledger stays the same in another form */
        own->settled = mem_new(struct settled);
        sparse_unpack(own->packed_settled, own->settled, sizeof *own->settled);
        free(own->packed_settled);
        own->packed_settled = NULL;
    }
    return l->settled;
}

static void drop_derived(struct ledger *l) {
    slots_done(l);
    free(l->slots.items);
    free(l->hold_times.items);
    l->slots = (struct slot_timeline){0};
    l->hold_times = (struct hold_timeline){0};
    l->has_slots = l->has_hold_times = false;
}

void ledger_rest(struct ledger *l) {
    if (l->occupancies.count + l->past.count + l->holds.count + l->restarts.count + l->silences.count < MANY)
        drop_derived(l);
    if (l->settled == NULL)
        return;
    l->packed_settled = sparse_pack(l->settled, sizeof *l->settled);
    free(l->settled); /* what it owns is in the packed copy */
    l->settled = NULL;
}

void ledger_rest_done(struct ledger *l) {
    settled_free(ledger_settled(l));
    drop_derived(l);
}
