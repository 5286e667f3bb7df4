/* notices: adds the Events that a new evaluation calls for. */
#ifndef OPERATOR_MODEL_NOTICES_H
#define OPERATOR_MODEL_NOTICES_H

#include "operator/status/view.h"

void notices_add(struct model_job *job, const struct view *v);

#endif
