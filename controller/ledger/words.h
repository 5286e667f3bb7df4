/* words: what evidence calls the lives and how it describes the disruptions. There are many of both and few are ever
 * named, so a disruption's words are kept together in one piece of memory, and those that were not given are asked for
 * when they are needed (ledger_set_words). Private to ledger/. */
#ifndef LEDGER_WORDS_H
#define LEDGER_WORDS_H

#include "ledger/ledger.h"

struct life_fact;

struct disruption_fact { /* struct ledger_disruption without its bounded texts */
    uint64_t key;
    int64_t at_ms;
    enum cause cause;
    bool opens;
    char *words; /* reason, evidence, node, node_pool, each with its NUL; NULL: to be asked for */
};

struct disruption_fact words_pack(const struct ledger_disruption *d);
struct ledger_disruption words_unpack(const struct ledger *l, const struct disruption_fact *fact);

/* Takes a life's name over; *name is freed or kept. */
void words_set_life(char **name, const struct ledger_life *life);
void words_free_life(char *name);
bool words_has_life(const struct life_fact *life);
/* What has that key is named in a result, and must stay. */
void words_asked(struct ledger *l, uint64_t key);
/* Empty if it has none. */
void words_of_life(struct ledger *l, const struct life_fact *life, char name[static LEDGER_NAME_SIZE]);

#endif
