/* otlp: pushes every JobGoodput's numbers, executions and interruptions to an OpenTelemetry collector by OTLP/HTTP with
 * protobuf (https://opentelemetry.io/docs/specs/otlp/, "OTLP/HTTP"). */
#ifndef EXPORT_PUSH_OTLP_H
#define EXPORT_PUSH_OTLP_H

#include "export/push/push.h"

push_maker otlp_make; /* --otlp-endpoint */

#endif
