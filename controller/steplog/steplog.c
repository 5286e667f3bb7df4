#include "steplog/formats.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "steplog/transport.h"

#include <string.h>

#define SIGN_OF_LIFE_EVERY_MS 1000

struct steplog *steplog_new(enum steplog_format format, const char *job_name,
                            void (*on_record)(void *context, const struct record *r), void *context) {
    if (format == STEPLOG_REGEX)
        return NULL;
    struct steplog *s = mem_new(struct steplog);
    s->format = format;
    s->job_name = mem_strdup(job_name);
    s->on_record = on_record;
    s->context = context;
    s->counts.last_stamp_ms = TIME_UNKNOWN;
    s->counts.recognised = STEPLOG_AUTO;
    s->stored_ms = s->stamp_ms = s->last_said_ms = s->wait_started_ms = s->save_started_ms = TIME_UNKNOWN;
    s->huggingface.began_ms = s->lightning.epoch_ms = s->lightning.here_ms = TIME_UNKNOWN;
    s->nemo.validation_ms = s->pace.step_at_ms = s->pace.free_ms = TIME_UNKNOWN;
    s->blocking_step = s->unproved_step = s->saving_step = s->live_slices = s->loading_step = s->last_step =
        RECORD_NONE;
    buf_init(&s->partial, STEPLOG_MAX_LINE_BYTES);
    buf_init(&s->parts[0].text, STEPLOG_MAX_LINE_BYTES);
    buf_init(&s->parts[1].text, STEPLOG_MAX_LINE_BYTES);
    buf_init(&s->decoded, STEPLOG_MAX_LINE_BYTES + 8);
    buf_init(&s->plain, STEPLOG_MAX_LINE_BYTES);
    buf_init(&s->scratch, 2 * STEPLOG_MAX_LINE_BYTES);
    buf_init(&s->step_prefix, STEPLOG_MAX_LINE_BYTES);
    return s;
}

void steplog_free(struct steplog *s) {
    if (s == NULL)
        return;
    free(s->job_name);
    patterns_free(s->patterns);
    buf_done(&s->partial);
    buf_done(&s->parts[0].text);
    buf_done(&s->parts[1].text);
    buf_done(&s->decoded);
    buf_done(&s->plain);
    buf_done(&s->scratch);
    buf_done(&s->step_prefix);
    free(s);
}

struct record steplog_record(const struct steplog *s, enum record_kind kind) {
    struct record r = RECORD_INIT;
    r.kind = kind;
    r.line = s->counts.lines;
    r.at_ms = s->stamp_ms;
    if (s->stamp_ms != TIME_UNKNOWN && !s->is_own_clock)
        r.received_ms = s->stamp_ms;
    return r;
}

/* A save may wait for the one before it: that one's end is not its own, and it goes on. */
static bool goes_on_blocking(struct steplog *s, const struct record *r) {
    bool is_final = r->kind == RECORD_SAVE_DURABLE || r->kind == RECORD_SAVE_WRITTEN;
    if (is_final && s->blocking_step != RECORD_NONE && r->step != RECORD_NONE && r->step != s->blocking_step)
        return true;
    if (r->kind == RECORD_SAVE_START)
        s->blocking_step = r->is_async ? RECORD_NONE : r->step;
    else if (is_final || r->kind == RECORD_SAVE_BLOCKED || r->kind == RECORD_STEP_END)
        s->blocking_step = RECORD_NONE;
    return false;
}

void steplog_emit(struct steplog *s, const struct record *r, enum steplog_format format) {
    s->counts.records++;
    if (r->kind == RECORD_STEP_START || r->kind == RECORD_STEP_END) {
        s->counts.steps++;
        s->counts.recognised = format;
    }
    if (r->kind != RECORD_STEP_START && r->kind != RECORD_SIGN_OF_LIFE)
        pace_note(s, r);
    if (r->kind == RECORD_STEP_END || (r->kind == RECORD_RESTORE_END && r->step != RECORD_NONE))
        s->last_step = r->step;
    if (r->kind == RECORD_STEP_END)
        s->save_started_ms = TIME_UNKNOWN;
    s->said = true;
    s->on_record(s->context, r);
    if (r->kind <= RECORD_STEP_START || !goes_on_blocking(s, r))
        return;
    struct record again = *r;
    again.kind = RECORD_SAVE_START;
    again.step = s->blocking_step;
    again.duration_ms = RECORD_NONE;
    again.is_async = false;
    s->counts.records++;
    s->on_record(s->context, &again);
}

void steplog_emit_step(struct steplog *s, struct record r, int64_t mean_ms, enum steplog_format format) {
    if (r.step == s->last_step)
        return;
    int64_t steps = s->last_step != RECORD_NONE && r.step > s->last_step ? r.step - s->last_step : 1;
    if (mean_ms != RECORD_NONE && steps <= STEPLOG_MAX_DURATION_MS / (mean_ms + 1))
        r.duration_ms = mean_ms * steps;
    pace_tell(s, mean_ms);
    bool is_proof = s->save_started_ms != TIME_UNKNOWN && r.step > s->saving_step && s->saving_step != RECORD_NONE;
    pace_save_end(s, &r, format);
    if (is_proof && format != STEPLOG_REGEX) {
        /* No save in the background: it was over before training went on. */
        struct record written = steplog_record(s, RECORD_SAVE_WRITTEN);
        written.step = s->saving_step;
        written.is_async = written.is_derived = true;
        written.at_ms = r.at_ms;
        steplog_emit(s, &written, format);
    }
    steplog_emit(s, &r, format);
}

void steplog_emit_save_start(struct steplog *s, struct record r, enum steplog_format format) {
    r.kind = RECORD_SAVE_START;
    r.is_async = true;
    s->saving_step = r.step;
    s->save_started_ms = s->stamp_ms;
    steplog_emit(s, &r, format);
}

void steplog_emit_save_durable(struct steplog *s, struct record r, enum steplog_format format) {
    if (s->save_started_ms != TIME_UNKNOWN && s->stamp_ms != TIME_UNKNOWN && s->stamp_ms >= s->save_started_ms &&
        s->stamp_ms - s->save_started_ms <= STEPLOG_MAX_DURATION_MS) {
        struct record blocked = r;
        blocked.kind = RECORD_SAVE_BLOCKED;
        blocked.duration_ms = s->stamp_ms - s->save_started_ms;
        blocked.is_async = true;
        steplog_emit(s, &blocked, format);
    }
    s->save_started_ms = TIME_UNKNOWN;
    r.kind = RECORD_SAVE_DURABLE;
    steplog_emit(s, &r, format);
}

void steplog_note(struct steplog *s, enum line_result result) {
    if (result == LINE_MALFORMED && s->counts.malformed++ == 0)
        s->counts.first_malformed_line = s->counts.lines;
}

void steplog_prove_save(struct steplog *s, struct record r, enum steplog_format format) {
    if (s->unproved_step == RECORD_NONE)
        return;
    r.kind = RECORD_SAVE_DURABLE;
    r.step = s->unproved_step;
    r.is_derived = true;
    r.duration_ms = RECORD_NONE;
    r.is_async = true;
    s->unproved_step = RECORD_NONE;
    steplog_emit(s, &r, format);
}

static void read_with(struct steplog *s, struct slice text, const struct format *f) {
    for (; f->line != NULL; f++) {
        if (s->format != STEPLOG_AUTO && !f->is_beside && f->id != s->format)
            continue;
        enum line_result result = f->line(s, text);
        steplog_note(s, result);
        if (result != LINE_NOT_MINE)
            return;
    }
}

/* One piece of a line: what stands between carriage returns. The first parser that knows it has it. */
static void read_piece(struct steplog *s, struct slice text) {
    /* A user's patterns see the line as it is, before anything reads the structure of it. */
    enum line_result result = s->patterns != NULL ? patterns_line(s, text) : LINE_NOT_MINE;
    steplog_note(s, result);
    if (result != LINE_NOT_MINE)
        return;
    read_with(s, text, steplog_formats);
}

void steplog_read_text(struct steplog *s, struct slice text) {
    read_with(s, text, steplog_formats + 1); /* the first reads structure */
}

/* Without "ESC [ parameters letter" and other two-byte escapes: colours would stand inside the words looked for. */
static struct slice without_ansi(struct steplog *s, struct slice text) {
    const char *escape = slice_find_char(text, '\x1b');
    if (escape == NULL)
        return text;
    buf_clear(&s->plain);
    const char *end = text.data + text.size_bytes, *from = text.data;
    while (escape != NULL) {
        buf_append_slice(&s->plain, slice_range(from, escape));
        from = escape + 1;
        if (from < end && *from == '[') {
            from++;
            while (from < end && (*from < '@' || *from > '~'))
                from++;
        }
        if (from < end)
            from++;
        escape = slice_find_char(slice_range(from, end), '\x1b');
    }
    buf_append_slice(&s->plain, slice_range(from, end));
    return buf_slice(&s->plain);
}

/* The process lived when the line was stamped; said at most once a second, to say it cheaply. */
static void note_life(struct steplog *s) {
    if (s->stamp_ms == TIME_UNKNOWN || (!s->said && (huggingface_is_holding(s) || s->lightning.is_here)))
        return; /* records of an earlier time are still to come */
    if (!s->said) {
        if (s->last_said_ms != TIME_UNKNOWN && s->stamp_ms - s->last_said_ms < SIGN_OF_LIFE_EVERY_MS)
            return;
        struct record r = steplog_record(s, RECORD_SIGN_OF_LIFE);
        steplog_emit(s, &r, STEPLOG_AUTO);
    }
    s->last_said_ms = s->stamp_ms;
}

static void read_line(struct steplog *s, struct slice line, int64_t stamp_ms) {
    s->counts.lines++;
    s->stamp_ms = stamp_ms;
    s->said = false;
    if (stamp_ms != TIME_UNKNOWN)
        s->counts.last_stamp_ms = stamp_ms;
    if (recorder_step_again(s, line)) {
        s->last_said_ms = stamp_ms;
        return;
    }
    struct slice text = without_ansi(s, line), piece;
    /* A progress bar redraws itself with carriage returns: each drawing is a line of its own. */
    const char *begin = text.data;
    while (slice_take_until(&text, '\r', &piece)) {
        s->piece_offset = (size_t)(piece.data - begin);
        if (piece.size_bytes != 0)
            read_piece(s, piece);
    }
    s->piece_offset = (size_t)(text.data - begin);
    if (text.size_bytes != 0)
        read_piece(s, text);
    for (const struct format *f = steplog_formats; f->line != NULL; f++)
        if (f->line_end != NULL)
            f->line_end(s);
    note_life(s);
}

/* As much of bytes as there is room for; true if that was not all. */
static bool append_bounded(struct buf *b, struct slice bytes) {
    size_t room = STEPLOG_MAX_LINE_BYTES - b->size_bytes;
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
    static const char own[] = "{\"job_name\""; /* no transport begins so, nor does a line with a clock of its own */
    int64_t stamp_ms = TIME_UNKNOWN, unix_ns;
    struct transport transport;
    if (!stamped && line.size_bytes >= sizeof own && memcmp(line.data, own, sizeof own - 1) == 0) {
        read_line(s, line, TIME_UNKNOWN);
        return;
    }
    if (transport_parse(&transport, line, &s->decoded)) {
        read_transported(s, &transport);
        return;
    }
    if (stamped) {
        struct slice rest = line;
        if (rfc3339_take(&rest, &unix_ns, NULL) &&
            (rest.size_bytes == 0 || slice_take_char(&rest, ' ') || slice_take_char(&rest, '\t'))) {
            stamp_ms = unix_ns / 1000000 - (unix_ns % 1000000 < 0);
            line = rest;
        } else {
            /* Runtimes split lines at 16 KiB and may leave out the stamp of the rest. */
            stamp_ms = s->counts.last_stamp_ms;
        }
    }
    if (stamp_ms == TIME_UNKNOWN && s->uses_line_clocks) {
        stamp_ms = lineclock_ms(line, s->now_ms);
        s->is_own_clock = stamp_ms != TIME_UNKNOWN;
        s->counts.own_clock += s->is_own_clock;
    }
    if (stamp_ms == TIME_UNKNOWN)
        stamp_ms = s->stored_ms;
    read_line(s, line, stamp_ms);
    s->is_own_clock = false;
}

static bool is_stamp(struct slice s) {
    int64_t unix_ns;
    int digits;
    return rfc3339_take(&s, &unix_ns, &digits) && digits == 9 && slice_starts(s, " ");
}

/* Where a line goes on with the next one's stamp, as its end was lost: a stamp of nanoseconds that stands against the
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
    for (at += STAMP; at < end && (at = memmem(at, (size_t)(end - at), line.data, MONTH)) != NULL; at++) {
        bool is_value = memchr(" =\"'([<", at[-1], 7) != NULL;
        if (!is_value && is_stamp(slice_range(at, end)))
            return at;
    }
    return NULL;
}

/* What came as one line: it may be two, if the first was torn. */
static void read_raw_lines(struct steplog *s, struct slice line, bool stamped) {
    const char *at;
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
    while (slice_take_until(&bytes, '\n', &line)) {
        if (s->partial.size_bytes != 0) {
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

void steplog_line(struct steplog *s, struct slice line, int64_t stamp_ms) {
    s->counts.bytes += (int64_t)line.size_bytes;
    read_line(s, cut(s, line, false), stamp_ms);
}

void steplog_end(struct steplog *s) {
    if (s->partial.size_bytes != 0)
        finish_partial(s, s->partial_stamped);
    for (int i = 0; i < 2; i++)
        if (s->parts[i].text.size_bytes != 0)
            finish_parts(s, i);
}

struct steplog_counts steplog_counts_get(const struct steplog *s) {
    return s->counts;
}
