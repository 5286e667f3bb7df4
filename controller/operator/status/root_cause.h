/* root_cause: writes status.executions[].rootCause, and how many interruptions each class has. */
#ifndef OPERATOR_STATUS_ROOT_CAUSE_H
#define OPERATOR_STATUS_ROOT_CAUSE_H

#include "base/jwrite.h"
#include "ledger/evaluate.h"
#include "operator/job/root_cause.h"

/* Of the execution of that number; nothing where none is known. causes NULL: a view of logs alone. */
void root_cause_write(struct jwrite *w, const struct job_root_causes *causes, int number);
void root_causes_write_counts(struct jwrite *w, const struct job_root_causes *causes,
                              const struct ledger_result *result);

#endif
