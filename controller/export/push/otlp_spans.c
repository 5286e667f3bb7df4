#include "export/push/otlp_spans.h"

#include "export/push/identity.h"
#include "export/push/otlp_metrics.h"
#include "export/push/otlp_wire.h"

#include "base/jmembers.h"
#include "base/mem.h"

#include <openssl/evp.h>
#include <string.h>

/* The limit of a status. */
enum { MAX_EXECUTIONS = 16, TRACE_BYTES = 16, SPAN_BYTES = 8 };
enum { INTERNAL = 1, STATUS_OK = 1, STATUS_ERROR = 2 };

struct execution {
    int64_t number, start_ms, available_ms, first_step_ms, end_ms; /* FLEET_NONE: not known */
    int64_t first_step, last_step, lost_steps, tch_ms, wait_ms, tre_ms, trm_ms, catch_up_ms;
    bool is_saved;
    char cause[64], evidence[256], node[256], node_pool[256];
};

struct trace {
    struct buf *out;
    unsigned char id[TRACE_BYTES];
    int64_t start_ms, end_ms; /* of the job; the end FLEET_NONE while it runs */
    bool is_final;
    int spans;
};

/* ---- reading a status ---- */

struct executions {
    struct execution list[MAX_EXECUTIONS];
    int count;
};

static void read_execution(struct jscan *j, void *executions) {
    typedef struct execution execution;
    static const struct jmember rows[] = {
        JMEMBER(execution, number, "number"),
        JMEMBER_TIME(execution, start_ms, "start"),
        JMEMBER_TIME(execution, available_ms, "availableAt"),
        JMEMBER_TIME(execution, first_step_ms, "firstStepAt"),
        JMEMBER_TIME(execution, end_ms, "end"),
        JMEMBER(execution, first_step, "firstStep"),
        JMEMBER(execution, last_step, "lastStep"),
        JMEMBER(execution, lost_steps, "lostSteps"),
        JMEMBER(execution, tch_ms, "lostWorkMilliseconds"),
        JMEMBER(execution, wait_ms, "waitMilliseconds"),
        JMEMBER(execution, tre_ms, "rescheduleMilliseconds"),
        JMEMBER(execution, trm_ms, "resumeMilliseconds"),
        JMEMBER(execution, catch_up_ms, "catchUpMilliseconds"),
        JMEMBER(execution, is_saved, "savedOnTermination"),
        JMEMBER(execution, cause, "cause"),
        JMEMBER(execution, evidence, "evidence"),
        JMEMBER(execution, node, "node"),
        JMEMBER(execution, node_pool, "nodePool"),
    };
    struct executions *all = executions;
    if (all->count == MAX_EXECUTIONS) {
        jscan_skip(j);
        return;
    }
    struct execution *e = &all->list[all->count++];
    *e = (struct execution){.number = FLEET_NONE,
                            .start_ms = FLEET_NONE,
                            .available_ms = FLEET_NONE,
                            .first_step_ms = FLEET_NONE,
                            .end_ms = FLEET_NONE,
                            .first_step = FLEET_NONE,
                            .last_step = FLEET_NONE,
                            .lost_steps = FLEET_NONE,
                            .tch_ms = FLEET_NONE,
                            .wait_ms = FLEET_NONE,
                            .tre_ms = FLEET_NONE,
                            .trm_ms = FLEET_NONE,
                            .catch_up_ms = FLEET_NONE};
    jmembers_read(j, JMEMBERS(rows), e);
}

static int read_executions(struct slice object, struct executions *all) {
    static const struct jmember status[] = {JMEMBER_ELEMENTS("executions", read_execution)};
    static const struct jmember rows[] = {JMEMBER_OBJECT("status", status)};
    struct jscan j;
    all->count = 0;
    jscan_init(&j, object);
    jmembers_read(&j, JMEMBERS(rows), all);
    return jscan_error(&j, NULL) == NULL ? all->count : 0;
}

/* ---- IDs ---- */

static void hash(const char *text, unsigned char *id, size_t size) {
    unsigned char digest[EVP_MAX_MD_SIZE] = {0};
    unsigned int all = 0;
    if (EVP_Digest(text, strlen(text), digest, &all, EVP_sha256(), NULL) != 1)
        digest[0] = 1; /* an ID of all zeros is invalid */
    memcpy(id, digest, size);
}

static void span_id(const struct trace *t, const char *kind, int64_t number, unsigned char id[static SPAN_BYTES]) {
    CLEANUP_BUF struct buf text;
    buf_init(&text, 256);
    for (int i = 0; i < TRACE_BYTES; i++)
        buf_format(&text, "%02x", t->id[i]);
    buf_format(&text, "/%s/%lld", kind, (long long)number);
    hash(buf_text(&text), id, SPAN_BYTES);
}

/* ---- spans ---- */

static uint64_t ns(int64_t ms) {
    return (uint64_t)ms * 1000000;
}

/* Opens a span; what follows are its attributes (9), events (11) and status (15). kind "job": the root. */
static size_t begin_span(struct trace *t, const char *kind, int64_t number, const char *name, int64_t start_ms,
                         int64_t end_ms) {
    unsigned char own[SPAN_BYTES], root[SPAN_BYTES];
    size_t span = otlp_begin(t->out, 2);
    span_id(t, kind, number, own);
    span_id(t, "job", 0, root);
    otlp_bytes(t->out, 1, (struct slice){(const char *)t->id, TRACE_BYTES});
    otlp_bytes(t->out, 2, (struct slice){(const char *)own, SPAN_BYTES});
    if (memcmp(own, root, SPAN_BYTES) != 0)
        otlp_bytes(t->out, 4, (struct slice){(const char *)root, SPAN_BYTES});
    otlp_text(t->out, 5, name);
    otlp_uint(t->out, 6, INTERNAL);
    otlp_fixed64(t->out, 7, ns(start_ms));
    otlp_fixed64(t->out, 8, ns(end_ms < start_ms ? start_ms : end_ms));
    t->spans++;
    return span;
}

static void attribute_known(struct trace *t, const char *key, int64_t value) {
    if (value != FLEET_NONE)
        otlp_attribute_int(t->out, 9, key, value);
}

static void write_event(struct trace *t, const char *name, int64_t at_ms) {
    if (at_ms == FLEET_NONE)
        return;
    size_t event = otlp_begin(t->out, 11);
    otlp_fixed64(t->out, 1, ns(at_ms));
    otlp_text(t->out, 2, name);
    otlp_end(t->out, event);
}

static void write_status(struct trace *t, bool is_error, const char *message) {
    size_t status = otlp_begin(t->out, 15);
    if (is_error)
        otlp_text(t->out, 2, message);
    otlp_uint(t->out, 3, is_error ? STATUS_ERROR : STATUS_OK);
    otlp_end(t->out, status);
}

static void write_execution(struct trace *t, const struct execution *e, int64_t end_ms) {
    size_t span = begin_span(t, "execution", e->number, "execution", e->start_ms, end_ms);
    otlp_attribute_int(t->out, 9, "goodput.execution.number", e->number);
    attribute_known(t, "goodput.step.first", e->first_step);
    attribute_known(t, "goodput.step.last", e->last_step);
    attribute_known(t, "goodput.step.lost", e->lost_steps);
    write_event(t, "available", e->available_ms);
    write_event(t, "first step", e->first_step_ms);
    otlp_end(t->out, span);
}

static void write_interruption(struct trace *t, const struct execution *e, int64_t resumed_ms) {
    size_t span = begin_span(t, "interruption", e->number, "interruption", e->end_ms, resumed_ms);
    otlp_attribute_int(t->out, 9, "goodput.execution.number", e->number);
    otlp_attribute(t->out, 9, "goodput.cause", e->cause);
    otlp_attribute(t->out, 9, "goodput.evidence", e->evidence);
    otlp_attribute(t->out, 9, "k8s.node.name", e->node);
    otlp_attribute(t->out, 9, "goodput.node_pool", e->node_pool);
    attribute_known(t, "goodput.step.lost", e->lost_steps);
    attribute_known(t, "goodput.lost_work.ms", e->tch_ms);
    attribute_known(t, "goodput.wait.ms", e->wait_ms);
    attribute_known(t, "goodput.reschedule.ms", e->tre_ms);
    attribute_known(t, "goodput.resume.ms", e->trm_ms);
    attribute_known(t, "goodput.catch_up.ms", e->catch_up_ms);
    write_status(t, true, e->cause);
    otlp_end(t->out, span);
}

static void write_job(struct trace *t, const struct round_now *now, const char *name) {
    static const struct {
        const char *key;
        enum fleet_value value;
    } shown[] = {{"goodput.scheduling.ppm", FLEET_SCHEDULING},
                 {"goodput.runtime.ppm", FLEET_RUNTIME},
                 {"goodput.job.ppm", FLEET_GOODPUT},
                 {"goodput.wall.ms", FLEET_WALL},
                 {"goodput.available.ms", FLEET_AVAILABLE},
                 {"goodput.productive.ms", FLEET_PRODUCTIVE},
                 {"goodput.interruptions", FLEET_INTERRUPTIONS},
                 {"goodput.step.last", FLEET_LAST_STEP}};
    const char *reason = "";
    for (int i = 0; i < now->numbers->condition_count; i++)
        if (strcmp(now->numbers->conditions[i].type, "Finished") == 0)
            reason = now->numbers->conditions[i].reason;
    size_t span = begin_span(t, "job", 0, name, t->start_ms, t->end_ms);
    otlp_attribute(t->out, 9, "goodput.outcome", reason);
    for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
        attribute_known(t, shown[i].key, now->numbers->values[shown[i].value]);
    write_status(t, strcmp(reason, "Failed") == 0, reason);
    otlp_end(t->out, span);
}

/* Writes the spans of list[i] if they are final. */
static bool write_settled(struct trace *t, const struct execution *list, int i, int count) {
    const struct execution *e = &list[i], *next = i + 1 < count ? &list[i + 1] : NULL;
    bool is_resumed = next != NULL && next->first_step_ms != FLEET_NONE && e->catch_up_ms != FLEET_NONE;
    int64_t end_ms = e->end_ms != FLEET_NONE ? e->end_ms : t->end_ms;
    if (!t->is_final && !is_resumed && i + 2 >= count)
        return false;
    if (e->number == FLEET_NONE || e->start_ms == FLEET_NONE || end_ms == FLEET_NONE)
        return true; /* no span without its times */
    write_execution(t, e, end_ms);
    if (next == NULL || e->end_ms == FLEET_NONE)
        return true;
    /* It lasts until the next first step, however many executions failed before it. */
    int64_t resumed_ms = next->first_step_ms != FLEET_NONE ? next->first_step_ms
                         : next->end_ms != FLEET_NONE      ? next->end_ms
                                                           : t->end_ms;
    if (resumed_ms != FLEET_NONE)
        write_interruption(t, e, resumed_ms);
    return true;
}

int otlp_spans_write(const struct round_now *now, int64_t sent, int64_t *now_sent, struct buf *out) {
    CLEANUP_FREE struct executions *executions = mem_new(struct executions);
    const struct execution *list = executions->list;
    struct push_identity identity;
    struct trace t = {.out = out,
                      .start_ms = now->numbers->values[FLEET_START],
                      .end_ms = now->numbers->values[FLEET_END],
                      .is_final = now->is_final};
    size_t start = out->size_bytes;
    int count = read_executions(fleet_object(now->job), executions);
    push_identity_read(fleet_object(now->job), &identity);
    CLEANUP_FREE char *name = mem_format("goodput.dev/%s/%lld", identity.uid, (long long)t.start_ms);
    hash(name, t.id, TRACE_BYTES);
    *now_sent = sent;
    size_t all = otlp_begin(out, 1);
    otlp_resource_write(now, out);
    size_t scope = otlp_begin(out, 2);
    otlp_scope_write(out);
    for (int i = 0; i < count; i++) {
        if (list[i].number <= sent)
            continue;
        if (!write_settled(&t, list, i, count))
            break;
        *now_sent = list[i].number;
    }
    if (t.is_final && t.end_ms != FLEET_NONE)
        write_job(&t, now, identity.target);
    otlp_end(out, scope);
    otlp_end(out, all);
    if (t.spans == 0 && out->data != NULL) {
        out->size_bytes = start;
        out->data[start] = '\0';
    }
    return t.spans;
}
