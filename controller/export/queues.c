#include "export/queues.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void queues_init(struct queues *q) {
    map_init(&q->map, free);
}

void queues_done(struct queues *q) {
    map_done(&q->map);
}

static struct queue_sums *sums_of(struct queues *q, const char *namespace_, const char *queue) {
    CLEANUP_FREE char *key = mem_format("%s/%s", namespace_, queue);
    struct queue_sums *sums = map_get(&q->map, slice_of(key));
    if (sums != NULL)
        return sums;
    sums = mem_new(struct queue_sums);
    slice_copy(sums->namespace_, sizeof sums->namespace_, slice_of(namespace_));
    slice_copy(sums->queue, sizeof sums->queue, slice_of(queue));
    map_put(&q->map, slice_of(key), sums);
    return sums;
}

/* The last place is kept for "Custom/Other", the sum of all that have no place. */
static void add(struct queue_sum *sums, int *count, int max, const char *name, int64_t value) {
    int i = 0;
    while (i < *count && strcmp(sums[i].name, name) != 0)
        i++;
    if (i == *count && *count >= max - 1 && strcmp(name, "Custom/Other") != 0) {
        add(sums, count, max, "Custom/Other", value);
        return;
    }
    if (i == *count)
        slice_copy(sums[(*count)++].name, sizeof sums[i].name, slice_of(name));
    sums[i].sum += value;
}

void queues_add(struct queues *q, const char *namespace_, const struct fleet_numbers *n, const int64_t chip_hours[3]) {
    struct queue_sums *sums = sums_of(q, namespace_, n->queue);
    if (n->phase[0] != '\0')
        add(sums->phases, &sums->phase_count, ARRAY_SIZE(sums->phases), n->phase, 1);
    for (int i = 0; i < 3; i++)
        if (chip_hours[i] != FLEET_NONE)
            sums->chip_hours[i] += chip_hours[i];
    for (int i = 0; i < n->bucket_count; i++)
        if (n->buckets[i].chip_seconds != FLEET_NONE)
            add(sums->buckets, &sums->bucket_count, ARRAY_SIZE(sums->buckets), n->buckets[i].bucket,
                n->buckets[i].chip_seconds);
    int64_t ideal_ms = n->values[FLEET_STEP_IDEAL], deviation_ms = n->values[FLEET_STEP_DEVIATION];
    int64_t steps = n->values[FLEET_RETAINED_STEPS];
    if (ideal_ms == FLEET_NONE || deviation_ms == FLEET_NONE || steps == FLEET_NONE)
        return;
    /* A hostile status must not overflow: no job trains for more than a hundred years. */
    const int64_t max = INT64_C(3153600000000);
    if (steps > 0 && ideal_ms >= 0 && ideal_ms <= max / steps && deviation_ms <= max / steps &&
        deviation_ms >= -max / steps) {
        sums->ideal_ms += ideal_ms * steps;
        sums->deviation_ms += deviation_ms * steps;
    }
}
