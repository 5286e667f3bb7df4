#include "ledger/entries.h"

#include <stdlib.h>

void ledger_entries_done(struct ledger_entries *entries) {
    for (size_t i = 0; i < entries->text_count; i++)
        free(entries->texts[i]);
    free(entries->texts);
    free(entries->items);
    free(entries->settled.costs);
    *entries = (struct ledger_entries){0};
}
