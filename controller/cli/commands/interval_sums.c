#include "cli/commands/interval_sums.h"

#include "base/bisect.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/rfc3339.h"
#include "cli/render/pick.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOT_LISTED "(not listed)" /* the cause of interruptions that the lines have only as a sum */

static bool is_record(const json_t *x, const char *record) {
    return strcmp(pick_text(x, "record"), record) == 0;
}

static bool is_sum(const json_t *x) { /* of the time before completeFrom */
    return is_record(x, "settled") && pick_has(x, "from");
}

static bool is_correction(const json_t *x) { /* of work that was lost later */
    return is_record(x, "settled") && !pick_has(x, "from");
}

static bool is_productive(const json_t *x) {
    return strcmp(pick_text(x, "bucket"), "Productive") == 0;
}

/* ---- names of interruptions ---- */

static struct interval_name *name_of(struct interval_sums *s, int64_t number) {
    size_t i = BISECT(k, s->name_count, s->names[k].number < number);
    if (i < s->name_count && s->names[i].number == number)
        return &s->names[i];
    MEM_GROW(s->names, s->name_count, s->name_capacity);
    memmove(&s->names[i + 1], &s->names[i], (s->name_count++ - i) * sizeof *s->names);
    s->names[i] = (struct interval_name){number, NULL};
    return &s->names[i];
}

static bool is_own_line(const json_t *x) {
    return is_record(x, "interruption") || is_record(x, "end");
}

static void find_names(struct interval_sums *s, const json_t *records) {
    json_t *x;
    size_t i;
    json_array_foreach((json_t *)records, i, x) {
        int64_t number = pick_int(x, "interruption", 0);
        if (number <= 0 || (!is_own_line(x) && !is_record(x, "span")))
            continue;
        struct interval_name *name = name_of(s, number);
        if (name->line == NULL || !is_own_line(name->line) || is_own_line(x))
            name->line = x;
    }
}

/* ---- sums ---- */

/* A loss is its interruption's, else its bucket's owner's. */
static void add_loss(struct interval_sums *s, const json_t *x, struct interval_range ms) {
    int64_t number = pick_int(x, "interruption", 0);
    const json_t *line = number > 0 ? name_of(s, number)->line : x;
    const char *owner = pick_text(line, "owner"), *cause = number > 0 ? pick_text(line, "cause") : "";
    interval_rows_add(&s->losses, cause, *owner != '\0' ? owner : pick_text(x, "owner"), ms);
}

/* A line that sums: a bucket's time, of which interruptions caused a part; or what interruptions lost. */
static void add_amounts(struct interval_sums *s, const json_t *x, const struct interval_time *time) {
    int64_t ms = pick_int(x, "milliseconds", 0), lost_ms = pick_int(x, "lostMilliseconds", 0);
    if (pick_has(x, "bucket") && !is_productive(x)) {
        interval_rows_add(&s->buckets, pick_text(x, "bucket"), pick_text(x, "family"), interval_share(ms, time));
        add_loss(s, x, interval_share(ms - pick_int(x, "interruptionMilliseconds", 0), time));
    } else if (pick_has(x, "interruption")) {
        add_loss(s, x, interval_share(lost_ms, time));
    } else if (pick_has(x, "lostMilliseconds")) {
        interval_rows_add(&s->losses, NOT_LISTED, pick_text(x, "owner"), interval_share(lost_ms, time));
    }
}

static int take_span(struct interval_sums *s, const json_t *x, struct error **err) {
    int64_t from_ms = pick_time_ms(x, "from"), to_ms = pick_time_ms(x, "to");
    if (from_ms != s->through_ms || to_ms < from_ms)
        return error_set(err, EINVAL, "its spans leave a gap or overlap");
    s->through_ms = to_ms;
    if (is_productive(x)) {
        interval_train(&s->time, from_ms, to_ms);
        return 0;
    }
    struct interval_time time = interval_span(&s->time, from_ms, to_ms);
    interval_rows_add(&s->buckets, pick_text(x, "bucket"), pick_text(x, "family"), time.inside);
    add_loss(s, x, time.inside);
    return 0;
}

/* All corrections of one moment share the productive time that was lost. *i: the first; moves past the last. */
static int take_corrections(struct interval_sums *s, const json_t *records, size_t *i, struct error **err) {
    const json_t *first = json_array_get(records, *i), *x = first;
    int64_t lost_ms = 0;
    size_t end = *i;
    for (; is_correction(x) && strcmp(pick_text(x, "to"), pick_text(first, "to")) == 0;
         x = json_array_get(records, ++end))
        lost_ms -= is_productive(x) ? pick_int(x, "milliseconds", 0) : 0;
    struct interval_time time = interval_lose(&s->time, lost_ms);
    if (lost_ms <= 0 || time.ms != lost_ms)
        return error_set(err, EINVAL, "it loses more productive time than it has");
    for (; *i < end; ++*i)
        add_amounts(s, json_array_get(records, *i), &time);
    return 0;
}

static int take_lines(struct interval_sums *s, const json_t *records, struct error **err) {
    const struct interval_time sums = interval_sums(&s->time);
    int r = 0;
    for (size_t i = 0; i < json_array_size(records) && r == 0;) {
        const json_t *x = json_array_get(records, i);
        if (is_correction(x) && (pick_has(x, "bucket") || pick_has(x, "lostMilliseconds"))) {
            r = take_corrections(s, records, &i, err);
            continue;
        }
        if (is_record(x, "span"))
            r = take_span(s, x, err);
        else if (is_sum(x) && is_productive(x))
            s->time.trained_before_ms += max_of(0, min_of(pick_int(x, "milliseconds", 0), sums.ms));
        else if (is_sum(x))
            add_amounts(s, x, &sums);
        i++;
    }
    return r;
}

/* ---- interruptions ---- */

static bool is_inside(const struct interval_sums *s, int64_t at_ms) {
    const struct interval *t = &s->time;
    return at_ms >= t->from_ms && (at_ms < t->to_ms || (at_ms == t->to_ms && at_ms == s->through_ms));
}

static void add_event(struct interval_sums *s, int64_t number, int64_t at_ms, const json_t *line) {
    if (!is_inside(s, at_ms))
        return;
    MEM_GROW(s->events, s->event_count, s->event_capacity);
    s->events[s->event_count++] = (struct interval_event){at_ms,
                                                          number,
                                                          pick_text(line, "cause"),
                                                          pick_text(line, "owner"),
                                                          is_own_line(line) ? pick_text(line, "node") : "",
                                                          is_own_line(line) ? pick_text(line, "evidence") : ""};
    s->interruptions.low++;
    s->interruptions.high++;
}

/* Interruptions of a job that runs have no line yet: the next execution starts where one is. */
static void find_events(struct interval_sums *s, const json_t *records) {
    int64_t execution = 0;
    json_t *x;
    size_t i;
    json_array_foreach((json_t *)records, i, x) {
        int64_t count = pick_int(x, "count", 1), number = pick_int(x, "interruption", 0);
        if (is_record(x, "interruption") && pick_has(x, "from")) {
            add_event(s, number, pick_time_ms(x, "from"), x);
        } else if (is_record(x, "interruption")) { /* without a time */
            const struct interval *t = &s->time;
            const struct interval_time of =
                json_is_true(pick(x, "onlyCounted")) ? interval_span(t, t->start_ms, s->through_ms) : interval_sums(t);
            s->interruptions.low += of.inside.low == of.ms ? count : 0;
            s->interruptions.high += of.inside.high > 0 || of.ms == 0 ? count : 0;
        } else if (is_record(x, "span")) {
            int64_t next = pick_int(x, "execution", execution);
            for (number = execution; execution > 0 && number < next && number < execution + 64; number++) {
                const json_t *line = name_of(s, number)->line;
                if (line == NULL || !is_own_line(line))
                    add_event(s, number, pick_time_ms(x, "from"), line);
            }
            execution = max_of(execution, next);
        }
    }
}

static int by_time(const void *a, const void *b) {
    const struct interval_event *x = a, *y = b;
    return x->at_ms != y->at_ms ? (x->at_ms < y->at_ms ? -1 : 1) : (x->number > y->number) - (x->number < y->number);
}

static void sort(struct interval_sums *s) {
    interval_rows_sort(&s->buckets);
    interval_rows_sort(&s->losses);
    if (s->event_count > 1)
        qsort(s->events, s->event_count, sizeof *s->events, by_time);
}

/* ---- the window ---- */

static int find_window(struct interval_sums *s, const struct job_lines *lines, int64_t from_ms, int64_t to_ms,
                       struct error **err) {
    const json_t *job = job_lines_find(lines, "job");
    int64_t end_ms = TIME_UNKNOWN;
    json_t *x;
    size_t i;
    s->time.start_ms = pick_time_ms(job, "from");
    s->time.complete_ms = s->through_ms = job_lines_complete_from_ms(lines);
    json_array_foreach(lines->records, i, x) if (is_record(x, "span")) end_ms = max_of(end_ms, pick_time_ms(x, "to"));
    end_ms = max_of(end_ms, s->time.complete_ms);
    if (s->time.start_ms == TIME_UNKNOWN || s->time.complete_ms < s->time.start_ms)
        return error_set(err, EINVAL, "it has no time");
    s->time.from_ms = max_of(from_ms, s->time.start_ms);
    s->time.to_ms = min_of(to_ms, end_ms);
    if (s->time.from_ms < s->time.to_ms)
        return 0;
    char start[RFC3339_SIZE], end[RFC3339_SIZE];
    return error_set(err, ERANGE, "its time is from %s to %s: nothing of it is in the window",
                     rfc3339_format_ms(start, s->time.start_ms), rfc3339_format_ms(end, end_ms));
}

int interval_sums_read(const struct job_lines *lines, int64_t from_ms, int64_t to_ms, struct interval_sums *ret,
                       struct error **err) {
    *ret = (struct interval_sums){0};
    int r = find_window(ret, lines, from_ms, to_ms, err);
    find_names(ret, lines->records);
    if (r == 0)
        r = take_lines(ret, lines->records, err);
    if (r < 0) {
        interval_sums_done(ret);
        return r;
    }
    struct interval_range trained = interval_trained(&ret->time);
    interval_rows_add(&ret->buckets, "Productive", "Productive", trained);
    ret->has_steps =
        job_lines_find(lines, "steps") != NULL || ret->time.trained_before_ms > 0 || ret->time.trained_capacity > 0;
    find_events(ret, lines->records);
    sort(ret);
    return 0;
}

void interval_sums_done(struct interval_sums *sums) {
    interval_done(&sums->time);
    free(sums->buckets.items);
    free(sums->losses.items);
    free(sums->events);
    free(sums->names);
    *sums = (struct interval_sums){0};
}

struct interval_scores interval_sums_scores(const struct interval_sums *sums) {
    struct interval_scores out = {
        sums->time.to_ms - sums->time.from_ms, {0, 0}, interval_trained(&sums->time), sums->has_steps};
    for (size_t i = 0; i < sums->buckets.count; i++)
        if (strcmp(sums->buckets.items[i].of, "Scheduling") != 0) {
            out.available.low += sums->buckets.items[i].ms.low;
            out.available.high += sums->buckets.items[i].ms.high;
        }
    out.available.high = min_of(out.available.high, out.wall_ms);
    return out;
}
