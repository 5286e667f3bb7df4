#include "operator/runtime/cadence.h"

#include "base/mem.h"

#include <assert.h>

enum { SECOND_US = 1000000, ENDING_US = SECOND_US };

static const int bursts[CADENCE_QUEUES] = {[CADENCE_DUE] = 1, [CADENCE_AT_ONCE] = CADENCE_URGENT_BURST};

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t sooner(int64_t a, int64_t b) {
    return a < b ? a : b;
}

void cadence_init(struct cadence *c, const struct cadence_options *options) {
    *c = (struct cadence){.options = *options};
    assert(options->writes_per_second >= 1);
    for (enum cadence_queue queue = 0; queue < CADENCE_QUEUES; queue++)
        c->full_us[queue] = INT64_MIN / 2;
}

void cadence_done(struct cadence *c) {
    timers_done(&c->behind);
    timers_done(&c->marked);
    timers_done(&c->calm);
    for (int i = 0; i < CADENCE_QUEUES; i++)
        timers_done(&c->turns[i]);
    *c = (struct cadence){0};
}

void cadence_add(struct cadence_job *job, struct cadence_share *share) {
    job->due_us = CADENCE_NEVER;
    job->share = share;
}

/* ---- turns ---- */

static struct cadence_share *share_of(struct cadence *c, const struct cadence_job *job) {
    return job->share != NULL ? job->share : &c->unshared;
}

static enum cadence_queue queue_of(enum cadence_line line) {
    return line == CADENCE_LINE_URGENT ? CADENCE_AT_ONCE : CADENCE_DUE;
}

static enum cadence_line line_of(const struct cadence_job *job) {
    return job->want == CADENCE_URGENT ? CADENCE_LINE_URGENT
           : job->has_moved            ? CADENCE_LINE_MOVED
                                       : CADENCE_LINE_OTHERS;
}

static bool has_too_many_in_flight(const struct cadence *c, const struct cadence_share *share) {
    return share->in_flight > 0 && share->in_flight >= CADENCE_IN_FLIGHT - c->in_flight;
}

/* The job of a namespace that is written next; NULL: none waits. */
static struct cadence_job *next_of(const struct cadence_share *share, enum cadence_queue queue) {
    if (queue == CADENCE_AT_ONCE)
        return share->lines[CADENCE_LINE_URGENT].first;
    struct cadence_job *moved = share->lines[CADENCE_LINE_MOVED].first,
                       *other = share->lines[CADENCE_LINE_OTHERS].first;
    bool is_moved_first =
        other == NULL || (moved != NULL && moved->due_turn_us - CADENCE_AHEAD_US < other->due_turn_us);
    return is_moved_first ? moved : other;
}

/* Its namespace gets a turn if it has none and something to write. */
static void join_turns(struct cadence *c, struct cadence_share *share, enum cadence_queue queue) {
    if (share->turn[queue].place != 0 || next_of(share, queue) == NULL)
        return;
    share->next_turn[queue] = later(c->served_turn[queue], share->next_turn[queue]);
    timers_set(&c->turns[queue], &share->turn[queue], share->next_turn[queue]);
}

static void join_line(struct cadence *c, struct cadence_job *job) {
    struct cadence_share *share = share_of(c, job);
    job->line = line_of(job);
    struct cadence_line_ends *line = &share->lines[job->line];
    job->next_in_line = NULL;
    job->in_line = line->first != NULL ? line->end : &line->first;
    *job->in_line = job;
    line->end = &job->next_in_line;
    join_turns(c, share, queue_of(job->line));
}

static void leave_line(struct cadence *c, struct cadence_job *job) {
    struct cadence_share *share = share_of(c, job);
    enum cadence_queue queue = queue_of(job->line);
    *job->in_line = job->next_in_line;
    if (job->next_in_line != NULL)
        job->next_in_line->in_line = job->in_line;
    else
        share->lines[job->line].end = job->in_line;
    job->in_line = NULL;
    if (next_of(share, queue) == NULL)
        timers_stop(&c->turns[queue], &share->turn[queue]);
}

static void leave(struct cadence *c, struct cadence_job *job) {
    if (job->in_line != NULL)
        leave_line(c, job);
    timers_stop(&c->calm, &job->calm);
}

/* When the job may be written (or its totals looked at), but for the fleet's limit: its place among the others. */
static void set_turn(struct cadence *c, struct cadence_job *job) {
    bool is_waiting = !job->is_in_flight && job->due_us != CADENCE_NEVER;
    int64_t from_us = later(job->due_us, job->held_until_us);
    bool is_in_line = job->in_line != NULL && job->line == line_of(job);
    if (is_waiting && is_in_line && from_us <= job->due_turn_us)
        return; /* keeps its place */
    leave(c, job);
    if (is_waiting)
        timers_set(&c->calm, &job->calm, from_us);
}

static struct cadence_job *job_of_calm(struct timer *calm) {
    return (struct cadence_job *)((char *)calm - offsetof(struct cadence_job, calm));
}

/* What is due by now waits for the turn of its namespace. */
static void take_turns(struct cadence *c, int64_t now_us) {
    struct timer *first;
    while ((first = timers_first(&c->calm)) != NULL && first->deadline_us <= now_us) {
        struct cadence_job *job = job_of_calm(first);
        timers_stop(&c->calm, first);
        job->due_turn_us = now_us;
        join_line(c, job);
    }
}

/* An answer came: its namespace, which may have had too many in flight, takes turns again. */
static void landed(struct cadence *c, struct cadence_job *job) {
    struct cadence_share *share = share_of(c, job);
    job->is_in_flight = false;
    c->in_flight--;
    share->in_flight--;
    for (enum cadence_queue queue = 0; queue < CADENCE_QUEUES; queue++)
        join_turns(c, share, queue);
}

void cadence_remove(struct cadence *c, struct cadence_job *job) {
    timers_stop(&c->behind, &job->behind);
    timers_stop(&c->marked, &job->mark);
    if (job->is_in_flight)
        landed(c, job);
    job->due_us = CADENCE_NEVER;
    set_turn(c, job);
}

static int64_t evaluate_us(const struct cadence *c, const struct cadence_job *job) {
    if (!job->was_evaluated)
        return INT64_MIN;
    int64_t calm_us = later(c->options.coalesce_us, sooner(20 * job->cost_us, CADENCE_MAX_US));
    return job->evaluated_us + (job->is_settling ? c->options.settle_us : calm_us);
}

static void mark(struct cadence *c, struct cadence_job *job, bool is_settling) {
    c->adds += job->mark.place == 0;
    job->is_settling = is_settling;
    timers_stop(&c->behind, &job->behind);
    timers_set(&c->marked, &job->mark, evaluate_us(c, job));
}

void cadence_mark(struct cadence *c, struct cadence_job *job) {
    if (job->mark.place == 0 || job->is_settling)
        mark(c, job, false);
}

void cadence_known(struct cadence *c, int64_t known_ms) {
    struct timer *first;
    while ((first = timers_first(&c->behind)) != NULL && first->deadline_us <= known_ms)
        mark(c, (struct cadence_job *)((char *)first - offsetof(struct cadence_job, behind)), true);
}

bool cadence_is_behind(const struct cadence *c) {
    return timers_first(&c->behind) != NULL;
}

void cadence_observed(struct cadence *c, struct cadence_job *job, bool has_status, uint64_t hash, int64_t now_us) {
    job->has_server_status = has_status;
    job->server_hash = hash;
    if (job->held_until_us > now_us) {
        job->held_until_us = now_us;
        set_turn(c, job);
    }
}

static int64_t spacing_us(const struct cadence *c) {
    return SECOND_US / c->options.writes_per_second;
}

/* When the first of a queue may be written, by the fleet's limit. */
static int64_t turn_us(const struct cadence *c, enum cadence_queue queue) {
    if (timers_first(&c->turns[queue]) == NULL || c->in_flight >= CADENCE_IN_FLIGHT)
        return CADENCE_NEVER; /* until one is answered */
    return c->full_us[queue] - (bursts[queue] - 1) * spacing_us(c);
}

/* The namespace whose turn it is; NULL: none may write now. One that has too many in flight is out until an answer. */
static struct cadence_share *share_in_turn(struct cadence *c, enum cadence_queue queue, int64_t now_us) {
    while (turn_us(c, queue) <= now_us) {
        struct timer *first = timers_first(&c->turns[queue]);
        struct cadence_share *share =
            (struct cadence_share *)((char *)(first - queue) - offsetof(struct cadence_share, turn));
        if (!has_too_many_in_flight(c, share))
            return share;
        timers_stop(&c->turns[queue], first);
    }
    return NULL;
}

struct cadence_job *cadence_pick(struct cadence *c, int64_t now_us) {
    struct timer *marked = timers_first(&c->marked);
    if (marked != NULL && marked->deadline_us <= now_us)
        return (struct cadence_job *)((char *)marked - offsetof(struct cadence_job, mark));
    take_turns(c, now_us);
    struct cadence_share *share = share_in_turn(c, CADENCE_AT_ONCE, now_us);
    if (share != NULL)
        return next_of(share, CADENCE_AT_ONCE);
    share = share_in_turn(c, CADENCE_DUE, now_us);
    return share != NULL ? next_of(share, CADENCE_DUE) : NULL;
}

int64_t cadence_wake_us(const struct cadence *c) {
    const struct timer *marked = timers_first(&c->marked);
    int64_t wake_us = marked == NULL ? CADENCE_NEVER : marked->deadline_us;
    const struct timer *calm = timers_first(&c->calm);
    if (calm != NULL)
        wake_us = sooner(wake_us, calm->deadline_us);
    return sooner(wake_us, sooner(turn_us(c, CADENCE_DUE), turn_us(c, CADENCE_AT_ONCE)));
}

static int64_t interval_us(const struct cadence *c, const struct cadence_job *job) {
    return job->is_ending   ? sooner(ENDING_US, c->options.active_us)
           : job->is_active ? c->options.active_us
                            : c->options.quiet_us;
}

/* The server holds this evaluation already: the next look is at the end of the quiet interval, on a common grid, so
 * that a thousand waiting jobs cost one wake-up. */
static void settle(struct cadence *c, struct cadence_job *job, const struct cadence_evaluation *evaluation,
                   int64_t now_us) {
    int64_t quiet_us = c->options.quiet_us;
    job->want = CADENCE_NOTHING;
    job->has_written_key = true;
    job->written_key = evaluation->key;
    job->written_printed = evaluation->printed;
    job->was_final_written = evaluation->is_final;
    job->due_us = evaluation->is_final    ? CADENCE_NEVER
                  : evaluation->is_ending ? now_us + interval_us(c, job)
                                          : (now_us / quiet_us + 1) * quiet_us;
    set_turn(c, job);
}

static void want(struct cadence *c, struct cadence_job *job, enum cadence_want want_now, int64_t due_us) {
    bool is_waiting = job->want == want_now;
    job->due_us = is_waiting ? sooner(job->due_us, due_us) : due_us; /* keep the place in the queue */
    job->want = want_now;
    set_turn(c, job);
}

static void send(struct cadence *c, struct cadence_job *job, const struct cadence_evaluation *evaluation,
                 int64_t now_us) {
    struct cadence_share *share = share_of(c, job);
    enum cadence_queue queue = queue_of(line_of(job));
    if (job->in_line != NULL && queue_of(job->line) == queue && share->turn[queue].place != 0) { /* its turn is used */
        c->served_turn[queue] = later(c->served_turn[queue], share->turn[queue].deadline_us);
        share->next_turn[queue]++;
        timers_stop(&c->turns[queue], &share->turn[queue]);
    }
    c->full_us[queue] = later(c->full_us[queue], now_us) + spacing_us(c);
    job->is_in_flight = true;
    c->in_flight++;
    share->in_flight++;
    job->sent_hash = evaluation->hash;
    job->sent_key = evaluation->key;
    job->sent_printed = evaluation->printed;
    job->sent_final = evaluation->is_final;
    job->is_active = false;
    job->base_us = now_us;
    set_turn(c, job);
    join_turns(c, share, queue);
}

static bool is_next(struct cadence *c, const struct cadence_job *job, int64_t now_us) {
    take_turns(c, now_us);
    enum cadence_queue queue = queue_of(job->line);
    return job->in_line != NULL && share_in_turn(c, queue, now_us) == share_of(c, job) &&
           next_of(share_of(c, job), queue) == job;
}

bool cadence_decide(struct cadence *c, struct cadence_job *job, const struct cadence_evaluation *evaluation,
                    int64_t now_us) {
    bool is_to_settle = job->mark.place != 0 && !job->is_settling && c->options.settle_us > 0;
    timers_stop(&c->marked, &job->mark);
    job->was_evaluated = true;
    job->evaluated_us = now_us;
    if (is_to_settle && !evaluation->is_final)
        mark(c, job, true);
    timers_stop(&c->behind, &job->behind);
    if (evaluation->awaits_ms != TIME_UNKNOWN && !evaluation->is_final && job->mark.place == 0)
        timers_set(&c->behind, &job->behind, evaluation->awaits_ms);
    job->is_active |= evaluation->has_new_steps;
    job->is_ending = evaluation->is_ending;
    job->is_final = evaluation->is_final;

    bool is_key_new = job->has_written_key && evaluation->key != job->written_key;
    bool is_frozen = evaluation->is_final && job->was_final_written && !is_key_new;
    bool is_held = job->has_server_status && job->server_hash == evaluation->hash && !is_key_new;
    if (!job->is_in_flight && (is_frozen || is_held)) {
        settle(c, job, evaluation, now_us);
        return false;
    }
    if (!is_next(c, job, now_us)) /* else it keeps its turn */
        job->has_moved = !job->has_written_key || evaluation->printed != job->written_printed;
    bool is_urgent = is_key_new || !job->has_server_status || (evaluation->is_final && job->has_written_key);
    if (is_urgent)
        want(c, job, CADENCE_URGENT, now_us);
    else if (!job->has_written_key) /* a new leader's first look: in turn with the others */
        want(c, job, CADENCE_TOTALS, now_us);
    else
        want(c, job, CADENCE_TOTALS, job->base_us + interval_us(c, job));

    if (job->is_in_flight || !is_next(c, job, now_us))
        return false;
    send(c, job, evaluation, now_us);
    return true;
}

bool cadence_has_more(const struct cadence_job *job) {
    return job->mark.place != 0 || job->is_active;
}

bool cadence_decide_last(struct cadence *c, struct cadence_job *job, const struct cadence_evaluation *evaluation,
                         int64_t now_us) {
    job->is_active |= evaluation->has_new_steps;
    if (job->is_in_flight || !job->is_active || job->held_until_us > now_us)
        return false;
    send(c, job, evaluation, now_us);
    return true;
}

void cadence_skip(struct cadence *c, struct cadence_job *job, int64_t now_us) {
    timers_stop(&c->behind, &job->behind);
    timers_stop(&c->marked, &job->mark);
    job->was_evaluated = true;
    job->evaluated_us = now_us;
    job->want = CADENCE_NOTHING;
    job->due_us = CADENCE_NEVER;
    set_turn(c, job);
}

void cadence_wrote(struct cadence *c, struct cadence_job *job, int64_t now_us) {
    landed(c, job);
    job->has_server_status = job->has_written_key = true;
    job->server_hash = job->sent_hash;
    job->written_key = job->sent_key;
    job->written_printed = job->sent_printed;
    job->was_final_written = job->sent_final;
    job->held_until_us = now_us;
    job->want = CADENCE_NOTHING;
    job->due_us = job->sent_final ? CADENCE_NEVER : job->base_us + interval_us(c, job);
    if (job->evaluated_us > job->base_us) /* evaluated meanwhile: decide again */
        cadence_mark(c, job);
    set_turn(c, job);
}

void cadence_failed(struct cadence *c, struct cadence_job *job, int64_t retry_us) {
    c->retries++;
    landed(c, job);
    job->held_until_us = retry_us;
    job->due_us = sooner(job->due_us, retry_us);
    set_turn(c, job);
}
