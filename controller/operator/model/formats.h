/* formats: StepLogFormats, as they are observed. */
#ifndef OPERATOR_MODEL_FORMATS_H
#define OPERATOR_MODEL_FORMATS_H

#include "operator/job/job.h"

int observe_steplogformat(struct model *m, enum observed what, struct slice name, struct slice json,
                          int64_t received_ms);

#endif
