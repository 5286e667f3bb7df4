/* The ledger over log files alone: one slot, and one occupancy and one process per attempt, from the attempt's first
 * record to its last. The wall time is the span of the logs. The controller's own code writes the status. */
#include "cli/analyze/ledger.h"

#include "base/mem.h"
#include "base/minmax.h"
#include "cli/analyze/attempts.h"
#include "cli/analyze/cause.h"
#include "cli/analyze/claims.h"
#include "cli/analyze/input.h"
#include "cli/analyze/parser.h"
#include "cli/render/text.h"
#include "ledger/evaluate.h"
#include "operator/status/records.h"
#include "operator/status/status.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TAIL_BYTES = 1 << 14 };

struct analyze_ledger *analyze_ledger_new(const struct analyze *a) {
    struct ledger_options options = {.has_log = true,
                                     .window_count = a->window_count,
                                     .keep_all = a->window_count > 0 || a->from_us != ANALYZE_NO_TIME ||
                                                 a->excluded_count > 0 ||
                                                 (a->output != NULL && strcmp(a->output, "jsonl") == 0)};
    for (int i = 0; i < a->window_count; i++)
        options.windows_ms[i] = a->windows_s[i] * 1000;
    if (!isnan(a->ideal_s))
        options.ideal_step_ms = llround(a->ideal_s * 1000);
    struct analyze_ledger *l = mem_new(struct analyze_ledger);
    l->analyze = a;
    l->keeps_all = options.keep_all;
    l->ledger = ledger_new(&options);
    ledger_set_unwatched(l->ledger, &(struct ledger_span){0, TIME_OPEN}, 1); /* a log shows only its own process */
    for (int i = 0; i < a->excluded_count; i++)
        ledger_exclude(l->ledger, a->excluded[i].from_us / 1000, a->excluded[i].to_us / 1000);
    l->unread.first_stamp_ms = l->unread.last_stamp_ms = TIME_UNKNOWN;
    buf_init(&l->tail, 2 * TAIL_BYTES);
    l->trace.max_points = a->trace_points;
    l->until_ms = a->at_us != ANALYZE_NO_TIME ? a->at_us / 1000 : TIME_OPEN;
    return l;
}

void analyze_ledger_offer_again(struct analyze_ledger *l) {
    l->clock.can_read_again = true;
}

struct analyze_ledger *analyze_ledger_again(const struct analyze *a, struct analyze_ledger *first) {
    if (!skew_wants_again(&first->clock))
        return NULL;
    struct analyze_ledger *l = analyze_ledger_new(a);
    skew_read_again(&l->clock, &first->clock);
    return l;
}

void analyze_ledger_free(struct analyze_ledger *l) {
    if (l == NULL)
        return;
    steplog_free(l->parser);
    steplog_free(l->next_parser);
    matcher_free(l->matcher);
    ledger_free(l->ledger);
    buf_done(&l->tail);
    repeats_done(&l->repeats);
    skew_done(&l->clock);
    heads_drop_held(&l->heads);
    trace_clear(&l->trace);
    free(l->attempts);
    free(l);
}

/* The length of the files' common folder: evidence shows the rest of their paths. */
static size_t common_folder(const struct analyze *a) {
    const char *first = a->paths[0], *slash = strrchr(first, '/');
    size_t size = slash ? (size_t)(slash - first) + 1 : 0;
    for (size_t i = 1; i < a->path_count; i++)
        while (size > 0 && (strncmp(a->paths[i], first, size) != 0 || first[size - 1] != '/'))
            size--;
    return size;
}

static void keep_tail(struct analyze_ledger *l, struct slice lines) {
    if (lines.size_bytes > TAIL_BYTES)
        lines = slice_skip(lines, lines.size_bytes - TAIL_BYTES);
    if (l->tail.size_bytes + lines.size_bytes > 2 * TAIL_BYTES)
        buf_consume(&l->tail, l->tail.size_bytes + lines.size_bytes - 2 * TAIL_BYTES);
    buf_append_slice(&l->tail, lines);
}

/* Looks for the cause of an attempt without a job end. */
static void find_cause(struct analyze_ledger *l, int64_t lines) {
    struct attempt *t = &l->attempts[l->count - 1];
    struct ledger_disruption d = {.key = l->count, .at_ms = t->last_ms};
    if (t->has_ended)
        return;
    if (l->matcher == NULL) /* a job that ended by itself does without its hundreds of signatures */
        l->matcher = matcher_new();
    if (!analyze_cause_of(l->matcher, l->name, buf_slice(&l->tail), lines, t->last_step_line, l->is_stamped, &d))
        return;
    t->has_failed = d.cause != CAUSE_UNKNOWN;
    ledger_add_disruption(l->ledger, &d);
}

/* A file of several from which nothing is taken. */
static void note_unused(const struct analyze_ledger *l, const struct steplog_counts *counts) {
    const char *why = counts->records == 0       ? "says anything of training"
                      : l->until_ms != TIME_OPEN ? "has a time up to --at"
                                                 : "has a time; add timestamps, as kubectl logs --timestamps does";
    if (counts->bytes == 0)
        analyze_note(l->path, "it is empty");
    else
        analyze_note(l->path, "no line (%lld) %s", (long long)counts->lines, why);
}

static void note_bursts(const struct analyze_ledger *l, const struct steplog_counts *counts) {
    if (2 * counts->burst_steps > counts->steps)
        analyze_note(l->path,
                     "%lld of %lld steps were written in bursts: they count as long as their lines state, else as the "
                     "fastest, and the rest is Unattributed; write each line at once, with PYTHONUNBUFFERED=1, "
                     "python -u, or print(..., flush=True)",
                     (long long)counts->burst_steps, (long long)counts->steps);
}

/* No file continues the last one. */
static void end_parser(struct analyze_ledger *l) {
    if (l->parser != NULL && !l->has_ended)
        steplog_end(l->parser);
    l->has_ended = true;
}

static void finish_file(struct analyze_ledger *l) {
    if (l->parser == NULL)
        return;
    end_parser(l);
    struct steplog_counts counts = steplog_counts_get(l->parser);
    analyze_unread_add(&l->unread, l->parser, &l->samples);
    if (counts.steps > 0 || l->recognized[0] == '\0')
        slice_copy(l->recognized, sizeof l->recognized, slice_of(steplog_recognized_name(l->parser)));
    steplog_free(l->parser);
    l->parser = NULL;
    if (l->has_attempt)
        find_cause(l, counts.lines);
    if (l->backward > l->forward && l->is_reversed == NULL)
        l->is_reversed = l->path;
    l->all_malformed += counts.malformed;
    l->repeated_lines += counts.repeated;
    l->all_steps += counts.steps;
    l->burst_steps += counts.burst_steps;
    forward_add(&l->stamps_ahead, &counts.forward);
    if (l->analyze->is_trial)
        return;
    if (!l->has_attempt && l->analyze->path_count > 1)
        note_unused(l, &counts);
    if (counts.own_clock > 0 && l->has_attempt)
        analyze_note(l->path,
                     "no timestamps: uses the clocks in its lines (as UTC); kubectl logs --timestamps is better");
    note_bursts(l, &counts);
    if (counts.malformed > 0)
        analyze_note(l->path, "line %lld cannot be read and is left out%s", (long long)counts.first_malformed_line,
                     counts.malformed > 1 ? "; so are others like it" : "");
}

static void begin_file(struct analyze_ledger *l) {
    end_parser(l);
    if (l->parser != NULL)
        steplog_continue(l->next_parser, l->parser);
    finish_file(l);
    l->has_ended = false;
    l->parser = l->next_parser;
    l->next_parser = NULL;
    l->path = l->next_path;
    l->name = analyze_name(l->path + common_folder(l->analyze));
    buf_clear(&l->tail);
    l->samples = (struct step_samples){0};
    l->is_stamped = l->has_attempt = false;
    repeats_begin(&l->repeats);
    skew_begin(&l->clock);
    heads_begin(&l->heads);
    l->heads.is_all = true;
    l->before_ms = TIME_UNKNOWN;
    l->impossible = l->jumps = l->forward = l->backward = 0;
}

/* With the same parser, as if the files were one. */
static void continue_file(struct analyze_ledger *l) {
    if (!l->analyze->is_trial)
        analyze_note(l->next_path, "continues %s: they have lines in common, which count once", analyze_name(l->path));
    steplog_free(l->next_parser);
    l->next_parser = NULL;
}

int analyze_ledger_begin(struct analyze_ledger *l, const char *path, struct error **err) {
    l->next_path = path;
    l->next_parser = analyze_parser(l->analyze, attempts_on_record, l, err);
    if (l->next_parser != NULL) {
        steplog_join_steps(l->next_parser, attempts_on_steps);
        steplog_leave_out_repeats(l->next_parser, &l->repeats);
        steplog_follow_clock(l->next_parser, &l->clock);
        steplog_find_processes(l->next_parser, &l->heads);
    }
    return l->next_parser ? 0 : -EINVAL;
}

void analyze_ledger_feed(struct analyze_ledger *l, struct slice lines) {
    if (l->next_parser != NULL && l->parser != NULL && repeats_overlap(&l->repeats, lines))
        continue_file(l);
    else if (l->next_parser != NULL)
        begin_file(l);
    if (!l->is_stamped)
        l->is_stamped = analyze_is_stamped(lines);
    steplog_feed(l->parser, lines, l->is_stamped);
    keep_tail(l, lines);
    struct slice line;
    if (steplog_counts_get(l->parser).steps == 0)
        while (slice_take_line(&lines, &line))
            step_samples_line(&l->samples, line);
}

void analyze_ledger_trace(const struct analyze_ledger *l, struct buf *json) {
    trace_write(&l->trace, json);
}

int64_t analyze_ledger_lines(const struct analyze_ledger *l) {
    return steplog_counts_get(l->parser).lines;
}

const struct analyze_unread *analyze_ledger_unread(const struct analyze_ledger *l) {
    return &l->unread;
}

const char *analyze_ledger_format(const struct analyze_ledger *l) {
    return l->recognized[0] != '\0' ? l->recognized : NULL;
}

void analyze_ledger_end_file(struct analyze_ledger *l) {
    if (l->next_parser != NULL) /* it is empty */
        begin_file(l);
    steplog_end_line(l->parser);
}

void analyze_ledger_end(struct analyze_ledger *l) {
    end_parser(l);
}

/* Writes what makes the numbers less certain, without zeros. */
static void write_quality(const struct analyze_ledger *l, const struct ledger_result *r, struct buf *json) {
    const struct {
        const char *name;
        int64_t value;
    } flags[] = {{"excludedMilliseconds", r->excluded_ms},
                 {"clippedMilliseconds", r->clipped_ms},
                 {"overlappedRecords", r->overlapped_records},
                 {"lateRecords", r->late_records},
                 {"impossibleTimes", l->all_impossible},
                 {"malformedLines", l->all_malformed},
                 {"repeatedLines", l->repeated_lines},
                 {"retainedWithoutCheckpoint", r->retained_without_checkpoint},
                 {"clockSets", l->clock.sets},
                 {"clockSetMilliseconds", l->clock.largest_ms}};
    bool is_first = true;
    json->size_bytes--; /* the status' last bracket */
    buf_append_text(json, ",\"dataQuality\":{");
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        if (flags[i].value == 0)
            continue;
        buf_format(json, "%s\"%s\":%lld", is_first ? "" : ",", flags[i].name, (long long)flags[i].value);
        is_first = false;
    }
    buf_append_text(json, "}}");
}

static struct condition_view *set_condition(struct view *v, int i, const char *type, const char *status,
                                            const char *reason) {
    struct condition_view *c = &v->conditions[i];
    c->type = type;
    c->status = status;
    c->reason = reason;
    c->at_ms = v->through_ms;
    return c;
}

static void set_clock_skew(const struct analyze_ledger *l, struct view *v) {
    char by[TEXT_DURATION_SIZE];
    int64_t ahead_ms = forward_ms(&l->stamps_ahead);
    if (l->clock.sets == 0 && ahead_ms == 0)
        return;
    struct condition_view *c = set_condition(v, 0, "ClockSkew", "True", l->clock.sets > 0 ? "ClockSet" : "StampsAhead");
    if (l->clock.sets == 0) {
        snprintf(c->message, sizeof c->message,
                 "the stamps went %s further than the steps around them state: the clock was set forward, or the "
                 "trainer paused; that time is Unattributed",
                 text_duration_in(by, ahead_ms, 1000));
        return;
    }
    snprintf(c->message, sizeof c->message,
             "the clock that stamped the lines was set %lld times, by %s at most; times are as if it had not been",
             (long long)l->clock.sets, text_duration_in(by, l->clock.largest_ms, 1000));
}

static void set_evidence(const struct analyze_ledger *l, struct view *v) {
    if (2 * l->burst_steps <= l->all_steps)
        return;
    struct condition_view *c = set_condition(v, 1, "EvidenceComplete", "False", "WrittenInBursts");
    snprintf(c->message, sizeof c->message,
             "%lld of %lld steps were written many at once, so that their stamps do not say when they ended; set "
             "PYTHONUNBUFFERED=1, or use python -u, or print(..., flush=True)",
             (long long)l->burst_steps, (long long)l->all_steps);
}

/* Writes the status at through_ms, or its part in [from_ms, to_ms); from_ms TIME_UNKNOWN: all of it. */
static void write_status(struct analyze_ledger *l, int64_t through_ms, enum ledger_outcome outcome, int64_t from_ms,
                         int64_t to_ms, struct buf *json, struct buf *records) {
    struct view v;
    struct ledger_entries entries = {0};
    view_init(&v); /* no log gives the chips and their peak */
    v.now_ms = v.through_ms = through_ms;
    v.has_ended = outcome != OUTCOME_RUNNING;
    v.has_numbers = true;
    if (records != NULL) {
        ledger_evaluate_entries(l->ledger, through_ms, &v.result, &entries);
    } else if (from_ms == TIME_UNKNOWN) {
        ledger_evaluate(l->ledger, through_ms, &v.result);
    } else { /* an interval, which ends at to_ms or with the log */
        ledger_evaluate_interval(l->ledger, through_ms, from_ms, to_ms, &v.result);
        v.has_ended = true;
        v.through_ms = min_of(to_ms, through_ms);
    }
    v.ready_ms = v.result.available_ms;
    view_scores(&v);
    analyze_claims_forget(&v, &entries);
    set_clock_skew(l, &v);
    set_evidence(l, &v);
    v.phase = outcome == OUTCOME_SUCCEEDED ? "Completed" : outcome == OUTCOME_FAILED ? "Failed" : "Training";
    view_write(&v, json);
    if (records != NULL)
        records_write(&v, &entries, &(struct records_job){0}, records);
    ledger_entries_done(&entries);
    if (from_ms == TIME_UNKNOWN) {
        write_quality(l, &v.result, json);
        trace_add_interruptions(&l->trace, &v.result);
    }
    ledger_result_done(&v.result);
}

/* Writes the status, and with --from that of the interval as the only element of "intervals". */
static void write_all(struct analyze_ledger *l, int64_t through_ms, enum ledger_outcome outcome, struct buf *json,
                      struct buf *records) {
    const struct analyze *a = l->analyze;
    write_status(l, through_ms, outcome, TIME_UNKNOWN, TIME_UNKNOWN, json, records);
    if (a->from_us == ANALYZE_NO_TIME)
        return;
    int64_t to_ms = a->to_us != ANALYZE_NO_TIME ? a->to_us / 1000 : through_ms;
    json->size_bytes--; /* its last bracket */
    buf_append_text(json, ",\"intervals\":[");
    write_status(l, through_ms, outcome, a->from_us / 1000, to_ms, json, NULL);
    buf_append_text(json, "]}");
}

int analyze_ledger_conclude(struct analyze_ledger *reading, struct buf *json, struct buf *records, struct error **err) {
    finish_file(reading);
    if (reading->is_reversed != NULL)
        return error_set(err, EINVAL,
                         "%s: its lines are newest first; give them oldest first (gcloud logging read --order=asc, or "
                         "reverse them with tac)",
                         analyze_name(reading->is_reversed));
    CLEANUP_FREE char *why = analyze_unread_why(reading->analyze, &reading->unread);
    if (why != NULL && reading->analyze->path_count > 1)
        return error_set(err, ENODATA, "%zu files: %s", reading->analyze->path_count, why);
    if (why != NULL)
        return error_set(err, ENODATA, "%s: %s", analyze_name(reading->path), why);
    struct ledger *l = reading->ledger;
    assert(reading->attempts != NULL);
    const struct attempt *t = reading->attempts, *last = &t[reading->count - 1];
    int64_t end_ms = last->last_ms;
    for (size_t i = 0; i < reading->count; i++)
        end_ms = t[i].last_ms > end_ms ? t[i].last_ms : end_ms;
    if (reading->until_ms != TIME_OPEN && !last->has_ended)
        end_ms = reading->until_ms;
    ledger_set_required(l, t->first_ms, 1);
    attempts_report(reading, reading->count - 1, TIME_OPEN);
    enum ledger_outcome outcome = last->has_ended    ? OUTCOME_SUCCEEDED
                                  : last->has_failed ? OUTCOME_FAILED
                                                     : OUTCOME_RUNNING;
    ledger_set_span(l, t->first_ms, outcome == OUTCOME_RUNNING ? TIME_OPEN : end_ms, outcome);
    write_all(reading, end_ms, outcome, json, records);
    int r = analyze_claims_drop(json, err);
    if (r == 0 && records != NULL)
        records_write_status(buf_slice(json), records);
    return r;
}
