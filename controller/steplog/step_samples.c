#include "steplog/step_samples.h"

#include "base/buf.h"
#include "base/escape.h"
#include "base/rfc3339.h"
#include "steplog/generic_line.h"
#include "steplog/generic_worth.h"
#include "steplog/text.h"

#include <stdio.h>
#include <string.h>

/* As many lines as the format Generic reads of each log, and then as few: BURST_LINES of each BURST_EVERY. */
enum { MIN_LINES = 2, MAX_TRIES = 20000, BURST_EVERY = 4096, BURST_LINES = 64 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The first duration with its unit. */
static const struct generic_figure *duration_of(const struct generic_line *l) {
    for (int i = 0; i < l->time_count; i++)
        if (l->times[i].us >= 0 && l->times[i].unit[0] != '\0')
            return &l->times[i];
    return NULL;
}

/* As the format Generic reads it. Other programs count things, too, and say a time: only one with its unit counts. */
static bool parse_step(struct slice text, struct generic_line *l) {
    return generic_line_parse(text, l) && generic_line_is_step(l) &&
           (l->has_loss || l->is_training || duration_of(l) != NULL);
}

/* Of the text before the number, with each run of digits as one. */
static uint64_t shape_of(struct slice text, const char *number_at) {
    uint64_t shape = SLICE_HASH_START;
    for (const char *at = text.data; at < number_at; at++) {
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
            i = (size_t)(escape_end(&line.data[i], line.data + line.size_bytes) - line.data) - 1;
        } else if (c < ' ' && c != '\t' && c != '\r') {
            return false;
        } else if (c != '\r') {
            text[size++] = (char)c;
        }
    }
    text[size] = '\0';
    return size > 0;
}

static void note_named(struct step_samples *s, const char *text, const struct generic_line *l) {
    uint64_t shape = shape_of(slice_of(text), l->counter.number.data);
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
    if (l->number <= s->kinds[k].number)
        return;
    const struct generic_figure *duration = duration_of(l);
    int64_t us = duration != NULL ? duration->us : -1;
    s->kinds[k].longer += s->kinds[k].lines > 0 && us > s->kinds[k].us;
    s->kinds[k].us = us;
    s->kinds[k].number = l->number;
    s->kinds[k].lines++;
    if (s->kinds[k].text_count < STEPLOG_SAMPLES)
        slice_copy(s->kinds[k].text[s->kinds[k].text_count++], STEPLOG_SAMPLE_BYTES, slice_of(text));
}

static bool has_fraction(struct slice line) {
    for (size_t i = 1; i + 1 < line.size_bytes && i < STEPLOG_SAMPLE_BYTES; i++)
        if (line.data[i] == '.' && is_digit(line.data[i - 1]) && is_digit(line.data[i + 1]))
            return true;
    return false;
}

void step_samples_line(struct step_samples *s, struct slice line) {
    char text[STEPLOG_SAMPLE_BYTES];
    struct generic_line l;
    bool is_sampled = s->tries < MAX_TRIES || s->lines % BURST_EVERY < BURST_LINES;
    s->lines++;
    if (!is_sampled)
        return;
    bool is_worth = generic_is_worth(line);
    if (!is_worth && !has_fraction(line))
        return;
    s->tries++;
    if (!make_plain(line, text))
        return;
    if (is_worth && parse_step(slice_of(text), &l))
        note_named(s, text, &l);
    else if (!is_worth || !generic_line_is_evaluation(&l))
        rising_line(&s->rising, text);
}

/* Of lines whose steps take their own time, half are longer than the line before. */
static bool shows_sum(const struct step_samples *s, int k) {
    return 4 * s->kinds[k].longer > 3 * (s->kinds[k].lines - 1);
}

void step_samples_fill(const struct step_samples *s, struct steplog_explanation *e) {
    int best = 0;
    for (int k = 1; k < s->count; k++)
        if (s->kinds[k].lines > s->kinds[best].lines)
            best = k;
    if (e->sample_count > 0)
        return;
    const struct rising_kind *rising = rising_best(&s->rising, &e->number_place);
    if (s->count > 0 && s->kinds[best].lines >= MIN_LINES) {
        memcpy(e->samples, s->kinds[best].text, sizeof e->samples);
        e->sample_count = s->kinds[best].text_count;
        e->shows_sum = shows_sum(s, best);
    } else if (rising != NULL) {
        memcpy(e->samples, rising->text, sizeof e->samples);
        e->sample_count = STEPLOG_SAMPLES;
        e->is_by_number = true;
    }
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

/* Both samples have it behind the counter. */
static const struct generic_figure *step_duration(const struct generic_line *a, const struct generic_line *b) {
    const struct generic_figure *first = duration_of(a), *second = duration_of(b);
    if (first == NULL || second == NULL || first->lead.data < a->counter.number.data ||
        second->lead.data < b->counter.number.data || !slice_equal(first->lead, second->lead) ||
        strcmp(first->unit, second->unit) != 0)
        return NULL;
    return first;
}

/* "\\b" stands only where a word begins. */
static void append_lead(struct buf *out, struct slice lead) {
    char first = lead.size_bytes > 0 ? (char)(lead.data[0] | 32) : '0';
    if ((first >= 'a' && first <= 'z') || is_digit(first))
        buf_append_text(out, "\\b");
    append_literal(out, lead);
}

/* The sample's counter, and its times. */
static bool read_sample(const struct steplog_explanation *e, int i, struct generic_line *l) {
    struct slice text = slice_of(e->samples[i]);
    if (!e->is_by_number)
        return parse_step(text, l);
    generic_line_parse(text, l);
    return rising_number(text, e->number_place, &l->counter.lead, &l->counter.number);
}

/* Where no word names the number, the total behind it may, as in a bar: "90% 180/200". */
static bool suggest_by_total(const struct steplog_explanation *e, char pattern[static STEPLOG_MAX_PATTERN_BYTES + 1]) {
    struct slice totals[STEPLOG_SAMPLES];
    for (int i = 0; i < STEPLOG_SAMPLES; i++)
        if (!rising_total(slice_of(e->samples[i]), e->number_place, &totals[i]) || !slice_equal(totals[i], totals[0]))
            return false;
    snprintf(pattern, STEPLOG_MAX_PATTERN_BYTES + 1, "(?<![0-9./])(?<step>[0-9]+)/%.*s(?![0-9./])",
             SLICE_ARG(totals[0]));
    return true;
}

bool step_samples_suggest(const struct steplog_explanation *e, char pattern[static STEPLOG_MAX_PATTERN_BYTES + 1]) {
    struct generic_line lines[STEPLOG_SAMPLES];
    if (e->sample_count < STEPLOG_SAMPLES)
        return false;
    for (int i = 0; i < STEPLOG_SAMPLES; i++) {
        if (!read_sample(e, i, &lines[i]))
            return e->is_by_number && suggest_by_total(e, pattern);
        const struct generic_figure *f = &lines[i].counter; /* "[3][ 50/1500]", "1,234": no pattern holds for all */
        const char *behind = f->number.data + f->number.size_bytes;
        if ((f->lead.size_bytes == 0 && !e->is_by_number) || (behind[0] == ',' && is_digit(behind[1])))
            return false;
    }
    CLEANUP_BUF struct buf out;
    buf_init(&out, STEPLOG_MAX_PATTERN_BYTES);
    struct slice lead = lines[0].counter.lead;
    bool is_unnamed = lead.size_bytes == 0 || !rising_is_word(lead.data[0]);
    if (e->is_by_number && is_unnamed && lead.data == e->samples[0]) {
        buf_append_text(&out, "^\\s*"); /* only its place shows which number it is */
        skip_spaces(&lead);
    }
    append_lead(&out, lead);
    buf_append_text(&out, "(?<step>[0-9]+)");
    const struct generic_figure *duration = e->shows_sum ? NULL : step_duration(&lines[0], &lines[1]);
    if (duration != NULL) {
        buf_append_text(&out, ".*?");
        append_lead(&out, duration->lead);
        buf_format(&out, "(?<%s>[0-9.]+)", duration->unit[0] == 'm' ? "milliseconds" : "seconds");
        buf_append_text(&out, " ?");
        buf_append_text(&out, duration->unit);
    }
    if (out.truncated)
        return false;
    slice_copy(pattern, STEPLOG_MAX_PATTERN_BYTES + 1, buf_slice(&out));
    return true;
}
