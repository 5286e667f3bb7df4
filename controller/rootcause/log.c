#include "rootcause/log.h"

#include "base/jscan.h"
#include "base/mem.h"
#include "rootcause/exceptions.h"
#include "rootcause/exits.h"
#include "rootcause/finding_internal.h"
#include "rootcause/survived.h"

#include <ctype.h>
#include <stdio.h>

struct rootcause_log *rootcause_log_new(const struct matcher *m, bool is_stamped) {
    struct rootcause_log *log = mem_new(struct rootcause_log);
    log->matcher = m;
    log->is_stamped = is_stamped;
    log->found = mem_resize(NULL, (size_t)2 * ROLE_COUNT, sizeof *log->found);
    log->survived = log->found + ROLE_COUNT;
    for (int i = 0; i < 2 * ROLE_COUNT; i++)
        log->found[i] = (struct finding){.role = ROLE_COUNT};
    for (int i = 0; i < MAX_NESTING; i++)
        buf_init(&log->plain[i], PLAIN_BYTES);
    wrap_init(&log->wrap);
    return log;
}

void rootcause_log_free(struct rootcause_log *log) {
    if (log == NULL)
        return;
    for (int i = 0; i < MAX_NESTING; i++)
        buf_done(&log->plain[i]);
    wrap_done(&log->wrap);
    free(log->writers);
    free(log->waiting);
    free(log->found);
    free(log->best);
    free(log);
}

/* ---- writers ---- */

static struct writer *new_writer(struct rootcause_log *log) {
    if (log->writer_count == MAX_WRITERS)
        return &log->writers[1 + log->last_writer++ % (MAX_WRITERS - 1)];
    MEM_GROW(log->writers, log->writer_count, log->writer_capacity);
    log->writers[log->writer_count] = (struct writer){.message_lines = 0};
    return &log->writers[log->writer_count++];
}

static struct writer *writer_of(struct rootcause_log *log, const struct line *line) {
    for (size_t i = 0; i < log->writer_count; i++)
        if (log->writers[i].prefix == line->writer)
            return &log->writers[i];
    struct writer *w = new_writer(log);
    if (w->message_lines > 0)
        finding_settle(log, w);
    *w = (struct writer){.prefix = line->writer, .rank = line->rank, .pending.role = ROLE_COUNT};
    return w;
}

static bool starts_within_word(struct slice text) {
    return text.size_bytes > 0 && islower((unsigned char)text.data[0]);
}

/* The rest of a line that a terminal wrapped has no prefix. */
static struct writer *writer_of_wrapped(struct rootcause_log *log, const struct line *line) {
    bool is_rest = log->is_recent_long && line->writer == 0 && line->indentation == 0 && starts_within_word(line->text);
    struct writer *w = is_rest ? &log->writers[log->recent] : writer_of(log, line);
    log->recent = (size_t)(w - log->writers);
    log->is_recent_long = line->text.size_bytes >= WRAPPED_BYTES;
    return w;
}

/* "last enqueued NCCL work: 1582": how far each rank came. */
static void note_waiting(struct rootcause_log *log, struct slice text, int64_t rank) {
    int64_t enqueued = ranks_after(text, "last enqueued NCCL work: ");
    if (enqueued == RANK_UNKNOWN)
        enqueued = ranks_after(text, "last enqueued work: ");
    if (enqueued == RANK_UNKNOWN || rank == RANK_UNKNOWN)
        return;
    for (size_t i = 0; i < log->waiting_count; i++)
        if (log->waiting[i].rank == rank)
            return;
    if (log->waiting_count == MAX_WAITING)
        return;
    MEM_GROW(log->waiting, log->waiting_count, log->waiting_capacity);
    log->waiting[log->waiting_count++] = (struct waiting){rank, enqueued};
}

/* ---- lines ---- */

/* What torchelastic lists above the root cause ended later: with an exit code or by a signal. */
static bool is_later_failure(const struct writer *w, struct slice text) {
    return w->in_failures && (slice_starts(text, "exitcode ") || slice_starts(text, "traceback : Signal "));
}

/* torchelastic's report: "rank      : 3 (local_rank: 3)" below "Root Cause". */
static void take_report(struct rootcause_log *log, struct writer *w, struct slice text) {
    if (slice_starts(text, "Root Cause (first observed failure)"))
        w->in_report = true, w->in_failures = false;
    else if (slice_is(text, "Failures:"))
        w->in_failures = true;
    int64_t rank;
    struct slice rest = text;
    if (!w->in_report || !slice_take_prefix(&rest, "rank"))
        return;
    rest = slice_trim(rest);
    if (!slice_take_char(&rest, ':'))
        return;
    rest = slice_trim(rest);
    if (!slice_take_uint(&rest, &rank))
        return;
    w->rank = rank;
    if (log->found[ROLE_WRAPPER].rank == RANK_UNKNOWN)
        log->found[ROLE_WRAPPER].rank = rank;
}

/* A launcher's line with the exit code of a process. */
static void take_exit_code(struct rootcause_log *log, const struct writer *w, const struct line *line, int64_t number) {
    int64_t code;
    if (!exit_code_in(line->text, &code))
        return;
    const struct exit_meaning *meaning = exit_meaning_of(code);
    struct finding f = finding_make(line, w, NULL, number, 0);
    f.role = meaning != NULL ? meaning->role : ROLE_WRAPPER;
    f.class_ = meaning != NULL ? meaning->class_ : CLASS_UNKNOWN;
    f.owner = f.class_ == CLASS_PREEMPTION ? OWNER_UNKNOWN : rootcause_class_owner(f.class_);
    snprintf(f.reason, sizeof f.reason, "%s", meaning != NULL ? meaning->reason : "ExitCode");
    if (log->found[f.role].role == ROLE_COUNT)
        finding_keep(log, &f);
}

static void take_fatal(struct rootcause_log *log, const struct writer *w, const struct line *line, int64_t number) {
    if (!line_is_fatal(line->text) || log->found[ROLE_LAST].role != ROLE_COUNT)
        return;
    struct finding f = finding_make(line, w, NULL, number, 0);
    f.role = ROLE_LAST;
    f.class_ = CLASS_CRASH_SIGNAL;
    f.owner = rootcause_class_owner(CLASS_CRASH_SIGNAL);
    snprintf(f.reason, sizeof f.reason, "CheckFailure");
    finding_keep(log, &f);
}

/* faulthandler prints the frames after the line that names the signal. */
static void add_crash_frame(struct rootcause_log *log, const struct writer *w) {
    struct finding *f = &log->found[ROLE_WEAK];
    if (w->traceback.is_reversed && f->role == ROLE_WEAK && f->class_ == CLASS_CRASH_SIGNAL && f->frame[0] == '\0')
        memcpy(f->frame, w->traceback.frame, sizeof f->frame);
}

static void note_stack(struct rootcause_log *log, const struct writer *w, struct slice text) {
    if (w->traceback.is_reversed)
        stack_take(&log->stack, text);
    else
        stack_take_traceback(&log->stack, text);
}

static void expect_names(struct writer *w, struct slice text, int64_t number) {
    w->names_lines = MAX_NAMES_LINES;
    w->symptom_line = number;
    w->is_in_list = ranks_starts_list(text);
}

static void take_names(struct rootcause_log *log, struct writer *w, struct slice text) {
    bool is_pending = w->pending.role == ROLE_SYMPTOM && w->pending.line == w->symptom_line;
    struct finding *f = is_pending ? &w->pending : &log->found[ROLE_SYMPTOM];
    char waits_for[FINDING_WAITS_BYTES];
    bool is_named = ranks_take_listed(text, w->is_in_list, waits_for);
    w->names_lines--;
    w->is_in_list = ranks_starts_list(text);
    if (!is_named)
        return;
    w->names_lines = 0;
    if (f->role == ROLE_SYMPTOM && f->line <= w->symptom_line && f->waits_for[0] == '\0')
        memcpy(f->waits_for, waits_for, sizeof f->waits_for);
}

/* A run starts in the log of others: what they show is not of it. */
static void forget(struct rootcause_log *log) {
    for (size_t i = 0; i < log->writer_count; i++)
        log->writers[i] =
            (struct writer){.prefix = log->writers[i].prefix, .rank = log->writers[i].rank, .pending.role = ROLE_COUNT};
    for (int i = 0; i < 2 * ROLE_COUNT; i++)
        log->found[i].role = ROLE_COUNT;
    log->waiting_count = 0;
    log->stack.is_there = log->is_finished = false;
    memset(log->symptom_ranks, 0, sizeof log->symptom_ranks);
    memset(log->cause_ranks, 0, sizeof log->cause_ranks);
}

/* What a trainer shows of its data or of what its model wrote: a turn of a conversation starts or ends. */
static bool take_chat(struct writer *w, const struct signature *row) {
    bool is_turn = row->role == ROLE_ADVICE && slice_is(row->reason, "ChatTurn");
    bool is_end = row->role == ROLE_ADVICE && slice_is(row->reason, "ChatEnd");
    if (is_turn || is_end)
        w->chat_lines = is_turn ? MAX_CHAT_LINES : 0;
    return is_turn || is_end;
}

/* The row of a line, unless the line quotes that text as data, or the program's teardown prints it, or it is source
 * that would raise. is_exception: a failed check became that exception, which is not a crash. */
static const struct signature *evidence(struct rootcause_log *log, struct writer *w, struct slice text,
                                        bool is_exception, size_t *at) {
    static const struct signature of_prose = {.role = ROLE_ADVICE, .reason = {"Quoted", strlen("Quoted")}};
    const struct signature *row = matcher_find(log->matcher, text, at);
    if (row == NULL && slice_starts(text, "what():")) /* libstdc++: the message of a C++ exception */
        row = matcher_within(log->matcher, IN_MESSAGE, text);
    if (row != NULL && rootcause_class_is_of_hardware(row->class_) && (w->chat_lines > 0 || line_is_prose(text, *at)))
        return &of_prose;
    if (row == NULL || take_chat(w, row) || line_quotes(text, *at) || slice_starts(text, "raise ") ||
        (is_exception && row->role == ROLE_LAST && row->class_ == CLASS_CRASH_SIGNAL))
        return NULL;
    log->is_finished |= row->role == ROLE_FINISH;
    if (row->role == ROLE_ADVICE && slice_is(row->reason, "RunStart"))
        forget(log);
    return log->is_finished && (row->role == ROLE_SYMPTOM || row->role == ROLE_LAST) ? NULL : row;
}

/* A terminal wraps a long line within a word, and people paste it so: the end of the last line together with this one.
 */
static const struct signature *join_wrapped(struct rootcause_log *log, struct writer *w, struct line *line,
                                            size_t *at) {
    char *joined = log->joined;
    if (w->end_size == 0 || line->indentation > 0 || !starts_within_word(line->text))
        return NULL;
    size_t size = line->text.size_bytes < JOINED_BYTES ? line->text.size_bytes : JOINED_BYTES;
    for (size_t spaces = 0; spaces <= 1; spaces++) { /* a word was cut, or two were parted */
        memcpy(joined, w->end, w->end_size);
        memset(joined + w->end_size, ' ', spaces);
        memcpy(joined + w->end_size + spaces, line->text.data, size);
        struct slice text = {joined, w->end_size + spaces + size};
        const struct signature *row = evidence(log, w, text, false, at);
        if (row == NULL || *at >= w->end_size)
            continue;
        line->text = text;
        return row;
    }
    return NULL;
}

static void note_end(struct writer *w, struct slice text, const struct signature *row) {
    bool may_be_wrapped = row == NULL && text.size_bytes >= WRAPPED_BYTES && text.size_bytes < SIGNATURE_REACH;
    w->end_size = !may_be_wrapped ? 0 : text.size_bytes < JOINED_BYTES ? text.size_bytes : JOINED_BYTES;
    memcpy(w->end, text.data + text.size_bytes - w->end_size, w->end_size);
}

static void take_line(struct rootcause_log *log, const struct line *given, int64_t number) {
    struct line whole = *given;
    const struct line *line = &whole;
    struct writer *w = writer_of_wrapped(log, line);
    struct slice exception;
    int named = w->traceback.named.count, raised = w->traceback.raised.count, source = w->traceback.source.count;
    w->chat_lines -= w->chat_lines > 0;
    take_report(log, w, line->text);
    if (is_later_failure(w, line->text))
        return;
    if (w->names_lines > 0)
        take_names(log, w, line->text);
    enum traceback_line kind = traceback_take(&w->traceback, log->matcher, line->text, line->indentation, &exception);
    if (kind == TRACEBACK_RAISES || kind == TRACEBACK_HEADED)
        exceptions_take_raised(log, w, line, exception, kind == TRACEBACK_HEADED, number);
    if (kind == TRACEBACK_INSIDE || kind == TRACEBACK_RAISES || kind == TRACEBACK_HEADED) {
        add_crash_frame(log, w);
        note_stack(log, w, line->text);
        if (w->traceback.named.count > named)
            w->named_line = number;
        if (w->traceback.raised.count > raised)
            w->raised_line = number;
        if (w->traceback.source.count > source)
            w->source_line = number;
        w->end_size = 0;
        return;
    }
    size_t at = 0;
    const struct signature *row = evidence(log, w, line->text, kind != TRACEBACK_OUTSIDE, &at);
    if (row == NULL && kind == TRACEBACK_OUTSIDE)
        row = join_wrapped(log, w, &whole, &at);
    note_end(w, given->text, row);
    if (row != NULL && row->role == ROLE_SYMPTOM)
        expect_names(w, line->text, number);
    if (row != NULL && kind != TRACEBACK_EXCEPTION && !line_says_skipped(row->pattern) && line_says_skipped(line->text))
        return;
    bool is_another = kind == TRACEBACK_BARE && log->found[ROLE_WEAK].role != ROLE_COUNT; /* a bare one is weak */
    is_another = is_another && !exceptions_take_caused(log, w);
    if (is_another)
        w->outer_line = 0;
    if (kind == TRACEBACK_EXCEPTION || (kind == TRACEBACK_BARE && row == NULL && !is_another)) {
        exceptions_take(log, w, line, row, at, exception, kind == TRACEBACK_BARE, number);
        return;
    }
    if (row == NULL || row->role >= ROLE_WRAPPER) {
        take_exit_code(log, w, line, number);
        take_fatal(log, w, line, number);
    }
    if (exceptions_take_message(log, w, line, row, at, number) || row == NULL || row->role >= ROLE_ADVICE)
        return;
    int64_t rank = finding_rank_of(line, w);
    finding_mark_rank(row->role <= ROLE_WEAK ? log->cause_ranks : log->symptom_ranks, rank);
    if (row->role == ROLE_SYMPTOM)
        note_waiting(log, line->text, rank);
    const struct finding *first = &log->found[row->role];
    if (first->role != ROLE_COUNT && first->line <= number && !finding_explains(row->class_, first))
        return;
    struct finding f = finding_make(line, w, row, number, at);
    finding_keep(log, &f);
}

static bool is_json(struct slice text) {
    if (text.data[0] == '"' && slice_contains(text, "Traceback (most recent call last):\\n"))
        return true; /* a member of an object over several lines */
    if (text.data[0] != '{')
        return false;
    struct jscan j;
    jscan_init(&j, text);
    jscan_skip(&j);
    return jscan_at_end(&j);
}

/* Each message in a JSON object, as separate lines: a logger's, a torchelastic error file's. False: no JSON. */
static bool take_json(struct rootcause_log *log, const struct line *line, int64_t number) {
    struct buf *decoded = &log->plain[1];
    if (!is_json(line->text))
        return false;
    struct jscan j;
    bool is_message = true; /* of the last key */
    const char *at = line->text.data, *end = at + line->text.size_bytes;
    while ((at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        struct slice raw, part;
        jscan_init(&j, slice_range(at, end));
        if (!jscan_string_raw(&j, &raw))
            return true;
        at = raw.data + raw.size_bytes + 1;
        struct slice after = slice_trim(slice_range(at, end));
        if (slice_take_char(&after, ':')) {
            is_message = line_is_message_key(raw);
            continue;
        }
        if (!is_message)
            continue;
        buf_clear(decoded);
        buf_append_slice(decoded, raw);
        buf_append_char(decoded, ' ');
        if (raw.size_bytes == 0 || decoded->truncated || !jscan_unescape(raw, decoded->data, decoded->size_bytes))
            continue;
        struct slice rest = slice_of(decoded->data);
        while (slice_take_line(&rest, &part)) {
            struct line inner = {.at_ns = line->at_ns};
            line_read_text(&inner, part, &log->plain[2]);
            inner.writer = slice_hash_add(line->writer, SLICE("json"));
            if (inner.rank == RANK_UNKNOWN)
                inner.rank = line->rank;
            take_line(log, &inner, number);
        }
    }
    return true;
}

/* A traceback on one line, as a log's viewer shows it: "\n" stands for the ends of its lines. */
static bool take_escaped(struct rootcause_log *log, const struct line *line, int64_t number) {
    struct slice rest = line->text, mark = SLICE("\\n");
    if (slice_find_char(rest, '\\') == NULL)
        return false;
    bool is_traceback = slice_contains(rest, "Traceback (most recent call last)") || slice_contains(rest, "File \"");
    if (!is_traceback || !slice_contains(rest, "\\n"))
        return false;
    while (rest.size_bytes > 0) {
        const char *end = memmem(rest.data, rest.size_bytes, mark.data, mark.size_bytes);
        struct slice part = end != NULL ? slice_range(rest.data, end) : rest;
        rest = slice_skip(rest, part.size_bytes + (end != NULL ? mark.size_bytes : 0));
        struct buf *plain = &log->plain[1];
        buf_clear(plain);
        for (size_t i = 0; i < part.size_bytes; i++)
            if (part.data[i] != '\\' || i + 1 == part.size_bytes || part.data[i + 1] != '"')
                buf_append_char(plain, part.data[i]);
        struct line inner = {.at_ns = line->at_ns};
        line_read_text(&inner, buf_slice(plain), &log->plain[2]);
        inner.writer = slice_hash_add(line->writer, SLICE("escaped"));
        if (inner.rank == RANK_UNKNOWN)
            inner.rank = line->rank;
        if (inner.text.size_bytes > 0)
            take_line(log, &inner, number);
    }
    return true;
}

static void take_raw(struct rootcause_log *log, struct slice raw, int64_t number) {
    struct line line;
    int64_t at_ns = INT64_MIN;
    bool is_first = true;
    while (raw.size_bytes > 0 &&
           log->found != NULL) { /* a progress bar draws over its line, and others write after it */
        struct slice part = raw;
        bool has_more = slice_take_until(&raw, '\r', &part);
        if (!has_more)
            raw.size_bytes = 0;
        line_read(&line, part, log->is_stamped && is_first, &log->plain[0]);
        if (is_first)
            at_ns = line.at_ns;
        line.at_ns = at_ns;
        is_first = false;
        if (line.text.size_bytes == 0)
            continue;
        if (!take_json(log, &line, number) && !take_escaped(log, &line, number))
            take_line(log, &line, number);
    }
}

/* What is held as the first part of a wrapped line is all of it. */
static void take_held(struct rootcause_log *log) {
    struct slice raw;
    int64_t number;
    if (wrap_release(&log->wrap, &raw, &number))
        take_raw(log, raw, number);
}

void rootcause_log_line(struct rootcause_log *log, struct slice raw, int64_t number) {
    bool is_whole = false;
    if (log->is_stamped || log->found == NULL) { /* each line has a stamp: none is wrapped */
        take_raw(log, raw, number);
        return;
    }
    bool is_rest = wrap_take_rest(&log->wrap, log->matcher, raw, &is_whole);
    if (!is_rest || is_whole)
        take_held(log);
    if (!is_rest && !wrap_hold(&log->wrap, raw, number))
        take_raw(log, raw, number);
}

bool rootcause_line_is_notable(const struct matcher *m, struct slice raw) {
    CLEANUP_BUF struct buf plain;
    buf_init(&plain, PLAIN_BYTES);
    if (!matcher_may_find(m, line_plain(raw, &plain)))
        return false;
    struct line line;
    struct traceback outside = {0};
    struct slice exception;
    line_read_text(&line, raw, &plain);
    const struct signature *row = matcher_find(m, line.text, NULL);
    return (row != NULL && row->role < ROLE_ADVICE) ||
           traceback_take(&outside, m, line.text, line.indentation, &exception) != TRACEBACK_OUTSIDE;
}

static void settle_all(struct rootcause_log *log) {
    take_held(log);
    for (size_t i = 0; i < log->writer_count; i++) {
        finding_settle(log, &log->writers[i]);
        exceptions_take_cut(log, &log->writers[i]);
    }
}

/* The best finding stays, in two KiB: a process may hold many logs. */
static void drop_scratch(struct rootcause_log *log) {
    const struct finding *best = rootcause_log_best(log);
    if (log->found != NULL && best != NULL) {
        log->best = mem_new(struct finding);
        *log->best = *best;
    }
    free(log->found);
    log->found = log->survived = NULL;
    wrap_done(&log->wrap);
    wrap_init(&log->wrap);
    free(log->writers);
    log->writers = NULL;
    log->writer_count = log->writer_capacity = 0;
    for (int i = 0; i < MAX_NESTING; i++) {
        buf_done(&log->plain[i]);
        buf_init(&log->plain[i], PLAIN_BYTES);
    }
}

void rootcause_log_settle(struct rootcause_log *log) {
    settle_all(log);
}

void rootcause_log_end(struct rootcause_log *log) {
    settle_all(log);
    drop_scratch(log);
}

void rootcause_log_progress(struct rootcause_log *log) {
    if (log->found == NULL)
        return;
    settle_all(log);
    survived_take_step(log);
}

/* ---- answers ---- */

static const struct finding *strongest(const struct finding *found) {
    for (int i = 0; i < ROLE_ADVICE; i++)
        if (found[i].role != ROLE_COUNT)
            return &found[i];
    return NULL;
}

const struct finding *rootcause_log_best(const struct rootcause_log *log) {
    if (log->found == NULL)
        return log->best;
    const struct finding *now = strongest(log->found), *before = strongest(log->survived);
    if (now == NULL || (now->role > ROLE_SYMPTOM && before != NULL && before->role < now->role))
        return before;
    return now;
}

const struct waiting *rootcause_log_waiting(const struct rootcause_log *log, size_t *count) {
    *count = log->waiting_count;
    return log->waiting;
}

const struct stack *rootcause_log_stack(const struct rootcause_log *log) {
    return &log->stack;
}

size_t rootcause_log_followers(const struct rootcause_log *log) {
    size_t count = 0;
    for (size_t i = 0; i < MAX_RANKS / 64; i++)
        count += (size_t)__builtin_popcountll(log->symptom_ranks[i] & ~log->cause_ranks[i]);
    return count;
}

/* ---- checkpoints ---- */

static void visit_finding(struct codec *c, struct finding *f, enum rootcause_role role) {
    bool is_there = f != NULL && f->role == role;
    codec_bool(c, &is_there);
    if (!is_there)
        return;
    f->role = role;
    CODEC_INT(c, &f->class_, 0, CLASS_COUNT - 1);
    CODEC_INT(c, &f->owner, 0, OWNER_COUNT - 1);
    codec_chars(c, f->reason, sizeof f->reason);
    codec_chars(c, f->text, sizeof f->text);
    codec_chars(c, f->frame, sizeof f->frame);
    codec_chars(c, f->waits_for, sizeof f->waits_for);
    codec_i64(c, &f->line);
    codec_i64(c, &f->at_ns);
    codec_i64(c, &f->rank);
    codec_bool(c, &f->is_exception);
    codec_bool(c, &f->is_stop);
}

/* Of the ranks that wait only the first and the last one matter: find_behind in verdict.c. */
static void visit_waiting(struct rootcause_log *log, struct codec *c) {
    struct waiting ends[2];
    size_t count = 0;
    for (size_t i = 0; i < log->waiting_count; i++) {
        const struct waiting *w = &log->waiting[i];
        if (count == 0 || w->enqueued < ends[0].enqueued)
            ends[0] = *w;
        if (count == 0 || w->enqueued > ends[1].enqueued)
            ends[1] = *w;
        count = 2;
    }
    count = codec_count(c, count, 2);
    for (size_t i = 0; i < count; i++) {
        codec_i64(c, &ends[i].rank);
        codec_i64(c, &ends[i].enqueued);
        if (!codec_is_reading(c))
            continue;
        MEM_GROW(log->waiting, log->waiting_count, log->waiting_capacity);
        log->waiting[log->waiting_count++] = ends[i];
    }
}

void rootcause_log_visit(struct rootcause_log *log, struct codec *c) {
    bool has_ranks = false;
    settle_all(log);
    for (int i = 0; i < ROLE_COUNT; i++) {
        visit_finding(c, log->found != NULL ? &log->found[i] : log->best, (enum rootcause_role)i);
        visit_finding(c, log->found != NULL ? &log->survived[i] : NULL, (enum rootcause_role)i);
    }
    visit_waiting(log, c);
    codec_bool(c, &log->stack.is_there);
    if (log->stack.is_there) {
        codec_bool(c, &log->stack.is_in_collective);
        codec_u64(c, &log->stack.innermost);
    }
    for (size_t i = 0; i < MAX_RANKS / 64; i++)
        has_ranks |= (log->symptom_ranks[i] | log->cause_ranks[i]) != 0;
    codec_bool(c, &has_ranks);
    for (size_t i = 0; has_ranks && i < MAX_RANKS / 64; i++) {
        codec_u64(c, &log->symptom_ranks[i]);
        codec_u64(c, &log->cause_ranks[i]);
    }
}
