/* The words that trainers use, from their sources (tests/data/styles names them). All words of a line are looked up
 * once, by their components: of "timing_s/step" and "train_loss" the last one says what it is, and those before it of
 * what. The first counter of the best rank is the line's. */
#include "steplog/generic_line.h"

#include "ledger/record.h"
#include "steplog/text.h"

#include <string.h>

enum meaning {
    MEANS_COUNTER, /* rank 1: counts steps of the whole training; 3: of an epoch as well; 7: with a word before it */
    MEANS_EPOCH,
    MEANS_LOSS,
    MEANS_TIME, /* rank 1: no duration of a step */
    MEANS_TRAINING,
    MEANS_EVALUATION,
    MEANS_AMOUNT, /* what is counted for each step or second */
    MEANS_RANK
};

static const struct word {
    char text[32];
    enum meaning meaning;
    int rank;
} words[] = {
    /* sorted */
    {"_step", MEANS_COUNTER, 2},
    {"batch", MEANS_COUNTER, 4},
    {"batches", MEANS_COUNTER, 4},
    {"bpb", MEANS_LOSS, 0},
    {"cost", MEANS_TIME, 0},
    {"curr_step", MEANS_COUNTER, 1},
    {"current_iteration", MEANS_COUNTER, 1},
    {"current_step", MEANS_COUNTER, 1},
    {"current_steps", MEANS_COUNTER, 1},
    {"default", MEANS_RANK, 0},
    {"dt", MEANS_TIME, 0},
    {"duration", MEANS_TIME, 0},
    {"elapsed", MEANS_TIME, 0},
    {"epoch", MEANS_EPOCH, 0},
    {"epochs", MEANS_EPOCH, 0},
    {"eta", MEANS_TIME, 1},
    {"eval", MEANS_EVALUATION, 0},
    {"evaluate", MEANS_EVALUATION, 0},
    {"evaluating", MEANS_EVALUATION, 0},
    {"evaluation", MEANS_EVALUATION, 0},
    {"examples", MEANS_AMOUNT, 0},
    {"fps", MEANS_TIME, 1},
    {"global_step", MEANS_COUNTER, 1},
    {"globalstep", MEANS_COUNTER, 1},
    {"gnorm", MEANS_LOSS, 0},
    {"grad_norm", MEANS_LOSS, 0},
    {"gradnorm", MEANS_LOSS, 0},
    {"ips", MEANS_TIME, 1},
    {"it", MEANS_COUNTER, 3},
    {"iter", MEANS_COUNTER, 3},
    {"iteration", MEANS_COUNTER, 2},
    {"iterations", MEANS_COUNTER, 2},
    {"iters", MEANS_COUNTER, 3},
    {"itr", MEANS_COUNTER, 3},
    {"learning_rate", MEANS_LOSS, 0},
    {"lr", MEANS_LOSS, 0},
    {"mfu", MEANS_LOSS, 0},
    {"ms", MEANS_TIME, 0},
    {"n_updates", MEANS_COUNTER, 5},
    {"nll", MEANS_LOSS, 0},
    {"num_env_steps_sampled_lifetime", MEANS_COUNTER, 3},
    {"num_updates", MEANS_COUNTER, 1},
    {"opt_step", MEANS_COUNTER, 2},
    {"optimizer_step", MEANS_COUNTER, 2},
    {"perplexity", MEANS_LOSS, 0},
    {"ppl", MEANS_LOSS, 0},
    {"rank", MEANS_RANK, 0},
    {"rate", MEANS_TIME, 1},
    {"reward", MEANS_LOSS, 0},
    {"rewards", MEANS_LOSS, 0},
    {"s", MEANS_TIME, 0},
    {"samples", MEANS_AMOUNT, 0},
    {"sec", MEANS_TIME, 0},
    {"seconds", MEANS_TIME, 0},
    {"secs", MEANS_TIME, 0},
    {"speed", MEANS_TIME, 1},
    {"step", MEANS_COUNTER, 2},
    {"steps", MEANS_COUNTER, 4},
    {"steptime", MEANS_TIME, 0},
    {"test", MEANS_EVALUATION, 0},
    {"throughput", MEANS_TIME, 1},
    {"time", MEANS_TIME, 0},
    {"timing", MEANS_TIME, 0},
    {"tok", MEANS_AMOUNT, 0},
    {"tokens", MEANS_AMOUNT, 0},
    {"took", MEANS_TIME, 0},
    {"total_timesteps", MEANS_COUNTER, 3},
    {"tps", MEANS_TIME, 1},
    {"train", MEANS_TRAINING, 0},
    {"train_iter", MEANS_COUNTER, 1},
    {"train_step", MEANS_COUNTER, 1},
    {"trainer", MEANS_TRAINING, 0},
    {"training", MEANS_TRAINING, 0},
    {"training_iteration", MEANS_COUNTER, 1},
    {"training_step", MEANS_COUNTER, 1},
    {"update", MEANS_COUNTER, 3},
    {"updates", MEANS_COUNTER, 3},
    {"val", MEANS_EVALUATION, 0},
    {"valid", MEANS_EVALUATION, 0},
    {"validating", MEANS_EVALUATION, 0},
    {"validation", MEANS_EVALUATION, 0},
    {"wps", MEANS_TIME, 1},
};

#define WORD_BYTES 64
#define RANK_COMPOUND 7 /* after the epoch: "policy_step", where nothing else counts */
#define GAP_BYTES 12    /* between a counter's name and its number: ": [  " */

/* Of a letter: 1: of a word (its lower case is at `lower`). */
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static void skip_gap(struct slice *s) {
    for (int i = 0; i < GAP_BYTES && s->size_bytes > 0 && memchr(" \t:=#[|\"'(", s->data[0], 10) != NULL; i++) {
        *s = slice_skip(*s, 1);
        if (s->size_bytes > 0 && s->data[0] == ' ' && s->data[-1] == ' ')
            i--; /* a table's cell */
    }
}

/* ---- words ---- */

static const struct word *find_word(struct slice word) {
    size_t low = 0, high = sizeof words / sizeof words[0];
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strncmp(words[middle].text, word.data, word.size_bytes);
        if (order == 0 && words[middle].text[word.size_bytes] == '\0')
            return &words[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* "loss 0.1%" is of packets. */
static bool is_percentage(struct slice rest) {
    int64_t milli;
    skip_gap(&rest);
    return take_milli(&rest, &milli) && slice_starts(rest, "%");
}

/* What the components of a key say. */
struct key {
    struct slice text;       /* in lower case */
    const char *from, *to;   /* in the line */
    const struct word *last; /* the last component; NULL: no word that is known */
    bool is_compound;        /* found behind an underscore: "policy_step" */
    bool is_per, has_head_time, has_head_figure, has_ms;
    bool is_limit; /* "max_step": no counter */
};

static void note_component(struct key *k, struct slice part, const struct word *next, struct generic_line *l) {
    static const char *const limits[] = {"max", "total", "num", "n", "warmup", "save", "log", "start", "last", "best"};
    const struct word *w = k->last;
    /* The one before was not the last. */
    k->has_head_time |= w != NULL && w->meaning == MEANS_TIME;
    k->has_head_figure |= w != NULL && (w->meaning == MEANS_LOSS || w->meaning == MEANS_AMOUNT);
    k->is_limit |= w != NULL && w->meaning == MEANS_EVALUATION; /* "test_step" */
    k->last = next;
    k->is_per |= slice_is(part, "per");
    k->has_ms |= slice_is(part, "ms");
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        k->is_limit |= slice_is(part, limits[i]);
    if (next == NULL)
        return;
    l->has_loss |= next->meaning == MEANS_LOSS;
    l->has_time |= next->meaning == MEANS_TIME;
    l->is_training |= next->meaning == MEANS_TRAINING;
    l->is_evaluation |= next->meaning == MEANS_EVALUATION;
}

/* What lies between two slashes or dots: a word, or words joined by underscores. */
static void note_name(struct key *k, struct slice name, struct slice rest, struct generic_line *l) {
    bool is_joined = name.size_bytes > 0 && memchr(name.data, '_', name.size_bytes) != NULL;
    /* "loss", "lossy": */
    bool has_loss = slice_ends(name, "loss") ||
                    (is_joined && (slice_contains(name, "loss_") || slice_contains(name, "learning_rate") ||
                                   slice_contains(name, "grad_norm")));
    k->has_head_figure |= has_loss;
    l->has_loss |= has_loss && !is_percentage(rest);
    const struct word *whole = find_word(name);
    k->is_compound = is_joined && whole == NULL;
    struct slice part;
    while (k->is_compound && slice_take_until(&name, '_', &part))
        note_component(k, part, find_word(part), l);
    note_component(k, name, k->is_compound ? find_word(name) : whole, l);
}

static struct key read_key(struct slice text, struct slice rest, struct generic_line *l) {
    struct key k = {.text = text};
    const char *at = text.data, *end = text.data + text.size_bytes;
    for (const char *from = at; at <= end; at++)
        if (at == end || *at == '/' || *at == '.') {
            note_name(&k, slice_range(from, at), rest, l);
            from = at + 1;
        }
    return k;
}

/* ---- times ---- */

static const struct {
    const char *text;
    bool is_ms;
} units[] = {{"ms", true},      {"milliseconds", true},  {"s", false},
             {"sec", false},    {"secs", false},         {"seconds", false},
             {"s/it", false},   {"s/step", false},       {"sec/step", false},
             {"ms/step", true}, {"seconds/step", false}, {"s/iter", false}};

static bool is_number_char(char c) {
    return is_digit(c) || c == '.';
}

static const char *unit_at(const char *at, const char *end, bool *is_ms) {
    const char *from = at < end && *at == ' ' ? ++at : at;
    while (at < end && (is_letter(*at) || *at == '/'))
        at++;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (slice_is(slice_range(from, at), units[i].text)) {
            *is_ms = units[i].is_ms;
            return units[i].text;
        }
    return "";
}

/* "(took 12 ms)", "| 12.3 s/it": a number before the key, which is its unit. */
static bool take_time_before(const struct key *k, struct slice text, struct generic_figure *f, bool *is_ms) {
    const char *to = k->from - (k->from > text.data && k->from[-1] == ' '), *at = to;
    while (at > text.data && is_number_char(at[-1]))
        at--;
    f->unit = unit_at(k->from, text.data + text.size_bytes, is_ms);
    f->lead = slice_range(at, at);
    f->number = slice_range(at, to);
    return f->unit[0] != '\0' && to > at && is_digit(*at);
}

/* "time 12.3ms", "dt=0.5" */
static bool take_time_after(const struct key *k, struct slice text, struct generic_figure *f, bool *is_ms) {
    const char *end = text.data + text.size_bytes, *at;
    struct slice rest = slice_range(k->to, end);
    *is_ms = k->has_ms;
    skip_gap(&rest);
    if (rest.size_bytes == 0 || rest.data == k->to || !is_digit(rest.data[0]))
        return false;
    for (at = rest.data; at < end && is_number_char(*at); at++)
        ;
    f->lead = slice_range(k->from, rest.data);
    f->number = slice_range(rest.data, at);
    f->unit = unit_at(at, end, is_ms);
    return at == end || *at != ':'; /* 0:01:23 */
}

static void note_time(const struct key *k, struct slice text, bool is_duration, struct generic_line *l) {
    bool is_ms = false;
    struct generic_figure f = {.unit = ""};
    if (!take_time_before(k, text, &f, &is_ms) && !take_time_after(k, text, &f, &is_ms))
        return;
    for (int i = 0; i < l->time_count; i++)
        if (l->times[i].number.data == f.number.data)
            return;
    struct slice number = f.number;
    if (l->time_count == GENERIC_TIMES || !slice_take_scaled(&number, is_ms ? 3 : 6, &f.us))
        return;
    if (!is_duration)
        f.us = -1; /* its place is taken */
    l->times[l->time_count++] = f;
}

/* ---- numbers ---- */

/* "1,000": thousands, if three digits follow and no fourth, and the number before has at most three. */
static bool take_thousands(struct slice *s, int64_t *number) {
    const struct slice from = *s;
    if (!take_step(s, number))
        return false;
    while (from.size_bytes - s->size_bytes <= 11 && *number < 1000000000 && s->size_bytes >= 4 && s->data[0] == ',' &&
           is_digit(s->data[1]) && is_digit(s->data[2]) && is_digit(s->data[3]) &&
           (s->size_bytes == 4 || !is_digit(s->data[4])) && (*number < 1000 || s->data[-4] == ',')) {
        *number = *number * 1000 + (s->data[1] - '0') * 100 + (s->data[2] - '0') * 10 + (s->data[3] - '0');
        *s = slice_skip(*s, 4);
    }
    return true;
}

/* What may not follow a counter's number: a fraction, a unit, a path's rest. */
static bool is_whole(struct slice rest) {
    if (rest.size_bytes == 0)
        return true;
    char c = rest.data[0], next = rest.size_bytes > 1 ? rest.data[1] : ' ';
    if (c == '.')
        return !is_digit(next) && !is_letter(next);
    return !is_letter(c) && c != '%' && !((c == ':' || c == '-') && is_digit(next));
}

/* "50", "50/1500", "50 / 1500", "50 of 1500", "1,000/5,000"; s is advanced past it. */
static bool take_number(struct slice *s, int64_t *number, int64_t *total) {
    struct slice rest = *s;
    *total = RECORD_NONE;
    if (!take_thousands(&rest, number) || !is_whole(rest))
        return false;
    struct slice more = rest;
    skip_spaces(&more);
    if (slice_take_char(&more, '/') || slice_take_prefix(&more, "of ")) {
        int64_t m;
        skip_spaces(&more);
        if (take_thousands(&more, &m) && is_whole(more) && m >= *number) {
            *total = m;
            rest = more;
        } else if (more.size_bytes > 0 && is_digit(more.data[0])) {
            return false; /* a date, or a fraction */
        }
    }
    *s = rest;
    return true;
}

/* What stands between a counter's name and its number: at most "(train)" and some punctuation. */
static bool number_after(struct slice rest, int64_t *number, int64_t *total, struct slice *behind,
                         const char **number_at) {
    if (slice_starts(rest, "(") && rest.size_bytes > 1 && is_letter(rest.data[1])) {
        const char *end = slice_find_char(rest, ')');
        if (end == NULL || end - rest.data > GAP_BYTES)
            return false;
        rest = slice_range(end + 1, rest.data + rest.size_bytes);
    }
    /* 'global_step/max_steps': '5/855' */
    slice_take_prefix(&rest, "/max_steps");
    size_t before = rest.size_bytes;
    skip_gap(&rest);
    *number_at = rest.data;
    if (rest.size_bytes == before || !take_number(&rest, number, total))
        return false;
    *behind = rest;
    return true;
}

/* ---- a line ---- */

static const unsigned char starts[256] = {['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['['] = 2};

/* "[64/60000]", "[100] loss=": not "[2026-11-21" and not "[   12.345678]". */
static bool is_bracketed_number(const char *at, const char *end) {
    while (at < end && *at == ' ')
        at++;
    const char *from = at;
    while (at < end && is_digit(*at))
        at++;
    return at > from && at < end && (*at == ']' || *at == '/');
}

/* The beginnings of the words that are looked for, so that all other words cost two comparisons. */
static bool is_worth(const char *at, const char *end) {
    if (end - at < 2)
        return false;
    char next = lower(at[1]);
    switch (lower(at[0])) {
    case 's': /* step, saving */
        return (next == 't' && end - at > 3 && lower(at[2]) == 'e' && lower(at[3]) == 'p') ||
               (next == 'a' && end - at > 3 && lower(at[2]) == 'v');
    case 'i': /* it, iter, itr */
        return next == 't' && (end - at == 2 || !is_letter(at[2]) || lower(at[2]) == 'e' || lower(at[2]) == 'r');
    case 't': /* train, total_timesteps; not "to", "the", "true" */
        return end - at > 4 &&
               ((next == 'r' && lower(at[2]) == 'a' && lower(at[3]) == 'i') ||
                (next == 'o' && lower(at[2]) == 't' && lower(at[3]) == 'a' && end - at > 5 && at[5] == '_'));
    case 'b':
        return next == 'a' && end - at > 3 && lower(at[2]) == 't';
    case 'e':
        return (next == 'p' && end - at > 2 && lower(at[2]) == 'o') ||
               (next == 'v' && end - at > 2 && lower(at[2]) == 'a');
    case 'u':
        return next == 'p' && end - at > 2 && lower(at[2]) == 'd';
    case 'v':
        return next == 'a' && end - at > 2 && lower(at[2]) == 'l';
    case 'g':
        return next == 'l' && end - at > 2 && lower(at[2]) == 'o';
    case 'n':
        return (next == 'u' && end - at > 3 && at[3] == '_') || next == '_';
    case 'c':
        return next == 'u' && end - at > 3 && lower(at[2]) == 'r';
    case 'o':
        return next == 'p' && end - at > 3 && lower(at[2]) == 't';
    default:
        return false;
    }
}

bool generic_line_is_worth(struct slice text) {
    if (text.size_bytes > GENERIC_LINE_BYTES)
        text.size_bytes = GENERIC_LINE_BYTES;
    const char *at = text.data, *end = text.data + text.size_bytes;
    while (at < end) {
        unsigned char kind = starts[(unsigned char)*at];
        if (kind == 0) {
            at++;
        } else if (kind == 2) {
            if (is_bracketed_number(++at, end))
                return true;
        } else {
            if (is_worth(at, end))
                return true;
            while (at < end && starts[(unsigned char)*at] == 1)
                at++;
        }
    }
    return false;
}

/* "epoch": 0.25 counts no steps, also where the next line has 1. */
static void note_fraction(struct generic_line *l, struct slice name, struct slice rest) {
    int64_t number;
    skip_gap(&rest);
    if (take_step(&rest, &number) && rest.size_bytes > 1 && rest.data[0] == '.' && is_digit(rest.data[1]))
        l->fraction = slice_hash(name);
}

struct reading {
    struct generic_line *line;
    int rank;             /* of the counter found; 0: none */
    const char *epoch_at; /* the end of the epoch's number; NULL */
    const char *end;      /* of the line */
    uint64_t before;      /* the word before this one */
};

static size_t digits_at(const char *at, const char *end) {
    size_t n = 0;
    while (at + n < end && is_digit(at[n]))
        n++;
    return n;
}

/* lead: from where to where its name stands, and what is between it and the number; empty: nothing names it. */
static void set_counter(struct reading *r, struct slice name, struct slice lead, int rank, int64_t number,
                        int64_t total) {
    struct generic_line *l = r->line;
    slice_copy(l->name, sizeof l->name, name);
    const char *end = lead.data + lead.size_bytes;
    l->counter = (struct generic_figure){.lead = lead, .number = {end, digits_at(end, r->end)}, .unit = ""};
    l->number = number;
    l->total = total;
    l->kind = slice_hash(slice_of(l->name)) ^ r->before;
    r->rank = rank;
    /* An epoch before it, and no word that counts all steps. */
    bool is_behind = r->epoch_at != NULL;
    l->counts_within_epoch = is_behind && rank >= 3 && rank <= 5 && (total != RECORD_NONE || rank == 4);
    l->may_count_within_epoch = is_behind && (rank == 2 || rank == RANK_COMPOUND);
    l->is_of_epoch = (rank == 4 || rank == 5) && total != RECORD_NONE && total > 0;
}

/* "[3][  50/1500]", "Epoch: [3][ 50/1500]", "epoch 001:   100 / 1000", "Train: 3 [  50/1251 (  4%)]": a counter without
 * a name, directly behind the epoch. */
static void nameless_counter(struct reading *r, struct slice behind) {
    int64_t number, total;
    size_t before = behind.size_bytes;
    for (int i = 0; i < GAP_BYTES && behind.size_bytes > 0 && memchr(" \t:[]|,", behind.data[0], 7) != NULL; i++)
        behind = slice_skip(behind, 1);
    const char *from = behind.data;
    if (before == behind.size_bytes || !take_number(&behind, &number, &total) || total == RECORD_NONE || total == 0)
        return;
    set_counter(r, SLICE("batch"), (struct slice){from, 0}, 5, number, total);
    r->line->counts_within_epoch = true;
}

static void found_epoch(struct reading *r, struct slice rest) {
    struct generic_line *l = r->line;
    int64_t number, total;
    struct slice behind;
    const char *number_at;
    if (l->epoch != RECORD_NONE || !number_after(rest, &number, &total, &behind, &number_at))
        return;
    l->epoch = number;
    l->epochs = total;
    r->epoch_at = behind.data;
    if (r->rank == 0)
        nameless_counter(r, behind);
}

static void found_training(struct reading *r, struct slice rest) {
    int64_t number, total;
    r->line->is_training = true;
    if (slice_take_prefix(&rest, ": ") && r->rank == 0 && r->line->epoch == RECORD_NONE &&
        take_number(&rest, &number, &total) && slice_starts(rest, " [")) {
        r->line->epoch = number;
        r->line->epochs = total;
        r->epoch_at = rest.data;
        nameless_counter(r, rest);
    }
}

static void found_counter(struct reading *r, const struct key *k, struct slice rest) {
    int64_t number, total;
    struct slice behind;
    const char *number_at;
    int rank = k->is_compound ? RANK_COMPOUND : k->last->rank;
    bool is_plural = k->is_compound && (k->last->rank == 4 || slice_ends(k->text, "s"));
    if (is_plural || (k->is_compound && k->is_limit))
        return;
    note_fraction(r->line, k->text, rest);
    if ((r->rank == 0 || rank < r->rank) && number_after(rest, &number, &total, &behind, &number_at))
        set_counter(r, k->text, slice_range(k->from, number_at), rank, number, total);
}

static void found_key(struct reading *r, const struct key *k, struct slice text, struct slice rest) {
    struct generic_line *l = r->line;
    int64_t number;
    enum meaning meaning = k->last != NULL ? k->last->meaning : MEANS_AMOUNT;
    bool is_plain = k->last != NULL && !k->is_compound && slice_is(k->text, k->last->text);
    if (meaning == MEANS_TIME || k->has_head_time)
        note_time(k, text, meaning != MEANS_TIME || k->last->rank != 1, l);
    if (meaning == MEANS_COUNTER && !k->has_head_time && !k->has_head_figure && !k->is_per)
        found_counter(r, k, rest);
    if (meaning == MEANS_EPOCH && !k->is_compound) {
        note_fraction(l, k->text, rest);
        found_epoch(r, rest);
    }
    if (meaning == MEANS_TRAINING && is_plain)
        found_training(r, rest);
    if (meaning == MEANS_RANK && is_plain && l->rank == RECORD_NONE && take_step(&rest, &number))
        l->rank = number;
}

/* "[100] loss=0.5, lr=0.001" (clu), "loss: 2.30  [   64/60000]" (PyTorch's first tutorial). */
static void bracket_counter(struct reading *r, struct slice text) {
    int64_t number, total;
    const char *open = slice_find_char(text, '[');
    if (open == NULL)
        return;
    struct slice rest = slice_range(open + 1, text.data + text.size_bytes);
    bool is_first = open == text.data || (open - text.data >= 2 && open[-1] == ' ' && open[-2] == ']');
    skip_spaces(&rest);
    const char *number_at = rest.data;
    if (!take_number(&rest, &number, &total) || !slice_take_char(&rest, ']'))
        return;
    bool is_pairs = is_first && total == RECORD_NONE && slice_take_char(&rest, ' ') && rest.size_bytes > 0 &&
                    is_letter(rest.data[0]) && slice_find_char(rest, '=') != NULL;
    bool is_end = is_first || slice_trim(rest).size_bytes == 0;
    if (is_pairs || (is_end && total != RECORD_NONE && r->line->has_loss))
        set_counter(r, is_pairs ? SLICE("step") : SLICE("batch"), slice_range(open, number_at), 5, number, total);
}

/* The line is a counter and nothing else: a row of a table, a line of a block. */
static bool is_row(struct slice text, const struct generic_line *l) {
    size_t letters = 0;
    for (size_t i = 0; i < text.size_bytes && letters <= 2 * strlen(l->name) + 24; i++)
        letters += is_letter(text.data[i]);
    return !l->has_loss && !l->has_time && letters <= strlen(l->name) + 14;
}

bool generic_line_is_evaluation(const struct generic_line *l) {
    return l->is_evaluation && !l->is_training;
}

bool generic_line_is_step(const struct generic_line *l) {
    return l->name[0] != '\0' && !generic_line_is_evaluation(l) && (l->has_loss || l->has_time || l->is_training);
}

/* A word, and what slashes and dots join to it, in lower case; returns its size, at most WORD_BYTES. */
static size_t take_key(const char **at, const char *end, char word[static WORD_BYTES]) {
    static const char limit[] = "/max_steps"; /* 'global_step/max_steps': '5/855' */
    size_t n = 0;
    for (; *at < end; (*at)++) {
        bool joins = (**at == '/' || **at == '.') && end - *at > 1 && is_letter((*at)[1]) &&
                     !slice_starts(slice_range(*at, end), limit);
        if (!is_letter(**at) && !joins)
            break;
        if (n < WORD_BYTES)
            word[n++] = lower(**at);
    }
    return n;
}

/* The letter of "9.6e-05". */
static bool is_exponent(const char *from, const char *to, const char *end) {
    return to - from == 1 && lower(*from) == 'e' && to < end && (*to == '-' || *to == '+' || is_digit(*to));
}

bool generic_line_parse(struct slice text, struct generic_line *ret) {
    *ret = (struct generic_line){
        .number = RECORD_NONE, .total = RECORD_NONE, .epoch = RECORD_NONE, .epochs = RECORD_NONE, .rank = RECORD_NONE};
    if (text.size_bytes > GENERIC_LINE_BYTES)
        text.size_bytes = GENERIC_LINE_BYTES;
    struct reading r = {.line = ret, .end = text.data + text.size_bytes};
    const char *at = text.data, *end = r.end;
    char word[WORD_BYTES];
    while (at < end) {
        if (!is_letter(*at)) {
            at++;
            continue;
        }
        const char *from = at;
        size_t n = take_key(&at, end, word);
        if (n == sizeof word || (from > text.data && is_digit(from[-1]) && (n > 2 || is_exponent(from, at, end))))
            continue; /* too long, the end of an identifier, or within a number */
        bool is_training = ret->is_training;
        struct slice rest = slice_range(at, end);
        struct key k = read_key((struct slice){word, n}, rest, ret);
        k.from = from;
        k.to = at;
        found_key(&r, &k, text, rest);
        if (text_is_value(text.data, from))
            ret->is_training = is_training;
        r.before = slice_hash(k.text);
    }
    if (r.rank == 0)
        bracket_counter(&r, text);
    if (r.rank == 0 && ret->epoch != RECORD_NONE) {
        set_counter(&r, SLICE("epoch"), (struct slice){r.epoch_at, 0}, 6, ret->epoch, ret->epochs);
        ret->is_epoch = true;
        ret->counts_within_epoch = ret->may_count_within_epoch = false;
    }
    ret->is_row = r.rank != 0 && is_row(text, ret);
    return r.rank != 0 || ret->has_loss || ret->has_time || ret->is_training || ret->is_evaluation;
}
