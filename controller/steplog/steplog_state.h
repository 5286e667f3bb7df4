/* steplog_state: what a parser remembers, for another process that continues. */
#ifndef STEPLOG_STEPLOG_STATE_H
#define STEPLOG_STEPLOG_STATE_H

#include "steplog/steplog.h"

struct codec;

/* Writes what is remembered between two whole lines (steplog_line), or fills it into a new parser of the same format,
 * which then continues as this one would have. Its heads, if it has any, are part of it; repeats and clock are not. */
void steplog_visit(struct steplog *s, struct codec *c);

#endif
