/* What explains an interruption: the signals of its nodes. */
#include "status_check_internal.h"

/* Only what ended is explained; a cause is not later than the interruption, a consequence not earlier. */
bool check_node_evidence(struct check *c, const json_t *e) {
    static const char *const roles[] = {"Cause", "Evidence", "Consequence"};
    const json_t *list = at(e, "nodeEvidence");
    int64_t end = time_ms(e, "end"), role = 0;
    size_t i;
    json_t *item;
    if (list != NULL && (*text(e, "cause") == '\0' || json_array_size(list) == 0 || json_array_size(list) > 6))
        return fail(c, "execution %" PRId64 " has %zu signals of nodes", number(e, "number"), json_array_size(list));
    json_array_foreach(list, i, item) {
        int64_t when = time_ms(item, "time"), before = role;
        while (role < 3 && strcmp(roles[role], text(item, "role")) != 0)
            role++;
        if (role == 3 || *text(item, "node") == '\0' || *text(item, "signal") == '\0')
            return fail(c, "signal %s of node %s, role %s after %s", text(item, "signal"), text(item, "node"),
                        text(item, "role"), roles[before]);
        if ((role == 0 && (when == ABSENT || when > end)) || (role == 2 && when < end / 1000 * 1000))
            return fail(c, "%s %s of %s, interrupted at %s", roles[role], text(item, "signal"), text(item, "time"),
                        text(e, "end"));
    }
    return true;
}

/* Only what has ended has one; a symptom names no owner. */
bool check_root_cause(struct check *c, const json_t *e) {
    const json_t *cause = at(e, "rootCause");
    if (cause == NULL)
        return true;
    bool is_observed = is_text(cause, "basis", "Observed"), is_symptom = json_is_true(at(cause, "symptomOnly"));
    if (time_ms(e, "end") == ABSENT || *text(cause, "class") == '\0' ||
        (!is_observed && !is_text(cause, "basis", "Derived")))
        return fail(c, "execution %" PRId64 ": rootCause %s, basis %s, end \"%s\"", number(e, "number"),
                    text(cause, "class"), text(cause, "basis"), text(e, "end"));
    if (number(cause, "followers") < 0 || number(cause, "followers") > 4096 || number(cause, "unread") < 0 ||
        number(cause, "unread") > 16)
        return fail(c, "execution %" PRId64 ": %" PRId64 " followers, %" PRId64 " unread", number(e, "number"),
                    number(cause, "followers"), number(cause, "unread"));
    if (is_symptom && !is_text(cause, "owner", "Unknown"))
        return fail(c, "execution %" PRId64 ": the symptom %s has the owner %s", number(e, "number"),
                    text(cause, "class"), text(cause, "owner"));
    return true;
}

/* Each listed interruption with a root cause is counted in its class, and none is counted twice. */
bool check_classes(struct check *c) {
    const json_t *classes = at(c->status, "interruptions.byClass"), *executions = at(c->status, "executions");
    int64_t listed_all = 0, counted_all = 0;
    size_t i, k;
    json_t *class_, *e;
    json_array_foreach(classes, i, class_) {
        int64_t listed = 0, count = number(class_, "count");
        json_array_foreach(executions, k, e) listed +=
            *text(e, "cause") != '\0' && is_text(e, "rootCause.class", text(class_, "class"));
        if (count < 1 || count < listed || (c->lists_all && count != listed))
            return fail(c, "byClass has %" PRId64 " of %s, the executions %" PRId64, count, text(class_, "class"),
                        listed);
        counted_all += count;
    }
    json_array_foreach(executions, k, e) listed_all += *text(e, "cause") != '\0' && at(e, "rootCause") != NULL;
    return counted_all >= listed_all && counted_all <= c->total
               ? true
               : fail(c, "byClass counts %" PRId64 " of %" PRId64 " interruptions, %" PRId64 " are listed", counted_all,
                      c->total, listed_all);
}
