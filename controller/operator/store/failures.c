#include "operator/store/failures.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "rootcause/log.h"

#include <stdlib.h>
#include <string.h>

void failure_drop_words(struct failure *f) {
    rootcause_log_free(f->log);
    f->log = NULL;
}

static void failure_free(struct failure *f) {
    failure_drop_words(f);
    free(f->pod);
    free(f->pod_uid);
    free(f->message);
    free(f);
}

static void incident_done(struct incident *i) {
    for (int k = 0; k < i->count; k++)
        failure_free(i->failures[k]);
    free(i->decided);
}

void store_forget_failures(struct target *t) {
    for (int i = 0; i < t->incident_count; i++)
        incident_done(&t->incidents[i]);
    free(t->incidents);
    t->incidents = NULL;
    t->incident_count = 0;
}

/* ---- which incident ---- */

static bool is_of_slot(const struct failure *a, const struct failure *b) {
    return a->job_index == b->job_index && a->completion_index == b->completion_index &&
           (a->completion_index >= 0 || a->pod_id == b->pod_id) && strcmp(a->replicated_job, b->replicated_job) == 0 &&
           strcmp(a->container, b->container) == 0;
}

static bool is_instance(const struct failure *a, const struct failure *b) {
    return a->restart_count == b->restart_count && a->pod_id == b->pod_id && strcmp(a->container, b->container) == 0;
}

/* They ran at the same time: a container that started after a failure is of a later execution. Stamps are whole
 * seconds. */
static bool is_of_incident(const struct incident *i, const struct failure *f) {
    if (f->finished_ms > i->first_ms + INCIDENT_MS || f->finished_ms < i->first_ms - INCIDENT_MS ||
        f->started_ms / STORE_SECOND_MS > i->first_ms / STORE_SECOND_MS ||
        i->started_ms / STORE_SECOND_MS > f->finished_ms / STORE_SECOND_MS)
        return false;
    for (int k = 0; k < i->count; k++)
        if (is_of_slot(i->failures[k], f))
            return false;
    return true;
}

static struct failure *find(const struct target *t, const struct failure *f) {
    for (int i = 0; i < t->incident_count; i++)
        for (int k = 0; k < t->incidents[i].count; k++)
            if (is_instance(t->incidents[i].failures[k], f))
                return t->incidents[i].failures[k];
    return NULL;
}

/* The oldest makes room. NULL: it is older than all that are kept. */
static struct incident *add_incident(struct target *t, int64_t first_ms) {
    if (t->incidents == NULL)
        t->incidents = mem_alloc(STORE_MAX_INCIDENTS * sizeof *t->incidents);
    if (t->incident_count == STORE_MAX_INCIDENTS) {
        if (first_ms < t->incidents[0].first_ms)
            return NULL;
        incident_done(&t->incidents[0]);
        memmove(&t->incidents[0], &t->incidents[1], (size_t)--t->incident_count * sizeof *t->incidents);
    }
    int at = t->incident_count++;
    for (; at > 0 && t->incidents[at - 1].first_ms > first_ms; at--)
        t->incidents[at] = t->incidents[at - 1];
    t->incidents[at] = (struct incident){.first_ms = first_ms, .started_ms = TIME_UNKNOWN, .noted_ms = first_ms};
    return &t->incidents[at];
}

static int compare(const struct failure *a, const struct failure *b) {
    int by_job = strcmp(a->replicated_job, b->replicated_job);
    return a->finished_ms != b->finished_ms             ? (a->finished_ms < b->finished_ms ? -1 : 1)
           : by_job != 0                                ? by_job
           : a->job_index != b->job_index               ? (a->job_index < b->job_index ? -1 : 1)
           : a->completion_index != b->completion_index ? (a->completion_index < b->completion_index ? -1 : 1)
                                                        : strcmp(a->container, b->container);
}

/* Keeps the first ones; a place that was asked for stays taken, so that a job asks for no more than it may. False: f
 * has no place. */
static bool insert(struct incident *i, struct failure *f) {
    if (i->count == INCIDENT_FAILURES) {
        int last = i->count - 1;
        while (last >= 0 && i->failures[last]->words != WORDS_UNASKED)
            last--;
        if (last < 0 || compare(f, i->failures[last]) >= 0)
            return false;
        failure_free(i->failures[last]);
        memmove(&i->failures[last], &i->failures[last + 1], (size_t)(--i->count - last) * sizeof f);
    }
    int at = i->count++;
    for (; at > 0 && compare(f, i->failures[at - 1]) < 0; at--)
        i->failures[at] = i->failures[at - 1];
    i->failures[at] = f;
    i->first_ms = min_of(i->first_ms, f->finished_ms);
    i->started_ms = max_of(i->started_ms, f->started_ms);
    return true;
}

static void place(struct target *t, struct failure *f, int64_t noted_ms) {
    struct incident *i = NULL;
    for (int k = t->incident_count - 1; k >= 0 && i == NULL; k--)
        if (is_of_incident(&t->incidents[k], f))
            i = &t->incidents[k];
    if (i == NULL)
        i = add_incident(t, f->finished_ms);
    if (i != NULL && i->decided == NULL && insert(i, f))
        i->noted_ms = max_of(i->noted_ms, noted_ms);
    else
        failure_free(f);
}

void store_adopt_failures(struct target *from, struct target *to) {
    if (to->incidents == NULL) {
        to->incidents = from->incidents;
        to->incident_count = from->incident_count;
        from->incidents = NULL;
        from->incident_count = 0;
        return;
    }
    for (int i = 0; i < from->incident_count; i++) {
        struct incident *moved = &from->incidents[i];
        for (int k = 0; k < moved->count; k++)
            place(to, moved->failures[k], moved->noted_ms);
        moved->count = 0;
    }
    store_forget_failures(from);
}

/* ---- what failed ---- */

static char *decoded(struct slice raw) {
    char text[FAILURE_MESSAGE_BYTES];
    return raw.size_bytes > 0 && jscan_unescape(raw, text, sizeof text) ? mem_strdup(text) : NULL;
}

static void note(struct pod *p, const struct failure *seen, struct slice message) {
    struct target *t = p->target;
    struct failure *known = find(t, seen);
    if (known != NULL) {
        if (known->message == NULL) /* a checkpoint has only what it shows */
            known->message = decoded(message);
        return;
    }
    struct failure *f = mem_new(struct failure);
    *f = *seen;
    f->pod = mem_strdup(p->name);
    f->pod_uid = mem_strdup(pod_uid(p));
    f->message = decoded(message);
    place(t, f, p->seen_ms);
}

static int training_container(const struct pod *p, struct slice name) {
    for (int i = 0; i < p->container_count; i++)
        if (slice_is(name, p->containers[i].name))
            return pod_is_training_container(p, i) ? i : -1;
    return -1;
}

static void note_instance(struct pod *p, int container, const struct instance *run, struct slice message) {
    if (run == NULL || run->exit_code <= 0 || run->finished_ms == TIME_UNKNOWN || instance_was_signaled(p, run))
        return;
    struct failure f = {.pod_id = p->id,
                        .container = p->containers[container].name,
                        .replicated_job = p->replicated_job,
                        .node = p->node ? p->node->name : "",
                        .reason = run->reason,
                        .job_index = p->job_index,
                        .completion_index = p->completion_index >= 0 ? p->completion_index : p->slot_index,
                        .started_ms = run->started_ms != TIME_UNKNOWN ? run->started_ms : p->created_ms,
                        .finished_ms = run->finished_ms,
                        .restart_count = run->restart_count,
                        .exit_code = run->exit_code};
    note(p, &f, message);
}

void store_note_failure(struct pod *p, const struct object_container_status *s) {
    int at = training_container(p, s->name);
    if (at < 0)
        return;
    struct container *c = &p->containers[at];
    bool is_last = s->exit_code < 0; /* else the present state shows the newest end */
    int restart_count = (int)s->restart_count - (is_last && s->is_running);
    note_instance(p, at, container_instance(c, restart_count), is_last ? s->last_message : s->message);
}
