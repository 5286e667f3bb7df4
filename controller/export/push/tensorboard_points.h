/* tensorboard_points: what a JobGoodput says at one step, as TensorBoard's scalars: under the tags that the Python
 * library's monitor writes (facts: deploy/docs/how-to/export.md), and ours beside them. Pure. */
#ifndef EXPORT_PUSH_TENSORBOARD_POINTS_H
#define EXPORT_PUSH_TENSORBOARD_POINTS_H

#include "export/fleet.h"
#include "export/push/tensorboard_events.h"

#define TENSORBOARD_MAX_VALUES 192

struct tensorboard_point {
    int64_t step, at_ms; /* the last step; how far the numbers reach */
    int64_t start_ms;    /* of the wall time: which run of that name it is */
    bool is_final;
    int count;
    struct tensorboard_value values[TENSORBOARD_MAX_VALUES];
};

/* False: there is nothing to draw (no step is known yet). */
bool tensorboard_point_read(const struct fleet_numbers *numbers, bool is_final, struct tensorboard_point *point);

#endif
