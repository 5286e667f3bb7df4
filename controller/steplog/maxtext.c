/* MaxText's text lines (src/maxtext/common/metric_logger.py, train.py; tests/data/steplog/maxtext.tsv). They may stand
 * behind absl's prefix, which has no year: the time is the transport's. A step's line is printed one step late. */
#include "steplog/emit.h"
#include "steplog/text.h"

#include <string.h>

/* ", key: <value>" anywhere behind; the parts after the step differ between versions, so each is looked for. */
static bool take_duration_part(struct slice parts, const char *key, int64_t *ms) {
    return text_after(parts, key, &parts) && take_duration_ms(&parts, ms);
}

static void note_live_slices(struct steplog *s, struct slice parts) {
    int64_t slices;
    if (!text_after(parts, ", live slice count: ", &parts) || !take_step(&parts, &slices) || slices == s->live_slices)
        return;
    s->live_slices = slices;
    struct record r = steplog_record(s, RECORD_ELASTIC_SLICES);
    r.active = slices;
    steplog_emit(s, &r, STEPLOG_MAXTEXT);
}

/* "completed step: 9, seconds: 5.667, TFLOP/s/device: 134.924, ...". The comma after the number is asked for: a line
 * cut off in "completed step: 1" may have been about step 19. */
static bool step_line(struct steplog *s, struct slice text) {
    struct slice parts;
    struct record r = steplog_record(s, RECORD_STEP_END);
    if (!text_after(text, "completed step: ", &parts) || !take_step(&parts, &r.step) || !slice_starts(parts, ", "))
        return false;
    /* The first line's seconds are the host's, and it may come after a save: once restored, training began then. */
    bool is_first_restored = s->counts.steps == 0 && s->last_step != RECORD_NONE;
    if (!is_first_restored)
        take_duration_part(parts, ", seconds: ", &r.duration_ms);
    struct slice flops;
    int64_t milli;
    if (text_after(parts, ", TFLOP/s/device: ", &flops) && slice_take_scaled(&flops, 3, &milli) && milli >= 0)
        r.tflops_milli = milli;
    steplog_emit(s, &r, STEPLOG_MAXTEXT);
    note_live_slices(s, parts);
    return true;
}

/* "Completed eval step: 3, seconds: 0.5, ..." and "Completed eval after train step 100, loss=...". */
static bool evaluation_line(struct steplog *s, struct slice text) {
    struct slice parts;
    if (!text_after(text, "Completed eval ", &parts))
        return false;
    struct record r = steplog_record(s, RECORD_EVALUATION_END);
    int64_t step;
    if (slice_take_prefix(&parts, "after train step ") && take_step(&parts, &step)) {
        steplog_emit_evaluation_end(s, r, step, STEPLOG_MAXTEXT);
        return true;
    }
    if (slice_starts(parts, "step: "))
        take_duration_part(parts, ", seconds: ", &r.duration_ms);
    steplog_emit(s, &r, STEPLOG_MAXTEXT);
    return true;
}

/* "restored from checkpoint step 10, resuming at 11", "saved a checkpoint at step 10" (older versions) and "Started an
 * asynchronous checkpoint save for step 20". The save call has returned before it, but nothing says how long it took or
 * that the save is final; where Orbax's own lines gave the same save already, they say more. */
static bool checkpoint_line(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_RESTORE_END);
    if (text_after(text, "restored from checkpoint step ", &rest) && take_step(&rest, &r.step)) {
        steplog_emit(s, &r, STEPLOG_MAXTEXT);
        struct record resume = steplog_record(s, RECORD_RESUME);
        if (slice_take_prefix(&rest, ", resuming at ") && take_step(&rest, &resume.step))
            steplog_emit(s, &resume, STEPLOG_MAXTEXT);
        return true;
    }
    if (!text_after(text, "saved a checkpoint at step ", &rest) &&
        !text_after(text, "Started an asynchronous checkpoint save for step ", &rest))
        return false;
    r = steplog_record(s, RECORD_SAVE_BLOCKED);
    r.is_async = true;
    if (!take_step(&rest, &r.step))
        return false;
    if (s->saving_step != r.step)
        steplog_emit(s, &r, STEPLOG_MAXTEXT);
    s->saving_step = r.step;
    return true;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    /* The checks' words all hold "tep" or "eval"; the many other lines of a start-up leave early. */
    bool mine = slice_contains(text, "tep") ? step_line(s, text) || evaluation_line(s, text) || checkpoint_line(s, text)
                                            : evaluation_line(s, text);
    return mine ? LINE_TAKEN : LINE_NOT_MINE;
}

static const char *const words[] = {"completed step: ",
                                    "Completed eval ",
                                    "restored from checkpoint step ",
                                    "saved a checkpoint at step ",
                                    "Started an asynchronous checkpoint save for step ",
                                    NULL};

extern const struct format steplog_maxtext;
const struct format steplog_maxtext = {
    .id = STEPLOG_MAXTEXT, .looks_for = "completed step: N, seconds: S", .words = words, .line = read_line};
