/* spread: long lives, spread evenly over many slots at once. A whole slot in the middle of a life gains what every
 * other gains, so only where that begins and where it ends is noted, and the slots are filled when all members have
 * been taken: the first look at 10,000 jobs of a week would otherwise touch a million slots. Private to fleet/. */
#ifndef FLEET_SPREAD_H
#define FLEET_SPREAD_H

#include "fleet/roll.h"

struct spread {
    struct roll *roll;
    int64_t base_ms, unit_ms; /* where the first slot of the window begins; how long each is */
    size_t count;
    int64_t alike_from_ms, alike_until_ms; /* where all slots are there, and none stands for several */
    struct sums *rows[ROLL_GROUPS];        /* count + 1 of them: how a slot differs from the one before; NULL: none */
};

void spread_init(struct spread *s, struct roll *roll, int64_t from_ms, int64_t now_ms);
/* Of a change that lies evenly over [from, until) and is placed up to at_ms, the whole slots after it that do not reach
 * its end. Returns up to when it is placed; at_ms if there are too few of them for that, or they are not all alike. */
int64_t spread_over(struct spread *s, struct sums_change *change, int64_t from_ms, int64_t at_ms, int64_t until_ms,
                    int group);
/* Adds all of it to the slots. */
void spread_done(struct spread *s);

#endif
