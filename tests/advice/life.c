#include "life.h"
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct play {
    const struct life *life;
    struct ledger *ledger;
    struct life_report *report;
    int64_t now_ms, line, last, durable, save_errors; /* last, durable: steps */
    int execution, process, next_event;
    bool has_compiled;
};

static double unit(uint64_t *state) {
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* Lognormal with a sigma of 2 %, and slow by a factor now and then. */
static int64_t step_ms(const struct life *life, int64_t step) {
    uint64_t state = life->seed ^ (uint64_t)step * UINT64_C(0x9e3779b97f4a7c15);
    double normal = sqrt(-2 * log(1 - unit(&state))) * cos(6.283185307179586 * unit(&state));
    double slow = unit(&state) < life->slow_share ? life->slow_factor : 1;
    return (int64_t)((double)life->step_ms * exp(0.02 * normal) * slow);
}

static void record(struct play *p, enum record_kind kind, int64_t step, int64_t duration_ms) {
    if (p->ledger == NULL)
        return;
    struct record r = RECORD_INIT;
    r.kind = kind;
    r.process = p->process;
    r.line = ++p->line;
    r.at_ms = r.received_ms = p->now_ms;
    r.step = step;
    r.duration_ms = duration_ms;
    ledger_add_record(p->ledger, &r);
}

static void wait(struct play *p, enum bucket kind, int64_t for_ms) {
    if (p->ledger != NULL && for_ms > 0) {
        struct ledger_hold hold = {.kind = kind,
                                   .key = (uint64_t)p->now_ms,
                                   .from_ms = p->now_ms,
                                   .to_ms = p->now_ms + for_ms,
                                   .basis = BASIS_OBSERVED};
        ledger_add_hold(p->ledger, &hold);
    }
    p->now_ms += for_ms;
}

/* ---- one execution ---- */

static void begin(struct play *p, struct ledger_occupancy *pod) {
    p->execution++;
    p->line = 0;
    *pod = (struct ledger_occupancy){.id = (uint64_t)p->execution,
                                     .created_ms = p->now_ms,
                                     .bound_ms = p->now_ms,
                                     .pull_start_ms = TIME_UNKNOWN,
                                     .pull_end_ms = TIME_UNKNOWN,
                                     .running_ms = p->now_ms,
                                     .lost_ms = TIME_OPEN,
                                     .ended_ms = TIME_OPEN,
                                     .done_ms = TIME_UNKNOWN,
                                     .known_until_ms = TIME_OPEN,
                                     .chips = 8,
                                     .released_ms = TIME_OPEN};
    if (p->ledger == NULL)
        return;
    ledger_add_occupancy(p->ledger, pod);
    p->process = ledger_add_process(p->ledger, pod->id, NULL, p->now_ms, TIME_OPEN);
    ledger_set_line_lag(p->ledger, p->process, 0);
}

static void end(struct play *p, struct ledger_occupancy *pod) {
    pod->lost_ms = pod->ended_ms = pod->released_ms = p->now_ms;
    if (p->ledger == NULL)
        return;
    ledger_add_occupancy(p->ledger, pod);
    ledger_add_process(p->ledger, pod->id, NULL, pod->running_ms, p->now_ms);
    ledger_set_read_to_end(p->ledger, p->process);
}

static const struct life_event *next_event(const struct play *p) {
    return p->next_event < p->life->event_count ? &p->life->events[p->next_event] : NULL;
}

/* The time left until the next event, where it falls into the span of for_ms from now; otherwise for_ms. */
static int64_t until_event(const struct play *p, int64_t for_ms) {
    const struct life_event *e = next_event(p);
    return e != NULL && e->at_ms != LIFE_BY_STEP && e->at_ms < p->now_ms + for_ms ? e->at_ms - p->now_ms : for_ms;
}

/* Passes the time; false: an event came first. */
static bool pass(struct play *p, int64_t for_ms) {
    int64_t left_ms = until_event(p, for_ms);
    p->now_ms += left_ms;
    return left_ms == for_ms;
}

static bool save(struct play *p, int64_t step) {
    if (step >= p->life->saves_fail_from && step < p->life->saves_fail_until) {
        p->save_errors++;
        return true;
    }
    record(p, RECORD_SAVE_START, step, RECORD_NONE);
    if (!pass(p, p->life->save_ms))
        return false;
    record(p, RECORD_SAVE_BLOCKED, step, p->life->save_ms);
    record(p, RECORD_SAVE_DURABLE, step, RECORD_NONE);
    p->durable = step;
    return true;
}

static bool start(struct play *p) {
    const struct life *life = p->life;
    record(p, RECORD_PREPARATION_START, RECORD_NONE, RECORD_NONE);
    if (!pass(p, life->prepare_ms))
        return false;
    record(p, RECORD_PREPARATION_END, RECORD_NONE, RECORD_NONE);
    if (p->durable < 0)
        return true;
    record(p, RECORD_RESTORE_START, p->durable, RECORD_NONE);
    if (!pass(p, life->restore_ms))
        return false;
    record(p, RECORD_RESTORE_END, p->durable, life->restore_ms);
    return true;
}

static bool train_step(struct play *p, int64_t step, bool is_first) {
    const struct life *life = p->life;
    const struct life_event *e = next_event(p);
    record(p, RECORD_DATA_START, RECORD_NONE, RECORD_NONE);
    if (!pass(p, life->data_ms))
        return false;
    record(p, RECORD_DATA_END, RECORD_NONE, RECORD_NONE);
    int64_t needs_ms = step_ms(life, step);
    if (is_first && !(life->has_cache && p->has_compiled))
        needs_ms += life->compile_ms;
    p->has_compiled = true;
    if (e != NULL && e->at_ms == LIFE_BY_STEP && step >= e->step) {
        p->now_ms += (int64_t)((double)needs_ms * e->part);
        return false;
    }
    if (!pass(p, needs_ms))
        return false;
    record(p, RECORD_STEP_END, step, needs_ms);
    p->last = step;
    return true;
}

/* True: all steps are done. */
static bool execute(struct play *p) {
    const struct life *life = p->life;
    const struct life_event *e = next_event(p);
    if (e != NULL && e->is_at_start && p->execution > 1) {
        p->now_ms += life->meet_ms;
        return false;
    }
    if (!start(p))
        return false;
    int64_t first = p->durable + 1;
    for (int64_t step = first; step < life->steps; step++) {
        if (!train_step(p, step, step == first))
            return false;
        if ((step + 1) % life->every == 0 && step + 1 < life->steps && !save(p, step))
            return false;
    }
    return true;
}

/* ---- between two ---- */

static enum cause cause_of(const struct life_event *e) {
    return e->kind == LIFE_NODE_LOST   ? CAUSE_NODE_FAILURE
           : e->kind == LIFE_PREEMPTED ? CAUSE_KUEUE_PREEMPTION
                                       : CAUSE_APPLICATION_ERROR;
}

static void interrupt(struct play *p, struct ledger_occupancy *pod) {
    const struct life_event *e = next_event(p);
    if (e->kind == LIFE_PREEMPTED && p->life->saves_on_notice && p->last > p->durable) {
        record(p, RECORD_SAVE_ON_SIGTERM, p->last, RECORD_NONE);
        p->now_ms += p->life->save_ms;
        record(p, RECORD_SAVE_DURABLE, p->last, RECORD_NONE);
        p->durable = p->last;
    }
    if (e->kind == LIFE_HUNG)
        p->now_ms += p->life->quiet_ms;
    end(p, pod);
    if (p->report != NULL) {
        p->report->classes[p->report->interruptions] = e->kind == LIFE_DIED ? e->class_ : CLASS_UNKNOWN;
        p->report->save_errors[p->report->interruptions++] = p->save_errors;
    }
    if (p->ledger != NULL) {
        struct ledger_disruption d = {
            .cause = cause_of(e), .key = (uint64_t)p->now_ms, .at_ms = p->now_ms, .opens = true};
        if (e->kind == LIFE_NODE_LOST)
            snprintf(d.node, sizeof d.node, "node-%d", e->node);
        ledger_add_disruption(p->ledger, &d);
    }
    p->save_errors = 0;
    if (e->kind == LIFE_PREEMPTED)
        wait(p, BUCKET_PREEMPTED_WAIT, p->life->requeue_ms);
    p->now_ms += p->life->away_ms;
}

/* What strikes while nothing runs strikes nothing. */
static void skip_past(struct play *p) {
    const struct life_event *e;
    while ((e = next_event(p)) != NULL && e->at_ms != LIFE_BY_STEP && e->at_ms <= p->now_ms)
        p->next_event++;
}

int64_t life_play(const struct life *life, struct ledger *ledger, struct life_report *report) {
    struct play p = {.life = life, .ledger = ledger, .report = report, .last = -1, .durable = -1};
    wait(&p, BUCKET_QUEUE_WAIT, life->queue_ms);
    for (;;) {
        struct ledger_occupancy pod;
        skip_past(&p);
        begin(&p, &pod);
        bool is_complete = execute(&p);
        if (is_complete) {
            end(&p, &pod);
            break;
        }
        interrupt(&p, &pod);
        p.next_event++;
    }
    if (ledger != NULL)
        ledger_set_span(ledger, 0, p.now_ms, OUTCOME_SUCCEEDED);
    return p.now_ms;
}
