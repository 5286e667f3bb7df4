#include "operator/facts/node_evidence.h"

#include "base/mem.h"
#include "operator/facts/pod_end.h"

#include <string.h>

/* Ranks fail one after the other: those within that time of the first are the ones that failed. */
#define FAILED_TOGETHER_MS 60000
/* A signal that names an earlier time than the one at which it was published: no longer ago than this. */
#define NAMED_MS 3600000

/* Kueue, the scheduler or a person took the machines: no node is to blame. */
static bool may_be_of_a_node(enum cause cause) {
    return cause != CAUSE_KUEUE_PREEMPTION && cause != CAUSE_KUEUE_EVICTION && cause != CAUSE_USER_SUSPEND &&
           cause != CAUSE_SCHEDULER_PREEMPTION;
}

static bool is_near(int64_t a_ms, int64_t b_ms, int64_t by_ms) {
    return a_ms != TIME_UNKNOWN && a_ms != TIME_OPEN && a_ms >= b_ms - by_ms && a_ms <= b_ms + by_ms;
}

/* A process of it failed by itself then. */
static bool has_failed(const struct pod *p, int64_t at_ms) {
    for (int i = 0; i < p->container_count; i++)
        for (int k = 0; k < p->containers[i].count; k++) {
            const struct instance *run = &p->containers[i].instances[k];
            if (run->exit_code > 0 && is_near(run->finished_ms, at_ms, FAILED_TOGETHER_MS) &&
                !instance_was_signaled(p, run))
                return true;
        }
    return false;
}

static bool is_of_execution(const struct pod *p, int64_t at_ms) {
    return p->bound_ms != TIME_UNKNOWN && p->bound_ms <= at_ms + STORE_SECOND_MS &&
           fact_pod_over_ms(p) >= at_ms - FAILED_TOGETHER_MS;
}

enum part { NOT_THERE, THERE, FAILED };

static enum part part_of(const struct model_job *job, const struct node *n, const struct ledger_interruption *i) {
    char name[LEDGER_NAME_SIZE];
    enum part part = NOT_THERE;
    slice_copy(name, sizeof name, slice_of(n->name));
    for (const struct pod *p = n->pods; p != NULL && part != FAILED; p = p->next_on_node)
        if (p->target == job->target && is_of_execution(p, i->at_ms))
            part = has_failed(p, i->at_ms) || strcmp(name, i->node) == 0 ? FAILED : THERE;
    return part;
}

/* When it happened, as far as the signal says. */
static int64_t time_of(const struct node_signal *s, int64_t loss_ms) {
    int64_t at_ms = s->from_ms;
    if (s->kind == NODE_SIGNAL_EVENT && at_ms < loss_ms - EVIDENCE_BEFORE_MS)
        at_ms = s->to_ms; /* one that comes again and again */
    if (s->named_ms != TIME_UNKNOWN &&
        (at_ms == TIME_UNKNOWN || (s->named_ms < at_ms && s->named_ms >= at_ms - NAMED_MS)))
        at_ms = s->named_ms;
    return at_ms;
}

static bool judge(const struct node_signal *s, int64_t loss_ms, enum part part, struct node_evidence *e) {
    e->at_ms = time_of(s, loss_ms);
    bool matters = part == FAILED || s->is_primary;
    if (e->at_ms == TIME_UNKNOWN || e->at_ms < loss_ms - EVIDENCE_BEFORE_MS) {
        e->role = EVIDENCE_EVIDENCE;
        return s->is_primary && s->to_ms > loss_ms;
    }
    if (e->at_ms <= loss_ms) {
        e->role = part == FAILED && s->is_primary ? EVIDENCE_CAUSE : EVIDENCE_EVIDENCE;
        return matters;
    }
    e->role = EVIDENCE_CONSEQUENCE;
    return part == FAILED && e->at_ms <= loss_ms + EVIDENCE_AFTER_MS; /* on another node it is another story */
}

/* ---- the list of an interruption ---- */

static int compare(const struct node_evidence *a, const struct node_evidence *b) {
    int by_node = strcmp(a->node, b->node);
    return a->role != b->role               ? (int)a->role - (int)b->role
           : a->is_primary != b->is_primary ? (int)b->is_primary - (int)a->is_primary
           : a->at_ms != b->at_ms           ? (a->at_ms < b->at_ms ? -1 : 1)
           : by_node != 0                   ? by_node
                                            : strcmp(a->signal, b->signal);
}

struct found {
    int count;
    struct node_evidence items[JOB_MAX_NODE_EVIDENCE];
};

static bool is_same(const struct node_evidence *a, const struct node_evidence *b) {
    return a->signal == b->signal && strcmp(a->node, b->node) == 0;
}

/* Each signal of a node once: the stronger one. What is beyond the bound is the weakest. */
static void insert(struct found *to, const struct node_evidence *e) {
    for (int i = 0; i < to->count; i++) {
        if (!is_same(&to->items[i], e))
            continue;
        if (compare(&to->items[i], e) <= 0)
            return;
        memmove(&to->items[i], &to->items[i + 1], (size_t)(--to->count - i) * sizeof *to->items);
    }
    int at = to->count;
    while (at > 0 && compare(e, &to->items[at - 1]) < 0)
        at--;
    if (at == JOB_MAX_NODE_EVIDENCE)
        return;
    if (to->count == JOB_MAX_NODE_EVIDENCE)
        to->count--;
    memmove(&to->items[at + 1], &to->items[at], (size_t)(to->count - at) * sizeof *to->items);
    to->items[at] = *e;
    to->count++;
}

static void look_at_node(const struct model_job *job, const struct node *n, const struct ledger_interruption *i,
                         struct found *to) {
    enum part part = part_of(job, n, i);
    for (int k = 0; k < node_past(n)->signal_count && part != NOT_THERE; k++) {
        const struct node_signal *s = &n->past->signals[k];
        struct node_evidence e = {
            .node = n->name, .signal = s->name, .class_ = s->class_, .owner = s->owner, .is_primary = s->is_primary};
        if (!judge(s, i->at_ms, part, &e))
            continue;
        slice_copy(e.message, sizeof e.message, slice_of(s->message));
        insert(to, &e);
    }
}

/* What was found earlier stays, as nodes forget, and a controller that takes over knows only the present. */
static void look(const struct model_job *job, const struct ledger_interruption *i,
                 struct interruption_evidence *entry) {
    struct found found = {.count = 0};
    for (size_t k = 0; k < job->store->signal_node_count; k++)
        look_at_node(job, job->store->signal_nodes[k], i, &found);
    for (int k = 0; k < entry->count; k++) {
        bool is_again = false;
        for (int m = 0; m < found.count && !is_again; m++)
            is_again = is_same(&found.items[m], &entry->items[k]);
        if (!is_again)
            insert(&found, &entry->items[k]);
    }
    evidence_set(entry, found.items, found.count);
    entry->at_ms = i->at_ms;
}

static struct interruption_evidence *entry_of(struct job_evidence *e, int number, int64_t at_ms) {
    for (int i = 0; i < e->count; i++)
        if (e->items[i].number == number)
            return &e->items[i];
    return evidence_add(e, number, at_ms);
}

void job_update_node_evidence(struct model_job *job, const struct ledger_result *result) {
    struct job_evidence *e = &job->evidence;
    int first = result->interruption_count > JOB_MAX_EVIDENCED ? result->interruption_count - JOB_MAX_EVIDENCED : 0;
    if (job->store->signal_node_count == 0 && e->count == 0)
        return;
    for (int k = first; k < result->interruption_count; k++) {
        const struct ledger_interruption *i = &result->interruptions[k];
        struct interruption_evidence *entry = entry_of(e, i->number, i->at_ms);
        if (entry->at_ms != i->at_ms && !is_near(entry->at_ms, i->at_ms, FAILED_TOGETHER_MS))
            evidence_set(entry, NULL, 0), entry->through_ms = TIME_UNKNOWN; /* another one has its number */
        bool is_done = entry->through_ms > i->at_ms + EVIDENCE_AFTER_MS + FAILED_TOGETHER_MS;
        if (!may_be_of_a_node(i->cause))
            evidence_set(entry, NULL, 0);
        else if (!is_done)
            look(job, i, entry);
        entry->through_ms = result->observed_through_ms;
    }
}
