/* evaluate: the one place where a JobGoodput is brought up to date. Private to the model. */
#ifndef OPERATOR_MODEL_EVALUATE_H
#define OPERATOR_MODEL_EVALUATE_H

#include "operator/status/view.h"

/* notices.c: what is worth an Event */
void evaluate_notices(struct model_job *job, const struct view *v);

#endif
