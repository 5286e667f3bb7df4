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
#include "steplog/generic_candidate.h"
#include "steplog/generic_table.h"
#include "steplog/generic_worth.h"
#include "steplog/text.h"

#include <stdio.h>
#include <string.h>

#define ENOUGH_LINES 4      /* of a counter next to a figure that only training has */
#define ENOUGH_WEAK_LINES 8 /* next to a time, or without a constant distance */
#define BLOCK_LINES 40      /* a block's figures are this close to its counter */
#define SAME_BLOCK_MS 20    /* a block's lines are written at once */
#define BURST_LINES 64      /* after TRIES_WHOLE lines with a counter and no step only these of each ... */
#define BURST_EVERY 4096
#define TRIES_WHOLE 20000
#define GENERIC_CANDIDATES 4
#define GENERIC_FRACTIONS 4

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

/* The counter that was accepted; none where a bar was. */
static const struct generic_candidate *chosen(const struct generic *g) {
    static const struct generic_candidate none;
    return g->candidate_count > 0 && !g->bar.is_accepted ? &g->candidates[0] : &none;
}

static void set_name(struct generic *g) {
    const struct generic_candidate *c = chosen(g);
    bool is_bar = g->bar.is_accepted;
    char counter[GENERIC_NAME_BYTES], more[28] = "";
    slice_copy(counter, sizeof counter, slice_of(is_bar ? "bar" : c->name));
    if (!is_bar && c->unit > 1)
        snprintf(more, sizeof more, " / %lld", (long long)c->unit);
    else if (g->has_other_ranks)
        snprintf(more, sizeof more, ", rank %lld", (long long)g->rank);
    snprintf(g->name, sizeof g->name, "Generic(%s N%s)", counter, more);
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
    generic_candidate_init(c, s, l);
    return c;
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

static void emit_step(struct steplog *s, int64_t step, int64_t at_ms, int64_t mean_us) {
    struct record r = steplog_record(s, RECORD_STEP_END);
    const struct generic *g = s->state;
    r.step = step / g->candidates[0].unit;
    r.at_ms = at_ms;
    if (r.received_ms != RECORD_NONE)
        r.received_ms = at_ms;
    r.is_derived = true; /* nothing but the lines' looks says that they are of steps */
    r.counts_lines = g->candidates[0].unit > 1;
    steplog_emit_step(s, r, mean_us, STEPLOG_GENERIC);
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
        generic_candidate_choose_time(&accepted);
        accepted.unit = generic_candidate_unit(&accepted);
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
            generic_candidate_start_over(&g->candidates[i]);
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

static void emit_unread(struct steplog *s) {
    struct record r = steplog_record(s, RECORD_UNREAD_STEPS);
    steplog_emit(s, &r, STEPLOG_AUTO);
}

static enum line_result counter_line(struct steplog *s, struct generic_line *l) {
    struct generic *g = s->state;
    if (g->bar.is_accepted || (g->is_accepted && chosen(g)->kind != l->kind))
        return LINE_NOT_MINE;
    if (is_other_rank(g, l))
        return LINE_TAKEN;
    if (!g->is_accepted && is_fraction(g, slice_hash(slice_of(l->name))))
        return LINE_NOT_MINE;
    struct generic_candidate *c = candidate_of(s, l);
    if (!g->is_accepted && c->is_row && !l->is_row) { /* that was something else: "step = 0" of a program's text */
        generic_candidate_start_over(c);
        c->is_row = false;
    }
    int64_t step;
    bool is_known = generic_candidate_step(c, l, &step);
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
        int64_t mean_us = generic_candidate_mean_us(c, s, l, steps);
        c->step = step;
        c->at_ms = s->stamp_ms;
        emit_step(s, step, s->stamp_ms, mean_us);
        return LINE_TAKEN;
    }
    if (c->step != RECORD_NONE && step < c->step) {
        if (s->counts.steps == 0 && c->figures >= ENOUGH_WEAK_LINES - 1)
            emit_unread(s); /* no preparation of what follows */
        generic_candidate_start_over(c);
    }
    generic_candidate_compare_times(c, l, s->stamp_ms, steps);
    c->at_ms = s->stamp_ms;
    c->losses += l->has_loss || l->is_training;
    c->figures += l->has_loss || l->is_training || l->has_time;
    generic_candidate_count(c, step, s->stamp_ms);
    g->tries++;
    s->unread_lines += l->has_loss;
    if (is_enough(s, c))
        accept(s, c);
    return LINE_TAKEN;
}

/* The figures on the lines between the counter's last line and this one. */
static void add_figures(struct steplog *s, struct generic_line *l) {
    struct generic *g = s->state;
    const struct generic_candidate *c = candidate_of(s, l);
    bool is_counted = c->line > 0 && !g->has_smaller_steps;
    l->has_loss = is_counted && g->loss_line > c->line;
    l->has_time |= is_counted && g->time_line > c->line;
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
    } else if (g->loss_shape == shape && g->loss_ms != TIME_UNKNOWN && s->stamp_ms != TIME_UNKNOWN &&
               s->stamp_ms - g->loss_ms > SAME_BLOCK_MS) {
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

static enum line_result read_figures(struct steplog *s, struct slice text) {
    struct generic *g = s->state;
    bool is_in_block = g->block_line > 0 && s->counts.lines - g->block_line <= BLOCK_LINES;
    if ((!is_in_block && !generic_is_worth(text)) || !wants_all(s))
        return LINE_NOT_MINE;
    struct generic_line l;
    if (!generic_line_parse(text, &l))
        return LINE_NOT_MINE;
    g->is_training |= l.is_training;
    if (!g->is_accepted)
        note_fraction(g, l.fraction);
    if (!g->is_accepted && l.all_steps != RECORD_NONE)
        g->bar.all_steps = l.all_steps;
    if (l.has_loss && !g->is_accepted) /* then no row asks for it any more */
        note_loss(s, text);
    if (l.has_time)
        g->time_line = s->counts.lines;
    if (generic_line_is_evaluation(&l))
        return evaluation_line(s, &l);
    if (l.name[0] == '\0')
        return g->is_accepted ? save_line(s, text) : LINE_NOT_MINE;
    use_epoch(g, &l);
    bool needs_figures = !g->is_accepted && !g->is_training && !l.has_loss && generic_line_is_step(&l);
    if (l.is_row || needs_figures) /* a table's row, a block's head, or one of its lines ("update: 10  fps: 312.5") */
        add_figures(s, &l);
    return l.is_row || generic_line_is_step(&l) ? counter_line(s, &l) : LINE_NOT_MINE;
}

static enum line_result read_row(struct steplog *s, struct slice text) {
    const struct generic *g = s->state;
    char row[2 * GENERIC_TABLE_BYTES];
    generic_table_row(&g->table, text, row, &text);
    return read_figures(s, text);
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct generic *g = s->state;
    if ((!g->is_accepted || g->bar.is_accepted) && generic_bar_line(&g->bar, s, text))
        return LINE_TAKEN;
    if (!g->is_accepted && wants_all(s) && generic_table_head(&g->table, text))
        return LINE_NOT_MINE;
    bool may_be_row = g->bar.drawn == 0 && g->table.head != NULL; /* else it may be a bar's piece */
    return may_be_row ? read_row(s, text) : read_figures(s, text);
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

static void visit_state(void *state, struct codec *c) {
    struct generic *g = state;
    int count = (int)codec_count(c, (size_t)g->candidate_count, GENERIC_CANDIDATES);
    for (int i = 0; i < count; i++)
        generic_candidate_visit(i < g->candidate_count ? &g->candidates[i] : add_candidate(g), c);
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

/* The epoch that was named since the last drawing is that of the process's first bar. */
static void begin_again(void *state) {
    struct generic *g = state;
    int64_t epoch = g->bar.named_epoch;
    free_state(g);
    *g = (struct generic){0};
    init_state(g);
    generic_bar_name_epoch(&g->bar, epoch);
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
    .state_again = begin_again,
    .name_of = name_of,
};
