#include "recorder/filter.h"

#include "base/mem.h"
#include "base/rfc3339.h"

#include <errno.h>
#include <string.h>

struct parser {
    struct filter *filter;
    struct slice rest; /* in the filter's text, in which values are unescaped in place */
    struct error **err;
    int depth;
};

static const char *const field_names[] = {[FILTER_LOG_NAME] = "logName",
                                          [FILTER_SEVERITY] = "severity",
                                          [FILTER_INSERT_ID] = "insertId",
                                          [FILTER_JOB_NAME] = "jsonPayload.job_name",
                                          [FILTER_TIME] = "timestamp"};

static int refuse(struct parser *p, const char *what) {
    int size = p->rest.size_bytes < 40 ? (int)p->rest.size_bytes : 40;
    return error_set(p->err, EINVAL, "Unparseable filter: %s at \"%.*s\"", what, size, p->rest.data);
}

static void skip_space(struct parser *p) {
    while (p->rest.size_bytes > 0 && strchr(" \t\r\n", p->rest.data[0]) != NULL)
        p->rest = slice_skip(p->rest, 1);
}

static bool take_word(struct parser *p, const char *word) {
    struct slice rest = p->rest;
    if (!slice_take_prefix(&rest, word) || (rest.size_bytes > 0 && strchr(" \t\r\n(", rest.data[0]) == NULL))
        return false;
    p->rest = rest;
    skip_space(p);
    return true;
}

static int add(struct parser *p, struct filter_term term) {
    struct filter *f = p->filter;
    if (f->count == FILTER_TERMS)
        return refuse(p, "more comparisons than are read here");
    f->terms[f->count] = term;
    return f->count++;
}

/* A value in quotes becomes shorter where something in it is escaped. */
static int take_value(struct parser *p, struct slice *value) {
    if (!slice_take_char(&p->rest, '"')) {
        size_t n = 0;
        while (n < p->rest.size_bytes && strchr(" \t\r\n()\"", p->rest.data[n]) == NULL)
            n++;
        *value = (struct slice){p->rest.data, n};
        p->rest = slice_skip(p->rest, n);
        return n > 0 ? 0 : refuse(p, "a value is missing");
    }
    char *to = p->filter->text + (p->rest.data - p->filter->text), *begin = to;
    while (p->rest.size_bytes > 0 && p->rest.data[0] != '"') {
        slice_take_char(&p->rest, '\\');
        if (p->rest.size_bytes == 0)
            break;
        *to++ = p->rest.data[0];
        p->rest = slice_skip(p->rest, 1);
    }
    *value = slice_range(begin, to);
    return slice_take_char(&p->rest, '"') ? 0 : refuse(p, "a quote is open");
}

static int take_operator(struct parser *p, int *orders) {
    static const struct {
        const char *text;
        int orders;
    } known[] = {{"<=", 3}, {">=", 6}, {"!=", 5}, {"=", 2}, {"<", 1}, {">", 4}};
    skip_space(p);
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (slice_take_prefix(&p->rest, known[i].text)) {
            *orders = known[i].orders;
            skip_space(p);
            return 0;
        }
    return refuse(p, "a comparison is missing");
}

static int take_comparison(struct parser *p) {
    struct filter_term term = {.kind = FILTER_COMPARE, .field = FILTER_FIELDS};
    size_t n = 0;
    while (n < p->rest.size_bytes && strchr(" \t\r\n()<>=!\"", p->rest.data[n]) == NULL)
        n++;
    struct slice name = {p->rest.data, n};
    for (int i = 0; i <= FILTER_TIME; i++)
        if (field_names[i] != NULL && slice_is(name, field_names[i]))
            term.field = (enum filter_field)i;
    if (term.field == FILTER_FIELDS)
        return refuse(p,
                      "a field that is not read here (logName, severity, insertId, timestamp, jsonPayload.job_name)");
    p->rest = slice_skip(p->rest, n);
    int r = take_operator(p, &term.orders);
    if (r == 0)
        r = take_value(p, &term.value);
    if (r < 0)
        return r;
    struct slice time = term.value;
    if (term.field == FILTER_TIME && (!rfc3339_take(&time, &term.at_ns, NULL) || time.size_bytes > 0))
        return refuse(p, "a time that is none (RFC 3339) before");
    skip_space(p);
    return add(p, term);
}

static int take_any(struct parser *p);

static int take_one(struct parser *p) {
    if (!slice_take_char(&p->rest, '('))
        return take_comparison(p);
    if (++p->depth > FILTER_DEPTH)
        return refuse(p, "too many parentheses");
    skip_space(p);
    int inner = take_any(p);
    if (inner < 0)
        return inner;
    if (!slice_take_char(&p->rest, ')'))
        return refuse(p, "a parenthesis is open");
    p->depth--;
    skip_space(p);
    return inner;
}

static int take_all(struct parser *p) {
    int left = take_one(p);
    while (left >= 0 && take_word(p, "AND")) {
        int right = take_one(p);
        left = right < 0 ? right : add(p, (struct filter_term){.kind = FILTER_AND, .left = left, .right = right});
    }
    return left;
}

static int take_any(struct parser *p) {
    int left = take_all(p);
    while (left >= 0 && take_word(p, "OR")) {
        int right = take_all(p);
        left = right < 0 ? right : add(p, (struct filter_term){.kind = FILTER_OR, .left = left, .right = right});
    }
    return left;
}

int filter_parse(struct filter *f, struct slice text, struct error **err) {
    struct parser p = {.filter = f, .err = err};
    f->count = f->root = 0;
    if (!slice_copy(f->text, sizeof f->text, text))
        return error_set(err, EINVAL, "Unparseable filter: longer than %d bytes", FILTER_BYTES - 1);
    p.rest = slice_of(f->text);
    skip_space(&p);
    if (p.rest.size_bytes == 0)
        return 0;
    f->root = take_any(&p);
    if (f->root < 0)
        return f->root;
    return p.rest.size_bytes == 0 ? 0 : refuse(&p, "something that is neither AND nor OR");
}

static bool compare(const struct filter_term *t, const struct filter_entry *e) {
    int order;
    if (t->field == FILTER_TIME)
        order = e->at_ns < t->at_ns ? -1 : e->at_ns > t->at_ns;
    else
        order = slice_compare(e->fields[t->field], t->value);
    return (t->orders & (order < 0 ? 1 : order == 0 ? 2 : 4)) != 0;
}

static bool matches(const struct filter *f, int at, const struct filter_entry *e) {
    const struct filter_term *t = &f->terms[at];
    switch (t->kind) {
    case FILTER_AND:
        return matches(f, t->left, e) && matches(f, t->right, e);
    case FILTER_OR:
        return matches(f, t->left, e) || matches(f, t->right, e);
    case FILTER_COMPARE:
        break;
    }
    return compare(t, e);
}

bool filter_matches(const struct filter *f, const struct filter_entry *e) {
    return f->count == 0 || matches(f, f->root, e);
}

static struct slice job_of(const struct filter *f, int at) {
    const struct filter_term *t = &f->terms[at];
    if (t->kind == FILTER_COMPARE && t->field == FILTER_JOB_NAME && t->orders == 2)
        return t->value;
    if (t->kind != FILTER_AND)
        return (struct slice){0};
    struct slice left = job_of(f, t->left);
    return left.size_bytes > 0 ? left : job_of(f, t->right);
}

struct slice filter_job(const struct filter *f) {
    if (f->count == 0)
        return (struct slice){0};
    return job_of(f, f->root);
}
