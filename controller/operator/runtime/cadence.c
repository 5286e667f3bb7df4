#include "operator/runtime/cadence.h"

#include "base/mem.h"

#include <assert.h>

enum { SECOND_US = 1000000, ENDING_US = SECOND_US };

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t sooner(int64_t a, int64_t b) {
    return a < b ? a : b;
}

void cadence_init(struct cadence *c, const struct cadence_options *options) {
    *c = (struct cadence){.options = *options, .look_us = CADENCE_NEVER, .last_sent_us = INT64_MIN / 2};
    assert(options->writes_per_second >= 1);
    c->sent_us = mem_resize(NULL, (size_t)options->writes_per_second, sizeof *c->sent_us);
    for (int i = 0; i < options->writes_per_second; i++)
        c->sent_us[i] = INT64_MIN / 2;
}

void cadence_done(struct cadence *c) {
    free(c->jobs);
    free(c->dirty);
    free(c->sent_us);
    *c = (struct cadence){0};
}

void cadence_add(struct cadence *c, struct cadence_job *job) {
    MEM_GROW(c->jobs, c->count, c->capacity);
    job->index = c->count;
    job->due_us = CADENCE_NEVER;
    c->jobs[c->count++] = job;
}

static void drop_dirty(struct cadence *c, struct cadence_job *job) {
    if (job->dirty_index == 0)
        return;
    struct cadence_job *last = c->dirty[--c->dirty_count];
    c->dirty[job->dirty_index - 1] = last;
    last->dirty_index = job->dirty_index;
    job->dirty_index = 0;
}

static void landed(struct cadence *c, struct cadence_job *job) {
    job->is_in_flight = false;
    if (c->in_flight-- == CADENCE_IN_FLIGHT)
        c->look_us = INT64_MIN; /* others waited for that */
}

void cadence_remove(struct cadence *c, struct cadence_job *job) {
    assert(job->index < c->count && c->jobs[job->index] == job);
    drop_dirty(c, job);
    if (job->is_in_flight)
        landed(c, job);
    struct cadence_job *last = c->jobs[--c->count];
    c->jobs[job->index] = last;
    last->index = job->index;
}

void cadence_mark(struct cadence *c, struct cadence_job *job) {
    job->is_settling = false;
    if (job->dirty_index != 0)
        return;
    MEM_GROW(c->dirty, c->dirty_count, c->dirty_capacity);
    c->dirty[c->dirty_count++] = job;
    c->adds++;
    job->dirty_index = c->dirty_count;
}

void cadence_observed(struct cadence *c, struct cadence_job *job, bool has_status, uint64_t hash, int64_t now_us) {
    job->has_server_status = has_status;
    job->server_hash = hash;
    if (job->held_until_us > now_us) {
        job->held_until_us = now_us;
        c->look_us = sooner(c->look_us, now_us);
    }
}

/* When one more write of this kind may go, by the fleet's limit. */
static int64_t token_us(const struct cadence *c, enum cadence_want want) {
    if (c->in_flight >= CADENCE_IN_FLIGHT)
        return CADENCE_NEVER; /* until one is answered */
    int64_t window_us = c->sent_us[c->sent_next] + SECOND_US;
    int64_t spaced_us = c->last_sent_us + SECOND_US / c->options.writes_per_second;
    return want == CADENCE_URGENT ? window_us : later(window_us, spaced_us);
}

static int64_t evaluate_us(const struct cadence *c, const struct cadence_job *job) {
    if (!job->was_evaluated)
        return INT64_MIN;
    int64_t calm_us = later(c->options.coalesce_us, sooner(20 * job->cost_us, CADENCE_MOST_US));
    return job->evaluated_us + (job->is_settling ? c->options.settle_us : calm_us);
}

/* When the job may be written (or its totals looked at), but for the fleet's limit. */
static int64_t ready_us(const struct cadence_job *job) {
    if (job->is_in_flight || job->due_us == CADENCE_NEVER)
        return CADENCE_NEVER;
    return later(job->due_us, job->held_until_us);
}

static bool is_before(const struct cadence_job *a, const struct cadence_job *b) {
    if (b == NULL || a->want != b->want)
        return b == NULL || a->want > b->want;
    return a->due_us < b->due_us;
}

struct cadence_job *cadence_pick(struct cadence *c, int64_t now_us) {
    for (size_t i = 0; i < c->dirty_count; i++)
        if (evaluate_us(c, c->dirty[i]) <= now_us)
            return c->dirty[i];
    if (now_us < c->look_us)
        return NULL;

    struct cadence_job *best = NULL;
    int64_t look_us = CADENCE_NEVER;
    for (size_t i = 0; i < c->count; i++) {
        struct cadence_job *job = c->jobs[i];
        int64_t ready = ready_us(job);
        if (ready == CADENCE_NEVER)
            continue;
        ready = later(ready, token_us(c, job->want));
        if (ready > now_us)
            look_us = sooner(look_us, ready);
        else if (is_before(job, best))
            best = job;
    }
    c->look_us = best ? now_us : look_us;
    return best;
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
    job->was_final_written = evaluation->is_final;
    job->due_us = evaluation->is_final    ? CADENCE_NEVER
                  : evaluation->is_ending ? now_us + interval_us(c, job)
                                          : (now_us / quiet_us + 1) * quiet_us;
}

static void want(struct cadence *c, struct cadence_job *job, enum cadence_want want_now, int64_t due_us) {
    bool is_waiting = job->want == want_now;
    job->due_us = is_waiting ? sooner(job->due_us, due_us) : due_us; /* keep the place in the queue */
    job->want = want_now;
    c->look_us = sooner(c->look_us, later(due_us, job->held_until_us));
}

static void send(struct cadence *c, struct cadence_job *job, const struct cadence_evaluation *evaluation,
                 int64_t now_us) {
    job->is_in_flight = true;
    c->in_flight++;
    job->sent_hash = evaluation->hash;
    job->sent_key = evaluation->key;
    job->sent_final = evaluation->is_final;
    job->is_active = false;
    c->sent_us[c->sent_next] = c->last_sent_us = now_us;
    c->sent_next = (c->sent_next + 1) % c->options.writes_per_second;
    job->base_us = now_us;
}

bool cadence_decide(struct cadence *c, struct cadence_job *job, const struct cadence_evaluation *evaluation,
                    int64_t now_us) {
    bool is_to_settle = job->dirty_index != 0 && !job->is_settling && c->options.settle_us > 0;
    drop_dirty(c, job);
    if (is_to_settle && !evaluation->is_final) {
        cadence_mark(c, job);
        job->is_settling = true;
    }
    job->was_evaluated = true;
    job->evaluated_us = now_us;
    job->is_active |= evaluation->has_new_steps;
    job->is_ending = evaluation->is_ending;
    job->is_final = evaluation->is_final;

    bool is_key_new = job->has_written_key && evaluation->key != job->written_key;
    bool is_frozen = evaluation->is_final && job->was_final_written && !is_key_new;
    bool is_held = job->has_server_status && job->server_hash == evaluation->hash && !is_key_new;
    if (!job->is_in_flight && (is_frozen || is_held)) {
        settle(c, job, evaluation, now_us);
        c->look_us = sooner(c->look_us, job->due_us);
        return false;
    }
    bool is_urgent = is_key_new || !job->has_server_status || (evaluation->is_final && job->has_written_key);
    if (is_urgent)
        want(c, job, CADENCE_URGENT, now_us);
    else if (!job->has_written_key) /* a new leader's first look: in turn with the others */
        want(c, job, CADENCE_TOTALS, now_us);
    else
        want(c, job, CADENCE_TOTALS, job->base_us + interval_us(c, job));

    if (later(ready_us(job), token_us(c, job->want)) > now_us)
        return false;
    send(c, job, evaluation, now_us);
    return true;
}

bool cadence_has_more(const struct cadence_job *job) {
    return job->dirty_index != 0 || job->is_active;
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
    drop_dirty(c, job);
    job->was_evaluated = true;
    job->evaluated_us = now_us;
    job->want = CADENCE_NOTHING;
    job->due_us = CADENCE_NEVER;
}

void cadence_wrote(struct cadence *c, struct cadence_job *job, int64_t now_us) {
    landed(c, job);
    job->has_server_status = job->has_written_key = true;
    job->server_hash = job->sent_hash;
    job->written_key = job->sent_key;
    job->was_final_written = job->sent_final;
    job->held_until_us = now_us;
    job->want = CADENCE_NOTHING;
    job->due_us = job->sent_final ? CADENCE_NEVER : job->base_us + interval_us(c, job);
    if (job->evaluated_us > job->base_us) /* evaluated meanwhile: decide again */
        cadence_mark(c, job);
    c->look_us = sooner(c->look_us, job->due_us);
}

void cadence_failed(struct cadence *c, struct cadence_job *job, int64_t retry_us) {
    c->retries++;
    landed(c, job);
    job->held_until_us = retry_us;
    job->due_us = sooner(job->due_us, retry_us);
    c->look_us = sooner(c->look_us, retry_us);
}

int64_t cadence_wake_us(const struct cadence *c) {
    int64_t wake_us = c->look_us;
    for (size_t i = 0; i < c->dirty_count; i++)
        wake_us = sooner(wake_us, evaluate_us(c, c->dirty[i]));
    return wake_us;
}
