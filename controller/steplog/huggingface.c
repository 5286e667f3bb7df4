/* Hugging Face Trainer (src/transformers/trainer_callback.py, versions 4 and 5; tests/data/steplog/huggingface.tsv).
 *
 * Its dictionaries {'loss': ..., 'epoch': ...} come when they are printed but hold no step; the step is in the progress
 * bar, whose line comes late. Each dictionary is printed through the bar: the bar is cleared, the dictionary written,
 * and the bar drawn again at the step it is about. So the drawings that follow a clearing, in a bar's line, are in
 * order the steps of the dictionaries since the bar's line before: if there are as many, and the bar's own clock agrees
 * with the stamps (block-buffered output does not), each dictionary's step ended at its stamp. From then on the next
 * dictionary's step is known as soon as it comes: the next multiple of logging_steps. Until then the dictionaries are
 * held, and signs of life with them: the ledger wants a process's records in the order of time. Where all this fails,
 * the bar's last drawing gives one step at its line's stamp. */
#include "steplog/formats.h"
#include "steplog/progress.h"

#define HELD_AT_MOST_MS 600000
#define CLOCKS_AGREE_MS 2500 /* the bar's clock shows whole seconds */

static enum line_result emit(struct steplog *s, struct record r) {
    steplog_emit(s, &r, STEPLOG_HUGGINGFACE);
    return LINE_TAKEN;
}

static void emit_step(struct steplog *s, int64_t step, int64_t at_ms) {
    struct record r = steplog_record(s, RECORD_STEP_END);
    r.step = step;
    r.at_ms = at_ms;
    if (s->last_step == RECORD_NONE || step > s->last_step)
        steplog_emit_step(s, r, RECORD_NONE, STEPLOG_HUGGINGFACE);
}

bool huggingface_is_holding(const struct steplog *s) {
    const struct huggingface *h = &s->huggingface;
    bool is_known = s->stamp_ms != TIME_UNKNOWN && h->held_since_ms != TIME_UNKNOWN;
    return h->held > 0 && is_known && s->stamp_ms - h->held_since_ms < HELD_AT_MOST_MS;
}

static void forget(struct huggingface *h) {
    h->dict_count = h->held = 0;
}

/* A dictionary was printed. */
static void add_dict(struct steplog *s, bool is_step) {
    struct huggingface *h = &s->huggingface;
    if (h->dict_count == HUGGINGFACE_DICTS ||
        (h->held > 0 && s->stamp_ms != TIME_UNKNOWN && !huggingface_is_holding(s)))
        forget(h);
    struct huggingface_dict d = {.stamp_ms = s->stamp_ms, .is_step = is_step, .step = RECORD_NONE};
    if (is_step && h->logging_steps > 0 && s->last_step != RECORD_NONE) {
        d.step = (s->last_step / h->logging_steps + 1) * h->logging_steps;
        if (d.step > h->total)
            d.step = RECORD_NONE; /* the number was wrong after all */
        else
            emit_step(s, d.step, s->stamp_ms);
    }
    if (is_step && d.step == RECORD_NONE && h->held++ == 0)
        h->held_since_ms = s->stamp_ms;
    h->dicts[h->dict_count++] = d;
    h->has_dict = true;
}

/* {'eval_loss': ..., 'eval_runtime': 3.2, ...}; version 5 quotes the values. */
static void emit_evaluation(struct steplog *s, struct slice dict) {
    struct slice value;
    struct record r = steplog_record(s, RECORD_EVALUATION_END);
    if (text_after(dict, "'eval_runtime': ", &value)) {
        slice_take_char(&value, '\'');
        if (!take_duration_ms(&value, &r.duration_ms))
            r.duration_ms = RECORD_NONE;
    }
    emit(s, r);
}

static enum line_result dict_line(struct steplog *s, struct slice text) {
    struct slice dict = text;
    if (!text_after(text, "{'", &dict) || !slice_contains(dict, "'epoch': ") || !slice_ends(slice_trim(dict), "}"))
        return LINE_NOT_MINE;
    bool is_step = slice_starts(dict, "loss': ") && slice_contains(dict, "'learning_rate': ");
    bool is_evaluation = slice_starts(dict, "eval_");
    if (!is_step && !is_evaluation && !slice_starts(dict, "train_runtime': ") && !s->huggingface.has_dict)
        return LINE_NOT_MINE;
    if (is_evaluation && s->huggingface.has_dict)
        emit_evaluation(s, dict);
    s->huggingface.is_written = s->huggingface.is_cleared;
    add_dict(s, is_step);
    return LINE_TAKEN;
}

/* The drawing after a dictionary. With standard output and error on one stream (a terminal) it comes at once. */
static void redrawn(struct steplog *s, const struct progress *bar) {
    struct huggingface *h = &s->huggingface;
    if (h->is_written && h->dict_count == 1) {
        if (h->dicts[0].is_step && h->dicts[0].step == RECORD_NONE)
            emit_step(s, bar->done, h->dicts[0].stamp_ms);
        forget(h);
    } else if (h->redraw_count < HUGGINGFACE_DICTS) {
        h->redraws[h->redraw_count].step = bar->done;
        h->redraws[h->redraw_count].elapsed_s = bar->elapsed_s;
        h->redraw_count++;
    }
    h->is_written = false;
}

/* The training's bar is the first without a description; one before it that is done (an evaluation's, a data set's)
 * gives way, and the ones that come within it (evaluations) have another total. */
static enum line_result bar_line(struct steplog *s, struct slice text) {
    struct huggingface *h = &s->huggingface;
    struct progress bar;
    if (!progress_parse(text, &bar) || bar.description.size_bytes != 0 || bar.total <= 0)
        return LINE_NOT_MINE;
    bool gives_way = !h->has_dict && h->total > 0 && h->done == h->total && bar.done == 0;
    if (h->total == 0 || gives_way) {
        h->total = bar.total;
        h->done = 0;
    }
    if (bar.total != h->total)
        return LINE_NOT_MINE;
    if (bar.done < h->done)
        return LINE_TAKEN; /* another bar of the same size: an evaluation */
    h->done = bar.done;
    h->has_bar = true;
    if (h->is_cleared)
        redrawn(s, &bar);
    h->is_cleared = false;
    return LINE_TAKEN;
}

/* "Saving model checkpoint to DIR/checkpoint-500", "  Continuing training from global step 500" (log level INFO). */
static enum line_result other_line(struct steplog *s, struct slice text) {
    struct slice rest;
    struct record r = steplog_record(s, RECORD_SAVE_START);
    if (text_after(text, "Saving model checkpoint to ", &rest)) {
        while (text_after(rest, "checkpoint-", &rest)) {
            struct slice number = rest;
            take_step(&number, &r.step);
        }
        steplog_emit_save_start(s, r, STEPLOG_HUGGINGFACE); /* nothing tells the end */
        return LINE_TAKEN;
    }
    if (!step_after(text, "Continuing training from global step ", &r.step, &rest))
        return LINE_NOT_MINE;
    r.kind = RECORD_RESUME;
    r.step++;
    return emit(s, r);
}

static bool is_blank(struct slice text) {
    return slice_trim(text).size_bytes == 0;
}

enum line_result huggingface_line(struct steplog *s, struct slice text) {
    if (s->huggingface.has_bar && is_blank(text)) {
        s->huggingface.is_cleared = true;
        return LINE_NOT_MINE;
    }
    enum line_result result = bar_line(s, text);
    if (result == LINE_NOT_MINE)
        result = dict_line(s, text);
    return result == LINE_NOT_MINE ? other_line(s, text) : result;
}

/* As many dictionaries as drawings, and the bar's clock went as far as the stamps. */
static bool agree(const struct huggingface *h) {
    int n = h->dict_count;
    if (n == 0 || n != h->redraw_count)
        return false;
    for (int i = 0; i < n; i++)
        if ((h->dicts[i].is_step && h->dicts[i].step != RECORD_NONE && h->dicts[i].step != h->redraws[i].step) ||
            (i > 0 && h->redraws[i].step < h->redraws[i - 1].step))
            return false;
    if (h->dicts[0].stamp_ms == TIME_UNKNOWN || h->dicts[n - 1].stamp_ms == TIME_UNKNOWN)
        return h->dicts[0].stamp_ms == h->dicts[n - 1].stamp_ms;
    int64_t told_ms = h->dicts[n - 1].stamp_ms - h->dicts[0].stamp_ms;
    int64_t drawn_ms = (h->redraws[n - 1].elapsed_s - h->redraws[0].elapsed_s) * 1000;
    return told_ms - drawn_ms < CLOCKS_AGREE_MS && drawn_ms - told_ms < CLOCKS_AGREE_MS;
}

static void match(struct steplog *s) {
    struct huggingface *h = &s->huggingface;
    int64_t before = RECORD_NONE, last = s->last_step;
    for (int i = 0; i < h->dict_count; i++) {
        if (!h->dicts[i].is_step)
            continue;
        if (h->dicts[i].step == RECORD_NONE)
            emit_step(s, h->redraws[i].step, h->dicts[i].stamp_ms);
        before = last;
        last = h->redraws[i].step;
    }
    int64_t interval = before != RECORD_NONE && before < last ? last - before : 0;
    if (interval > 0)
        h->logging_steps = last % interval == 0 ? interval : 0; /* not from 1 to 10, with logging_first_step */
}

void huggingface_line_end(struct steplog *s) {
    struct huggingface *h = &s->huggingface;
    if (!h->has_bar)
        return;
    h->has_bar = false;
    if (!h->is_written)
        h->is_cleared = false;
    if (h->redraw_count > 0) {
        if (agree(h))
            match(s);
        else if (h->dict_count == h->redraw_count)
            h->logging_steps = 0;
        forget(h);
        h->redraw_count = 0;
    }
    if (h->has_dict && h->held == 0 && h->done > 0)
        emit_step(s, h->done, s->stamp_ms);
}
