/* Any other trainer: a counter that rises from line to line, next to a loss, a time or a rate (generic_line.c), a row
 * of a table (generic_table.c) or a progress bar (generic_bar.c). It reads what no named format gives steps of. A
 * counter is accepted only after several lines that agree; until then their times are held, and given then, so that the
 * first steps are not lost. A number with a fraction does not count steps, nor does an epoch where another line counts
 * steps.
 *
 * A counter that begins again with each epoch is made one that rises (generic_epoch.c). */
#include "base/mem.h"
#include "steplog/emit.h"
#include "steplog/explain.h"
#include "steplog/generic_bar.h"
#include "steplog/generic_epoch.h"
#include "steplog/generic_line.h"
#include "steplog/generic_table.h"
#include "steplog/text.h"

#include <stdio.h>
#include <string.h>

#define ENOUGH_LINES 4      /* of a counter next to a figure that only training has */
#define ENOUGH_WEAK_LINES 8 /* next to a time, or without a constant distance */
#define MIN_STEP_MS 50      /* less: it counts samples or tokens */
#define BLOCK_LINES 40      /* a block's figures are this close to its counter */
#define SAME_BLOCK_MS 20    /* a block's lines are written at once */
#define BURST_LINES 64      /* after TRIES_WHOLE lines with a counter and no step only these of each ... */
#define BURST_EVERY 4096
#define TRIES_WHOLE 20000
#define GENERIC_CANDIDATES 4
#define GENERIC_HELD 8
#define GENERIC_FRACTIONS 4

struct generic_candidate {
    char name[GENERIC_NAME_BYTES];
    uint64_t kind;
    int64_t step;        /* the last one; RECORD_NONE: none yet */
    int64_t unit;        /* so much of the counter is a step */
    int64_t delta, line; /* between the last two; the line's number */
    int lines, equal, losses, figures;
    struct generic_epoch epochs;
    bool is_epoch;
    bool is_row;               /* the head of a block, or a row of a table */
    bool is_unplaced;          /* its lines leave open what the counter counts: the steps held may be of one epoch */
    int64_t at_ms;             /* of the last line; TIME_UNKNOWN */
    int agreed[GENERIC_TIMES]; /* lines whose number of that place was the time of each step since the line before */
    int time_place;            /* from 1 on; 0: no number of the line says how long steps take */
    bool leaves_out;           /* that number was once less than the time since the line before */
    struct {
        int64_t at_ms, step;
    } events[GENERIC_HELD]; /* until it is accepted */
    int held;
};

struct generic {
    struct generic_candidate *candidates; /* GENERIC_CANDIDATES at most; [0]: the one accepted */
    int candidate_count;
    bool is_accepted, is_training, has_other_ranks;
    int64_t rank;                             /* whose lines are read; RECORD_NONE: no line names one */
    int64_t tries;                            /* lines with a counter while none was accepted */
    int64_t block_line, loss_line, time_line; /* the last row; the last line with such a figure */
    uint64_t loss_shape;                      /* of the first line with a loss since the last row; 0 */
    int64_t loss_ms;                          /* of that line; TIME_UNKNOWN */
    bool has_smaller_steps;                   /* such a line came again before the next row */
    int64_t epoch, epochs;                    /* of a line by itself; RECORD_NONE */
    uint64_t fractions[GENERIC_FRACTIONS];    /* names of counters that are no whole numbers; 0: free */
    struct generic_bar bar;
    struct generic_table table;
    char name[STEPLOG_NAME_BYTES]; /* for people */
};

static bool wants_all(const struct steplog *s) {
    const struct generic *g = s->state;
    return g->tries < TRIES_WHOLE || s->counts.lines % BURST_EVERY < BURST_LINES;
}

static void start_over(struct generic_candidate *c) {
    c->lines = c->held = c->equal = c->losses = c->figures = 0;
    memset(c->agreed, 0, sizeof c->agreed);
    c->delta = 0;
    c->step = RECORD_NONE;
    c->is_unplaced = false;
}

/* The counter that was accepted; where a bar was, it may be none. */
static const struct generic_candidate *chosen(const struct generic *g) {
    static const struct generic_candidate none;
    return g->candidate_count > 0 ? &g->candidates[0] : &none;
}

static void set_name(struct generic *g) {
    const char *counter = g->bar.is_accepted ? "bar" : chosen(g)->name;
    int64_t unit = g->bar.is_accepted ? 1 : chosen(g)->unit;
    if (unit > 1)
        snprintf(g->name, sizeof g->name, "Generic(%s N / %lld)", counter, (long long)unit);
    else if (g->has_other_ranks)
        snprintf(g->name, sizeof g->name, "Generic(%s N, rank %lld)", counter, (long long)g->rank);
    else
        snprintf(g->name, sizeof g->name, "Generic(%s N)", counter);
}

/* ---- candidates ---- */

static struct generic_candidate *add_candidate(struct generic *g) {
    g->candidates = mem_resize(g->candidates, (size_t)g->candidate_count + 1, sizeof *g->candidates);
    return memset(&g->candidates[g->candidate_count++], 0, sizeof *g->candidates);
}

static struct generic_candidate *candidate_of(const struct steplog *s, const struct generic_line *l) {
    struct generic *g = s->state;
    struct generic_candidate *oldest = g->candidates;
    for (int i = 0; i < g->candidate_count; i++) {
        if (g->candidates[i].kind == l->kind)
            return &g->candidates[i];
        if (g->candidates[i].line < oldest->line)
            oldest = &g->candidates[i];
    }
    struct generic_candidate *c = g->candidate_count < GENERIC_CANDIDATES ? add_candidate(g) : oldest;
    *c = (struct generic_candidate){.kind = l->kind, .unit = 1, .step = RECORD_NONE, .at_ms = TIME_UNKNOWN};
    generic_epoch_init(&c->epochs, s, l->kind);
    memcpy(c->name, l->name, sizeof c->name);
    c->is_epoch = l->is_epoch;
    c->is_row = l->is_row;
    return c;
}

/* ---- the time that lines say ---- */

static bool is_about(int64_t us, int64_t ms) {
    int64_t off_ms = us / 1000 - ms, may_ms = ms / 32 + 20;
    return off_ms <= may_ms && off_ms >= -may_ms;
}

/* Which of the line's numbers is the time of each step since the line before. The time of all of them together would
 * say no more than the stamps of the lines: what else happened between them is in it. */
static void compare_times(struct generic_candidate *c, const struct generic_line *l, int64_t at_ms, int64_t steps) {
    if (at_ms == TIME_UNKNOWN || c->at_ms == TIME_UNKNOWN || at_ms <= c->at_ms || steps <= 0)
        return;
    for (int i = 0; i < l->time_count; i++) {
        int64_t us = l->times[i].us;
        c->agreed[i] += us > 0 && us < INT64_MAX / steps && is_about(us * steps, at_ms - c->at_ms);
    }
}

/* All lines so far agree, but for one, which may have waited for something. */
static void choose_time(struct generic_candidate *c) {
    int enough = c->lines - 2, best = 0;
    c->time_place = 0;
    for (int i = 0; i < GENERIC_TIMES; i++) {
        if (c->agreed[i] < enough || c->agreed[i] <= best)
            continue;
        best = c->agreed[i];
        c->time_place = i + 1;
    }
}

/* How long each of the steps took, by the line; RECORD_NONE. It is at most the time since the line before. Where
 * it is all of that time, and a line between shows a save or an evaluation, it holds that, too. Where it always was all
 * of that time, it proves nothing that the lines' distance does not: saves may leave no line. */
static int64_t mean_ms(const struct steplog *s, const struct generic_line *l, int64_t steps) {
    struct generic_candidate *c = &((struct generic *)s->state)->candidates[0];
    int64_t at_ms = s->stamp_ms;
    int64_t us = c->time_place > 0 && c->time_place <= l->time_count ? l->times[c->time_place - 1].us : -1;
    if (us < 0 || steps <= 0 || at_ms == TIME_UNKNOWN || c->at_ms == TIME_UNKNOWN)
        return RECORD_NONE;
    int64_t ms = us / 1000, since_ms = at_ms - c->at_ms;
    int64_t each_ms = since_ms / steps, off_ms = each_ms / 32 + 20;
    bool is_all = ms >= each_ms - off_ms;
    c->leaves_out |= !is_all;
    bool holds_more = is_all && (s->pace.is_broken || !c->leaves_out);
    return ms <= each_ms + off_ms && !holds_more ? ms : RECORD_NONE;
}

static void hold(struct generic_candidate *c, int64_t at_ms) {
    if (c->held == GENERIC_HELD) /* the first shows when the steps began */
        memmove(&c->events[1], &c->events[2], (size_t)(--c->held - 1) * sizeof c->events[0]);
    c->events[c->held].at_ms = at_ms;
    c->events[c->held++].step = c->step;
}

/* The line's counter is the candidate's next one. */
static void count(struct generic_candidate *c, int64_t step, int64_t at_ms) {
    int64_t delta = c->step != RECORD_NONE ? step - c->step : 0;
    c->equal = delta == c->delta ? c->equal + 1 : 0;
    c->delta = delta;
    c->step = step;
    c->lines++;
    hold(c, at_ms);
}

/* In the job. */
static bool is_read_before(const struct steplog *s, const struct generic_candidate *c) {
    return c->kind == s->counter.kind && c->kind != 0;
}

static bool counts_steps(const struct generic *g) {
    for (int i = 0; i < g->candidate_count; i++)
        if (!g->candidates[i].is_epoch && g->candidates[i].figures >= ENOUGH_LINES / 2)
            return true;
    return false;
}

static bool is_enough(const struct steplog *s, const struct generic_candidate *c) {
    const struct generic *g = s->state;
    if (c->is_epoch && counts_steps(g))
        return false;
    if (c->is_unplaced)
        return false;
    /* A counter within the epoch leaves its share of all steps within that span. */
    bool is_known_scope = is_read_before(s, c) && c->epochs.scope == s->counter.scope;
    if (c->epochs.scope == SCOPE_ALL && !is_known_scope && c->step - c->events[0].step <= c->epochs.span)
        return false;
    if (is_read_before(s, c))
        return true;
    if (c->losses >= ENOUGH_LINES - 1)
        return c->lines >= ENOUGH_LINES && (c->equal >= 1 || c->lines >= ENOUGH_WEAK_LINES);
    return g->is_training && c->figures >= ENOUGH_WEAK_LINES - 1 && c->equal >= ENOUGH_WEAK_LINES - 3;
}

/* ---- records ---- */

static void emit_step(struct steplog *s, int64_t step, int64_t at_ms, int64_t mean) {
    struct record r = steplog_record(s, RECORD_STEP_END);
    const struct generic *g = s->state;
    r.step = step / g->candidates[0].unit;
    r.at_ms = at_ms;
    if (r.received_ms != RECORD_NONE)
        r.received_ms = at_ms;
    r.is_derived = true; /* nothing but the lines' looks says that they are of steps */
    r.counts_lines = g->candidates[0].unit > 1;
    steplog_emit_step(s, r, mean, STEPLOG_GENERIC);
}

/* A counter of samples or tokens that moves by the same number each time counts these moves: one by one they would take
 * no time at all. */
static int64_t unit_of(const struct generic_candidate *c) {
    if (c->delta <= 1 || c->equal < 1)
        return 1;
    for (int i = 1; i < c->held; i++) {
        const __typeof__(c->events[0]) *before = &c->events[i - 1], *at = &c->events[i];
        bool is_timed = before->at_ms != TIME_UNKNOWN && at->at_ms > before->at_ms;
        if (is_timed && (at->at_ms - before->at_ms) / (at->step - before->step) < MIN_STEP_MS)
            return c->delta;
    }
    return 1;
}

/* For later processes. */
static void note_counter(struct steplog *s, const struct generic_candidate *c) {
    s->counter = (struct steplog_counter){
        .kind = c->kind, .unit = c->unit, .time_place = c->time_place, .leaves_out = c->leaves_out};
}

/* As later lines show them. */
static void note_epochs(struct steplog *s, const struct generic_candidate *c) {
    generic_epoch_share(&c->epochs, s, c->kind);
    if (c->kind != s->counter.kind)
        return;
    s->counter.scope = c->epochs.scope;
    s->counter.is_zero_based = c->epochs.is_zero_based;
}

static void accept(struct steplog *s, struct generic_candidate *c) {
    struct generic *g = s->state;
    struct generic_candidate accepted = *c;
    if (is_read_before(s, c)) {
        accepted.unit = s->counter.unit;
        accepted.time_place = s->counter.time_place;
        accepted.leaves_out = s->counter.leaves_out;
    } else {
        accepted.unit = unit_of(c);
        choose_time(&accepted);
        note_counter(s, &accepted);
    }
    g->candidates[0].unit = accepted.unit;
    g->is_accepted = true;
    for (int i = 0; i < accepted.held; i++)
        emit_step(s, accepted.events[i].step, accepted.events[i].at_ms, RECORD_NONE);
    accepted.held = 0;
    g->candidates[0] = accepted;
    note_epochs(s, &accepted);
    g->candidate_count = 1;
    set_name(g);
}

/* ---- lines ---- */

static bool is_fraction(const struct generic *g, uint64_t name) {
    for (int i = 0; i < GENERIC_FRACTIONS; i++)
        if (g->fractions[i] == name)
            return true;
    return false;
}

static void note_fraction(struct generic *g, uint64_t name) {
    if (name == 0 || is_fraction(g, name))
        return;
    memmove(&g->fractions[1], &g->fractions[0], (GENERIC_FRACTIONS - 1) * sizeof g->fractions[0]);
    g->fractions[0] = name;
    for (int i = 0; i < g->candidate_count; i++)
        if (slice_hash(slice_of(g->candidates[i].name)) == name)
            start_over(&g->candidates[i]);
}

/* Whose lines are read, where several processes write into one log: the first one's that shows the counter. */
static bool is_other_rank(struct generic *g, const struct generic_line *l) {
    if (l->rank == RECORD_NONE)
        return false;
    if (g->rank == RECORD_NONE)
        g->rank = l->rank;
    if (l->rank == g->rank)
        return false;
    g->has_other_ranks = true;
    if (g->is_accepted)
        set_name(g);
    return true;
}

/* The line before was "Batch 3/100", and this one is "Batch 3/200": that one's step was another. */
static void split_batches(struct generic_candidate *c) {
    struct generic_line before = {.number = c->epochs.number, .total = c->epochs.total};
    int losses = c->losses, figures = c->figures;
    int64_t step;
    start_over(c);
    c->epochs.is_batch_of_epoch = true;
    generic_epoch_split(&before);
    if (generic_epoch_number(&c->epochs, &before, true, &step)) {
        count(c, step, c->at_ms);
        c->losses = losses > 0;
        c->figures = figures > 0;
    }
    generic_epoch_note(&c->epochs, &before);
}

/* The lines so far were all of one epoch. */
static void place(struct generic_candidate *c, int64_t before) {
    for (int i = 0; i < c->held; i++)
        c->events[i].step += before;
    if (c->step != RECORD_NONE)
        c->step += before;
}

/* False: the line leaves open what the counter counts. */
static bool number_of(struct generic_candidate *c, struct generic_line *l, int64_t *step) {
    bool has_held = c->held > 0;
    if (has_held && generic_epoch_is_split(&c->epochs, l))
        split_batches(c);
    if (c->epochs.is_batch_of_epoch && l->epoch == RECORD_NONE && l->total != RECORD_NONE)
        generic_epoch_split(l);
    enum counter_scope scope = c->epochs.scope;
    bool is_known = generic_epoch_number(&c->epochs, l, has_held, step);
    if (is_known && c->is_unplaced)
        place(c, generic_epoch_before(&c->epochs));
    if (scope != SCOPE_UNKNOWN && c->epochs.scope != scope)
        start_over(c); /* the numbers of the lines before were others */
    generic_epoch_note(&c->epochs, l);
    return is_known;
}

static void emit_unread(struct steplog *s) {
    struct record r = steplog_record(s, RECORD_UNREAD_STEPS);
    steplog_emit(s, &r, STEPLOG_AUTO);
}

static enum line_result counter_line(struct steplog *s, struct generic_line *l) {
    struct generic *g = s->state;
    if (g->is_accepted && chosen(g)->kind != l->kind)
        return LINE_NOT_MINE;
    if (is_other_rank(g, l))
        return LINE_TAKEN;
    if (!g->is_accepted && is_fraction(g, slice_hash(slice_of(l->name))))
        return LINE_NOT_MINE;
    struct generic_candidate *c = candidate_of(s, l);
    int64_t step;
    bool is_known = number_of(c, l, &step);
    c->line = s->counts.lines;
    c->is_unplaced = !is_known;
    if (!is_known)
        step = l->number;
    if (g->is_accepted)
        note_epochs(s, c);
    if (step == c->step)
        return LINE_TAKEN;
    int64_t steps = c->step != RECORD_NONE ? (step - c->step) / c->unit : 0;
    if (g->is_accepted) {
        int64_t mean = mean_ms(s, l, steps);
        c->step = step;
        c->at_ms = s->stamp_ms;
        emit_step(s, step, s->stamp_ms, mean);
        return LINE_TAKEN;
    }
    if (c->step != RECORD_NONE && step < c->step) {
        if (s->counts.steps == 0 && c->figures >= ENOUGH_WEAK_LINES - 1)
            emit_unread(s); /* no preparation of what follows */
        start_over(c);
    }
    compare_times(c, l, s->stamp_ms, steps);
    c->at_ms = s->stamp_ms;
    c->losses += l->has_loss || l->is_training;
    c->figures += l->has_loss || l->is_training || l->has_time;
    count(c, step, s->stamp_ms);
    g->tries++;
    s->unread_lines += l->has_loss;
    if (is_enough(s, c))
        accept(s, c);
    return LINE_TAKEN;
}

/* A row of a table or the head of a block: its figures lie between it and the one before. */
static void add_figures(struct steplog *s, struct generic_line *l) {
    struct generic *g = s->state;
    const struct generic_candidate *c = candidate_of(s, l);
    l->has_loss = c->line > 0 && g->loss_line > c->line;
    l->has_time = c->line > 0 && g->time_line > c->line;
    if (g->has_smaller_steps)
        l->has_loss = l->has_time = false;
    g->block_line = s->counts.lines;
    g->loss_shape = 0;
    g->has_smaller_steps = false;
}

/* A loss that is shown at several times between two rows is not of the row's counter, but of something that no line
 * counts. */
static void note_loss(struct steplog *s, struct slice text) {
    struct generic *g = s->state;
    uint64_t shape = SLICE_HASH_START;
    for (size_t i = 0; i < text.size_bytes; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            shape = slice_hash_add(shape, (struct slice){&text.data[i], 1});
    if (g->loss_shape == 0) {
        g->loss_shape = shape;
        g->loss_ms = s->stamp_ms;
    } else if (g->loss_shape == shape && g->loss_ms != TIME_UNKNOWN && s->stamp_ms - g->loss_ms > SAME_BLOCK_MS) {
        g->has_smaller_steps = true;
    }
    g->loss_line = s->counts.lines;
}

/* An evaluation after the step that it names; without one it must be known that no step came since the last line. */
static enum line_result evaluation_line(struct steplog *s, const struct generic_line *l) {
    const struct generic *g = s->state;
    if (!g->is_accepted || s->last_step == RECORD_NONE || !l->has_loss)
        return LINE_NOT_MINE;
    const struct generic_candidate *c = chosen(g);
    bool is_within_bar = g->bar.is_accepted && g->bar.done < g->bar.total; /* its line comes later than its steps */
    if (c->is_row || is_within_bar)                                        /* in a block it may come a step later */
        return LINE_NOT_MINE;
    bool is_numbered =
        c->unit > 0 && strcmp(l->name, c->name) == 0 && !l->counts_within_epoch && c->epochs.scope != SCOPE_EPOCH;
    int64_t step = is_numbered ? (l->number + c->epochs.before) / c->unit : s->last_step;
    if ((!is_numbered && c->delta != c->unit) || step < s->last_step)
        return LINE_NOT_MINE;
    steplog_emit_evaluation_end(s, steplog_record(s, RECORD_EVALUATION_END), step, STEPLOG_GENERIC);
    return LINE_TAKEN;
}

/* "Saving checkpoint to DIR": no line says when it is over, but the steps around it may. */
static enum line_result save_line(struct steplog *s, struct slice text) {
    struct slice rest;
    if (!text_after(text, "aving ", &rest) ||
        (!slice_contains(rest, "checkpoint") && !slice_contains(rest, "ckpt") && !slice_contains(rest, "model")))
        return LINE_NOT_MINE;
    steplog_emit_save_start(s, steplog_record(s, RECORD_SAVE_START), STEPLOG_GENERIC);
    return LINE_TAKEN;
}

/* "Epoch 3/10" on a line by itself is that of the lines that follow. */
static void use_epoch(struct generic *g, struct generic_line *l) {
    if (l->is_epoch) {
        g->epoch = l->number;
        g->epochs = l->total;
        generic_bar_name_epoch(&g->bar, l->number);
    } else if (l->is_of_epoch && l->epoch == RECORD_NONE && g->epoch != RECORD_NONE) {
        l->epoch = g->epoch;
        l->epochs = g->epochs;
        l->counts_within_epoch = true;
    }
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct generic *g = s->state;
    struct generic_line l;
    char row[2 * GENERIC_TABLE_BYTES];
    if ((!g->is_accepted || g->bar.is_accepted) && generic_bar_line(&g->bar, s, text))
        return LINE_TAKEN;
    if (!g->is_accepted && wants_all(s) && generic_table_head(&g->table, text))
        return LINE_NOT_MINE;
    if (g->bar.drawn == 0) /* else it is a bar's piece */
        generic_table_row(&g->table, text, row, &text);
    bool is_in_block = g->block_line > 0 && s->counts.lines - g->block_line <= BLOCK_LINES;
    if ((!is_in_block && !generic_line_is_worth(text)) || !wants_all(s) || !generic_line_parse(text, &l))
        return LINE_NOT_MINE;
    g->is_training |= l.is_training;
    if (!g->is_accepted)
        note_fraction(g, l.fraction);
    if (!g->is_accepted && l.all_steps != RECORD_NONE)
        g->bar.all_steps = l.all_steps;
    if (l.has_loss)
        note_loss(s, text);
    if (l.has_time)
        g->time_line = s->counts.lines;
    if (generic_line_is_evaluation(&l))
        return evaluation_line(s, &l);
    if (l.name[0] == '\0')
        return g->is_accepted ? save_line(s, text) : LINE_NOT_MINE;
    use_epoch(g, &l);
    if (l.is_row)
        add_figures(s, &l);
    return l.is_row || generic_line_is_step(&l) ? counter_line(s, &l) : LINE_NOT_MINE;
}

static void end_line(struct steplog *s) {
    struct generic *g = s->state;
    if (!g->is_accepted && generic_bar_accept(&g->bar)) {
        g->is_accepted = true;
        set_name(g);
    }
    generic_bar_end_line(&g->bar, s);
}

/* Its lines look like steps, but are too few. Step 0 may be printed before the first. */
static void end(struct steplog *s) {
    const struct generic *g = s->state;
    bool is_unread = !g->is_accepted && g->bar.drawn > 0;
    for (int i = 0; i < g->candidate_count && !g->is_accepted; i++)
        is_unread |= g->candidates[i].figures > 0 && g->candidates[i].step > 0;
    if (is_unread && s->counts.steps == 0)
        emit_unread(s);
}

/* ---- what is remembered ---- */

static void init_state(void *state) {
    struct generic *g = state;
    g->rank = g->epoch = g->epochs = RECORD_NONE;
    generic_bar_init(&g->bar);
}

static void free_state(void *state) {
    struct generic *g = state;
    free(g->candidates);
    generic_bar_done(&g->bar);
    generic_table_done(&g->table);
}

static void visit_candidate(struct codec *c, struct generic_candidate *x) {
    codec_chars(c, x->name, sizeof x->name);
    codec_u64(c, &x->kind);
    visit_step_number(c, &x->step);
    generic_epoch_visit(&x->epochs, c);
    x->unit = codec_within(c, x->unit, 1, STEPLOG_MAX_STEP);
    x->delta = codec_within(c, x->delta, 0, STEPLOG_MAX_STEP);
    codec_i64(c, &x->line);
    CODEC_INT(c, &x->lines, 0, INT32_MAX);
    CODEC_INT(c, &x->equal, 0, INT32_MAX);
    CODEC_INT(c, &x->losses, 0, INT32_MAX);
    CODEC_INT(c, &x->figures, 0, INT32_MAX);
    visit_line_time(c, &x->at_ms);
    for (int i = 0; i < GENERIC_TIMES; i++) {
        CODEC_INT(c, &x->agreed[i], 0, INT32_MAX);
    }
    CODEC_INT(c, &x->time_place, 0, GENERIC_TIMES);
    codec_bool(c, &x->leaves_out);
    codec_bool(c, &x->is_epoch);
    codec_bool(c, &x->is_row);
    codec_bool(c, &x->is_unplaced);
    x->held = (int)codec_count(c, (size_t)x->held, GENERIC_HELD);
    for (int i = 0; i < x->held; i++) {
        visit_line_time(c, &x->events[i].at_ms);
        x->events[i].step = codec_within(c, x->events[i].step, 0, STEPLOG_MAX_STEP);
        c->failed |= i > 0 && x->events[i].step <= x->events[i - 1].step;
    }
}

static void visit_state(void *state, struct codec *c) {
    struct generic *g = state;
    int count = (int)codec_count(c, (size_t)g->candidate_count, GENERIC_CANDIDATES);
    for (int i = 0; i < count; i++)
        visit_candidate(c, i < g->candidate_count ? &g->candidates[i] : add_candidate(g));
    codec_bool(c, &g->is_accepted);
    codec_bool(c, &g->is_training);
    codec_bool(c, &g->has_other_ranks);
    codec_time(c, &g->rank);
    codec_i64(c, &g->tries);
    codec_i64(c, &g->block_line);
    codec_i64(c, &g->loss_line);
    codec_i64(c, &g->time_line);
    codec_u64(c, &g->loss_shape);
    visit_line_time(c, &g->loss_ms);
    codec_bool(c, &g->has_smaller_steps);
    visit_step_number(c, &g->epoch);
    visit_step_number(c, &g->epochs);
    for (int i = 0; i < GENERIC_FRACTIONS && !g->is_accepted; i++)
        codec_u64(c, &g->fractions[i]);
    generic_bar_visit(&g->bar, c);
    generic_table_visit(&g->table, c);
    c->failed |= g->is_accepted && g->candidate_count == 0 && !g->bar.is_accepted;
    if (g->is_accepted)
        set_name(g);
}

static const char *name_of(const void *state) {
    return ((const struct generic *)state)->name;
}

extern const struct format steplog_generic;
const struct format steplog_generic = {
    .id = STEPLOG_GENERIC,
    .looks_for = "a step number that rises, next to a loss, a time or a rate",
    .reads_the_rest = true,
    .line = read_line,
    .line_end = end_line,
    .end = end,
    .state_bytes = sizeof(struct generic),
    .state_init = init_state,
    .state_visit = visit_state,
    .state_free = free_state,
    .name_of = name_of,
};
