/* The duration of steps: the steps between two lines, the ideal step, the usual one, and when a step is slow. */
#include "ledger/step_times.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "ledger/training.h"

#include <math.h>
#include <string.h>

#define HANG_AFTER_MIN_MS 300000
#define MAX_INTERVAL 100000
#define FENCE_STEPS 16 /* with fewer, quartiles mean little */

void training_add_delta(struct delta_count *sums, int64_t delta, int64_t count) {
    for (size_t k = 0; k < SETTLED_DELTAS && count > 0; k++)
        if (sums[k].count == 0 || sums[k].delta == delta) {
            sums[k].delta = delta;
            sums[k].count += count;
            return;
        }
}

static void learn_interval(struct training *t) {
    struct delta_count sums[SETTLED_DELTAS] = {0};
    size_t best = 0;
    if (t->settled != NULL)
        memcpy(sums, t->settled->deltas, sizeof sums);
    for (size_t i = 0; i < t->view_count; i++)
        for (size_t j = 0; j < ARRAY_SIZE(t->views[i].list->deltas); j++)
            training_add_delta(sums, t->views[i].list->deltas[j].delta, t->views[i].list->deltas[j].count);
    for (size_t k = 1; k < SETTLED_DELTAS; k++)
        if (sums[k].count > sums[best].count ||
            (sums[k].count == sums[best].count && sums[k].delta < sums[best].delta && sums[k].count > 0))
            best = k;
    t->interval = sums[best].delta > 0 ? min_of(sums[best].delta, MAX_INTERVAL) : 1;
}

/* Walks the named intervals of a process in time order, with overlapping ones as one. */
struct names {
    const struct process *process;
    size_t next;
    int64_t known_ms, from_ms, to_ms;
    bool is_buffered; /* the stamps of starts and ends say nothing */
};

static void next_name(struct names *n) {
    const struct process *p = n->process;
    n->from_ms = n->to_ms = TIME_OPEN;
    for (; n->next < p->overlays.count; n->next++) {
        const struct overlay *o = &p->overlays.items[n->next];
        if (o->from_ms > n->known_ms || (o->by_duration && o->to_ms > n->known_ms) ||
            (n->is_buffered && !overlay_is_stated(o)))
            continue;
        if (n->from_ms == TIME_OPEN)
            n->from_ms = o->from_ms, n->to_ms = o->to_ms;
        else if (o->from_ms <= n->to_ms)
            n->to_ms = max_of(n->to_ms, o->to_ms);
        else
            break;
    }
}

/* The part of a span that they cover; successive calls must go forward in time. */
static int64_t named_ms(struct names *n, int64_t from_ms, int64_t to_ms) {
    int64_t sum = 0;
    for (;;) {
        if (n->from_ms < to_ms && n->to_ms > from_ms)
            sum += min_of(n->to_ms, to_ms) - max_of(n->from_ms, from_ms);
        if (n->to_ms > to_ms)
            return sum;
        next_name(n);
    }
}

/* The pace may have changed in the line: the two after it count, too. */
int64_t training_high_ms(const struct training *t, const struct view *v, size_t i) {
    const struct step_event *e = v->list->items;
    const struct overlay_list *o = &v->process->overlays;
    size_t next = BISECT(k, o->count, o->items[k].from_ms < e[i].at_ms);
    struct names names = {.process = v->process, .next = next, .known_ms = t->known_ms, .is_buffered = v->is_buffered};
    int64_t high_ms = t->high_ms;
    next_name(&names);
    for (size_t k = i + 1; !v->reports_starts && k <= i + 2 && k < v->completed && e[k].step > e[k - 1].step; k++) {
        int64_t ms = e[k].at_ms - e[k - 1].at_ms - named_ms(&names, e[k - 1].at_ms, e[k].at_ms);
        high_ms = max_of(high_ms, ms / (e[k].step - e[k - 1].step));
    }
    return min_of(high_ms, INT32_MAX);
}

int64_t training_edge_high_ms(const struct training *t) {
    return min_of(2 * t->high_ms, INT32_MAX);
}

/* No other line shows that a slow patch was in it: a pace down to half the usual one is not compilation for certain. */
int64_t training_first_high_ms(const struct training *t, const struct view *v, size_t i) {
    return min_of(max_of(training_high_ms(t, v, i), 2 * t->usual_ms), INT32_MAX);
}

int64_t training_first_line_ms(const struct training *t, const struct run *run) {
    const struct view *v = &t->views[run->view];
    const struct step_event *e = &v->list->items[run->first];
    const struct overlay_list *o = &v->process->overlays;
    size_t next = BISECT(k, o->count, o->items[k].from_ms < run->begin_ms);
    struct names names = {.process = v->process, .next = next, .known_ms = t->known_ms, .is_buffered = v->is_buffered};
    next_name(&names);
    int64_t ms = max_of(0, e->at_ms - run->begin_ms - named_ms(&names, run->begin_ms, e->at_ms));
    bool is_limited = t->ideal_ms > 0 && !v->is_buffered;
    return is_limited ? min_of(ms, training_first_high_ms(t, v, run->first) * (e->step - run->resumed_step + 1)) : ms;
}

static int32_t each_ms(int64_t ms, int64_t numbers) {
    if (numbers != 1)
        ms /= numbers;
    return ms > INT32_MAX ? INT32_MAX : (int32_t)ms;
}

static size_t durations_by_ends(const struct view *v, int64_t known_ms, size_t completed, int32_t *to) {
    const struct step_event *e = v->list->items;
    size_t n = 0, mark = 0;
    struct names names = {.process = v->process, .known_ms = known_ms, .is_buffered = v->is_buffered};
    next_name(&names);
    for (size_t i = 0; i < completed; i++) {
        while (mark < v->list->run_count && v->list->runs[mark].first < i)
            mark++;
        if (mark < v->list->run_count && v->list->runs[mark].first == i)
            continue; /* the first of its run */
        int64_t ms = e[i].at_ms - e[i - 1].at_ms - named_ms(&names, e[i - 1].at_ms, e[i].at_ms);
        to[n++] = each_ms(ms, e[i].step - e[i - 1].step);
    }
    return n;
}

static size_t durations_by_starts(const struct view *v, size_t completed, int32_t *to) {
    const struct step_event *e = v->list->items;
    size_t n = 0, between = completed < v->event_count ? completed : v->event_count - 1;
    for (size_t i = !v->is_continued; i < between; i++)
        to[n++] = each_ms(e[i + 1].at_ms - e[i].at_ms, e[i + 1].step > e[i].step ? e[i + 1].step - e[i].step : 1);
    if (between < completed && (between > 0 || v->is_continued))
        to[n++] = each_ms(v->job_end_ms - e[between].at_ms, 1);
    return n;
}

size_t training_durations(const struct view *v, int64_t known_ms, size_t max, int32_t *to) {
    size_t completed = v->completed < max ? v->completed : max;
    if (completed == 0)
        return 0;
    return v->reports_starts ? durations_by_starts(v, completed, to) : durations_by_ends(v, known_ms, completed, to);
}

/* For logs with one line per step: a step is slow beyond Tukey's outer fence (Exploratory Data Analysis, 1977: the
 * upper quartile plus three times the distance of the quartiles), but between a tenth and half a step over the median.
 * In the real runs of tests/steplog/test_truth.c, on busy machines, this leaves the steps their time; a fixed quarter
 * of a step took up to a tenth of it away. */
static double slow_step_ms(const struct durations *settled, int32_t *all, size_t n, int64_t total, double median_ms) {
    if (total < FENCE_STEPS)
        return median_ms / 2;
    double lower_ms = durations_kth(settled, all, n, total / 4),
           upper_ms = durations_kth(settled, all, n, 3 * total / 4);
    double fence_ms = upper_ms + 3 * (upper_ms - lower_ms) - median_ms;
    return fmin(fmax(fence_ms, median_ms / 10), median_ms / 2);
}

/* A stamp of whole seconds means any instant of that second. */
static bool has_whole_seconds(const struct training *t) {
    size_t events = 0;
    for (size_t i = 0; i < t->view_count; i++) {
        const struct step_list *list = t->views[i].list;
        for (size_t k = 0; k < list->count; k++, events++)
            if (list->items[k].at_ms % 1000 != 0)
                return false;
    }
    return events >= FENCE_STEPS;
}

/* Learns the usual duration of a line's steps and the excess from which on a line is slow, so that something else
 * happened in it. Steps vary independently, so chance explains at most half a step times the square root of the k steps
 * in a line. Many lines of several steps contain something else, which makes them longer, never shorter. So the lower
 * quartile is usual, and slow is four times the spread of the quarter below it, but at least a fifth of a step times
 * the root. Durations are rounded down to a millisecond, which the steps of a line may all exceed by as much. */
static void learn_slow(struct training *t, const struct durations *settled, int32_t *all, size_t n, int64_t total) {
    if (t->interval < 2) {
        t->slow_ms = (int64_t)slow_step_ms(settled, all, n, total, (double)t->median_ms);
        return;
    }
    double root = sqrt((double)t->interval);
    t->slow_ms = (int64_t)(root * (double)t->median_ms / 2);
    if (total < 3)
        return;
    int64_t low_ms = durations_kth(settled, all, n, total / 20);
    t->usual_ms = durations_kth(settled, all, n, total / 4);
    double spread = 4 * (double)((t->usual_ms - low_ms) * t->interval), usual_ms = (double)t->usual_ms;
    t->slow_ms = (int64_t)fmin(fmax(spread, root * usual_ms / 5), root * usual_ms / 2) + t->interval;
}

/* Learns the range of a step's duration in a line of which it is not known how much of it is steps. Its upper end is
 * Tukey's outer fence, by the quartiles' distance or by their ratio, as spread steps are skewed; or the slowest line if
 * that is less. The next of n lines is beyond the range of all with a probability of 2 / n: both ends are as much of a
 * step further away. */
static void learn_range(struct training *t, const struct durations *settled, int32_t *all, size_t n, int64_t total) {
    int64_t beyond_ms = 2 * t->median_ms / total, lower_ms = durations_kth(settled, all, n, total / 4),
            upper_ms = durations_kth(settled, all, n, 3 * total / 4);
    t->low_ms = max_of(0, durations_kth(settled, all, n, total / 20) - beyond_ms);
    double ratio = lower_ms > 0 ? (double)upper_ms / (double)lower_ms : 1,
           fence_ms = fmax((double)(upper_ms + 3 * (upper_ms - lower_ms)), (double)upper_ms * ratio * ratio);
    t->high_ms = beyond_ms + (int64_t)fmin(fence_ms, durations_kth(settled, all, n, total - 1));
}

/* Median and 99th percentile (nearest rank) of the durations of all steps that are not the first of their process. It
 * takes at least two durations (three steps). */
static void learn_durations(struct training *t) {
    static const struct durations none;
    const struct durations *settled = t->settled != NULL ? &t->settled->durations : &none;
    size_t max = 0, n = 0;
    t->median_ms = t->p99_ms = RECORD_NONE;
    bool has_ends = false;
    for (size_t i = 0; i < t->view_count; i++) {
        max += t->views[i].completed;
        has_ends |= !t->views[i].reports_starts;
    }
    if (max < 3 && settled->total < 3)
        return;
    int32_t *all = mem_resize(NULL, max + 1, sizeof *all);
    for (size_t i = 0; i < t->view_count; i++)
        n += training_durations(&t->views[i], t->known_ms, SIZE_MAX, all + n);
    int64_t total = settled->total + (int64_t)n;
    if (total >= 2) {
        int64_t upper = durations_kth(settled, all, n, total / 2);
        t->median_ms = total % 2 ? upper : (upper + durations_kth(settled, all, n, total / 2 - 1)) / 2;
        t->p99_ms = durations_kth(settled, all, n, (total * 99 + 99) / 100 - 1);
        t->usual_ms = t->low_ms = t->high_ms = t->median_ms;
        if (has_ends) { /* the recorder reports everything else, so with it no step is slow */
            learn_range(t, settled, all, n, total);
            learn_slow(t, settled, all, n, total);
            t->slow_ms += has_whole_seconds(t) ? 1000 : 0; /* so much longer may a line seem */
        }
    }
    free(all);
}

void training_learn(struct training *t, const struct ledger_options *options) {
    learn_interval(t);
    learn_durations(t);
    t->ideal_ms = t->median_ms != RECORD_NONE ? t->median_ms : 0;
    t->first_ms = t->usual_ms;
    if (options->ideal_step_ms > 0)
        t->first_ms = t->low_ms = t->ideal_ms = min_of(options->ideal_step_ms, INT32_MAX);
    t->high_ms = max_of(t->high_ms, t->first_ms);
    t->hang_after_ms =
        options->hang_after_ms > 0 ? options->hang_after_ms : max_of(HANG_AFTER_MIN_MS, 10 * t->ideal_ms * t->interval);
    if (t->is_buffered) /* silence between writes says nothing */
        t->hang_after_ms = max_of(t->hang_after_ms, 10 * t->ideal_ms * t->interval);
}
