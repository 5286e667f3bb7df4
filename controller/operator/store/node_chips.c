#include "operator/store/node_chips.h"

#include "base/minmax.h"
#include "operator/store/claims.h"

static bool asks(const struct pod *p) {
    for (int i = 0; i < p->container_count; i++)
        if (container_has_devices(&p->containers[i]))
            return true;
    return false;
}

/* NULL: its chips are known otherwise. */
static struct replicated_job *group_of(const struct pod *p) {
    for (int i = 0; i < p->target->spec.job_count && !asks(p); i++) {
        struct replicated_job *r = &p->target->spec.jobs[i];
        if (r->has_node_chips && r->name == p->replicated_job)
            return r;
    }
    return NULL;
}

/* All pods that existed when it was bound are known: one of an unfinished list may be on the place of another whose
 * end is not observed yet. */
static bool is_on_node(const struct store *store, const struct pod *p) {
    bool is_over = p->is_deleted || p->deletion_ms != TIME_UNKNOWN || p->ended_ms != TIME_UNKNOWN;
    return !p->is_restored && !is_over && p->bound_ms != TIME_UNKNOWN && p->bound_ms <= store->pods_complete_ms;
}

static const struct pod *next_to(const struct store *store, const struct pod *p) {
    const struct pod *q = p->node != NULL && is_on_node(store, p) ? p->node->pods : NULL;
    while (q != NULL && (q == p || group_of(q) == NULL || !is_on_node(store, q)))
        q = q->next_on_node;
    return q;
}

static void leave_out(struct store *store, const struct pod *p) {
    struct replicated_job *r = group_of(p);
    if (r->shares_nodes)
        return;
    r->shares_nodes = true;
    r->chips -= r->claimed_chips;
    r->claimed_chips = 0;
    p->target->pods.shape_version++;
    store_touch_target(store, p->target);
}

static bool has_group(const struct target *t) {
    for (int i = 0; i < t->spec.job_count; i++)
        if (t->spec.jobs[i].has_node_chips)
            return true;
    return false;
}

void store_count_node_chips(struct store *store, struct target *t) {
    if (!has_group(t))
        return;
    for (size_t i = 0; i < t->pods.count; i++) {
        const struct pod *p = t->pods.items[i], *other = group_of(p) != NULL ? next_to(store, p) : NULL;
        if (other != NULL) {
            leave_out(store, p);
            leave_out(store, other);
        }
    }
    for (size_t i = 0; i < t->pods.count; i++) {
        struct pod *p = t->pods.items[i];
        struct replicated_job *r = group_of(p);
        int64_t by_labels = r != NULL && p->node != NULL && !r->shares_nodes ? p->node->chips : 0;
        int64_t chips = r != NULL && r->shares_nodes ? 0 : max_of(p->chips, by_labels);
        if (p->chips == chips)
            continue;
        p->chips = (int32_t)chips;
        store_raise_claimed(t, r, chips);
        store_touch_pod(store, p);
        store->labels_version++; /* job/chip.c looks at its node */
    }
}

const struct replicated_job *store_sharing_nodes(const struct target *t) {
    for (int i = 0; i < t->spec.job_count; i++)
        if (t->spec.jobs[i].has_node_chips && t->spec.jobs[i].shares_nodes)
            return &t->spec.jobs[i];
    return NULL;
}
