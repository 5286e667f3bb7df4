/* generic_worth: whether a line of a trainer that no format names may be worth reading (generic_line). Most lines of
 * other programs are not: it looks at each of their bytes once. Not for use outside steplog/. */
#ifndef STEPLOG_GENERIC_WORTH_H
#define STEPLOG_GENERIC_WORTH_H

#include "base/slice.h"

/* Whether the line may hold a counter, an evaluation or a save. */
bool generic_is_worth(struct slice text);

#endif
