/* All words of a line are looked up once, by their components: of "timing_s/step" and "train_loss" the last one says
 * what it is, and those before it of what. The first counter of the best rank is the line's. */
#include "steplog/generic_line.h"

#include "ledger/record.h"
#include "steplog/generic_number.h"
#include "steplog/generic_words.h"
#include "steplog/text.h"

#include <string.h>

#define WORD_BYTES 64
#define RANK_COMPOUND 7 /* after the epoch: "policy_step", where nothing else counts */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* ---- words ---- */

/* "loss 0.1%" is of packets. */
static bool is_percentage(struct slice rest) {
    int64_t milli;
    generic_skip_gap(&rest);
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

static bool is_limit(struct slice part) {
    return slice_is(part, "max") || slice_is(part, "total") || slice_is(part, "num") || slice_is(part, "n") ||
           slice_is(part, "warmup") || slice_is(part, "save") || slice_is(part, "log") || slice_is(part, "start") ||
           slice_is(part, "last") || slice_is(part, "best");
}

static void note_component(struct key *k, struct slice part, const struct word *next, struct generic_line *l) {
    const struct word *w = k->last;
    /* The one before was not the last. */
    k->has_head_time |= w != NULL && w->meaning == MEANS_TIME;
    k->has_head_figure |= w != NULL && (w->meaning == MEANS_LOSS || w->meaning == MEANS_AMOUNT);
    k->is_limit |= w != NULL && w->meaning == MEANS_EVALUATION; /* "test_step" */
    k->last = next;
    k->is_per |= slice_is(part, "per");
    k->has_ms |= slice_is(part, "ms");
    k->is_limit |= is_limit(part);
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
    enum { LOSS_BYTES = 4, SUFFIX_BYTES = 2 };
    bool is_short =
        name.size_bytes <= LOSS_BYTES + SUFFIX_BYTES && !slice_is(name, "lossy") && !slice_is(name, "losses");
    bool has_loss = slice_ends(name, "loss") || (is_short && slice_starts(name, "loss")) || /* "LossPi" */
                    (is_joined && (slice_contains(name, "loss_") || slice_contains(name, "learning_rate") ||
                                   slice_contains(name, "grad_norm")));
    k->has_head_figure |= has_loss;
    l->has_loss |= has_loss && !is_percentage(rest);
    const struct word *whole = generic_word_find(name);
    k->is_compound = is_joined && whole == NULL;
    struct slice part;
    while (k->is_compound && slice_take_until(&name, '_', &part))
        note_component(k, part, generic_word_find(part), l);
    note_component(k, name, k->is_compound ? generic_word_find(name) : whole, l);
}

static struct key read_key(struct slice text, struct slice rest, struct generic_line *l) {
    struct key k = {.text = text};
    const char *at = text.data, *end = text.data + text.size_bytes;
    for (const char *from = at; at <= end; at++)
        if (at == end || *at == '/' || (*at == '.' && at + 1 < end)) { /* not the dot of an abbreviation */
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
    return generic_is_digit(c) || c == '.';
}

static const char *unit_at(const char *at, const char *end, bool *is_ms) {
    const char *from = at < end && *at == ' ' ? ++at : at;
    while (at < end && (generic_is_letter(*at) || *at == '/'))
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
    return f->unit[0] != '\0' && to > at && generic_is_digit(*at);
}

/* "time 12.3ms", "dt=0.5" */
static bool take_time_after(const struct key *k, struct slice text, struct generic_figure *f, bool *is_ms) {
    const char *end = text.data + text.size_bytes, *at;
    struct slice rest = slice_range(k->to, end);
    *is_ms = k->has_ms;
    generic_skip_gap(&rest);
    if (rest.size_bytes == 0 || rest.data == k->to || !generic_is_digit(rest.data[0]))
        return false;
    for (at = rest.data; at < end && is_number_char(*at); at++)
        ;
    f->lead = slice_range(k->from, rest.data);
    f->number = slice_range(rest.data, at);
    f->unit = unit_at(at, end, is_ms);
    return (at == end || *at != ':') && !slice_starts(slice_range(at, end), " day"); /* 0:01:23; 4 days, 0:01:23 */
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

/* ---- a line ---- */

/* "epoch": 0.25 counts no steps, also where the next line has 1. */
static void note_fraction(struct generic_line *l, struct slice name, struct slice rest) {
    int64_t number, total;
    generic_skip_gap(&rest);
    struct slice whole = rest;
    if (!generic_number_take(&whole, &number, &total) && take_step(&rest, &number) && rest.size_bytes > 1 &&
        rest.data[0] == '.' && generic_is_digit(rest.data[1]))
        l->fraction = slice_hash(name);
}

struct reading {
    struct generic_line *line;
    int rank;             /* of the counter found; 0: none */
    const char *epoch_at; /* the end of the epoch's number; NULL */
    const char *end;      /* of the line */
    struct slice before;  /* the word before this one */
    const char *rate_to;  /* the end of the word before, if it is a rate's: "fps step: 19764"; NULL */
};

/* Of a word of the line, as if in lower case; 0: it is empty. */
static uint64_t hash_lower(struct slice word) {
    char text[WORD_BYTES];
    for (size_t i = 0; i < word.size_bytes; i++)
        text[i] = lower(word.data[i]);
    return word.size_bytes > 0 ? slice_hash((struct slice){text, word.size_bytes}) : 0;
}

static size_t digits_at(const char *at, const char *end) {
    size_t n = 0;
    while (at + n < end && generic_is_digit(at[n]))
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
    l->kind = slice_hash(slice_of(l->name)) ^ hash_lower(r->before);
    r->rank = rank;
    /* An epoch before it, and no word that counts all steps. */
    bool is_behind = r->epoch_at != NULL;
    l->counts_within_epoch = is_behind && rank >= 3 && rank <= 5 && (total != RECORD_NONE || rank == 4);
    l->may_count_within_epoch =
        is_behind && (rank == 2 || rank == RANK_COMPOUND || (rank == 3 && total != RECORD_NONE));
    l->is_of_epoch = (rank == 4 || rank == 5) && total != RECORD_NONE && total > 0;
}

/* "[3][  50/1500]", "Epoch: [3][ 50/1500]", "epoch 001:   100 / 1000", "Epoch:[3/9](50/1500)" (minimind), "Train: 3 [
 * 50/1251 (  4%)]": a counter without a name, directly behind the epoch. */
static void nameless_counter(struct reading *r, struct slice behind) {
    int64_t number, total;
    size_t before = behind.size_bytes;
    for (int i = 0; i < GENERIC_GAP_BYTES && behind.size_bytes > 0 && memchr(" \t:[](|,", behind.data[0], 8) != NULL;
         i++)
        behind = slice_skip(behind, 1);
    const char *from = behind.data;
    if (before == behind.size_bytes || !generic_number_take(&behind, &number, &total) || total == RECORD_NONE ||
        total == 0)
        return;
    set_counter(r, SLICE("batch"), (struct slice){from, 0}, 5, number, total);
    r->line->counts_within_epoch = true;
}

static void found_epoch(struct reading *r, struct slice rest) {
    struct generic_line *l = r->line;
    int64_t number, total;
    struct slice behind;
    const char *number_at;
    if (l->epoch != RECORD_NONE || !generic_number_after(rest, &number, &total, &behind, &number_at))
        return;
    l->epoch = number;
    l->epochs = total;
    r->epoch_at = behind.data;
    if (r->rank == 0)
        nameless_counter(r, behind);
}

/* "Train: 3 [  50/1251", "Train: [3/300][50/1251]", "[Train](100/1000) average loss: 0.5" (DGL-KE) */
static void found_training(struct reading *r, struct slice rest) {
    int64_t number, total;
    r->line->is_training = true;
    const char *from = rest.data + 2;
    if (r->rank == 0 && slice_take_prefix(&rest, "](") && generic_number_take(&rest, &number, &total) &&
        total != RECORD_NONE && slice_starts(rest, ")")) {
        set_counter(r, SLICE("step"), (struct slice){from, 0}, 5, number, total);
        return;
    }
    if (!slice_take_prefix(&rest, ": ") || r->rank != 0 || r->line->epoch != RECORD_NONE)
        return;
    bool is_bracketed = slice_take_char(&rest, '[');
    if (generic_number_take(&rest, &number, &total) && slice_starts(rest, is_bracketed ? "][" : " [")) {
        r->line->epoch = number;
        r->line->epochs = total;
        r->epoch_at = rest.data;
        nameless_counter(r, rest);
    }
}

/* "tick 3     kimg 150.7": thousands of images. A tick begins again with each process (NVlabs/edm). */
static void found_kimg(struct reading *r, const struct key *k, struct slice rest) {
    int64_t number;
    generic_skip_gap(&rest);
    struct slice lead = slice_range(k->from, rest.data);
    if (!take_step(&rest, &number) || !slice_take_char(&rest, '.'))
        return;
    set_counter(r, k->text, lead, k->last->rank, number, RECORD_NONE);
    r->line->has_loss = true; /* nothing but training has it */
}

static void found_counter(struct reading *r, const struct key *k, struct slice rest) {
    int64_t number, total;
    struct slice behind;
    const char *number_at;
    if (slice_is(k->text, "kimg")) {
        found_kimg(r, k, rest);
        return;
    }
    int rank = k->is_compound ? RANK_COMPOUND : k->last->rank;
    bool is_plural = k->is_compound && (k->last->rank == 4 || slice_ends(k->text, "s"));
    bool is_sum =
        !k->is_compound && slice_is(k->text, "steps") && hash_lower(r->before) == slice_hash(SLICE("optimization"));
    if (is_sum && r->line->all_steps == RECORD_NONE && generic_number_after(rest, &number, &total, &behind, &number_at))
        r->line->all_steps = number;
    if (is_plural || (k->is_compound && k->is_limit))
        return;
    note_fraction(r->line, k->text, rest);
    if ((r->rank == 0 || rank < r->rank) && generic_number_after(rest, &number, &total, &behind, &number_at))
        set_counter(r, k->text, slice_range(k->from, number_at), rank, number, total);
}

/* "Train loss 54 10.291443": the counter stands between the word and its figure. */
static void found_loss(struct reading *r, struct slice rest) {
    int64_t number, total, whole;
    const char *from = rest.data + 1;
    bool has_number =
        slice_take_char(&rest, ' ') && generic_number_take(&rest, &number, &total) && total == RECORD_NONE;
    if (has_number && slice_take_char(&rest, ' ') && take_step(&rest, &whole) && rest.size_bytes > 1 &&
        rest.data[0] == '.' && generic_is_digit(rest.data[1]))
        set_counter(r, SLICE("step"), (struct slice){from, 0}, 5, number, RECORD_NONE);
}

/* "3epoch:train:51-100batch: loss=0.5" */
static void found_number_before(struct reading *r, struct slice word, struct slice text, const char *from) {
    const struct word *w = generic_word_find(word);
    struct generic_line *l = r->line;
    struct slice digits;
    int64_t number, total;
    bool counts = w != NULL && (w->meaning == MEANS_COUNTER || w->meaning == MEANS_EPOCH) && !slice_ends(word, "s");
    if (!counts || !generic_number_before(text, from, &digits, &number, &total))
        return;
    if (w->meaning == MEANS_COUNTER && (r->rank == 0 || w->rank < r->rank)) {
        set_counter(r, word, (struct slice){digits.data, 0}, w->rank, number, total);
    } else if (w->meaning == MEANS_EPOCH && l->epoch == RECORD_NONE) {
        l->epoch = number;
        l->epochs = total;
        r->epoch_at = from;
    }
}

static void found_key(struct reading *r, const struct key *k, struct slice text, struct slice rest) {
    struct generic_line *l = r->line;
    int64_t number;
    enum meaning meaning = k->last != NULL ? k->last->meaning : MEANS_AMOUNT;
    bool is_plain = k->last != NULL && !k->is_compound && slice_is(k->text, k->last->text);
    if (meaning == MEANS_TIME || k->has_head_time)
        note_time(k, text, meaning != MEANS_TIME || k->last->rank != 1, l);
    bool is_of_rate = r->rate_to != NULL && k->from == r->rate_to + 1;
    if (meaning == MEANS_COUNTER && !k->has_head_time && !k->has_head_figure && !k->is_per && !is_of_rate)
        found_counter(r, k, rest);
    if (r->rank == 0 && slice_ends(k->text, "loss"))
        found_loss(r, rest);
    r->rate_to = meaning == MEANS_TIME && k->last->rank == 1 ? k->to : NULL;
    if (meaning == MEANS_EPOCH && !k->is_compound) {
        note_fraction(l, k->text, rest);
        found_epoch(r, rest);
    }
    if (meaning == MEANS_TRAINING && is_plain)
        found_training(r, rest);
    if (meaning == MEANS_RANK && is_plain && l->rank == RECORD_NONE && take_step(&rest, &number))
        l->rank = number;
}

static bool has_figure(const struct generic_line *l) {
    return l->has_loss || l->is_training || l->is_evaluation;
}

/* "20: 9.1, 9.1 avg loss" (darknet), "20:	learn: 0.5" (CatBoost), "500/20000 train_loss: 3.0". */
static void row_counter(struct reading *r, struct slice text) {
    struct slice digits;
    int64_t number, total;
    if (has_figure(r->line) && generic_number_begins_row(text, &digits, &number, &total))
        set_counter(r, SLICE("step"), (struct slice){digits.data, 0}, 5, number, total);
}

/* "[100] loss=0.5, lr=0.001" (clu), "[100]	train-rmse:0.5" (XGBoost), "loss: 2.30  [   64/60000]" (PyTorch's first
 * tutorial). */
static void bracket_counter(struct reading *r, struct slice text) {
    int64_t number, total;
    const char *open = slice_find_char(text, '[');
    if (open == NULL)
        return;
    struct slice rest = slice_range(open + 1, text.data + text.size_bytes);
    bool is_first = open == text.data || (open - text.data >= 2 && open[-1] == ' ' && open[-2] == ']');
    skip_spaces(&rest);
    const char *number_at = rest.data;
    if (!generic_number_take(&rest, &number, &total) || !slice_take_char(&rest, ']'))
        return;
    bool is_row = is_first && total == RECORD_NONE && slice_starts(rest, "\t") && has_figure(r->line);
    bool is_pairs = is_first && total == RECORD_NONE && slice_take_char(&rest, ' ') && rest.size_bytes > 0 &&
                    generic_is_letter(rest.data[0]) && slice_find_char(rest, '=') != NULL;
    if (is_row) { /* also if only a validation's figures follow */
        r->line->has_loss = true;
        r->line->is_evaluation = false;
    }
    is_pairs |= is_row;
    bool is_end = is_first || slice_trim(rest).size_bytes == 0;
    if (is_pairs || (is_end && total != RECORD_NONE && r->line->has_loss))
        set_counter(r, is_pairs ? SLICE("step") : SLICE("batch"), slice_range(open, number_at), 5, number, total);
}

/* Where no name says which number counts. */
static void other_counter(struct reading *r, struct slice text) {
    struct generic_line *l = r->line;
    if (r->rank == 0)
        row_counter(r, text);
    if (r->rank == 0)
        bracket_counter(r, text);
    if (r->rank == 0 && l->epoch != RECORD_NONE) {
        set_counter(r, SLICE("epoch"), (struct slice){r->epoch_at, 0}, 6, l->epoch, l->epochs);
        l->is_epoch = true;
        l->counts_within_epoch = l->may_count_within_epoch = false;
    }
}

/* The line is a counter and nothing else: a row of a table, a line of a block. */
static bool is_row(struct slice text, const struct generic_line *l) {
    size_t letters = 0;
    for (size_t i = 0; i < text.size_bytes && letters <= 2 * strlen(l->name) + 24; i++)
        letters += generic_is_letter(text.data[i]);
    return !l->has_loss && !l->has_time && letters <= strlen(l->name) + 14;
}

bool generic_line_is_evaluation(const struct generic_line *l) {
    return l->is_evaluation && !l->is_training;
}

bool generic_line_is_step(const struct generic_line *l) {
    return l->name[0] != '\0' && !generic_line_is_evaluation(l) && (l->has_loss || l->has_time || l->is_training);
}

/* Bits that make a byte of a word its lower case; 0: it is of no word. */
static const unsigned char lowers[256] = {['a' ... 'z'] = 0x20, ['A' ... 'Z'] = 0x20, ['_'] = '_'};

static const char *next_word(const char *at, const char *end) {
    while (at < end && lowers[(unsigned char)*at] == 0)
        at++;
    return at;
}

/* A word, and what slashes and dots join to it, in lower case; returns its size, at most WORD_BYTES. */
static size_t take_key(const char **at, const char *end, char word[static WORD_BYTES], bool *is_joined) {
    static const char limit[] = "/max_steps"; /* 'global_step/max_steps': '5/855' */
    size_t n = 0;
    for (; *at < end; (*at)++) {
        unsigned char c = (unsigned char)**at, lower_bits = lowers[c];
        if (lower_bits != 0x20) {
            bool joins = (c == '/' || c == '.') && end - *at > 1 && generic_is_letter((*at)[1]) &&
                         !slice_starts(slice_range(*at, end), limit);
            if (lower_bits == 0 && !joins)
                break;
            *is_joined = true;
        }
        if (n < WORD_BYTES)
            word[n++] = (char)(c | lower_bits);
    }
    return n;
}

/* A word by itself that neither is known nor names a loss: most words of most lines. */
static bool is_of_no_figure(struct slice word) {
    return generic_word_find(word) == NULL && !slice_starts(word, "loss") && !slice_ends(word, "loss");
}

/* The letter of "9.6e-05". */
static bool is_exponent(const char *from, const char *to, const char *end) {
    return to - from == 1 && lower(*from) == 'e' && to < end && (*to == '-' || *to == '+' || generic_is_digit(*to));
}

bool generic_line_parse(struct slice text, struct generic_line *ret) {
    *ret = (struct generic_line){.number = RECORD_NONE,
                                 .total = RECORD_NONE,
                                 .epoch = RECORD_NONE,
                                 .epochs = RECORD_NONE,
                                 .rank = RECORD_NONE,
                                 .all_steps = RECORD_NONE};
    if (text.size_bytes > GENERIC_LINE_BYTES)
        text.size_bytes = GENERIC_LINE_BYTES;
    struct reading r = {.line = ret, .end = text.data + text.size_bytes};
    const char *at = text.data, *end = r.end;
    char word[WORD_BYTES];
    while ((at = next_word(at, end)) < end) {
        const char *from = at;
        bool is_joined = false;
        size_t n = take_key(&at, end, word, &is_joined);
        if (n == sizeof word)
            continue; /* too long */
        if (from > text.data && generic_is_digit(from[-1]) && (n > 2 || is_exponent(from, at, end))) {
            found_number_before(&r, (struct slice){word, n}, text, from);
            continue; /* else the end of an identifier, or within a number */
        }
        bool is_abbreviation = n == 2 && *from >= 'A' && *from <= 'Z' && end - at > 2 && *at == '.';
        if (is_abbreviation && at[1] == ' ' && generic_is_digit(at[2])) { /* "Ep. 3" */
            word[n++] = '.';
            at++;
        }
        if (!is_joined && is_of_no_figure((struct slice){word, n})) {
            r.before = slice_range(from, at);
            r.rate_to = NULL;
            continue;
        }
        bool is_training = ret->is_training, has_loss = ret->has_loss, has_time = ret->has_time;
        struct slice rest = slice_range(at, end);
        struct key k = read_key((struct slice){word, n}, rest, ret);
        k.from = from;
        k.to = at;
        found_key(&r, &k, text, rest);
        if (text_is_value(text.data, from))
            ret->is_training = is_training;
        if (slice_starts(rest, " to ")) { /* "Set learning rate to 0.1" */
            ret->has_loss = has_loss;
            ret->has_time = has_time;
        }
        r.before = slice_range(from, at);
    }
    other_counter(&r, text);
    ret->is_row = r.rank != 0 && is_row(text, ret);
    return r.rank != 0 || ret->all_steps != RECORD_NONE || ret->has_loss || ret->has_time || ret->is_training ||
           ret->is_evaluation;
}
