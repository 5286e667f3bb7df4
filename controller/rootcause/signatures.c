#include "rootcause/signatures.h"

#include "base/embed.h"
#include "base/literals.h"
#include "base/mem.h"
#include "rootcause/notable_words.h"

#include <assert.h>
#include <ctype.h>

EMBED(signature_table, "controller/rootcause/signatures.tsv");

enum { MAX_FITS = 1024, PATH_BYTES = 512 };

/* The rows of one place, by what their patterns start with. */
struct heads {
    struct literals *literals;
    const struct signature **rows; /* of each literal */
    size_t count;
};

struct matcher {
    struct signature *rows;
    size_t count;
    struct heads heads[PLACE_COUNT];
    struct literals *notable;
};

/* ---- the table ---- */

static int index_of(struct slice name, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (slice_is(name, names[i]))
            return (int)i;
    return -1;
}

static int role_of(struct slice name) {
    static const char *const names[] = {
#define X(id, text) text,
        ROOTCAUSE_ROLES(X)
#undef X
    };
    return index_of(name, names, ARRAY_SIZE(names));
}

static int owner_of(struct slice name, int class_) {
    int owner = rootcause_owner_find(name);
    if (owner >= 0)
        return owner;
    return slice_is(name, "-") ? (int)rootcause_class_owner((enum rootcause_class)class_) : -1;
}

static bool is_gap(char c) {
    return c == '*' || c == '#' || c == '?';
}

static size_t literal_size(struct slice pattern) {
    size_t n = 0;
    while (n < pattern.size_bytes && !is_gap(pattern.data[n]))
        n++;
    return n;
}

/* A row that breaks the rules of the table is our own mistake: the tests read it, too. */
static struct signature read_row(struct slice line) {
    static const char *const places[] = {"line", "exception", "value", "message", "name",
                                         "path", "module",    "frame", "raised"};
    struct slice class_name, role, place, owner;
    struct signature row = {0};
    bool is_whole = slice_take_until(&line, '\t', &class_name) && slice_take_until(&line, '\t', &role) &&
                    slice_take_until(&line, '\t', &place) && slice_take_until(&line, '\t', &owner) &&
                    slice_take_until(&line, '\t', &row.reason) && slice_take_until(&line, '\t', &row.pattern);
    assert(is_whole && slice_find_char(line, '\t') == NULL);
    int class_ = rootcause_class_find(class_name), role_found = role_of(role),
        owner_found = owner_of(owner, class_ < 0 ? 0 : class_);
    int place_found = index_of(place, places, ARRAY_SIZE(places));
    assert(class_ >= 0 && role_found >= 0 && owner_found >= 0 && place_found >= 0);
    row.class_ = (enum rootcause_class)class_;
    row.role = (enum rootcause_role)role_found;
    row.owner = (enum rootcause_owner)owner_found;
    row.place = (enum signature_place)place_found;
    row.source = line;
    row.head = (struct slice){row.pattern.data, literal_size(row.pattern)};
    assert(row.head.size_bytes >= LITERALS_MIN_BYTES);
    return row;
}

static size_t count_rows(const struct matcher *m, enum signature_place place) {
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++)
        count += m->rows[i].place == place;
    return count;
}

static void find_heads(struct matcher *m, enum signature_place place) {
    struct heads *heads = &m->heads[place];
    size_t count = count_rows(m, place);
    CLEANUP_FREE struct slice *texts = mem_resize(NULL, count + 1, sizeof *texts);
    heads->rows = mem_resize(NULL, count + 1, sizeof *heads->rows);
    for (size_t i = 0; i < m->count; i++)
        if (m->rows[i].place == place) {
            texts[heads->count] = m->rows[i].head;
            heads->rows[heads->count++] = &m->rows[i];
        }
    heads->literals = literals_new(texts, heads->count);
}

/* What matcher_may_find() looks for. */
static void find_notable(struct matcher *m) {
    static const char *const words[] = {
#define X(text) text,
        NOTABLE_WORDS(X)
#undef X
    };
    CLEANUP_FREE struct slice *texts = mem_resize(NULL, m->count + ARRAY_SIZE(words), sizeof *texts);
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        texts[count++] = slice_of(words[i]);
    for (size_t i = 0; i < m->count; i++)
        if (m->rows[i].place == IN_LINE || m->rows[i].place == IN_EXCEPTION || m->rows[i].place == IN_MODULE)
            texts[count++] = m->rows[i].head;
    m->notable = literals_new(texts, count);
}

/* Skips comments. False: the table ends. */
static bool take_row(struct slice *table, struct slice *line) {
    while (slice_take_line(table, line))
        if (line->size_bytes > 0 && line->data[0] != '#')
            return true;
    return false;
}

struct matcher *matcher_new(void) {
    struct matcher *m = mem_new(struct matcher);
    struct slice line, table = embedded(signature_table), rest = table;
    size_t count = 0;
    while (take_row(&rest, &line))
        count++;
    m->rows = mem_resize(NULL, count + 1, sizeof *m->rows);
    while (take_row(&table, &line))
        m->rows[m->count++] = read_row(line);
    for (int place = 0; place < PLACE_COUNT; place++)
        find_heads(m, (enum signature_place)place);
    find_notable(m);
    return m;
}

void matcher_free(struct matcher *m) {
    if (m == NULL)
        return;
    for (int place = 0; place < PLACE_COUNT; place++) {
        literals_free(m->heads[place].literals);
        free(m->heads[place].rows);
    }
    literals_free(m->notable);
    free(m->rows);
    free(m);
}

const struct signature *matcher_rows(const struct matcher *m, size_t *count) {
    *count = m->count;
    return m->rows;
}

/* ---- matching ---- */

static bool take_digits(struct slice *text) {
    size_t n = 0;
    while (n < text->size_bytes && text->data[n] >= '0' && text->data[n] <= '9')
        n++;
    *text = slice_skip(*text, n);
    return n > 0;
}

/* Whether the text begins with the pattern. Each '*' takes the shortest text after which its literal fits. */
static bool fits(struct slice pattern, struct slice text) {
    while (pattern.size_bytes > 0) {
        if (slice_take_char(&pattern, '#')) {
            if (!take_digits(&text))
                return false;
            continue;
        }
        if (slice_take_char(&pattern, '?')) {
            if (text.size_bytes == 0)
                return false;
            text = slice_skip(text, 1);
            continue;
        }
        bool is_any = slice_take_char(&pattern, '*');
        struct slice piece = {pattern.data, literal_size(pattern)};
        pattern = slice_skip(pattern, piece.size_bytes);
        if (piece.size_bytes == 0)
            continue;
        const char *at = text.size_bytes < piece.size_bytes ? NULL
                         : is_any ? memmem(text.data, text.size_bytes, piece.data, piece.size_bytes)
                                  : (memcmp(text.data, piece.data, piece.size_bytes) == 0 ? text.data : NULL);
        if (at == NULL)
            return false;
        text = slice_range(at + piece.size_bytes, text.data + text.size_bytes);
    }
    return true;
}

/* The first row of the table whose text is within this one. */
static const struct signature *find(const struct matcher *m, enum signature_place place, struct slice line,
                                    size_t *at) {
    const struct heads *heads = &m->heads[place];
    const struct signature *best = NULL;
    int tries = 0;
    for (struct literals_hit hit = {0}; literals_next(heads->literals, line, &hit);) {
        const struct signature *row = heads->rows[hit.number];
        if (best != NULL && row >= best)
            continue;
        struct slice text = slice_skip(line, hit.at);
        if (text.size_bytes > SIGNATURE_REACH)
            text.size_bytes = SIGNATURE_REACH;
        size_t head = row->head.size_bytes;
        if (head < row->pattern.size_bytes &&
            (++tries > MAX_FITS || !fits(slice_skip(row->pattern, head), slice_skip(text, head))))
            continue;
        best = row;
        if (at != NULL)
            *at = hit.at;
    }
    return best;
}

bool matcher_may_find(const struct matcher *m, struct slice text) {
    struct literals_hit hit = {0};
    return literals_next(m->notable, text, &hit);
}

const struct signature *matcher_find(const struct matcher *m, struct slice line, size_t *at) {
    return find(m, IN_LINE, line, at);
}

const struct signature *matcher_within(const struct matcher *m, enum signature_place place, struct slice text) {
    return find(m, place, text, NULL);
}

const struct signature *matcher_module(const struct matcher *m, struct slice modules) {
    const struct heads *heads = &m->heads[IN_MODULE];
    const struct signature *best = NULL;
    for (struct literals_hit hit = {0}; literals_next_at_start(heads->literals, modules, &hit);)
        if (best == NULL || heads->rows[hit.number] < best)
            best = heads->rows[hit.number];
    return best;
}

/* Whatever is wrong raises these: the message says what. */
static bool is_of_any_value(struct slice name) {
    return slice_is(name, "ValueError") || slice_is(name, "AssertionError") || slice_is(name, "Exception");
}

/* "KeyError: 'x'" names a key; a sentence there says what was wrong, as the message of a ValueError does. */
static bool is_sentence(struct slice message) {
    enum { MIN_SPACES = 4 };
    size_t spaces = 0;
    for (size_t i = 0; i < message.size_bytes && message.data[i] != '('; i++)
        spaces += message.data[i] == ' ' && i > strlen(": ");
    return spaces >= MIN_SPACES;
}

bool signature_is_general(struct slice name) {
    static const char *const names[] = {"RuntimeError", "OSError",         "IOError",       "EnvironmentError",
                                        "SystemError",  "XlaRuntimeError", "InternalError", "JaxRuntimeError",
                                        "TimeoutError", "UnknownError"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (slice_is(name, names[i]))
            return true;
    return is_of_any_value(name);
}

/* A library's exception, whose message says what is wrong. The names of Python and TensorFlow say it already. */
static bool is_of_library(struct slice name) {
    static const char *const names[] = {
        "ArithmeticError", "AttributeError",  "EOFError",          "FailedPreconditionError",
        "ImportError",     "IndexError",      "IndentationError",  "InvalidArgumentError",
        "KeyError",        "LookupError",     "NameError",         "ModuleNotFoundError",
        "NotFoundError",   "OutOfRangeError", "OverflowError",     "NotImplementedError",
        "SyntaxError",     "TypeError",       "UnboundLocalError", "UnimplementedError"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (slice_is(name, names[i]))
            return false;
    bool is_class = name.size_bytes > 0 && isupper((unsigned char)name.data[0]) && slice_find_char(name, '(') == NULL;
    return is_class && !signature_is_general(name);
}

static bool has_any(struct slice text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (slice_contains(text, words[i]))
            return true;
    return false;
}

/* Whether an exception reports a file that is absent or cannot be opened: by its name, or by words and a path. */
static bool is_of_file(struct slice name, struct slice message) {
    static const char *const words[] = {
        "o such file",   "not exist",  "n't exist",     "not found",  "Not Found",  "nable to open", "nable to load",
        "annot open",    "annot find", "annot be open", "n't find",   "n't open",   "ailed to open", "ould not open",
        "ould not find", "o file",     "s missing",     "not a file", "a directory"};
    if (slice_is(name, "FileNotFoundError") || slice_is(name, "NotADirectoryError") ||
        slice_is(name, "IsADirectoryError"))
        return true;
    bool has_path = slice_find_char(message, '/') != NULL || slice_find_char(message, '\\') != NULL;
    return signature_is_general(name) && has_path && has_any(message, words, ARRAY_SIZE(words));
}

/* The row of the path in a message: its words in lower case, where what ends a path is a quotation mark. */
static const struct signature *find_path(const struct matcher *m, struct slice message) {
    char plain[PATH_BYTES];
    size_t n = 0;
    while (n < message.size_bytes && n + 1 < sizeof plain) {
        char c = message.data[n];
        plain[n++] = strchr("\"` ,;)]", c) != NULL ? '\'' : (char)tolower((unsigned char)c);
    }
    plain[n++] = '\'';
    return matcher_within(m, IN_PATH, (struct slice){plain, n});
}

bool matcher_names_exception(const struct matcher *m, struct slice name) {
    const struct heads *heads = &m->heads[IN_EXCEPTION];
    for (struct literals_hit hit = {0}; literals_next_at_start(heads->literals, name, &hit);)
        if (slice_equal(name, heads->rows[hit.number]->pattern))
            return true;
    return false;
}

const struct signature *matcher_exception(const struct matcher *m, struct slice text) {
    const struct heads *heads = &m->heads[IN_EXCEPTION];
    if (text.size_bytes > SIGNATURE_REACH)
        text.size_bytes = SIGNATURE_REACH;
    const char *colon = slice_find_char(text, ':'), *open = slice_find_char(text, '(');
    if (open != NULL && slice_ends(text, ")") && (colon == NULL || (open < colon && colon[-1] != ')')))
        colon = open; /* "Name('message')" */
    struct slice name = colon != NULL ? slice_range(text.data, colon) : text;
    for (struct literals_hit hit = {0}; literals_next_at_start(heads->literals, text, &hit);) {
        const struct signature *named = heads->rows[hit.number];
        bool is_name = slice_find_char(named->pattern, ':') == NULL;
        if (is_name ? slice_equal(name, named->pattern) : fits(named->pattern, text))
            return named;
    }
    struct slice message = slice_skip(text, name.size_bytes);
    const struct signature *of_path = is_of_file(name, message) ? find_path(m, message) : NULL;
    if (of_path != NULL)
        return of_path;
    bool is_value = is_of_any_value(name) || (slice_is(name, "KeyError") && is_sentence(message));
    const struct signature *row = is_value ? matcher_within(m, IN_VALUE, message) : NULL;
    if (is_value || signature_is_general(name))
        return row != NULL ? row : matcher_within(m, IN_MESSAGE, message);
    const char *paren = slice_find_char(name, '(');
    return matcher_within(m, IN_NAME, paren != NULL ? slice_range(name.data, paren) : name);
}

const struct signature *matcher_library(const struct matcher *m, struct slice text) {
    const char *colon = slice_find_char(text, ':');
    if (colon == NULL || !is_of_library(slice_range(text.data, colon)))
        return NULL;
    struct slice message = slice_range(colon, text.data + text.size_bytes);
    if (message.size_bytes > SIGNATURE_REACH)
        message.size_bytes = SIGNATURE_REACH;
    return matcher_within(m, IN_VALUE, message);
}
