/* ray_chips: the accelerators that a group of a RayCluster declares to Ray, for pods whose containers ask for none:
 * such a pod uses what its node has, and only Ray's own count of it is an object's field. */
#ifndef OPERATOR_STORE_RAY_CHIPS_H
#define OPERATOR_STORE_RAY_CHIPS_H

#include "base/jmembers.h"

struct ray_chips { /* of one pod; -1: not declared */
    int64_t by_resources, by_gpus, by_start;
};

void ray_resources_scan(struct jscan *j, void *chips);        /* resources of a group */
void ray_start_parameters_scan(struct jscan *j, void *chips); /* rayStartParams of a group */
bool ray_declares(const struct ray_chips *chips);             /* also that there are none */
int64_t ray_chips(const struct ray_chips *chips);             /* 0: none are declared */

#endif
