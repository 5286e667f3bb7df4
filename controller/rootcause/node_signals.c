#include "rootcause/node_signals.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/embed.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <assert.h>
#include <errno.h>

EMBED(node_signal_table, "controller/rootcause/node_signals.tsv");

#define MAX_NUMBERS 16 /* of Xids in one text */
#define MAX_DIGITS 6

struct node_signal_row { /* borrows from the table */
    enum node_signal_kind kind;
    struct slice key, value, text;
    bool is_xid, is_none;
    enum rootcause_class class_;
    enum rootcause_owner owner;
    bool is_primary;
    struct slice name;
};

struct node_signals {
    struct node_signal_row *rows;
    size_t count, capacity;
    char *site; /* the bytes that a site's rows borrow from; NULL: none */
};

static const char *kind_name(enum node_signal_kind kind) {
    static const char *const names[] = {
#define X(id, name) name,
        NODE_SIGNAL_KINDS(X)
#undef X
    };
    return names[kind];
}

/* ---- the table ---- */

static int kind_of(struct slice name) {
    for (int i = 0; i < NODE_SIGNAL_KIND_COUNT; i++)
        if (slice_is(name, kind_name((enum node_signal_kind)i)))
            return i;
    return -1;
}

static int owner_of(struct slice name, enum rootcause_class class_) {
    int owner = rootcause_owner_find(name);
    if (owner >= 0)
        return owner;
    return slice_is(name, "-") ? (int)rootcause_class_owner(class_) : -1;
}

enum { WHAT, KEY, VALUE, TEXT, CLASS, ROLE, OWNER, SIGNAL, SOURCE, FIELDS };

static int split(struct slice line, struct slice fields[static FIELDS], struct error **err) {
    int n = 0;
    for (; n < FIELDS - 1 && slice_take_until(&line, '\t', &fields[n]); n++)
        if (fields[n].size_bytes == 0)
            return error_set(err, EINVAL, "field %d of %d is empty: \"*\" fits anything, \"-\" stands for none", n + 1,
                             FIELDS);
    fields[n++] = slice_trim(line);
    if (n < FIELDS || slice_find_char(line, '\t') != NULL)
        return error_set(err, EINVAL,
                         "%d fields, separated by tabs, are needed: what, key, value, text, class, role, "
                         "owner, signal, source",
                         FIELDS);
    return 0;
}

static bool is_name(struct slice name) {
    for (size_t i = 0; i < name.size_bytes; i++) {
        char c = name.data[i];
        bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (!is_letter && (i == 0 || ((c < '0' || c > '9') && c != '#')))
            return false;
    }
    return name.size_bytes > 0 && name.size_bytes < NODE_SIGNAL_NAME_SIZE - MAX_DIGITS;
}

static int unknown(struct error **err, const char *what, struct slice word, const char *known) {
    return error_set(err, EINVAL, "unknown %s \"%.*s\": use %s", what, word.size_bytes > 64 ? 64 : (int)word.size_bytes,
                     word.data, known);
}

static int read_row(struct slice line, struct node_signal_row *row, struct error **err) {
    struct slice f[FIELDS];
    int r = split(line, f, err);
    if (r < 0)
        return r;
    *row = (struct node_signal_row){.key = f[KEY], .value = f[VALUE], .text = f[TEXT], .name = f[SIGNAL]};
    int kind = kind_of(f[WHAT]), class_ = rootcause_class_find(f[CLASS]);
    row->is_xid = slice_is(f[CLASS], "xid");
    row->is_primary = slice_is(f[ROLE], "primary");
    row->is_none = slice_is(f[ROLE], "none");
    if (kind < 0)
        return unknown(err, "what", f[WHAT], "condition, taint, label, annotation, event, device or xid");
    if (row->is_xid ? kind == NODE_SIGNAL_XID : class_ < 0)
        return unknown(err, "class", f[CLASS], "a class of deploy/docs/reference/root-causes.md, or xid");
    row->class_ = row->is_xid ? CLASS_UNKNOWN : (enum rootcause_class)class_;
    int owner = owner_of(f[OWNER], row->class_);
    if (!row->is_primary && !row->is_none && !slice_is(f[ROLE], "weak"))
        return unknown(err, "role", f[ROLE], "primary, weak or none");
    if (owner < 0)
        return unknown(err, "owner", f[OWNER], "-, Tenant, Platform, Provider or Unknown");
    if (!is_name(f[SIGNAL]))
        return unknown(err, "signal", f[SIGNAL], "a name in CamelCase, at most 57 letters, digits and #");
    if (row->is_xid && slice_find_char(row->key, '#') == NULL && slice_find_char(row->value, '#') == NULL &&
        slice_find_char(row->text, '#') == NULL)
        return error_set(err, EINVAL, "class xid needs a # in the key, the value or the text");
    row->kind = (enum node_signal_kind)kind;
    row->owner = (enum rootcause_owner)owner;
    return 0;
}

static int read_table(struct slice table, struct node_signals *to, struct error **err) {
    struct slice line;
    for (int number = 1; slice_take_line(&table, &line); number++) {
        struct node_signal_row row;
        if (slice_trim(line).size_bytes == 0 || line.data[0] == '#')
            continue;
        int r = to->count == NODE_SIGNAL_MAX_ROWS ? error_set(err, EINVAL, "more than %d rows", NODE_SIGNAL_MAX_ROWS)
                                                  : read_row(line, &row, err);
        if (r < 0)
            return error_wrap(err, EINVAL, "line %d", number);
        MEM_GROW(to->rows, to->count, to->capacity);
        to->rows[to->count++] = row;
    }
    return 0;
}

struct node_signals *node_signals_new(void) {
    struct node_signals *signals = mem_new(struct node_signals);
    CLEANUP_ERROR struct error *err = NULL;
    int r = read_table(embedded(node_signal_table), signals, &err);
    assert(r == 0); /* a row that breaks the rules of the table is our own mistake */
    (void)r;
    return signals;
}

void node_signals_free(struct node_signals *signals) {
    if (signals == NULL)
        return;
    free(signals->rows);
    free(signals->site);
    free(signals);
}

int node_signals_add(struct node_signals *signals, struct slice table, struct error **err) {
    struct node_signals site = {0};
    assert(signals->site == NULL);
    if (table.size_bytes > NODE_SIGNAL_MAX_TABLE_BYTES)
        return error_set(err, EINVAL, "%zu bytes: at most %d are read", table.size_bytes, NODE_SIGNAL_MAX_TABLE_BYTES);
    site.site = slice_dup(table);
    int r = read_table((struct slice){site.site, table.size_bytes}, &site, err);
    for (size_t i = 0; i < signals->count && r == 0; i++) {
        MEM_GROW(site.rows, site.count, site.capacity);
        site.rows[site.count++] = signals->rows[i];
    }
    if (r < 0) {
        free(site.rows);
        free(site.site);
        return r;
    }
    free(signals->rows);
    *signals = site;
    return 0;
}

/* ---- matching ---- */

static size_t digits_at(struct slice text, size_t at) {
    size_t n = 0;
    while (at + n < text.size_bytes && text.data[at + n] >= '0' && text.data[at + n] <= '9')
        n++;
    return n;
}

/* Whether the pattern fits the whole text, with a step back to its last '*' only. *number: what the last '#' stands
 * for; it stays as it is where there is none. */
static bool fits(struct slice pattern, struct slice text, struct slice *number) {
    size_t p = 0, t = 0, star = SIZE_MAX, resume = 0;
    struct slice found = {0};
    while (t < text.size_bytes || p < pattern.size_bytes) {
        size_t digits = p < pattern.size_bytes && pattern.data[p] == '#' ? digits_at(text, t) : 0;
        if (p < pattern.size_bytes && pattern.data[p] == '*') {
            star = p++;
            resume = t;
        } else if (digits > 0) {
            found = (struct slice){text.data + t, digits};
            t += digits;
            p++;
        } else if (p < pattern.size_bytes && pattern.data[p] != '#' && t < text.size_bytes &&
                   pattern.data[p] == text.data[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX && resume < text.size_bytes) {
            t = ++resume;
            p = star + 1;
        } else {
            return false;
        }
    }
    if (found.size_bytes > 0)
        *number = found;
    return true;
}

static bool fits_key(const struct node_signal_row *row, enum node_signal_kind kind, struct slice key,
                     struct slice *number) {
    return row->kind == kind && (slice_equal(row->key, key) || fits(row->key, key, number));
}

static void set(const struct node_signal_row *row, bool may_be_cause, struct slice number,
                struct node_signal_meaning *m) {
    CLEANUP_BUF struct buf name;
    buf_init(&name, NODE_SIGNAL_NAME_SIZE);
    for (size_t i = 0; i < row->name.size_bytes; i++)
        if (row->name.data[i] == '#')
            buf_append_slice(&name, number);
        else
            buf_append_char(&name, row->name.data[i]);
    *m = (struct node_signal_meaning){row->class_, row->owner, row->is_primary && may_be_cause, ""};
    slice_copy(m->name, sizeof m->name, buf_slice(&name));
}

static bool find_xid(const struct node_signals *signals, bool may_be_cause, struct slice number,
                     struct node_signal_meaning *m) {
    if (number.size_bytes == 0 || number.size_bytes > MAX_DIGITS)
        return false;
    for (size_t i = 0; i < signals->count; i++) {
        struct slice same = number;
        if (!fits_key(&signals->rows[i], NODE_SIGNAL_XID, number, &same))
            continue;
        set(&signals->rows[i], may_be_cause, number, m);
        return !signals->rows[i].is_none;
    }
    return false;
}

/* A text may name several Xids: one that can be a cause counts, else the first. */
static bool find_worst_xid(const struct node_signals *signals, const struct node_signal_row *row, struct slice value,
                           struct slice text, struct slice number, struct node_signal_meaning *m) {
    bool is_in_text = slice_find_char(row->text, '#') != NULL;
    struct slice pattern = is_in_text ? row->text : row->value, rest = is_in_text ? text : value;
    bool is_found = find_xid(signals, row->is_primary, number, m);
    bool may_have_more = slice_starts(pattern, "*") && slice_find_char(pattern, '#') != NULL;
    for (int i = 1; i < MAX_NUMBERS && !(is_found && m->is_primary) && may_have_more; i++) {
        struct node_signal_meaning other;
        rest = slice_range(number.data + number.size_bytes, rest.data + rest.size_bytes);
        number = (struct slice){0};
        if (!fits(pattern, rest, &number) || number.size_bytes == 0)
            break;
        if (find_xid(signals, row->is_primary, number, &other) && (!is_found || other.is_primary)) {
            *m = other;
            is_found = true;
        }
    }
    return is_found;
}

static struct slice bounded(struct slice text) {
    if (text.size_bytes > NODE_SIGNAL_TEXT_BYTES)
        text.size_bytes = NODE_SIGNAL_TEXT_BYTES;
    return text;
}

bool node_signals_know(const struct node_signals *signals, enum node_signal_kind kind, struct slice key) {
    struct slice number;
    for (size_t i = 0; i < signals->count; i++)
        if (fits_key(&signals->rows[i], kind, bounded(key), &number))
            return true;
    return false;
}

bool node_signals_find(const struct node_signals *signals, const struct node_signal_shown *shown,
                       struct node_signal_meaning *ret_meaning) {
    struct slice key = bounded(shown->key), value = bounded(shown->value), text = bounded(shown->text);
    for (size_t i = 0; i < signals->count; i++) {
        const struct node_signal_row *row = &signals->rows[i];
        struct slice number = {0};
        bool has_value = row->kind != NODE_SIGNAL_EVENT && row->kind != NODE_SIGNAL_XID;
        if (!fits_key(row, shown->kind, key, &number) || (has_value && !fits(row->value, value, &number)) ||
            !fits(row->text, text, &number))
            continue;
        if (row->is_none)
            return false;
        if (row->is_xid)
            return find_worst_xid(signals, row, value, text, number, ret_meaning);
        set(row, true, number, ret_meaning);
        return true;
    }
    return false;
}

int64_t node_signal_named_ms(struct slice text) {
    for (text = bounded(text); text.size_bytes > 0; text = slice_skip(text, 1)) {
        int64_t unix_ns;
        struct slice rest = text;
        if (digits_at(text, 0) == 4 && rfc3339_take(&rest, &unix_ns, NULL))
            return unix_ns / 1000000;
    }
    return TIME_UNKNOWN;
}
