/* Lightning's tqdm bar (lightning 2.6; tests/data/steplog/lightning.tsv): "Epoch 1:  45%|###  | 9/20 [...]". A step is
 * a batch, counted over the epochs from 1: epoch x batches + batch, if every epoch has as many. The bar's line comes
 * when a validation begins (or the run time's buffer is full), without one at the end or at death: one record stands
 * for what was done of an epoch until then. After a restart within an epoch the bar reads "Training: |   | 5/? [...]":
 * it names neither epoch nor total, so it gives no step (that time stays unattributed) until the next epoch's bar. The
 * first bar of a process, drawn before any batch, shows where it starts: at the restored batch. The rich bar prints
 * nothing until the end. */
#include "base/mem.h"
#include "steplog/emit.h"
#include "steplog/progress.h"
#include "steplog/text.h"

#define LIGHTNING_EPOCHS 64

struct lightning {
    int64_t batches; /* in an epoch; 0: not known */
    struct lightning_epoch {
        int64_t epoch, step, before_ms, until_ms;
        int64_t drawn_ms, validation_ms; /* the last drawing; validations before it, by their own clocks */
        bool is_validating;              /* one ends in a later line */
    } * epochs; /* in this line, of each epoch: the last batch, and from when until when by the clock */
    size_t epoch_capacity;
    int epoch_count;         /* LIGHTNING_EPOCHS at most */
    int64_t resumed_step;    /* the first bar in this line is drawn before its first batch; 0: none */
    int64_t drawn_ms;        /* the same clock when the line was stamped */
    int64_t epoch, epoch_ms; /* the last one of an earlier line, and its start; TIME_UNKNOWN */
    int64_t here_ms;         /* the first word */
    bool is_here, is_validating;
};

#define LIGHTNING_SILENCE_MS 600000

static enum line_result emit(struct steplog *s, struct record r) {
    steplog_emit(s, &r, STEPLOG_LIGHTNING);
    return LINE_TAKEN;
}

/* "Restoring states from the checkpoint path at PATH", "Restored all states from the checkpoint at PATH"; the file's
 * name may hold the step ("epoch=1-step=24.ckpt"), which counts optimizer steps and is not used as one of batches. */
static enum line_result restore_line(struct steplog *s, struct slice text) {
    bool is_start = slice_contains(text, "Restoring states from the checkpoint path at ");
    if (!is_start && !slice_contains(text, "Restored all states from the checkpoint at "))
        return LINE_NOT_MINE;
    ((struct lightning *)s->state)->is_here = true;
    return emit(s, steplog_record(s, is_start ? RECORD_RESTORE_START : RECORD_RESTORE_END));
}

static struct lightning_epoch *last_epoch(struct lightning *l) {
    return l->epoch_count > 0 ? &l->epochs[l->epoch_count - 1] : NULL;
}

/* Behind an epoch's drawings, it is timed by its own clock. */
static enum line_result validation(struct steplog *s, const struct progress *bar) {
    struct lightning *l = s->state;
    struct lightning_epoch *e = last_epoch(l);
    bool is_done = bar->total > 0 && bar->done == bar->total;
    if (e != NULL && !l->is_validating) {
        if (is_done && e->is_validating)
            e->validation_ms += bar->elapsed_s * 1000;
        e->is_validating = !is_done;
        return LINE_TAKEN;
    }
    if (is_done && l->is_validating)
        emit(s, steplog_record(s, RECORD_EVALUATION_END));
    else if (!is_done && !l->is_validating)
        emit(s, steplog_record(s, RECORD_EVALUATION_START));
    l->is_validating = !is_done;
    return LINE_TAKEN;
}

/* Redrawn for the next epoch before its number: "Epoch 0:   0%|   | 0/20". */
static enum line_result epoch_bar(struct steplog *s, const struct progress *bar) {
    struct lightning *l = s->state;
    struct slice number = bar->description;
    int64_t epoch;
    if (!slice_take_prefix(&number, "Epoch ") || !take_step(&number, &epoch) || number.size_bytes != 0)
        return LINE_NOT_MINE;
    if (bar->total <= 0 || epoch > STEPLOG_MAX_STEP / bar->total - 1)
        return LINE_TAKEN;
    if (l->batches == 0) {
        l->batches = bar->total;
        l->resumed_step = bar->done == 0 ? epoch * bar->total + 1 : 0;
    }
    int64_t step = epoch * bar->total + bar->done;
    struct lightning_epoch *e = last_epoch(l);
    bool is_next = e == NULL || e->epoch != epoch;
    if (l->batches != bar->total || bar->done == 0 || (is_next && l->epoch_count == LIGHTNING_EPOCHS))
        return LINE_TAKEN;
    if (is_next) {
        int64_t before_ms = e != NULL ? e->drawn_ms : 0;
        MEM_GROW(l->epochs, (size_t)l->epoch_count, l->epoch_capacity);
        e = &l->epochs[l->epoch_count++];
        *e = (struct lightning_epoch){.epoch = epoch, .before_ms = before_ms};
    }
    e->drawn_ms = e->before_ms + bar->elapsed_s * 1000;
    if (e->step != step) /* drawn again after a validation */
        e->until_ms = e->drawn_ms;
    e->step = step;
    if (s->piece_offset <= STEPLOG_PART_BYTES || s->is_joined)
        l->drawn_ms = e->drawn_ms;
    return LINE_TAKEN;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct lightning *l = s->state;
    const struct progress *bar = progress_of(s, text);
    if (bar == NULL) {
        if (!l->is_here && (slice_starts(text, "GPU available: ") || slice_starts(text, "LOCAL_RANK: "))) {
            l->is_here = true;
            l->here_ms = s->stamp_ms;
        }
        return restore_line(s, text);
    }
    l->is_here |= slice_starts(bar->description, "Sanity Checking") ||
                  slice_starts(bar->description, "Validation DataLoader ") || /* a log whose head is lost */
                  (slice_is(bar->description, "Training") && bar->total < 0 && bar->done == 0);
    if (!l->is_here)
        return LINE_NOT_MINE;
    if (slice_starts(bar->description, "Validation"))
        return validation(s, bar);
    return epoch_bar(s, bar);
}

/* When the clock of the line's drawings began, which runs on from epoch to epoch. What the runtime wrote first was
 * drawn when the line was stamped; but for a process that hung before it died, whose bar is seen at its death: the
 * clock, on from its last value, distinguishes those. */
static int64_t clock_begin_ms(const struct steplog *s) {
    const struct lightning *l = s->state;
    bool goes_on = l->epochs[0].epoch == l->epoch && l->epoch_ms != TIME_UNKNOWN;
    int64_t from_ms = goes_on ? l->epoch_ms : s->pace.free_ms != TIME_UNKNOWN ? s->pace.free_ms : l->here_ms;
    if (s->stamp_ms == TIME_UNKNOWN)
        return TIME_UNKNOWN;
    bool is_silent = from_ms != TIME_UNKNOWN && s->stamp_ms - l->drawn_ms - from_ms >= LIGHTNING_SILENCE_MS;
    return is_silent ? from_ms : s->stamp_ms - l->drawn_ms;
}

/* The first drawing of the last batch is the end of the steps; of what follows, a validation has its own clock. */
static void end_epoch(struct steplog *s, const struct lightning_epoch *e, int64_t begin_ms) {
    struct lightning *l = s->state;
    struct record r = steplog_record(s, RECORD_STEP_END);
    bool is_whole = s->last_step == RECORD_NONE || s->last_step <= e->epoch * l->batches;
    r.step = e->step;
    if (begin_ms != TIME_UNKNOWN)
        r.at_ms = begin_ms + e->until_ms;
    if (begin_ms != TIME_UNKNOWN && r.at_ms > r.received_ms)
        r.received_ms = r.at_ms; /* the rest of the line came later than its stamp */
    /* The first shows the compilation. Later ones are of the bar's clock: they hold whatever was between. */
    if (is_whole && s->last_step == RECORD_NONE)
        r.duration_ms = e->until_ms - e->before_ms;
    if (s->last_step == RECORD_NONE || e->step > s->last_step)
        steplog_emit_step(s, r, RECORD_NONE, STEPLOG_LIGHTNING);
    if (e->validation_ms > 0 || e->is_validating) {
        struct record v = steplog_record(s, e->is_validating ? RECORD_EVALUATION_START : RECORD_EVALUATION_END);
        v.at_ms = begin_ms != TIME_UNKNOWN ? begin_ms + e->drawn_ms : v.at_ms;
        if (!e->is_validating)
            v.duration_ms = e->validation_ms;
        l->is_validating = e->is_validating;
        emit(s, v);
    }
}

/* A line shows all epochs since the one before, and how long each of them lasted. */
static void end_line(struct steplog *s) {
    struct lightning *l = s->state;
    int64_t begin_ms = l->epoch_count > 0 ? clock_begin_ms(s) : s->stamp_ms;
    if (l->resumed_step > 0) {
        struct record r = steplog_record(s, RECORD_RESUME);
        r.step = l->resumed_step;
        r.at_ms = begin_ms;
        if (begin_ms !=
            TIME_UNKNOWN) /* each epoch's clock shows whole seconds, so it may have started that much earlier */
            r.at_ms -= l->epoch_count * INT64_C(1000);
        l->resumed_step = 0;
        emit(s, r);
    }
    if (l->epoch_count == 0)
        return;
    for (int i = 0; i < l->epoch_count; i++)
        end_epoch(s, &l->epochs[i], begin_ms);
    l->epoch = last_epoch(l)->epoch;
    l->epoch_ms = begin_ms != TIME_UNKNOWN ? begin_ms + last_epoch(l)->before_ms : TIME_UNKNOWN;
    l->epoch_count = 0;
    l->drawn_ms = 0;
}

static void init_state(void *state) {
    struct lightning *l = state;
    l->epoch_ms = l->here_ms = TIME_UNKNOWN;
}

static void free_state(void *state) {
    free(((struct lightning *)state)->epochs);
}

static void visit_state(void *state, struct codec *c) {
    struct lightning *l = state;
    codec_i64(c, &l->batches);
    codec_i64(c, &l->epoch);
    codec_time(c, &l->epoch_ms);
    codec_time(c, &l->here_ms);
    codec_bool(c, &l->is_here);
    codec_bool(c, &l->is_validating);
}

static bool is_holding(const struct steplog *s) {
    return ((const struct lightning *)s->state)->is_here;
}

static const char *const words[] = {"|",
                                    "GPU available: ",
                                    "LOCAL_RANK: ",
                                    "Restoring states from the checkpoint path at ",
                                    "Restored all states from the checkpoint at ",
                                    NULL};

extern const struct format steplog_lightning;
const struct format steplog_lightning = {
    .id = STEPLOG_LIGHTNING,
    .looks_for = "Epoch E:  P%|###  | N/M [",
    .words = words,
    .line = read_line,
    .line_end = end_line,
    .state_bytes = sizeof(struct lightning),
    .state_init = init_state,
    .state_visit = visit_state,
    .state_free = free_state,
    .is_holding = is_holding,
};
