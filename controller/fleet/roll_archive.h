/* roll_archive: the older slots of a roll as texts that never change, one for each, so that what must be kept elsewhere
 * to resume is bounded (roll_store.h). A slot is closed first: the roll that is stored next has it as it stays. Then
 * its text is put into an archive, and then the roll names it without its sums. So whoever continues from a stored
 * roll, at any of these steps, makes the same text, and nothing is in two of them. Pure. */
#ifndef FLEET_ROLL_ARCHIVE_H
#define FLEET_ROLL_ARCHIVE_H

#include "fleet/roll.h"

/* After a roll-up: closes the days that are older than ROLL_KEPT_MS. */
void roll_archive_close(struct roll *roll, int64_t now_ms);
/* The first closed slot from from_ms on that ends at or before until_ms; NULL: there is none. */
const struct roll_slot *roll_archive_next(const struct roll *roll, int64_t from_ms, int64_t until_ms);
/* Its text (heap). key: as of roll_store(). */
char *roll_archive_text(const struct roll *roll, uint64_t key, const struct roll_slot *slot);
/* The texts of all slots that end at or before until_ms are where nothing loses them. */
void roll_archive_done(struct roll *roll, int64_t until_ms);

/* The newest slot whose text is still to be read; NULL: none is. */
const struct roll_archived *roll_archive_unread(const struct roll *roll);
/* 0; -ESTALE: of another key, or of a version that is not known; -EBADMSG: it is damaged, or of another slot. */
int roll_archive_read(struct roll *roll, uint64_t key, const struct roll_archived *slot, struct slice text);

#endif
