/* owned: who owns the lost time, in a status. */
#ifndef OPERATOR_STATUS_OWNED_H
#define OPERATOR_STATUS_OWNED_H

#include "operator/status/view.h"

void owned_write(struct jwrite *w, const struct view *v); /* byOwner, topOwner */
/* Of a bucket: who owns what no interruption caused, and how much interruptions caused. */
void owned_write_bucket(struct jwrite *w, const struct view *v, const struct ledger_bucket *b);
/* Of what ended an execution: its owner, and what it cost. */
void owned_write_interruption(struct jwrite *w, const struct ledger_interruption *i);

#endif
