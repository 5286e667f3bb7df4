/* exporter: what the controller shows to others, hooked into the runtime: /metrics, the page, the recorders'
 * endpoint, and what is pushed elsewhere. */
#ifndef EXPORT_EXPORTER_H
#define EXPORT_EXPORTER_H

#include "operator/runtime/exports.h"

struct exporter;

struct exporter *exporter_new(void);
void exporter_free(struct exporter *exporter);
struct runtime_exports exporter_hooks(struct exporter *exporter);

#endif
