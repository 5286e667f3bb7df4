/* What Events tell of pods and their nodes from when nobody watched: they are kept for an hour, while a Node shows its
 * last transition only, and a pod that is gone nothing. */
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/store/store.h"

#include <stdlib.h>
#include <string.h>

#define NEAR_MS 5000 /* the node lifecycle controller tells the pods after the Node */

static struct pod_signs *signs_of(struct model *m, struct slice pod_uid) {
    struct pod_events *e = store_events(m, pod_uid);
    if (e->signs == NULL) {
        e->signs = mem_new(struct pod_signs);
        *e->signs = (struct pod_signs){TIME_UNKNOWN, TIME_UNKNOWN};
    }
    return e->signs;
}

static void not_ready(struct model *m, const struct object_event *o) {
    struct pod *p = map_get(&m->pods, o->uid);
    struct pod_signs *s = signs_of(m, o->uid);
    s->not_ready_ms = max_of(s->not_ready_ms, max_of(o->first_ms, o->last_ms));
    if (p && p->node)
        store_learn_outage(m, p->node);
    if (p)
        store_touch_pod(m, p);
}

static void killing(struct model *m, const struct object_event *o) {
    struct pod *p = map_get(&m->pods, o->uid);
    if (p == NULL || p->deletion_ms != TIME_UNKNOWN)
        return;
    struct pod_signs *s = signs_of(m, o->uid);
    s->killing_ms = s->killing_ms == TIME_UNKNOWN ? o->first_ms : min_of(s->killing_ms, o->first_ms);
    store_touch_pod(m, p);
}

/* Kubelets say "Stopping container x" of pods that go, else why a container is started again. TaintManagerEviction is
 * of no use: it names the pod without its UID (tainteviction/taint_eviction.go). */
void store_sign(struct model *m, const struct object_event *o) {
    if (slice_is(o->reason, "NodeNotReady"))
        not_ready(m, o);
    else if (slice_is(o->reason, "Killing") && slice_starts(o->message, "Stopping container"))
        killing(m, o);
}

void store_forget_killing(struct model *m, const struct pod *p) {
    struct pod_events *e = map_get(&m->events, slice_of(pod_uid(p)));
    if (e == NULL || e->signs == NULL)
        return;
    e->signs->killing_ms = TIME_UNKNOWN;
    if (e->signs->not_ready_ms != TIME_UNKNOWN)
        return;
    free(e->signs);
    e->signs = NULL;
}

/* The newest time before then at which its pods were told that it is not Ready. */
static int64_t not_ready_ms(struct model *m, const struct node *n, int64_t before_ms) {
    int64_t at_ms = TIME_UNKNOWN;
    for (const struct pod *p = n->pods; p; p = p->next_on_node) {
        const struct pod_events *e = map_get(&m->events, slice_of(pod_uid(p)));
        if (e && e->signs && e->signs->not_ready_ms < before_ms && e->signs->not_ready_ms >= p->bound_ms)
            at_ms = max_of(at_ms, e->signs->not_ready_ms);
    }
    return at_ms;
}

/* It is Ready again since its condition says, or was missed by a list: the time before is known from the Event on. */
void store_learn_outage(struct model *m, struct node *n) {
    const struct node_past *known = node_past(n);
    const struct node_trouble *last = known->trouble_count > 0 ? &known->troubles[known->trouble_count - 1] : NULL;
    bool is_away = last && last->to_ms == TIME_OPEN;
    bool is_missed = is_away && (strcmp(last->reason, "NodeDeleted") == 0 || strcmp(last->reason, "NodeMissing") == 0);
    int64_t ready_ms = (int64_t)n->ready_s * 1000, until_ms = is_missed ? last->visible_ms : ready_ms;
    if (!is_missed && (is_away || n->ready_s == 0))
        return;
    const struct node_trouble *before = is_missed ? (known->trouble_count > 1 ? last - 1 : NULL) : last;
    int64_t at_ms = not_ready_ms(m, n, until_ms);
    if (at_ms == TIME_UNKNOWN || (before && at_ms <= before->to_ms + NEAR_MS) ||
        (is_missed && at_ms <= ready_ms))
        return;
    struct node_past *past = store_node_past(n);
    if (is_missed) {
        past->troubles[past->trouble_count - 1].visible_ms = at_ms;
    } else if (past->trouble_count < STORE_MAX_TRANSITIONS) {
        STORE_GROW(past->troubles, past->trouble_count, past->trouble_capacity);
        past->troubles[past->trouble_count++] =
            (struct node_trouble){at_ms, TIME_UNKNOWN, ready_ms, false, "Event NodeNotReady"};
    }
    store_touch_node(m, n);
}
