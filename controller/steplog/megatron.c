/* Megatron-LM's lines (megatron/training/training.py and checkpointing.py; tests/data/steplog/megatron.tsv). One line
 * stands for all iterations since the one before, with their mean time. Steps are counted from 1, and a checkpoint "at
 * iteration 10" holds step 10. The local time in brackets has no zone: the time is the transport's. */
#include "steplog/emit.h"
#include "steplog/text.h"

struct megatron {
    int64_t first_step, first_us; /* of the process's first line: its iteration and its elapsed time; RECORD_NONE */
};

static enum line_result emit(struct steplog *s, const struct record *r) {
    steplog_emit(s, r, STEPLOG_MEGATRON);
    return LINE_TAKEN;
}

/* The first line is of the first iteration alone, and its time stays in the next line's mean (training_log(): the first
 * iteration does not reset the timer). So that line states the time of both, and the difference is its own. Versions
 * that log only multiples of the interval start with a line of several iterations and do reset the timer: there the
 * second line's time is left out. Returns the mean of the second line's own iterations, or RECORD_NONE. */
static int64_t second_mean_us(const struct megatron *m, int64_t step, int64_t mean_us) {
    if (m->first_us < 0 || m->first_step < 0 || step <= m->first_step)
        return RECORD_NONE;
    int64_t steps = step - m->first_step;
    bool is_first_alone = steps == 1 || m->first_step % steps != 0;
    if (!is_first_alone || mean_us > INT64_MAX / (steps + 1))
        return RECORD_NONE;
    int64_t own_us = mean_us * (steps + 1) - m->first_us;
    return own_us > 0 ? own_us / steps : RECORD_NONE;
}

/* " [2026-...] iteration       11/      40 | consumed samples: ... | elapsed time per iteration (ms): 402.1 | ..." */
static enum line_result iteration_line(struct steplog *s, struct slice text) {
    struct megatron *m = s->state;
    struct slice parts, value;
    int64_t total, stated_us, mean_us = RECORD_NONE;
    struct record r = steplog_record(s, RECORD_STEP_END);
    if (!text_after(text, "iteration ", &parts))
        return LINE_NOT_MINE;
    skip_spaces(&parts);
    if (!take_step(&parts, &r.step) || !slice_take_char(&parts, '/'))
        return LINE_NOT_MINE;
    skip_spaces(&parts);
    if (!take_step(&parts, &total) || !slice_starts(parts, " |") || r.step > total)
        return LINE_NOT_MINE;
    if (!text_after(parts, "elapsed time per iteration (ms): ", &value))
        return LINE_NOT_MINE; /* cut off, or another program's */
    if (take_milli(&value, &stated_us) && stated_us <= STEPLOG_MAX_DURATION_MS * 1000)
        mean_us = s->counts.steps == 1 ? second_mean_us(m, r.step, stated_us) : stated_us;
    if (s->counts.steps == 0)
        *m = (struct megatron){r.step, mean_us};
    if (text_after(parts, "TFLOP/s/GPU): ", &value))
        take_milli(&value, &r.tflops_milli);
    steplog_emit_step(s, r, mean_us, STEPLOG_MEGATRON);
    return LINE_TAKEN;
}

/* "saving checkpoint at iteration 100 to DIR", then "successfully saved checkpoint from iteration 100 to DIR" ("at" in
 * old versions) once it is final, and for an asynchronous save "scheduled an async checkpoint save at iteration 100 to
 * DIR" where training continues. */
static enum line_result save_line(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_SAVE_START);
    if (step_after(text, "saving checkpoint at iteration ", &r.step, &rest)) {
        s->saving_step = r.step;
        return emit(s, &r);
    }
    if (step_after(text, "scheduled an async checkpoint save at iteration ", &r.step, &rest)) {
        r.kind = RECORD_SAVE_BLOCKED;
        r.is_async = true;
        return emit(s, &r);
    }
    if (step_after(text, "successfully saved checkpoint from iteration ", &r.step, &rest) ||
        step_after(text, "successfully saved checkpoint at iteration ", &r.step, &rest)) {
        r.kind = RECORD_SAVE_DURABLE;
        return emit(s, &r);
    }
    return LINE_NOT_MINE;
}

/* " loading checkpoint from DIR at iteration 10" and "successfully loaded checkpoint from DIR [ t 1/8, ... ] at
 * iteration 10". */
static enum line_result load_line(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_RESTORE_END);
    bool is_end = text_after(text, "successfully loaded checkpoint from ", &rest);
    if (!is_end && !text_after(text, " loading checkpoint from ", &rest) &&
        !text_after(text, " loading distributed checkpoint from ", &rest))
        return LINE_NOT_MINE;
    if (!step_after(rest, " at iteration ", &r.step, &rest))
        return LINE_NOT_MINE;
    if (!is_end)
        r.kind = RECORD_RESTORE_START;
    return emit(s, &r);
}

/* " validation loss at iteration 100 | lm loss value: ..." */
static enum line_result evaluation_line(struct steplog *s, struct slice text) {
    struct slice rest;
    int64_t step;
    if (!step_after(text, "validation loss at iteration ", &step, &rest))
        return LINE_NOT_MINE;
    steplog_emit_evaluation_end(s, steplog_record(s, RECORD_EVALUATION_END), step, STEPLOG_MEGATRON);
    return LINE_TAKEN;
}

/* Milestones of a run, "[after megatron is initialized] datetime: 2026-02-05 16:01:40". */
static enum line_result milestone(struct steplog *s, struct slice text) {
    static const struct {
        const char *words;
        enum record_kind kind;
    } table[] = {
        {"> initializing torch distributed", RECORD_INIT_START},
        {"[after megatron is initialized]", RECORD_INIT_END},
        {"[before the start of training step]", RECORD_PREPARATION_END},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (slice_contains(text, table[i].words)) {
            struct record r = steplog_record(s, table[i].kind);
            emit(s, &r);
            if (r.kind == RECORD_INIT_END) {
                r.kind = RECORD_PREPARATION_START;
                emit(s, &r);
            }
            return LINE_TAKEN;
        }
    if (!slice_contains(text, "[exiting program after receiving SIGTERM"))
        return LINE_NOT_MINE;
    /* The save, if any, was made before this line. */
    struct record r = steplog_record(s, RECORD_SAVE_ON_SIGTERM);
    r.step = s->saving_step;
    return r.step != RECORD_NONE && r.step >= s->last_step ? emit(s, &r) : LINE_TAKEN;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    enum line_result result = LINE_NOT_MINE;
    if (slice_contains(text, "iteration ")) {
        result = iteration_line(s, text);
        if (result == LINE_NOT_MINE)
            result = save_line(s, text);
        if (result == LINE_NOT_MINE)
            result = load_line(s, text);
        if (result == LINE_NOT_MINE)
            result = evaluation_line(s, text);
    }
    return result == LINE_NOT_MINE ? milestone(s, text) : result;
}

static void init_state(void *state) {
    *(struct megatron *)state = (struct megatron){RECORD_NONE, RECORD_NONE};
}

static void visit_state(void *state, struct codec *c) {
    struct megatron *m = state;
    codec_i64(c, &m->first_step);
    codec_i64(c, &m->first_us);
}

static const char *const words[] = {"iteration ",
                                    "> initializing torch distributed",
                                    "[after megatron is initialized]",
                                    "[before the start of training step]",
                                    "[exiting program after receiving SIGTERM",
                                    NULL};

extern const struct format steplog_megatron;
const struct format steplog_megatron = {.id = STEPLOG_MEGATRON,
                                        .looks_for = "iteration N/ M | ... elapsed time per iteration (ms): T |",
                                        .words = words,
                                        .line = read_line,
                                        .state_bytes = sizeof(struct megatron),
                                        .state_init = init_state,
                                        .state_visit = visit_state};
