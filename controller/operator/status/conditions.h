/* conditions: the conditions of a JobGoodput. view_log comes first: the phase depends on the log's state. */
#ifndef OPERATOR_STATUS_CONDITIONS_H
#define OPERATOR_STATUS_CONDITIONS_H

#include "operator/status/view.h"

void view_log(struct view *v); /* the log's state and its condition */
/* The format that the log is read as: a trainer's, Regex, or the name of a StepLogFormat. */
const char *view_log_format(const struct view *v);
void view_conditions(struct view *v); /* all others */

#endif
