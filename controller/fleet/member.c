#include "fleet/member.h"

#include "base/hash.h"
#include "base/jmembers.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "rootcause/classes.h"

#include <string.h>

#define MAX_LABELS 256
#define MAX_BREAKS 16
#define MAX_MS (INT64_C(1) << 42) /* 139 years */
#define MAX_PIECES 10000000       /* of chips or slots of one job */
#define CHIP_MS_PER_MILLI_HOUR 3600

struct reading {
    struct member m;
    struct sums life;
    char uid[64], target_uid[64];
    int64_t wall_ms, available_ms, productive_ms, program_ppm; /* -1: absent */
    int64_t paid_milli_hours, paid_productive_milli_hours;     /* paid: -1: absent */
    int64_t total, excluded;
    int64_t cost, cost_lost; /* hundredths; -1: absent */
};

static void read_int(struct jscan *j, void *to) {
    int64_t value;
    if (jscan_int(j, &value) && value >= 0)
        *(int64_t *)to = min_of(value, MAX_MS);
}

static void read_name(struct jscan *j, void *to) {
    char text[256], **name = to;
    if (!jscan_string(j, text, sizeof text))
        return;
    free(*name);
    *name = mem_strdup(text);
}

static void read_filled(struct jscan *j, void *to) {
    struct jscan ahead = *j;
    char first[2];
    if (jscan_string(&ahead, first, sizeof first) && first[0] == '\0')
        *j = ahead;
    else
        read_name(j, to);
}

static void read_decimal(struct jscan *j, int digits, int64_t *to) {
    struct slice raw;
    int64_t value;
    if (jscan_string_raw(j, &raw) && slice_take_scaled(&raw, digits, &value) && raw.size_bytes == 0 && value >= 0)
        *to = min_of(value, MAX_MS);
}

/* "12.345" hours of a chip. */
static void read_milli_hours(struct jscan *j, void *to) {
    read_decimal(j, 3, to);
}

static void read_hundredths(struct jscan *j, void *to) {
    read_decimal(j, 2, to);
}

static void read_labels(struct jscan *j, void *to) {
    struct member *m = to;
    struct slice key;
    char value[64];
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key))
        if (jscan_string(j, value, sizeof value) && m->label_count < MAX_LABELS) {
            MEM_GROW(m->labels, m->label_count, m->label_capacity);
            m->labels[m->label_count++] = (struct member_label){slice_dup(key), mem_strdup(value)};
        }
}

/* What was lost to one bucket, by one cause or owner: `amount` is its ms or its count. */
struct loss {
    struct slice name, family;
    int64_t amount, chip_s, cost, interruptions;
    int64_t class_chip_ms[CLASS_COUNT]; /* of an owner */
};

#define LOSS_ROWS(name_key, amount_key)                                                                                \
    JMEMBER(struct loss, name, name_key), JMEMBER(struct loss, family, "family"),                                      \
        JMEMBER_FIELD(struct loss, amount, amount_key, read_int),                                                      \
        JMEMBER_FIELD(struct loss, chip_s, "chipSeconds", read_int),                                                   \
        JMEMBER_FIELD(struct loss, cost, "cost", read_hundredths)

static void read_bucket(struct jscan *j, void *to) {
    static const struct jmember rows[] = {LOSS_ROWS("bucket", "milliseconds")};
    struct sums *life = to;
    struct loss l = {.amount = 0};
    jmembers_read(j, JMEMBERS(rows), &l);
    int bucket = sums_bucket(l.name, l.family);
    life->of[SUMS_LOST(bucket)] += l.amount;
    life->of[SUMS_PAID_LOST(bucket)] += l.chip_s * 1000;
    life->of[SUMS_COST_LOST_TO(bucket)] += l.cost;
}

static void read_cause(struct jscan *j, void *to) {
    static const struct jmember rows[] = {LOSS_ROWS("cause", "count")};
    struct sums *life = to;
    struct loss l = {.amount = 0};
    jmembers_read(j, JMEMBERS(rows), &l);
    enum cause cause = sums_cause(l.name);
    life->of[SUMS_CAUSED(cause)] += l.amount;
    life->of[SUMS_PAID_CAUSED(cause)] += l.chip_s * 1000;
    life->of[SUMS_COST_CAUSED(cause)] += l.cost;
}

static void read_owned_class(struct jscan *j, void *to) {
    static const struct jmember rows[] = {LOSS_ROWS("class", "milliseconds")};
    int64_t *chip_ms = to;
    struct loss l = {.amount = 0};
    jmembers_read(j, JMEMBERS(rows), &l);
    if (!slice_is(l.name, LOST_WITHOUT_INTERRUPTION))
        chip_ms[sums_class(l.name)] += l.chip_s * 1000;
}

static void read_owner(struct jscan *j, void *to) {
    static const struct jmember rows[] = {LOSS_ROWS("owner", "milliseconds"),
                                          JMEMBER_FIELD(struct loss, interruptions, "interruptions", read_int),
                                          JMEMBER_LIST(struct loss, class_chip_ms, "byClass", read_owned_class)};
    struct sums *life = to;
    struct loss l = {.amount = 0};
    jmembers_read(j, JMEMBERS(rows), &l);
    enum rootcause_owner owner = sums_owner(l.name);
    for (int c = 0; c < CLASS_COUNT; c++)
        life->of[SUMS_PAID_OF_CLASS(owner, c)] += l.class_chip_ms[c];
    life->of[SUMS_PAID_OWNED(owner)] += l.chip_s * 1000;
    life->of[SUMS_COST_OWNED(owner)] += l.cost;
    life->of[SUMS_OWNED(owner)] += l.interruptions;
}

static void read_class(struct jscan *j, void *to) {
    static const struct jmember rows[] = {JMEMBER(struct loss, name, "class"),
                                          JMEMBER_FIELD(struct loss, interruptions, "count", read_int)};
    struct sums *life = to;
    struct loss l = {.interruptions = 0};
    jmembers_read(j, JMEMBERS(rows), &l);
    life->of[SUMS_OF_CLASS(sums_class(l.name))] += l.interruptions;
}

struct execution {
    int64_t number, at_ms, lost_ms, away_ms, resume_ms;
    struct slice cause, owner, class_; /* class_: of the root cause */
    char pool[64], node[254];
    char cause_node[254]; /* of the first signal with the role Cause */
};

static bool blames(struct slice class_) {
    int c = rootcause_class_find(class_);
    return c < 0 || rootcause_class_blames_node((enum rootcause_class)c);
}

static void read_evidence(struct jscan *j, void *to) {
    struct evidence {
        struct slice role, class_;
        char node[254];
    } e = {.node = ""};
    static const struct jmember rows[] = {
        JMEMBER(struct evidence, node, "node"),
        JMEMBER(struct evidence, role, "role"),
        JMEMBER(struct evidence, class_, "class"),
    };
    struct execution *x = to;
    jmembers_read(j, JMEMBERS(rows), &e);
    if (x->cause_node[0] == '\0' && slice_is(e.role, "Cause") && blames(e.class_))
        memcpy(x->cause_node, e.node, sizeof e.node);
}

/* Which node it speaks against; "": none. A program that fails on the same node again and again does not
 * speak against it. */
static const char *blamed(const struct execution *e) {
    return e->cause_node[0] != '\0' ? e->cause_node : sums_cause(e->cause) == CAUSE_NODE_FAILURE ? e->node : "";
}

static void read_execution(struct jscan *j, void *to) {
    static const struct jmember root_cause[] = {JMEMBER(struct execution, class_, "class")};
    static const struct jmember rows[] = {
        JMEMBER_FIELD(struct execution, number, "number", read_int),
        JMEMBER_TIME(struct execution, at_ms, "end"),
        JMEMBER(struct execution, cause, "cause"),
        JMEMBER(struct execution, owner, "owner"),
        JMEMBER_OBJECT("rootCause", root_cause),
        JMEMBER(struct execution, node, "node"),
        JMEMBER(struct execution, pool, "nodePool"),
        JMEMBER_ELEMENTS("nodeEvidence", read_evidence),
        JMEMBER_FIELD(struct execution, lost_ms, "lostWorkMilliseconds", read_int),
        JMEMBER_FIELD(struct execution, away_ms, "rescheduleMilliseconds", read_int),
        JMEMBER_FIELD(struct execution, resume_ms, "resumeMilliseconds", read_int),
    };
    struct member *m = to;
    struct execution e = {.number = -1, .at_ms = TIME_UNKNOWN};
    jmembers_read(j, JMEMBERS(rows), &e);
    if (e.cause.size_bytes == 0 || e.number < 0 || e.at_ms == TIME_UNKNOWN)
        return;
    m->last_execution = max_of(m->last_execution, e.number);
    const char *node = blamed(&e);
    if ((e.pool[0] == '\0' && node[0] == '\0') || m->break_count >= MAX_BREAKS)
        return;
    MEM_GROW(m->breaks, m->break_count, m->break_capacity);
    m->breaks[m->break_count++] = (struct member_break){.number = e.number,
                                                        .at_ms = e.at_ms,
                                                        .pool = mem_strdup(e.pool),
                                                        .node = node[0] ? mem_strdup(node) : NULL,
                                                        .lost_ms = e.lost_ms + e.away_ms + e.resume_ms,
                                                        .is_excluded = cause_is_excluded(sums_cause(e.cause)),
                                                        .class_ = sums_class(e.class_),
                                                        .owner = sums_owner(e.owner)};
}

#define READ(field, key, function) JMEMBER_FIELD(struct reading, field, key, function)

static const struct jmember metadata[] = {
    READ(m.name, "name", read_name),     READ(m.namespace_, "namespace", read_name),
    JMEMBER(struct reading, uid, "uid"), JMEMBER_TIME(struct reading, m.created_ms, "creationTimestamp"),
    READ(m, "labels", read_labels),
};
static const struct jmember target[] = {
    JMEMBER(struct reading, target_uid, "uid"),         READ(m.queue, "queue", read_filled),
    READ(m.cluster_queue, "clusterQueue", read_filled), READ(m.priority, "priorityClass", read_filled),
    READ(m.accelerator, "accelerator", read_filled),    READ(m.weight.chips, "chips", read_int),
};
static const struct jmember time_rows[] = {
    JMEMBER_TIME(struct reading, m.start_ms, "start"),
    JMEMBER_TIME(struct reading, m.end_ms, "end"),
    READ(wall_ms, "wallMilliseconds", read_int),
    READ(available_ms, "availableMilliseconds", read_int),
    READ(productive_ms, "productiveMilliseconds", read_int),
};
static const struct jmember cost[] = {
    JMEMBER(struct reading, m.currency, "currency"),
    READ(cost, "allocated", read_hundredths),
    READ(cost_lost, "lost", read_hundredths),
};
static const struct jmember ratios[] = {READ(program_ppm, "program", read_int)};
static const struct jmember availability[] = {READ(m.weight.slots, "required", read_int)};
static const struct jmember interruptions[] = {
    READ(total, "total", read_int),
    READ(excluded, "excluded", read_int),
    JMEMBER_LIST(struct reading, life, "byCause", read_cause),
    JMEMBER_LIST(struct reading, life, "byClass", read_class),
};
static const struct jmember hours[] = {
    READ(paid_milli_hours, "allocated", read_milli_hours),
    READ(paid_productive_milli_hours, "productive", read_milli_hours),
};
static const struct jmember status[] = {
    JMEMBER_OBJECT("target", target),
    JMEMBER_OBJECT("time", time_rows),
    JMEMBER_OBJECT("cost", cost),
    JMEMBER_LIST(struct reading, life, "badput", read_bucket),
    JMEMBER_LIST(struct reading, life, "byOwner", read_owner),
    JMEMBER_LIST(struct reading, m, "executions", read_execution),
    JMEMBER_OBJECT("goodputPPM", ratios),
    JMEMBER_OBJECT("availability", availability),
    JMEMBER_OBJECT("interruptions", interruptions),
    JMEMBER_OBJECT("acceleratorHours", hours),
};
static const struct jmember rows[] = {JMEMBER_OBJECT("metadata", metadata), JMEMBER_OBJECT("status", status)};

static int64_t times(int64_t value, int64_t ppm) {
    return (int64_t)(((__int128)value * ppm + 500000) / 1000000);
}

static void finish(struct reading *r) {
    struct member *m = &r->m;
    int64_t *of = r->life.of;
    if (r->cost < 0 || m->currency[0] == '\0')
        sums_leave_out_costs(&r->life);
    m->has_time = m->start_ms != TIME_UNKNOWN && r->wall_ms > 0 && r->wall_ms <= MAX_MS;
    m->weight.chips = min_of(m->weight.chips, MAX_PIECES);
    m->weight.slots = min_of(m->weight.slots, MAX_PIECES);
    if (!m->has_time)
        return;
    m->through_ms = m->start_ms + r->wall_ms;
    m->has_steps = r->productive_ms >= 0;
    of[SUMS_WALL] = r->wall_ms;
    of[SUMS_AVAILABLE] = of[SUMS_SLOT_TIME] = r->available_ms > 0 ? r->available_ms : 0;
    of[SUMS_INTERRUPTIONS] = r->total;
    of[SUMS_FAILURES] = r->total > r->excluded ? r->total - r->excluded : 0;
    of[SUMS_PAID] = max_of(0, r->paid_milli_hours) * CHIP_MS_PER_MILLI_HOUR;
    of[SUMS_PAID_WALL] = r->paid_milli_hours >= 0 ? r->wall_ms : 0;
    if (r->cost >= 0 && m->currency[0] != '\0') {
        of[SUMS_PRICED] = of[SUMS_PAID];
        of[SUMS_COST] = r->cost;
        of[SUMS_COST_LOST] = max_of(0, r->cost_lost);
        of[SUMS_KNOWN_PRICED] = r->cost_lost >= 0 ? of[SUMS_PAID] : 0;
    }
    if (!m->has_steps)
        return;
    of[SUMS_KNOWN_WALL] = of[SUMS_WALL];
    of[SUMS_KNOWN_AVAILABLE] = of[SUMS_AVAILABLE];
    of[SUMS_KNOWN_UNOBSERVED] = of[SUMS_LOST(BUCKET_UNOBSERVED)];
    of[SUMS_KNOWN_UNATTRIBUTED] = of[SUMS_LOST(BUCKET_UNATTRIBUTED)];
    of[SUMS_PRODUCTIVE] = r->productive_ms;
    of[SUMS_KNOWN_PAID] = of[SUMS_PAID];
    of[SUMS_PAID_PRODUCTIVE] = r->paid_productive_milli_hours * CHIP_MS_PER_MILLI_HOUR;
    if (r->program_ppm < 0)
        return;
    of[SUMS_PROGRAMMED] = r->productive_ms;
    of[SUMS_PROGRAMMED_WALL] = r->wall_ms;
    of[SUMS_IDEAL] = times(r->productive_ms, r->program_ppm);
}

struct member *member_read(struct slice object) {
    struct jscan j;
    struct reading r = {.m = {.created_ms = TIME_UNKNOWN,
                              .start_ms = TIME_UNKNOWN,
                              .through_ms = TIME_UNKNOWN,
                              .end_ms = TIME_UNKNOWN,
                              .last_execution = -1},
                        .wall_ms = -1,
                        .available_ms = -1,
                        .productive_ms = -1,
                        .program_ppm = -1,
                        .paid_milli_hours = -1,
                        .cost = -1,
                        .cost_lost = -1};
    struct member *m = mem_new(struct member);
    jscan_init(&j, object);
    jmembers_read(&j, JMEMBERS(rows), &r);
    finish(&r);
    *m = r.m;
    m->life = mem_new(struct sums);
    *m->life = r.life;
    if (jscan_error(&j, NULL) != NULL || m->name == NULL) {
        member_free(m);
        return NULL;
    }
    if (m->namespace_ == NULL)
        m->namespace_ = mem_strdup("");
    m->full_name = mem_format("%s/%s", m->namespace_, m->name);
    CLEANUP_FREE char *identity = mem_format("%s %s %s", m->full_name, r.uid, r.target_uid);
    m->id = hash_stable(0, slice_of(identity)) & MEMBER_ID_MASK;
    return m;
}

void member_free(struct member *m) {
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->label_count; i++) {
        free(m->labels[i].key);
        free(m->labels[i].value);
    }
    for (size_t i = 0; i < m->break_count; i++)
        free(m->breaks[i].pool), free(m->breaks[i].node);
    free(m->labels);
    free(m->breaks);
    free(m->life);
    free(m->folded);
    free(m->queue);
    free(m->cluster_queue);
    free(m->priority);
    free(m->accelerator);
    free(m->namespace_);
    free(m->name);
    free(m->full_name);
    free(m);
}

void member_fold(struct member *m) {
    if (m->life == NULL)
        return;
    m->folded = sums_fold(m->life);
    free(m->life);
    m->life = NULL;
}

const struct sums *member_life(const struct member *m, struct sums *space) {
    if (m->life != NULL)
        return m->life;
    sums_unfold(m->folded, space);
    return space;
}

const char *member_label(const struct member *m, struct slice key) {
    for (size_t i = 0; i < m->label_count; i++)
        if (slice_is(key, m->labels[i].key))
            return m->labels[i].value;
    return NULL;
}
