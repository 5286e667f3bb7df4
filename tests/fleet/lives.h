/* lives: random members of a fleet as they train: the JobGoodput's status at each look. */
#ifndef TESTS_FLEET_LIVES_H
#define TESTS_FLEET_LIVES_H

#include "fleet/outcome.h"
#include "fleet/roll_store.h"

uint64_t lives_random(uint64_t *seed);
int64_t lives_below(uint64_t *seed, int64_t max); /* from 0 */

/* A member that started at start_ms and has reported nothing yet. */
struct member *lives_begin(uint64_t *seed, int number, int64_t start_ms);
/* Continues until then: time goes to buckets or to productive time; now and then productive time is lost after all.
 */
void lives_go_on(uint64_t *seed, struct member *m, int64_t until_ms);
void lives_end(struct member *m);
/* One roll-up of them, and its outcome. */
void lives_roll(struct roll *r, struct roll_member *members, size_t count, int64_t now_ms, struct outcome *o);

#endif
