/* exporter: the controller's outputs, hooked into the runtime: /metrics, the page, the recorders' endpoint, and the
 * push exporters. */
#ifndef EXPORT_EXPORTER_H
#define EXPORT_EXPORTER_H

#include "operator/runtime/runtime.h"

struct exporter;

struct exporter *exporter_new(void);
void exporter_free(struct exporter *exporter);
struct runtime_exports exporter_hooks(struct exporter *exporter);

#endif
