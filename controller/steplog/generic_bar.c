/* A bar gives steps only if it shows that it is of training: a loss or a learning rate behind it, its description, as
 * many steps as a line before it announced, or the name "Iteration" next to a bar named "Epoch". Its line comes late,
 * so each drawing's time follows from the bar's own clock and the line's stamp. */
#include "steplog/generic_bar.h"

#include "base/mem.h"
#include "steplog/emit.h"
#include "steplog/generic_line.h"
#include "steplog/generic_number.h"
#include "steplog/progress.h"
#include "steplog/text.h"

#include <string.h>

#define ENOUGH_DRAWINGS 4
#define APART_MS 20000

void generic_bar_init(struct generic_bar *b) {
    b->named_epoch = b->epoch_of_line = b->all_steps = RECORD_NONE;
    b->epoch = b->total = b->done = b->start_total = b->start = b->resumed_step = RECORD_NONE;
    b->began_ms = TIME_UNKNOWN;
    b->described.kind = SLICE_HASH_START;
    b->described.epoch = b->described.epochs = RECORD_NONE;
}

void generic_bar_done(struct generic_bar *b) {
    free(b->drawings);
}

void generic_bar_visit(struct generic_bar *b, struct codec *c) {
    codec_bool(c, &b->is_accepted);
    codec_bool(c, &b->has_loss);
    codec_bool(c, &b->is_in_epochs);
    codec_u64(c, &b->kind);
    visit_step_number(c, &b->epoch);
    visit_step_number(c, &b->named_epoch);
    visit_step_number(c, &b->epoch_of_line);
    visit_step_number(c, &b->all_steps);
    visit_step_number(c, &b->total);
    visit_step_number(c, &b->done);
    visit_line_time(c, &b->began_ms);
    b->before = codec_within(c, b->before, 0, 2 * STEPLOG_MAX_STEP);
    b->drawn = codec_within(c, b->drawn, 0, STEPLOG_MAX_STEP);
    visit_step_number(c, &b->start_total);
    visit_step_number(c, &b->start);
    visit_step_number(c, &b->resumed_step);
}

void generic_bar_name_epoch(struct generic_bar *b, int64_t epoch) {
    b->named_epoch = epoch;
}

/* ---- a drawing ---- */

/* "Epoch 1/10 ━━━━╸━━━━ 50/100 0:00:12 • 0:00:10 8.5it/s": rich's, as Lightning draws it. */
static bool parse_rich(struct slice text, struct progress *bar) {
    static const char line[] = "\xE2\x94\x81";
    const char *first = slice_find(text, line);
    if (first == NULL)
        return false;
    struct slice rest = slice_range(first, text.data + text.size_bytes);
    while (rest.size_bytes >= 3 && (unsigned char)rest.data[0] == 0xE2) /* box-drawing characters */
        rest = slice_skip(rest, 3);
    skip_spaces(&rest);
    int64_t sum, part;
    if (!take_step(&rest, &bar->done) || !slice_take_char(&rest, '/') || !take_step(&rest, &bar->total) ||
        bar->done > bar->total || !slice_take_char(&rest, ' ') || !take_step(&rest, &sum))
        return false;
    for (int i = 0; i < 2; i++) {
        if (!slice_take_char(&rest, ':') || !take_step(&rest, &part) || part > 59 || sum > 10000000)
            return false;
        sum = sum * 60 + part;
    }
    bar->elapsed_s = sum;
    bar->description = slice_trim(slice_range(text.data, first));
    return true;
}

/* tqdm's bars have a line from top to bottom, rich's are drawn with characters of three bytes. */
static bool may_be_bar(struct slice text) {
    return slice_find_char(text, '|') != NULL || slice_find_char(text, '\xE2') != NULL;
}

/* tqdm's, also behind a description that contains bars. */
static bool parse_tqdm(struct steplog *s, struct slice text, struct progress *bar) {
    const struct progress *first = progress_of(s, text);
    bool is_plain = first != NULL && first->at > text.data && first->at[-1] == '%';
    const char *end = is_plain ? first->at - 1 : slice_find(text, "%|");
    if (first != NULL && (is_plain || end == NULL))
        *bar = *first;
    else if (end == NULL || !progress_parse(slice_range(end, text.data + text.size_bytes), bar))
        return false;
    if (end == NULL)
        return true;
    while (end > text.data && generic_is_digit(end[-1]))
        end--;
    bar->description = slice_trim(slice_range(text.data, end));
    return true;
}

/* The bar's letters: its numbers change. */
static uint64_t kind_of(struct slice description) {
    uint64_t hash = SLICE_HASH_START;
    for (size_t i = 0; i < description.size_bytes; i++) {
        unsigned char c = (unsigned char)description.data[i];
        if ((c | 32) >= 'a' && (c | 32) <= 'z')
            hash = slice_hash_add(hash, (struct slice){&description.data[i], 1});
        if (c == ':' || c == '|' || c == '(' || c == ',')
            break;
    }
    return hash;
}

/* YOLO names its validation's bar only by the heads of its columns: "Class  Images  Instances  P  R  mAP50:  50%|". */
static void read_description(struct generic_bar *b, struct slice text) {
    struct generic_line l;
    bool is_same = text.size_bytes <= GENERIC_DESCRIPTION_BYTES &&
                   slice_equal(text, (struct slice){b->described.text, b->described.size_bytes});
    if (is_same)
        return;
    generic_line_parse(text, &l);
    b->described.kind = kind_of(text);
    b->described.epoch = l.epoch;
    b->described.epochs = l.epochs;
    b->described.is_training = l.is_training;
    b->described.is_evaluation = l.is_evaluation || slice_contains(text, "mAP");
    b->described.size_bytes = text.size_bytes;
    if (text.size_bytes <= GENERIC_DESCRIPTION_BYTES)
        memcpy(b->described.text, text.data, text.size_bytes);
}

/* The epoch of "Epoch 3/10", "Train epoch 3", and of ultralytics' "      3/100      2.5G      1.2". Not of "Epoch
 * 3/400" on a bar that has 2 or 3 of 400: it counts those epochs (scvi-tools). */
static int64_t epoch_of(const struct generic_bar *b, const struct progress *bar) {
    int64_t epoch, epochs;
    struct slice head = slice_trim(bar->description);
    if (take_step(&head, &epoch) && slice_take_char(&head, '/') && take_step(&head, &epochs) && epoch <= epochs &&
        slice_starts(head, " "))
        return epoch;
    epoch = b->described.epoch;
    bool is_of_bar = b->described.epochs == bar->total && (epoch == bar->done || epoch == bar->done + 1);
    return is_of_bar ? RECORD_NONE : epoch;
}

/* Digits do not decide it: a drawing most often differs from the one before in nothing else. */
static bool shows_loss(struct generic_bar *b, const struct steplog *s, struct slice text) {
    struct generic_line l;
    if (s->shape == 0 || s->shape != b->shape)
        b->shows_loss = generic_line_parse(text, &l) && l.has_loss && !l.is_evaluation;
    b->shape = s->shape;
    return b->shows_loss;
}

/* Hugging Face's datasets count examples: "Tokenizing train dataset: 10%|# | 865/8939 [00:00<00:01, 4326 examples/s]".
 */
static bool prepares_data(struct slice text) {
    return slice_contains(text, " examples/s");
}

static bool shows_training(struct generic_bar *b, const struct steplog *s, struct slice text, int64_t epoch) {
    if (b->described.is_evaluation || prepares_data(text))
        return false;
    return b->described.is_training || epoch != RECORD_NONE || shows_loss(b, s, text);
}

/* Other lines or bars say that it is of training. */
static bool is_named(const struct generic_bar *b, const struct progress *bar) {
    bool is_of_all = bar->description.size_bytes == 0 && bar->total == b->all_steps;
    return is_of_all || (b->is_in_epochs && slice_starts(bar->description, "Iteration"));
}

/* The epoch of a bar whose description has none. A bar that continues after the line is one of all epochs. */
static int64_t named_epoch(struct generic_bar *b, const struct progress *bar) {
    bool begins = b->done == RECORD_NONE || bar->done < b->done;
    if (begins)
        b->epoch_of_line = b->named_epoch;
    if (begins || bar->done > b->done)
        b->named_epoch = RECORD_NONE;
    return b->epoch_of_line;
}

/* The same bar begins again: another epoch. */
static void next_bar(struct generic_bar *b, const struct progress *bar, int64_t epoch) {
    bool is_new = b->done != RECORD_NONE && (bar->done < b->done || epoch != b->epoch);
    if (b->done == RECORD_NONE || (is_new && b->count == 0))
        b->began_ms = TIME_UNKNOWN;
    if (is_new) {
        b->earlier_ms = b->clock_ms;
        if (epoch == RECORD_NONE && b->before < STEPLOG_MAX_STEP)
            b->before += b->done;
    }
    b->epoch = epoch;
    b->total = bar->total;
    b->done = bar->done;
}

/* The bar's clock has whole seconds: drawings that are close together, or to the line before, would seem to take all or
 * nothing. The line's last one has the line's own time. */
static void keep_drawing(struct generic_bar *b, int64_t step, bool has_line_before) {
    if (b->drawings == NULL)
        b->drawings = mem_alloc(GENERIC_DRAWINGS * sizeof *b->drawings);
    int64_t before_ms = b->count > 1 ? b->drawings[b->count - 2].clock_ms : 0;
    int min_kept = has_line_before ? 0 : 1;
    bool is_close = b->count > min_kept && b->clock_ms - before_ms < APART_MS;
    if (b->count == GENERIC_DRAWINGS && !is_close) {
        b->count = 0;
        for (int i = 0; i < GENERIC_DRAWINGS; i += 2)
            b->drawings[b->count++] = b->drawings[i];
    }
    int i = is_close ? b->count - 1 : b->count++;
    b->drawings[i].step = step;
    b->drawings[i].clock_ms = b->clock_ms;
}

/* torchtune's "2|310|Loss: 3.2:  10%|...": the epoch, and the step over all epochs. */
static bool take_two_counters(struct slice text, int64_t *step) {
    int64_t epoch;
    return take_step(&text, &epoch) && slice_take_char(&text, '|') && take_step(&text, step) &&
           slice_take_char(&text, '|');
}

/* tqdm draws a bar at once, with what it begins from. Without that drawing, the first one is taken for the end of one
 * step. */
static int64_t first_step(const struct generic_bar *b, const struct progress *bar, int64_t step) {
    bool is_known = b->start_total == bar->total && b->start < bar->done;
    return is_known ? step - bar->done + b->start + 1 : step;
}

/* A bar that starts at 0 with fewer steps than the process before had in all counts the rest, if the steps that it
 * leaves out were done. */
static int64_t done_before(const struct generic_bar *b, const struct steplog *s, const struct progress *bar) {
    int64_t left_out = s->bar_before.total != RECORD_NONE ? s->bar_before.total - bar->total : 0;
    bool starts_at_zero = b->start_total == bar->total && b->start == 0;
    return starts_at_zero && left_out > 0 && left_out <= s->bar_before.last ? left_out : 0;
}

/* A process's first bar that is shorter than that of the process before is of the rest of the same steps. Which epoch a
 * line names is not the bar's then. */
static bool is_rest(const struct generic_bar *b, const struct steplog *s, const struct progress *bar) {
    return b->drawn == 0 && bar->total < s->bar_before.length && done_before(b, s, bar) > 0;
}

static int64_t no_epoch(struct generic_bar *b) {
    b->named_epoch = b->epoch_of_line = RECORD_NONE;
    return RECORD_NONE;
}

/* What the epochs before this one counted: the first one is 1, unless one was 0. */
static int64_t before_epoch(const struct steplog *s, int64_t epoch, int64_t total) {
    return (epoch - !s->is_bar_zero_based) * total;
}

/* Whether what is drawn, or just its first part, has the line's stamp. */
static bool is_stamped(const struct steplog *s) {
    return s->piece_offset <= STEPLOG_PART_BYTES || s->is_joined;
}

/* "Validation: 100%|...": its own clock has the time that it took, once it is at its end. */
static void note_evaluation(struct generic_bar *b, const struct steplog *s, const struct progress *bar) {
    if (bar->total <= 0 || !b->described.is_evaluation)
        return;
    b->evaluated_ms = bar->done == bar->total ? bar->elapsed_s * 1000 : 0;
    if (is_stamped(s))
        b->evaluation_stamped_ms = bar->elapsed_s * 1000;
}

static bool read_bar(struct generic_bar *b, struct steplog *s, struct slice text) {
    struct progress bar;
    if (!parse_tqdm(s, text, &bar) && !parse_rich(text, &bar))
        return false;
    read_description(b, bar.description);
    uint64_t kind = b->described.kind;
    if (bar.total <= 0 || (b->is_accepted && kind != b->kind)) {
        note_evaluation(b, s, &bar);
        return true;
    }
    int64_t epoch = epoch_of(b, &bar);
    if (epoch != RECORD_NONE && epoch > STEPLOG_MAX_STEP / bar.total - 1)
        return true;
    b->is_in_epochs |= slice_is(bar.description, "Epoch:");
    if (b->drawn == 0 && bar.elapsed_s == 0 && b->start_total != bar.total) {
        b->start_total = bar.total;
        b->start = bar.done;
        return true;
    }
    if (kind != b->kind) {
        /* An outer bar moves once an epoch: the inner one counts. */
        if (bar.done == 0 || (!is_named(b, &bar) && !shows_training(b, s, text, epoch)))
            return true;
        struct generic_bar fresh = {.kind = kind};
        generic_bar_init(&fresh);
        fresh.drawings = b->drawings;
        fresh.start_total = b->start_total;
        fresh.start = b->start;
        fresh.has_loss = shows_loss(b, s, text);
        fresh.is_in_epochs = b->is_in_epochs;
        fresh.named_epoch = b->named_epoch;
        fresh.all_steps = b->all_steps;
        *b = fresh;
    }
    if (b->has_loss && bar.done != b->done && !shows_loss(b, s, text))
        return true; /* one of a validation looks the same */
    if (epoch == RECORD_NONE)
        epoch = is_rest(b, s, &bar) ? no_epoch(b) : named_epoch(b, &bar);
    if (epoch != RECORD_NONE && epoch > STEPLOG_MAX_STEP / bar.total - 1)
        return true;
    s->is_bar_zero_based |= epoch == 0;
    int64_t done = b->done;
    next_bar(b, &bar, epoch);
    b->clock_ms = b->earlier_ms + bar.elapsed_s * 1000;
    if (is_stamped(s))
        b->stamped_ms = b->clock_ms;
    int64_t step = RECORD_NONE;
    bool has_step = take_two_counters(slice_trim(text), &step);
    if (has_step && bar.done == done && b->count > 0) /* drawn with the text of the step before, and now again */
        b->drawings[b->count - 1].step = step;
    if (bar.done == 0 || bar.done == done)
        return true;
    if (b->drawn == 0 && epoch == RECORD_NONE)
        b->before = done_before(b, s, &bar);
    if (!has_step)
        step = (epoch != RECORD_NONE ? before_epoch(s, epoch, bar.total) : b->before) + bar.done;
    if (b->drawn++ == 0)
        b->resumed_step = first_step(b, &bar, step);
    keep_drawing(b, step, s->last_step != RECORD_NONE);
    return true;
}

bool generic_bar_line(struct generic_bar *b, struct steplog *s, struct slice text) {
    return may_be_bar(text) && read_bar(b, s, text);
}

/* ---- a line's end ---- */

/* When the clock of the line's drawings was zero. The line's stamp is that of its last drawing or later: of one bar the
 * earliest is right. */
static int64_t zero_ms(const struct generic_bar *b, const struct steplog *s) {
    if (s->stamp_ms == TIME_UNKNOWN)
        return TIME_UNKNOWN;
    int64_t ms = s->stamp_ms - b->stamped_ms;
    return b->began_ms != TIME_UNKNOWN && b->began_ms < ms ? b->began_ms : ms;
}

/* The last drawing but one is too close to the last one, too. */
static void drop_close(struct generic_bar *b, bool has_line_before) {
    int last = b->count - 1, min_kept = has_line_before ? 0 : 1;
    if (last <= min_kept || b->drawings[last].clock_ms - b->drawings[last - 1].clock_ms >= APART_MS)
        return;
    b->drawings[last - 1] = b->drawings[last];
    b->count--;
}

/* The rest of the line came later than its stamp. */
static void note_late(struct record *r) {
    if (r->received_ms != RECORD_NONE && r->at_ms > r->received_ms)
        r->received_ms = r->at_ms;
}

static void emit_drawings(const struct generic_bar *b, struct steplog *s, int64_t from_ms) {
    if (s->bar.total == RECORD_NONE) {
        s->bar.total = (b->epoch != RECORD_NONE ? before_epoch(s, b->epoch, b->total) : b->before) + b->total;
        s->bar.length = b->total;
    }
    s->bar.last = b->drawings[b->count - 1].step;
    if (s->last_step == RECORD_NONE)
        steplog_emit_resume(s, b->resumed_step, STEPLOG_GENERIC);
    for (int i = 0; i < b->count; i++) {
        struct record r = steplog_record(s, RECORD_STEP_END);
        r.is_derived = true;
        r.step = b->drawings[i].step;
        if (from_ms != TIME_UNKNOWN)
            r.at_ms = from_ms + b->drawings[i].clock_ms;
        if (s->last_step == RECORD_NONE && b->start_total == b->total && from_ms != TIME_UNKNOWN)
            r.duration_ms = b->drawings[i].clock_ms; /* the clock starts with training */
        note_late(&r);
        if (s->last_step == RECORD_NONE || r.step > s->last_step)
            steplog_emit_step(s, r, RECORD_NONE, STEPLOG_GENERIC);
    }
}

bool generic_bar_accept(struct generic_bar *b) {
    b->is_accepted |= b->count > 0 && b->drawn >= ENOUGH_DRAWINGS;
    return b->is_accepted;
}

/* Of an evaluation whose bar has a line for itself, after the last step of a bar. Within a bar its steps come later. */
static void emit_evaluation(const struct generic_bar *b, struct steplog *s) {
    struct record r = steplog_record(s, RECORD_EVALUATION_END);
    if (!b->is_accepted || b->evaluated_ms == 0 || b->done != b->total || s->last_step == RECORD_NONE)
        return;
    r.is_derived = true;
    r.duration_ms = b->evaluated_ms;
    if (s->stamp_ms != TIME_UNKNOWN)
        r.at_ms = s->stamp_ms - b->evaluation_stamped_ms + b->evaluated_ms;
    note_late(&r);
    steplog_emit(s, &r, STEPLOG_GENERIC);
}

static void end_drawings(struct generic_bar *b, struct steplog *s) {
    int64_t from_ms = zero_ms(b, s);
    if (b->is_accepted) {
        drop_close(b, s->last_step != RECORD_NONE);
        emit_drawings(b, s, from_ms);
    }
    b->began_ms = from_ms != TIME_UNKNOWN ? from_ms + b->earlier_ms : TIME_UNKNOWN;
    b->count = 0;
    b->clock_ms = b->earlier_ms = b->stamped_ms = 0;
}

void generic_bar_end_line(struct generic_bar *b, struct steplog *s) {
    if (b->count > 0)
        end_drawings(b, s);
    else
        emit_evaluation(b, s);
    b->evaluated_ms = b->evaluation_stamped_ms = 0;
}
