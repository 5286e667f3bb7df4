/* checkpoint: the ledger's state as bytes. */
#ifndef LEDGER_CHECKPOINT_H
#define LEDGER_CHECKPOINT_H

#include "ledger/ledger.h"

#define LEDGER_SAVE_BYTES 32768 /* the room for it in a status */

enum ledger_save_mode {
    LEDGER_SAVE_ALL,
    LEDGER_SAVE_WITHOUT_OBJECTS /* leaves out facts of objects: required slots and chips, occupancies, the past,
                                   restarts, silences, unwatched spans, holds, disruptions. After the load the caller
                                   adds them all again, also those of the past, before it evaluates or saves. */
};

/* Writes the whole state, after any record: binary, versioned, with a checksum. A ledger that is loaded from it gives
 * the same results as this one. An ordinary job takes 7 to 10 KiB. Without objects it never takes more than
 * LEDGER_SAVE_BYTES, except with keep_all: ledger_compact drops detail until it fits, and what is no longer exact has
 * basis Derived. Records since the last evaluation take room as well, so save after evaluating. -EMSGSIZE if it does
 * not fit into the buffer's maximum.
 *
 * After the load: add each process whose log is still read again under its id (it gets a new ordinal), then its
 * records, from the line after the last one or any earlier one. Repeated lines are ignored, and so are repeats from
 * settled processes. Set the span (ledger_set_span) again only if it changed. */
int ledger_save(struct ledger *l, enum ledger_save_mode mode, struct buf *out);

/* options: the new options, NULL: as saved. A new window is exact only for time that is not settled yet. Returns NULL
 * with *err if the checkpoint is damaged or of another version. */
struct ledger *ledger_load(struct slice saved, const struct ledger_options *options, struct error **err);

/* Drops detail (compact.h) until ledger_save without objects writes at most this many bytes; 20 KiB is always reached.
 * Nothing changes if it fits, or with keep_all. */
void ledger_compact(struct ledger *l, size_t max_bytes);

#endif
