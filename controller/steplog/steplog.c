#include "steplog/steplog.h"

#include "base/escape.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/rfc3339.h"
#include "steplog/emit.h"
#include "steplog/formats.h"
#include "steplog/heads.h"
#include "steplog/lineclock.h"
#include "steplog/payload.h"
#include "steplog/recorder_step.h"
#include "steplog/repeats.h"
#include "steplog/skew.h"
#include "steplog/step_line.h"
#include "steplog/text.h"
#include "steplog/transport.h"
#include "steplog/words.h"

#include <string.h>

#define SIGN_OF_LIFE_EVERY_MS 1000
#define HALF_YEAR_MS INT64_C(15768000000)

static void begin_state(const struct format *f, void *state) {
    memset(state, 0, f->state_bytes);
    if (f->state_init != NULL)
        f->state_init(state);
}

static void new_states(struct steplog *s) {
    for (int i = 0; s->formats[i] != NULL; i++) {
        const struct format *f = s->formats[i];
        if (!steplog_is_read(s, f))
            continue;
        uint32_t row = UINT32_C(1) << i;
        *(f->reads_the_rest ? &s->rows.rest : &s->rows.first) |= row;
        s->rows.line_end |= f->line_end != NULL ? row : 0;
        s->rows.holding |= f->is_holding != NULL ? row : 0;
        if (f->state_bytes == 0)
            continue;
        s->states[i] = mem_alloc(f->state_bytes);
        begin_state(f, s->states[i]);
    }
}

static void free_state(const struct format *f, void *state) {
    if (state != NULL && f->state_free != NULL)
        f->state_free(state);
    free(state);
}

/* What is remembered from earlier lines of a process. */
static void begin_process(struct steplog *s) {
    s->wait_started_ms = s->save_started_ms = TIME_UNKNOWN;
    s->ahead = (struct ahead){0};
    s->pace = (struct pace){.step_at_ms = TIME_UNKNOWN, .free_ms = TIME_UNKNOWN};
    s->blocking_step = s->unproved_step = s->saving_step = s->live_slices = s->loading_step = s->last_step =
        RECORD_NONE;
    s->is_saving = s->is_evaluating = false;
    if (s->bar.total != RECORD_NONE)
        s->bar_before = s->bar;
    s->bar = (struct steplog_bar){RECORD_NONE, RECORD_NONE, RECORD_NONE};
}

void steplog_continue(struct steplog *s, const struct steplog *before) {
    s->bar_before = before->bar.total != RECORD_NONE ? before->bar : before->bar_before;
    s->is_bar_zero_based = before->is_bar_zero_based;
    s->counter = before->counter;
    s->epochs = before->epochs;
}

struct steplog *steplog_new_table(const struct format *const *formats, enum steplog_format format, const char *job_name,
                                  void (*on_record)(void *context, const struct record *r), void *context) {
    struct steplog *s = mem_new(struct steplog);
    s->formats = formats;
    s->format = format;
    s->job_name = mem_strdup(job_name);
    s->on_record = on_record;
    s->context = context;
    s->counts.first_stamp_ms = s->counts.last_stamp_ms = TIME_UNKNOWN;
    s->counts.recognized = STEPLOG_AUTO;
    s->stored_ms = s->stamp_ms = s->last_record_ms = TIME_UNKNOWN;
    s->bar.total = s->bar_before.total = RECORD_NONE;
    begin_process(s);
    buf_init(&s->partial, STEPLOG_MAX_LINE_BYTES);
    buf_init(&s->parts[0].text, STEPLOG_MAX_LINE_BYTES);
    buf_init(&s->parts[1].text, STEPLOG_MAX_LINE_BYTES);
    buf_init(&s->decoded, STEPLOG_MAX_LINE_BYTES + 8);
    buf_init(&s->plain, STEPLOG_MAX_LINE_BYTES);
    buf_init(&s->scratch, 2 * STEPLOG_MAX_LINE_BYTES);
    buf_init(&s->step_prefix, STEPLOG_MAX_LINE_BYTES);
    new_states(s);
    return s;
}

struct steplog *steplog_new(enum steplog_format format, const char *job_name,
                            void (*on_record)(void *context, const struct record *r), void *context) {
    return format == STEPLOG_REGEX ? NULL : steplog_new_table(steplog_formats, format, job_name, on_record, context);
}

void steplog_free(struct steplog *s) {
    if (s == NULL)
        return;
    free(s->job_name);
    if (s->own != NULL)
        free_state(s->own, s->own_state);
    for (int i = 0; s->formats[i] != NULL; i++)
        free_state(s->formats[i], s->states[i]);
    buf_done(&s->partial);
    buf_done(&s->parts[0].text);
    buf_done(&s->parts[1].text);
    buf_done(&s->decoded);
    buf_done(&s->plain);
    buf_done(&s->scratch);
    buf_done(&s->step_prefix);
    free(s->last_text);
    free(s);
}

/* ---- formats ---- */

static const char *const names[] = {
#define X(id, name) [STEPLOG_##id] = name,
    STEPLOG_FORMATS(X)
#undef X
};

const char *steplog_format_name(enum steplog_format format) {
    return (unsigned)format < STEPLOG_FORMAT_COUNT ? names[format] : "?";
}

int steplog_format_of_name(struct slice name) {
    for (int i = 0; i < STEPLOG_FORMAT_COUNT; i++)
        if (slice_is(name, names[i]))
            return i;
    return -1;
}

int steplog_format_line_lag(enum steplog_format format) {
    return format == STEPLOG_AUTO || format == STEPLOG_REGEX ? -1 : format == STEPLOG_MAXTEXT;
}

/* ---- a line ---- */

static enum line_result read_with(struct steplog *s, struct slice text, const struct format *f, void *state) {
    s->state = state;
    enum line_result result = f->line(s, text);
    steplog_note(s, result);
    return result;
}

/* True: by what reads any trainer's lines. */
static bool read_rest(struct steplog *s, struct slice text) {
    bool is_taken = false;
    for (uint32_t rows = s->rows.rest; rows != 0; rows &= rows - 1) {
        int i = __builtin_ctz(rows);
        if (steplog_is_open(s, s->formats[i]))
            is_taken |= read_with(s, text, s->formats[i], s->states[i]) == LINE_TAKEN;
    }
    return is_taken;
}

static void count_up(uint32_t *count, bool is_one_more) {
    *count += is_one_more && *count < UINT32_MAX;
}

/* By the first format from that row on that knows it. True: by what reads the rest. */
static bool read_from(struct steplog *s, struct slice text, int row) {
    s->shape = 0;
    s->drawing_of.data = NULL;
    /* A line of the recorder's is its own: the words of the others come from files, which its logs do without. */
    bool is_recorders = row == 0 && s->formats[0]->id == STEPLOG_RECORDER && slice_starts(text, STEP_LINE_START);
    struct words found = is_recorders ? (struct words){.rows = 1}
                         : row == 0   ? words_find_again(s, text)
                                      : words_find(s, text);
    for (uint32_t rows = (found.rows & s->rows.first) >> row << row; rows != 0; rows &= rows - 1) {
        int i = __builtin_ctz(rows);
        s->has_long_word = (found.long_words >> i & 1) != 0;
        enum line_result result = read_with(s, text, s->formats[i], s->states[i]);
        if (s->counts.steps == 0) {
            count_up(&s->seen[i].taken, result == LINE_TAKEN);
            count_up(&s->seen[i].malformed, result == LINE_MALFORMED);
        }
        if (result == LINE_TEXT) { /* nothing nests: what reads structure comes first, and is not asked again */
            if (read_from(s, slice_trim(buf_slice(&s->scratch)), i + 1))
                return true;
            break;
        }
        if (result != LINE_NOT_MINE && s->formats[i] == &steplog_shipped)
            return true; /* it knows more of the line than what reads the rest */
        if (result != LINE_NOT_MINE)
            break;
        if (is_recorders) {
            found = words_find_again(s, text);
            rows = 1 | (found.rows & s->rows.first);
        }
        is_recorders = false;
    }
    return read_rest(s, text);
}

/* One piece of a line: what stands between carriage returns. A user's patterns see it as it is, before anything reads
 * the structure of it. */
static void read_piece(struct steplog *s, struct slice text) {
    if (s->own == NULL || read_with(s, text, s->own, s->own_state) == LINE_NOT_MINE)
        read_from(s, text, 0);
}

/* Without escapes: colors would split the words that are looked for. */
static struct slice without_ansi(struct steplog *s, struct slice text) {
    const char *escape = slice_find_char(text, '\x1b');
    if (escape == NULL)
        return text;
    buf_clear(&s->plain);
    const char *end = text.data + text.size_bytes, *from = text.data;
    while (escape != NULL) {
        buf_append_slice(&s->plain, slice_range(from, escape));
        from = escape_end(escape, end);
        escape = slice_find_char(slice_range(from, end), '\x1b');
    }
    buf_append_slice(&s->plain, slice_range(from, end));
    return buf_slice(&s->plain);
}

static bool is_holding(struct steplog *s) {
    for (uint32_t rows = s->rows.holding; rows != 0; rows &= rows - 1) {
        int i = __builtin_ctz(rows);
        s->state = s->states[i];
        if (s->formats[i]->is_holding(s))
            return true;
    }
    return false;
}

/* The process lived when the line was stamped; said at most once a second, to say it cheaply. */
static void note_life(struct steplog *s) {
    bool is_open = s->heads != NULL && heads_is_open(s->heads, s->counts.steps + s->unread_lines);
    if (s->stamp_ms == TIME_UNKNOWN || (!s->has_record && (is_open || is_holding(s))))
        return; /* records of an earlier time are still to come, or of another process */
    if (!s->has_record) {
        if (s->last_record_ms != TIME_UNKNOWN && s->stamp_ms - s->last_record_ms < SIGN_OF_LIFE_EVERY_MS)
            return;
        struct record r = steplog_record(s, RECORD_SIGN_OF_LIFE);
        steplog_emit(s, &r, STEPLOG_AUTO);
    }
    s->last_record_ms = s->stamp_ms;
}

static void end_formats(struct steplog *s) {
    for (int i = 0; s->formats[i] != NULL; i++) {
        s->state = s->states[i];
        if (s->formats[i]->end != NULL && steplog_is_read(s, s->formats[i]))
            s->formats[i]->end(s);
    }
}

/* Before the lines that are held, which are of the next process. */
static void end_unread_process(struct steplog *s) {
    int held = s->heads->held_count;
    int64_t stamp_ms = s->stamp_ms;
    s->heads->held_count = 0;
    s->stamp_ms = s->heads->ended_ms;
    end_formats(s);
    s->heads->held_count = held;
    s->stamp_ms = stamp_ms;
}

static void start_again(struct steplog *s) {
    if (s->counts.steps == 0)
        end_unread_process(s);
    struct record r = steplog_record(s, RECORD_JOB_START);
    r.at_ms = s->heads->at_ms;
    if (s->heads->held_count > 0)
        r.line = s->heads->held[0].line;
    for (int i = 0; s->formats[i] != NULL; i++) {
        const struct format *f = s->formats[i];
        if (s->states[i] == NULL || f->is_of_log)
            continue;
        if (f->state_again != NULL) {
            f->state_again(s->states[i]);
            continue;
        }
        if (f->state_free != NULL)
            f->state_free(s->states[i]);
        begin_state(f, s->states[i]);
    }
    begin_process(s);
    s->counts.records++;
    s->on_record(s->context, &r);
    steplog_release(s);
}

static void read_line(struct steplog *s, struct slice line, int64_t stamp_ms) {
    s->counts.lines++;
    s->has_record = false;
    if (stamp_ms != TIME_UNKNOWN) {
        bool is_back = s->counts.last_stamp_ms != TIME_UNKNOWN && s->counts.last_stamp_ms - stamp_ms > SKEW_MIN_MS;
        if (is_back)
            s->counts.set_back_ms = max_of(s->counts.set_back_ms, s->counts.last_stamp_ms - stamp_ms);
        s->counts.last_stamp_ms = stamp_ms;
        if (s->counts.first_stamp_ms == TIME_UNKNOWN)
            s->counts.first_stamp_ms = stamp_ms;
        if (s->clock != NULL)
            s->clock_offset_ms = skew_follow(s->clock, stamp_ms, !s->is_own_clock || s->has_zone) - stamp_ms;
        stamp_ms += s->clock_offset_ms;
    }
    s->stamp_ms = stamp_ms;
    if (recorder_step_again(s, line)) {
        s->last_record_ms = stamp_ms;
        return;
    }
    struct slice text = without_ansi(s, line), piece;
    if (s->heads != NULL && heads_line(s->heads, text, stamp_ms, s->counts.steps + s->unread_lines, s->last_step))
        start_again(s);
    /* A progress bar redraws itself with carriage returns: each drawing is a separate line. */
    const char *begin = text.data;
    while (slice_take_until(&text, '\r', &piece)) {
        s->piece_offset = (size_t)(piece.data - begin);
        if (piece.size_bytes != 0)
            read_piece(s, piece);
    }
    s->piece_offset = (size_t)(text.data - begin);
    if (text.size_bytes != 0)
        read_piece(s, text);
    for (uint32_t rows = s->rows.line_end; rows != 0; rows &= rows - 1) {
        int i = __builtin_ctz(rows);
        if (!steplog_is_open(s, s->formats[i]))
            continue;
        s->state = s->states[i];
        s->formats[i]->line_end(s);
    }
    note_life(s);
}

/* Makes room in a progress bar's line, which is drawn again and again: of each four drawings behind the first part,
 * whose end was stamped, two stay. Different bars may take turns. */
static void drop_drawings(struct buf *b) {
    char *to = b->data + STEPLOG_PART_BYTES;
    struct slice rest = slice_range(to, b->data + b->size_bytes), drawing;
    for (int i = 0; slice_take_until(&rest, '\r', &drawing); i++) {
        size_t size = drawing.size_bytes + 1;
        if (i % 4 >= 2)
            continue;
        memmove(to, drawing.data, size);
        to += size;
    }
    memmove(to, rest.data, rest.size_bytes);
    b->size_bytes = (size_t)(to - b->data) + rest.size_bytes;
}

/* As much of bytes as there is room for; true if that was not all. */
static bool append_bounded(struct buf *b, struct slice bytes) {
    size_t room = STEPLOG_MAX_LINE_BYTES - b->size_bytes;
    while (bytes.size_bytes > room) {
        buf_append_slice(b, (struct slice){bytes.data, room});
        bytes = slice_skip(bytes, room);
        drop_drawings(b);
        room = STEPLOG_MAX_LINE_BYTES - b->size_bytes;
        if (room == 0)
            break;
    }
    bool is_too_long = bytes.size_bytes > room;
    if (is_too_long)
        bytes.size_bytes = room;
    buf_append_slice(b, bytes);
    return is_too_long;
}

static void finish_parts(struct steplog *s, int stream) {
    s->counts.too_long += s->parts[stream].is_too_long;
    s->is_joined = true;
    read_line(s, buf_slice(&s->parts[stream].text), s->parts[stream].stamp_ms);
    s->is_joined = false;
    buf_clear(&s->parts[stream].text);
    s->parts[stream].is_too_long = false;
}

static void read_transported(struct steplog *s, const struct transport *t) {
    struct buf *head = &s->parts[t->stream].text;
    if (!t->is_partial && head->size_bytes == 0) {
        read_line(s, t->text, t->stamp_ms);
        return;
    }
    s->parts[t->stream].is_too_long |= append_bounded(head, t->text);
    s->parts[t->stream].stamp_ms = t->stamp_ms;
    if (!t->is_partial)
        finish_parts(s, t->stream);
}

/* A line as it came, its end dropped, cut to the limit. */
static void read_raw_line(struct steplog *s, struct slice line, bool stamped) {
    int64_t stamp_ms = TIME_UNKNOWN, unix_ns;
    struct transport transport;
    if (!stamped && slice_starts(line, STEP_LINE_START)) {
        if (!steplog_note_repeat(s, line, repeats_number(line)))
            read_line(s, line, TIME_UNKNOWN);
        return;
    }
    if (transport_parse(&transport, line, &s->decoded)) {
        if (!steplog_note_repeat(s, line, transport.stamp_ms))
            read_transported(s, &transport);
        return;
    }
    struct slice whole = line;
    int64_t number = repeats_number(line);
    if (stamped) {
        struct slice rest = line;
        if (rfc3339_take(&rest, &unix_ns, NULL) &&
            (rest.size_bytes == 0 || slice_take_char(&rest, ' ') || slice_take_char(&rest, '\t'))) {
            stamp_ms = unix_ns / 1000000 - (unix_ns % 1000000 < 0);
            line = rest;
            number = unix_ns;
        } else {
            /* Runtimes split lines at 16 KiB and may leave out the stamp of the rest. */
            stamp_ms = s->counts.last_stamp_ms;
        }
    }
    if (stamp_ms == TIME_UNKNOWN && s->uses_line_clocks) {
        stamp_ms = lineclock_ms(line, s->now_ms, &s->has_zone);
        s->is_own_clock = stamp_ms != TIME_UNKNOWN;
        s->counts.own_clock += s->is_own_clock && !s->has_zone;
        if (s->is_own_clock) {
            number = stamp_ms;
            s->now_ms = stamp_ms + HALF_YEAR_MS;
        }
    }
    if (stamp_ms == TIME_UNKNOWN)
        stamp_ms = s->stored_ms;
    if (!steplog_note_repeat(s, whole, number))
        read_line(s, line, stamp_ms);
    s->is_own_clock = false;
}

static bool is_stamp(struct slice s) {
    int64_t unix_ns;
    int digits;
    return rfc3339_take(&s, &unix_ns, &digits) && digits == 9 && slice_starts(s, " ");
}

/* Where a line continues with the next one's stamp, as its end was lost: a stamp of nanoseconds directly after the
 * text before it, of the same month as this line's, or the first thing that can be read in it. NULL: nowhere. */
static const char *glued(struct slice line) {
    enum { MONTH = 8, STAMP = 30 };
    if (line.size_bytes < STAMP || line.data[0] < '0' || line.data[0] > '9')
        return NULL;
    const char *at = line.data + 1, *end = line.data + line.size_bytes;
    if (!is_stamp(line)) {
        while (at < line.data + STAMP && at < end && !is_stamp(slice_range(at, end)))
            at++;
        return at < line.data + STAMP && at < end ? at : NULL;
    }
    for (at += STAMP; at < end && (at = slice_find_bytes(slice_range(at, end), line.data, MONTH)) != NULL; at++) {
        bool is_value = memchr(" =\"'([<", at[-1], 7) != NULL;
        if (!is_value && is_stamp(slice_range(at, end)))
            return at;
    }
    return NULL;
}

/* What came as one line: it may be two, if the first was torn. */
static void read_raw_lines(struct steplog *s, struct slice line, bool stamped) {
    const char *at;
    if (s->counts.lines == 0)
        slice_take_prefix(&line, "\xEF\xBB\xBF"); /* a byte order mark */
    while ((at = glued(line)) != NULL) {
        int64_t malformed = s->counts.malformed;
        read_raw_line(s, slice_range(line.data, at), stamped);
        if (s->counts.malformed == malformed)
            steplog_note(s, LINE_MALFORMED);
        s->counts.lines--;
        line = slice_range(at, line.data + line.size_bytes);
    }
    read_raw_line(s, line, stamped);
}

void steplog_leave_out_repeats(struct steplog *s, struct repeats *repeats) {
    s->repeats = repeats;
}

void steplog_join_steps(struct steplog *s, void (*on_steps)(void *context, const struct step_starts *steps)) {
    s->on_steps = on_steps;
}

void steplog_follow_clock(struct steplog *s, struct skew *clock) {
    s->clock = clock;
}

void steplog_find_processes(struct steplog *s, struct heads *heads) {
    s->heads = heads;
}

void steplog_use_line_clocks(struct steplog *s, int64_t now_ms) {
    s->uses_line_clocks = true;
    s->now_ms = now_ms;
}

static struct slice cut(struct steplog *s, struct slice line, bool is_too_long) {
    if (line.size_bytes > STEPLOG_MAX_LINE_BYTES) {
        line.size_bytes = STEPLOG_MAX_LINE_BYTES;
        is_too_long = true;
    }
    if (is_too_long)
        s->counts.too_long++;
    return line;
}

static void keep_partial(struct steplog *s, struct slice bytes) {
    s->partial_too_long |= append_bounded(&s->partial, bytes);
}

static void finish_partial(struct steplog *s, bool stamped) {
    read_raw_lines(s, cut(s, buf_slice(&s->partial), s->partial_too_long), stamped);
    buf_clear(&s->partial);
    s->partial_too_long = false;
}

void steplog_feed(struct steplog *s, struct slice bytes, bool stamped) {
    s->counts.bytes += (int64_t)bytes.size_bytes;
    s->partial_stamped = stamped;
    struct slice line;
    for (;;) {
        if (!stamped && s->partial.size_bytes == 0)
            recorder_steps_again(s, &bytes);
        if (!slice_take_until(&bytes, '\n', &line))
            break;
        if (s->partial.size_bytes != 0 || line.size_bytes > STEPLOG_MAX_LINE_BYTES) {
            keep_partial(s, line);
            finish_partial(s, stamped);
        } else {
            read_raw_lines(s, cut(s, line, false), stamped);
        }
    }
    if (bytes.size_bytes != 0)
        keep_partial(s, bytes);
}

void steplog_stored_line(struct steplog *s, struct slice line, int64_t stored_ms) {
    s->counts.bytes += (int64_t)line.size_bytes;
    line = cut(s, line, false);
    struct slice rest = line;
    int64_t ns;
    s->stored_ms = stored_ms;
    steplog_use_line_clocks(s, stored_ms);
    read_raw_line(s, line, rfc3339_take(&rest, &ns, NULL));
    s->stored_ms = TIME_UNKNOWN;
}

int64_t steplog_stored_ms(struct slice line, int64_t now_ms) {
    CLEANUP_BUF struct buf decoded;
    struct transport t;
    struct slice rest = line;
    int64_t ns;
    buf_init(&decoded, STEPLOG_MAX_LINE_BYTES + 8);
    if (line.size_bytes > STEPLOG_MAX_LINE_BYTES)
        line.size_bytes = STEPLOG_MAX_LINE_BYTES;
    if (transport_parse(&t, line, &decoded))
        return t.stamp_ms;
    if (rfc3339_take(&rest, &ns, NULL) && (slice_take_char(&rest, ' ') || slice_take_char(&rest, '\t')))
        return ns / 1000000 - (ns % 1000000 < 0);
    int64_t ms = payload_ms(line);
    bool has_zone;
    return ms != TIME_UNKNOWN ? ms : lineclock_ms(line, now_ms, &has_zone);
}

void steplog_line(struct steplog *s, struct slice line, int64_t stamp_ms) {
    s->counts.bytes += (int64_t)line.size_bytes;
    read_line(s, cut(s, line, false), stamp_ms);
}

void steplog_end_line(struct steplog *s) {
    if (s->partial.size_bytes != 0)
        finish_partial(s, s->partial_stamped);
}

/* No step shows whose the lines are: the same process's. */
static void end_heads(struct steplog *s) {
    steplog_release(s);
    bool is_after_silence = s->heads->silent_ms != TIME_UNKNOWN;
    if (is_after_silence && heads_is_open(s->heads, s->counts.steps + s->unread_lines)) {
        s->heads->since = -1;
        note_life(s);
    }
}

void steplog_end(struct steplog *s) {
    if (s->heads != NULL)
        end_heads(s);
    steplog_end_line(s);
    for (int i = 0; i < 2; i++)
        if (s->parts[i].text.size_bytes != 0)
            finish_parts(s, i);
    end_formats(s);
}

struct steplog_counts steplog_counts_get(const struct steplog *s) {
    return s->counts;
}

/* ---- rivals ---- */

void steplog_rivals_add(struct steplog_rivals *to, const struct steplog_rivals *from) {
    for (int i = 0; i < STEPLOG_FORMAT_COUNT; i++)
        to->steps[i] += from->steps[i];
}

bool steplog_rivals_find(const struct steplog_rivals *rivals, enum steplog_format ret[static 2]) {
    enum { MIN_STEPS = 3, MIN_SHARE = 2 };
    int first = STEPLOG_AUTO, second = STEPLOG_AUTO;
    for (int i = STEPLOG_AUTO + 1; i < STEPLOG_FORMAT_COUNT; i++)
        if (first == STEPLOG_AUTO || rivals->steps[i] > rivals->steps[first]) {
            second = first;
            first = i;
        } else if (second == STEPLOG_AUTO || rivals->steps[i] > rivals->steps[second]) {
            second = i;
        }
    if (rivals->steps[second] < MIN_STEPS || rivals->steps[second] * MIN_SHARE < rivals->steps[first])
        return false;
    ret[0] = (enum steplog_format)first;
    ret[1] = (enum steplog_format)second;
    return true;
}
