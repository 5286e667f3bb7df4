/* report: a job as one HTML file that needs nothing else: the page that the controller serves, with the data inside. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/cli.h"

/* kubectl goodput report NAME --html OUT. */
int cli_report(const struct cli_options *options, struct error **err);

/* A status without an object, called `name`. path: "-" is standard output; a file is replaced only by a whole new one.
 * trace: trace_write() of operator/job/trace.h. */
int report_write_status(const char *path, const char *name, struct slice status, struct slice trace,
                        struct error **err);

#endif
