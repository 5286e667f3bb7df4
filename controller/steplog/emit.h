/* emit: records leave a parser: with the line's time and number, and what one record proves of those before it. */
#ifndef STEPLOG_EMIT_H
#define STEPLOG_EMIT_H

#include "steplog/parser.h"
#include "steplog/step_line.h"

/* A record with the current line's time and number filled in. */
static inline struct record steplog_record(const struct steplog *s, enum record_kind kind) {
    return (struct record){.kind = kind,
                           .line = s->counts.lines,
                           .at_ms = s->stamp_ms,
                           .received_ms = s->is_own_clock ? RECORD_NONE : s->stamp_ms,
                           RECORD_UNSET};
}
/* Counts a line that cannot be read, or is missing by what others say. */
void steplog_note(struct steplog *s, enum line_result result);
/* Whether a line, which has that number (repeats.h), was there before; then it is counted and not read. */
bool steplog_note_repeat(struct steplog *s, struct slice line, int64_t number);
/* The same of a step line that begins with s->step_prefix. */
bool steplog_note_repeat_step(struct steplog *s, const struct step_line *l);
/* Hands a record on and counts it. */
void steplog_emit(struct steplog *s, const struct record *r, enum steplog_format format);

/* The same of the recorder's steps that came in a row, while no record is held. */
void steplog_emit_steps(struct steplog *s, const struct step_starts *steps, enum steplog_format format);

/* Training starts at this step, as the first thing that the process shows. */
void steplog_emit_resume(struct steplog *s, int64_t step, enum steplog_format format);

/* Hands on what waited for a line that shows which process it is of. */
void steplog_release(struct steplog *s);

/* A part of the step that the last line of a step reported. */
void steplog_emit_phase(struct steplog *s, const struct record *r);

/* The end of a step, from a line whose mean_us (RECORD_NONE if it gives none) is that of each step since the line
 * before: the record's duration is that of all of them, as far as it is known how many. A step that the last line gave
 * already (several ranks print it) is left out. */
void steplog_emit_step(struct steplog *s, struct record r, int64_t mean_us, enum steplog_format format);

/* A save of which some versions log the start only: what comes after it may be anything, so that nothing counts as
 * blocked until the end is known (and then what lay between, if no step did). r.step: RECORD_NONE if not known. */
void steplog_emit_save_start(struct steplog *s, struct record r, enum steplog_format format);
void steplog_emit_save_durable(struct steplog *s, struct record r, enum steplog_format format);

/* The end of an evaluation after a step (as its line says; else the last one known), how long is derived. */
void steplog_emit_evaluation_end(struct steplog *s, struct record r, int64_t step, enum steplog_format format);
/* The end of a save of which only the start was logged, when the step comes that shows it (true if it could be). */
bool steplog_emit_save_end(struct steplog *s, const struct record *step, enum steplog_format format);

/* A new save waits for the one before it, if that is written in the background: it is final by now. */
void steplog_prove_save(struct steplog *s, struct record r, enum steplog_format format);

/* Whether the line says that it is this format's: it was asked for, or gave the steps so far. */
bool steplog_is_reading(const struct steplog *s, enum steplog_format format);

#endif
