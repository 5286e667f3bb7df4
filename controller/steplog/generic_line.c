/* The words that trainers use, from their sources (tests/truth/styles_*.c names them). All words of a line are looked
 * up once; the first counter of the best rank is the line's. */
#include "steplog/generic_line.h"

#include "ledger/record.h"
#include "steplog/text.h"

#include <string.h>

enum meaning {
    MEANS_COUNTER, /* rank 1: counts steps of the whole training; 3: of an epoch as well */
    MEANS_EPOCH,
    MEANS_LOSS,
    MEANS_TIME,
    MEANS_TRAINING,
    MEANS_EVALUATION,
    MEANS_RANK
};

static const struct word {
    const char *text;
    enum meaning meaning;
    int rank;
} words[] = {
    {"global_step", MEANS_COUNTER, 1},
    {"globalstep", MEANS_COUNTER, 1},
    {"num_updates", MEANS_COUNTER, 1},
    {"n_updates", MEANS_COUNTER, 5},
    {"total_timesteps", MEANS_COUNTER, 3},
    {"num_env_steps_sampled_lifetime", MEANS_COUNTER, 3},
    {"training_iteration", MEANS_COUNTER, 1},
    {"train_step", MEANS_COUNTER, 1},
    {"training_step", MEANS_COUNTER, 1},
    {"train_iter", MEANS_COUNTER, 1},
    {"current_step", MEANS_COUNTER, 1},
    {"current_steps", MEANS_COUNTER, 1},
    {"curr_step", MEANS_COUNTER, 1},
    {"current_iteration", MEANS_COUNTER, 1},
    {"opt_step", MEANS_COUNTER, 2},
    {"optimizer_step", MEANS_COUNTER, 2},
    {"_step", MEANS_COUNTER, 2},
    {"iteration", MEANS_COUNTER, 2},
    {"iterations", MEANS_COUNTER, 2},
    {"step", MEANS_COUNTER, 2},
    {"steps", MEANS_COUNTER, 4},
    {"iter", MEANS_COUNTER, 3},
    {"iters", MEANS_COUNTER, 3},
    {"itr", MEANS_COUNTER, 3},
    {"it", MEANS_COUNTER, 3},
    {"update", MEANS_COUNTER, 3},
    {"updates", MEANS_COUNTER, 3},
    {"batch", MEANS_COUNTER, 4},
    {"batches", MEANS_COUNTER, 4},
    {"epoch", MEANS_EPOCH, 0},
    {"epochs", MEANS_EPOCH, 0},
    {"lr", MEANS_LOSS, 0},
    {"learning_rate", MEANS_LOSS, 0},
    {"ppl", MEANS_LOSS, 0},
    {"perplexity", MEANS_LOSS, 0},
    {"nll", MEANS_LOSS, 0},
    {"gnorm", MEANS_LOSS, 0},
    {"grad_norm", MEANS_LOSS, 0},
    {"gradnorm", MEANS_LOSS, 0},
    {"mfu", MEANS_LOSS, 0},
    {"bpb", MEANS_LOSS, 0},
    {"time", MEANS_TIME, 0},
    {"dt", MEANS_TIME, 0},
    {"sec", MEANS_TIME, 0},
    {"secs", MEANS_TIME, 0},
    {"seconds", MEANS_TIME, 0},
    {"ms", MEANS_TIME, 0},
    {"s", MEANS_TIME, 0},
    {"elapsed", MEANS_TIME, 0},
    {"took", MEANS_TIME, 0},
    {"duration", MEANS_TIME, 0},
    {"eta", MEANS_TIME, 0},
    {"fps", MEANS_TIME, 0},
    {"speed", MEANS_TIME, 0},
    {"rate", MEANS_TIME, 0},
    {"ips", MEANS_TIME, 0},
    {"wps", MEANS_TIME, 0},
    {"tps", MEANS_TIME, 0},
    {"throughput", MEANS_TIME, 0},
    {"train", MEANS_TRAINING, 0},
    {"training", MEANS_TRAINING, 0},
    {"trainer", MEANS_TRAINING, 0},
    {"val", MEANS_EVALUATION, 0},
    {"valid", MEANS_EVALUATION, 0},
    {"validation", MEANS_EVALUATION, 0},
    {"validating", MEANS_EVALUATION, 0},
    {"eval", MEANS_EVALUATION, 0},
    {"evaluation", MEANS_EVALUATION, 0},
    {"evaluating", MEANS_EVALUATION, 0},
    {"evaluate", MEANS_EVALUATION, 0},
    {"test", MEANS_EVALUATION, 0},
    {"rank", MEANS_RANK, 0},
    {"default", MEANS_RANK, 0},
};

#define WORD_BYTES 40
#define GAP_BYTES 12 /* between a counter's name and its number: ": [  " */

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

/* A part of a word between underscores: train_loss, val_accuracy, iter_time. */
static bool has_part(struct slice word, const char *part) {
    size_t n = strlen(part);
    const char *at = slice_find(word, part);
    while (at != NULL) {
        bool begins = at == word.data || at[-1] == '_';
        const char *end = at + n;
        if (begins && (end == word.data + word.size_bytes || *end == '_'))
            return true;
        at = slice_find(slice_range(end, word.data + word.size_bytes), part);
    }
    return false;
}

/* "loss 0.1%" is of packets. */
static bool is_percentage(struct slice rest) {
    int64_t milli;
    skip_gap(&rest);
    return take_milli(&rest, &milli) && slice_starts(rest, "%");
}

static void note_compound(struct slice word, struct slice rest, struct generic_line *l) {
    static const struct {
        const char *part;
        enum meaning meaning;
    } parts[] = {{"train", MEANS_TRAINING},  {"val", MEANS_EVALUATION},  {"valid", MEANS_EVALUATION},
                 {"eval", MEANS_EVALUATION}, {"test", MEANS_EVALUATION}, {"time", MEANS_TIME},
                 {"sec", MEANS_TIME},        {"ms", MEANS_TIME},         {"seconds", MEANS_TIME},
                 {"lr", MEANS_LOSS},         {"cost", MEANS_TIME},       {"rate", MEANS_TIME}};
    bool has_lr = slice_contains(word, "learning_rate") || slice_contains(word, "grad_norm");
    /* "loss", "lossy": */
    bool has_loss = slice_ends(word, "loss") || slice_contains(word, "loss_") || has_part(word, "reward");
    l->has_loss |= has_lr || (has_loss && !is_percentage(rest));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && memchr(word.data, '_', word.size_bytes) != NULL; i++) {
        if (!has_part(word, parts[i].part))
            continue;
        l->is_training |= parts[i].meaning == MEANS_TRAINING;
        l->is_evaluation |= parts[i].meaning == MEANS_EVALUATION;
        l->has_time |= parts[i].meaning == MEANS_TIME;
        l->has_loss |= parts[i].meaning == MEANS_LOSS;
    }
}

static const struct word *find_word(struct slice word) {
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i].text[0] == word.data[0] && slice_is(word, words[i].text))
            return &words[i];
    return NULL;
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
static bool number_after(struct slice rest, int64_t *number, int64_t *total, struct slice *behind) {
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
    if (rest.size_bytes == before || !take_number(&rest, number, total))
        return false;
    *behind = rest;
    return true;
}

/* ---- a line ---- */

static const unsigned char starts[256] = {['_'] = 1, ['a' ... 'z'] = 1, ['A' ... 'Z'] = 1, ['['] = 2};

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
    case 'i':
        return next == 't';
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
    case '_':
        return next == 's';
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
    uint64_t before;      /* the word before this one */
};

static void set_counter(struct reading *r, struct slice name, int rank, int64_t number, int64_t total) {
    struct generic_line *l = r->line;
    if (name.size_bytes >= GENERIC_NAME_BYTES)
        name.size_bytes = GENERIC_NAME_BYTES - 1;
    for (size_t i = 0; i < name.size_bytes; i++)
        l->name[i] = lower(name.data[i]);
    l->name[name.size_bytes] = '\0';
    l->number = number;
    l->total = total;
    l->kind = slice_hash(slice_of(l->name)) ^ r->before;
    r->rank = rank;
    /* An epoch before it, and no word that counts all steps. */
    bool is_behind = r->epoch_at != NULL;
    l->counts_within_epoch = is_behind && rank >= 3 && (total != RECORD_NONE || rank == 4);
    l->may_count_within_epoch = is_behind && rank == 2;
    l->is_of_epoch = rank >= 4 && total != RECORD_NONE && total > 0;
}

/* "[3][  50/1500]", "Epoch: [3][ 50/1500]", "epoch 001:   100 / 1000", "Train: 3 [  50/1251 (  4%)]": a counter without
 * a name, directly behind the epoch. */
static void nameless_counter(struct reading *r, struct slice behind) {
    int64_t number, total;
    size_t before = behind.size_bytes;
    for (int i = 0; i < GAP_BYTES && behind.size_bytes > 0 && memchr(" \t:[]|,", behind.data[0], 7) != NULL; i++)
        behind = slice_skip(behind, 1);
    if (before == behind.size_bytes || !take_number(&behind, &number, &total) || total == RECORD_NONE || total == 0)
        return;
    set_counter(r, SLICE("batch"), 5, number, total);
    r->line->counts_within_epoch = true;
}

static void found_epoch(struct reading *r, struct slice rest) {
    struct generic_line *l = r->line;
    int64_t number, total;
    struct slice behind;
    if (l->epoch != RECORD_NONE || !number_after(rest, &number, &total, &behind))
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

static void found_word(struct reading *r, struct slice word, struct slice rest) {
    struct generic_line *l = r->line;
    const struct word *w = find_word(word);
    int64_t number, total;
    struct slice behind;
    if (w == NULL) {
        note_compound(word, rest, l);
        return;
    }
    switch (w->meaning) {
    case MEANS_COUNTER:
        note_fraction(l, word, rest);
        if ((r->rank == 0 || w->rank < r->rank) && number_after(rest, &number, &total, &behind))
            set_counter(r, word, w->rank, number, total);
        break;
    case MEANS_EPOCH:
        note_fraction(l, word, rest);
        found_epoch(r, rest);
        break;
    case MEANS_TRAINING:
        found_training(r, rest);
        break;
    case MEANS_RANK:
        if (l->rank == RECORD_NONE && take_step(&rest, &number))
            l->rank = number;
        break;
    case MEANS_LOSS:
        l->has_loss = true;
        break;
    case MEANS_TIME:
        l->has_time = true;
        break;
    case MEANS_EVALUATION:
        l->is_evaluation = true;
        break;
    }
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
    if (!take_number(&rest, &number, &total) || !slice_take_char(&rest, ']'))
        return;
    bool is_pairs = is_first && total == RECORD_NONE && slice_take_char(&rest, ' ') && rest.size_bytes > 0 &&
                    is_letter(rest.data[0]) && slice_find_char(rest, '=') != NULL;
    bool is_end = is_first || slice_trim(rest).size_bytes == 0;
    if (is_pairs || (is_end && total != RECORD_NONE && r->line->has_loss))
        set_counter(r, is_pairs ? SLICE("step") : SLICE("batch"), 5, number, total);
}

/* The line is a counter and nothing else: a row of a table, a line of a block. */
static bool is_row(struct slice text, const struct generic_line *l) {
    size_t letters = 0;
    for (size_t i = 0; i < text.size_bytes && letters <= 2 * strlen(l->name) + 24; i++)
        letters += is_letter(text.data[i]);
    return !l->has_loss && !l->has_time && letters <= strlen(l->name) + 14;
}

bool generic_line_parse(struct slice text, struct generic_line *ret) {
    *ret = (struct generic_line){
        .number = RECORD_NONE, .total = RECORD_NONE, .epoch = RECORD_NONE, .epochs = RECORD_NONE, .rank = RECORD_NONE};
    if (text.size_bytes > GENERIC_LINE_BYTES)
        text.size_bytes = GENERIC_LINE_BYTES;
    struct reading r = {.line = ret};
    const char *at = text.data, *end = text.data + text.size_bytes;
    char word[WORD_BYTES];
    while (at < end) {
        if (!is_letter(*at)) {
            at++;
            continue;
        }
        const char *from = at;
        size_t n = 0;
        for (; at < end && is_letter(*at); at++)
            if (n < sizeof word)
                word[n++] = lower(*at);
        if (n == sizeof word || (from > text.data && is_digit(from[-1]) && n > 2))
            continue; /* too long, or the end of an identifier */
        struct slice w = {word, n};
        found_word(&r, w, slice_range(at, end));
        r.before = slice_hash(w);
    }
    if (r.rank == 0)
        bracket_counter(&r, text);
    if (r.rank == 0 && ret->epoch != RECORD_NONE) {
        set_counter(&r, SLICE("epoch"), 6, ret->epoch, ret->epochs);
        ret->is_epoch = true;
        ret->counts_within_epoch = ret->may_count_within_epoch = false;
    }
    ret->is_row = r.rank != 0 && is_row(text, ret);
    return r.rank != 0 || ret->has_loss || ret->has_time || ret->is_training || ret->is_evaluation;
}
