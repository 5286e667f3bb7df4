#include "operator/store/pod.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "operator/store/node.h"
#include "operator/store/target.h"

#include <stdlib.h>
#include <string.h>

#define MISSING_MS 10000 /* a Node that a pod names is listed no later after the binding */

static const struct pod_trouble no_trouble = {
    .gated_from_ms = TIME_UNKNOWN,
    .gated_to_ms = TIME_UNKNOWN,
    .unschedulable_ms = TIME_UNKNOWN,
    .disruption_ms = TIME_UNKNOWN,
    .gated_written_ms = TIME_UNKNOWN,
    .disruption_reason = "",
    .reason = "",
};

const struct pod_trouble *pod_trouble(const struct pod *p) {
    return p->trouble ? p->trouble : &no_trouble;
}

struct pod_trouble *store_trouble(struct pod *p) {
    if (p->trouble == NULL) {
        p->trouble = mem_new(struct pod_trouble);
        *p->trouble = no_trouble;
    }
    return p->trouble;
}

void store_trouble_free(struct pod *p) {
    if (p->trouble == NULL)
        return;
    free(p->trouble->unschedulable_message);
    free(p->trouble->disruption_message);
    free(p->trouble->message);
    free(p->trouble);
    p->trouble = NULL;
}

void store_mark_pod(struct pod *p) {
    if (p->is_dirty)
        return;
    p->is_dirty = true;
    p->next_dirty = p->target->pods.dirty;
    p->target->pods.dirty = p;
}

bool store_is_on_missing_node(const struct pod *p, int64_t complete_ms) {
    return p->node && !p->node->exists && p->bound_ms != TIME_UNKNOWN && p->bound_ms + MISSING_MS < complete_ms;
}

struct instance *container_now(struct container *c) {
    return &c->instances[c->count - 1];
}

struct instance *container_instance(struct container *c, int restart_count) {
    for (int i = c->count - 1; i >= 0; i--)
        if (c->instances[i].restart_count == restart_count)
            return &c->instances[i];
    return NULL;
}

/* ---- how containers ended ---- */

#define EXIT_SIGTERM 143
#define EXIT_SIGKILL 137

int64_t instance_finished_ms(const struct instance *i) {
    bool is_within =
        i->finished_ms != TIME_UNKNOWN && i->last_line_ms > i->finished_ms && i->last_line_ms < i->finished_ms + 1000;
    return is_within ? i->last_line_ms : i->finished_ms;
}

bool container_has_devices(const struct container *c) {
    return c->chips > 0 || c->has_claims;
}

/* All of them, where none has chips. */
bool pod_is_training_container(const struct pod *p, int container) {
    return p->chips == 0 || container_has_devices(&p->containers[container]);
}

int64_t pod_ended_ms(const struct pod *p) {
    int64_t at_ms = p->ended_ms;
    for (int i = 0; i < p->container_count && at_ms != TIME_UNKNOWN; i++) {
        int64_t finished_ms = instance_finished_ms(container_now(&p->containers[i]));
        if (finished_ms >= p->ended_ms && finished_ms < p->ended_ms + 1000)
            at_ms = max_of(at_ms, finished_ms);
    }
    return at_ms;
}

bool instance_was_signaled(const struct pod *p, const struct instance *i) {
    if (p->deletion_ms == TIME_UNKNOWN || i->finished_ms == TIME_UNKNOWN || i->end_order == END_SEEN_FIRST)
        return false;
    bool is_signal = i->exit_code == EXIT_SIGTERM || (i->exit_code == EXIT_SIGKILL && strcmp(i->reason, "OOMKilled"));
    if (i->finished_ms / 1000 != p->deletion_ms / 1000)
        return i->finished_ms > p->deletion_ms;
    return i->end_order == END_SEEN_AFTER || is_signal;
}

/* The kubelet sends SIGTERM first. That it did is known where the end is known. */
int64_t instance_signaled_ms(const struct pod *p, const struct instance *i) {
    const struct pod_trouble *t = pod_trouble(p);
    if (i->finished_ms == TIME_UNKNOWN)
        return TIME_UNKNOWN;
    if (strcmp(t->disruption_reason, "TerminationByKubelet") == 0 && t->disruption_ms <= i->finished_ms)
        return t->disruption_ms;
    return instance_was_signaled(p, i) ? p->deletion_ms : TIME_UNKNOWN;
}
