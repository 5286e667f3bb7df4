/* torchtitan's lines (torchtitan/components/metrics.py, checkpoint.py, train.py; tests/data/steplog/torchtitan.tsv),
 * behind "[titan] <local time> - root - INFO - " and torchrun's "[rank0]:". Steps are counted from 1; a checkpoint
 * "step-10" holds step 10. Step lines give no time, so a step lasts from line to line. */
#include "steplog/emit.h"
#include "steplog/text.h"

static enum line_result emit(struct steplog *s, struct record r) {
    steplog_emit(s, &r, STEPLOG_TORCHTITAN);
    return LINE_TAKEN;
}

/* "step: 20  loss: 11.83506  grad_norm: ...  memory: ...  tps: 4,376  tflops: 1,253.41  mfu: 25.62%"; the same behind
 * "validate " is an evaluation. The words up to "tps: " are asked for, so that no other program's line is taken. */
static enum line_result step_line(struct steplog *s, struct slice text) {
    struct slice parts, value;
    struct record r = steplog_record(s, RECORD_STEP_END);
    if (!step_after(text, "step: ", &r.step, &parts) || !slice_starts(parts, "  loss: ") ||
        !slice_contains(parts, "  tps: "))
        return LINE_NOT_MINE;
    if (slice_contains(text, "validate step: ")) {
        steplog_emit_evaluation_end(s, steplog_record(s, RECORD_EVALUATION_END), r.step, STEPLOG_TORCHTITAN);
        return LINE_TAKEN;
    }
    if (text_after(parts, "  tflops: ", &value))
        take_milli(&value, &r.tflops_milli);
    steplog_emit_step(s, r, RECORD_NONE, STEPLOG_TORCHTITAN);
    return LINE_TAKEN;
}

/* "Saving the checkpoint." and "Finished saving the checkpoint in 0.55 seconds." (older: "... (or staging if async is
 * enabled)in ..."). An asynchronous save prints the same when only its staging is over, so the line proves nothing
 * durable until the next save begins, which waits for it. No line says which step it is, but for the last: "Saving a
 * full checkpoint at last step, step 644." and "Last step checkpoint completed in 0.35s", which is never asynchronous.
 */
static enum line_result save_line(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_SAVE_START);
    if (slice_contains(text, "Saving the checkpoint")) {
        steplog_prove_save(s, r, STEPLOG_TORCHTITAN);
        return emit(s, r);
    }
    if (step_after(text, "Saving a full checkpoint at last step, step ", &r.step, &rest)) {
        steplog_prove_save(s, r, STEPLOG_TORCHTITAN);
        s->saving_step = r.step;
        return emit(s, r);
    }
    if (duration_after(text, "Last step checkpoint completed in ", &r.duration_ms)) {
        r.kind = RECORD_SAVE_BLOCKED;
        r.step = s->saving_step;
        emit(s, r);
        r.kind = RECORD_SAVE_DURABLE;
        r.duration_ms = RECORD_NONE;
        return emit(s, r);
    }
    if (!text_after(text, "Finished saving the checkpoint", &rest))
        return LINE_NOT_MINE;
    r.kind = RECORD_SAVE_BLOCKED;
    r.is_async = true;
    s->unproved_step = s->last_step;
    return duration_after(rest, "in ", &r.duration_ms) ? emit(s, r) : LINE_TAKEN;
}

static enum line_result load_line(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_RESTORE_START);
    if (text_after(text, "Loading the checkpoint from ", &rest)) {
        struct slice name = rest;
        while (text_after(name, "/step-", &name))
            rest = name; /* the last one */
        if (!take_step(&rest, &r.step))
            r.step = RECORD_NONE;
        s->loading_step = r.step;
        return emit(s, r);
    }
    if (!duration_after(text, "Finished loading the checkpoint in ", &r.duration_ms))
        return LINE_NOT_MINE;
    r.kind = RECORD_RESTORE_END;
    r.step = s->loading_step;
    return emit(s, r);
}

/* "Training starts at step 11": what was before is preparation. "Training completed" ends the program. */
static enum line_result milestone(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_RESUME);
    if (step_after(text, "Training starts at step ", &r.step, &rest)) {
        struct record prepared = steplog_record(s, RECORD_PREPARATION_END);
        emit(s, prepared);
        return emit(s, r);
    }
    if (!slice_ends(slice_trim(text), "Training completed"))
        return LINE_NOT_MINE;
    r.kind = RECORD_JOB_END;
    return emit(s, r);
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    enum line_result result = step_line(s, text);
    /* The other lines are words that any program may print. */
    bool is_titan = slice_contains(text, "[titan]") || steplog_is_reading(s, STEPLOG_TORCHTITAN);
    if (result != LINE_NOT_MINE || !is_titan)
        return result;
    result = save_line(s, text);
    if (result == LINE_NOT_MINE)
        result = load_line(s, text);
    return result == LINE_NOT_MINE ? milestone(s, text) : result;
}

static const char *const words[] = {"  tps: ",
                                    "Saving the checkpoint",
                                    "Saving a full checkpoint at last step, step ",
                                    "Last step checkpoint completed in ",
                                    "Finished saving the checkpoint",
                                    "Loading the checkpoint from ",
                                    "Finished loading the checkpoint in ",
                                    "Training starts at step ",
                                    "Training completed",
                                    NULL};

extern const struct format steplog_torchtitan;
const struct format steplog_torchtitan = {
    .id = STEPLOG_TORCHTITAN, .looks_for = "step: N  loss: L ... tps: T", .words = words, .line = read_line};
