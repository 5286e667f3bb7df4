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
