/* Chips that pods ask for by ResourceClaims. */
#include "operator/store/claims.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "operator/objects/claim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

void store_raise_claimed(struct target *t, struct replicated_job *r, int64_t claimed) {
    if (r->claimed_chips >= claimed)
        return;
    r->chips += claimed - r->claimed_chips;
    r->claimed_chips = claimed;
    t->pods.shape_version++;
}

/* The other pods of its replicated job ask for as many. */
static void raise_shape(struct target *t, const struct pod *p, int64_t claimed) {
    for (int i = 0; i < t->spec.job_count; i++)
        if (t->spec.jobs[i].name == p->replicated_job)
            store_raise_claimed(t, &t->spec.jobs[i], claimed);
}

#define TEMPLATE_KEY 520

static struct slice template_key(char key[static TEMPLATE_KEY], const char *namespace_, const char *name) {
    snprintf(key, TEMPLATE_KEY, "%s/%s", namespace_, name);
    return slice_of(key);
}

static void raise_by_templates(const struct store *store, struct target *t, struct replicated_job *r) {
    char key[TEMPLATE_KEY];
    int64_t claimed = 0;
    for (int i = 0; i < STORE_MAX_CLAIM_TEMPLATES && r->claim_templates[i] != NULL; i++)
        claimed += (intptr_t)map_get(&store->claim_templates, template_key(key, t->namespace_, r->claim_templates[i]));
    store_raise_claimed(t, r, claimed);
}

void store_read_claim_templates(struct store *store, struct target *t, struct replicated_job *r, struct slice claims) {
    struct slice name;
    int count = 0;
    memset(r->claim_templates, 0, sizeof r->claim_templates);
    while (count < STORE_MAX_CLAIM_TEMPLATES && object_claim_template_next(&claims, &name))
        r->claim_templates[count++] = store_intern(store, name);
    raise_by_templates(store, t, r);
}

static void raise_all(struct store *store, const struct map *targets, const char *namespace_) {
    for (size_t i = 0; i < targets->count; i++) {
        struct target *t = map_at(targets, i);
        uint64_t version = t->pods.shape_version;
        for (int k = 0; k < t->spec.job_count && strcmp(t->namespace_, namespace_) == 0; k++)
            raise_by_templates(store, t, &t->spec.jobs[k]);
        if (t->pods.shape_version != version)
            store_touch_target(store, t);
    }
}

int store_observe_claim_template(struct store *store, enum observed what, struct slice json) {
    char namespace_[254], name[254], key[TEMPLATE_KEY];
    struct object_claim o;
    if (what != OBSERVED_PRESENT) /* pods made from it have their claims */
        return 0;
    int err = object_claim_template_parse(json, &o);
    if (err < 0)
        return err;
    if (!slice_copy(namespace_, sizeof namespace_, o.meta.namespace_) || !slice_copy(name, sizeof name, o.meta.name))
        return -EINVAL;
    if (o.chips == 0) {
        map_remove(&store->claim_templates, template_key(key, namespace_, name));
        return 0;
    }
    map_put(&store->claim_templates, template_key(key, namespace_, name), (void *)(intptr_t)o.chips); /* no pointer */
    for (int kind = 0; kind < TARGET_KIND_COUNT; kind++)
        raise_all(store, &store->targets[kind], namespace_);
    return 0;
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
