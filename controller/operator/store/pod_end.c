#include "operator/store/pod_end.h"

#include "base/minmax.h"

#include <string.h>

#define EXIT_SIGTERM 143
#define EXIT_SIGKILL 137

int64_t instance_finished_ms(const struct instance *i) {
    bool is_within =
        i->finished_ms != TIME_UNKNOWN && i->last_line_ms > i->finished_ms && i->last_line_ms < i->finished_ms + 1000;
    return is_within ? i->last_line_ms : i->finished_ms;
}

bool pod_is_training_container(const struct pod *p, int container) {
    return p->chips == 0 || p->containers[container].chips > 0;
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

bool instance_was_signalled(const struct pod *p, const struct instance *i) {
    if (p->deletion_ms == TIME_UNKNOWN || i->finished_ms == TIME_UNKNOWN || i->end_order == END_SEEN_FIRST)
        return false;
    bool is_signal = i->exit_code == EXIT_SIGTERM || (i->exit_code == EXIT_SIGKILL && strcmp(i->reason, "OOMKilled"));
    if (i->finished_ms / 1000 != p->deletion_ms / 1000)
        return i->finished_ms > p->deletion_ms;
    return i->end_order == END_SEEN_AFTER || is_signal;
}

/* The kubelet, and the API server for it, ask first (SIGTERM); it is known that it came where the end is known. */
int64_t instance_signalled_ms(const struct pod *p, const struct instance *i) {
    const struct pod_trouble *t = pod_trouble(p);
    if (i->finished_ms == TIME_UNKNOWN)
        return TIME_UNKNOWN;
    if (strcmp(t->disruption_reason, "TerminationByKubelet") == 0 && t->disruption_ms <= i->finished_ms)
        return t->disruption_ms;
    return instance_was_signalled(p, i) ? p->deletion_ms : TIME_UNKNOWN;
}
