/* queues: sums over the jobs of each (namespace, queue). Readers divide sums of chip-seconds; ratios are never
 * averaged. */
#ifndef EXPORT_QUEUES_H
#define EXPORT_QUEUES_H

#include "base/map.h"
#include "export/fleet_read.h"

struct queue_sum {
    char name[64];
    int64_t sum;
};
struct queue_sums {
    char namespace_[256], queue[128]; /* "": jobs without a queue */
    int64_t chip_hours[3];            /* thousandths, in the order given to queues_add */
    int64_t ideal_ms, deviation_ms;   /* per step x steps kept */
    int phase_count, bucket_count;
    struct queue_sum phases[16], buckets[FLEET_MAX_BUCKETS];
};
struct queues {
    struct map map; /* of struct queue_sums */
};

void queues_init(struct queues *q);
void queues_done(struct queues *q);
/* chip_hours: FLEET_NONE counts nothing. A bucket beyond the limit is counted as "Custom/Other". */
void queues_add(struct queues *q, const char *namespace_, const struct fleet_numbers *n, const int64_t chip_hours[3]);

#endif
