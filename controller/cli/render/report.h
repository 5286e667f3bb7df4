/* report: a job as one HTML file that needs nothing else: the page that the controller serves, with the data inside. */
#ifndef CLI_RENDER_REPORT_H
#define CLI_RENDER_REPORT_H

#include "base/error.h"
#include "base/slice.h"

/* job: a JobGoodput as JSON. path: "-" is standard output; a file is replaced only by a whole new one. */
int report_write(const char *path, struct slice job, struct error **err);
/* A status without an object, called `name`. trace: trace_write() of operator/job/trace.h. */
int report_write_status(const char *path, const char *name, struct slice status, struct slice trace,
                        struct error **err);

#endif
