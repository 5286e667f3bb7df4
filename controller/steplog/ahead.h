/* ahead: stamps that go further than the steps' own durations. A clock that was set forward does that once; a pause of
 * the trainer may, too, and one that comes again as long is its habit. Private to steplog/. */
#ifndef STEPLOG_AHEAD_H
#define STEPLOG_AHEAD_H

#include "steplog/parser.h"

/* Before pace_note() and before the step counts. */
void ahead_note(struct steplog *s, const struct record *step);
void ahead_visit(struct ahead *a, struct codec *c);

#endif
