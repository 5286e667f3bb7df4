/* status: the status of a FleetGoodput as JSON, in the order of crds/goodput.dev_fleetgoodputs.yaml. */
#ifndef OPERATOR_FLEET_STATUS_H
#define OPERATOR_FLEET_STATUS_H

#include "fleet/outcome.h"
#include "operator/fleet/spec.h"

struct fleets_condition {
    const char *type, *reason; /* type NULL: it is not reported */
    bool is_true;
    char message[1024];
    int64_t at_ms; /* of its last transition */
};
enum { FLEETS_READY, FLEETS_DEGRADED, FLEETS_CONDITIONS };

struct fleets_view {
    const struct fleets_spec *spec;
    const struct roll *roll;
    const struct outcome *outcome; /* NULL: the spec is of no use, there are conditions alone */
    int64_t generation;
    struct fleets_condition conditions[FLEETS_CONDITIONS];
};

/* settled: NULL: not yet, or not known. */
void fleets_status_write(const struct fleets_view *view, const char *settled, struct buf *out);

#endif
