#include "ledger/settle.h"

#include "ledger/evaluate.h"
#include "ledger/evidence.h"
#include "ledger/holds.h"
#include "ledger/rollback.h"
#include "ledger/sigterm.h"
#include "ledger/step_list.h"
#include "ledger/step_times.h"
#include "ledger/sweep.h"
#include "ledger/sweep_listed.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define TAIL_STEPS 256    /* rollbacks to any of these are exact */
#define RETRY_STEPS 1024  /* so much further a moment is looked for, where there was none */
#define MAX_STEPS 4096    /* no more than these wait for TAIL_MS */
#define MAX_AWAITING 8192 /* at most these wait for a log that is read later, so that memory stays bounded */
#define TAIL_MS 600000    /* facts from objects may be this late */

/* ---- processes in time order ---- */

static int compare_processes(const void *a, const void *b) {
    const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;
    return process_compare(x, process_order_ms(y), y->name, y->id);
}

void ledger_sort_processes(struct ledger *l) {
    if (l->is_live_sorted || l->live_count == 0)
        return;
    qsort(l->live, l->live_count, sizeof *l->live, compare_processes);
    for (size_t i = 1; ledger_settled(l) != NULL && i < l->live_count; i++)
        if (l->live[i] ==
            l->processes[ledger_settled(l)->process]) { /* a late process is placed after the settled one */
            struct process *first = l->live[i];
            memmove(l->live + 1, l->live, i * sizeof *l->live);
            l->live[0] = first;
        }
    l->is_live_sorted = true;
}

/* ---- the horizon ---- */

struct horizon {
    int64_t known_ms; /* settling uses the facts up to this time */
    size_t process;   /* only what came before this event of this live process may be settled */
    size_t event;
    int64_t tail_ms;
};

static const struct step_list *main_list(const struct ledger *l, const struct process *p) {
    if (ledger_settled(l) != NULL && p == l->processes[ledger_settled(l)->process])
        return ledger_settled(l)->reports_starts ? &p->starts : &p->ends;
    return p->starts.count > 2 * p->ends.count ? &p->starts : &p->ends;
}

/* The process and event that `number` events precede. */
static bool find_event(const struct ledger *l, size_t number, size_t *process, size_t *event) {
    for (size_t i = 0; i < l->live_count; i++) {
        const struct step_list *list = main_list(l, l->live[i]);
        if (number < list->count) {
            *process = i;
            *event = number;
            return true;
        }
        number -= list->count;
    }
    return false;
}

static int64_t event_ms(const struct ledger *l, size_t process, size_t event) {
    return main_list(l, l->live[process])->items[event].at_ms;
}

/* The first time at which enough is known: tail_steps and TAIL_MS after the end of a batch. Where steps are so short
 * that more are in TAIL_MS, the batch grows with the tail, so that a step is looked at twice, however many there are. A
 * tail shorter than TAIL_STEPS means that room is short: then TAIL_MS does not apply. */
static bool find_horizon(const struct ledger *l, size_t batch, size_t tail_steps, int64_t through_ms,
                         struct horizon *h) {
    size_t process, event;
    const bool is_short = tail_steps < TAIL_STEPS;
    for (size_t tail = tail_steps; find_event(l, batch + tail, &process, &event); batch *= 2, tail *= 2) {
        h->known_ms = event_ms(l, process, event);
        if (h->known_ms > through_ms || !find_event(l, batch, &h->process, &h->event))
            return false;
        h->tail_ms = is_short || batch + tail >= MAX_STEPS ? 0 : TAIL_MS;
        if (h->known_ms - event_ms(l, h->process, h->event) >= h->tail_ms)
            return true;
    }
    return false;
}

/* ---- a moment at which settling is possible ---- */

struct moment {
    const struct view *view;
    const struct run *run;
    size_t event; /* of the view's list, at the moment */
    int64_t at_ms;
};

struct pass { /* everything that an evaluation computes */
    const struct slot_timeline *slots;
    const struct hold_timeline *holds;
    struct training training;
    struct interruptions interruptions;
};

static bool is_undisturbed(const struct pass *p, int64_t at_ms) {
    const struct interruptions *list = &p->interruptions;
    size_t slot = slot_timeline_at(p->slots, at_ms);
    if (p->slots->items[slot].from_ms == at_ms)
        return false;
    for (size_t i = list->count; i > 0; i--) {
        const struct interruption *x = &list->items[i - 1];
        if (x->at_ms > at_ms)
            continue;
        bool is_over = x->at_ms < at_ms && x->until_ms <= at_ms;
        return is_over &&
               (x->running_ms <= at_ms || p->slots->items[slot].required == 0 || i - 1 < list->settled_count);
    }
    return true;
}

static const struct run *run_of(const struct training *t, const struct view *v, size_t event) {
    for (size_t i = v->run_first + v->run_count; i > v->run_first; i--)
        if (t->runs[i - 1].first <= event)
            return event < t->runs[i - 1].end ? &t->runs[i - 1] : NULL;
    return NULL;
}

/* The time, and the number of the first live processes, up to which no more records can come. */
static int64_t awaited_from(const struct ledger *l, size_t *ret_processes) {
    int64_t from_ms = TIME_OPEN;
    size_t process, event;
    *ret_processes = l->live_count;
    if (find_event(l, MAX_AWAITING, &process, &event))
        return from_ms;
    for (size_t i = l->live_count; i > 0; i--) {
        const struct process *p = l->live[i - 1];
        int64_t read_ms = p->last_ms != TIME_UNKNOWN ? p->last_ms : process_order_ms(p);
        if (!p->given.is_awaited || read_ms == TIME_UNKNOWN)
            continue;
        from_ms = min_of(from_ms, read_ms);
        *ret_processes = i;
    }
    return from_ms;
}

/* The latest moment within a run, no later than the horizon, at which there is nothing but steps. */
static bool find_moment(const struct pass *p, const struct ledger *l, const struct horizon *h, struct moment *ret) {
    const struct training *t = &p->training;
    size_t processes;
    const int64_t awaited_ms = awaited_from(l, &processes);
    for (size_t i = h->process + 1; i > 0; i--) {
        if (i > processes)
            continue;
        const struct view *v = NULL;
        for (size_t k = 0; k < t->view_count && v == NULL; k++)
            if (t->views[k].process == l->live[i - 1])
                v = &t->views[k];
        size_t event = i - 1 == h->process ? h->event : SIZE_MAX;
        if (v == NULL || v->completed == 0)
            continue;
        for (event = event < v->completed ? event + 1 : v->completed; event > 0; event--) {
            const struct step_event *e = &v->list->items[event - 1];
            const struct run *run = run_of(t, v, event - 1);
            if (e->at_ms <= t->from_ms || e->at_ms <= v->begin_ms)
                break;
            if (e->at_ms > awaited_ms || run == NULL || event - 1 <= run->first || event >= run->end ||
                e[1].at_ms == e->at_ms || e->at_ms >= v->end_ms || e->at_ms > h->known_ms - h->tail_ms ||
                !is_undisturbed(p, e->at_ms))
                continue;
            *ret = (struct moment){v, run, event - 1, e->at_ms};
            return true;
        }
    }
    return false;
}

/* ---- what stays of it ---- */

static void tally(struct ledger_older *older, const struct listed *x, struct ledger_blame blame) {
    enum cause cause = x->item.cause != NULL ? x->cause.cause : CAUSE_UNKNOWN;
    const char *reason = cause == CAUSE_KUEUE_EVICTION ? x->cause.reason : "";
    int i = 0;
    while (i < older->cause_count && (older->causes[i].cause != cause || strcmp(older->causes[i].reason, reason) != 0))
        i++;
    if (i == LEDGER_OLDER_CAUSES)
        i--;
    if (i == older->cause_count) {
        older->cause_count++;
        older->causes[i].cause = cause;
        memcpy(older->causes[i].reason, reason, strlen(reason) + 1);
    }
    older->causes[i].count++;
    older->causes[i].chip_ms += x->recovery.chip_ms;
    struct ledger_owned *owned = &older->owners[blame.owner];
    owned->count++;
    owned->ms += x->recovery.cost_ms;
    owned->chip_ms += x->recovery.chip_ms;
    owned->class_chip_ms[blame.class_] += x->recovery.chip_ms;
    older->count++;
    if (cause_is_excluded(cause))
        return;
    older->counted++;
    older->recovered++;
    older->recover_ms += x->recovery.tre_ms + x->recovery.trm_ms;
}

static void keep_listed(struct settled *to, const struct sweep *s) {
    size_t count = (size_t)(s->at.interruption + 1);
    size_t drop = count > SETTLED_LISTED ? count - SETTLED_LISTED : 0;
    struct listed *all = mem_alloc((count + 1) * sizeof *all);
    for (size_t i = 0; i < count; i++) {
        all[i].item = s->interruptions->items[i];
        all[i].recovery = s->recoveries[i];
        if (i < s->interruptions->settled_count)
            all[i].saved_on_sigterm = to->listed[i].saved_on_sigterm;
        if (all[i].item.cause != NULL)
            all[i].cause = *all[i].item.cause;
    }
    for (size_t v = 0; v < s->training->view_count; v++) {
        enum ledger_saved saved;
        ptrdiff_t i = sigterm_find_saved(s, &s->training->views[v], &saved);
        if (i >= 0 && i < (ptrdiff_t)count)
            all[i].saved_on_sigterm = sigterm_join_saved(all[i].saved_on_sigterm, saved);
    }
    for (size_t i = 0; i < drop; i++) {
        tally(&to->older, &all[i], ledger_blame_of(s->ledger, (int)to->older.count + 1, all[i].item.cause));
        to->older.productive_ms += s->executions[i].productive_ms;
    }
    settled_list(to, count - drop);
    for (size_t i = 0; i <= to->listed_count; i++) {
        if (i < to->listed_count)
            to->listed[i] = all[drop + i];
        to->executions[i] = s->executions[drop + i];
        evidence_write_puller(to->executions[i].puller, s, &s->executions[drop + i]);
        to->productive_before_ms[i] = s->productive_before_ms[drop + i];
    }
    free(all);
}

static void keep_sums(struct settled *to, const struct sweep *s) {
    to->sums = s->sums;
    for (int i = 0; i < ACCOUNT_COUNT; i++) {
        const struct account *a = &s->sums.accounts[i];
        char text[LEDGER_TEXT_SIZE];
        memset(to->sums.accounts[i].window_ms, 0, sizeof a->window_ms);
        if (!a->is_settled && a->largest_ms > 0) {
            evidence_write(text, s, i < BUCKET_COUNT ? (enum bucket)i : BUCKET_CUSTOM, a);
            free(to->evidence[i]);
            to->evidence[i] = text[0] != '\0' ? mem_strdup(text) : NULL;
        }
        to->sums.accounts[i].largest = (struct origin){0};
        to->sums.accounts[i].is_settled = a->largest_ms > 0;
    }
    to->sums.span.origin.view = NULL;
    to->sums.span.origin.hold = NULL;
    to->sums.down.view = NULL;
}

static void keep_durations(struct settled *to, const struct view *v, size_t max) {
    CLEANUP_FREE int32_t *all = mem_resize(NULL, v->event_count + 1, sizeof *all);
    size_t n = training_durations(v, TIME_OPEN, max, all);
    for (size_t i = 0; i < n; i++)
        durations_add(&to->durations, all[i]);
}

static void keep_training(struct settled *to, const struct sweep *s, const struct moment *at) {
    const struct training *t = s->training;
    to->reports_starts = at->view->reports_starts;
    to->reason = at->run->reason;
    to->run_begin_ms = at->run->begin_ms;
    to->run_first_step = at->run->first_step;
    to->run_resumed_step = at->run->resumed_step;
    to->run_last_step = at->view->list->items[at->view->reports_starts ? at->event - 1 : at->event].step;
    to->any_final = training_any_final(t);
    to->reported = t->reported;
    for (const struct view *v = t->views; v < at->view; v++) {
        keep_durations(to, v, SIZE_MAX);
        to->last_record_ms = max_of(to->last_record_ms, v->process->last_ms);
        for (size_t j = 0; j < ARRAY_SIZE(v->list->deltas); j++)
            training_add_delta(to->deltas, v->list->deltas[j].delta, v->list->deltas[j].count);
        to->clipped_ms += v->clipped_ms;
        to->overlapped += v->overlapped;
        to->headless_ms += training_headless_ms(v);
    }
    to->headless_ms += training_headless_ms(at->view);
    keep_durations(to, at->view, at->event + !at->view->reports_starts);
    to->view_count += at->view - t->views;
}

static void keep_phases(struct settled *to, const struct sweep *s) {
    if (to->phases == NULL)
        return;
    to->phases->names = s->training->phases;
    memcpy(to->phases->ms, s->phase_ms, sizeof to->phases->ms);
    settled_phases_thin(to->phases, PHASE_MARKS);
}

static void keep_snapshots(struct settled *to, struct sweep *s, const struct ledger_options *options) {
    snapshots_move(&to->snapshots, &s->settling.snapshots);
    snapshots_prune(&to->snapshots, options, to->through_ms);
}

/* Frees the processes before the one that continues, which becomes the first. */
static void forget_before(struct ledger *l, struct process *process) {
    size_t kept = 1, n = 0; /* processes without a known time are before all others */
    while (l->live[n] != process)
        n++;
    for (size_t i = n; i > 0; i--) {
        struct process *p = l->live[i - 1];
        if (process_order_ms(p) == TIME_UNKNOWN) {
            l->live[n + 1 - kept++] = p;
            continue;
        }
        l->processes[p->ordinal] = NULL;
        process_free(p);
    }
    size_t removed = n + 1 - kept;
    l->live[removed] = process;
    memmove(l->live, l->live + removed, (l->live_count - removed) * sizeof *l->live);
    l->live_count -= removed;
    ledger_settled(l)->process = process->ordinal;
}

/* ---- one batch ---- */

static int compare_steps(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The steps whose ends need a snapshot: checkpoints, and where unsettled runs resume. */
static int64_t *snapshot_steps(const struct training *t, int64_t at_ms, size_t *ret_count) {
    size_t n = 0, capacity = 0;
    int64_t *steps = NULL;
    for (size_t i = 0; i < t->view_count; i++) {
        const struct process *p = t->views[i].process;
        for (size_t k = 0; k < p->durables.count && p->durables.items[k].at_ms <= t->known_ms; k++) {
            MEM_GROW(steps, n, capacity);
            steps[n++] = p->durables.items[k].step;
        }
    }
    for (size_t i = 0; i < t->run_count; i++)
        if (t->runs[i].begin_ms >= at_ms) {
            MEM_GROW(steps, n, capacity);
            steps[n++] = t->runs[i].resumed_step - 1;
        }
    if (n > 1)
        qsort(steps, n, sizeof *steps, compare_steps);
    *ret_count = n;
    return steps;
}

static void hand_over(const struct sweep *s) {
    size_t count = s->interruptions->count, kept = (size_t)(s->at.interruption + 1);
    CLEANUP_FREE struct ledger_interruption *all = mem_alloc((count + 1) * sizeof *all);
    for (size_t i = 0; i < count; i++)
        sweep_fill_interruption(&all[i], s, i);
    struct ledger_settled_part part = {.from_ms = s->training->from_ms,
                                       .to_ms = s->settling.until_ms,
                                       .entries = s->entries,
                                       .interruptions = all,
                                       .interruption_count = (int)count,
                                       .dropped_count = kept > SETTLED_LISTED ? (int)(kept - SETTLED_LISTED) : 0};
    memcpy(s->entries->custom_names, s->training->reported.custom_names, sizeof s->entries->custom_names);
    s->ledger->sink.settled(s->ledger->sink.context, &part);
}

static void settle_at(struct ledger *l, struct pass *p, const struct moment *at) {
    struct training *t = &p->training;
    struct strike *strikes = mem_resize(NULL, p->interruptions.count + 1, sizeof *strikes);
    for (size_t i = 0; i < p->interruptions.count; i++)
        strikes[i].at_ms = p->interruptions.items[i].at_ms;
    struct durable_at durable = {.at_ms = at->at_ms, .steps = {RECORD_NONE, RECORD_NONE}};
    training_settle(t, strikes, p->interruptions.count, false, OUTCOME_RUNNING, &durable);
    free(strikes);
    struct settled *old = ledger_settled(l), *to = old != NULL ? settled_copy_sums(old) : mem_new(struct settled);
    if (old != NULL) {
        snapshots_move(&to->snapshots, &old->snapshots);
        to->durations = old->durations;
        old->durations = (struct durations){0};
        for (size_t i = 0; i < t->settled_loss_count; i++)
            settled_lose(to, &t->settled_losses[i]);
    } else {
        to->last_record_ms = TIME_UNKNOWN;
    }
    struct sweep s = {.ledger = l,
                      .slots = p->slots,
                      .holds = p->holds,
                      .training = t,
                      .interruptions = &p->interruptions,
                      .settled = old != NULL ? to : NULL,
                      .start_ms = l->start_ms,
                      .through_ms = t->known_ms,
                      .settling.until_ms = at->at_ms};
    if (to->phases == NULL && t->phases.count > 0)
        to->phases = mem_new(struct settled_phases);
    s.settling.phases = to->phases;
    s.settling.checkpoints = snapshot_steps(t, at->at_ms, &s.settling.checkpoint_count);
    struct ledger_entries entries = {.keeps_changes = true};
    if (l->sink.settled != NULL)
        s.entries = &entries;
    sweep_run(&s);
    if (s.entries != NULL)
        hand_over(&s);
    ledger_entries_done(&entries);
    struct loss_finder losses = interruptions_losses_at(p->slots, t, at->at_ms);
    losses.is_restarting = false;
    keep_sums(to, &s);
    keep_phases(to, &s);
    keep_listed(to, &s);
    keep_training(to, &s, at);
    to->through_ms = at->at_ms;
    to->losses = losses;
    memcpy(to->durable_steps, durable.steps, sizeof to->durable_steps);
    keep_snapshots(to, &s, &l->options);
    free((void *)s.settling.checkpoints);
    sweep_done(&s);
    settled_free(old);
    l->settled = to;
}

/* Settles one batch; false if there is none, or no possible moment in it. */
static bool settle_batch(struct ledger *l, const struct horizon *h) {
    struct pass p;
    struct moment at;
    p.slots = slot_timeline_get(l);
    p.holds = hold_timeline_get(l);
    training_init(&p.training, l, h->known_ms, h->known_ms);
    training_count_visits(&p.training, l);
    interruptions_init(&p.interruptions, l, p.slots, &p.training, h->known_ms, h->known_ms, false);
    bool is_found = find_moment(&p, l, h, &at);
    if (is_found) {
        struct process *process = (struct process *)at.view->process;
        struct step_list *main = at.view->reports_starts ? &process->starts : &process->ends;
        struct step_list *other = at.view->reports_starts ? &process->ends : &process->starts;
        size_t event = at.event;
        settle_at(l, &p, &at);
        forget_before(l, process);
        size_t passed = step_list_until(other, at.at_ms), of_other = passed > 0 ? passed - 1 : 0;
        phases_drop(process, main, event);
        phases_drop(process, other, of_other);
        step_list_drop(main, event);
        step_list_drop(other, of_other);
        process_settle(process, at.at_ms);
    }
    interruptions_done(&p.interruptions);
    training_done(&p.training);
    return is_found;
}

void ledger_settle(struct ledger *l, int64_t through_ms) {
    ledger_settle_to(l, through_ms, TAIL_STEPS);
}

static void settle_batches(struct ledger *l, int64_t through_ms, size_t tail_steps, size_t batch) {
    struct horizon h;
    size_t min_steps = batch;
    while (find_horizon(l, min_steps, tail_steps, min_of(through_ms, l->end_ms - 1), &h))
        if (settle_batch(l, &h))
            min_steps = batch;
        else
            min_steps +=
                tail_steps < TAIL_STEPS ? tail_steps : RETRY_STEPS; /* no possible moment: a later one may exist */
}

static bool may_settle(struct ledger *l) {
    ledger_sort_processes(l);
    return !l->options.keep_all && l->start_ms != TIME_UNKNOWN && l->end_ms != TIME_UNKNOWN;
}

void ledger_settle_full_batches(struct ledger *l, int64_t through_ms) {
    if (may_settle(l))
        settle_batches(l, through_ms, TAIL_STEPS, STEPS_SETTLED_AT_ONCE);
}

void ledger_settle_to(struct ledger *l, int64_t through_ms, size_t tail_steps) {
    if (!may_settle(l))
        return;
    for (size_t batch = STEPS_SETTLED_AT_ONCE; batch >= STEPS_SETTLED_LAST; batch /= 4)
        settle_batches(l, through_ms, tail_steps, tail_steps < batch ? tail_steps : batch);
}
