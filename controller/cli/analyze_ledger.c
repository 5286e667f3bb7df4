/* The ledger over log files alone: one slot, one life of it and one process per attempt, from the attempt's first
 * record to its last; the wall time is the logs' own span. The status is written by what writes the controller's. */
#include "cli/analyze.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "ledger/ledger.h"
#include "operator/view.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

struct attempt {
    const char *path;
    int process;
    int64_t first_ms, last_ms;
    bool has_ended, has_steps;
};

struct reading {
    struct ledger *ledger;
    int64_t until_ms;
    struct attempt *attempts;
    size_t count, capacity;
    enum steplog_format recognised;
};

static struct attempt *begin_attempt(struct reading *reading, const char *path) {
    MEM_GROW(reading->attempts, reading->count, reading->capacity);
    struct attempt *t = &reading->attempts[reading->count++];
    *t = (struct attempt){.path = path, .first_ms = TIME_UNKNOWN, .last_ms = TIME_UNKNOWN};
    t->process = ledger_add_process(reading->ledger, reading->count, TIME_UNKNOWN, TIME_OPEN);
    ledger_name_process(reading->ledger, t->process, path);
    return t;
}

/* A recorder's log goes on over restarts: a job start after steps is the next attempt. */
static void on_record(void *context, const struct record *r) {
    struct reading *reading = context;
    struct attempt *t = &reading->attempts[reading->count - 1];
    struct record mine = *r;
    if (r->at_ms == TIME_UNKNOWN || r->at_ms > reading->until_ms)
        return;
    if (r->kind == RECORD_JOB_START && t->has_steps && r->at_ms > t->last_ms)
        t = begin_attempt(reading, t->path);
    mine.process = t->process;
    if (t->first_ms == TIME_UNKNOWN || r->at_ms < t->first_ms)
        t->first_ms = r->at_ms;
    if (t->last_ms == TIME_UNKNOWN || r->at_ms > t->last_ms)
        t->last_ms = r->at_ms;
    t->has_ended = r->kind == RECORD_JOB_END;
    t->has_steps |= r->kind == RECORD_STEP_START || r->kind == RECORD_STEP_END;
    ledger_add_record(reading->ledger, &mine);
}

static int read_attempts(struct reading *reading, const struct analyze_file *f, enum steplog_format format,
                         struct error **err) {
    struct slice bytes = {f->bytes, f->size_bytes}, rest = bytes, first, stamp;
    int64_t ms, before_ms = reading->count ? reading->attempts[reading->count - 1].first_ms : INT64_MIN;
    size_t own = reading->count;
    bool stamped =
        slice_take_line(&rest, &first) && slice_take_until(&first, ' ', &stamp) && rfc3339_parse_ms(stamp, &ms);
    begin_attempt(reading, f->path);
    struct steplog *parser = steplog_new(format, NULL, on_record, reading);
    if (parser == NULL)
        return error_set(err, EINVAL, "--format %s: cannot be read yet", steplog_format_name(format));
    steplog_feed(parser, bytes, stamped);
    steplog_end(parser);
    struct steplog_counts counts = steplog_counts_get(parser);
    steplog_free(parser);
    reading->recognised = counts.recognised;
    int64_t first_ms = reading->attempts[own].first_ms;
    if (first_ms == TIME_UNKNOWN)
        return error_set(err, EINVAL, "%s: none of its %lld lines %s", f->path, (long long)counts.lines,
                         counts.records > 0 ? "tells a time; add stamps, as kubectl logs --timestamps does"
                                            : "is of a step log that is known");
    if (first_ms < before_ms)
        return error_set(err, EINVAL, "%s begins before the file before it: the attempts are wanted in time order",
                         f->path);
    return 0;
}

static void add_life(struct ledger *l, const struct attempt *t, size_t number, int64_t lost_ms) {
    struct ledger_life life = {.id = number + 1,
                               .created_ms = t->first_ms,
                               .bound_ms = t->first_ms,
                               .pull_start_ms = TIME_UNKNOWN,
                               .pull_end_ms = TIME_UNKNOWN,
                               .running_ms = t->first_ms,
                               .lost_ms = lost_ms,
                               .ended_ms = lost_ms,
                               .done_ms = TIME_UNKNOWN,
                               .released_ms = lost_ms};
    slice_copy(life.name, sizeof life.name, slice_of(t->path));
    ledger_add_life(l, &life);
    ledger_add_process(l, number + 1, t->first_ms, lost_ms);
}

static void fill_view(struct view *v, struct model_job *job, const struct target *target) {
    const struct ledger_result *r = &v->result;
    v->job = job;
    v->target = target;
    v->admitted_ms = RECORD_NONE;
    v->ready_ms = r->available_ms;
    v->runtime_ppm = v->job_ppm = v->upper_ppm = v->evidence_ppm = RECORD_NONE;
    for (int i = 0; i < r->bucket_count; i++)
        if (r->buckets[i].bucket == BUCKET_UNATTRIBUTED)
            v->unattributed_ms = r->buckets[i].ms;
    v->scheduling_ppm = ledger_ppm(r->available_ms, r->wall_ms);
    if (!r->has_steps)
        return;
    v->runtime_ppm = ledger_ppm(r->productive_ms, r->available_ms);
    v->job_ppm = ledger_ppm(r->productive_ms, r->wall_ms);
    v->upper_ppm = ledger_ppm(r->productive_ms + v->unattributed_ms, r->available_ms);
    v->evidence_ppm = ledger_ppm(r->available_ms - v->unattributed_ms, r->available_ms);
}

static void write_status(struct ledger *l, int64_t through_ms, bool has_ended, enum steplog_format format,
                         struct buf *json) {
    struct model_job job = {0};
    struct target target = {0}; /* not seen: only the numbers are wanted */
    struct view v = {.now_ms = through_ms, .through_ms = through_ms, .has_ended = has_ended, .log_format = format};
    ledger_evaluate(l, through_ms, &v.result);
    fill_view(&v, &job, &target);
    v.phase = has_ended ? "Completed" : "Training";
    v.phase_since_ms = TIME_UNKNOWN;
    view_write(&v, json);
    ledger_result_done(&v.result);
}

static void conclude(struct reading *reading, struct buf *json) {
    struct ledger *l = reading->ledger;
    assert(reading->attempts != NULL && reading->count > 0);
    const struct attempt *t = reading->attempts, *last = &t[reading->count - 1];
    int64_t end_ms = last->last_ms;
    for (size_t i = 0; i < reading->count; i++)
        end_ms = t[i].last_ms > end_ms ? t[i].last_ms : end_ms;
    if (reading->until_ms != TIME_OPEN && !last->has_ended)
        end_ms = reading->until_ms;
    ledger_set_required(l, t->first_ms, 1);
    for (size_t i = 0; i < reading->count; i++)
        add_life(l, &t[i], i, i + 1 < reading->count ? t[i].last_ms : TIME_OPEN);
    ledger_set_span(l, t->first_ms, last->has_ended ? end_ms : TIME_OPEN,
                    last->has_ended ? OUTCOME_SUCCEEDED : OUTCOME_RUNNING);
    write_status(l, end_ms, last->has_ended, reading->recognised, json);
}

int analyze_ledger(const struct analyze *a, struct buf *json, struct error **err) {
    struct ledger_options options = {.has_log = true, .window_count = a->window_count};
    for (int i = 0; i < a->window_count; i++)
        options.windows_ms[i] = a->windows_s[i] * 1000;
    if (!isnan(a->ideal_s))
        options.ideal_step_ms = llround(a->ideal_s * 1000);
    struct reading reading = {.ledger = ledger_new(&options),
                              .until_ms = a->at_us != ANALYZE_NO_TIME ? a->at_us / 1000 : TIME_OPEN};
    int r = 0;
    for (size_t i = 0; i < a->file_count && r == 0; i++)
        r = read_attempts(&reading, &a->files[i], a->format, err);
    if (r == 0)
        conclude(&reading, json);
    ledger_free(reading.ledger);
    free(reading.attempts);
    return r;
}
