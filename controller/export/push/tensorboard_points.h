/* tensorboard_points: a JobGoodput's numbers at one step as TensorBoard's scalars, under the tags of the Python
 * library's monitor and additional ones (deploy/docs/how-to/export.md). Pure. */
#ifndef EXPORT_PUSH_TENSORBOARD_POINTS_H
#define EXPORT_PUSH_TENSORBOARD_POINTS_H

#include "export/fleet_read.h"
#include "export/push/tensorboard_events.h"

#define TENSORBOARD_MAX_VALUES 192

struct tensorboard_point {
    int64_t step, at_ms; /* the last step; the time that the numbers reach */
    int64_t start_ms;    /* start of the wall time: identifies the run among those of that name */
    bool is_final;
    int count;
    struct tensorboard_value values[TENSORBOARD_MAX_VALUES];
};

/* False if there is nothing to draw (no step is known yet). */
bool tensorboard_point_read(const struct fleet_numbers *numbers, bool is_final, struct tensorboard_point *point);

#endif
