/* formats: observes StepLogFormats, and writes their statuses. */
#ifndef OPERATOR_MODEL_FORMATS_H
#define OPERATOR_MODEL_FORMATS_H

#include "base/buf.h"
#include "operator/objects/resource.h"

struct jobs;
struct model;

int observe_steplogformat(struct jobs *jobs, enum observed what, struct slice name, struct slice json,
                          int64_t received_ms);

/* The next StepLogFormat whose status is to be written, and that status as JSON; false: there is none. Each change is
 * returned once, and again after model_format_again(). */
#define MODEL_FORMAT_NAME_SIZE 254
bool model_next_format(struct model *m, char name[static MODEL_FORMAT_NAME_SIZE], struct buf *status);
void model_format_again(struct model *m, const char *name);

/* The cluster has no StepLogFormat of that name, or one that a controller made: a user's is left alone. */
bool model_may_install_format(const struct model *m, const char *name);

#endif
