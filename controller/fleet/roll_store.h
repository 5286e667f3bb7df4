/* roll_store: what a roll holds, as text. One function per structure both writes and reads it (base/codec.h). */
#ifndef FLEET_ROLL_STORE_H
#define FLEET_ROLL_STORE_H

#include "fleet/roll.h"

/* All of it as text (heap; base64, with version, `key` and checksum), at most `max` bytes long: beyond, *ret_coarse
 * says so: hours are summed with their neighbors, the oldest first, then the smallest groups with ROLL_OTHER, and of
 * jobs only the time counted is kept, or nothing, so that after a restart what they gained meanwhile is taken in
 * proportion. The roll itself is coarser as well from then on, but in its cursors. key: of the selection; text of
 * another key is not taken. NULL: it cannot be made so short. */
char *roll_store(struct roll *roll, uint64_t key, size_t max, bool *ret_coarse);
/* 0; -ESTALE: of another key or version; -EBADMSG: it is damaged. Then the roll is as after roll_init(). */
int roll_restore(struct roll *roll, uint64_t key, struct slice text);

#endif
