#include "library/pass.h"

#include "base/mem.h"
#include "library/elastic.h"
#include "library/steps.h"

#include <stdio.h>

struct pass {
    const struct library_log *log;
    struct library_answer *answer;
    struct custom_spans spans;
    struct steps steps;          /* of the present segment */
    size_t segment_first;        /* index of its first step in the log */
    int64_t min;                 /* its smallest number */
    struct library_badputs part; /* of one segment */
    struct library_number job_start, job_end, init_start, prep_start, data_start, data_now;
    bool has_job_start, has_job_end, has_init, has_prep, has_data, has_data_now, is_data_sync;
    double init_s, prep_s, data_s;
};

static bool fail(struct pass *p, const char *text) {
    snprintf(p->answer->error, sizeof p->answer->error, "%s", text);
    return false;
}

/* _compute_adjusted_segment_productive_and_unproductive_time over the segment's steps [first, end). */
struct segment {
    double total, first, wasted, productive;
    int64_t count, others, max_step;
};

static struct segment sum_segment(struct pass *p, size_t end, int64_t until) {
    struct segment s = {0};
    for (size_t i = p->segment_first + 1; i < end; i++) {
        const struct library_step *a = &p->log->steps[i - 1], *b = a + 1;
        int64_t previous = library_step_number(a), step = library_step_number(b);
        double raw = b->at - a->at;
        if (step > until) {
            s.wasted += raw;
            continue;
        }
        if (step - 1 != previous)
            continue;
        double custom = p->spans.count ? custom_spans_within(&p->spans, a->at, b->at, &p->part.customs) : 0.0;
        double adjusted = python_max(0.0, raw - custom);
        s.total += adjusted;
        if (previous == p->min)
            s.first = adjusted;
        else
            s.others++;
        s.count++;
        s.max_step = previous;
    }
    return s;
}

/* _get_segment_productive_and_unproductive_time: p->part is what it returns. */
static bool close_segment(struct pass *p, size_t end, int64_t until, struct segment *s) {
    p->part.count = 0;
    for (int i = 0; i < LIBRARY_BADPUT_COUNT; i++)
        p->part.has[i] = false;
    customs_clear(&p->part.customs);
    *s = (struct segment){0};
    if (until == 0)
        return true;
    if (p->spans.trouble)
        return fail(p, p->spans.trouble);
    *s = sum_segment(p, end, until);
    struct library_number wasted = number_of_double(s->wasted), customs = {0, true}, startup = {0, true};
    if (s->count == 0) {
        badputs_set(&p->part, LIBRARY_BADPUT_WASTED_PROGRESS_FROM_DISRUPTION, wasted);
        return true;
    }
    if (s->others == 0) { /* what the first step took counts as productive */
        s->productive = s->first;
        badputs_set(&p->part, LIBRARY_BADPUT_WASTED_PROGRESS_FROM_DISRUPTION, wasted);
        badputs_set(&p->part, LIBRARY_BADPUT_CUSTOM_BADPUT_EVENTS, customs);
        badputs_set(&p->part, LIBRARY_BADPUT_PROGRAM_STARTUP, startup);
        return true;
    }
    double average = (s->total - s->first) / (double)s->others;
    startup.value = python_max(0.0, s->first - average);
    s->productive = s->total - startup.value;
    badputs_set(&p->part, LIBRARY_BADPUT_PROGRAM_STARTUP, startup);
    badputs_set(&p->part, LIBRARY_BADPUT_WASTED_PROGRESS_FROM_DISRUPTION, wasted);
    badputs_set(&p->part, LIBRARY_BADPUT_CUSTOM_BADPUT_EVENTS, customs);
    return true;
}

static void begin_segment(struct pass *p, size_t i) {
    p->segment_first = i;
    p->min = library_step_number(&p->log->steps[i]);
    steps_clear(&p->steps);
    steps_add(&p->steps, p->min);
}

/* A step number that is there already: the job restarted from it. */
static bool restart(struct pass *p, size_t i) {
    struct segment s;
    struct library_number last = library_step_at(&p->log->steps[i - 1]);
    p->answer->disruptions++;
    if (!close_segment(p, i, library_step_number(&p->log->steps[i]), &s))
        return false;
    p->answer->productive_s += s.productive;
    p->is_data_sync = true;
    if (p->has_data_now)
        badputs_add(&p->part, LIBRARY_BADPUT_DATA_LOADING_SYNC, p->data_now);
    p->has_data_now = false;
    if (p->has_job_start && p->job_start.value > last.value)
        badputs_set(&p->part, LIBRARY_BADPUT_INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION,
                    number_subtract(p->job_start, last));
    badputs_accumulate(&p->answer->badputs, &p->part);
    begin_segment(p, i);
    return true;
}

static bool take_step(void *context, size_t i) {
    struct pass *p = context;
    int64_t step = library_step_number(&p->log->steps[i]);
    size_t index;
    if (p->steps.count == 0) {
        begin_segment(p, i);
        return true;
    }
    if (steps_extend(&p->steps, step))
        return true;
    if (steps_find(&p->steps, step, &index))
        return restart(p, i);
    steps_add(&p->steps, step);
    if (step < p->min)
        p->min = step;
    return true;
}

static void take_data(struct pass *p, const struct library_event *e) {
    if (e->kind == LIBRARY_DATA_START) {
        p->data_start = e->at;
        p->has_data = true;
    } else if (p->has_data) {
        p->data_now = number_subtract(e->at, p->data_start);
        p->has_data_now = true;
        p->data_s += p->data_now.value;
        if (p->is_data_sync)
            badputs_add(&p->answer->badputs, LIBRARY_BADPUT_DATA_LOADING_SYNC, p->data_now);
        p->is_data_sync = false;
        p->has_data = false;
    }
}

static bool take_event(void *context, const struct library_event *e) {
    struct pass *p = context;
    switch (e->kind) {
    case LIBRARY_JOB_START:
        p->job_start = e->at;
        p->has_job_start = true;
        break;
    case LIBRARY_JOB_END:
        p->job_end = e->at;
        p->has_job_end = true;
        break;
    case LIBRARY_INIT_START:
        p->init_start = e->at;
        p->has_init = true;
        break;
    case LIBRARY_INIT_END:
        if (p->has_init)
            p->init_s += e->at.value - p->init_start.value;
        p->has_init = false;
        break;
    case LIBRARY_PREP_START:
        p->prep_start = e->at;
        p->has_prep = true;
        break;
    case LIBRARY_PREP_END:
        if (p->has_prep)
            p->prep_s += e->at.value - p->prep_start.value;
        p->has_prep = false;
        break;
    case LIBRARY_DATA_START:
    case LIBRARY_DATA_END:
        take_data(p, e);
        break;
    case LIBRARY_BROKEN_STEP:
        return fail(p, "'step_count'");
    default:
        break;
    }
    return true;
}

struct group {
    double sum;
    int64_t count;
};

/* CheckpointBadputCalculator: the sum over steps of the mean of what was logged for each (kind SAVE or RESTORE).
 * NULL, or the text of the exception. */
static const char *checkpoint_seconds(const struct library_log *log, enum library_kind kind, double *seconds) {
    size_t names = log->groups.count, found = 0;
    CLEANUP_FREE struct group *groups = mem_alloc((names + 1) * sizeof *groups);
    CLEANUP_FREE uint32_t *order = mem_alloc((names + 1) * sizeof *order);
    for (size_t i = 0; i < log->event_count; i++) {
        const struct library_event *e = &log->events[i];
        if (e->kind != kind)
            continue;
        if (e->trouble)
            return e->trouble;
        struct group *g = &groups[e->type];
        if (g->count == 0)
            order[found++] = e->type;
        g->sum = g->count == 0 ? e->at.value : g->sum + e->at.value;
        g->count++;
    }
    double total = 0;
    for (size_t i = 0; i < found; i++)
        total += groups[order[i]].sum / (double)groups[order[i]].count;
    *seconds = total;
    return NULL;
}

static bool finish(struct pass *p) {
    struct library_answer *a = p->answer;
    struct library_badputs *b = &a->badputs;
    double save = 0, restore = 0;
    const char *trouble = checkpoint_seconds(p->log, LIBRARY_SAVE, &save);
    if (trouble == NULL)
        trouble = checkpoint_seconds(p->log, LIBRARY_RESTORE, &restore);
    if (trouble)
        return fail(p, trouble);
    badputs_set(b, LIBRARY_BADPUT_TPU_INITIALIZATION, number_of_double(p->init_s));
    badputs_set(b, LIBRARY_BADPUT_TRAINING_PREP, number_of_double(p->prep_s));
    double sync = b->has[LIBRARY_BADPUT_DATA_LOADING_SYNC] ? b->value[LIBRARY_BADPUT_DATA_LOADING_SYNC].value : 0;
    badputs_set(b, LIBRARY_BADPUT_DATA_LOADING_ASYNC, number_of_double(p->data_s - sync));
    badputs_set(b, LIBRARY_BADPUT_UNPRODUCTIVE_CHECKPOINT_SAVE_TIME, number_of_double(save));
    badputs_set(b, LIBRARY_BADPUT_UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME, number_of_double(restore));
    if (p->steps.count == 0) {
        a->productive_s = 0;
        return true;
    }
    size_t last = p->segment_first;
    for (size_t i = last + 1; i < p->log->step_count; i++)
        if (library_step_number(&p->log->steps[i]) > library_step_number(&p->log->steps[last]))
            last = i;
    struct segment s;
    a->last_step = library_step_number(&p->log->steps[last]);
    if (!close_segment(p, p->log->step_count, a->last_step, &s))
        return false;
    a->productive_s += s.productive;
    a->max_productive_step = s.max_step;
    badputs_accumulate(b, &p->part);
    if (p->has_job_end) {
        a->productive_s += p->job_end.value - p->log->steps[last].at;
        a->max_productive_step = a->last_step;
    }
    a->productive_s -= save;
    return true;
}

bool pass_run(const struct library_log *log, struct library_answer *a) {
    struct pass p = {.log = log, .answer = a, .is_data_sync = true};
    custom_spans_find(&p.spans, log);
    customs_init(&a->badputs.customs, log->types.count);
    customs_init(&p.part.customs, log->types.count);
    bool ok =
        library_log_walk(p.log, take_step, take_event, &p) && finish(&p) && (!a->is_elastic || elastic_add(log, a));
    custom_spans_done(&p.spans);
    customs_done(&p.part.customs);
    steps_done(&p.steps);
    return ok;
}

int64_t first_start_us(const struct library_log *log) {
    for (size_t i = 0; i < log->event_count; i++)
        if (log->events[i].kind == LIBRARY_JOB_START)
            return library_microseconds(log->events[i].at.value);
    return INT64_MIN;
}

double total_job_seconds(const struct library_log *log, int64_t at_us) {
    int64_t start_us = first_start_us(log), end_us = at_us;
    for (size_t i = 0; i < log->event_count; i++)
        if (log->events[i].kind == LIBRARY_JOB_END)
            end_us = library_microseconds(log->events[i].at.value);
    return start_us == INT64_MIN ? 0.0 : library_seconds(end_us) - library_seconds(start_us);
}
