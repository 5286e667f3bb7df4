#include "selector.h"

#include <stdio.h>
#include <string.h>

struct requirement {
    char key[256], values[512]; /* values: comma-separated */
    enum { EXISTS, NOT_EXISTS, IN, NOT_IN } op;
};

static const char *skip_space(const char *p) {
    while (*p == ' ')
        p++;
    return p;
}

static const char *word(const char *p, char *out, size_t size) {
    size_t n = strcspn(p, " ,=!()");
    size_t keep = n < size ? n : size - 1;
    memcpy(out, p, keep);
    out[keep] = '\0';
    return skip_space(p + n);
}

/* One requirement at *text; false at a syntax error. */
static bool next(const char **text, struct requirement *r) {
    const char *p = skip_space(*text);
    bool is_negated = *p == '!';
    p = word(p + is_negated, r->key, sizeof r->key);
    r->values[0] = '\0';
    r->op = is_negated ? NOT_EXISTS : EXISTS;
    if (r->key[0] == '\0')
        return false;
    if (*p == '=' || (*p == '!' && p[1] == '=')) {
        r->op = *p == '!' ? NOT_IN : IN;
        p += strspn(p, "=!");
        p = word(skip_space(p), r->values, sizeof r->values);
    } else if (strncmp(p, "in ", 3) == 0 || strncmp(p, "notin ", 6) == 0 || strncmp(p, "in(", 3) == 0 ||
               strncmp(p, "notin(", 6) == 0) {
        r->op = *p == 'i' ? IN : NOT_IN;
        const char *open = strchr(p, '('), *close = strchr(p, ')');
        if (open == NULL || close == NULL || close < open)
            return false;
        size_t n = 0;
        for (const char *q = open + 1; q < close && n < sizeof r->values - 1; q++)
            if (*q != ' ')
                r->values[n++] = *q;
        r->values[n] = '\0';
        p = skip_space(close + 1);
    }
    if (*p != ',' && *p != '\0')
        return false;
    *text = *p == ',' ? p + 1 : p;
    return true;
}

static bool holds_value(const char *values, const char *value) {
    size_t n = strlen(value);
    for (const char *p = values;; p++) {
        size_t m = strcspn(p, ",");
        if (m == n && strncmp(p, value, n) == 0)
            return true;
        p += m;
        if (*p == '\0')
            return false;
    }
}

static bool holds(const struct requirement *r, const char *value) {
    switch (r->op) {
    case EXISTS:
        return value != NULL;
    case NOT_EXISTS:
        return value == NULL;
    case IN:
        return value != NULL && holds_value(r->values, value);
    case NOT_IN:
        return value == NULL || !holds_value(r->values, value);
    }
    return false;
}

bool selector_check_labels(const char *text, char why[static 200]) {
    const char *p = text;
    struct requirement r;
    while (*p != '\0') {
        if (!next(&p, &r)) {
            snprintf(why, 200, "unable to parse requirement: found '%.100s'", p);
            return false;
        }
    }
    return true;
}

bool selector_match_labels(const char *text, const json_t *object) {
    const json_t *labels = jx_get(object, "metadata.labels");
    struct requirement r;
    while (*text != '\0') {
        if (!next(&text, &r))
            return false;
        if (!holds(&r, json_string_value(json_object_get(labels, r.key))))
            return false;
    }
    return true;
}

bool selector_match_fields(const char *text, const json_t *object) {
    while (*text != '\0') {
        size_t n = strcspn(text, ",");
        char term[600];
        snprintf(term, sizeof term, "%.*s", (int)n, text);
        text += n + (text[n] == ',');
        char *equals = strchr(term, '=');
        if (equals == NULL)
            continue;
        bool is_not = equals > term && equals[-1] == '!';
        char *value = equals + 1 + (equals[1] == '=');
        equals[is_not ? -1 : 0] = '\0';
        const json_t *field = jx_get(object, term);
        /* events.k8s.io names the same field otherwise */
        if (field == NULL && strncmp(term, "regarding.", 10) == 0) {
            char other[700];
            snprintf(other, sizeof other, "involvedObject.%s", term + 10);
            field = jx_get(object, other);
        }
        char number[40] = "";
        const char *is = json_string_value(field);
        if (is == NULL && json_is_integer(field))
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(field));
        else if (is == NULL && json_is_boolean(field))
            snprintf(number, sizeof number, "%s", json_is_true(field) ? "true" : "false");
        if ((strcmp(is != NULL ? is : number, value) == 0) == is_not)
            return false;
    }
    return true;
}
