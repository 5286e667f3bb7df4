/* DeepSpeed's lines at log level INFO (deepspeed/runtime/engine.py, utils/timer.py, runtime/checkpoint_engine;
 * tests/data/steplog/deepspeed.tsv). Steps are counted from 1; a checkpoint "global_step10" holds step 10. At the
 * default level WARNING DeepSpeed prints none of them, and such a log gives no steps. */
#include "steplog/emit.h"
#include "steplog/text.h"

static enum line_result emit(struct steplog *s, const struct record *r) {
    steplog_emit(s, r, STEPLOG_DEEPSPEED);
    return LINE_TAKEN;
}

/* "[INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=4, lr=[...], mom=[...]". step=0 is printed at every start,
 * resumes included, and is not a step. */
static enum line_result step_line(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_STEP_END);
    if (!text_after(text, "] step=", &rest) || !take_step(&rest, &r.step) || !slice_starts(rest, ", skipped="))
        return LINE_NOT_MINE;
    if (r.step > 0)
        steplog_emit_step(s, r, RECORD_NONE, STEPLOG_DEEPSPEED);
    return LINE_TAKEN;
}

/* ".../global_step20/mp_rank_00_model_states.pt" or "global_step20 is ..."; other tags have no number. */
static int64_t step_of_tag(struct slice text) {
    int64_t step = RECORD_NONE;
    while (text_after(text, "global_step", &text)) {
        struct slice rest = text;
        take_step(&rest, &step);
    }
    return step;
}

/* "[Torch] Checkpoint global_step20 is about to be saved!", "Saving model checkpoint: PATH" (both, in this order) and,
 * in versions before 0.17, "[Torch] Checkpoint global_step20 is ready now!". Newer ones say nothing at the end. */
static enum line_result save_line(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_SAVE_START);
    bool is_torch = slice_contains(text, "[Torch] Checkpoint ");
    if (is_torch && slice_contains(text, " is ready now!")) {
        r.step = step_of_tag(text);
        steplog_emit_save_durable(s, r, STEPLOG_DEEPSPEED);
        return LINE_TAKEN;
    }
    bool is_begin = slice_contains(text, " is about to be saved!") && text_after(text, "] Checkpoint ", &rest);
    if (!is_begin && !text_after(text, "Saving model checkpoint: ", &rest))
        return LINE_NOT_MINE;
    r.step = step_of_tag(rest);
    if (r.step == RECORD_NONE || r.step != s->saving_step)
        steplog_emit_save_start(s, r, STEPLOG_DEEPSPEED);
    return LINE_TAKEN;
}

/* "[Torch] Begin Load checkpoint from PATH..." and "[Torch] End Load checkpoint from PATH..."; before 0.17 "Loading
 * checkpoint from" and "Loaded checkpoint from". One for each file read; nested and repeated ones count once. */
static enum line_result load_line(struct steplog *s, struct slice text) {
    static const char *const words[] = {"Begin Load checkpoint from ", "Loading checkpoint from ",
                                        "End Load checkpoint from ", "Loaded checkpoint from "};
    struct slice rest;
    if (!text_after(text, "[Torch] ", &rest))
        return LINE_NOT_MINE;
    for (int i = 0; i < 4; i++)
        if (slice_starts(rest, words[i])) {
            struct record r = steplog_record(s, i < 2 ? RECORD_RESTORE_START : RECORD_RESTORE_END);
            r.step = step_of_tag(rest);
            return emit(s, &r);
        }
    return LINE_NOT_MINE;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    if (!slice_contains(text, "[INFO] ") && !slice_contains(text, "[Rank 0]"))
        return LINE_NOT_MINE;
    enum line_result result = step_line(s, text);
    if (result == LINE_NOT_MINE)
        result = save_line(s, text);
    if (result == LINE_NOT_MINE)
        result = load_line(s, text);
    /* "epoch=0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=...": counts from the start of the process, not of
     * the job, so it is not a step. */
    if (result == LINE_NOT_MINE && slice_contains(text, "/micro_step="))
        result = LINE_TAKEN;
    return result;
}

static const char *const words[] = {
    "] step=", " is ready now!", " is about to be saved!", "Saving model checkpoint: ", "[Torch] ", "/micro_step=",
    NULL};

extern const struct format steplog_deepspeed;
const struct format steplog_deepspeed = {
    .id = STEPLOG_DEEPSPEED, .looks_for = "step=N, skipped=K, lr=[...]", .words = words, .line = read_line};
