/* phase: the phase of a target, and what it waits for now, in words. */
#ifndef OPERATOR_STATUS_PHASE_H
#define OPERATOR_STATUS_PHASE_H

#include "operator/status/view.h"

void view_phase(struct view *v);
void view_waiting(struct view *v); /* availability.message */

#endif
