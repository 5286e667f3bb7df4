/* checkpoint_process: one process in a checkpoint, and the fields that all parts share. Private to ledger/. */
#ifndef LEDGER_CHECKPOINT_PROCESS_H
#define LEDGER_CHECKPOINT_PROCESS_H

#include "base/codec.h"
#include "ledger/process.h"

#define CHECKPOINT_MAX_SUM (INT64_C(1) << 58) /* no real sum comes near; a larger one is damage */

/* Each visits one part: codec.h. */
void checkpoint_process(struct codec *c, struct process *p);
void checkpoint_time(struct codec *c, int64_t *ms); /* a time in the years 1 to 9999, unknown or open */
void checkpoint_sum(struct codec *c, int64_t *v);   /* 0 to CHECKPOINT_MAX_SUM */
void checkpoint_step(struct codec *c, int64_t *v);  /* a step's number, or RECORD_NONE */

#endif
