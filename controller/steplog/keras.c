/* Keras (keras/src/utils/progbar.py, callbacks; tests/data/steplog/keras.tsv), with verbose 2 (a line per epoch) and
 * the bar (redrawn with backspaces and carriage returns on one line per epoch). A step is a batch, counted over the
 * epochs from 1: (epoch - 1) x batches + batch; one record stands for an epoch, or for what was done of it at death.
 * That every epoch has as many batches is held to: an epoch of another size ends the steps. model.evaluate() and
 * predict() draw the same bar without the line "Epoch 1/4" before it, and are left out. */
#include "steplog/emit.h"
#include "steplog/text.h"

struct keras {
    int64_t epoch; /* 0: none started */
    int64_t batches, epoch_step, duration_ms;
    int64_t saved_epoch; /* saved before its batches were known; 0: none */
};

/* "Epoch 3/4" */
static bool epoch_line(struct steplog *s, struct slice text) {
    int64_t epoch, epochs;
    text = slice_trim(text);
    if (!slice_take_prefix(&text, "Epoch ") || !take_step(&text, &epoch) || !slice_take_char(&text, '/') ||
        !take_step(&text, &epochs) || text.size_bytes != 0 || epoch < 1 || epoch > epochs)
        return false;
    struct keras *k = s->state;
    k->epoch = epoch;
    if (s->last_step == RECORD_NONE) {
        struct record r = steplog_record(s, RECORD_PREPARATION_END);
        steplog_emit(s, &r, STEPLOG_KERAS);
    }
    return true;
}

/* "Epoch 1: loss improved from None to 2.30334, saving model to PATH" and "Epoch 1: finished saving model to PATH"
 * (newer versions). The epoch's own line comes after the save; in the first epoch it is not known before that how many
 * batches there are, and the step is emitted then. */
static bool save_line(struct steplog *s, struct slice text) {
    struct keras *k = s->state;
    int64_t epoch;
    struct slice rest = text;
    if (!slice_take_prefix(&rest, "Epoch ") || !take_step(&rest, &epoch) || !slice_starts(rest, ": "))
        return false;
    struct record r = steplog_record(s, RECORD_SAVE_START);
    if (k->batches > 0 && epoch > 0 && epoch <= STEPLOG_MAX_STEP / k->batches)
        r.step = epoch * k->batches;
    if (slice_starts(rest, ": finished saving model to ")) {
        steplog_emit_save_durable(s, r, STEPLOG_KERAS);
        k->saved_epoch = r.step == RECORD_NONE ? epoch : 0;
    } else if (slice_contains(rest, "saving model to ")) {
        steplog_emit_save_start(s, r, STEPLOG_KERAS);
    } else {
        return false;
    }
    return true;
}

/* "... 337ms/step ..." times n. Whole seconds are too coarse to be multiplied. */
static int64_t duration_of(struct slice text, int64_t n) {
    const char *end = slice_find(text, "s/step");
    if (end == NULL || end == text.data || (end[-1] != 'm' && end[-1] != 'u'))
        return RECORD_NONE;
    const char *from = end - 1;
    while (from > text.data && from[-1] >= '0' && from[-1] <= '9')
        from--;
    struct slice number = slice_range(from, end - 1);
    int64_t mean;
    if (!slice_take_uint(&number, &mean) || n <= 0 || mean > STEPLOG_MAX_DURATION_MS / n)
        return RECORD_NONE;
    return end[-1] == 'm' ? mean * n : mean * n / 1000;
}

/* " - 3s - loss: 0.2945" (verbose 2 before Keras printed the step's time). */
static bool is_plain_epoch(struct slice text) {
    int64_t seconds;
    return slice_take_prefix(&text, " - ") && slice_take_uint(&text, &seconds) && slice_take_char(&text, 's') &&
           (text.size_bytes == 0 || slice_starts(text, " - "));
}

/* "12/12 - 4s - 337ms/step - loss: ...", "12/12 ━━━━ 4s 337ms/step - ...", "3/12 [=>....] - ETA: 3s - ...". */
static enum line_result batch_line(struct steplog *s, struct slice text) {
    struct keras *k = s->state;
    while (text.size_bytes > 0 && (text.data[0] == '\b' || text.data[0] == ' '))
        text = slice_skip(text, 1);
    int64_t n, total;
    if (k->epoch == 0 || !take_step(&text, &n) || !slice_take_char(&text, '/') || !take_step(&text, &total) ||
        n > total || total < 1 || total > STEPLOG_MAX_STEP / k->epoch)
        return LINE_NOT_MINE;
    bool is_bar = slice_starts(text, " - ") || slice_starts(text, " [") || slice_starts(text, " \xE2\x94\x81");
    if (!is_bar || (!slice_contains(text, "s/step") && !slice_contains(text, "ETA: ") && !is_plain_epoch(text)))
        return LINE_NOT_MINE;
    if (k->batches == 0)
        k->batches = total;
    if (k->batches != total)
        return LINE_TAKEN;
    k->epoch_step = (k->epoch - 1) * total + n;
    k->duration_ms = n == total ? duration_of(text, n) : RECORD_NONE;
    return LINE_TAKEN;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    if (epoch_line(s, text) || save_line(s, text))
        return LINE_TAKEN;
    return batch_line(s, text);
}

static void end_line(struct steplog *s) {
    struct keras *k = s->state;
    if (k->epoch_step == 0)
        return;
    struct record r = steplog_record(s, RECORD_STEP_END);
    r.step = k->epoch_step;
    if (s->last_step == RECORD_NONE)
        steplog_emit_resume(s, (k->epoch - 1) * k->batches + 1, STEPLOG_KERAS);
    /* The first one shows the compilation. Later ones are not those of the steps alone: they hold the validation. */
    if (s->last_step == RECORD_NONE)
        r.duration_ms = k->duration_ms;
    k->epoch_step = 0;
    bool is_saved = k->saved_epoch > 0 && r.step == k->saved_epoch * k->batches;
    if (r.step == k->epoch * k->batches)
        k->epoch = 0; /* lines without a new epoch are not training */
    if (s->last_step == RECORD_NONE || r.step > s->last_step)
        steplog_emit_step(s, r, RECORD_NONE, STEPLOG_KERAS);
    if (!is_saved)
        return;
    struct record saved = steplog_record(s, RECORD_SAVE_DURABLE); /* now it is known which step that was */
    saved.step = r.step;
    k->saved_epoch = 0;
    steplog_emit(s, &saved, STEPLOG_KERAS);
}

static void visit_state(void *state, struct codec *c) {
    struct keras *k = state;
    codec_i64(c, &k->epoch);
    codec_i64(c, &k->batches);
    codec_time(c, &k->epoch_step); /* RECORD_NONE is TIME_UNKNOWN: both are INT64_MIN */
    codec_i64(c, &k->duration_ms);
    codec_i64(c, &k->saved_epoch);
}

extern const struct format steplog_keras;
const struct format steplog_keras = {
    .id = STEPLOG_KERAS,
    .looks_for = "Epoch E/M, and N/M - 1s - 2ms/step",
    .line = read_line,
    .line_end = end_line,
    .state_bytes = sizeof(struct keras),
    .state_visit = visit_state,
};
