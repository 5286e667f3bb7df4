/* report: a job as one self-contained HTML file: the controller's page with the data inside. */
#ifndef CLI_RENDER_REPORT_H
#define CLI_RENDER_REPORT_H

#include "base/error.h"
#include "base/slice.h"

/* job: a JobGoodput as JSON. path: "-" is standard output; a file is replaced only by a complete new one. */
int report_write(const char *path, struct slice job, struct error **err);
/* The same for a status without an object; name: its title. trace: trace_write() of operator/job/trace.h. */
int report_write_status(const char *path, const char *name, struct slice status, struct slice trace,
                        struct error **err);
/* A comparison: comparison_write() of export/comparison.h. */
int report_write_comparison(const char *path, struct slice comparison, struct error **err);

#endif
