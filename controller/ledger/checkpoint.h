/* checkpoint: the ledger's state as bytes. */
#ifndef LEDGER_CHECKPOINT_H
#define LEDGER_CHECKPOINT_H

#include "ledger/ledger.h"

#define LEDGER_SAVE_BYTES 32768 /* what a status has room for */

enum ledger_save_mode {
    LEDGER_SAVE_ALL,
    LEDGER_SAVE_WITHOUT_OBJECTS /* leaves out facts of objects: required slots and chips, occupancies, the past,
                                   restarts, silences, unwatched spans, holds, disruptions. After the load the caller
                                   adds them all again, also those of the past, before it evaluates or saves. */
};

/* Writes the whole state, at any record: binary, versioned, with a checksum. A ledger that was read back goes on to the
 * same results as this one. 7 to 10 KiB for an ordinary job, and without objects never more than LEDGER_SAVE_BYTES
 * (with keep_all there is no such bound): where the log would take more, the ledger itself gives detail away, what
 * harms least first (ledger_compact), and what is no longer exact has basis Derived. What came since the last
 * evaluation adds to it, so save after evaluating. Write into a buffer with a maximum: -EMSGSIZE if it does not fit.
 *
 * After the load: add each process whose log is still read again under its id (the ordinals are new ones), then its
 * records, from the line after the last one added or from any earlier one: repeated lines are ignored, and so is
 * whatever repeats from settled processes. Set the span (ledger_set_span) again only if it changed. */
int ledger_save(struct ledger *l, enum ledger_save_mode mode, struct buf *out);

/* options: what changed since, NULL: as saved. Windows that were not there before reach exactly only as far back as
 * what is not settled. NULL with *err on damage, or where a newer version wrote it. */
struct ledger *ledger_load(struct slice saved, const struct ledger_options *options, struct error **err);

/* Private to ledger/: what is settled and the processes, as ledger_save writes them, without facts of objects. */
void checkpoint_write_parts(struct ledger *l, struct buf *out);

#endif
