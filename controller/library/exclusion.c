#include "library/exclusion.h"

#include "base/mem.h"
#include "library/deviation.h"
#include "library/elastic.h"
#include "library/pass.h"

#include <math.h>
#include <stdio.h>

struct span {
    double from, to;
};

struct pass {
    const struct library_log *log;
    struct library_answer *answer;
    struct custom_spans customs;
    struct custom_span *ordered; /* the customs in the order of their ends */
    struct span *spans;          /* excluded: sorted, disjoint */
    size_t span_count;
    struct step_times times;
    struct steps steps;
    size_t segment_first;
    int64_t min;
    struct library_badputs part;
    double job_start, job_end, init_start, prep_start, data_start; /* 0: none */
    double init_s, prep_s, data_s;
    bool is_data_sync;
};

static int by_from(const void *a, const void *b) {
    const struct library_span *x = a, *y = b;
    if (x->from_us != y->from_us)
        return x->from_us < y->from_us ? -1 : 1;
    return x->to_us < y->to_us ? -1 : x->to_us > y->to_us;
}

/* normalize_intervals */
static void normalize(struct pass *p, const struct library_span *spans, size_t count) {
    CLEANUP_FREE struct library_span *sorted = mem_resize(NULL, count + 1, sizeof *sorted);
    size_t n = 0, merged = 0;
    for (size_t i = 0; i < count; i++)
        if (spans[i].from_us < spans[i].to_us)
            sorted[n++] = spans[i];
    qsort(sorted, n, sizeof *sorted, by_from);
    for (size_t i = 0; i < n; i++) {
        if (merged == 0 || sorted[i].from_us > sorted[merged - 1].to_us)
            sorted[merged++] = sorted[i];
        else if (sorted[i].to_us > sorted[merged - 1].to_us)
            sorted[merged - 1].to_us = sorted[i].to_us;
    }
    p->spans = mem_resize(NULL, merged + 1, sizeof *p->spans);
    for (size_t i = 0; i < merged; i++)
        p->spans[i] = (struct span){library_seconds(sorted[i].from_us), library_seconds(sorted[i].to_us)};
    p->span_count = merged;
}

static double overlap_one(double from, double to, double span_from, double span_to) {
    double a = python_max(from, span_from), b = python_min(to, span_to);
    return a < b ? b - a : 0.0;
}

static double overlap(const struct pass *p, double from, double to) {
    double total = 0.0;
    for (size_t i = 0; i < p->span_count; i++)
        total += overlap_one(from, to, p->spans[i].from, p->spans[i].to);
    return total;
}

/* _calculate_adjusted_delta; what is excluded is added to the answer. */
static double adjusted(struct pass *p, double from, double to) {
    double excluded = overlap(p, from, to);
    p->answer->excluded_s += excluded;
    return python_max(0.0, to - from - excluded);
}

static double custom_overlap(struct pass *p, double from, double to) {
    double sum = 0.0;
    for (size_t i = 0; i < p->customs.count; i++) {
        double seconds = overlap_one(from, to, p->ordered[i].from, p->ordered[i].to);
        sum += seconds;
        customs_add(&p->part.customs, p->ordered[i].type, seconds);
    }
    return sum;
}

struct segment {
    double total, first, others, wasted, excluded;
    int64_t count, max_step;
    size_t min_index;
    bool has_min;
};

static void take_pair(struct pass *p, struct segment *s, size_t i, int64_t until) {
    const struct library_step *a = &p->log->steps[i - 1], *b = a + 1;
    int64_t previous = library_step_number(a);
    double raw = b->at - a->at, excluded = overlap(p, a->at, b->at);
    s->excluded += excluded;
    if (library_step_number(b) > until) {
        s->wasted += python_max(0.0, raw - excluded);
        return;
    }
    if (library_step_number(b) - 1 != previous)
        return;
    double seconds = python_max(0.0, raw - custom_overlap(p, a->at, b->at) - excluded);
    s->total += seconds;
    if (previous == p->min) {
        s->first = seconds;
        s->has_min = true;
    } else {
        s->others += seconds;
    }
    step_times_set(&p->times, previous, seconds);
    s->count++;
    s->max_step = previous;
}

/* _process_segment_with_exclusions and what its caller does with the answer. */
static bool close_segment(struct pass *p, size_t end, int64_t until) {
    struct segment s = {0};
    p->part.count = 0;
    for (int i = 0; i < LIBRARY_BADPUT_COUNT; i++)
        p->part.has[i] = false;
    customs_clear(&p->part.customs);
    if (p->customs.trouble) {
        snprintf(p->answer->error, sizeof p->answer->error, "%s", p->customs.trouble);
        return false;
    }
    for (size_t i = p->segment_first + 1; i < end; i++)
        take_pair(p, &s, i, until);
    p->answer->excluded_s += s.excluded;
    if (s.count > 0) {
        double average = s.count > 1 ? s.others / (double)(s.count - 1) : s.first;
        double startup = python_max(0.0, s.first - average);
        p->answer->productive_s += s.total - startup;
        if (s.has_min)
            step_times_set(&p->times, p->min, python_min(s.first, average));
        badputs_set(&p->part, LIBRARY_BADPUT_PROGRAM_STARTUP, number_of_double(startup));
    }
    badputs_set(&p->part, LIBRARY_BADPUT_WASTED_PROGRESS_FROM_DISRUPTION, number_of_double(s.wasted));
    if (s.count > 0)
        badputs_set(&p->part, LIBRARY_BADPUT_CUSTOM_BADPUT_EVENTS, number_of_double(0));
    badputs_accumulate(&p->answer->badputs, &p->part);
    if (s.max_step > p->answer->max_productive_step)
        p->answer->max_productive_step = s.max_step;
    return true;
}

static bool take_step(void *context, size_t i) {
    struct pass *p = context;
    int64_t step = library_step_number(&p->log->steps[i]);
    size_t index;
    if (p->steps.count > 0 && !steps_find(&p->steps, step, &index)) {
        steps_add(&p->steps, step);
        if (step < p->min)
            p->min = step;
        return true;
    }
    if (p->steps.count > 0) {
        double last = p->log->steps[i - 1].at;
        p->answer->disruptions++;
        if (!close_segment(p, i, step))
            return false;
        if (p->job_start != 0 && last != 0 && p->job_start > last)
            badputs_add(&p->answer->badputs, LIBRARY_BADPUT_INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION,
                        number_of_double(adjusted(p, last, p->job_start)));
        p->is_data_sync = true;
    }
    p->segment_first = i;
    p->min = step;
    steps_clear(&p->steps);
    steps_add(&p->steps, step);
    return true;
}

/* An interval's end; *start is the open start. */
static double take_end(struct pass *p, const struct library_event *e, double *start) {
    double seconds = *start != 0 ? adjusted(p, *start, e->at.value) : 0.0;
    *start = 0;
    return seconds;
}

static bool take_event(void *context, const struct library_event *e) {
    struct pass *p = context;
    switch (e->kind) {
    case LIBRARY_JOB_START:
        p->job_start = e->at.value;
        break;
    case LIBRARY_JOB_END:
        p->job_end = e->at.value;
        break;
    case LIBRARY_INIT_START:
        p->init_start = e->at.value;
        break;
    case LIBRARY_INIT_END:
        p->init_s += take_end(p, e, &p->init_start);
        break;
    case LIBRARY_PREP_START:
        p->prep_start = e->at.value;
        break;
    case LIBRARY_PREP_END:
        p->prep_s += take_end(p, e, &p->prep_start);
        break;
    case LIBRARY_DATA_START:
        p->data_start = e->at.value;
        break;
    case LIBRARY_DATA_END:
        if (p->data_start != 0) {
            double seconds = take_end(p, e, &p->data_start);
            p->data_s += seconds;
            if (p->is_data_sync)
                badputs_add(&p->answer->badputs, LIBRARY_BADPUT_DATA_LOADING_SYNC, number_of_double(seconds));
            p->is_data_sync = false;
        }
        break;
    case LIBRARY_BROKEN_STEP:
        snprintf(p->answer->error, sizeof p->answer->error, "'step_count'");
        return false;
    default:
        break;
    }
    return true;
}

static bool finish(struct pass *p) {
    struct library_answer *a = p->answer;
    struct library_badputs *b = &a->badputs;
    if (p->steps.count > 0) {
        size_t last = p->segment_first;
        for (size_t i = last + 1; i < p->log->step_count; i++)
            if (library_step_number(&p->log->steps[i]) > library_step_number(&p->log->steps[last]))
                last = i;
        a->last_step = library_step_number(&p->log->steps[last]);
        if (!close_segment(p, p->log->step_count, a->last_step))
            return false;
        if (p->job_end != 0) {
            a->productive_s += adjusted(p, p->log->steps[last].at, p->job_end);
            a->max_productive_step = a->last_step;
        }
    }
    badputs_set(b, LIBRARY_BADPUT_TPU_INITIALIZATION, number_of_double(p->init_s));
    badputs_set(b, LIBRARY_BADPUT_TRAINING_PREP, number_of_double(p->prep_s));
    double sync = b->has[LIBRARY_BADPUT_DATA_LOADING_SYNC] ? b->value[LIBRARY_BADPUT_DATA_LOADING_SYNC].value : 0.0;
    badputs_set(b, LIBRARY_BADPUT_DATA_LOADING_ASYNC, number_of_double(p->data_s - sync));
    return true;
}

static void conclude(struct pass *p, int64_t at_us, double ideal_s, struct library_deviation *d) {
    struct library_answer *a = p->answer;
    a->total_s = python_max(0.0, total_job_seconds(p->log, at_us) - a->excluded_s);
    if (a->total_s == 0.0) {
        a->is_empty = true;
        return;
    }
    badputs_finish(&a->badputs, a->total_s, a->productive_s);
    a->goodput_percent = a->productive_s / a->total_s * 100;
    bool is_configured = !isnan(ideal_s) && ideal_s != 0;
    if (is_configured || ideal_step_time(p->times.seconds, p->times.steps.count, &ideal_s))
        deviation_fill(d, &p->times, ideal_s, true);
}

void library_with_exclusions(const struct library_log *log, int64_t at_us, const struct library_span *spans,
                             size_t count, double ideal_s, bool is_elastic, struct library_answer *a,
                             struct library_deviation *d) {
    struct library_log part;
    library_log_part(log, INT64_MIN, at_us, &part);
    struct pass p = {.log = &part, .answer = a, .is_data_sync = true};
    *a = (struct library_answer){.is_elastic = is_elastic};
    *d = (struct library_deviation){0};
    normalize(&p, spans, count);
    custom_spans_find(&p.customs, &part);
    p.ordered = mem_resize(NULL, p.customs.count + 1, sizeof *p.ordered);
    for (size_t i = 0; i < p.customs.count; i++)
        p.ordered[p.customs.items[i].number] = p.customs.items[i];
    customs_init(&a->badputs.customs, part.types.count);
    customs_init(&p.part.customs, part.types.count);
    if (library_log_walk(&part, take_step, take_event, &p) && finish(&p))
        conclude(&p, at_us, ideal_s, d);
    int64_t start_us = first_start_us(&part);
    if (is_elastic && a->error[0] == '\0' && start_us != INT64_MIN) /* get_job_goodput_details() */
        elastic_efficiency(&part, library_seconds(start_us), library_seconds(start_us) + a->total_s, a);
    custom_spans_done(&p.customs);
    free(p.ordered);
    free(p.spans);
    customs_done(&p.part.customs);
    steps_done(&p.steps);
    step_times_done(&p.times);
    library_log_done_part(&part);
}
