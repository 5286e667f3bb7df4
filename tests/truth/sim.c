#include "sim.h"

#include "styles.h"

#include "base/mem.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

int64_t sim_between(struct job *job, int64_t low, int64_t high) {
    return low + (int64_t)(random_next(&job->random) % (uint64_t)(high - low + 1));
}

int64_t sim_spread(struct job *job, int64_t low, int64_t high) {
    double u = (double)(random_next(&job->random) >> 11) / 9007199254740992.0;
    return (int64_t)(exp(log((double)low) + u * (log((double)high) - log((double)low))));
}

bool sim_chance(struct job *job, int percent) {
    return sim_between(job, 1, 100) <= percent;
}

/* ---- what kind of job ---- */

static bool is_by_epoch(enum steplog_format f) {
    return f == STEPLOG_KERAS || f == STEPLOG_LIGHTNING;
}

static bool can_save_behind(enum steplog_format f) {
    return f == STEPLOG_RECORDER || f == STEPLOG_MAXTEXT || f == STEPLOG_MEGATRON || f == STEPLOG_NEMO ||
           f == STEPLOG_TORCHTITAN || f == STEPLOG_REGEX;
}

static bool has_log_interval(enum steplog_format f) {
    return f == STEPLOG_MEGATRON || f == STEPLOG_NEMO || f == STEPLOG_TORCHTITAN || f == STEPLOG_DEEPSPEED ||
           f == STEPLOG_HUGGINGFACE;
}

static void choose_pace(struct job *job) {
    static const int64_t intervals[] = {1, 1, 1, 2, 5, 10};
    enum steplog_format f = job->format;
    job->ideal_ms = sim_spread(job, 300, 20000);
    job->jitter_percent = (int)sim_between(job, 1, 12);
    job->steps = sim_spread(job, 40, 400);
    job->first_number = f == STEPLOG_RECORDER || f == STEPLOG_MAXTEXT || f == STEPLOG_NEMO ? 0 : 1;
    job->log_every = has_log_interval(f) ? intervals[sim_between(job, 0, 5)] : 1;
    job->epoch_steps = is_by_epoch(f) ? sim_between(job, 8, 30) : 0;
    if (job->epoch_steps > 0)
        job->steps = job->epoch_steps * sim_between(job, 4, 14);
    job->save_every = job->epoch_steps > 0 ? job->epoch_steps : sim_between(job, 5, 60);
    job->evaluate_every = job->epoch_steps > 0 ? job->epoch_steps : sim_between(job, 10, 80);
    if (f == STEPLOG_HUGGINGFACE || sim_chance(job, 85)) { /* it is what people choose, and Hugging Face asks for */
        job->save_every = (job->save_every + job->log_every - 1) / job->log_every * job->log_every;
        job->evaluate_every = (job->evaluate_every + job->log_every - 1) / job->log_every * job->log_every;
    }
    if (f == STEPLOG_REGEX || f == STEPLOG_DEEPSPEED || sim_chance(job, 50))
        job->evaluate_every = 0;
}

static void choose(struct job *job) {
    choose_pace(job);
    job->compile_ms = sim_spread(job, 1000, 120000);
    job->init_ms = sim_spread(job, 500, 60000);
    job->prepare_ms = sim_spread(job, 1000, 90000);
    job->restore_ms = sim_spread(job, 200, 60000);
    job->save_ms = sim_spread(job, 100, 30000);
    job->background_ms = sim_spread(job, 500, 90000);
    job->evaluate_ms = sim_spread(job, 1000, 60000);
    job->is_async = can_save_behind(job->format) && sim_chance(job, 50);
    job->has_saves = sim_chance(job, 92);
    job->compiles_ahead = job->format == STEPLOG_MAXTEXT && sim_chance(job, 50);
    job->stall_percent = sim_chance(job, 50) ? (int)sim_between(job, 1, 8) : 0;
    job->failures = (int)sim_between(job, 0, 4);
    job->has_long_stall = sim_chance(job, 4);
    job->loses_lines = sim_chance(job, 3);
    job->has_succeeded = sim_chance(job, 88);
    job->is_deleted = sim_chance(job, 40);
    int64_t hang_ms = 10 * job->ideal_ms * (job->epoch_steps > 0 ? job->epoch_steps : job->log_every);
    job->hang_after_ms = hang_ms > 300000 ? hang_ms : 300000;
}

/* Long enough that the rounding of a step and of a log interval is far below the 2 % that a style may be off. */
static void choose_style(struct job *job) {
    static const int64_t intervals[] = {1, 1, 5, 10};
    job->steps = sim_spread(job, 300, 900);
    job->ideal_ms = sim_spread(job, 400, 5000);
    job->log_every = style_logs_each_step(job->style) ? 1 : intervals[sim_between(job, 0, 3)];
    job->epoch_steps = 0;
    job->first_number = 1;
    job->save_every = job->log_every * sim_between(job, 3, 12) * 5;
    job->evaluate_every = style_evaluates(job->style) ? job->log_every * sim_between(job, 3, 10) * 5 : 0;
    if (style_save_steps(job->style) > 0)
        job->save_every = style_save_steps(job->style);
    job->save_ms = sim_spread(job, 20, style_save_steps(job->style) > 0 ? job->ideal_ms / 8 : job->ideal_ms);
    job->evaluate_ms = sim_spread(job, job->ideal_ms, 8 * job->ideal_ms);
    job->compile_ms = sim_spread(job, 1000, 30000);
    job->is_async = job->compiles_ahead = job->has_long_stall = job->loses_lines = job->is_deleted = false;
    job->has_saves = job->has_succeeded = true;
    job->stall_percent = 0;
    /* An attempt of fewer than four epochs is not read where only epochs have lines. */
    job->failures = style_save_steps(job->style) > 0 ? 0 : (int)sim_between(job, 0, 3);
    job->hang_after_ms = 300000;
}

static struct sim_variation variation;

void sim_vary(struct sim_variation v) {
    variation = v;
}

static void vary(struct job *job) {
    static const int64_t intervals[] = {1, 5, 10, 50};
    job->slow_from = job->slow_to = INT64_MAX;
    if (!variation.is_on)
        return;
    job->sigma_percent = variation.sigma_percent;
    job->is_buffered = variation.is_buffered;
    job->has_succeeded = job->has_saves = true;
    job->stall_percent = 0;
    job->evaluate_every = 0;
    job->has_long_stall = job->loses_lines = false;
    job->save_ms = sim_spread(job, 20, job->ideal_ms / 10 + 20);
    job->save_every = sim_between(job, 20, 200);
    if (job->style != NULL && !style_logs_each_step(job->style))
        job->log_every = intervals[sim_between(job, 0, 3)];
    if (job->epoch_steps > 0)
        job->save_every = job->epoch_steps;
    if (variation.change != SIM_KEEPS_PACE)
        job->slow_from = sim_between(job, job->steps / 5, job->steps * 4 / 5);
    if (variation.change == SIM_SLOW_PATCH)
        job->slow_to = job->slow_from + job->steps / 10;
}

/* ---- what happens ---- */

struct walk {
    struct job *job;
    struct attempt *attempt;
    int64_t at_ms, until_ms;        /* until: the attempt is killed there; INT64_MAX */
    int64_t behind_ms, behind_step; /* a save in the background ends then; 0: none */
};

static void add_span(struct walk *w, enum kind kind, int64_t ms, int64_t step) {
    struct job *job = w->job;
    int64_t to = w->at_ms + ms;
    bool is_open = to > w->until_ms;
    if (is_open)
        to = w->until_ms;
    if (to > w->at_ms) {
        MEM_GROW(job->spans, (size_t)job->span_count, job->span_capacity);
        job->spans[job->span_count++] = (struct span){.from_ms = w->at_ms,
                                                      .to_ms = to,
                                                      .step = step,
                                                      .kind = kind,
                                                      .is_open = is_open,
                                                      .attempt = job->attempt_count - 1};
    }
    w->at_ms += ms; /* beyond the end too: what would have come later is left out */
}

static void add_event_at(struct walk *w, enum event_kind kind, int64_t at_ms, int64_t step, int64_t ms) {
    struct attempt *a = w->attempt;
    if (at_ms > w->until_ms)
        return;
    MEM_GROW(a->events, (size_t)a->event_count, a->event_capacity);
    int i = a->event_count++;
    for (; i > 0 && a->events[i - 1].at_ms > at_ms; i--)
        a->events[i] = a->events[i - 1];
    a->events[i] = (struct event){at_ms, step, kind, ms};
}

static void add_event(struct walk *w, enum event_kind kind, int64_t step, int64_t ms) {
    add_event_at(w, kind, w->at_ms, step, ms);
}

static void finish_behind(struct walk *w) {
    if (w->behind_ms == 0)
        return;
    add_event_at(w, EVENT_DURABLE, w->behind_ms, w->behind_step, 0);
    if (w->behind_ms <= w->until_ms && w->behind_step > w->job->durable_step)
        w->job->durable_step = w->behind_step;
    w->behind_ms = 0;
}

/* A save blocks; one in the background waits for the one before it. */
static void save(struct walk *w, int64_t step) {
    struct job *job = w->job;
    int64_t ms = job->save_ms + sim_between(job, 0, job->save_ms / 10);
    if (w->behind_ms > w->at_ms)
        ms += w->behind_ms - w->at_ms;
    finish_behind(w);
    add_event(w, EVENT_SAVE, step, 0);
    add_span(w, KIND_SAVE, ms, step);
    add_event(w, EVENT_SAVED, step, ms);
    w->behind_ms = w->at_ms + (job->is_async ? job->background_ms : 1);
    w->behind_step = step;
    if (!job->is_async)
        finish_behind(w);
}

static double uniform(struct job *job) {
    return ((double)(random_next(&job->random) >> 11) + 1) / 9007199254740993.0;
}

static int64_t work_ms(struct job *job, int64_t number) {
    int64_t pace = number >= job->slow_from && number < job->slow_to ? 2 : 1;
    if (job->sigma_percent == 0)
        return pace *
               (job->ideal_ms + job->ideal_ms * sim_between(job, -job->jitter_percent, job->jitter_percent) / 100);
    double sigma = job->sigma_percent / 100.0,
           normal = sqrt(-2 * log(uniform(job))) * cos(2 * 3.14159265358979323846 * uniform(job));
    return pace * (int64_t)((double)job->ideal_ms * exp(sigma * normal - sigma * sigma / 2));
}

static void stall(struct walk *w, int64_t step) {
    struct job *job = w->job;
    int64_t ms = sim_spread(job, job->ideal_ms / 4 + 1, 4 * job->ideal_ms);
    add_event(w, EVENT_DATA, step, 0);
    add_span(w, KIND_DATA, ms, step);
    add_event(w, EVENT_DATA_END, step, ms);
}

static void take_step(struct walk *w, int64_t number, bool is_first) {
    struct job *job = w->job;
    if (sim_chance(job, job->stall_percent))
        stall(w, number);
    int64_t begin = w->at_ms;
    add_event(w, EVENT_STEP, number, 0);
    if (is_first && !job->compiles_ahead)
        add_span(w, KIND_COMPILE, job->compile_ms, number);
    if (job->has_long_stall && !is_first && sim_chance(job, 3)) {
        job->has_long_stall = false;
        int64_t line_ms = job->ideal_ms * (job->epoch_steps > 0 ? job->epoch_steps : job->log_every);
        add_span(w, KIND_SLOW, job->hang_after_ms - line_ms, number);
        add_span(w, KIND_STALL, sim_spread(job, job->hang_after_ms / 2, 2 * job->hang_after_ms), number);
    }
    add_span(w, KIND_STEP, work_ms(job, number), number);
    add_event(w, EVENT_STEP_END, number, w->at_ms - begin);
    if (job->evaluate_every > 0 && (number - job->first_number + 1) % job->evaluate_every == 0) {
        add_event(w, EVENT_EVALUATE, number, 0);
        int64_t ms = job->evaluate_ms;
        add_span(w, KIND_EVALUATE, ms, number);
        add_event(w, EVENT_EVALUATED, number, ms);
    }
    bool is_last = number == job->first_number + job->steps - 1;
    if (job->has_saves && ((number - job->first_number + 1) % job->save_every == 0 || is_last))
        save(w, number);
    if (w->behind_ms > 0 && w->behind_ms <= w->at_ms)
        finish_behind(w);
}

/* From the container's start to the first step. */
static void start_up(struct walk *w, int64_t restore_step) {
    struct job *job = w->job;
    add_event(w, EVENT_START, 0, 0);
    add_span(w, KIND_IMPORT, sim_spread(job, 1000, 20000), 0);
    add_event(w, EVENT_INIT, 0, 0);
    add_span(w, KIND_INIT, job->init_ms, 0);
    add_event(w, EVENT_INIT_END, 0, 0);
    add_span(w, KIND_PREPARE, job->prepare_ms, 0);
    if (restore_step >= 0) {
        add_event(w, EVENT_RESTORE, restore_step, 0);
        add_span(w, KIND_RESTORE, job->restore_ms, 0);
        add_event(w, EVENT_RESTORED, restore_step, job->restore_ms);
        if (w->at_ms <= w->until_ms)
            w->attempt->restored_step = restore_step;
    }
    if (job->compiles_ahead)
        add_span(w, KIND_COMPILE, job->compile_ms, 0);
    add_event(w, EVENT_PREPARED, restore_step + 1, 0);
}

static void train(struct walk *w, int64_t first, bool fails) {
    struct job *job = w->job;
    int64_t end = job->first_number + job->steps;
    add_event(w, EVENT_TRAIN, first, 0);
    for (int64_t n = first; n < end && w->at_ms < w->until_ms; n++)
        take_step(w, n, n == first);
    if (fails || w->at_ms >= w->until_ms)
        return;
    if (w->behind_ms > w->at_ms) { /* waits for the background save */
        int64_t ms = w->behind_ms - w->at_ms;
        add_event(w, EVENT_WAIT, end - 1, 0);
        add_span(w, KIND_WAIT, ms, end - 1);
        finish_behind(w);
        add_event(w, EVENT_WAITED, end - 1, ms);
    }
    add_event(w, EVENT_END, 0, 0);
    add_span(w, KIND_SHUTDOWN, sim_spread(job, 200, 8000), 0);
}

/* Where the attempt dies: somewhere in its life, now and then before the first step. */
static int64_t choose_death(struct walk *w, int64_t first) {
    struct job *job = w->job;
    int64_t left = job->first_number + job->steps - first;
    int64_t before = job->init_ms + job->prepare_ms + job->restore_ms + job->compile_ms;
    if (left == 0 || sim_chance(job, 6))
        return w->at_ms + sim_between(job, 1000, before);
    int64_t steps = sim_between(job, 0, left - 1);
    return w->at_ms + before + steps * job->ideal_ms + sim_between(job, 0, 2 * job->ideal_ms);
}

static void run_attempt(struct walk *w, bool fails) {
    struct job *job = w->job;
    struct attempt *a = w->attempt;
    int64_t restore = job->durable_step, first = restore >= 0 ? restore + 1 : job->first_number;
    a->start_ms = w->at_ms;
    a->restored_step = -1;
    w->until_ms = fails ? choose_death(w, first) : INT64_MAX;
    bool hangs = fails && sim_chance(job, 8);
    start_up(w, restore);
    train(w, first, fails);
    if (fails && w->at_ms < w->until_ms) /* it dies between the last step and its end */
        w->until_ms = w->at_ms + 1;
    finish_behind(w);
    w->at_ms = w->at_ms < w->until_ms ? w->at_ms : w->until_ms;
    if (fails && !hangs &&
        job->spans[job->span_count - 1].to_ms >= w->at_ms) /* what says that it ended comes too late */
        job->spans[job->span_count - 1].is_open = true;
    a->silent_ms = hangs ? w->at_ms : INT64_MAX;
    if (hangs) {
        w->until_ms = INT64_MAX;
        add_span(w, KIND_HANG, sim_spread(job, 60000, 3000000), 0);
    }
    w->until_ms = INT64_MAX;
    a->end_ms = w->at_ms;
    a->has_failed = fails;
    a->first_step = first;
}

static void get_pod(struct walk *w) {
    struct job *job = w->job;
    struct attempt *a = w->attempt;
    a->is_new_pod = true;
    a->bound_ms = w->at_ms;
    int64_t ms = sim_chance(job, 60) ? sim_spread(job, 1000, 90000) : 0;
    a->pull_ms = w->at_ms;
    add_span(w, KIND_PULL, ms, 0);
    a->pulled_ms = w->at_ms;
    add_span(w, KIND_CONTAINER, sim_spread(job, 300, 6000), 0);
}

static struct attempt *next_attempt(struct walk *w) {
    struct job *job = w->job;
    struct attempt *a = &job->attempts[job->attempt_count++];
    *a = (struct attempt){.skew_ms = sim_chance(job, 20) ? sim_between(job, -400, 400) : 0};
    w->attempt = a;
    w->behind_ms = 0;
    return a;
}

static void restart(struct walk *w) {
    struct job *job = w->job;
    struct attempt before = *w->attempt;
    bool is_new_pod = sim_chance(job, 50);
    next_attempt(w);
    if (is_new_pod) {
        add_span(w, KIND_RESCHEDULE, sim_spread(job, 2000, 400000), 0);
        get_pod(w);
        return;
    }
    w->attempt->skew_ms = before.skew_ms;
    w->attempt->bound_ms = before.bound_ms;
    add_span(w, KIND_CONTAINER, sim_spread(job, 1000, 40000), 0);
}

static int64_t last_done(const struct attempt *a) {
    for (int i = a->event_count - 1; i >= 0; i--)
        if (a->events[i].kind == EVENT_STEP_END)
            return a->events[i].step;
    return -1;
}

/* Which work was done again later, and what was cut off: the step without an end, and what followed the last end. */
static void settle(struct job *job) {
    int64_t resumed = INT64_MAX;
    for (int a = job->attempt_count - 1, i = job->span_count - 1; a >= 0; a--) {
        const struct attempt *t = &job->attempts[a];
        int64_t done = last_done(t);
        for (; i >= 0 && job->spans[i].attempt == a; i--) {
            struct span *s = &job->spans[i];
            bool is_loop = s->kind >= KIND_COMPILE && s->kind <= KIND_STALL;
            bool is_pause = s->kind == KIND_SAVE || s->kind == KIND_EVALUATE;
            s->is_lost = is_loop && s->step + is_pause >= resumed; /* a pause is a part of the next step */
            s->is_cut = is_loop && t->has_failed && (is_pause ? s->step >= done : s->step > done);
        }
        if (done >= 0 && t->first_step < resumed)
            resumed = t->first_step;
    }
}

static bool has_line(const struct job *job, const struct event *e) {
    int64_t every = job->epoch_steps > 0 ? job->epoch_steps : job->log_every;
    return e->kind == EVENT_STEP_END && e->step % every == 0;
}

/* By seconds or hours, between two lines of steps and nothing else, the first of which is not the attempt's first. */
static void set_clock(struct job *job) {
    enum { MIN_LINES = 3 };
    const struct attempt *a = &job->attempts[job->attempt_count - 1];
    const struct event *last = NULL;
    int64_t lines = 0, until = sim_between(job, MIN_LINES + 1, 30), by_ms = sim_spread(job, 2000, 7200000);
    for (const struct event *e = a->events; e < a->events + a->event_count && lines < until; e++) {
        if (e->kind >= EVENT_EVALUATE && e->kind != EVENT_DURABLE)
            last = NULL;
        if (!has_line(job, e))
            continue;
        if (last != NULL && lines >= MIN_LINES) {
            job->set_at_ms = last->at_ms;
            job->set_by_ms = by_ms;
        }
        last = e;
        lines++;
    }
}

int64_t sim_clock_ms(const struct job *job, const struct attempt *a, int64_t at_ms) {
    bool is_set = a == &job->attempts[job->attempt_count - 1] && at_ms > job->set_at_ms;
    return at_ms + a->skew_ms + (is_set ? job->set_by_ms : 0);
}

static void run(struct job *job, uint64_t seed, enum steplog_format format, const struct style *style) {
    *job = (struct job){.seed = seed, .format = format, .style = style, .durable_step = -1};
    job->random = seed * 1000003 + (uint64_t)format;
    choose(job);
    if (style != NULL)
        choose_style(job);
    vary(job);
    job->start_ms = INT64_C(1795230000000) + sim_between(job, 0, 86400000);
    job->start_ms -= job->start_ms % 1000; /* creationTimestamp */
    struct walk w = {.job = job, .at_ms = job->start_ms, .until_ms = INT64_MAX};
    next_attempt(&w);
    add_span(&w, KIND_BINDING, sim_spread(job, 200, 600000), 0);
    get_pod(&w);
    for (int i = 0; i < job->failures; i++) {
        run_attempt(&w, true);
        if (i + 1 == job->failures && !job->has_succeeded)
            break;
        restart(&w);
    }
    if (job->failures == 0)
        job->has_succeeded = true;
    if (job->has_succeeded)
        run_attempt(&w, false);
    job->end_ms = w.at_ms;
    settle(job);
    if (variation.is_on && variation.sets_clock)
        set_clock(job);
}

void sim_run(struct job *job, uint64_t seed, enum steplog_format format) {
    run(job, seed, format, NULL);
}

void sim_run_style(struct job *job, uint64_t seed, const struct style *style) {
    run(job, seed, STEPLOG_GENERIC, style);
}

void sim_done(struct job *job) {
    for (int i = 0; i < job->attempt_count; i++)
        free(job->attempts[i].events);
    free(job->spans);
}
