/* runtime: the controller process: client, leader election, watches, jobs and health put together on one loop, from
 * start to SIGTERM. The work itself is in runtime_jobs; what is computed is in model.h. */
#ifndef OPERATOR_RUNTIME_H
#define OPERATOR_RUNTIME_H

#include "operator/runtime/exports.h"

/* Runs until SIGTERM or SIGINT (0), or until the lease is lost or the start fails (1, the reason as one line on
 * stderr). */
int runtime_run(const struct runtime_flags *flags, const struct runtime_exports *exports);

#endif
