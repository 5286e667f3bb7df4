#include "operator/job/evidence.h"

#include "base/jmembers.h"
#include "base/mem.h"

#include <string.h>

struct interruption_evidence *evidence_add(struct job_evidence *e, int number, int64_t at_ms) {
    if (e->count == JOB_MAX_EVIDENCED) {
        free(e->items[0].items);
        memmove(&e->items[0], &e->items[1], (size_t)--e->count * sizeof *e->items);
    }
    STORE_GROW(e->items, e->count, e->capacity);
    e->items[e->count] = (struct interruption_evidence){.number = number, .at_ms = at_ms, .through_ms = TIME_UNKNOWN};
    return &e->items[e->count++];
}

void evidence_set(struct interruption_evidence *to, const struct node_evidence *items, int count) {
    free(to->items);
    to->items = count > 0 ? mem_alloc((size_t)count * sizeof *items) : NULL;
    to->count = count;
    if (count > 0)
        memcpy(to->items, items, (size_t)count * sizeof *items);
}

void evidence_done(struct job_evidence *e) {
    for (int i = 0; i < e->count; i++)
        free(e->items[i].items);
    free(e->items);
    *e = (struct job_evidence){0};
}

/* ---- from a status: a person may have written anything ---- */

struct read_item {
    char node[254], signal[NODE_SIGNAL_NAME_SIZE], role[16], class_[32], message[STORE_SIGNAL_TEXT];
    int64_t at_ms;
};

struct read_execution {
    int64_t number, end_ms;
    struct store *store;
    int count;
    struct node_evidence items[JOB_MAX_NODE_EVIDENCE];
};

static bool read_role(const char *name, enum evidence_role *role) {
    static const char *const names[] = {
#define X(id, text) text,
        EVIDENCE_ROLES(X)
#undef X
    };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *role = (enum evidence_role)i;
            return true;
        }
    return false;
}

static void item_scan(struct jscan *j, void *at) {
    typedef struct read_item item;
    static const struct jmember rows[] = {
        JMEMBER(item, node, "node"),    JMEMBER(item, signal, "signal"),   JMEMBER(item, role, "role"),
        JMEMBER(item, class_, "class"), JMEMBER_TIME(item, at_ms, "time"), JMEMBER(item, message, "message"),
    };
    struct read_execution *x = at;
    struct read_item i = {.at_ms = TIME_UNKNOWN};
    struct node_evidence e = {.at_ms = TIME_UNKNOWN};
    jmembers_read(j, JMEMBERS(rows), &i);
    if (x->count == JOB_MAX_NODE_EVIDENCE || i.node[0] == '\0' || i.signal[0] == '\0' || !read_role(i.role, &e.role))
        return;
    int class_ = rootcause_class_find(slice_of(i.class_));
    e.class_ = class_ >= 0 ? (enum rootcause_class)class_ : CLASS_UNKNOWN;
    e.owner = rootcause_class_owner(e.class_);
    e.is_primary = e.role == EVIDENCE_CAUSE;
    e.node = store_intern(x->store, slice_of(i.node));
    e.signal = store_intern(x->store, slice_of(i.signal));
    e.at_ms = i.at_ms;
    memcpy(e.message, i.message, sizeof e.message);
    x->items[x->count++] = e;
}

void evidence_read(struct job_evidence *e, struct store *store, struct slice executions) {
    typedef struct read_execution execution;
    static const struct jmember rows[] = {
        JMEMBER_WITHIN(execution, number, "number", 1, INT32_MAX),
        JMEMBER_TIME(execution, end_ms, "end"),
        JMEMBER_ELEMENTS("nodeEvidence", item_scan),
    };
    struct jscan j;
    jscan_init(&j, executions);
    if (executions.size_bytes == 0 || !jscan_array(&j))
        return;
    while (jscan_element(&j)) {
        struct read_execution x = {.end_ms = TIME_UNKNOWN, .store = store};
        jmembers_read(&j, JMEMBERS(rows), &x);
        if (x.count > 0 && x.number > 0 && x.end_ms != TIME_UNKNOWN)
            evidence_set(evidence_add(e, (int)x.number, x.end_ms), x.items, x.count);
    }
}
