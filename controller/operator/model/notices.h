/* notices: what is worth an Event on the JobGoodput. */
#ifndef OPERATOR_MODEL_NOTICES_H
#define OPERATOR_MODEL_NOTICES_H

#include "operator/status/view.h"

void notices_add(struct model_job *job, const struct view *v);

#endif
