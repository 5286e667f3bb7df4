#include "rootcause/exceptions.h"

#include "base/mem.h"
#include "rootcause/exception_text.h"
#include "rootcause/finding_internal.h"

#include <stdio.h>

static void name_exception(struct finding *f, struct slice exception) {
    size_t n = 0;
    while (n < exception.size_bytes && exception.data[n] != ':' && exception.data[n] != '(')
        n++;
    f->class_ = CLASS_USER_EXCEPTION;
    f->owner = rootcause_class_owner(CLASS_USER_EXCEPTION);
    slice_copy(f->reason, sizeof f->reason, (struct slice){exception.data, n});
}

static bool is_chained_on(const struct writer *w, const struct signature *row) {
    return w->traceback.is_chained && w->is_decided &&
           (row == NULL || row->place != IN_LINE || row->role != ROLE_PRIMARY);
}

/* Data, checkpoints and configurations break with the same exceptions: where they were read decides. */
static bool is_stored(enum rootcause_class c) {
    return c == CLASS_DATA_ERROR || c == CLASS_CHECKPOINT_ERROR;
}

/* The row says what the exception is about, and its name what happened. */
static bool is_of_place(const struct signature *row) {
    return row != NULL && (row->place == IN_FRAME || row->place == IN_RAISED || row->place == IN_MODULE);
}

/* torch utils/data/dataloader.py, _utils.py: the worker's own traceback follows, unless the text ends before. */
static bool is_carried(struct slice exception) {
    return slice_contains(exception, ": Caught ") &&
           (slice_contains(exception, " in DataLoader worker process") || slice_contains(exception, " in replica "));
}

/* Data that a network does not deliver is data that is unreachable. */
static void blame_data(struct finding *f) {
    if (f->class_ != CLASS_NETWORK)
        return;
    f->class_ = CLASS_DATA_ERROR;
    f->owner = rootcause_class_owner(CLASS_DATA_ERROR);
}

/* Before the processes met no peer is lost. */
static void blame_start(struct finding *f) {
    f->class_ = CLASS_STARTUP_RENDEZVOUS;
    f->owner = rootcause_class_owner(CLASS_STARTUP_RENDEZVOUS);
    f->role = ROLE_PRIMARY;
}

/* A new process that finds nothing whole to read reports only that its parent ended. */
static bool is_of_parent(const struct writer *w, struct slice exception) {
    struct slice name = exception_text_name(exception);
    return w->traceback.is_of_spawn && (slice_is(name, "UnpicklingError") || slice_is(name, "EOFError"));
}

static void blame_parent(struct finding *f) {
    f->class_ = CLASS_PEER_LOST;
    f->owner = rootcause_class_owner(CLASS_PEER_LOST);
    f->role = ROLE_SYMPTOM;
}

static bool is_of_rendezvous(const struct writer *w, const struct signature *row) {
    const struct signature *named = w->traceback.named.row;
    return row != NULL && row->class_ == CLASS_STARTUP_RENDEZVOUS &&
           (named == NULL || named->class_ != CLASS_PEER_LOST);
}

/* What the loading of data cannot read is training data, in a worker or in the program itself. */
static bool is_of_reading(const struct writer *w, struct slice exception, bool is_bare) {
    static const char *const names[] = {"OSError",           "IOError",        "FileNotFoundError",
                                        "EOFError",          "BadZipFile",     "UnidentifiedImageError",
                                        "IsADirectoryError", "PermissionError"};
    struct slice name = exception_text_name(exception);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (slice_is(name, names[i]))
            return is_carried(exception) || (w->traceback.is_loading && !is_bare);
    return false;
}

/* What the code of a data set rejects is the data that it read, unless the message names something else. */
static bool is_rejected_data(const struct writer *w, struct slice exception, bool is_bare) {
    static const char *const names[] = {"AssertionError", "ValueError", "Exception"};
    struct slice name = exception_text_name(exception);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (slice_is(name, names[i]))
            return w->traceback.is_of_data_set && !is_bare;
    return false;
}

/* The finding of the first exception of a chain; NULL: it is none, or not the earliest of its role. */
static struct finding *first_of_chain(struct rootcause_log *log, const struct writer *w) {
    if (!w->traceback.is_chained || !w->is_decided)
        return NULL;
    for (int i = 0; i < ROLE_ADVICE; i++)
        if (log->found[i].role != ROLE_COUNT && log->found[i].line == w->decided_line)
            return &log->found[i];
    return NULL;
}

/* The last traceback of a chain shows for whom the network was read, the first one why that failed. An exception that
 * the program was handling when a resource failed did not end it. */
static void weigh_chain(struct rootcause_log *log, const struct writer *w, const struct signature *row) {
    struct finding *first = first_of_chain(log, w);
    if (first != NULL && w->traceback.is_loading)
        blame_data(first);
    if (first != NULL && first->class_ == CLASS_PEER_LOST && is_of_rendezvous(w, row)) {
        struct finding start = *first;
        first->role = ROLE_COUNT;
        blame_start(&start);
        finding_keep(log, &start);
    }
    bool is_named = row != NULL && row->place == IN_LINE && row->role == ROLE_PRIMARY;
    if (first != NULL && first->row == NULL && is_named && w->traceback.is_handling)
        first->role = ROLE_COUNT;
}

static bool is_of_start(const struct writer *w, const struct signature *row) {
    return row != NULL && row->role == ROLE_SYMPTOM && traceback_is_of_start(&w->traceback);
}

/* An error of the program, whatever its message is. */
static bool is_programming_error(struct slice name) {
    static const char *const names[] = {"AttributeError", "ImportError",       "IndentationError",
                                        "NameError",      "SyntaxError",       "ModuleNotFoundError",
                                        "TypeError",      "UnboundLocalError", "NotImplementedError"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (slice_is(name, names[i]))
            return true;
    return false;
}

static bool is_of_import(struct slice name) {
    return slice_is(name, "ImportError") || slice_is(name, "ModuleNotFoundError");
}

/* Where an exception was raised, if no text names it. A mistake in a call says nothing of what the call is for, and a
 * package that is missing or too old nothing of what needs it. */
static const struct signature *row_of_frames(const struct writer *w, struct slice exception) {
    if (is_of_import(exception_text_name(exception)))
        return NULL;
    const struct signature *row = traceback_row(&w->traceback);
    return row != NULL && row->role < ROLE_ADVICE && is_programming_error(exception_text_name(exception)) ? NULL : row;
}

bool exceptions_take_caused(struct rootcause_log *log, const struct writer *w) {
    struct finding *outer = &log->found[ROLE_WEAK];
    bool is_general = outer->row == NULL || outer->row->place != IN_LINE;
    if (!w->traceback.is_caused || outer->line != w->outer_line || !is_general)
        return false;
    outer->role = ROLE_COUNT;
    return true;
}

/* The exception's own line says what that of its source stood for. */
static void drop_raised(struct rootcause_log *log, struct writer *w) {
    struct finding *last = &log->found[ROLE_LAST];
    if (last->role != ROLE_COUNT && w->raised_number == last->line)
        last->role = ROLE_COUNT;
    w->raised_number = 0;
}

void exceptions_take(struct rootcause_log *log, struct writer *w, const struct line *line, const struct signature *row,
                     size_t at, struct slice exception, bool is_bare, int64_t number) {
    finding_settle(log, w);
    exceptions_take_caused(log, w);
    if (!is_bare)
        drop_raised(log, w);
    if (row == NULL)
        row = matcher_exception(log->matcher, exception);
    if (row == NULL)
        row = w->traceback.module;
    if (row == NULL)
        row = matcher_library(log->matcher, exception);
    bool is_start = !is_bare && is_of_start(w, row);
    bool is_of_program = row != NULL && row->place == IN_VALUE && row->class_ == CLASS_USER_EXCEPTION;
    if (!is_bare && (row == NULL || (is_of_program && row_of_frames(w, exception) != NULL)))
        row = row_of_frames(w, exception);
    bool is_later = is_chained_on(w, row), is_ignored = w->traceback.is_ignored && !is_bare;
    struct finding f = finding_make(line, w, row, number, at);
    if (row == NULL)
        name_exception(&f, exception);
    if (row == NULL || (is_of_place(row) && row->role != ROLE_SYMPTOM))
        f.role = ROLE_PRIMARY;
    if (is_start)
        blame_start(&f);
    if (is_of_place(row))
        name_exception(&f, exception), f.class_ = row->class_, f.owner = row->owner;
    const struct signature *named = w->traceback.named.row;
    if (is_stored(f.class_) && named != NULL && (is_stored(named->class_) || named->class_ == CLASS_CONFIG_ERROR))
        f.class_ = named->class_, f.owner = named->owner;
    else if (f.class_ == CLASS_DATA_ERROR && w->traceback.is_of_settings && !is_bare)
        f.class_ = CLASS_CONFIG_ERROR, f.owner = rootcause_class_owner(CLASS_CONFIG_ERROR);
    w->traceback.is_carried |= is_carried(exception);
    if (w->traceback.is_carried || (w->traceback.is_loading && !is_bare))
        blame_data(&f);
    if (f.class_ == CLASS_USER_EXCEPTION &&
        (is_of_reading(w, exception, is_bare) || (row == NULL && is_rejected_data(w, exception, is_bare))))
        f.class_ = CLASS_DATA_ERROR, f.owner = rootcause_class_owner(CLASS_DATA_ERROR);
    f.is_exception = !is_bare;
    if (row == NULL && slice_is(slice_trim(exception), "Exception:")) /* torch.multiprocessing: a report follows */
        f.role = ROLE_WEAK;
    if (is_bare && f.role == ROLE_PRIMARY && (row == NULL || row->place != IN_LINE))
        f.role = ROLE_WEAK;
    if ((w->traceback.is_thread || is_carried(exception)) && f.role == ROLE_PRIMARY)
        f.role = ROLE_WEAK;
    if (!is_bare && is_of_parent(w, exception))
        blame_parent(&f);
    if (line_is_warning(line->text) && f.role <= ROLE_WEAK) /* the program caught it, and continues */
        f.role = ROLE_ADVICE;
    weigh_chain(log, w, row);
    snprintf(f.frame, sizeof f.frame, "%s", is_bare ? "" : w->traceback.frame);
    w->traceback.is_ignored = w->traceback.is_chained = w->traceback.is_thread = false;
    w->outer_line = number;
    if (!is_later)
        w->decided_line = number;
    w->is_decided = is_later || (f.role != ROLE_ADVICE && f.role != ROLE_LAST && !is_carried(exception));
    if (is_ignored || is_later)
        return;
    w->pending = f;
    w->message_lines = 1;
    slice_copy(w->exception, sizeof w->exception, exception);
}

/* 'ValueError(f"no shards in {path}")' as the exception that it raises: "ValueError: no shards in {path}". False: its
 * message does not start in that line. */
static bool read_raised(struct slice source, char *exception, size_t size) {
    struct slice name = exception_text_name(source);
    struct slice rest = slice_skip(source, (size_t)(name.data - source.data) + name.size_bytes);
    if (!slice_take_char(&rest, '('))
        return false;
    while (rest.size_bytes > 0 && strchr("frub", rest.data[0]) != NULL)
        rest = slice_skip(rest, 1);
    char quote = rest.size_bytes > 0 ? rest.data[0] : '\0';
    struct slice message;
    if ((quote != '"' && quote != '\'') || !slice_take_char(&rest, quote))
        return false;
    if (!slice_take_until(&rest, quote, &message))
        message = rest;
    snprintf(exception, size, "%.*s: %.*s", (int)name.size_bytes, name.data, (int)message.size_bytes, message.data);
    return message.size_bytes > 0;
}

/* A line of source may raise what its caller handles; the head of a traceback names what ended the program. */
void exceptions_take_raised(struct rootcause_log *log, struct writer *w, const struct line *line, struct slice source,
                            bool is_head, int64_t number) {
    struct slice name = exception_text_name(source);
    const struct signature *row = matcher_find(log->matcher, is_head ? name : source, NULL);
    char raised[MESSAGE_BYTES];
    bool has_message = !is_head && read_raised(source, raised, sizeof raised);
    if (row == NULL)
        row = matcher_exception(log->matcher, has_message ? slice_of(raised) : name);
    bool says_enough = is_head ? !signature_is_general(name) : has_message || is_programming_error(name);
    bool is_cause = row != NULL && (row->role == ROLE_PRIMARY || row->role == ROLE_WEAK);
    bool is_named = row != NULL ? is_cause : says_enough;
    if (!is_named || w->traceback.is_ignored || w->traceback.is_thread)
        return;
    struct finding f = finding_make(line, w, row, number, 0);
    if (row == NULL)
        name_exception(&f, name);
    f.role = ROLE_LAST;
    if (log->found[f.role].role != ROLE_COUNT)
        return;
    finding_keep(log, &f);
    w->raised_number = number;
}

/* What a data loader reports of a worker whose own traceback is cut off. */
static bool take_cut_worker(struct rootcause_log *log, const struct writer *w, const struct signature *row) {
    struct finding *report = &log->found[ROLE_WEAK];
    if (!w->traceback.is_carried || report->role != ROLE_WEAK || report->line != w->decided_line)
        return false;
    if (report->row == NULL)
        report->class_ = row->class_, report->owner = row->owner;
    return true;
}

void exceptions_take_cut(struct rootcause_log *log, const struct writer *w) {
    const struct traceback *t = &w->traceback;
    const struct named_frame *frame = traceback_cut(t);
    if (frame == NULL || log->found == NULL || take_cut_worker(log, w, frame->row))
        return;
    struct finding *last = &log->found[ROLE_LAST];
    bool is_general = last->role != ROLE_COUNT && last->row == NULL && last->class_ == CLASS_USER_EXCEPTION;
    if (last->role != ROLE_COUNT && !is_general)
        return;
    int64_t line_number = frame == &t->raised ? w->raised_line : frame == &t->source ? w->source_line : w->named_line;
    struct line line = {.text = slice_of(frame->text), .at_ns = INT64_MIN, .rank = w->rank};
    struct finding f = finding_make(&line, w, frame->row, line_number, 0);
    f.role = ROLE_LAST;
    last->role = ROLE_COUNT;
    finding_keep(log, &f);
}

/* A message may be wrapped: its first lines together name the exception. A short line was not wrapped. */
static void continue_message(struct rootcause_log *log, struct writer *w, struct slice text) {
    size_t size = strlen(w->exception);
    bool is_wrapped = size >= WRAPPED_BYTES || (size > 0 && w->exception[size - 1] == ':');
    if (w->pending.row != NULL || !is_wrapped || size + 1 >= sizeof w->exception)
        return;
    w->exception[size] = ' ';
    slice_copy(w->exception + size + 1, sizeof w->exception - size - 1, text);
    const struct signature *row = matcher_exception(log->matcher, slice_of(w->exception));
    if (row == NULL || row->role == ROLE_ADVICE)
        return;
    w->pending.row = row;
    w->pending.is_stop = row->role == ROLE_STOP;
    w->pending.class_ = row->class_;
    w->pending.role = row->role == ROLE_PRIMARY ? w->pending.role : row->role;
    w->pending.owner = row->owner;
    slice_copy(w->pending.reason, sizeof w->pending.reason, row->reason);
}

bool exceptions_take_message(struct rootcause_log *log, struct writer *w, const struct line *line,
                             const struct signature *row, size_t at, int64_t number) {
    if (w->message_lines == 0)
        return false;
    if (++w->message_lines > MAX_MESSAGE_LINES || line_starts_record(line->text)) {
        finding_settle(log, w);
        return false;
    }
    if (w->message_lines <= 3)
        continue_message(log, w, line->text);
    bool is_general = w->pending.role == ROLE_LAST || w->pending.row == NULL || w->pending.row->place != IN_LINE ||
                      w->pending.role == ROLE_SYMPTOM || w->pending.role == ROLE_ADVICE;
    if (row == NULL || row->role > ROLE_SYMPTOM || !is_general ||
        (row->role == ROLE_SYMPTOM && w->pending.role == ROLE_SYMPTOM))
        return false;
    struct finding better = finding_make(line, w, row, number, at);
    better.is_exception = w->pending.is_exception;
    memcpy(better.frame, w->pending.frame, sizeof better.frame);
    w->pending = better;
    return true;
}
