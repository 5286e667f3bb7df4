#include "sources/cloud_logging_allow.h"

#include "base/slice.h"

#include <errno.h>

struct rule {
    struct slice namespace_, project, logger;
};

static bool is_pattern(struct slice text) {
    const char *star = slice_find_char(text, '*');
    return text.size_bytes > 0 && (star == NULL || star == text.data + text.size_bytes - 1);
}

/* The next rule of the list; false at its end. A rule that lacks a part has empty ones. */
static bool take_rule(struct slice *list, struct slice *text, struct rule *rule) {
    if (!slice_take_item(list, ',', text))
        return false;
    struct slice rest = *text;
    *rule = (struct rule){0};
    if (slice_take_until(&rest, '=', &rule->namespace_) && slice_take_until(&rest, '/', &rule->project))
        rule->logger = rest;
    return true;
}

int cloud_logging_allow_check(const char *rules, struct error **err) {
    struct slice list = slice_of(rules), text;
    struct rule rule;
    while (take_rule(&list, &text, &rule))
        if (!is_pattern(rule.namespace_) || !is_pattern(rule.project) || !is_pattern(rule.logger))
            return error_set(err, EINVAL,
                             "\"%.*s\" is not a rule NAMESPACE=PROJECT/LOGGER, where * may end each part, such as "
                             "\"research=my-project/goodput_*\"",
                             SLICE_ARG(text));
    return 0;
}

static bool matches(struct slice pattern, const char *name) {
    if (pattern.size_bytes == 0)
        return false;
    if (pattern.data[pattern.size_bytes - 1] != '*')
        return slice_is(pattern, name);
    pattern.size_bytes--;
    struct slice rest = slice_of(name);
    return rest.size_bytes >= pattern.size_bytes &&
           slice_equal(slice_range(rest.data, rest.data + pattern.size_bytes), pattern);
}

bool cloud_logging_allows(const char *rules, const char *namespace_, const char *project, const char *logger) {
    struct slice list = slice_of(rules != NULL ? rules : ""), text;
    struct rule rule;
    while (take_rule(&list, &text, &rule))
        if (matches(rule.namespace_, namespace_) && matches(rule.project, project) && matches(rule.logger, logger))
            return true;
    return false;
}
