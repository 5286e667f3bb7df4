#include "steplog/step_samples.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <string.h>
#include <strings.h>

enum { MAX_GAP = 4, MIN_LINES = 2 };

/* A word of the line, the number that follows it, and the text between. */
struct figure {
    struct slice word, between, number;
    const char *unit;
};

static const char *const counters[] = {"step", "steps",       "iter",   "iters", "iteration",
                                       "it",   "global_step", "update", "batch", "train_step"};
static const char *const durations[] = {"time",      "dt",        "took",     "duration",      "step_time",
                                        "iter_time", "time/step", "steptime", "time_per_step", "sec/step"};
/* Words that only a line of training has next to its counter. */
static const char *const companions[] = {"loss",  "train_loss", "lr",  "grad_norm", "ppl",          "perplexity",
                                         "tok/s", "tokens",     "mfu", "accuracy",  "learning_rate"};

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '/';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_of(struct slice word, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == word.size_bytes && strncasecmp(word.data, list[i], word.size_bytes) == 0)
            return true;
    return false;
}

static struct slice take_letters(const char *at, const char *end) {
    const char *from = at;
    while (at < end && is_letter(*at))
        at++;
    return slice_range(from, at);
}

/* The number after a word, past a few signs such as ": ", "=", "[" or "\": ". */
static bool read_figure(struct figure *f, struct slice word, const char *end) {
    const char *at = word.data + word.size_bytes, *from = at;
    while (at < end && at - from <= MAX_GAP && strchr(" \t:=#[(\"'", *at) != NULL)
        at++;
    f->word = word;
    f->between = slice_range(from, at);
    from = at;
    while (at < end && (is_digit(*at) || (*at == '.' && at > from && at + 1 < end && is_digit(at[1]))))
        at++;
    f->number = slice_range(from, at);
    return at > from;
}

/* The first of these words with a number after it. */
static bool find_figure(struct figure *f, struct slice text, const char *const *words, size_t count) {
    const char *end = text.data + text.size_bytes;
    for (const char *at = text.data; at < end;) {
        struct slice word = take_letters(at, end);
        if (word.size_bytes > 0 && (at == text.data || !is_digit(at[-1])) && is_of(word, words, count) &&
            read_figure(f, word, end))
            return true;
        at += word.size_bytes + 1;
    }
    return false;
}

static bool find_counter(struct figure *f, struct slice text, int64_t *number) {
    if (!find_figure(f, text, counters, ARRAY_SIZE(counters)))
        return false;
    struct slice rest = f->number;
    return slice_take_uint(&rest, number) && rest.size_bytes == 0;
}

/* A step's own duration, with its unit; a time that grows with the number is the sum of all steps. */
static bool find_duration(struct figure *f, struct slice text) {
    static const char *const units[] = {"ms", "milliseconds", "s", "sec", "secs", "seconds"};
    if (!find_figure(f, text, durations, ARRAY_SIZE(durations)))
        return false;
    const char *at = f->number.data + f->number.size_bytes, *end = text.data + text.size_bytes;
    while (at < end && *at == ' ')
        at++;
    struct slice unit = take_letters(at, end);
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (slice_is(unit, units[i])) {
            f->unit = units[i];
            return true;
        }
    return false;
}

/* Or a duration with its unit: other programs count things, too. */
static bool is_of_training(struct slice text) {
    const char *end = text.data + text.size_bytes;
    struct figure duration;
    for (const char *at = text.data; at < end;) {
        struct slice word = take_letters(at, end);
        for (size_t i = 0; i < ARRAY_SIZE(companions); i++)
            if (is_of(word, &companions[i], 1))
                return true;
        at += word.size_bytes + 1;
    }
    return find_duration(&duration, text);
}

/* Of the text before the number, with each run of digits as one. */
static uint64_t shape_of(struct slice text, const struct figure *f) {
    uint64_t shape = SLICE_HASH_START;
    for (const char *at = text.data; at < f->number.data; at++) {
        bool is_run = is_digit(*at) && at > text.data && is_digit(at[-1]);
        if (!is_run)
            shape = slice_hash_add(shape, is_digit(*at) ? SLICE("0") : (struct slice){at, 1});
    }
    return shape;
}

/* The last drawing of a line, without its stamp and escapes; false for bytes that are no text. */
static bool make_plain(struct slice line, char text[static STEPLOG_SAMPLE_BYTES]) {
    struct slice rest = line;
    int64_t ns;
    size_t size = 0;
    if (rfc3339_take(&rest, &ns, NULL) && (slice_take_char(&rest, ' ') || slice_take_char(&rest, '\t')))
        line = rest;
    for (size_t i = 0; i < line.size_bytes && size < STEPLOG_SAMPLE_BYTES - 1; i++) {
        unsigned char c = (unsigned char)line.data[i];
        if (c == '\r' && i + 1 < line.size_bytes) {
            size = 0;
        } else if (c == '\x1b') {
            while (i + 1 < line.size_bytes && !is_letter(line.data[i + 1]))
                i++;
            i++;
        } else if (c < ' ' && c != '\t' && c != '\r') {
            return false;
        } else if (c != '\r') {
            text[size++] = (char)c;
        }
    }
    text[size] = '\0';
    return size > 0;
}

void step_samples_line(struct step_samples *s, struct slice line) {
    char text[STEPLOG_SAMPLE_BYTES];
    struct figure f;
    int64_t number;
    if (!make_plain(line, text) || !find_counter(&f, slice_of(text), &number) || !is_of_training(slice_of(text)))
        return;
    uint64_t shape = shape_of(slice_of(text), &f);
    int k = 0;
    while (k < s->count && s->kinds[k].shape != shape)
        k++;
    if (k == STEP_SAMPLES_KINDS)
        return;
    if (k == s->count) {
        s->count++;
        s->kinds[k].shape = shape;
        s->kinds[k].number = -1;
    }
    if (number <= s->kinds[k].number)
        return;
    s->kinds[k].number = number;
    s->kinds[k].lines++;
    if (s->kinds[k].text_count < STEPLOG_SAMPLES)
        memcpy(s->kinds[k].text[s->kinds[k].text_count++], text, sizeof text);
}

void step_samples_fill(const struct step_samples *s, struct steplog_explanation *e) {
    int best = 0;
    for (int k = 1; k < s->count; k++)
        if (s->kinds[k].lines > s->kinds[best].lines)
            best = k;
    if (e->sample_count > 0 || s->count == 0 || s->kinds[best].lines < MIN_LINES)
        return;
    memcpy(e->samples, s->kinds[best].text, sizeof e->samples);
    e->sample_count = s->kinds[best].text_count;
}

/* ---- the pattern ---- */

static void append_literal(struct buf *out, struct slice text) {
    for (size_t i = 0; i < text.size_bytes; i++) {
        char c = text.data[i];
        bool is_space = c == ' ' || c == '\t';
        if (is_space && i > 0 && (text.data[i - 1] == ' ' || text.data[i - 1] == '\t'))
            continue;
        if (is_space) {
            buf_append_text(out, "\\s*"); /* numbers are padded as they grow */
        } else {
            if (strchr("\\^$.[|()?*+{}", c) != NULL)
                buf_append_char(out, '\\');
            buf_append_char(out, c);
        }
    }
}

static bool is_same(const struct figure *a, const struct figure *b) {
    return slice_equal(a->word, b->word) && a->unit == b->unit;
}

static double value_of(const struct figure *f) {
    struct slice rest = f->number;
    double value = 0;
    return slice_take_double(&rest, &value) ? value : 0;
}

/* Both samples have it behind the counter, and it does not grow as the counter does. */
static bool has_duration(const struct steplog_explanation *e, const struct figure counters_of[STEPLOG_SAMPLES],
                         struct figure *ret) {
    struct figure f[STEPLOG_SAMPLES] = {0};
    for (int i = 0; i < STEPLOG_SAMPLES; i++)
        if (!find_duration(&f[i], slice_of(e->samples[i])) || f[i].word.data < counters_of[i].number.data)
            return false;
    double grown = value_of(&f[1]) * value_of(&counters_of[0]), same = value_of(&f[0]) * value_of(&counters_of[1]);
    bool is_sum = same > 0 && grown > 0.9 * same && grown < 1.1 * same && value_of(&f[1]) > 1.2 * value_of(&f[0]);
    *ret = f[0];
    return is_same(&f[0], &f[1]) && !is_sum;
}

bool step_samples_suggest(const struct steplog_explanation *e, char pattern[static STEPLOG_MAX_PATTERN_BYTES + 1]) {
    struct figure counter[STEPLOG_SAMPLES] = {0}, duration;
    int64_t number;
    if (e->sample_count < STEPLOG_SAMPLES)
        return false;
    for (int i = 0; i < STEPLOG_SAMPLES; i++)
        if (!find_counter(&counter[i], slice_of(e->samples[i]), &number))
            return false;
    CLEANUP_BUF struct buf out;
    buf_init(&out, STEPLOG_MAX_PATTERN_BYTES);
    buf_append_text(&out, "\\b");
    append_literal(&out, counter[0].word);
    append_literal(&out, counter[0].between);
    buf_append_text(&out, "(?<step>[0-9]+)");
    if (has_duration(e, counter, &duration)) {
        buf_append_text(&out, ".*?\\b");
        append_literal(&out, duration.word);
        append_literal(&out, duration.between);
        buf_format(&out, "(?<%s>[0-9.]+)", duration.unit[0] == 'm' ? "milliseconds" : "seconds");
        buf_append_text(&out, " ?");
        buf_append_text(&out, duration.unit);
    }
    if (out.truncated)
        return false;
    slice_copy(pattern, STEPLOG_MAX_PATTERN_BYTES + 1, buf_slice(&out));
    return true;
}
