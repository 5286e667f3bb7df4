/* Hugging Face Trainer (src/transformers/trainer_callback.py, versions 4 and 5; tests/data/steplog/huggingface.tsv).
 *
 * Its dictionaries {'loss': ..., 'epoch': ...} come when they are printed but hold no step; the step is in the progress
 * bar, whose line comes late. Each dictionary is printed through the bar: the bar is cleared, the dictionary written,
 * and the bar drawn again at the step it is about. So the drawings that follow a clearing, in a bar's line, are in
 * order the steps of the dictionaries since the bar's line before: if there are as many, and the bar's own clock agrees
 * with the stamps (block-buffered output does not), each dictionary's step ended at its stamp. From then on the next
 * dictionary's step is known as soon as it comes: the next multiple of logging_steps. Until then the dictionaries are
 * held, and signs of life with them: the ledger wants a process's records in the order of time. Where all this fails,
 * the bar's last drawing gives one step at its line's stamp.
 *
 * Without a bar (disable_tqdm) the epoch of each dictionary numbers the intervals between them (huggingface_share.h).
 * A bar's line may come 16 KiB late, so that they wait until the process ends, or no bar can be there. */
#include "base/mem.h"
#include "steplog/emit.h"
#include "steplog/explain.h"
#include "steplog/huggingface_dict.h"
#include "steplog/huggingface_share.h"
#include "steplog/progress.h"
#include "steplog/text.h"

#include <string.h>

#define HUGGINGFACE_DICTS 256
#define NO_BAR_DICTS 128 /* a bar that is drawn for each of this number fills 16 KiB */

struct huggingface {
    struct huggingface_dict *dicts; /* printed since the bar's last line */
    struct huggingface_redraw {
        int64_t step, elapsed_s;
    } * redraws; /* in the line being read */
    size_t dict_capacity, redraw_capacity;
    int dict_count, redraw_count, held; /* HUGGINGFACE_DICTS at most */
    int64_t held_since_ms, logging_steps /* 0: not known */, total /* 0: no bar yet */, done, done_s;
    int64_t began_ms; /* the bar's clock, as far as the dictionaries show it; TIME_UNKNOWN */
    int64_t first;    /* step that the bar drew after its start; RECORD_NONE: not known */
    bool has_dict, has_bar /* in this line */, is_cleared, is_written;
    bool lost_head; /* of this line: the bar's first drawing is missing */
    int64_t base;   /* of this line: what was done before it */
    bool has_no_bar;
    struct huggingface_share share; /* steps are numbered by it, where there is no bar */
};

#define MAX_HELD_MS 14400000
#define CLOCKS_PAIR_MS 1250
#define CLOCKS_AGREE_MS 2500 /* the bar's clock shows whole seconds */

static enum line_result emit(struct steplog *s, struct record r) {
    steplog_emit(s, &r, STEPLOG_HUGGINGFACE);
    return LINE_TAKEN;
}

/* The bar's clock starts with training: the first steps took as long, compilation included. Where no dictionary shows
 * when that was, the last drawing has that clock. */
static int64_t since_start(const struct huggingface *h, int64_t at_ms) {
    bool is_known = h->began_ms != TIME_UNKNOWN && at_ms != TIME_UNKNOWN && at_ms > h->began_ms;
    int64_t ms = is_known ? at_ms - h->began_ms : h->done_s * 1000;
    return ms > 0 && ms <= STEPLOG_MAX_DURATION_MS ? ms : RECORD_NONE;
}

static void emit_step(struct steplog *s, int64_t step, int64_t at_ms) {
    struct record r = steplog_record(s, RECORD_STEP_END);
    r.step = step;
    r.at_ms = at_ms;
    if (s->last_step == RECORD_NONE)
        r.duration_ms = since_start(s->state, at_ms);
    if (s->last_step == RECORD_NONE || step > s->last_step)
        steplog_emit_step(s, r, RECORD_NONE, STEPLOG_HUGGINGFACE);
}

/* The step of a dictionary, at its stamp; if a torn line lost that, the next step shows that it was. */
static void emit_dict(struct steplog *s, const struct huggingface_dict *d) {
    if (d->stamp_ms != TIME_UNKNOWN || s->stamp_ms == TIME_UNKNOWN)
        emit_step(s, d->step, d->stamp_ms);
    else if (s->last_step == RECORD_NONE || d->step > s->last_step)
        s->last_step = d->step;
}

static bool is_holding(const struct steplog *s) {
    const struct huggingface *h = s->state;
    bool is_known = s->stamp_ms != TIME_UNKNOWN && h->held_since_ms != TIME_UNKNOWN;
    return h->held > 0 && is_known && s->stamp_ms - h->held_since_ms < MAX_HELD_MS;
}

static void emit_evaluation(struct steplog *s, struct huggingface_dict *d) {
    struct record r = steplog_record(s, RECORD_EVALUATION_END);
    if (!d->is_evaluation || (d->stamp_ms == TIME_UNKNOWN && s->stamp_ms != TIME_UNKNOWN))
        return;
    r.at_ms = d->stamp_ms;
    r.duration_ms = d->evaluation_ms;
    d->is_evaluation = false;
    emit(s, r);
}

static void forget(struct steplog *s) {
    struct huggingface *h = s->state;
    for (int i = 0; i < h->dict_count; i++)
        emit_evaluation(s, &h->dicts[i]);
    h->dict_count = h->held = 0;
}

/* ---- without a bar ---- */

/* How later processes of the job know that it has no bar: of struct steplog_counter. */
#define SHARE_COUNTER UINT64_C(0x6875676765706f63)

static void emit_interval(struct steplog *s, const struct huggingface_dict *d) {
    struct huggingface *h = s->state;
    struct record r = steplog_record(s, RECORD_STEP_END);
    if (d->share == RECORD_NONE || (d->stamp_ms == TIME_UNKNOWN && s->stamp_ms != TIME_UNKNOWN))
        return;
    r.step = huggingface_share_number(&h->share, d->share);
    r.at_ms = d->stamp_ms;
    if (r.received_ms != RECORD_NONE)
        r.received_ms = d->stamp_ms;
    r.is_derived = r.counts_lines = true;
    steplog_emit_step(s, r, RECORD_NONE, STEPLOG_HUGGINGFACE);
    s->counter.delta = h->share.each;
    s->counter.unit = h->share.learned;
}

static void emit_intervals(struct steplog *s) {
    struct huggingface *h = s->state;
    h->has_no_bar = true;
    for (int i = 0; i < h->dict_count; i++) {
        emit_evaluation(s, &h->dicts[i]);
        if (h->dicts[i].is_step)
            emit_interval(s, &h->dicts[i]);
    }
    h->dict_count = h->held = 0;
}

/* The dictionaries that wait are those of a process without a bar, if what they show are equal intervals. */
static void give_up_bar(struct steplog *s) {
    struct huggingface *h = s->state;
    int64_t shares[HUGGINGFACE_DICTS];
    int count = 0;
    bool is_open = s->counts.recognized == STEPLOG_AUTO || s->counts.recognized == STEPLOG_HUGGINGFACE;
    if (h->total > 0 || h->has_no_bar || !is_open)
        return;
    for (int i = 0; i < h->dict_count; i++)
        if (h->dicts[i].is_step && h->dicts[i].share != RECORD_NONE)
            shares[count++] = h->dicts[i].share;
    if (!huggingface_share_fit(&h->share, shares, count))
        return;
    s->counter = (struct steplog_counter){.kind = SHARE_COUNTER};
    emit_intervals(s);
}

/* The process before had none, either. */
static void resume_without_bar(struct steplog *s) {
    struct huggingface *h = s->state;
    if (s->counter.kind != SHARE_COUNTER || s->counter.delta <= 0 || h->total > 0)
        return;
    h->share.each = s->counter.delta;
    h->share.learned = s->counter.unit;
    emit_intervals(s);
}

/* ---- dictionaries ---- */

/* A dictionary was printed. Its record waits for the steps before it: records come in the order of time. */
static void add_dict(struct steplog *s, struct huggingface_dict d) {
    struct huggingface *h = s->state;
    bool waits_too_long = h->held > 0 && s->stamp_ms != TIME_UNKNOWN && !is_holding(s);
    if (h->held >= NO_BAR_DICTS || h->dict_count == HUGGINGFACE_DICTS || waits_too_long)
        give_up_bar(s);
    if (d.is_step && !h->has_no_bar)
        resume_without_bar(s);
    if (h->has_no_bar && d.is_step)
        return emit_interval(s, &d);
    if (h->dict_count == HUGGINGFACE_DICTS || waits_too_long)
        forget(s);
    if (d.is_step && h->held == 0 && h->logging_steps > 0 && s->last_step != RECORD_NONE) {
        d.step = (s->last_step / h->logging_steps + 1) * h->logging_steps;
        if (d.step > h->total)
            d.step = RECORD_NONE; /* the number was wrong after all */
        else
            emit_dict(s, &d);
    }
    if (h->held == 0)
        emit_evaluation(s, &d);
    if (d.is_step && d.step == RECORD_NONE && h->held++ == 0)
        h->held_since_ms = s->stamp_ms;
    MEM_GROW(h->dicts, (size_t)h->dict_count, h->dict_capacity);
    h->dicts[h->dict_count++] = d;
    h->has_dict = true;
}

static enum line_result dict_line(struct steplog *s, struct slice text) {
    struct huggingface *h = s->state;
    struct huggingface_dict d;
    bool is_torn;
    if (!huggingface_dict_parse(&d, text, h->has_dict, h->has_dict || h->total > 0, &is_torn))
        return LINE_NOT_MINE;
    d.share = huggingface_share_parse(text, &h->share.quantum);
    d.stamp_ms = d.has_begin ? s->stamp_ms : TIME_UNKNOWN;
    d.is_evaluation &= h->has_dict || h->has_no_bar;
    h->is_written = h->is_cleared;
    add_dict(s, d);
    return is_torn ? LINE_MALFORMED : LINE_TAKEN;
}

/* The bar's clock shows whole seconds, so that it seems to have started up to one late. */
static void note_clock(struct huggingface *h, int64_t stamp_ms, int64_t elapsed_s) {
    if (stamp_ms == TIME_UNKNOWN)
        return;
    int64_t began_ms = stamp_ms - elapsed_s * 1000;
    if (h->began_ms == TIME_UNKNOWN || began_ms < h->began_ms)
        h->began_ms = began_ms;
}

/* The drawing after a dictionary. With standard output and error on one stream (a terminal) it comes at once. */
static void redrawn(struct steplog *s, const struct progress *bar) {
    struct huggingface *h = s->state;
    if (h->is_written && h->dict_count == 1) {
        if (h->dicts[0].is_step && h->dicts[0].step == RECORD_NONE) {
            note_clock(h, h->dicts[0].stamp_ms, bar->elapsed_s);
            emit_step(s, bar->done, h->dicts[0].stamp_ms);
        }
        forget(s);
    } else if (h->redraw_count < HUGGINGFACE_DICTS) {
        MEM_GROW(h->redraws, (size_t)h->redraw_count, h->redraw_capacity);
        h->redraws[h->redraw_count].step = bar->done;
        h->redraws[h->redraw_count++].elapsed_s = bar->elapsed_s;
    }
    h->is_written = false;
}

/* The training's bar is the first without a description; one before it that is done (an evaluation's, a data set's)
 * gives way, and the ones that come within it (evaluations) have another total. */
static enum line_result bar_line(struct steplog *s, struct slice text) {
    struct huggingface *h = s->state;
    const struct progress *bar = progress_of(s, text);
    if (bar == NULL || bar->description.size_bytes != 0 || bar->total <= 0)
        return LINE_NOT_MINE;
    bool gives_way = !h->has_dict && h->total > 0 && h->done == h->total && bar->done == 0;
    if (!h->has_bar)
        h->base = h->done;
    if (h->total == 0 || gives_way) {
        h->lost_head = bar->elapsed_s > 0;
        h->base = bar->done;
        h->total = bar->total;
        h->done = 0;
        h->first = RECORD_NONE;
    }
    if (bar->total != h->total)
        return LINE_NOT_MINE;
    if (bar->done < h->done)
        return LINE_TAKEN; /* another bar of the same size: an evaluation */
    if (h->done == 0 && bar->done > 0 && h->base == 0 && !h->lost_head)
        h->first = bar->done; /* resumed or not, the bar begins at 0 */
    h->done = bar->done;
    h->done_s = bar->elapsed_s;
    h->has_bar = true;
    if (h->is_cleared)
        redrawn(s, bar);
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
        steplog_emit_save_start(s, r, STEPLOG_HUGGINGFACE); /* no line marks the end */
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

static enum line_result later(enum line_result bar, enum line_result dict) {
    return dict != LINE_NOT_MINE ? dict : bar;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct huggingface *h = s->state;
    if (h->total > 0 && is_blank(text)) {
        h->is_cleared = true;
        return LINE_NOT_MINE;
    }
    enum line_result result = h->has_no_bar ? LINE_NOT_MINE : bar_line(s, text);
    if (!s->has_long_word) /* it can be nothing but a bar */
        return result;
    /* Where the runtime cut the bar's line, what another stream printed next may be glued on. */
    if (result == LINE_NOT_MINE || slice_contains(text, "{'"))
        result = later(result, dict_line(s, text));
    return result == LINE_NOT_MINE ? other_line(s, text) : result;
}

/* A line that the container runtime cut (at 16 KiB) has the rest in the next one: of dictionaries that got their step
 * already, it may hold the drawings that were missing then. */
static void skip_reported(struct steplog *s) {
    struct huggingface *h = s->state;
    int skip = 0;
    while (h->redraw_count - skip > h->dict_count && h->redraws[skip].step <= s->last_step)
        skip++;
    h->redraw_count -= skip;
    memmove(h->redraws, h->redraws + skip, (size_t)h->redraw_count * sizeof h->redraws[0]);
}

/* The first drawings of the line are missing: they are of steps that no line before gave. */
static bool lost_first(const struct huggingface *h) {
    int64_t interval = h->logging_steps;
    for (int i = 1; i < h->redraw_count && interval == 0; i++)
        interval = h->redraws[i].step - h->redraws[i - 1].step;
    return h->lost_head || (interval > 0 && h->redraws[0].step - h->base > interval);
}

/* Not more drawings than dictionaries, and the bar's clock went as far as the stamps. */
static bool agree(const struct huggingface *h) {
    int n = h->redraw_count, first = 0, last = n - 1;
    if (n == 0 || n > h->dict_count || (n == 1 && h->dict_count > 1) || (n < h->dict_count && lost_first(h)))
        return false;
    for (int i = 0; i < n; i++)
        if ((h->dicts[i].is_step && h->dicts[i].step != RECORD_NONE && h->dicts[i].step != h->redraws[i].step) ||
            (i > 0 && h->redraws[i].step < h->redraws[i - 1].step))
            return false;
    while (first < last && h->dicts[first].stamp_ms == TIME_UNKNOWN)
        first++;
    while (last > first && h->dicts[last].stamp_ms == TIME_UNKNOWN)
        last--;
    if (first == last)
        return true;
    int64_t reported_ms = h->dicts[last].stamp_ms - h->dicts[first].stamp_ms;
    int64_t drawn_ms = (h->redraws[last].elapsed_s - h->redraws[first].elapsed_s) * 1000;
    return reported_ms - drawn_ms < CLOCKS_AGREE_MS && drawn_ms - reported_ms < CLOCKS_AGREE_MS;
}

/* What was printed after the last drawing that the line holds: known if the interval is, else it waits on. */
static void match_rest(struct steplog *s, int from) {
    struct huggingface *h = s->state;
    int kept = 0;
    h->held = 0;
    for (int i = from; i < h->dict_count; i++) {
        struct huggingface_dict *d = &h->dicts[i];
        if (d->is_step && d->step == RECORD_NONE && h->logging_steps > 0 &&
            s->last_step + h->logging_steps <= h->total) {
            d->step = s->last_step + h->logging_steps;
            emit_dict(s, d);
        }
        if (d->is_step && d->step == RECORD_NONE && h->held++ == 0)
            h->held_since_ms = d->stamp_ms;
        if (h->held == 0)
            emit_evaluation(s, d);
        h->dicts[kept++] = *d;
    }
    h->dict_count = kept;
    if (h->held == 0)
        forget(s);
}

/* Where a line was torn, a dictionary or a drawing is missing: their clocks distinguish them, which differ by
 * offset_ms. Both are in the order of time. Pairs are marked in of[]: the drawing of each dictionary, -1 if none. */
static int pair(const struct huggingface *h, int64_t offset_ms, int of[HUGGINGFACE_DICTS]) {
    int pairs = 0;
    for (int i = 0, k = 0; i < h->dict_count; i++) {
        of[i] = -1;
        if (h->dicts[i].stamp_ms == TIME_UNKNOWN)
            continue;
        int64_t drawn = h->dicts[i].stamp_ms - offset_ms - CLOCKS_PAIR_MS;
        while (k < h->redraw_count && h->redraws[k].elapsed_s * 1000 < drawn)
            k++;
        bool is_pair = k < h->redraw_count && h->redraws[k].elapsed_s * 1000 <= drawn + 2 * CLOCKS_PAIR_MS;
        if (is_pair)
            of[i] = k++;
        pairs += is_pair;
    }
    return pairs;
}

/* The offset that pairs the most: the one of lines before, or that of some dictionary with the first or last drawing;
 * of several the latest, as it is the first line's head that may be lost without a trace. */
static int pair_best(const struct huggingface *h, int of[HUGGINGFACE_DICTS]) {
    int last = h->redraw_count - 1, max = h->began_ms != TIME_UNKNOWN ? pair(h, h->began_ms, of) : 0;
    int64_t best_ms = h->began_ms;
    for (int i = 2 * h->dict_count - 1; i >= 0 && h->began_ms == TIME_UNKNOWN; i--) {
        if (h->dicts[i / 2].stamp_ms == TIME_UNKNOWN)
            continue;
        int64_t ms = h->dicts[i / 2].stamp_ms - h->redraws[i % 2 == 0 ? 0 : last].elapsed_s * 1000;
        int pairs = pair(h, ms, of);
        if (pairs > max) {
            max = pairs;
            best_ms = ms;
        }
    }
    return max > 1 || (max == 1 && h->began_ms != TIME_UNKNOWN) ? pair(h, best_ms, of) : 0;
}

/* The steps of dictionaries without a drawing, from the next one that has one; logging_steps must be known. */
static void number_unpaired(struct huggingface *h, int from, int64_t after) {
    int64_t next = RECORD_NONE;
    for (int i = from; i >= 0 && h->logging_steps > 0; i--) {
        struct huggingface_dict *d = &h->dicts[i];
        if (!d->is_step)
            continue;
        if (d->step == RECORD_NONE && next != RECORD_NONE && next - h->logging_steps > after)
            d->step = next - h->logging_steps;
        next = d->step;
    }
}

/* As match(), where some are missing. False if the clocks do not show which. */
static bool match_torn(struct steplog *s) {
    struct huggingface *h = s->state;
    int of[HUGGINGFACE_DICTS], end = 0;
    bool was_known[HUGGINGFACE_DICTS];
    int64_t before = RECORD_NONE;
    if (h->dict_count == 0 || s->stamp_ms == TIME_UNKNOWN ||
        2 * pair_best(h, of) < (h->redraw_count < h->dict_count ? h->redraw_count : h->dict_count))
        return false;
    for (int i = 0; i < h->dict_count; i++) {
        struct huggingface_dict *d = &h->dicts[i];
        was_known[i] = d->step != RECORD_NONE;
        if (of[i] < 0)
            continue;
        end = i + 1;
        int64_t step = h->redraws[of[i]].step;
        bool is_always_read = i > 0 && of[i - 1] >= 0 && d->is_step && h->dicts[i - 1].is_step;
        if (is_always_read && of[i] == of[i - 1] + 1 && step > before && step % (step - before) == 0)
            h->logging_steps = step - before;
        before = step;
        if (d->is_step && !was_known[i])
            d->step = step;
    }
    steplog_note(s, LINE_MALFORMED);
    number_unpaired(h, end - 1, s->last_step != RECORD_NONE ? s->last_step : 0);
    for (int i = 0; i < end; i++) {
        emit_evaluation(s, &h->dicts[i]);
        if (h->dicts[i].is_step && h->dicts[i].step != RECORD_NONE && !was_known[i])
            emit_dict(s, &h->dicts[i]);
    }
    match_rest(s, end);
    return true;
}

static void match(struct steplog *s) {
    struct huggingface *h = s->state;
    int n = h->redraw_count;
    int64_t before = RECORD_NONE, last = s->last_step;
    for (int i = 0; i < n; i++)
        if (h->dicts[i].is_step)
            note_clock(h, h->dicts[i].stamp_ms, h->redraws[i].elapsed_s);
    for (int i = 0; i < n; i++) {
        emit_evaluation(s, &h->dicts[i]);
        if (!h->dicts[i].is_step)
            continue;
        if (h->dicts[i].step == RECORD_NONE) {
            h->dicts[i].step = h->redraws[i].step;
            emit_dict(s, &h->dicts[i]);
        }
        before = last;
        last = h->redraws[i].step;
    }
    int64_t interval = before != RECORD_NONE && before < last ? last - before : 0;
    if (interval > 0)
        h->logging_steps = last % interval == 0 ? interval : 0; /* not from 1 to 10, with logging_first_step */
    match_rest(s, n);
}

/* The first steps come as one record: the bar shows how many they are. */
static void emit_first(struct steplog *s) {
    const struct huggingface *h = s->state;
    if (s->last_step == RECORD_NONE && h->first != RECORD_NONE)
        steplog_emit_resume(s, h->first, STEPLOG_HUGGINGFACE);
}

/* When the line's last drawing was made: at the latest with the line, which may come only when a process dies that hung
 * before. */
static int64_t drawn_ms(const struct steplog *s) {
    const struct huggingface *h = s->state;
    if (h->began_ms == TIME_UNKNOWN)
        return s->stamp_ms;
    int64_t at_ms = h->began_ms + h->done_s * 1000 + 500;
    return at_ms < s->stamp_ms || (s->piece_offset > STEPLOG_PART_BYTES && !s->is_joined) ? at_ms : s->stamp_ms;
}

static void end_line(struct steplog *s) {
    struct huggingface *h = s->state;
    if (!h->is_written)
        h->is_cleared = false;
    if (!h->has_bar)
        return;
    h->has_bar = false;
    if (h->redraw_count > 0) {
        skip_reported(s);
        if (agree(h)) {
            match(s);
        } else if (!match_torn(s)) {
            if (h->dict_count == h->redraw_count)
                h->logging_steps = 0;
            forget(s);
        }
        h->redraw_count = 0;
    }
    h->lost_head = false;
    if (h->has_dict && h->held == 0 && h->done > 0) {
        emit_first(s);
        emit_step(s, h->done, drawn_ms(s));
    }
}

/* Dictionaries that were too few: training began before them. */
static void end(struct steplog *s) {
    const struct huggingface *h = s->state;
    give_up_bar(s);
    if (h->held == 0 || s->counts.steps > 0)
        return;
    struct record r = steplog_record(s, RECORD_UNREAD_STEPS);
    steplog_emit(s, &r, STEPLOG_AUTO);
}

static void init_state(void *state) {
    struct huggingface *h = state;
    h->began_ms = TIME_UNKNOWN;
    h->first = RECORD_NONE;
}

static void free_state(void *state) {
    struct huggingface *h = state;
    free(h->dicts);
    free(h->redraws);
}

/* RECORD_NONE is TIME_UNKNOWN: both are INT64_MIN. */
static void visit_state(void *state, struct codec *c) {
    struct huggingface *h = state;
    h->dict_count = (int)codec_count(c, (size_t)h->dict_count, HUGGINGFACE_DICTS);
    for (int i = 0; i < h->dict_count; i++) {
        MEM_GROW(h->dicts, (size_t)i, h->dict_capacity);
        if (codec_is_reading(c))
            h->dicts[i] = (struct huggingface_dict){0};
        huggingface_dict_visit(&h->dicts[i], c);
    }
    h->redraw_count = (int)codec_count(c, (size_t)h->redraw_count, HUGGINGFACE_DICTS);
    for (int i = 0; i < h->redraw_count; i++) {
        MEM_GROW(h->redraws, (size_t)i, h->redraw_capacity);
        if (codec_is_reading(c))
            h->redraws[i] = (struct huggingface_redraw){0};
        codec_time(c, &h->redraws[i].step);
        codec_i64(c, &h->redraws[i].elapsed_s);
    }
    CODEC_INT(c, &h->held, 0, HUGGINGFACE_DICTS);
    codec_time(c, &h->held_since_ms);
    codec_i64(c, &h->logging_steps);
    codec_i64(c, &h->total);
    codec_i64(c, &h->done);
    codec_i64(c, &h->done_s);
    codec_time(c, &h->began_ms);
    codec_time(c, &h->first);
    codec_bool(c, &h->has_dict);
    codec_bool(c, &h->has_bar);
    codec_bool(c, &h->is_cleared);
    codec_bool(c, &h->is_written);
    codec_bool(c, &h->has_no_bar);
    huggingface_share_visit(&h->share, c);
    c->failed |= h->has_no_bar && h->share.each == 0;
}

static const char *name_of(const void *state) {
    return ((const struct huggingface *)state)->has_no_bar ? "HuggingFace(logging interval N)" : NULL;
}

static const char *const words[] = {
    "|", "'epoch': ", "{'loss': ", "{'eval_", "Saving model checkpoint to ", "Continuing training from global step ",
    NULL};

extern const struct format steplog_huggingface;
const struct format steplog_huggingface = {
    .id = STEPLOG_HUGGINGFACE,
    .looks_for =
        "{'loss': ..., 'learning_rate': ..., 'epoch': ...} with its progress bar, or with an 'epoch' that rises evenly",
    .words = words,
    .line = read_line,
    .line_end = end_line,
    .state_bytes = sizeof(struct huggingface),
    .state_init = init_state,
    .state_visit = visit_state,
    .state_free = free_state,
    .is_holding = is_holding,
    .end = end,
    .name_of = name_of,
};
