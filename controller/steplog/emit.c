#include "steplog/emit.h"

#include "base/minmax.h"
#include "steplog/ahead.h"
#include "steplog/heads.h"
#include "steplog/pace.h"
#include "steplog/repeats.h"
#include "steplog/text.h"

/* A save may wait for the one before it: that one's end is not its own, and it continues. */
static bool goes_on_blocking(struct steplog *s, const struct record *r) {
    bool is_final = r->kind == RECORD_SAVE_DURABLE || r->kind == RECORD_SAVE_WRITTEN;
    if (is_final && s->blocking_step != RECORD_NONE && r->step != RECORD_NONE && r->step != s->blocking_step)
        return true;
    if (r->kind == RECORD_SAVE_START)
        s->blocking_step = r->is_async ? RECORD_NONE : r->step;
    else if (is_final || r->kind == RECORD_SAVE_BLOCKED || r->kind == RECORD_STEP_END)
        s->blocking_step = RECORD_NONE;
    return false;
}

/* A burst: three steps or more within 10 ms, more than a second after the step before them. Of its step lines so far,
 * how many came before this one; 0: it is of none. */
static int32_t steps_of_write(struct steplog *s, int64_t at_ms) {
    enum { MIN_STEPS = 3, PAUSE_MS = 1000 };
    bool is_same = s->burst.steps > 0 && at_ms >= s->burst.at_ms && at_ms - s->burst.at_ms < RECORD_SAME_WRITE_MS;
    if (at_ms == TIME_UNKNOWN) {
        s->burst.steps = 0;
        return 0;
    }
    if (!is_same) {
        s->burst.is_after_pause = s->burst.steps == 0 || at_ms - s->burst.last_ms > PAUSE_MS;
        s->burst.at_ms = at_ms;
        s->burst.steps = 0;
    }
    s->burst.last_ms = at_ms;
    if (++s->burst.steps < MIN_STEPS || !s->burst.is_after_pause)
        return 0;
    s->counts.burst_steps += s->burst.steps == MIN_STEPS ? MIN_STEPS : 1;
    return (int32_t)min_of(s->burst.steps - 1, INT32_MAX);
}

void steplog_release(struct steplog *s) {
    for (int i = 0; i < s->heads->held_count; i++) {
        const struct record *r = &s->heads->held[i];
        if (r->kind == RECORD_RESTORE_END && r->step != RECORD_NONE)
            s->last_step = r->step;
        s->on_record(s->context, r);
    }
    heads_drop_held(s->heads);
}

static void hand_on(struct steplog *s, const struct record *r) {
    if (s->heads != NULL && heads_hold(s->heads, r, s->counts.steps + s->unread_lines))
        return;
    if (s->heads != NULL && s->heads->held_count > 0)
        steplog_release(s);
    s->on_record(s->context, r);
}

static void hand_on_end(struct steplog *s, struct record r) {
    s->save_started_ms = TIME_UNKNOWN;
    r.same_write = steps_of_write(s, r.at_ms);
    hand_on(s, &r);
}

static void block_again(struct steplog *s, const struct record *r) {
    struct record again = *r;
    again.kind = RECORD_SAVE_START;
    again.step = s->blocking_step;
    again.duration_ms = RECORD_NONE;
    again.is_async = false;
    s->counts.records++;
    hand_on(s, &again);
}

void steplog_emit(struct steplog *s, const struct record *r, enum steplog_format format) {
    s->counts.records++;
    if (r->kind == RECORD_STEP_START || r->kind == RECORD_STEP_END) {
        s->counts.steps++;
        s->counts.recognized = format;
        if (s->format == STEPLOG_AUTO && format != STEPLOG_RECORDER)
            s->counts.rivals.steps[format]++;
    }
    if (r->kind == RECORD_STEP_END)
        ahead_note(s, r);
    if (r->kind != RECORD_STEP_START && r->kind != RECORD_SIGN_OF_LIFE)
        pace_note(s, r);
    if (r->kind == RECORD_STEP_END || (r->kind == RECORD_RESTORE_END && r->step != RECORD_NONE))
        s->last_step = r->step;
    s->has_record = true;
    if (r->kind == RECORD_STEP_END)
        hand_on_end(s, *r);
    else
        hand_on(s, r);
    if (r->kind <= RECORD_STEP_START || !goes_on_blocking(s, r))
        return;
    block_again(s, r);
}

void steplog_emit_steps(struct steplog *s, const struct step_starts *steps, enum steplog_format format) {
    s->counts.records += (int64_t)steps->count;
    s->counts.steps += (int64_t)steps->count;
    s->counts.recognized = format;
    s->has_record = true;
    s->on_steps(s->context, steps);
}

void steplog_emit_phase(struct steplog *s, const struct record *r) {
    s->counts.records++;
    s->has_record = true;
    hand_on(s, r);
}

void steplog_emit_step(struct steplog *s, struct record r, int64_t mean_us, enum steplog_format format) {
    if (r.step == s->last_step)
        return;
    int64_t steps = s->last_step != RECORD_NONE && r.step > s->last_step ? r.step - s->last_step : 1;
    if (mean_us != RECORD_NONE && steps <= STEPLOG_MAX_DURATION_MS * 1000 / (mean_us + 1))
        r.duration_ms = (mean_us * steps + 500) / 1000;
    pace_reported(s, mean_us != RECORD_NONE ? (mean_us + 500) / 1000 : RECORD_NONE);
    bool is_proof = s->save_started_ms != TIME_UNKNOWN && r.step > s->saving_step && s->saving_step != RECORD_NONE;
    steplog_emit_save_end(s, &r, format);
    if (is_proof && format != STEPLOG_REGEX) {
        /* No save in the background: it was over before training resumed. */
        struct record written = steplog_record(s, RECORD_SAVE_WRITTEN);
        written.step = s->saving_step;
        written.is_async = written.is_derived = true;
        written.at_ms = r.at_ms;
        steplog_emit(s, &written, format);
    }
    steplog_emit(s, &r, format);
}

void steplog_emit_save_start(struct steplog *s, struct record r, enum steplog_format format) {
    r.kind = RECORD_SAVE_START;
    r.is_async = true;
    s->saving_step = r.step;
    s->save_started_ms = s->stamp_ms;
    steplog_emit(s, &r, format);
}

void steplog_emit_save_durable(struct steplog *s, struct record r, enum steplog_format format) {
    if (s->save_started_ms != TIME_UNKNOWN && s->stamp_ms != TIME_UNKNOWN && s->stamp_ms >= s->save_started_ms &&
        s->stamp_ms - s->save_started_ms <= STEPLOG_MAX_DURATION_MS) {
        struct record blocked = r;
        blocked.kind = RECORD_SAVE_BLOCKED;
        blocked.duration_ms = s->stamp_ms - s->save_started_ms;
        blocked.is_async = true;
        steplog_emit(s, &blocked, format);
    }
    s->save_started_ms = TIME_UNKNOWN;
    r.kind = RECORD_SAVE_DURABLE;
    steplog_emit(s, &r, format);
}

void steplog_note(struct steplog *s, enum line_result result) {
    if (result == LINE_MALFORMED && s->counts.malformed++ == 0)
        s->counts.first_malformed_line = s->counts.lines;
}

static bool count_repeat(struct steplog *s, bool is_repeat) {
    s->counts.lines += is_repeat;
    s->counts.repeated += is_repeat;
    return is_repeat;
}

bool steplog_note_repeat(struct steplog *s, struct slice line, int64_t number) {
    return s->repeats != NULL && count_repeat(s, repeats_note(s->repeats, line, number));
}

bool steplog_note_repeat_step(struct steplog *s, const struct step_line *l) {
    return s->repeats != NULL && count_repeat(s, repeats_note_step(s->repeats, s->step_prefix_key, l));
}

void steplog_prove_save(struct steplog *s, struct record r, enum steplog_format format) {
    if (s->unproved_step == RECORD_NONE)
        return;
    r.kind = RECORD_SAVE_DURABLE;
    r.step = s->unproved_step;
    r.is_derived = true;
    r.duration_ms = RECORD_NONE;
    r.is_async = true;
    s->unproved_step = RECORD_NONE;
    steplog_emit(s, &r, format);
}

bool steplog_emit_save_end(struct steplog *s, const struct record *step, enum steplog_format format) {
    struct record r;
    if (!pace_save_end(s, step, &r))
        return false;
    steplog_emit(s, &r, format);
    return true;
}

void steplog_emit_resume(struct steplog *s, int64_t step, enum steplog_format format) {
    struct record r = steplog_record(s, RECORD_RESUME);
    r.step = step;
    steplog_emit(s, &r, format);
}

void steplog_emit_evaluation_end(struct steplog *s, struct record r, int64_t step, enum steplog_format format) {
    pace_evaluation_end(s, step, &r);
    steplog_emit(s, &r, format);
}

bool steplog_is_reading(const struct steplog *s, enum steplog_format format) {
    return s->format == format || s->counts.recognized == format;
}
