/* Chips that pods ask for by ResourceClaims. */
#include "operator/store/claims.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "operator/objects/claim.h"

#include <errno.h>

struct claim {
    struct claim *next_of_pod;
    int64_t chips;
    char pod_uid[65];
};

static void set_first(struct store *store, struct slice pod_uid, struct claim *first) {
    if (first != NULL)
        map_put(&store->claims_by_pod, pod_uid, first);
    else
        map_remove(&store->claims_by_pod, pod_uid);
}

static void leave_pod(struct store *store, struct claim *c) {
    struct claim *first = map_get(&store->claims_by_pod, slice_of(c->pod_uid)), **at = &first;
    while (*at != NULL && *at != c)
        at = &(*at)->next_of_pod;
    if (*at == NULL)
        return;
    *at = c->next_of_pod;
    set_first(store, slice_of(c->pod_uid), first);
}

static void join_pod(struct store *store, struct claim *c, struct slice pod_uid) {
    slice_copy(c->pod_uid, sizeof c->pod_uid, pod_uid);
    c->next_of_pod = map_get(&store->claims_by_pod, pod_uid);
    set_first(store, pod_uid, c);
}

static void forget(struct store *store, struct slice uid) {
    struct claim *c = map_get(&store->claims, uid);
    if (c != NULL)
        leave_pod(store, c);
    map_remove(&store->claims, uid);
}

/* The other pods of its replicated job ask for as many: a pod template names its claims' templates alone, which are
 * not read. */
static void raise_shape(struct target *t, const struct pod *p, int64_t claimed) {
    for (int i = 0; i < t->spec.job_count; i++) {
        struct replicated_job *r = &t->spec.jobs[i];
        if (r->name != p->replicated_job || r->claimed_chips >= claimed)
            continue;
        r->chips += claimed - r->claimed_chips;
        r->claimed_chips = claimed;
        t->pods.shape_version++;
    }
}

/* By Ray's own count of what its node has. */
static int64_t declared(const struct pod *p) {
    const struct target *t = p->target;
    bool is_ray = t->kind == TARGET_RAYJOB || t->kind == TARGET_RAYCLUSTER;
    for (int i = 0; is_ray && i < t->spec.job_count; i++)
        if (t->spec.jobs[i].name == p->replicated_job)
            return t->spec.jobs[i].chips - t->spec.jobs[i].claimed_chips;
    return 0;
}

void store_add_claimed(struct store *store, struct pod *p) {
    int64_t claimed = 0, asked = 0;
    for (const struct claim *c = map_get(&store->claims_by_pod, slice_of(pod_uid(p))); c != NULL; c = c->next_of_pod)
        claimed += c->chips;
    for (int i = 0; i < p->container_count; i++)
        asked += p->containers[i].chips;
    if (p->containers == NULL)
        return;
    if (asked + claimed == 0)
        asked = declared(p);
    p->chips = (int32_t)max_of(p->chips, min_of(asked + claimed, INT32_MAX));
    if (p->chips > asked)
        raise_shape(p->target, p, p->chips - asked);
}

int store_observe_claim(struct store *store, enum observed what, struct slice uid, struct slice json) {
    struct object_claim o;
    if (what != OBSERVED_PRESENT) {
        forget(store, uid);
        return 0;
    }
    int err = object_claim_parse(json, &o);
    if (err < 0)
        return err;
    if (o.meta.uid.size_bytes == 0)
        return -EINVAL;
    struct claim *c = map_get(&store->claims, o.meta.uid);
    if (o.chips == 0 || o.pod_uid.size_bytes == 0 ||
        o.pod_uid.size_bytes >= sizeof c->pod_uid) /* of no chips, or of no pod yet */
        return 0;
    if (c == NULL) {
        c = mem_new(struct claim);
        map_put(&store->claims, o.meta.uid, c);
    } else {
        leave_pod(store, c);
    }
    c->chips = o.chips;
    join_pod(store, c, o.pod_uid);
    struct pod *p = map_get(&store->pods, o.pod_uid);
    if (p == NULL)
        return 0;
    int32_t before = p->chips;
    store_add_claimed(store, p);
    if (p->chips != before)
        store_touch_pod(store, p);
    return 0;
}
