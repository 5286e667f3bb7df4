/* rivals: two formats that report about as many steps in one log, with different numbers. Which of them counts the
 * job's steps is not in the log. (Lines of two formats with the same number are one step to the parser.) */
#ifndef OPERATOR_JOB_RIVALS_H
#define OPERATOR_JOB_RIVALS_H

#include "ledger/record.h"
#include "steplog/steplog.h"

struct rivals { /* all zero is empty */
    int64_t steps[STEPLOG_FORMAT_COUNT];
};

/* A record that the parser emits now. The recorder's steps do not count: it is read next to any format. */
void rivals_note(struct rivals *rivals, const struct steplog *parser, const struct record *r);
void rivals_add(struct rivals *to, const struct rivals *from);
/* Whether two formats are equally likely: the second has at least three steps and half of the first's. */
bool rivals_find(const struct rivals *rivals, enum steplog_format ret[static 2]);

#endif
