/* rollback: which steps were lost. Runs are visited in time order with a stack of those whose steps still count: a run
 * that resumes at step s takes every step from s on away from the runs before it. Each loss is pushed once and a run
 * that lost everything leaves the stack, so the cost is linear in the number of runs. */
#include "ledger/rollback.h"
#include "ledger/step_times.h"
#include "ledger/training.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

struct settler {
    struct training *t;
    struct run **kept; /* the stack */
    size_t kept_count;
    size_t durable;           /* index of the next mark of the present view */
    int64_t durable_steps[2]; /* [0] if any save counts, [1] if only final ones do */
    bool has_settled;         /* settled steps of the present series lie below the stack ... */
    int64_t settled_last;     /* ... up to this one */
};

static void push_loss(struct run *run, struct loss loss) {
    MEM_GROW(run->losses, run->loss_count, run->loss_capacity);
    run->losses[run->loss_count++] = loss;
}

/* The last step of a run up to `last` that is not lost. */
static int64_t kept_through(const struct run *run, int64_t last) {
    return run->loss_count > 0 ? min_of(last, run->losses[run->loss_count - 1].from_step - 1) : last;
}

static int64_t kept_last(const struct run *run) {
    return kept_through(run, run->last_step);
}

static void lose_settled(struct settler *s, struct loss loss) {
    struct training *t = s->t;
    if (!s->has_settled || s->settled_last < loss.from_step)
        return;
    MEM_GROW(t->settled_losses, t->settled_loss_count, t->settled_loss_capacity);
    t->settled_losses[t->settled_loss_count++] = (struct settled_loss){.loss = loss};
    s->settled_last = loss.from_step - 1;
    s->has_settled = s->settled_last > t->settled->sums.series.step;
}

static void lose(struct settler *s, struct loss loss) {
    const int64_t step = loss.from_step;
    while (s->kept_count > 0) {
        struct run *run = s->kept[s->kept_count - 1];
        if (kept_through(run, run->last_step + run->missing_steps) < step)
            return;
        push_loss(run, loss);
        if (run->first_step < step) {
            if (run->is_continued)
                lose_settled(s, loss);
            return;
        }
        s->kept_count--;
    }
    lose_settled(s, loss);
}

const struct loss *training_loss(const struct run *run, int64_t step) {
    size_t first = BISECT(i, run->loss_count, run->losses[i].from_step > step);
    return first < run->loss_count ? &run->losses[first] : NULL; /* the first loss in time that took the step */
}

/* Finds what became durable in a run, from its process's marks after the run before it and up to a time. */
static void find_durable(struct settler *s, const struct run *run, int64_t until_ms) {
    const struct view *v = &s->t->views[run->view];
    if ((size_t)(run - s->t->runs) == v->run_first)
        s->durable = 0;
    for (; s->durable < v->process->durables.count; s->durable++) {
        const struct durable_mark *d = &v->process->durables.items[s->durable];
        if (d->at_ms >= until_ms || d->at_ms > s->t->known_ms)
            break;
        bool is_of_run = d->step >= run->resumed_step - 1 && d->step <= run->last_step + s->t->interval + 1;
        for (int i = 0; i <= (d->is_final ? 1 : 0) && is_of_run; i++)
            if (s->durable_steps[i] == RECORD_NONE || d->step > s->durable_steps[i])
                s->durable_steps[i] = d->step;
    }
}

static void set_durable(struct settler *s, int64_t step) {
    s->durable_steps[0] = s->durable_steps[1] = step;
}

bool training_any_final(const struct training *t) {
    bool any = t->settled != NULL && t->settled->any_final;
    for (size_t i = 0; i < t->view_count; i++)
        for (size_t j = 0; j < t->views[i].process->durables.count && !any; j++) {
            const struct durable_mark *d = &t->views[i].process->durables.items[j];
            if (d->at_ms > t->known_ms)
                break;
            any = d->is_final;
        }
    return any;
}

/* The first interruption after the last step of a run: it ended the process, whatever ended later executions that
 * never trained. count: none. Times in objects are whole seconds. */
static size_t first_strike_after(const struct run *run, const struct strike *strikes, size_t count) {
    return BISECT(i, count, strikes[i].at_ms <= run->begin_ms || strikes[i].at_ms + 1000 <= run->end_ms);
}

/* The interruption that lost what `before` did and `run` did not resume after: without one after its last step the last
 * one earlier; -1: none came between the begins of the two. */
static int strike_between(const struct strike *strikes, size_t count, const struct run *before, const struct run *run) {
    size_t last = BISECT(i, count, strikes[i].at_ms <= run->begin_ms);
    size_t first = first_strike_after(before, strikes, count);
    if (first < last)
        return (int)first;
    return last > 0 && strikes[last - 1].at_ms > before->begin_ms ? (int)(last - 1) : -1;
}

/* What a run that resumed takes away. */
static struct loss loss_by(const struct training *t, const struct run *run, int interruption) {
    return (struct loss){.from_step = run->resumed_step,
                         .interruption = interruption,
                         .is_doubtful = run->is_resumed_within,
                         .through_step = run->first_step,
                         .redone_ms = run->is_resumed_within ? training_first_line_ms(t, run) : 0};
}

static void visit_run(struct settler *s, struct run *run, const struct run *before, const struct strike *strikes,
                      size_t count) {
    if (run->reason == RUN_NEW_SERIES) {
        s->kept_count = 0;
        s->has_settled = false;
        set_durable(s, RECORD_NONE);
        s->t->series_first_run = (size_t)(run - s->t->runs);
    } else if (before != NULL) {
        int strike = strike_between(strikes, count, before, run);
        if (s->kept_count > 0) {
            struct run *top = s->kept[s->kept_count - 1];
            if (run->reason == RUN_OF_PROCESS && run->resumed_step > kept_last(top) + 1 &&
                kept_last(top) == top->last_step)
                top->missing_steps = run->resumed_step - top->last_step - 1;
        }
        lose(s, loss_by(s->t, run, strike));
        bool has_before = s->kept_count > 0 || s->has_settled;
        set_durable(s, run->resumed_step > 0 && has_before ? run->resumed_step - 1 : RECORD_NONE);
    }
    bool is_reported = s->t->views[run->view].list->runs[0].resume_step != RECORD_NONE;
    for (int i = 0; i < 2; i++)
        if (s->durable_steps[i] == RECORD_NONE && is_reported && run->resumed_step > 0 && run->reason != RUN_NEW_SERIES)
            s->durable_steps[i] = run->resumed_step - 1;
    s->kept[s->kept_count++] = run;
}

/* The strike that cut off the last run if no run followed yet; -1: none. */
static int open_strike(const struct run *last, const struct strike *strikes, size_t count) {
    size_t first = first_strike_after(last, strikes, count);
    return first < count ? (int)first : -1;
}

/* The checkpoint that a later process restored is durable, and no other one is, whatever that process did next. Its
 * first started step or the end of the restore gives the step. True if a process restored a step that no line
 * reports. */
static bool find_restored(struct training *t) {
    const struct run *last = &t->runs[t->run_count - 1];
    for (size_t i = t->view_count; i-- > last->view + 1;) {
        const struct view *v = &t->views[i];
        const struct process *p = v->process;
        bool is_over = p->open[OPEN_RESTORE].from_ms == TIME_UNKNOWN && p->ready_ms != TIME_UNKNOWN &&
                       p->ready_ms <= t->known_ms && p->first_checkpoint_ms != TIME_UNKNOWN;
        int64_t step = v->event_count > 0 ? v->list->items[0].step : p->resume_step;
        if (v->event_count == 0 && !is_over)
            continue;
        if (step != RECORD_NONE && step > 0 && step - 1 <= last->last_step + t->interval + 1) /* else another series */
            t->durable_step = step - 1;
        return step == RECORD_NONE;
    }
    return false;
}

static void begin(struct settler *s) {
    const struct settled *settled = s->t->settled;
    set_durable(s, RECORD_NONE);
    if (settled == NULL)
        return;
    memcpy(s->durable_steps, settled->durable_steps, sizeof s->durable_steps);
    s->has_settled = settled->sums.progress.step > settled->sums.series.step;
    s->settled_last = settled->sums.progress.step;
}

bool training_settle(struct training *t, const struct strike *strikes, size_t count, bool at_end,
                     enum ledger_outcome outcome, struct durable_at *to_settle) {
    if (t->run_count == 0)
        return false;
    struct settler s = {.t = t, .kept = mem_resize(NULL, t->run_count, sizeof *s.kept)};
    begin(&s);
    for (size_t i = 0; i < t->run_count; i++) {
        struct run *run = &t->runs[i];
        if (to_settle->at_ms != TIME_UNKNOWN && run->begin_ms >= to_settle->at_ms)
            break; /* its losses are taken when the run itself is settled */
        if (run->is_continued)
            s.kept[s.kept_count++] = run;
        else
            visit_run(&s, run, i > 0 ? &t->runs[i - 1] : NULL, strikes, count);
        bool has_next = i + 1 < t->run_count && t->runs[i + 1].view == run->view;
        int64_t until_ms = has_next ? t->runs[i + 1].begin_ms : TIME_OPEN;
        if (to_settle->at_ms > run->begin_ms && to_settle->at_ms < max_of(run->end_ms, until_ms)) {
            find_durable(&s, run, min_of(until_ms, to_settle->at_ms));
            memcpy(to_settle->steps, s.durable_steps, sizeof s.durable_steps);
        }
        find_durable(&s, run, until_ms);
    }
    t->durable_step = s.durable_steps[training_any_final(t)];
    bool is_unreported =
        find_restored(t) && t->durable_step <= 0; /* 0: the start of the first process; no step is less */
    const struct run *last = &t->runs[t->run_count - 1];
    int strike = open_strike(last, strikes, count);
    bool at_risk = at_end ? outcome == OUTCOME_FAILED || outcome == OUTCOME_DELETED : strike >= 0;
    bool is_unproved = at_risk && (!t->reported.has_checkpoints || is_unreported);
    if (at_risk && !is_unproved && to_settle->at_ms == TIME_UNKNOWN)
        lose(&s, (struct loss){.from_step = t->durable_step == RECORD_NONE ? 0 : t->durable_step + 1,
                               .interruption = strike,
                               .is_assumed = !at_end});
    free(s.kept);
    return is_unproved;
}
