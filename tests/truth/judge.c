#include "judge.h"
#include "ledger/evaluate.h"

#include "base/mem.h"
#include "record_names.h"
#include "tear.h"
#include "write.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct feed {
    struct ledger *ledger;
    int process;
    int64_t skew_ms, start_ms;
    bool prints;
    struct reading *reading;
    struct tear *tear; /* of a line of this attempt; NULL */
};

static void on_record(void *context, const struct record *r) {
    struct feed *f = context;
    struct record mine = *r;
    mine.process = f->process;
    ledger_add_record(f->ledger, &mine);
    if (f->tear != NULL)
        tear_note(f->tear, r);
    struct reading *t = f->reading;
    if (f->prints)
        printf("record %-12s at %10.3f step %lld took %lld\n", record_kind_name(r->kind),
               (double)(r->at_ms - f->start_ms) / 1000, r->step == RECORD_NONE ? -1 : (long long)r->step,
               r->duration_ms == RECORD_NONE ? -1 : (long long)r->duration_ms);
    t->steps += r->kind == RECORD_STEP_END;
    t->shows_bursts |= r->same_write > 0;
    t->starts += r->kind == RECORD_STEP_START;
    if (t->steps + t->starts == 1 && t->first_step < 0) {
        t->first_step = r->step;
        t->first_line_ms = r->received_ms - f->skew_ms;
    }
    t->has_job_end |= r->kind == RECORD_JOB_END;
    t->has_checkpoints |= r->kind >= RECORD_SAVE_START && r->kind <= RECORD_RESTORE_END;
    if (r->kind != RECORD_SIGN_OF_LIFE && r->at_ms - f->skew_ms < f->reading->first_reported_ms)
        f->reading->first_reported_ms = r->at_ms - f->skew_ms;
}

/* Times of objects are whole seconds; a container's end is placed after its last line, if that is in the second. */
static int64_t whole_second(int64_t ms) {
    return ms - ms % 1000;
}

static int64_t logged_end_ms(const struct job *job, const struct attempt *a, int64_t last_stamp_ms) {
    int64_t finished = whole_second(sim_clock_ms(job, a, a->end_ms));
    return last_stamp_ms > finished && last_stamp_ms < finished + 1000 ? last_stamp_ms : finished;
}

/* parser: of the attempt before, and then of this one. */
static int64_t read_attempt(struct job *job, struct ledger *l, int i, struct reading *reading,
                            struct steplog **parser) {
    const struct attempt *a = &job->attempts[i];
    struct feed f = {
        .ledger = l, .skew_ms = a->skew_ms, .start_ms = job->start_ms, .prints = job->prints, .reading = reading};
    CLEANUP_BUF struct buf text;
    struct error *err = NULL;
    *reading = (struct reading){.first_reported_ms = INT64_MAX, .first_line_ms = INT64_MAX, .first_step = -1};
    int64_t started = whole_second(a->start_ms + a->skew_ms);
    f.process = ledger_add_process(l, (uint64_t)i + 1, NULL, started, TIME_OPEN);
    buf_init(&text, 64 << 20);
    write_log(job, a, &text);
    if (job->tear != NULL && job->tear->seed % (uint64_t)job->attempt_count == (uint64_t)i) {
        f.tear = job->tear;
        tear_line(f.tear, &text);
    }
    struct steplog *s = job->format == STEPLOG_REGEX ? steplog_new_regex(&write_patterns, on_record, &f, &err)
                                                     : steplog_new(STEPLOG_AUTO, NULL, on_record, &f);
    assert(s != NULL);
    if (*parser != NULL)
        steplog_continue(s, *parser);
    steplog_free(*parser);
    *parser = s;
    struct slice rest = buf_slice(&text);
    while (rest.size_bytes > 0) {
        size_t n = (size_t)sim_between(job, 1, 9000);
        n = n < rest.size_bytes ? n : rest.size_bytes;
        steplog_feed(s, (struct slice){rest.data, n}, true);
        rest = slice_skip(rest, n);
    }
    steplog_end(s);
    struct steplog_counts counts = steplog_counts_get(s);
    int lag = steplog_format_line_lag(counts.recognized);
    reading->malformed = counts.malformed;
    reading->is_recognized = counts.recognized == job->format;
    if (reading->starts > 0)
        reading->steps = reading->starts - !reading->has_job_end;
    int64_t end = logged_end_ms(job, a, counts.last_stamp_ms);
    ledger_add_process(l, (uint64_t)i + 1, NULL, started, end);
    if (lag >= 0)
        ledger_set_line_lag(l, f.process, lag);
    return end;
}

/* The objects: one slot; one occupancy per pod, restarts in place within it. The API server's clock is right; container
 * times are of the node's clock. */
static void add_lives(const struct job *job, struct ledger *l, const int64_t *ends) {
    for (int i = 0; i < job->attempt_count; i++) {
        const struct attempt *a = &job->attempts[i];
        if (!a->is_new_pod) {
            ledger_add_restart(l, (uint64_t)i, ends[i - 1], whole_second(a->start_ms + a->skew_ms));
            continue;
        }
        int last = i;
        while (last + 1 < job->attempt_count && !job->attempts[last + 1].is_new_pod)
            last++;
        bool is_lost = last + 1 < job->attempt_count || !job->has_succeeded;
        struct ledger_occupancy life = {.id = (uint64_t)i + 1,
                                        .created_ms = i == 0 ? job->start_ms : ends[i - 1],
                                        .bound_ms = whole_second(a->bound_ms),
                                        .pull_start_ms = TIME_UNKNOWN,
                                        .pull_end_ms = TIME_UNKNOWN,
                                        .running_ms = whole_second(a->start_ms + a->skew_ms),
                                        .lost_ms = is_lost ? ends[last] : TIME_OPEN,
                                        .ended_ms = ends[last],
                                        .done_ms = is_lost ? TIME_UNKNOWN : ends[last],
                                        .released_ms = ends[last],
                                        .known_until_ms = TIME_OPEN,
                                        .chips = 4};
        if (a->pulled_ms > a->pull_ms) {
            life.pull_start_ms = a->pull_ms;
            life.pull_end_ms = a->pulled_ms;
        }
        if (life.running_ms < life.bound_ms)
            life.running_ms = life.bound_ms;
        ledger_add_occupancy(l, &life);
        for (int k = i + 1; k <= last; k++)
            ledger_add_restart(l, life.id, ends[k - 1],
                               whole_second(job->attempts[k].start_ms + job->attempts[k].skew_ms));
        i = last;
    }
}

static void add_expected(struct judgment *j, enum bucket b, int64_t ms, enum bucket *last) {
    if (ms <= 0)
        return;
    j->expected_ms[b] += ms;
    j->spans[b] += b != *last;
    *last = b;
}

/* A process that never says a word is taken to prepare, until that looks like a hang. */
static int64_t silent_ms(const struct job *job, const struct reading *r, const struct span *s, bool is_read) {
    int64_t until = job->attempts[s->attempt].start_ms + job->hang_after_ms;
    if (!is_read || s->kind < KIND_IMPORT || r->first_reported_ms != INT64_MAX || until <= s->from_ms)
        return 0;
    return (until < s->to_ms ? until : s->to_ms) - s->from_ms;
}

static void expect(const struct job *job, const struct reading *readings, struct judgment *j) {
    enum bucket last = BUCKET_COUNT;
    struct expectation e;
    expect_init(&e, job, readings);
    for (int i = 0; i < job->span_count; i++) {
        const struct span *s = &job->spans[i];
        enum bucket b = expect_bucket(&e, s);
        int64_t silent = silent_ms(job, &readings[s->attempt], s, e.is_read);
        int64_t common = expect_common_ms(&e, s), ms = s->to_ms - s->from_ms - silent - common;
        add_expected(j, BUCKET_TRAINING_PREPARATION, silent, &last);
        add_expected(j, expect_work(&e, s), common, &last);
        j->slow_ms += common;
        bool is_step = s->kind == KIND_STEP || s->kind == KIND_SLOW;
        if (b == BUCKET_PRODUCTIVE)
            *(is_step ? &j->step_ms : &j->unknowable_ms) += ms;
        if (expect_work(&e, s) == BUCKET_PRODUCTIVE)
            j->unknowable_ms += common;
        add_expected(j, b, ms, &last);
        if ((b == BUCKET_PRODUCTIVE || b == BUCKET_WASTED_PROGRESS) && s->kind != KIND_STEP)
            j->slow_ms += ms;
        assert(i == 0 || s[-1].to_ms == s->from_ms);
    }
}

void judge(struct job *job, struct judgment *j) {
    struct reading readings[SIM_ATTEMPTS];
    struct steplog *parser = NULL;
    int64_t ends[SIM_ATTEMPTS];
    struct ledger *l = ledger_new(&(struct ledger_options){.has_log = true, .hang_after_ms = job->hang_after_ms});
    *j = (struct judgment){.wall_ms = job->end_ms - job->start_ms};
    for (int i = 0; i < job->attempt_count; i++) {
        ends[i] = read_attempt(job, l, i, &readings[i], &parser);
        j->malformed += readings[i].malformed;
        j->steps += readings[i].steps;
        j->shows_bursts |= readings[i].shows_bursts;
        j->unrecognized += readings[i].steps > 0 && !readings[i].is_recognized;
    }
    steplog_free(parser);
    int64_t end = ends[job->attempt_count - 1];
    ledger_set_span(l, job->start_ms, end,
                    job->has_succeeded ? OUTCOME_SUCCEEDED
                    : job->is_deleted  ? OUTCOME_DELETED
                                       : OUTCOME_FAILED);
    ledger_set_required(l, job->start_ms, 1);
    add_lives(job, l, ends);
    struct ledger_result r;
    ledger_evaluate(l, end, &r);
    for (int i = 0; i < r.bucket_count; i++)
        j->counted_ms[r.buckets[i].bucket] += r.buckets[i].ms;
    j->lost_steps = r.lost_steps;
    expect(job, readings, j);
    for (int i = 0; i < job->attempt_count; i++)
        if (job->attempts[i].has_failed) { /* the span that a failure cut off is separate, known to a line or two */
            j->spans[BUCKET_WASTED_PROGRESS]++;
            j->spans[BUCKET_UNATTRIBUTED]++;
            j->unfinished_ms += job->ideal_ms;
        }
    if (job->has_succeeded && job->log_every > 1)
        j->silent_ms = (job->log_every - 1) * job->ideal_ms + job->save_ms;
    int64_t lines = job->epoch_steps > 0 ? job->epoch_steps : job->log_every > 1 ? job->log_every : 0;
    for (int i = 0; i < job->attempt_count; i++)
        j->first_lines_ms += readings[i].steps > 0 ? job->ideal_ms * lines : 0;
    if (job->format == STEPLOG_DEEPSPEED)
        j->save_lines_ms = j->spans[BUCKET_CHECKPOINT_SAVE] * job->ideal_ms * job->log_every;
    bool is_late = job->format == STEPLOG_MAXTEXT || job->format == STEPLOG_REGEX; /* of Regex it is not known */
    j->lag_ms = (lines + is_late) * job->ideal_ms;
    if (job->format == STEPLOG_NEMO && job->evaluate_every > 0)
        j->lag_ms += job->evaluate_ms / WRITE_VALIDATION_LINES;
    if (job->epoch_steps > 0)
        j->lag_ms += (job->evaluate_every > 0 ? job->evaluate_ms : 0) + (job->has_saves ? job->save_ms : 0);
    ledger_result_done(&r);
    ledger_free(l);
}

int64_t judge_tolerance_ms(const struct judgment *j, enum bucket bucket) {
    int64_t spans = j->spans[bucket] > 0 ? j->spans[bucket] : 1;
    bool is_of_cuts = bucket == BUCKET_WASTED_PROGRESS || bucket == BUCKET_UNATTRIBUTED;
    bool is_of_end = bucket == BUCKET_SHUTDOWN || bucket == BUCKET_UNATTRIBUTED;
    /* Where it is not known how much of a line is steps, that is Unattributed. */
    bool is_less = j->counted_ms[bucket] < j->expected_ms[bucket], is_unknown = bucket == BUCKET_UNATTRIBUTED;
    bool is_of_first_line =
        bucket == BUCKET_TRAINING_PREPARATION || bucket == BUCKET_PROGRAM_STARTUP || bucket == BUCKET_PRODUCTIVE;
    int64_t range_ms = is_unknown                                    ? j->first_lines_ms + j->save_lines_ms
                       : is_less && is_of_first_line                 ? j->first_lines_ms
                       : is_less && bucket == BUCKET_CHECKPOINT_SAVE ? j->save_lines_ms
                                                                     : 0;
    int64_t by_span = spans * (1000 + j->lag_ms) + is_of_cuts * j->unfinished_ms + is_of_end * j->silent_ms + range_ms,
            by_wall = j->wall_ms / 100;
    return by_span > by_wall ? by_span : by_wall;
}
