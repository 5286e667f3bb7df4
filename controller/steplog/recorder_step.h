/* recorder_step: the recorder's step lines that begin like the one before: a million do, and differ in two numbers
 * only. What comes before the numbers is compared as bytes; since it was read once as JSON in the long way, and what
 * follows has the same shape, it would be read the same way again. Anything else goes the long way. */
#ifndef STEPLOG_RECORDER_STEP_H
#define STEPLOG_RECORDER_STEP_H

#include "steplog/parser.h"

/* Reads as many of them as a log without stamps has at the start of `bytes`, line ends included; the rest stays. */
void recorder_steps_again(struct steplog *s, struct slice *bytes);
/* A whole line that is a step of the recorder and begins like the one before: read; else false. */
bool recorder_step_again(struct steplog *s, struct slice line);
void recorder_learn_step(struct steplog *s, struct slice text, int64_t step, int64_t ns);

#endif
