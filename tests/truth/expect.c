/* Where the time of a job belongs, for each format. The rules are those of deploy/docs/concepts/ledger.md: time before
 * the first line of a process is TrainingPreparation; time between lines that no line explains is Unattributed, and so
 * is such time within a step, if it makes the step's line come late enough to be noticed (ledger/cursor.c). A save, an
 * evaluation or an input wait that is shorter stays in its step, and `slow_ms` is its sum. */
#include "judge.h"
#include "write.h"

#include <math.h>

#define BIT(kind) (1u << (kind))

struct carried {
    unsigned kinds;     /* of the spans that have lines */
    unsigned begins;    /* of them, those whose start has a line: logged also if they never ended */
    bool from_ready;    /* a line marks when training can begin: all until the first step ends is compilation */
    bool only_restored; /* ... but only after a restore */
};

#define START (BIT(KIND_INIT) | BIT(KIND_PREPARE))
#define RESTORE BIT(KIND_RESTORE)
#define DATA BIT(KIND_DATA)
#define EVALUATE BIT(KIND_EVALUATE)
#define SAVE BIT(KIND_SAVE)
#define WAIT BIT(KIND_WAIT)

static const struct carried table[STEPLOG_FORMAT_COUNT] = {
    [STEPLOG_RECORDER] = {START | RESTORE | DATA | EVALUATE | SAVE, START | DATA | EVALUATE, true, false},
    [STEPLOG_MAXTEXT] = {RESTORE | SAVE | WAIT | EVALUATE, RESTORE | SAVE, true, true},
    [STEPLOG_MEGATRON] = {START | RESTORE | SAVE | EVALUATE, START | RESTORE | SAVE, true, false},
    [STEPLOG_NEMO] = {RESTORE | SAVE | EVALUATE, EVALUATE, true, false},
    [STEPLOG_TORCHTITAN] = {RESTORE | SAVE | EVALUATE, RESTORE | SAVE, true, false},
    [STEPLOG_DEEPSPEED] = {RESTORE | SAVE, RESTORE, true, true},
    [STEPLOG_HUGGINGFACE] = {EVALUATE, 0, true, false},
    [STEPLOG_KERAS] = {SAVE, 0, true, false},
    [STEPLOG_LIGHTNING] = {RESTORE | EVALUATE, RESTORE | EVALUATE, true, false},
    [STEPLOG_REGEX] = {RESTORE | SAVE | WAIT, SAVE, true, false},
};

/* An evaluation of which only batches have lines begins with the first of them; the end of one is ignored where no step
 * was logged before it. */
static bool is_evaluation_logged(const struct expectation *e, const struct span *s) {
    int64_t first = e->readings[s->attempt].first_step;
    switch (e->job->format) {
    case STEPLOG_NEMO:
        return !s->is_open || s->to_ms - s->from_ms > e->job->evaluate_ms / WRITE_VALIDATION_LINES;
    case STEPLOG_MAXTEXT: /* lines come up to two steps late, and two of them show how long a step takes */
        return first >= 0 && s->step >= first + 3;
    case STEPLOG_MEGATRON:
    case STEPLOG_TORCHTITAN:
        return first >= 0 && s->step >= first;
    default:
        return true;
    }
}

static bool is_carried(const struct expectation *e, const struct span *s) {
    const struct carried *c = &table[e->job->format];
    bool is_behind = e->job->format == STEPLOG_MAXTEXT && e->job->is_async && s->kind == KIND_SAVE;
    /* Only its start has a line, and no line comes without one to show how late it was. */
    bool is_in_all = e->job->format == STEPLOG_DEEPSPEED && e->job->save_every <= e->job->log_every;
    if (s->kind == KIND_SAVE && is_in_all)
        return false;
    if (s->is_open && (is_behind || !(c->begins & BIT(s->kind))))
        return false;
    return (c->kinds & BIT(s->kind)) && (s->kind != KIND_EVALUATE || is_evaluation_logged(e, s));
}

static enum bucket own_bucket(const struct job *job, enum kind kind) {
    switch (kind) {
    case KIND_INIT:
        return BUCKET_ACCELERATOR_INIT;
    case KIND_PREPARE:
        return BUCKET_TRAINING_PREPARATION;
    case KIND_RESTORE:
        return BUCKET_CHECKPOINT_RESTORE;
    case KIND_DATA:
        return BUCKET_DATA_LOADING;
    case KIND_EVALUATE:
        return job->format == STEPLOG_RECORDER ? BUCKET_CUSTOM : BUCKET_EVALUATION;
    default:
        return BUCKET_CHECKPOINT_SAVE;
    }
}

/* ---- what a job that did not succeed had saved, as far as its log proves it ---- */

enum proof { PROVED_BY_WORD, PROVED_BY_NEXT_SAVE, PROVED_BY_NEXT_STEP, PROVED_BY_NOTHING };

static enum proof proof_of(const struct job *job) {
    switch (job->format) {
    case STEPLOG_RECORDER:
        return job->is_async ? PROVED_BY_NEXT_SAVE : PROVED_BY_WORD;
    case STEPLOG_TORCHTITAN:
        return PROVED_BY_NEXT_SAVE;
    case STEPLOG_DEEPSPEED:
        return PROVED_BY_NEXT_STEP;
    case STEPLOG_HUGGINGFACE:
    case STEPLOG_LIGHTNING:
        return PROVED_BY_NOTHING;
    default:
        return PROVED_BY_WORD;
    }
}

static int64_t proved_step(const struct job *job, const struct attempt *a) {
    enum proof proof = proof_of(job);
    int64_t proved = a->restored_step, saved = -1;
    for (int i = 0; i < a->event_count; i++) {
        const struct event *e = &a->events[i];
        bool is_proof = (proof == PROVED_BY_WORD && e->kind == EVENT_DURABLE) ||
                        (proof == PROVED_BY_NEXT_SAVE && e->kind == EVENT_SAVED) ||
                        (proof == PROVED_BY_NEXT_STEP && e->kind == EVENT_STEP_END && e->step % job->log_every == 0);
        int64_t step = proof == PROVED_BY_WORD ? e->step : saved;
        if (is_proof && step > proved)
            proved = step;
        if (e->kind == EVENT_SAVED)
            saved = e->step;
    }
    return proved;
}

/* ---- spans ---- */

/* Between the container's start and the first step. */
static enum bucket before_steps(const struct expectation *e, const struct span *s) {
    const struct carried *c = &table[e->job->format];
    const struct reading *r = &e->readings[s->attempt];
    const struct attempt *a = &e->job->attempts[s->attempt];
    if (is_carried(e, s))
        return own_bucket(e->job, s->kind);
    if (s->kind == KIND_RESTORE && e->job->format == STEPLOG_RECORDER)
        return BUCKET_TRAINING_PREPARATION; /* within it */
    if (!e->is_read)
        return BUCKET_UNATTRIBUTED;
    if (s->from_ms < r->first_reported_ms && s->kind < KIND_COMPILE)
        return BUCKET_TRAINING_PREPARATION;
    bool is_timed = e->job->format == STEPLOG_MAXTEXT && !e->job->compiles_ahead; /* the first line's seconds */
    bool is_ready = c->from_ready && (!c->only_restored || a->restored_step >= 0 || is_timed);
    if (s->kind >= KIND_COMPILE && r->steps > 0 && !e->has_ideal)
        return BUCKET_PRODUCTIVE; /* nothing to compare the first step with */
    /* A line that gives its step's own time leaves out what came before it. */
    bool is_before =
        s->kind == KIND_DATA && s->step == a->first_step &&
        (e->job->format == STEPLOG_NEMO || e->job->format == STEPLOG_REGEX || (is_timed && a->restored_step < 0));
    if (is_before)
        return s->to_ms <= r->first_reported_ms ? BUCKET_TRAINING_PREPARATION : BUCKET_UNATTRIBUTED;
    if (s->kind >= KIND_COMPILE && r->steps > 0 && is_ready)
        return BUCKET_PROGRAM_STARTUP;
    if (s->kind > KIND_COMPILE && !is_ready)
        return BUCKET_TRAINING_PREPARATION;
    return s->to_ms <= r->first_reported_ms ? BUCKET_TRAINING_PREPARATION : BUCKET_UNATTRIBUTED;
}

/* The line that shows it: that of the step, or of the step that a pause delays, except Keras, whose line of an epoch
 * comes after them. */
static int64_t line_of(const struct job *job, const struct span *s) {
    bool is_pause = (s->kind == KIND_SAVE || s->kind == KIND_EVALUATE) && job->format != STEPLOG_KERAS;
    int64_t every = job->epoch_steps > 0 ? job->epoch_steps : job->log_every, step = s->step + is_pause;
    return job->epoch_steps > 0 ? (step - 1) / every : (step + every - 1) / every;
}

static bool is_of_line(const struct job *job, const struct span *s, const struct span *other) {
    bool is_loop = other->kind >= KIND_STEP && other->kind <= KIND_STALL;
    return is_loop && other->attempt == s->attempt && line_of(job, other) == line_of(job, s);
}

/* How much longer than usual N steps may take by chance: each varies evenly within jitter_percent, so that their
 * sum has a standard deviation of percent x sqrt(steps / 3), of which three are taken; never more than all of them. */
static int64_t resolution_ms(const struct job *job, int64_t steps) {
    double chance = sqrt(3.0 * (double)steps), all = (double)steps;
    return (int64_t)((double)(job->ideal_ms * job->jitter_percent) / 100 * (chance < all ? chance : all));
}

/* Whether the line that comes so late shows that there was something else (ledger/cursor.c): the time without a line
 * makes its steps half as long again. Not where the recorder logs everything. */
struct line_time {
    int64_t net_ms, steps;
    bool is_first;  /* of its attempt, which holds the compilation */
    bool is_logged; /* the line is complete: nothing of it was cut off */
};

/* What the line of this span shows: the time that nothing in the log names, and of how many steps. */
static struct line_time line_time(const struct expectation *e, const struct span *s) {
    const struct job *job = e->job;
    const struct span *first = s, *last = s, *end = job->spans + job->span_count;
    int64_t every = job->epoch_steps > 0 ? job->epoch_steps : job->log_every;
    struct line_time t = {0};
    bool is_cut = false;
    while (first > job->spans && is_of_line(job, s, first - 1))
        first--;
    while (last + 1 < end && is_of_line(job, s, last + 1))
        last++;
    for (const struct span *i = first; i <= last; i++) {
        t.net_ms += is_carried(e, i) ? 0 : i->to_ms - i->from_ms;
        t.steps += i->kind == KIND_STEP && !i->is_cut;
        t.is_first |= i->step <= e->readings[s->attempt].first_step;
        t.is_logged |= i->kind == KIND_STEP && i->step % every == 0;
        is_cut |= i->is_cut;
    }
    t.is_logged &= !is_cut;
    return t;
}

/* The time of a step as the job's lines can show it at best: what all of them hold (an evaluation in every epoch) looks
 * the same in the log as steps that take longer. */
static int64_t min_step_ms(const struct expectation *e) {
    const struct job *job = e->job;
    int64_t min_ms = INT64_MAX;
    for (int i = 0; i < job->span_count; i++) {
        if (job->spans[i].kind != KIND_STEP)
            continue;
        struct line_time t = line_time(e, &job->spans[i]);
        if (t.is_logged && !t.is_first && t.net_ms / t.steps < min_ms)
            min_ms = t.net_ms / t.steps;
    }
    return min_ms == INT64_MAX || min_ms < job->ideal_ms ? job->ideal_ms : min_ms;
}

/* Whether the span is none of a step's work, and no line names it. */
static bool is_hidden(const struct expectation *e, const struct span *s) {
    return s->kind > KIND_STEP && s->kind <= KIND_STALL && !s->is_cut && !is_carried(e, s);
}

int64_t expect_common_ms(const struct expectation *e, const struct span *s) {
    if (e->min_step_ms == e->job->ideal_ms || !is_hidden(e, s))
        return 0;
    struct line_time t = line_time(e, s);
    int64_t left_ms = (e->min_step_ms - e->job->ideal_ms) * t.steps, ms = s->to_ms - s->from_ms;
    for (const struct span *i = s - 1; i >= e->job->spans && is_of_line(e->job, s, i); i--)
        left_ms -= is_hidden(e, i) ? i->to_ms - i->from_ms : 0;
    return !t.is_logged || left_ms <= 0 ? 0 : left_ms < ms ? left_ms : ms;
}

enum bucket expect_work(const struct expectation *e, const struct span *s) {
    bool is_pause = s->kind == KIND_SAVE || s->kind == KIND_EVALUATE;
    bool is_lost = s->is_lost || s->step + is_pause > e->kept_step;
    return is_lost ? BUCKET_WASTED_PROGRESS : BUCKET_PRODUCTIVE;
}

/* The line states a time of its step, or of its steps, that holds the span (write_torch.c, write_jax.c). */
static bool is_stated(const struct job *job, const struct span *s) {
    switch (job->format) {
    case STEPLOG_MEGATRON:
        return s->kind == KIND_SLOW || s->kind == KIND_STALL || s->kind == KIND_DATA;
    case STEPLOG_MAXTEXT: /* the whole loop's */
        return true;
    case STEPLOG_NEMO: /* the last step's */
        return (s->kind == KIND_SLOW || s->kind == KIND_STALL) && job->log_every == 1;
    case STEPLOG_REGEX:
        return s->kind == KIND_SLOW || s->kind == KIND_STALL;
    default:
        return false;
    }
}

static bool is_noticed(const struct expectation *e, const struct span *s) {
    if (is_stated(e->job, s))
        return false;
    struct line_time t = line_time(e, s);
    return e->job->format != STEPLOG_RECORDER && t.net_ms > e->min_step_ms * t.steps + resolution_ms(e->job, t.steps);
}

static enum bucket of_step(const struct expectation *e, const struct span *s) {
    if (s->kind != KIND_STEP && e->has_ideal && is_noticed(e, s))
        return BUCKET_UNATTRIBUTED;
    return expect_work(e, s);
}

static enum bucket of_cut(const struct span *s) {
    bool is_work = s->kind == KIND_STEP || s->kind == KIND_DATA;
    return is_work ? BUCKET_WASTED_PROGRESS : BUCKET_UNATTRIBUTED;
}

/* Where only the start of a save is logged, the delay of the next step's line is the save's. */
static bool follows_derived_save(const struct job *job, const struct span *s) {
    bool is_derived = job->format == STEPLOG_DEEPSPEED || (job->format == STEPLOG_REGEX && job->is_async);
    int64_t line = (s->step + job->log_every - 1) / job->log_every * job->log_every;
    for (int64_t step = line - job->log_every; is_derived && job->has_saves && step < s->step; step++)
        if (step > 0 && (step - job->first_number + 1) % job->save_every == 0)
            return true;
    return false;
}

/* The last steps of a job that succeeded, after its last line. */
static bool is_after_last_line(const struct job *job, const struct span *s) {
    bool is_counted = job->format == STEPLOG_MEGATRON || job->format == STEPLOG_NEMO ||
                      job->format == STEPLOG_TORCHTITAN || job->format == STEPLOG_DEEPSPEED;
    bool is_pause = s->kind == KIND_SAVE || s->kind == KIND_EVALUATE;
    int64_t last = (job->first_number + job->steps - 1) / job->log_every * job->log_every;
    return is_counted && job->has_succeeded && s->attempt + 1 == job->attempt_count && s->step + is_pause > last;
}

static bool is_after_first_line(const struct expectation *e, const struct span *s) {
    bool is_last = e->job->has_succeeded && s->attempt + 1 == e->job->attempt_count;
    return is_last && s->from_ms >= e->readings[s->attempt].first_line_ms;
}

static enum bucket within_loop(const struct expectation *e, const struct span *s) {
    const struct job *job = e->job;
    bool is_pause = s->kind == KIND_SAVE || s->kind == KIND_EVALUATE || s->kind == KIND_WAIT;
    bool is_after = is_pause && s->step == job->first_number + job->steps - 1; /* no step ends after it */
    int64_t next_line = (s->step / job->log_every + 1) * job->log_every;
    bool is_shown = job->format != STEPLOG_DEEPSPEED || (next_line <= job->steps && !s->is_cut); /* by that line */
    if (is_carried(e, s) && is_shown)
        return own_bucket(job, s->kind);
    if (e->readings[s->attempt].steps == 0) /* nothing shows that it trained */
        return e->is_read && s->to_ms <= e->readings[s->attempt].first_reported_ms ? BUCKET_TRAINING_PREPARATION
                                                                                   : BUCKET_UNATTRIBUTED;
    if (s->is_cut)
        return of_cut(s);
    if (is_after_last_line(job, s)) /* whether the job had steps left, no line says */
        return s->kind == KIND_STEP ? BUCKET_UNATTRIBUTED : BUCKET_SHUTDOWN;
    /* A part of the first step's excess; MaxText's first line waits for an evaluation after the second step, too. */
    bool is_waited_for = job->format == STEPLOG_MAXTEXT && s->kind == KIND_EVALUATE;
    if (s->kind != KIND_STEP && s->step <= e->readings[s->attempt].first_step + is_waited_for)
        return before_steps(e, s);
    if (s->kind == KIND_SAVE && job->format == STEPLOG_LIGHTNING && job->evaluate_every == 0)
        /* One line for all epochs: their clocks show how long they took, not when they were, except the one that was
         * drawn when the line began. */
        return is_after_first_line(e, s)                      ? BUCKET_SHUTDOWN
               : job->attempts[s->attempt].restored_step >= 0 ? BUCKET_UNATTRIBUTED
                                                              : BUCKET_TRAINING_PREPARATION;
    if (s->kind == KIND_DATA && follows_derived_save(job, s))
        return BUCKET_CHECKPOINT_SAVE;
    if (s->kind == KIND_STALL) /* silence proves none */
        return is_stated(job, s) || job->format == STEPLOG_RECORDER ? BUCKET_STALL : BUCKET_UNATTRIBUTED;
    bool is_in_last = job->format == STEPLOG_KERAS; /* the epoch's line comes after them */
    if (is_after && job->format == STEPLOG_RECORDER && e->readings[s->attempt].has_job_end)
        return BUCKET_UNATTRIBUTED; /* no line says when the last step ended */
    return is_after && !is_in_last ? BUCKET_SHUTDOWN : of_step(e, s);
}

void expect_init(struct expectation *e, const struct job *job, const struct reading *readings) {
    *e = (struct expectation){.job = job, .readings = readings, .kept_step = INT64_MAX};
    bool has_checkpoints = false;
    int64_t steps = 0;
    for (int i = 0; i < job->attempt_count; i++) {
        has_checkpoints |= readings[i].has_checkpoints;
        e->is_read |= readings[i].first_reported_ms != INT64_MAX;
        steps += readings[i].steps;
    }
    e->has_ideal = steps >= 3;
    e->min_step_ms = min_step_ms(e);
    int last = job->attempt_count - 1; /* that did anything */
    while (last > 0 && job->attempts[last].restored_step < 0 && readings[last].steps == 0)
        last--;
    if (!job->has_succeeded && has_checkpoints)
        e->kept_step = proved_step(job, &job->attempts[last]);
}

enum bucket expect_bucket(const struct expectation *e, const struct span *s) {
    switch (s->kind) {
    case KIND_BINDING:
        return BUCKET_BINDING;
    case KIND_PULL:
        return BUCKET_IMAGE_PULL;
    case KIND_CONTAINER:
        return BUCKET_CONTAINER_START;
    case KIND_RESCHEDULE:
        return BUCKET_RESCHEDULING;
    case KIND_HANG: /* within whatever has a line of its start */
        if (s[-1].is_open && s[-1].kind == KIND_RESTORE && e->job->format == STEPLOG_RECORDER)
            return BUCKET_TRAINING_PREPARATION;
        return s[-1].is_open && is_carried(e, &s[-1]) ? own_bucket(e->job, s[-1].kind) : BUCKET_UNATTRIBUTED;
    case KIND_SHUTDOWN: /* of a process that had nothing left to do, no line shows that it was over */
        return e->readings[s->attempt].steps > 0 || s->attempt == 0 ? BUCKET_SHUTDOWN : BUCKET_UNATTRIBUTED;
    case KIND_STEP:
    case KIND_DATA:
    case KIND_EVALUATE:
    case KIND_SAVE:
    case KIND_SLOW:
    case KIND_STALL:
    case KIND_WAIT:
        return within_loop(e, s);
    default:
        return before_steps(e, s);
    }
}
