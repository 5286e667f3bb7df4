/* step_list: the front of a process's steps: which are settled, and that memory is free again once they are. */
#ifndef LEDGER_STEP_LIST_H
#define LEDGER_STEP_LIST_H

#include "ledger/process.h"

/* Drops the steps before item `first` of the list. The run of that item continues. */
void step_list_drop(struct step_list *list, size_t first);
/* The number of the list's steps that were reported no later than through_ms. */
size_t step_list_until(const struct step_list *list, int64_t through_ms);

#endif
