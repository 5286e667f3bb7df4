#include "operator/facts/silence.h"
#include "base/minmax.h"
#include "operator/facts/causes.h"
#include "operator/facts/facts.h"
#include "operator/facts/pod_end.h"

#include <string.h>

/* A lease renewed longer ago than this did not make the node NotReady (node-monitor-grace-period: 50 s). */
#define LEASE_TOO_OLD_MS 300000

/* Nodes may be NotReady for this long after an outage of the API server. */
#define RECOVERY_MS 60000

/* Time of the last container event that the node's kubelet reported before before_ms; TIME_UNKNOWN: none. */
static int64_t last_container_change_ms(const struct node *n, int64_t before_ms) {
    int64_t at_ms = TIME_UNKNOWN;
    for (const struct pod *p = n->pods; p; p = p->next_on_node)
        for (int i = 0; i < p->container_count; i++)
            for (int k = 0; k < p->containers[i].count; k++) {
                const struct instance *instance = &p->containers[i].instances[k];
                if (instance->started_ms < before_ms)
                    at_ms = max_of(at_ms, instance->started_ms);
                if (instance->finished_ms < before_ms)
                    at_ms = max_of(at_ms, instance->finished_ms);
            }
    return at_ms;
}

int64_t fact_node_silent_from_ms(const struct node *n, const struct node_trouble *trouble) {
    int64_t heard_ms = trouble->visible_ms;
    if (!trouble->is_silent)
        return heard_ms;
    int64_t healthy_ms = trouble->visible_ms - LEASE_TOO_OLD_MS;
    const struct node_past *past = node_past(n);
    for (int i = 0; i < past->trouble_count && &past->troubles[i] != trouble; i++)
        healthy_ms = max_of(healthy_ms, past->troubles[i].to_ms);
    /* With leases, heartbeats come only every 5 min (kubelet nodeStatusReportFrequency): they prove nothing until the
     * lease is known. Nor does a lease that was read before the node was Ready again. */
    if (n->renewed_ms <= healthy_ms)
        return heard_ms;
    heard_ms = min_of(heard_ms, n->renewed_ms);
    const struct spans *silences = &past->silences;
    for (int i = 0; i < silences->count; i++)
        if (silences->items[i].from_ms > healthy_ms && silences->items[i].from_ms < trouble->visible_ms &&
            silences->items[i].to_ms > trouble->visible_ms)
            heard_ms = silences->items[i].from_ms;
    /* A lease is renewed every 10 s: a container that started since shows that the node still lived then. */
    heard_ms = max_of(heard_ms, last_container_change_ms(n, trouble->visible_ms));
    return trouble->heartbeat_ms != TIME_UNKNOWN && trouble->heartbeat_ms < trouble->visible_ms
               ? max_of(heard_ms, trouble->heartbeat_ms)
               : heard_ms;
}

bool fact_is_touched(const struct pod *p, const struct node_trouble *trouble, int64_t slack_ms) {
    int64_t over_ms = p->has_vanished ? TIME_OPEN : fact_pod_over_ms(p); /* the time of its end is unknown */
    return p->bound_ms != TIME_UNKNOWN && trouble->to_ms > p->bound_ms && trouble->visible_ms - slack_ms <= over_ms;
}

/* Start of the node's silence, at or after from_ms. If the API server was unreachable when the node should have renewed
 * its lease, its conditions prove nothing: the silence starts at the end of the outage. */
static int64_t reachable_from_ms(const struct pod *p, const struct node_trouble *trouble, int64_t from_ms) {
    const struct model_job *job = p->target->job;
    for (int i = 0; job && i < job->store->unreachable.count; i++) {
        const struct span *s = &job->store->unreachable.items[i];
        if (s->from_ms <= trouble->visible_ms && s->to_ms + RECOVERY_MS >= trouble->visible_ms && s->to_ms > from_ms)
            from_ms = s->to_ms;
    }
    return from_ms;
}

/* Start of the unwatched time that holds at_ms; TIME_OPEN: at_ms was watched. */
static int64_t unwatched_from_ms(const struct pod *p, int64_t at_ms) {
    const struct model_job *job = p->target->job;
    for (int i = 0; job && i < job->facts.unwatched.count; i++)
        if (job->facts.unwatched.items[i].from_ms < at_ms && at_ms <= job->facts.unwatched.items[i].to_ms)
            return job->facts.unwatched.items[i].from_ms;
    return TIME_OPEN;
}

/* The trouble of the node started in unwatched time (it was deleted, or NotReady and Ready again): then even its last
 * lease is unknown. */
static bool is_start_unwatched(const struct pod *p, const struct node_trouble *t) {
    bool is_deleted = strcmp(t->reason, "NodeDeleted") == 0 || strcmp(t->reason, "NodeMissing") == 0;
    bool is_back = strcmp(t->reason, "NodeReturned") == 0;
    return is_back || (is_deleted && unwatched_from_ms(p, t->visible_ms) != TIME_OPEN);
}

/* A node's silence as a pod on it sees it. */
struct silence {
    int64_t from_ms, to_ms; /* the pod's state is unknown in that time; TIME_OPEN */
    bool is_fatal;          /* the pod was deleted or disrupted during it */
    bool was_server_away;   /* the API server was unreachable */
};

/* When the pod's containers ended, by its kubelet's report. Other controllers (PodGC) set pods of a dead node to
 * Failed; they do not know when containers ended. */
static int64_t containers_ended_ms(const struct pod *p) {
    const char *name;
    const struct instance *failed = fact_failed_instance(p, &name);
    bool has_finished = failed != NULL;
    for (int i = 0; i < p->container_count; i++)
        has_finished |= container_now(&p->containers[i])->finished_ms != TIME_UNKNOWN;
    int64_t ended_ms = pod_ended_ms(p);
    if (failed)
        return instance_finished_ms(failed);
    return has_finished && ended_ms != TIME_UNKNOWN ? ended_ms : TIME_OPEN;
}

/* The node's return proves something about the pod. It is stamped in whole seconds: a pod that was last observed within
 * that second may have been deleted before the return. */
static bool is_back_with(const struct pod *p, const struct node_trouble *t) {
    return t->to_ms != TIME_OPEN && !(p->has_vanished && p->removed_ms < t->to_ms + 1000);
}

static struct silence silence_of(const struct pod *p, const struct node_trouble *t) {
    int64_t heard_ms = max_of(fact_node_silent_from_ms(p->node, t), p->bound_ms), asked_ms = fact_pod_asked_ms(p);
    struct silence q = {.from_ms = reachable_from_ms(p, t, heard_ms)};
    int64_t removed_ms = p->removed_ms == TIME_UNKNOWN ? TIME_OPEN : p->removed_ms;
    int64_t ended_ms = min_of(min_of(asked_ms, containers_ended_ms(p)), removed_ms);
    q.was_server_away = q.from_ms > heard_ms;
    q.to_ms = is_back_with(p, t) ? min_of(t->to_ms, ended_ms) : ended_ms;
    q.is_fatal = !q.was_server_away && !is_start_unwatched(p, t) && asked_ms != TIME_OPEN && asked_ms == ended_ms &&
                 asked_ms >= heard_ms &&
                 asked_ms <= t->to_ms; /* within a second of the node's return, its absence is why */
    return q;
}

const struct node_trouble *fact_pod_loss_by_node(const struct pod *p, int64_t *ret_from_ms) {
    for (int i = 0; p->node && i < node_past(p->node)->trouble_count; i++) {
        const struct node_trouble *t = &node_past(p->node)->troubles[i];
        if (!fact_is_touched(p, t, 0))
            continue;
        struct silence q = silence_of(p, t);
        if (!q.is_fatal)
            continue;
        *ret_from_ms = q.from_ms;
        return t;
    }
    return NULL;
}

/* The node returned with the pod unchanged: the pod held its slot all the time. */
static bool is_outlived(const struct pod *p, const struct node_trouble *t, const struct silence *q) {
    return is_back_with(p, t) && q->to_ms == t->to_ms;
}

int64_t fact_pod_silent_ms(const struct pod *p) {
    for (int i = 0; p->node && i < node_past(p->node)->trouble_count; i++) {
        const struct node_trouble *t = &node_past(p->node)->troubles[i];
        if (t->to_ms == TIME_OPEN && fact_is_touched(p, t, 0) && silence_of(p, t).to_ms == TIME_OPEN)
            return silence_of(p, t).from_ms;
    }
    return TIME_OPEN;
}

/* The controllers that mark pods of silent or deleted nodes marked it. */
static bool is_marked_for_its_node(const struct pod *p) {
    const char *by = pod_trouble(p)->disruption_reason;
    return strcmp(by, "DeletionByTaintManager") == 0 || strcmp(by, "DeletionByPodGC") == 0;
}

/* The pod was marked in unwatched time, and nothing shows since when its node was silent. Nothing proves that the pod
 * held its slot until the mark. */
static void add_unwatched_silence(const struct pod *p, struct sink *sink) {
    int64_t marked_ms = pod_trouble(p)->disruption_ms, known_ms;
    int64_t from_ms = marked_ms != TIME_UNKNOWN ? unwatched_from_ms(p, marked_ms) : TIME_OPEN;
    if (from_ms == TIME_OPEN || p->bound_ms == TIME_UNKNOWN || !is_marked_for_its_node(p) ||
        fact_pod_loss_by_node(p, &known_ms))
        return;
    from_ms = max_of(from_ms, p->bound_ms);
    if (from_ms < marked_ms)
        sink_silence(sink, p->id, from_ms, marked_ms);
}

/* A silent node's time is unknown until a pod on it is deleted or disrupted because of the silence. Then that time was
 * the detection of a node failure. A later report of the kubelet only proves that the pod ended at that time. */
void fact_add_silence(const struct pod *p, struct sink *sink) {
    for (int i = 0; p->node && i < node_past(p->node)->trouble_count; i++) {
        const struct node_trouble *t = &node_past(p->node)->troubles[i];
        if (!fact_is_touched(p, t, 0))
            continue;
        struct silence q = silence_of(p, t);
        struct cause_facts f = {.object = "Node", .shows = "silent", .reason = t->reason, .name = p->node->name};
        struct ledger_hold hold = {
            .key = p->id ^ (uint64_t)t->visible_ms, .from_ms = q.from_ms, .to_ms = q.to_ms, .basis = BASIS_DERIVED};
        if (!q.is_fatal && !is_outlived(p, t, &q) && q.from_ms < q.to_ms)
            sink_silence(sink, p->id, q.from_ms, q.to_ms);
        else if (q.is_fatal && cause_fill_hold(&f, &hold))
            sink_hold(sink, &hold);
    }
    add_unwatched_silence(p, sink);
}
