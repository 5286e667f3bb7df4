#include "rootcause/traceback.h"

#include "base/mem.h"
#include "rootcause/exception_text.h"

#include <ctype.h>
#include <stdio.h>

enum { MAX_LINES = 2000, MAX_LINES_AFTER_CUT = 12 };

static const char start_words[] = "Traceback (most recent call last)";

/* ---- frames ---- */

static bool is_installed(struct slice path) {
    static const char *const words[] = {"site-packages", "dist-packages", "/lib/python", "lib/python3",
                                        "<frozen",       "<string>",      "\\lib\\",     "/importlib/"};
    if (!slice_contains(path, "-packages") && !slice_contains(path, "lib") && slice_find_char(path, '<') == NULL)
        return false; /* every word has one of them */
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (slice_contains(path, words[i]))
            return true;
    return false;
}

static struct slice base_name(struct slice path) {
    for (size_t n = path.size_bytes; n > 0; n--)
        if (path.data[n - 1] == '/' || path.data[n - 1] == '\\')
            return slice_skip(path, n);
    return path;
}

static bool is_row_of(const struct signature *row, enum rootcause_class c) {
    return row != NULL && row->class_ == c;
}

static void name_frame(struct named_frame *frame, const struct signature *row, struct slice text) {
    frame->row = row;
    frame->count++;
    slice_copy(frame->text, sizeof frame->text, text);
}

static void name_source(struct traceback *t, const struct matcher *m, struct slice text) {
    t->source.row = NULL;
    const struct signature *row = matcher_within(m, IN_FRAME, text);
    if (row != NULL)
        name_frame(&t->source, row, text);
    t->is_of_settings |= is_row_of(row, CLASS_CONFIG_ERROR);
}

/* Frames that read the data of training: torch's loader, and what programs call theirs. */
static bool is_of_loading(struct slice path, struct slice function) {
    static const char *const words[] = {"dataset", "data_load", "dataload", "load_data", "train_loader", "data_module"};
    struct slice file = base_name(path), names[] = {file, function};
    for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
        bool may_be = slice_contains(names[n], "data") || slice_contains(names[n], "_loader"); /* every word has one */
        for (size_t i = 0; i < ARRAY_SIZE(words) && may_be; i++)
            if (slice_contains(names[n], words[i]))
                return true;
    }
    return slice_contains(path, "torch/utils/data/");
}

/* number: 0 if the frame names no line. The deepest frame that the table names decides; the program's own frames name
 * nothing of a library. What a module runs when it is imported says nothing of what it is for. */
static void note_frame(struct traceback *t, const struct matcher *m, struct slice path, int64_t number,
                       struct slice function, struct slice whole) {
    const struct signature *row = matcher_within(m, IN_FRAME, whole);
    if (row != NULL)
        name_frame(&t->named, row, whole);
    t->raised.row = NULL;
    row = slice_contains(function, "<module>") ? NULL : matcher_within(m, IN_RAISED, whole);
    if (row != NULL && row->role != ROLE_ADVICE)
        name_frame(&t->raised, row, whole);
    t->is_loading |=
        is_row_of(t->named.row, CLASS_DATA_ERROR) || is_row_of(row, CLASS_DATA_ERROR) || is_of_loading(path, function);
    t->is_of_data_set = is_of_loading(path, function) && !slice_contains(path, "torch/utils/data/") &&
                        !slice_contains(function, "<module>");
    t->is_starting |= slice_contains(function, "init_process_group");
    t->is_of_spawn = slice_is(base_name(path), "spawn.py") && slice_is(function, "_main"); /* CPython multiprocessing */
    t->source.row = NULL;
    if (is_installed(path) || (t->is_reversed && t->frame[0] != '\0'))
        return;
    char name[48], in[48], at[24] = "";
    slice_copy(name, sizeof name, base_name(path));
    slice_copy(in, sizeof in, function);
    if (number > 0)
        snprintf(at, sizeof at, ":%lld", (long long)number);
    snprintf(t->frame, sizeof t->frame, "%s%s%s%s", name, at, in[0] ? " in " : "", in);
}

/* A frame of another style, in the words of a plain one: the table knows those. */
static void note_styled_frame(struct traceback *t, const struct matcher *m, struct slice path, int64_t number,
                              struct slice function) {
    char plain[4 * TRACEBACK_FRAME_BYTES];
    int path_bytes = path.size_bytes > sizeof plain / 2 ? (int)(sizeof plain / 2) : (int)path.size_bytes;
    int name_bytes = function.size_bytes > sizeof plain / 4 ? (int)(sizeof plain / 4) : (int)function.size_bytes;
    snprintf(plain, sizeof plain, "File \"%.*s\", line %lld, in %.*s", path_bytes,
             path.data + path.size_bytes - path_bytes, (long long)number, name_bytes, function.data);
    note_frame(t, m, path, number, function, slice_of(plain));
}

/* IPython before 8: "~/a/train.py in step(x)", "<ipython-input-1-2> in <module>". Colab makes links of them:
 * "[/a/train.py](https://localhost:8080/#) in step(x)". */
static bool take_old_ipython_frame(struct traceback *t, const struct matcher *m, struct slice text) {
    const char *in = slice_find(text, ".py in ");
    struct slice path, function;
    if (in != NULL)
        path = slice_range(text.data, in + 3), function = slice_range(in + 7, text.data + text.size_bytes);
    else if (slice_starts(text, "<ipython-input-") && (in = slice_find(text, "> in ")) != NULL)
        path = slice_range(text.data, in + 1), function = slice_range(in + 5, text.data + text.size_bytes);
    else if (slice_starts(text, "[") && (in = slice_find(text, ") in ")) != NULL && slice_contains(text, "](http"))
        path = slice_range(text.data + 1, slice_find(text, "](http")),
        function = slice_range(in + 5, text.data + text.size_bytes);
    else
        return false;
    if (slice_find_char(path, ' ') != NULL || slice_find_char(path, '"') != NULL)
        return false;
    struct slice name = function;
    slice_take_until(&function, '(', &name);
    note_styled_frame(t, m, path, 0, name);
    return true;
}

/* IPython marks the line of source that a frame runs: "--> 12     step(x)". */
static bool take_arrow(struct traceback *t, const struct matcher *m, struct slice text, struct slice *source) {
    struct slice rest = text;
    int64_t number;
    while (slice_take_char(&rest, '-'))
        ;
    if (rest.data == text.data || !slice_take_prefix(&rest, "> ") || !slice_take_uint(&rest, &number))
        return false;
    name_source(t, m, rest);
    *source = slice_trim(rest);
    return true;
}

/* IPython: "File ~/a/train.py:12, in step(x)". */
static bool take_ipython_frame(struct traceback *t, const struct matcher *m, struct slice text) {
    struct slice rest = text, path, function;
    int64_t number;
    if (!slice_take_prefix(&rest, "File ") || !slice_take_until(&rest, ':', &path) ||
        !slice_take_uint(&rest, &number) || !slice_take_prefix(&rest, ", in "))
        return false;
    if (!slice_take_until(&rest, '(', &function))
        function = rest;
    note_styled_frame(t, m, path, number, function);
    return true;
}

/* 'File "/a/train.py", line 12, in step'; faulthandler: 'File "/a/train.py", line 12 in step'. */
static bool take_frame(struct traceback *t, const struct matcher *m, struct slice text) {
    struct slice rest = text, path;
    int64_t number;
    if (!slice_take_prefix(&rest, "File \"") || !slice_take_until(&rest, '"', &path) ||
        !slice_take_prefix(&rest, ", line ") || !slice_take_uint(&rest, &number))
        return false;
    slice_take_char(&rest, ',');
    slice_take_prefix(&rest, " in ");
    note_frame(t, m, path, number, rest, text);
    return true;
}

/* A line of a box of rich: its text, without the edges. */
static bool is_boxed(struct slice text, struct slice *content) {
    static const char *const edges[] = {"\xe2\x94\x82", "\xe2\x95\xad", "\xe2\x95\xb0",
                                        "\xe2\x94\x83", "\xe2\x94\x8f", "\xe2\x94\x97"};
    if (text.size_bytes == 0 || text.data[0] != edges[0][0]) /* most lines */
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
        if (!slice_starts(text, edges[i]))
            continue;
        *content = slice_skip(text, strlen(edges[i]));
        if (slice_ends(*content, edges[i]))
            content->size_bytes -= strlen(edges[i]);
        slice_take_char(content, ' ');
        return true;
    }
    return false;
}

/* "/a/train.py:12 in step" */
static bool take_box_frame(struct traceback *t, const struct matcher *m, struct slice text) {
    struct slice rest = text, path;
    int64_t number;
    if (!slice_take_until(&rest, ':', &path))
        return false;
    rest = slice_trim(rest);
    if (!slice_take_uint(&rest, &number))
        return false;
    slice_take_char(&rest, ' '); /* there the box may have wrapped it */
    if (!slice_take_prefix(&rest, "in "))
        return false;
    size_t n = 0;
    while (n < rest.size_bytes && rest.data[n] != ' ')
        n++;
    note_styled_frame(t, m, path, number, (struct slice){rest.data, n});
    return true;
}

/* "/a/train.py:12", alone or before " in step". */
static bool is_unboxed_frame(struct slice text) {
    int64_t number;
    const char *at =
        text.size_bytes > 0 && (text.data[0] == '/' || text.data[0] == '~') ? slice_find(text, ".py:") : NULL;
    if (at == NULL)
        return false;
    struct slice rest = slice_range(at + strlen(".py:"), text.data + text.size_bytes);
    return slice_take_uint(&rest, &number) && (rest.size_bytes == 0 || slice_starts(rest, " in "));
}

/* rich marks the line of source that a frame runs: "❱ 12 │   step(x)". */
static bool take_marked_source(struct slice content, struct slice *source) {
    int64_t number;
    if (!slice_take_prefix(&content, "\xe2\x9d\xb1"))
        return false;
    content = slice_trim(content);
    if (!slice_take_uint(&content, &number))
        return false;
    do
        content = slice_trim(content);
    while (slice_take_prefix(&content, "\xe2\x94\x82"));
    *source = content;
    return true;
}

/* rich: "│ /a/train.py:12 in step                  │", or the same without the box, as people paste it. A narrow box
 * wraps that within the path, after its colon, or before the function. */
static bool take_rich(struct traceback *t, const struct matcher *m, struct slice text, struct slice *source) {
    struct slice content = text;
    bool is_in_box = is_boxed(text, &content), is_rest = t->boxed[0] != '\0';
    if (take_marked_source(slice_trim(content), source)) {
        name_source(t, m, *source);
        t->boxed[0] = '\0';
        return true;
    }
    if (!is_in_box)
        is_rest = is_rest && slice_starts(text, "in ");
    bool is_frame = is_in_box ? content.size_bytes > 0 && content.data[0] != ' ' : is_rest || is_unboxed_frame(text);
    if (!is_in_box && !is_frame)
        return false;
    content = slice_trim(content);
    size_t size = is_frame && is_rest ? strlen(t->boxed) : 0;
    t->boxed[size] = '\0';
    if (!is_frame)
        return true;
    slice_copy(t->boxed + size, sizeof t->boxed - size, content);
    size = strlen(t->boxed);
    if (slice_ends(content, " in") && size + 1 < sizeof t->boxed) /* wrapped before the function's name */
        memcpy(t->boxed + size, " ", sizeof " ");
    if (take_box_frame(t, m, slice_of(t->boxed)))
        t->boxed[0] = '\0';
    return true;
}

/* ---- exceptions ---- */

/* Source that a frame runs: "raise ValueError(...)". */
static bool is_raise(struct slice source, struct slice *exception) {
    if (!slice_take_prefix(&source, "raise "))
        return false;
    *exception = source;
    return exception_text_has_ending(exception_text_name(source));
}

/* IPython names the exception above the frames as well: "ValueError      Traceback (most recent call last)". */
static bool is_headed(struct slice text, struct slice *exception) {
    *exception = exception_text_name(text);
    struct slice rest = slice_range(exception->data + exception->size_bytes, text.data + text.size_bytes);
    return rest.size_bytes > 0 && rest.data[0] == ' ' && slice_starts(slice_trim(rest), start_words) &&
           exception_text_has_ending(*exception);
}

/* ---- lines ---- */

/* is_original: of the worker whose exception a data loader reports. */
static void begin(struct traceback *t, bool is_reversed, bool is_original) {
    bool is_carried = t->is_carried && (is_original || t->is_chained);
    bool is_ignored = t->is_ignored, is_chained = t->is_chained, is_thread = t->is_thread;
    bool is_handling = t->is_handling;
    *t = (struct traceback){.is_open = true,
                            .is_ignored = is_ignored,
                            .is_chained = is_chained,
                            .is_handling = is_handling,
                            .is_thread = is_thread,
                            .is_carried = is_carried,
                            .is_loading = is_carried,
                            .is_reversed = is_reversed};
}

static bool is_marker(struct slice text) {
    for (size_t i = 0; i < text.size_bytes; i++)
        if (strchr("~^ ", text.data[i]) == NULL)
            return false;
    return true;
}

/* Lines between the tracebacks of a chain, and before those that end nothing. */
static bool take_between(struct traceback *t, struct slice text) {
    bool is_handling = slice_starts(text, "During handling of the above exception");
    if (is_handling || slice_starts(text, "The above exception was the direct cause")) {
        t->is_chained = true;
        t->is_handling = is_handling;
        return true;
    }
    if (slice_starts(text, "Exception ignored in") || slice_starts(text, "--- Logging error ---") ||
        slice_is(text, "Call stack:") || slice_starts(text, "Error in atexit._run_exitfuncs") ||
        slice_starts(text, "Exception ignored on")) {
        t->is_ignored = true;
        return true;
    }
    if (slice_starts(text, "Exception in thread") && !slice_starts(text, "Exception in thread \"")) { /* Java */
        t->is_thread = true;
        return true;
    }
    return false;
}

static enum traceback_line take_open(struct traceback *t, const struct matcher *m, struct slice text,
                                     size_t indentation, struct slice *exception) {
    bool is_outside = t->is_indented && indentation == 0; /* a frame of Cython has no line of source */
    bool had_source_next = t->has_source_next && !is_outside;
    t->has_source_next = false;
    struct slice source = {text.data, 0};
    if (take_ipython_frame(t, m, text) || take_old_ipython_frame(t, m, text) || take_arrow(t, m, text, &source) ||
        take_rich(t, m, text, &source)) {
        t->has_frame = true;
        return is_raise(source, exception) ? TRACEBACK_RAISES : TRACEBACK_INSIDE;
    }
    if (take_frame(t, m, text)) {
        t->has_frame = t->has_source_next = true;
        t->is_indented = indentation > 0;
        return TRACEBACK_INSIDE;
    }
    if (is_marker(text) || slice_starts(text, "[Previous line repeated"))
        return TRACEBACK_INSIDE;
    bool is_certain = t->has_frame && indentation <= 1 && !had_source_next;
    if (!t->is_reversed && exception_text_find(text, is_certain, exception)) {
        t->is_open = false;
        return TRACEBACK_EXCEPTION;
    }
    if (had_source_next && !t->is_reversed)
        name_source(t, m, text);
    if (had_source_next && !t->is_reversed && is_raise(text, exception))
        return TRACEBACK_RAISES;
    if ((had_source_next && !t->is_reversed) || indentation >= 3)
        return TRACEBACK_INSIDE;
    if (++t->lines > MAX_LINES || t->is_reversed)
        t->is_open = false;
    return TRACEBACK_OUTSIDE;
}

/* "2026-11-20 10:00:00 [rank=3] || Traceback ...": the next lines have a prefix of the same size, if a frame comes
 * there. */
static void drop_column(struct traceback *t, struct slice *text, size_t *indentation) {
    if (!t->is_open || t->column == 0 || text->size_bytes <= t->column)
        return;
    struct slice rest = slice_skip(*text, t->column), trimmed = slice_trim(rest);
    t->has_column |= slice_starts(trimmed, "File \"");
    if (!t->has_column || trimmed.size_bytes == 0)
        return;
    *indentation = (size_t)(trimmed.data - rest.data);
    *text = trimmed;
}

/* A frame whose traceback started before the log, perhaps behind a logger's prefix: where its line starts without it.
 */
static const char *cut_off_frame(struct slice text) {
    struct slice rest = text, path;
    int64_t number;
    if (slice_take_prefix(&rest, "File ") && slice_take_until(&rest, ':', &path) && slice_take_uint(&rest, &number) &&
        slice_starts(rest, ", in "))
        return text.data;
    if (is_boxed(text, &rest) && slice_starts(rest, "/") && slice_contains(rest, ".py:"))
        return text.data;
    if (is_unboxed_frame(text))
        return text.data;
    if (slice_find_char(text, '"') == NULL)
        return NULL;
    const char *at = slice_starts(text, "File \"") ? text.data : slice_find(text, "  File \"");
    return at != NULL && slice_contains(slice_range(at, text.data + text.size_bytes), ", line ") ? at : NULL;
}

/* "Traceback (most recent call last): File ...": all of it is in one line, where only its message counts. */
static bool is_flattened(struct slice text) {
    struct slice rest = slice_range(slice_find(text, start_words), text.data + text.size_bytes);
    return slice_take_prefix(&rest, start_words) && slice_take_prefix(&rest, ": File \"");
}

static enum traceback_line take(struct traceback *t, const struct matcher *m, struct slice text, size_t indentation,
                                struct slice *exception) {
    while (slice_take_prefix(&text, "| ")) /* of an exception group */
        text = slice_trim(text);
    drop_column(t, &text, &indentation);
    bool is_of_cpp = slice_starts(text, "Exception raised from"); /* torch c10 */
    bool is_reversed = !is_of_cpp && slice_ends(text, "(most recent call first):");
    if (is_reversed || (slice_contains(text, start_words) && !is_flattened(text))) {
        begin(t, is_reversed, slice_contains(text, "Original Traceback"));
        if (t->is_open && !is_reversed)
            t->column = (size_t)(slice_find(text, start_words) - text.data);
        return is_headed(text, exception) ? TRACEBACK_HEADED : TRACEBACK_INSIDE;
    }
    if (take_between(t, text))
        return TRACEBACK_INSIDE;
    const char *frame = t->is_open ? NULL : cut_off_frame(text);
    if (frame != NULL) {
        begin(t, false, false);
        t->column = (size_t)(frame - text.data);
        drop_column(t, &text, &indentation);
    }
    if (t->is_open)
        return take_open(t, m, text, indentation, exception);
    return exception_text_bare(m, text, exception, &t->is_caused) ? TRACEBACK_BARE : TRACEBACK_OUTSIDE;
}

enum traceback_line traceback_take(struct traceback *t, const struct matcher *m, struct slice text, size_t indentation,
                                   struct slice *exception) {
    enum traceback_line kind = take(t, m, text, indentation, exception);
    bool is_named = kind == TRACEBACK_EXCEPTION || kind == TRACEBACK_BARE;
    t->module = is_named ? matcher_module(m, exception_text_modules(text, *exception)) : NULL;
    return kind;
}

const struct signature *traceback_row(const struct traceback *t) {
    const struct signature *row = t->raised.row != NULL ? t->raised.row : t->named.row;
    return row != NULL ? row : t->source.row;
}

/* What reads a configuration is on the way to everything else: the frame after it may be missing. */
const struct named_frame *traceback_cut(const struct traceback *t) {
    if (!t->is_open || t->is_reversed || t->is_ignored || t->is_thread)
        return NULL;
    if (t->raised.row != NULL && !is_row_of(t->raised.row, CLASS_CONFIG_ERROR) && t->lines <= MAX_LINES_AFTER_CUT)
        return &t->raised;
    bool is_source = t->source.row != NULL && !is_row_of(t->source.row, CLASS_CONFIG_ERROR);
    if (is_source && t->lines <= MAX_LINES_AFTER_CUT)
        return &t->source;
    return t->named.row != NULL ? &t->named : NULL;
}

bool traceback_is_of_start(const struct traceback *t) {
    return t->is_starting || is_row_of(t->named.row, CLASS_STARTUP_RENDEZVOUS) ||
           is_row_of(t->source.row, CLASS_STARTUP_RENDEZVOUS);
}
