#include "steplog/recorder_step.h"

#include "steplog/emit.h"
#include "steplog/heads.h"
#include "steplog/repeats.h"
#include "steplog/step_line.h"

#include <string.h>

enum { MAX_PREFIX = 1024 };

static int64_t ms_of(const struct steplog *s, int64_t ns) {
    return (ns + 500000) / 1000000 + s->clock_offset_ms;
}

/* The size of such a line at the start of `bytes`, without its end; 0: there is none. */
static size_t take_line(struct steplog *s, struct slice bytes, struct step_line *ret) {
    size_t prefix = s->step_prefix.size_bytes;
    if (prefix == 0 || bytes.size_bytes <= prefix || memcmp(bytes.data, s->step_prefix.data, prefix) != 0)
        return 0;
    size_t numbers = step_line_take(slice_skip(bytes, prefix), &s->step_layout, ret);
    return numbers == 0 ? 0 : prefix + numbers;
}

static void emit_step_start(struct steplog *s, const struct step_start *step) {
    struct record r = steplog_record(s, RECORD_STEP_START);
    r.step = step->step;
    r.at_ms = step->at_ms;
    steplog_emit(s, &r, STEPLOG_RECORDER);
}

bool recorder_step_again(struct steplog *s, struct slice line) {
    struct step_line l;
    if (take_line(s, line, &l) != line.size_bytes || line.size_bytes == 0)
        return false;
    emit_step_start(s, &(struct step_start){.step = l.step, .at_ms = ms_of(s, step_line_ns(&l))});
    return true;
}

/* Hands on what was read in a row. */
static void flush(struct steplog *s, struct step_starts *steps) {
    if (steps->count == 0)
        return;
    steplog_emit_steps(s, steps, STEPLOG_RECORDER);
    steps->count = 0;
}

void recorder_steps_again(struct steplog *s, struct slice *bytes) {
    struct step_line l;
    struct step_starts steps;
    size_t size;
    const char *end = bytes->data + bytes->size_bytes;
    if (!slice_starts(buf_slice(&s->step_prefix), STEP_LINE_START))
        return;
    steps.count = 0;
    while ((size = take_line(s, *bytes, &l)) > 0) {
        const char *newline = bytes->data + size;
        if (newline == end || *newline != '\n')
            break;
        *bytes = slice_range(newline + 1, end);
        if (steplog_note_repeat_step(s, &l))
            continue;
        s->counts.lines++;
        s->stamp_ms = s->last_record_ms = TIME_UNKNOWN;
        struct step_start *step = &steps.items[steps.count];
        *step = (struct step_start){.line = s->counts.lines, .step = l.step, .at_ms = ms_of(s, step_line_ns(&l))};
        if (s->on_steps == NULL || (s->heads != NULL && s->heads->held_count > 0))
            emit_step_start(s, step); /* which releases what is held */
        else if (++steps.count == STEP_STARTS)
            flush(s, &steps);
    }
    flush(s, &steps);
}

void recorder_learn_step(struct steplog *s, struct slice text, int64_t step, int64_t ns) {
    const char *at = slice_find(text, STEP_LINE_KEY), *end = text.data + text.size_bytes;
    struct step_line same;
    struct step_layout layout = {0};
    buf_clear(&s->step_prefix);
    if (s->own != NULL || at == NULL || at - text.data > MAX_PREFIX)
        return;
    at += sizeof STEP_LINE_KEY - 1;
    struct slice rest = slice_range(at, end);
    if (step_line_take(rest, &layout, &same) == rest.size_bytes && rest.size_bytes > 0 && same.step == step &&
        step_line_ns(&same) == ns)
        buf_append_slice(&s->step_prefix, slice_range(text.data, at));
    s->step_prefix_key = repeats_step_key(buf_slice(&s->step_prefix));
}
