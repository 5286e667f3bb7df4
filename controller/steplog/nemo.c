/* NeMo's progress lines and checkpoints (nemo/lightning: pytorch/callbacks, io/pl.py; tests/data/steplog/nemo.tsv):
 * "Training epoch 0, iteration 100/17279 | lr: ... | global_step: 100 | ... | train_step_timing in s: 1.234 |
 * TFLOPS_per_GPU: 1.145e+03". The iteration restarts in each epoch, so the step is global_step; a line without it
 * gives no step. Megatron's checkpoint lines, which NeMo's Megatron core prints too, are megatron.c's. */
#include "steplog/emit.h"
#include "steplog/pace.h"
#include "steplog/text.h"

struct nemo {
    int64_t validation_ms; /* of the first line of a validation; TIME_UNKNOWN */
};

/* Iterations are counted from 0, as global_step is in the step lines, but "step 50" is the number of steps that a
 * checkpoint holds: the last of them is 49, which its path shows too. */
static int64_t step_of_checkpoint(struct slice path, int64_t held) {
    int64_t step;
    struct slice rest;
    if (step_after(path, "step=", &step, &rest) && (step == held || step == held - 1))
        return step;
    return held > 0 ? held - 1 : RECORD_NONE;
}

static enum line_result emit(struct steplog *s, struct record r) {
    steplog_emit(s, &r, STEPLOG_NEMO);
    return LINE_TAKEN;
}

/* "Global Checkpoint Save : Rank: 0 : Iteration: 49 : Start time: 1771351145.879s : Save duration: 5.330s" when
 * training resumes; "Successfully saved checkpoint from iteration      49 to PATH" and "Async checkpoint save for step
 * 50 (PATH) finalized successfully." when it is final. "Global Checkpoint Load : Rank : 0 : Start time :
 * 1750308998.535s : Time spent in load_checkpoint: 22.456s" does not say which. */
static enum line_result save_line(struct steplog *s, struct slice text) {
    struct slice rest;
    int64_t held;
    struct record r = steplog_record(s, RECORD_SAVE_DURABLE);
    r.is_async = true;
    if (text_after(text, "Global Checkpoint Save : ", &rest)) {
        r.kind = RECORD_SAVE_BLOCKED;
        bool is_whole = step_after(rest, "Iteration:", &r.step, &rest) &&
                        duration_after(rest, "Save duration:", &r.duration_ms) && slice_ends(slice_trim(rest), "s");
        s->saving_step = r.step;
        return is_whole ? emit(s, r) : LINE_TAKEN;
    }
    if (step_after(text, "Successfully saved checkpoint from iteration ", &r.step, &rest))
        return emit(s, r);
    if (step_after(text, "Async checkpoint save for step ", &held, &rest) &&
        slice_contains(rest, " finalized successfully")) {
        r.step = step_of_checkpoint(rest, held);
        return emit(s, r);
    }
    r.is_async = false;
    r.kind = RECORD_RESTORE_END;
    if (text_after(text, "Global Checkpoint Load : ", &rest) &&
        duration_after(rest, "Time spent in load_checkpoint:", &r.duration_ms) && slice_ends(slice_trim(rest), "s"))
        return emit(s, r);
    return LINE_NOT_MINE;
}

/* "Validation: iteration 1/20" to "Validation: iteration 20/20", each when it is over: the first took as long as the
 * others did. */
static enum line_result validation_line(struct steplog *s, struct slice text) {
    struct nemo *n = s->state;
    struct slice rest;
    int64_t done, total;
    struct record r = steplog_record(s, RECORD_EVALUATION_START);
    if (!steplog_is_reading(s, STEPLOG_NEMO) || !step_after(text, "Validation: iteration ", &done, &rest) ||
        !slice_take_char(&rest, '/') || !take_step(&rest, &total) || done > total)
        return LINE_NOT_MINE;
    if (done <= 1) {
        n->validation_ms = s->stamp_ms;
        emit(s, r);
    }
    if (done < total)
        return LINE_TAKEN;
    r.kind = RECORD_EVALUATION_END;
    int64_t reported_ms =
        n->validation_ms == TIME_UNKNOWN || s->stamp_ms == TIME_UNKNOWN ? -1 : s->stamp_ms - n->validation_ms;
    if (total > 1 && total <= 1000000 && reported_ms >= 0 && reported_ms <= STEPLOG_MAX_DURATION_MS / 2)
        r.duration_ms = reported_ms + reported_ms / (total - 1);
    n->validation_ms = TIME_UNKNOWN;
    return emit(s, r);
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct slice parts, rest, value;
    int64_t epoch, mean_ms = RECORD_NONE;
    struct record r = steplog_record(s, RECORD_STEP_END);
    if (!step_after(text, "Training epoch ", &epoch, &parts) || !slice_starts(parts, ", iteration "))
        return save_line(s, text) == LINE_TAKEN ? LINE_TAKEN : validation_line(s, text);
    /* What follows is asked for: a line cut off in "global_step: 1" may have been about step 19. */
    if (!step_after(parts, " global_step: ", &r.step, &rest) || !slice_starts(rest, " |"))
        return LINE_TAKEN;
    duration_after(parts, "train_step_timing in s: ", &mean_ms);
    if (s->last_step != RECORD_NONE && r.step > s->last_step + 1) { /* the last step's time, not that of all */
        pace_reported(s, mean_ms);
        mean_ms = RECORD_NONE;
    }
    if (text_after(parts, "TFLOPS_per_GPU: ", &value))
        take_milli(&value, &r.tflops_milli);
    steplog_emit_step(s, r, mean_ms != RECORD_NONE ? mean_ms * 1000 : RECORD_NONE, STEPLOG_NEMO);
    return LINE_TAKEN;
}

static void init_state(void *state) {
    ((struct nemo *)state)->validation_ms = TIME_UNKNOWN;
}

static void visit_state(void *state, struct codec *c) {
    codec_time(c, &((struct nemo *)state)->validation_ms);
}

static const char *const words[] = {"Training epoch ",
                                    "Global Checkpoint Save : ",
                                    "Successfully saved checkpoint from iteration ",
                                    "Async checkpoint save for step ",
                                    "Global Checkpoint Load : ",
                                    "Validation: iteration ",
                                    NULL};

extern const struct format steplog_nemo;
const struct format steplog_nemo = {
    .id = STEPLOG_NEMO,
    .looks_for = "Training epoch E, iteration N/M | ... global_step: N |",
    .words = words,
    .line = read_line,
    .state_bytes = sizeof(struct nemo),
    .state_init = init_state,
    .state_visit = visit_state,
};
