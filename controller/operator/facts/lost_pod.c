/* Gathers the facts about a lost pod; the table in causes.c turns them into a cause. */
#include "operator/facts/lost_pod.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "operator/facts/causes.h"
#include "operator/facts/kueue.h"
#include "operator/facts/loss.h"
#include "operator/facts/pod_end.h"
#include "operator/facts/silence.h"
#include "operator/job/required.h"

#include <stdio.h>
#include <string.h>

/* Objects carry whole seconds of several clocks: times this close count as one. */
#define NEAR_MS 5000
#define SECOND_MS 1000
#define MAX_SIBLINGS 256 /* pods of a Job that are compared: bounds the cost for large Jobs */

static bool touches(int64_t from_ms, int64_t to_ms, int64_t at_ms, int64_t slack_ms) {
    return from_ms <= at_ms + slack_ms && (to_ms == TIME_OPEN || to_ms >= at_ms - slack_ms);
}

/* A node that is Ready again no longer explains a loss. */
static bool troubles(const struct node *n, const struct node_trouble *trouble, int64_t at_ms) {
    return fact_node_silent_from_ms(n, trouble) <= at_ms + NEAR_MS &&
           (trouble->to_ms == TIME_OPEN || trouble->to_ms >= at_ms - SECOND_MS);
}

/* State of the pod's node around at_ms, as in the table's column `node`; text gets the taint. */
static const char *node_state(const struct pod *p, int64_t at_ms, char text[static STORE_MESSAGE_SIZE]) {
    const struct node *n = p->node;
    /* A taint or label set after the pod's deletion did not cause it. */
    int64_t known_until_ms = p->is_deleted ? p->removed_ms + SECOND_MS : TIME_OPEN;
    bool is_maintained = false;
    if (n == NULL || at_ms == TIME_OPEN) /* an index that stopped being required was not lost */
        return "";
    for (int i = 0; i < node_past(n)->taint_count; i++) {
        const struct node_taint *t = &node_past(n)->taints[i];
        if (t->from_ms > known_until_ms || !touches(t->from_ms, t->to_ms, at_ms, NEAR_MS))
            continue;
        snprintf(text, STORE_MESSAGE_SIZE, "taint %s%s%s", t->key, t->value[0] ? "=" : "", t->value);
        if (n->is_spot && slice_contains(slice_of(t->key), "impending-node-termination"))
            return "Spot";
        is_maintained |= slice_contains(slice_of(t->key), "maintenance") ||
                         slice_contains(slice_of(t->key), "impending-node-termination");
        if (is_maintained)
            break;
    }
    const struct spans *maintenance = &node_past(n)->maintenance;
    for (int i = 0; i < maintenance->count; i++)
        is_maintained |= maintenance->items[i].from_ms <= known_until_ms &&
                         touches(maintenance->items[i].from_ms, maintenance->items[i].to_ms, at_ms, NEAR_MS);
    if (is_maintained)
        return "Maintenance";
    const struct node_past *past = node_past(n);
    for (int i = 0; i < past->trouble_count; i++)
        if (fact_is_touched(p, &past->troubles[i], NEAR_MS) && troubles(n, &past->troubles[i], at_ms))
            return "NotReady";
    int64_t to_ms = p->has_vanished ? TIME_OPEN - 1 : at_ms + NEAR_MS; /* deleted at an unknown later time */
    return fact_unhealthy_by_kueue(p, at_ms - NEAR_MS, to_ms) ? "Unhealthy" : "";
}

/* A Job that fails because of its pods explains no deletion: the deletion of this pod may be why the Job failed. */
static bool fails_by_itself(const struct kube_job *j) {
    static const char *const by_pods[] = {"BackoffLimitExceeded", "PodFailurePolicy", "MaxFailedIndexesExceeded",
                                          "FailedIndexes"};
    for (size_t i = 0; i < ARRAY_SIZE(by_pods); i++)
        if (strcmp(j->failing_reason, by_pods[i]) == 0)
            return false;
    return j->failing_ms != TIME_UNKNOWN;
}

static bool is_before(int64_t reason_ms, int64_t at_ms) {
    return reason_ms != TIME_UNKNOWN && reason_ms < at_ms + SECOND_MS;
}

/* The Job failed because another of its pods was lost earlier, and then deleted this one. */
static bool fails_by_another(const struct kube_job *j, const struct pod *p) {
    int looked_at = 0;
    if (j->failing_ms == TIME_UNKNOWN)
        return false;
    for (const struct pod *other = j->pods; other && looked_at < MAX_SIBLINGS;
         other = other->next_in_job, looked_at++) {
        int64_t shown_ms = max_of(max_of(other->deletion_ms, other->ended_ms), pod_trouble(other)->disruption_ms);
        bool is_recent = shown_ms >= j->failing_ms - NEAR_MS; /* excludes losses before a suspension or back-off */
        int64_t failed_ms = fact_pod_failed_ms(other);
        bool by_itself =
            failed_ms <= p->deletion_ms && (other->deletion_ms == TIME_UNKNOWN || other->deletion_ms > failed_ms);
        bool is_counted = fact_pod_surplus_ms(other) == TIME_OPEN;
        if (other != p && other->target == p->target && is_recent && is_counted &&
            (by_itself || fact_pod_lost_ms(other) < p->deletion_ms))
            return true;
    }
    return false;
}

/* The pod's deletion made its Job fail, and the JobSet restarted because of that, even if within the same second. */
static bool has_failed_its_job(const struct kube_job *j, const struct pod *p) {
    return j && j->failing_ms != TIME_UNKNOWN && !fails_by_itself(j) && !fails_by_another(j, p) &&
           p->deletion_ms <= j->failing_ms && p->deletion_ms > j->failing_ms - NEAR_MS;
}

/* An elastic Job was made smaller, and no longer has the pod's index. */
static bool is_surplus(const struct pod *p) {
    const struct target *t = p->target;
    for (int i = 0; i < t->spec.job_count; i++) {
        const struct replicated_job *r = &t->spec.jobs[i];
        if (r->size_count > 1 && r->replicas > 0 && strcmp(r->name, p->replicated_job) == 0)
            return p->completion_index >= job_pods_at(r, p->deletion_ms + SECOND_MS) / r->replicas;
    }
    return false;
}

/* Whether its Job or JobSet deleted the pod. Then the reason of that is the cause, not the deletion. */
static bool is_deletion_explained(const struct pod *p) {
    const struct target *t = p->target;
    const struct kube_job *j = p->job;
    int64_t at_ms = p->deletion_ms;
    if (is_before(t->end.at_ms, at_ms) || is_before(t->end.removed_ms, at_ms))
        return true;
    if (is_surplus(p))
        return true;
    if (has_failed_its_job(j, p))
        return false;
    if (j && (is_before(j->deletion_ms, at_ms) ||
              (is_before(j->failing_ms, at_ms) && (fails_by_itself(j) || fails_by_another(j, p)))))
        return true;
    for (int i = 0; i < t->restarts.item_count; i++) /* of the whole set; it deletes only earlier pods */
        if (strcmp(t->restarts.items[i].what, "restarts") == 0 && is_before(t->restarts.items[i].at_ms, at_ms) &&
            p->created_ms < t->restarts.items[i].at_ms)
            return true;
    const struct history *all[] = {&t->suspended, j ? &j->suspended : NULL};
    for (int h = 0; h < 2; h++)
        for (int i = 0; all[h] && i < all[h]->count; i++)
            if (all[h]->items[i].is_true && is_before(all[h]->items[i].at_ms, at_ms) &&
                p->created_ms <= all[h]->items[i].at_ms && /* else the pod is of after the suspension */
                (i + 1 == all[h]->count || all[h]->items[i + 1].at_ms >= at_ms))
                return true;
    return false;
}

/* A container that failed without being asked to stop. */
static bool exit_facts(const struct pod *p, struct cause_facts *f, int64_t *at_ms,
                       char message[static STORE_MESSAGE_SIZE], char reason[static 32]) {
    const struct instance *first = NULL;
    const char *name = "";
    for (int i = 0; i < p->container_count; i++) {
        const struct instance *now = container_now(&p->containers[i]);
        if (now->exit_code <= 0 || now->finished_ms == TIME_UNKNOWN || instance_was_signaled(p, now))
            continue;
        if (first && instance_finished_ms(first) <= instance_finished_ms(now))
            continue;
        first = now;
        name = p->containers[i].name;
    }
    if (first == NULL)
        return false;
    bool is_oom = strcmp(first->reason, "OOMKilled") == 0;
    snprintf(reason, 32, "exit %d", first->exit_code);
    snprintf(message, STORE_MESSAGE_SIZE, "container %s terminated with exit %d (%s)", name, first->exit_code,
             first->reason);
    f->shows = "exit";
    f->reason = is_oom ? "OOMKilled" : reason;
    f->message = message;
    *at_ms = instance_finished_ms(first);
    return true;
}

static bool trouble_facts(const struct pod *p, struct cause_facts *f, int64_t *at_ms) {
    const struct node_trouble *t = fact_pod_loss_by_node(p, at_ms);
    if (t == NULL || (!t->is_silent && p->deletion_ms != TIME_UNKNOWN && is_deletion_explained(p)))
        return false;
    f->object = "Node";
    f->shows = "Ready";
    f->reason = t->reason;
    f->message = p->name;
    f->name = p->node->name;
    return true;
}

/* Whether the disruption ended the pod. The object of a pod that had already ended is also evicted when its node is
 * lost later. The kubelet writes the condition together with the end. */
static bool is_ended_by_disruption(const struct pod *p) {
    return pod_trouble(p)->disruption_ms != TIME_UNKNOWN &&
           (fact_pod_failed_ms(p) >= pod_trouble(p)->disruption_ms - NEAR_MS ||
            strcmp(pod_trouble(p)->disruption_reason, "TerminationByKubelet") == 0);
}

/* status.reason is in the table; otherwise the exit code decides. */
static bool has_known_reason(const struct pod *p) {
    struct cause_facts f = {.object = "Pod", .shows = "reason", .reason = pod_trouble(p)->reason};
    bool is_refused = p->bound_ms == TIME_UNKNOWN && strcmp(f.reason, "TerminatedByKueue") == 0; /* it held no slot */
    return f.reason[0] && p->ended_ms != TIME_UNKNOWN && !is_refused && cause_find(&f) != NULL;
}

/* Kueue declares a cordoned node unhealthy after its pods are deleted: that did not cause the deletion. */
static bool is_declared_later(const struct pod *p, const struct cause_facts *f, int64_t at_ms) {
    return strcmp(f->shows, "deleted") == 0 && strcmp(f->node_state, "Unhealthy") == 0 &&
           fact_unhealthy_by_kueue(p, at_ms - NEAR_MS, at_ms + SECOND_MS) == NULL;
}

/* Adds to the message of a node failure that Kueue also observed it: this explains why the pod moved to another node.
 */
static void add_kueue_message(const struct pod *p, int64_t at_ms, struct cause_facts *f,
                              char text[static STORE_MESSAGE_SIZE]) {
    const struct cause_rule *rule = cause_find(f);
    const struct workload *w = fact_unhealthy_by_kueue(
        p, at_ms - NEAR_MS, p->is_deleted && !p->has_vanished ? p->removed_ms + NEAR_MS : TIME_OPEN - 1);
    if (rule == NULL || rule->cause != CAUSE_NODE_FAILURE || w == NULL || w->name == NULL)
        return;
    snprintf(text, STORE_MESSAGE_SIZE, "%.90s%sWorkload %.70s: status.unhealthyNodes names %.50s", f->message,
             f->message[0] ? "; " : "", w->name, p->node->name);
    f->message = text;
}

bool fact_pod_cause(const struct pod *p, struct ledger_disruption *d) {
    char message[STORE_MESSAGE_SIZE], taint[STORE_MESSAGE_SIZE] = "", kueue_message[STORE_MESSAGE_SIZE], reason[32];
    const struct pod_events *e = map_get(&p->target->job->store->events, slice_of(pod_uid(p)));
    struct cause_facts f = {.object = "Pod",
                            .node_state = "",
                            .name = p->name,
                            .message = "",
                            .node = p->node ? p->node->name : "",
                            .node_pool = p->node ? p->node->pool : ""};
    if (is_ended_by_disruption(p)) {
        const char *by = pod_trouble(p)->disruption_reason;
        bool is_by_kueue = slice_starts(slice_of(by), POD_EVICTED_WITH_WORKLOAD);
        f.shows = is_by_kueue ? "TerminationTarget" : "DisruptionTarget";
        f.reason = is_by_kueue ? by + strlen(POD_EVICTED_WITH_WORKLOAD) : by;
        f.message = pod_trouble(p)->disruption_message ? pod_trouble(p)->disruption_message : "";
        d->at_ms = pod_trouble(p)->disruption_ms;
    } else if (trouble_facts(p, &f, &d->at_ms)) {
        /* the node explains it */
    } else if (e && e->evicted_ms != TIME_UNKNOWN) {
        f.shows = "event";
        f.reason = "Evicted";
        f.message = e->evicted_message ? e->evicted_message : "";
        d->at_ms = e->evicted_ms;
    } else if (has_known_reason(p)) {
        f.shows = "reason";
        f.reason = pod_trouble(p)->reason;
        f.message = pod_trouble(p)->message ? pod_trouble(p)->message : "";
        d->at_ms = p->ended_ms;
    } else if (exit_facts(p, &f, &d->at_ms, message, reason)) {
        /* a container explains it */
    } else if (p->deletion_ms != TIME_UNKNOWN && !is_deletion_explained(p)) {
        f.shows = "deleted";
        d->at_ms = p->deletion_ms;
    } else if (p->deletion_ms == TIME_UNKNOWN) {
        f.shows = "lost"; /* nothing else is known about its end */
        d->at_ms = p->has_vanished ? p->removed_ms : fact_pod_lost_ms(p);
    } else {
        return false;
    }
    f.node_state = node_state(p, d->at_ms, taint);
    if (is_declared_later(p, &f, d->at_ms))
        f.node_state = "";
    if (taint[0] && f.node_state[0] && strcmp(f.shows, "DisruptionTarget") == 0) {
        snprintf(message, sizeof message, "%.180s (%.70s)", f.message, taint);
        f.message = message;
    }
    add_kueue_message(p, d->at_ms, &f, kueue_message);
    return cause_fill(&f, d);
}
