/* groups: which groups of a roll have a separate place: the largest by chip time asked for in the window. Those
 * that lose theirs to a larger one are summed in the last place, with their past. Private to fleet/. */
#ifndef FLEET_GROUPS_H
#define FLEET_GROUPS_H

#include "fleet/roll.h"

/* Before the members of a roll-up are taken. from_ms: of the window. */
void roll_assign_groups(struct roll *roll, const struct roll_input *input, int64_t from_ms);
int roll_group(const struct roll *roll, const char *name); /* its place; -1: among the others */
/* Its place, which is made while there is room; else that of the others. */
int roll_place_group(struct roll *roll, const char *name);
/* The smallest loses its place, and there is one place fewer; false: none has one. */
bool roll_fold_group(struct roll *roll);

#endif
