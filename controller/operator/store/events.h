/* events: what Kubernetes Events say about pods and Jobs, also of those that no watch has shown yet. */
#ifndef OPERATOR_STORE_EVENTS_H
#define OPERATOR_STORE_EVENTS_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

struct store;

#define STORE_MESSAGE_SIZE 256
#define STORE_MAX_REFUSALS 16 /* of one Job; the oldest is dropped */

struct pod_events {
    int64_t pull_start_ms, pull_end_ms, pull_duration_ms; /* TIME_UNKNOWN, duration -1 */
    int64_t evicted_ms;
    char *evicted_message; /* heap; NULL */
};

struct refusal { /* the Job's pods were refused from then until then */
    int64_t from_ms, last_ms;
    bool is_quota;
};

struct refusals {
    struct refusal items[STORE_MAX_REFUSALS]; /* in time order, apart */
    int count;
    char message[STORE_MESSAGE_SIZE]; /* of the last one */
};

struct pod_events *store_events(struct store *store, struct slice pod_uid);
struct refusals *store_refusals(struct store *store, struct slice job_uid); /* NULL: there are too many */
void store_events_free(void *pod_events);

#endif
