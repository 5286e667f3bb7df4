#include "cli/analyze/attempts.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "base/rfc3339.h"
#include "cli/analyze/input.h"
#include "ledger/evaluate.h"

#include <stdlib.h>

enum { EVALUATE_EVERY = 1 << 15, SETTLE_EVERY = 1 << 11, SETTLE_ATTEMPTS = 16 };

#define MAX_MS INT64_C(4102444800000) /* the year 2100 */
#define YEAR_MS INT64_C(31622400000)

void attempts_report(struct analyze_ledger *l, size_t number, int64_t lost_ms) {
    const struct attempt *t = &l->attempts[number];
    struct ledger_occupancy occupancy = {.id = number + 1,
                                         .created_ms = t->first_ms,
                                         .bound_ms = t->first_ms,
                                         .pull_start_ms = TIME_UNKNOWN,
                                         .pull_end_ms = TIME_UNKNOWN,
                                         .running_ms = t->first_ms,
                                         .lost_ms = lost_ms,
                                         .ended_ms = lost_ms,
                                         .done_ms = TIME_UNKNOWN,
                                         .released_ms = lost_ms,
                                         .known_until_ms = lost_ms};
    slice_copy(occupancy.name, sizeof occupancy.name, slice_of(t->path));
    ledger_add_occupancy(l->ledger, &occupancy);
    ledger_add_process(l->ledger, number + 1, t->path, t->first_ms, lost_ms);
}

/* Records, between two times at which the ledger settles: so few that their steps stay in the processor's cache. To
 * settle looks at each attempt, which stays little for each record. */
static int64_t settle_every(const struct analyze_ledger *l) {
    return max_of(SETTLE_EVERY, SETTLE_ATTEMPTS * (int64_t)l->count);
}

/* How many more records are read before that; at least 1. */
static int64_t until_settling(const struct analyze_ledger *l) {
    int64_t more = min_of(EVALUATE_EVERY - l->unevaluated, settle_every(l) - l->unsettled);
    return l->keeps_all ? INT64_MAX : max_of(more, 1);
}

/* An evaluation settles what can no longer change, so that memory stays bounded however long the log is. */
static void settle(struct analyze_ledger *l, int64_t records) {
    const struct attempt *first = l->attempts, *last = &l->attempts[l->count - 1];
    bool is_last = (l->unevaluated += records) >= EVALUATE_EVERY;
    if (l->keeps_all || (!is_last && (l->unsettled += records) < settle_every(l)))
        return;
    l->unsettled = 0;
    attempts_report(l, l->count - 1, TIME_OPEN);
    ledger_set_required(l->ledger, first->first_ms, 1);
    ledger_set_span(l->ledger, first->first_ms, TIME_OPEN, OUTCOME_RUNNING);
    if (!is_last) {
        ledger_settle_early(l->ledger, last->last_ms);
        return;
    }
    struct ledger_result result;
    l->unevaluated = 0;
    ledger_evaluate(l->ledger, last->last_ms, &result);
    ledger_result_done(&result);
}

static struct attempt *begin_attempt(struct analyze_ledger *l) {
    if (l->count > 0)
        attempts_report(l, l->count - 1, l->attempts[l->count - 1].last_ms);
    MEM_GROW(l->attempts, l->count, l->capacity);
    struct attempt *t = &l->attempts[l->count++];
    *t = (struct attempt){
        .path = l->name, .first_ms = TIME_UNKNOWN, .last_ms = TIME_UNKNOWN, .trainer = {.last_ms = TIME_UNKNOWN}};
    t->process = ledger_add_process(l->ledger, l->count, l->name, TIME_UNKNOWN, TIME_OPEN);
    l->has_attempt = true;
    return t;
}

/* False for impossible times: before 1970, after 2100. A jump of more than a year may be true: it is read, with a
 * note. */
static bool is_possible(struct analyze_ledger *l, const struct record *r) {
    char at[RFC3339_SIZE];
    if (r->at_ms < 0 || r->at_ms >= MAX_MS) {
        l->all_impossible++;
        if (l->impossible++ == 0 && !l->analyze->is_trial)
            analyze_note(l->path, "line %lld is left out: its time is %s", (long long)r->line,
                         r->at_ms < 0 ? "before 1970" : "after 2100");
        return false;
    }
    if (l->before_ms != TIME_UNKNOWN && llabs(r->at_ms - l->before_ms) > YEAR_MS && l->jumps++ == 0 &&
        !l->analyze->is_trial) {
        rfc3339_format(at, r->at_ms * 1000000, 0);
        analyze_note(l->path, "line %lld has the time %s, more than a year from the line before; check its clock",
                     (long long)r->line, at);
    }
    l->forward += l->before_ms != TIME_UNKNOWN && r->at_ms > l->before_ms;
    l->backward += l->before_ms != TIME_UNKNOWN && r->at_ms < l->before_ms;
    l->before_ms = r->at_ms;
    return true;
}

/* An attempt whose first step lines are a burst began before them: by as much as they state, but not before the attempt
 * before it ended. */
static void begin_before_burst(struct analyze_ledger *l, struct attempt *t, const struct record *r) {
    if (r->kind != RECORD_STEP_END || r->duration_ms <= 0 || r->at_ms - t->write_ms >= RECORD_SAME_WRITE_MS)
        return;
    t->stated_ms += r->duration_ms;
    if (r->same_write > 0)
        t->first_ms = max_of(t->write_ms - t->stated_ms, t > l->attempts ? t[-1].last_ms : 0);
}

/* A process that ended before its first step: another one starts hours later. */
static bool follows_silence(const struct attempt *t, const struct record *r) {
    return r->kind == RECORD_JOB_START && t->last_ms != TIME_UNKNOWN && r->at_ms - t->last_ms > HEADS_SILENCE_MS;
}

/* Takes a record into the ledger. */
static void take_record(struct analyze_ledger *l, const struct record *r) {
    struct record mine = *r;
    bool is_step = r->kind == RECORD_STEP_START || r->kind == RECORD_STEP_END;
    struct attempt *t = l->has_attempt ? &l->attempts[l->count - 1] : begin_attempt(l);
    if (trainer_run_restarts(&t->trainer, r) || follows_silence(t, r)) /* a log may cover several runs */
        t = begin_attempt(l);
    mine.process = t->process;
    if (t->first_ms == TIME_UNKNOWN || r->at_ms < t->first_ms)
        t->first_ms = t->write_ms = r->at_ms;
    begin_before_burst(l, t, r);
    if (t->last_ms == TIME_UNKNOWN || r->at_ms > t->last_ms)
        t->last_ms = r->at_ms;
    t->has_ended = r->kind == RECORD_JOB_END;
    if (is_step) {
        int lag = t->trainer.has_steps ? -1 : steplog_format_line_lag(steplog_counts_get(l->parser).recognized);
        if (lag >= 0)
            ledger_set_line_lag(l->ledger, t->process, lag);
        t->last_step_line = r->line;
    }
    trainer_run_note(&t->trainer, r);
    ledger_add_record(l->ledger, &mine);
    if (l->analyze->html != NULL || l->analyze->trace_points > 0)
        trace_add(&l->trace, &mine);
    settle(l, 1);
}

void attempts_on_record(void *context, const struct record *r) {
    struct analyze_ledger *l = context;
    bool is_step = r->kind == RECORD_STEP_START || r->kind == RECORD_STEP_END;
    if (r->at_ms == TIME_UNKNOWN)
        return;
    l->unread.steps_with_time += is_step;
    if (r->at_ms > l->until_ms || !is_possible(l, r))
        return;
    l->unread.steps_taken += is_step;
    take_record(l, r);
}

/* How many of the first of these steps are ordinary: up to --at, of the attempt that has steps already, with a time
 * that is possible and no earlier than the one before. */
static size_t count_ordinary(const struct analyze_ledger *l, const struct step_start *steps, size_t count) {
    int64_t before_ms = l->before_ms, until_ms = min_of(l->until_ms, MAX_MS - 1);
    size_t n = 0;
    const struct attempt *t = l->has_attempt ? &l->attempts[l->count - 1] : NULL;
    if (t == NULL || !t->trainer.has_steps || before_ms == TIME_UNKNOWN || before_ms < t->first_ms ||
        l->analyze->html != NULL || l->analyze->trace_points > 0)
        return 0;
    count = (size_t)min_of((int64_t)count, until_settling(l));
    for (; n < count && steps[n].at_ms >= before_ms && steps[n].at_ms - before_ms <= YEAR_MS &&
           steps[n].at_ms <= until_ms;
         n++)
        before_ms = steps[n].at_ms;
    return n;
}

/* What attempts_on_record() does with each of them. */
static void take_ordinary(struct analyze_ledger *l, const struct step_start *steps, size_t count) {
    struct attempt *t = &l->attempts[l->count - 1];
    const struct step_start *last = &steps[count - 1];
    l->unread.steps_with_time += (int64_t)count;
    l->unread.steps_taken += (int64_t)count;
    for (size_t i = 0; i < count; i++) {
        l->forward += steps[i].at_ms > l->before_ms;
        l->before_ms = steps[i].at_ms;
    }
    t->last_ms = max_of(t->last_ms, last->at_ms);
    t->trainer.last_ms = max_of(t->trainer.last_ms, last->at_ms);
    t->has_ended = false;
    t->last_step_line = last->line;
    ledger_add_starts(l->ledger, t->process, steps, count);
    settle(l, (int64_t)count);
}

void attempts_on_steps(void *context, const struct step_starts *steps) {
    struct analyze_ledger *l = context;
    for (size_t n, i = 0; i < steps->count; i += n) {
        n = count_ordinary(l, &steps->items[i], steps->count - i);
        if (n > 0) {
            take_ordinary(l, &steps->items[i], n);
            continue;
        }
        struct record r = RECORD_INIT;
        r.kind = RECORD_STEP_START;
        r.line = steps->items[i].line;
        r.at_ms = steps->items[i].at_ms;
        r.step = steps->items[i].step;
        attempts_on_record(l, &r);
        n = 1;
    }
}
