#include "rootcause/exception_text.h"

#include "base/mem.h"

#include <ctype.h>

enum { MAX_HEAD_PARTS = 8 };

static bool is_name_byte(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

bool exception_text_has_ending(struct slice name) {
    static const char *const ends[] = {"Error",   "Exception",     "Interrupt", "Exit",    "Timeout", "Empty",
                                       "Failure", "StopIteration", "Stopped",   "Aborted", "Killed",  "NotFound",
                                       "Expired", "Lost",          "Died",      "Warning"};
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        if (slice_ends(name, ends[i]))
            return true;
    return false;
}

/* "google.api_core.exceptions.Forbidden", "lmdb.Error": the module says that it is an exception, or the name alone
 * does.
 */
static bool is_of_exceptions(struct slice module, struct slice name) {
    return slice_contains(module, "exceptions.") || slice_contains(module, "errors.") || slice_is(name, "error") ||
           slice_is(name, "Error");
}

/* "torch.cuda.OutOfMemoryError: text", "KeyboardInterrupt", "ray.exceptions.RayTaskError(ValueError): text". */
bool exception_text_find(struct slice text, bool is_certain, struct slice *exception) {
    size_t start = 0, n = 0;
    while (n < text.size_bytes && (is_name_byte(text.data[n]) || text.data[n] == '.')) {
        if (text.data[n] == '.')
            start = n + 1;
        n++;
    }
    struct slice name = {text.data + start, n - start};
    if (slice_is(name, "UnfilteredStackTrace") && slice_starts(slice_skip(text, n), ": ")) /* JAX, of another one */
        return exception_text_find(slice_skip(text, n + 2), is_certain, exception);
    if (name.size_bytes < 3 || (!isupper((unsigned char)name.data[0]) && name.data[0] != '_' && start == 0))
        return false;
    if (slice_starts(slice_skip(text, n), " (see above for traceback):")) { /* TensorFlow 1 */
        *exception = slice_skip(text, start);
        return true;
    }
    if (n < text.size_bytes && text.data[n] == '(') {
        const char *close = slice_find_char(slice_skip(text, n), ')');
        if (close == NULL || close + 1 == text.data + text.size_bytes || close[1] != ':')
            return false;
    } else if (n < text.size_bytes && text.data[n] != ':') {
        return false;
    }
    if (n + 1 < text.size_bytes && text.data[n] == ':' && text.data[n + 1] != ' ')
        return false;
    bool is_dotted = start > 0;
    bool is_warning = !is_certain && slice_ends(name, "Warning");
    if (is_dotted && n < text.size_bytes && !is_warning && is_of_exceptions((struct slice){text.data, start}, name)) {
        *exception = slice_skip(text, start);
        return true;
    }
    if (!exception_text_has_ending(name) && !(is_certain && (is_dotted || n < text.size_bytes)))
        return false;
    if (!is_certain && slice_is(name, "Error")) /* of a shell's or a launcher's message */
        return false;
    if (!is_certain && (is_warning || !(slice_ends(name, "Error") || slice_ends(name, "Exception") ||
                                        slice_is(name, "KeyboardInterrupt"))))
        return false;
    *exception = slice_skip(text, start);
    return true;
}

struct slice exception_text_name(struct slice text) {
    size_t start = 0, n = 0;
    while (n < text.size_bytes && (is_name_byte(text.data[n]) || text.data[n] == '.'))
        if (text.data[n++] == '.')
            start = n;
    return (struct slice){text.data + start, n - start};
}

/* "zipfile.BadZipFile: text": the table knows the name, or a module whose class it is. */
static bool find_named(const struct matcher *m, struct slice text, struct slice *exception) {
    struct slice name = exception_text_name(text), rest = text;
    if (name.data == text.data || name.size_bytes == 0)
        return false;
    rest = slice_range(name.data + name.size_bytes, text.data + text.size_bytes);
    bool is_class = isupper((unsigned char)name.data[0]) && slice_starts(rest, ": ") && !slice_ends(name, "Warning");
    bool is_known = is_class && matcher_module(m, slice_range(text.data, name.data)) != NULL;
    if ((rest.size_bytes > 0 && !slice_starts(rest, ": ")) || (!is_known && !matcher_names_exception(m, name)))
        return false;
    *exception = slice_range(name.data, text.data + text.size_bytes);
    return true;
}

/* "botocore.exceptions.": the modules before an exception's name. */
struct slice exception_text_modules(struct slice text, struct slice exception) {
    const char *from = exception.data;
    while (from > text.data && (is_name_byte(from[-1]) || from[-1] == '.'))
        from--;
    return slice_range(from, exception.data);
}

static bool names_lower_level(struct slice word) {
    static const char *const levels[] = {"WARN", "INFO", "DEBUG", "warn", "info"};
    static const char initials[] = "WIDwi";
    for (size_t at = 0; at < word.size_bytes; at++) {
        const char *initial = memchr(initials, word.data[at], strlen(initials));
        if (initial != NULL && slice_starts(slice_skip(word, at), levels[initial - initials]))
            return true;
    }
    return false;
}

/* What a logger writes before a message: groups in brackets, dates and times, a level that ends the program. Empty: the
 * level is lower. */
static struct slice after_head(struct slice text) {
    static const char *const levels[] = {"ERROR", "CRITICAL", "FATAL", "error", "stderr"};
    for (int parts = 0; parts < MAX_HEAD_PARTS; parts++) {
        text = slice_trim(text);
        const char *end = text.data, *after = text.data + text.size_bytes;
        bool is_group = end < after && (*end == '[' || *end == '{');
        if (is_group)
            end = slice_find_char(text, *end == '[' ? ']' : '}');
        while (end != NULL && end < after && *end != ' ')
            end++;
        if (end == NULL)
            return text;
        struct slice word = slice_range(text.data, end);
        if (names_lower_level(word))
            return (struct slice){end, 0};
        bool is_skipped = is_group || (end < after && strchr("0123456789|-:>", *text.data) != NULL);
        for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
            is_skipped |= slice_starts(word, levels[i]) && word.size_bytes <= strlen(levels[i]) + 1;
        if (!is_skipped)
            return text;
        text = slice_range(end, after);
    }
    return text;
}

/* 'Exception in thread "main" ' and "Caused by: " stand before an exception of Java, ": " before one that py4j carries,
 * and Spark puts the exception of a task into its own. Returns whether it caused those above. */
static bool take_java_head(struct slice *text) {
    struct slice rest = *text, thread;
    const char *task = slice_find(*text, "most recent failure: Lost task ");
    const char *end = task != NULL ? slice_find(slice_range(task, text->data + text->size_bytes), "): ") : NULL;
    if (end != NULL)
        *text = slice_range(end + strlen("): "), text->data + text->size_bytes);
    if (slice_take_prefix(&rest, "Exception in thread \"") && slice_take_until(&rest, '"', &thread))
        *text = slice_trim(rest);
    slice_take_prefix(text, ": ");
    return slice_take_prefix(text, "Caused by: ");
}

/* "Error in f: FileNotFoundError(2, 'No such file')": how str.format and loggers show an exception, at the end of a
 * line that names an error. */
static bool find_shown(struct slice text, struct slice *exception) {
    if (!slice_ends(text, ")") || slice_starts(text, "raise "))
        return false;
    const char *at = slice_find(text, "Error(");
    if (at == NULL)
        return false;
    const char *from = at;
    while (from > text.data && is_name_byte(from[-1]))
        from--;
    struct slice before = slice_range(text.data, from);
    bool says_error = slice_contains(before, "rror") || slice_contains(before, "ERROR") ||
                      slice_contains(before, "ailed") || slice_contains(before, "xception");
    *exception = slice_range(from, text.data + text.size_bytes);
    return says_error && slice_ends(before, ": ") && isupper((unsigned char)*from);
}

static bool is_found(const struct matcher *m, struct slice text, struct slice *exception) {
    return exception_text_find(text, false, exception) || find_named(m, text, exception);
}

bool exception_text_bare(const struct matcher *m, struct slice text, struct slice *exception, bool *is_caused) {
    if (slice_take_prefix(&text, "E   ")) /* pytest */
        text = slice_trim(text);
    *is_caused = take_java_head(&text);
    if (is_found(m, text, exception))
        return true;
    if (find_shown(text, exception))
        return true;
    struct slice message = after_head(text);
    bool has_head = message.data != text.data || message.size_bytes != text.size_bytes;
    *is_caused = has_head && take_java_head(&message);
    return has_head && is_found(m, message, exception);
}
