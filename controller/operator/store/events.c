#include "operator/store/events.h"

#include "base/mem.h"
#include "operator/store/store.h"

#define MAX_EVENTS 65536      /* pods of which only Events are known */
#define MAX_REFUSED_JOBS 4096 /* Jobs of which only Events are known */

void store_events_free(void *value) {
    struct pod_events *e = value;
    free(e->evicted_message);
    free(e);
}

static void forget_foreign_events(struct store *store) {
    for (size_t i = store->events.count; i-- > 0;) {
        struct slice uid = map_key_at(&store->events, i);
        if (map_get(&store->pods, uid) == NULL)
            map_remove(&store->events, uid);
    }
}

struct pod_events *store_events(struct store *store, struct slice pod_uid) {
    struct pod_events *e = map_get(&store->events, pod_uid);
    if (e)
        return e;
    if (store->events.count >= MAX_EVENTS + store->pods.count)
        forget_foreign_events(store);
    e = mem_new(struct pod_events);
    e->pull_start_ms = e->pull_end_ms = e->evicted_ms = TIME_UNKNOWN;
    e->pull_duration_ms = -1;
    map_put(&store->events, pod_uid, e);
    return e;
}

struct refusals *store_refusals(struct store *store, struct slice job_uid) {
    struct refusals *r = map_get(&store->refusals, job_uid);
    if (r || store->refusals.count >= MAX_REFUSED_JOBS + store->kube_jobs.count)
        return r;
    r = mem_new(struct refusals);
    map_put(&store->refusals, job_uid, r);
    return r;
}
