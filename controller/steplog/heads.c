#include "steplog/heads.h"

#include "base/digits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "steplog/generic_line.h"

#include <string.h>

enum { LINE_BYTES = 256, MIN_LETTERS = 4, FIRST_LINES = 4, ENOUGH_WARNINGS = 4, MIN_START_MS = 100 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Its text without digits; 0: too little of it is left. */
static uint64_t key_of(struct slice line) {
    char text[LINE_BYTES + sizeof(uint64_t)];
    const char *at = line.data, *end = line.data + line.size_bytes;
    size_t n = 0, letters = 0;
    for (uint64_t word; (size_t)(end - at) >= sizeof word && n < LINE_BYTES;) {
        memcpy(&word, at, sizeof word);
        memcpy(&text[n], &word, sizeof word);
        size_t others = digits_first(word);
        n += others;
        at += others;
        while (others < sizeof word && at < end && is_digit(*at))
            at++;
    }
    for (; at < end && n < LINE_BYTES; at++) {
        text[n] = *at;
        n += !is_digit(*at);
    }
    n = n < LINE_BYTES ? n : LINE_BYTES;
    for (size_t i = 0; i < n && letters < MIN_LETTERS; i++)
        letters += (text[i] | 32) >= 'a' && (text[i] | 32) <= 'z';
    return letters >= MIN_LETTERS ? hash_fast(1, (struct slice){text, n}) : 0;
}

/* Its first letter and its last character that is not a digit, as a bit: most lines differ there from all heads. */
static uint64_t look_of(struct slice line) {
    static const bool is_letter[256] = {['a' ... 'z'] = true, ['A' ... 'Z'] = true};
    size_t from = 0, to = line.size_bytes;
    while (from < to && !is_letter[(unsigned char)line.data[from]])
        from++;
    while (to > from && line.data[to - 1] >= '0' && line.data[to - 1] <= '9')
        to--;
    if (from == to || from >= LINE_BYTES / 2)
        return ~UINT64_C(0);
    return UINT64_C(1) << (((unsigned char)line.data[from] * 31 + (unsigned char)line.data[to - 1]) % 64);
}

/* A progress bar: no drawing is like the one before. */
static bool draws_itself_again(struct slice line) {
    const char *return_at = slice_find_char(line, '\r');
    return return_at != NULL && return_at + 1 < line.data + line.size_bytes;
}

static bool comes_often(struct slice line) {
    struct generic_line l;
    if (slice_starts(line, " ") || draws_itself_again(line) || slice_contains(line, "aving"))
        return true;
    return generic_line_parse(line, &l) && (l.is_epoch || generic_line_is_step(&l) || l.is_evaluation);
}

/* Training runs, or ends: a step, an epoch, an evaluation with its figures, a save. A line of `epochs` is of the
 * configuration. */
static bool shows_training(struct slice line) {
    struct generic_line l;
    if (draws_itself_again(line) || slice_contains(line, "aving"))
        return true;
    if (slice_contains(line, "epochs") || !generic_line_parse(line, &l))
        return false;
    return generic_line_is_step(&l) || l.is_epoch || (l.is_evaluation && (l.has_loss || l.total != RECORD_NONE));
}

void heads_begin(struct heads *h) {
    *h = (struct heads){.since = -1, .at_ms = TIME_UNKNOWN, .silent_ms = TIME_UNKNOWN, .last_ms = TIME_UNKNOWN};
}

void heads_drop_held(struct heads *h) {
    free(h->held);
    h->held = NULL;
    h->held_count = 0;
}

static void visit_record(struct codec *c, struct record *r) {
    CODEC_INT(c, &r->kind, 0, RECORD_KIND_COUNT - 1);
    codec_i64(c, &r->line);
    codec_time(c, &r->at_ms);
    codec_time(c, &r->received_ms); /* RECORD_NONE is TIME_UNKNOWN: both are INT64_MIN */
    codec_time(c, &r->step);
    codec_time(c, &r->duration_ms);
    codec_time(c, &r->tflops_milli);
    codec_time(c, &r->active);
    codec_time(c, &r->total);
    codec_time(c, &r->available);
    codec_bool(c, &r->is_async);
    codec_bool(c, &r->is_derived);
    codec_bool(c, &r->counts_lines);
    codec_chars(c, r->name, sizeof r->name);
}

static struct record *make_room(const struct heads *h) {
    return h->held != NULL ? h->held : mem_alloc(HEADS_HELD * sizeof *h->held);
}

void heads_visit(struct heads *h, struct codec *c) {
    h->count = (int)codec_count(c, (size_t)h->count, HEADS_LINES);
    for (int i = 0; i < h->count; i++)
        codec_u64(c, &h->lines[i]);
    codec_u64(c, &h->looks);
    h->warnings = (uint32_t)codec_within(c, h->warnings, 0, UINT32_MAX);
    codec_bool(c, &h->is_useless);
    codec_time(c, &h->last_ms);
    h->steps = codec_within(c, h->steps, 0, INT64_MAX);
    h->since = codec_within(c, h->since, -1, INT64_MAX);
    codec_time(c, &h->at_ms);
    h->again = (uint32_t)codec_within(c, h->again, 0, UINT32_MAX);
    h->held_count = (int)codec_count(c, (size_t)h->held_count, HEADS_HELD);
    if (codec_is_reading(c) && h->held_count > 0)
        h->held = make_room(h);
    for (int i = 0; i < h->held_count; i++) {
        if (codec_is_reading(c))
            h->held[i] = (struct record)RECORD_INIT;
        visit_record(c, &h->held[i]);
    }
}

bool heads_is_open(const struct heads *h, int64_t steps) {
    return h->since == steps;
}

bool heads_hold(struct heads *h, const struct record *r, int64_t steps) {
    if (h->since != steps || h->held_count == HEADS_HELD)
        return false;
    h->held = make_room(h);
    h->held[h->held_count++] = *r;
    return true;
}

static int find(const struct heads *h, uint64_t key) {
    for (int i = 0; i < h->count; i++)
        if (h->lines[i] == key)
            return i;
    return -1;
}

static bool is_enough(const struct heads *h) {
    int lines = __builtin_popcount(h->again);
    bool is_more = (h->again & ~h->warnings) != 0;
    return is_more ? lines > 1 || h->count == 1 : lines >= ENOUGH_WARNINGS;
}

static void add_line(struct heads *h, struct slice line, uint64_t key) {
    if (h->count == HEADS_LINES || comes_often(line))
        return;
    bool is_warning = slice_contains(line, "Warning") || slice_contains(line, "warning");
    h->warnings |= (uint32_t)is_warning << h->count;
    h->lines[h->count++] = key;
    h->looks |= look_of(line);
}

/* The line before is too close: the process that wrote it also wrote this one. */
static bool is_at_once(int64_t before_ms, int64_t at_ms) {
    bool is_whole = before_ms % 1000 == 0 && at_ms % 1000 == 0;
    return before_ms != TIME_UNKNOWN && at_ms != TIME_UNKNOWN && !is_whole && at_ms - before_ms < MIN_START_MS;
}

/* A process that says this lived until then: so a watchdog ends a hang of hours. */
static bool is_error(struct slice line) {
    static const char *const words[] = {"Error", "ERROR", " error", "Exception", "Traceback", "imed out", "imeout"};
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (slice_contains(line, words[i]))
            return true;
    return false;
}

/* Whether another process starts with the line; remembers how long this one is silent. */
static bool ends_silence(struct heads *h, struct slice line, int64_t before_ms, int64_t at_ms) {
    if (!h->is_all || before_ms == TIME_UNKNOWN || at_ms == TIME_UNKNOWN || at_ms - before_ms <= HEADS_SILENCE_MS ||
        at_ms - before_ms <= 2 * h->silence_ms)
        return false;
    bool is_same = shows_training(line) || is_error(line);
    if (is_same)
        h->silence_ms = at_ms - before_ms;
    return !is_same;
}

static void begin_process(struct heads *h, int64_t ended_ms, int64_t at_ms, int64_t steps) {
    h->ended_ms = ended_ms;
    h->at_ms = at_ms;
    h->steps = steps;
    h->since = -1;
}

static void open_lines(struct heads *h, int64_t silent_ms, int64_t at_ms, int64_t steps) {
    h->since = steps;
    h->silent_ms = silent_ms;
    h->at_ms = at_ms;
    h->again = 0;
}

/* A line behind hours of silence: one of the first ones, or a step that was done. A number within an epoch says nothing
 * of that. */
static bool is_of_another(const struct heads *h, struct slice line, int64_t last_step) {
    struct generic_line l;
    uint64_t key = key_of(line);
    int i = key != 0 ? find(h, key) : -1;
    if (i >= 0)
        return (h->warnings >> i & 1) == 0;
    return last_step != RECORD_NONE && generic_line_parse(line, &l) && generic_line_is_step(&l) && !l.is_epoch &&
           !l.counts_within_epoch && !l.may_count_within_epoch && !l.is_of_epoch && l.number < last_step;
}

/* Where none of its lines has a time, the next line that has one says when. */
static bool has_started(struct heads *h, int64_t steps) {
    if (!is_enough(h) || (h->at_ms == TIME_UNKNOWN && h->last_ms != TIME_UNKNOWN))
        return false;
    h->is_useless = steps == h->steps + 1;
    begin_process(h, h->at_ms, h->at_ms, steps);
    return !h->is_useless;
}

bool heads_line(struct heads *h, struct slice line, int64_t at_ms, int64_t steps, int64_t last_step) {
    int64_t before_ms = h->last_ms;
    if (slice_trim(line).size_bytes == 0)
        return false; /* the next line says whether this one was of another process */
    if (at_ms != TIME_UNKNOWN)
        h->last_ms = at_ms;
    if (ends_silence(h, line, before_ms, at_ms))
        open_lines(h, before_ms, at_ms, steps);
    bool is_after_silence = h->since == steps && h->silent_ms != TIME_UNKNOWN;
    if (is_after_silence && (h->at_ms - h->silent_ms > HEADS_LONG_SILENCE_MS || is_of_another(h, line, last_step))) {
        begin_process(h, h->silent_ms, h->at_ms, steps);
        return true;
    }
    if (h->since == steps && h->at_ms == TIME_UNKNOWN && at_ms != TIME_UNKNOWN) {
        h->at_ms = at_ms;
        if (has_started(h, steps))
            return true;
    }
    bool is_settled = steps == h->steps && (steps > 0 || h->count == HEADS_LINES); /* no line says anything new */
    bool is_useless = h->is_useless || is_settled;
    if (is_useless || ((h->looks & look_of(line)) == 0 && (steps > 0 || comes_often(line))))
        return false;
    uint64_t key = key_of(line);
    int i = key != 0 ? find(h, key) : -1;
    if (steps == 0 && i < 0 && key != 0)
        add_line(h, line, key);
    if (i < 0 || steps == h->steps)
        return false;
    if (h->since != steps) {
        if (i > FIRST_LINES - 1 || is_at_once(before_ms, at_ms))
            return false;
        open_lines(h, TIME_UNKNOWN, at_ms, steps);
    }
    h->again |= UINT32_C(1) << i;
    return has_started(h, steps);
}
