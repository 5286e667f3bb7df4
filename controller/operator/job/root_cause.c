#include "operator/job/root_cause.h"

#include "base/hash.h"
#include "base/jmembers.h"

#include <string.h>

struct root_cause *root_cause_of(const struct job_root_causes *causes, int number) {
    for (int i = 0; i < causes->count; i++)
        if (causes->items[i].number == number)
            return &causes->items[i];
    return NULL;
}

void root_cause_remove(struct job_root_causes *causes, int number) {
    struct root_cause *found = root_cause_of(causes, number);
    if (found == NULL)
        return;
    size_t after = (size_t)(causes->items + causes->count - found - 1);
    memmove(found, found + 1, after * sizeof *found);
    causes->count--;
}

void root_cause_set(struct job_root_causes *causes, const struct root_cause *cause) {
    root_cause_remove(causes, cause->number);
    if (causes->count == JOB_MAX_ROOT_CAUSES) {
        causes->older[causes->items[0].class_] += !causes->items[0].ends_job;
        root_cause_remove(causes, causes->items[0].number);
    }
    STORE_GROW(causes->items, causes->count, causes->capacity);
    int at = causes->count++;
    for (; at > 0 && causes->items[at - 1].number > cause->number; at--)
        causes->items[at] = causes->items[at - 1];
    causes->items[at] = *cause;
}

uint64_t root_cause_hash(const struct root_cause *c) {
    const int64_t numbers[] = {(int64_t)c->class_, c->is_symptom_only, c->job_index, c->completion_index};
    const char *const texts[] = {c->reason, c->waits_for, c->replicated_job, c->container, c->node};
    uint64_t hash = hash_local(0, HASH_BYTES(&numbers));
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        hash = hash_local(hash, slice_of(texts[i]));
    return hash != 0 ? hash : 1;
}

void root_causes_done(struct job_root_causes *causes) {
    free(causes->items);
    *causes = (struct job_root_causes){0};
}

/* ---- from a status: a person may have written anything ---- */

struct read_cause {
    char class_[32], owner[16], reason[FINDING_REASON_BYTES], text[QUOTE_BYTES], frame[TRACEBACK_FRAME_BYTES];
    char waits_for[FINDING_WAITS_BYTES], replicated_job[254], container[254], node[254], basis[16];
    int64_t number, end_ms, job_index, completion_index, line_ms, followers, unread;
    char cause[128];
    bool is_symptom_only;
};

static bool class_of(const char *name, enum rootcause_class *ret) {
    int found = rootcause_class_find(slice_of(name));
    if (found >= 0)
        *ret = (enum rootcause_class)found;
    return found >= 0;
}

static enum rootcause_owner owner_of(const char *name) {
    int found = rootcause_owner_find(slice_of(name));
    return found >= 0 ? (enum rootcause_owner)found : OWNER_UNKNOWN;
}

static bool make(const struct read_cause *x, struct store *store, struct root_cause *ret) {
    *ret = (struct root_cause){.number = (int)x->number,
                               .at_ms = x->end_ms,
                               .owner = owner_of(x->owner),
                               .replicated_job = store_intern(store, slice_of(x->replicated_job)),
                               .container = store_intern(store, slice_of(x->container)),
                               .node = store_intern(store, slice_of(x->node)),
                               .job_index = x->job_index,
                               .completion_index = x->completion_index,
                               .line_ms = x->line_ms,
                               .followers = x->followers,
                               .unread = x->unread,
                               .is_observed = strcmp(x->basis, "Observed") == 0,
                               .is_symptom_only = x->is_symptom_only,
                               .ends_job = x->cause[0] == '\0'};
    memcpy(ret->reason, x->reason, sizeof ret->reason);
    memcpy(ret->text, x->text, sizeof ret->text);
    memcpy(ret->frame, x->frame, sizeof ret->frame);
    memcpy(ret->waits_for, x->waits_for, sizeof ret->waits_for);
    bool is_known = class_of(x->class_, &ret->class_);
    ret->noticed = root_cause_hash(ret); /* the Event goes out with the status */
    return is_known;
}

static void read_executions(struct job_root_causes *causes, struct store *store, struct slice executions) {
    typedef struct read_cause cause;
    static const struct jmember members[] = {
        JMEMBER(cause, class_, "class"),
        JMEMBER(cause, reason, "reason"),
        JMEMBER(cause, owner, "owner"),
        JMEMBER(cause, basis, "basis"),
        JMEMBER(cause, is_symptom_only, "symptomOnly"),
        JMEMBER(cause, replicated_job, "replicatedJob"),
        JMEMBER_WITHIN(cause, job_index, "jobIndex", 0, INT32_MAX),
        JMEMBER_WITHIN(cause, completion_index, "completionIndex", 0, INT32_MAX),
        JMEMBER(cause, container, "container"),
        JMEMBER(cause, node, "node"),
        JMEMBER(cause, text, "line"),
        JMEMBER_TIME(cause, line_ms, "time"),
        JMEMBER(cause, frame, "frame"),
        JMEMBER(cause, waits_for, "waitsFor"),
        JMEMBER_WITHIN(cause, followers, "followers", 0, INT32_MAX),
        JMEMBER_WITHIN(cause, unread, "unread", 0, INT32_MAX),
    };
    static const struct jmember rows[] = {
        JMEMBER_WITHIN(cause, number, "number", 1, INT32_MAX),
        JMEMBER_TIME(cause, end_ms, "end"),
        JMEMBER(cause, cause, "cause"),
        JMEMBER_OBJECT("rootCause", members),
    };
    struct jscan j;
    jscan_init(&j, executions);
    if (executions.size_bytes == 0 || !jscan_array(&j))
        return;
    while (jscan_element(&j)) {
        struct read_cause x = {
            .end_ms = TIME_UNKNOWN, .job_index = -1, .completion_index = -1, .line_ms = TIME_UNKNOWN};
        struct root_cause found;
        jmembers_read(&j, JMEMBERS(rows), &x);
        if (x.number > 0 && x.end_ms != TIME_UNKNOWN && make(&x, store, &found))
            root_cause_set(causes, &found);
    }
}

struct read_count {
    char class_[32];
    int64_t count;
};

static void count_scan(struct jscan *j, void *at) {
    static const struct jmember rows[] = {
        JMEMBER(struct read_count, class_, "class"),
        JMEMBER_WITHIN(struct read_count, count, "count", 0, INT32_MAX),
    };
    int64_t *counts = at;
    struct read_count x = {.count = 0};
    enum rootcause_class c;
    jmembers_read(j, JMEMBERS(rows), &x);
    if (class_of(x.class_, &c))
        counts[c] = x.count;
}

struct read_counts {
    int64_t counts[CLASS_COUNT];
};

void root_causes_read(struct job_root_causes *causes, struct store *store, struct slice executions,
                      struct slice interruptions) {
    static const struct jmember rows[] = {JMEMBER_LIST(struct read_counts, counts, "byClass", count_scan)};
    struct read_counts all = {{0}};
    read_executions(causes, store, executions);
    jmembers_parse(interruptions, JMEMBERS(rows), &all);
    for (int i = 0; i < causes->count; i++)
        all.counts[causes->items[i].class_] -= !causes->items[i].ends_job;
    for (int c = 0; c < CLASS_COUNT; c++)
        causes->older[c] = all.counts[c] > 0 ? all.counts[c] : 0;
}
