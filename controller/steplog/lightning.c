/* Lightning's tqdm bar (lightning 2.6; tests/data/steplog/lightning.tsv): "Epoch 1:  45%|###  | 9/20 [...]". A step is
 * a batch, counted over the epochs from 1: epoch x batches + batch, if every epoch has as many. The bar's line comes at
 * the epoch's end or at death, so one record stands for the batches until then. After a restart within an epoch the bar
 * reads "Training: |   | 5/? [...]": it names neither epoch nor total, so it gives no step (that time stays
 * unattributed) until the next epoch's bar. The rich bar prints nothing until the end. */
#include "steplog/formats.h"
#include "steplog/progress.h"

static enum line_result emit(struct steplog *s, struct record r) {
    steplog_emit(s, &r, STEPLOG_LIGHTNING);
    return LINE_TAKEN;
}

/* "Restoring states from the checkpoint path at PATH", "Restored all states from the checkpoint at PATH"; the file's
 * name may tell the step ("epoch=1-step=24.ckpt"), which counts optimizer steps and is not used as one of batches. */
static enum line_result restore_line(struct steplog *s, struct slice text) {
    bool is_start = slice_contains(text, "Restoring states from the checkpoint path at ");
    if (!is_start && !slice_contains(text, "Restored all states from the checkpoint at "))
        return LINE_NOT_MINE;
    s->lightning.is_here = true;
    return emit(s, steplog_record(s, is_start ? RECORD_RESTORE_START : RECORD_RESTORE_END));
}

static enum line_result validation(struct steplog *s, const struct progress *bar) {
    struct lightning *l = &s->lightning;
    bool is_done = bar->total > 0 && bar->done == bar->total;
    if (is_done && l->is_validating)
        emit(s, steplog_record(s, RECORD_EVALUATION_END));
    else if (!is_done && !l->is_validating)
        emit(s, steplog_record(s, RECORD_EVALUATION_START));
    l->is_validating = !is_done;
    return LINE_TAKEN;
}

static enum line_result epoch_bar(struct steplog *s, const struct progress *bar) {
    struct lightning *l = &s->lightning;
    struct slice number = bar->description;
    int64_t epoch;
    if (!slice_take_prefix(&number, "Epoch ") || !take_step(&number, &epoch) || number.size_bytes != 0)
        return LINE_NOT_MINE;
    if (bar->total <= 0 || epoch > STEPLOG_MAX_STEP / bar->total - 1)
        return LINE_TAKEN;
    if (l->batches == 0)
        l->batches = bar->total;
    /* Redrawn for the next epoch before its number: "Epoch 0:   0%|   | 0/20". */
    if (l->batches == bar->total && bar->done > 0)
        l->told_step = epoch * bar->total + bar->done;
    return LINE_TAKEN;
}

enum line_result lightning_line(struct steplog *s, struct slice text) {
    struct lightning *l = &s->lightning;
    struct progress bar;
    if (!progress_parse(text, &bar)) {
        l->is_here |= slice_starts(text, "GPU available: ") || slice_starts(text, "LOCAL_RANK: ");
        return restore_line(s, text);
    }
    l->is_here |= slice_starts(bar.description, "Sanity Checking");
    if (!l->is_here)
        return LINE_NOT_MINE;
    if (slice_starts(bar.description, "Validation"))
        return validation(s, &bar);
    return epoch_bar(s, &bar);
}

void lightning_line_end(struct steplog *s) {
    struct lightning *l = &s->lightning;
    struct record r = steplog_record(s, RECORD_STEP_END);
    r.step = l->told_step;
    l->told_step = 0;
    if (r.step > 0 && (s->last_step == RECORD_NONE || r.step > s->last_step))
        steplog_emit_step(s, r, RECORD_NONE, STEPLOG_LIGHTNING);
}
