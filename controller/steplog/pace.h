/* pace: what lines do not say but the steps around them prove: how long an evaluation was of which only the end is
 * logged, or a save of which only the start is. A step takes about as long as those before it, so what a line comes
 * later than that is the other's. Without a step to compare with, nothing is said. */
#ifndef STEPLOG_PACE_H
#define STEPLOG_PACE_H

#include "steplog/parser.h"

void pace_note(struct steplog *s, const struct record *r); /* every record but those of recorder entries */
void pace_reported(struct steplog *s, int64_t mean_ms);    /* what a line says of its steps; RECORD_NONE: nothing */
/* Makes *r the end of an evaluation after that step. */
void pace_evaluation_end(const struct steplog *s, int64_t step, struct record *r);
/* The end of the save of which only the start was logged; false if the step does not show it. */
bool pace_save_end(struct steplog *s, const struct record *step, struct record *ret);

#endif
