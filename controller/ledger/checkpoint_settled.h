/* checkpoint_settled: the settled part in a checkpoint. Private to ledger/. */
#ifndef LEDGER_CHECKPOINT_SETTLED_H
#define LEDGER_CHECKPOINT_SETTLED_H

#include "base/codec.h"
#include "ledger/settled.h"

void checkpoint_settled(struct codec *c, struct settled *s, int64_t start_ms, size_t process_count);

#endif
