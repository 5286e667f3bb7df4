/* metrics_fleet: the FleetGoodputs in /metrics: every number as in their status. */
#ifndef EXPORT_METRICS_FLEET_H
#define EXPORT_METRICS_FLEET_H

#include "export/fleet.h"
#include "export/prometheus.h"

enum metrics_fleet_family {
    METRICS_FLEET_RATIO,
    METRICS_FLEET_GROUP_RATIO,
    METRICS_FLEET_CHIPS,
    METRICS_FLEET_BADPUT,
    METRICS_FLEET_BADPUT_COST,
    METRICS_FLEET_CAUSE_COST,
    METRICS_FLEET_ROOT_CAUSES,
    METRICS_FLEET_OWNER_INTERRUPTIONS,
    METRICS_FLEET_OWNER_CHIPS,
    METRICS_FLEET_OWNER_CLASS_CHIPS,
    METRICS_FLEET_OWNER_COST,
    METRICS_FLEET_JOBS,
    METRICS_FLEET_INTERRUPTIONS,
    METRICS_FLEET_RATE,
    METRICS_FLEET_POOL_FAILURES,
    METRICS_FLEET_POOL_MTBF,
    METRICS_FLEET_COST,
    METRICS_FLEET_CONDITION,
    METRICS_FLEET_FAMILIES
};

/* families: the index of each of the above in the page. fleets: FleetGoodputs, kept like JobGoodputs without a
 * namespace. */
void metrics_fleet_write(struct prometheus_page *page, const int families[static METRICS_FLEET_FAMILIES],
                         const struct fleet *fleets);

#endif
