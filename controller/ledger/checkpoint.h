/* checkpoint: the ledger's state as bytes: what ledger_save and ledger_load share. Private to ledger/. */
#ifndef LEDGER_CHECKPOINT_H
#define LEDGER_CHECKPOINT_H

#include "ledger/facts.h"

#include "base/codec.h"

#define CHECKPOINT_MOST_SUM (INT64_C(1) << 58) /* no sum of ours comes near; a larger one is damage */

/* What is settled and the processes, as ledger_save writes them, without what objects tell. */
void checkpoint_write_parts(struct ledger *l, struct buf *out);

/* Each visits one part: codec.h. */
void checkpoint_process(struct codec *c, struct process *p);
void checkpoint_settled(struct codec *c, struct settled *s, int64_t start_ms, size_t process_count);
void checkpoint_time(struct codec *c, int64_t *ms); /* a time in the years 1 to 9999, unknown or open */
void checkpoint_sum(struct codec *c, int64_t *v);   /* 0 to CHECKPOINT_MOST_SUM */
void checkpoint_step(struct codec *c, int64_t *v);  /* a step's number, or RECORD_NONE */

#endif
