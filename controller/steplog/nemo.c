/* NeMo's progress lines (tests/data/steplog/nemo.tsv): "Training epoch 0, iteration 100/17279 | lr: ... | global_step:
 * 100 | ... | train_step_timing in s: 1.234 | TFLOPS_per_GPU: 1.145e+03". The iteration starts anew in each epoch, so
 * the step is global_step; a line without it gives no step. Megatron's checkpoint lines, which NeMo's Megatron core
 * prints too, are megatron.c's. */
#include "steplog/formats.h"

/* "Async checkpoint save for step 100 (PATH) finalized successfully." */
static enum line_result save_line(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_SAVE_DURABLE);
    if (!step_after(text, "Async checkpoint save for step ", &r.step, &rest) ||
        !slice_contains(rest, " finalized successfully"))
        return LINE_NOT_MINE;
    r.is_async = true;
    steplog_emit(s, &r, STEPLOG_NEMO);
    return LINE_TAKEN;
}

enum line_result nemo_line(struct steplog *s, struct slice text) {
    struct slice parts, rest, value;
    int64_t epoch, mean_ms = RECORD_NONE;
    struct record r = steplog_record(s, RECORD_STEP_END);
    if (!step_after(text, "Training epoch ", &epoch, &parts) || !slice_starts(parts, ", iteration "))
        return save_line(s, text);
    /* What follows is asked for: a line cut off in "global_step: 1" may have been about step 19. */
    if (!step_after(parts, " global_step: ", &r.step, &rest) || !slice_starts(rest, " |"))
        return LINE_TAKEN;
    duration_after(parts, "train_step_timing in s: ", &mean_ms);
    if (text_after(parts, "TFLOPS_per_GPU: ", &value))
        take_milli(&value, &r.tflops_milli);
    steplog_emit_step(s, r, mean_ms, STEPLOG_NEMO);
    return LINE_TAKEN;
}
