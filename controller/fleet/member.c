#include "fleet/member.h"

#include "base/hash.h"
#include "base/jscan.h"
#include "base/mem.h"
#include "base/minmax.h"

#include <string.h>

#define MAX_LABELS 256
#define MAX_BREAKS 16
#define MAX_MS (INT64_C(1) << 42) /* 139 years */
#define MAX_PIECES 10000000       /* of chips or slots of one job */
#define CHIP_MS_PER_MILLI_HOUR 3600

struct reading {
    struct member *m;
    char uid[64], target_uid[64];
    int64_t wall_ms, available_ms, productive_ms, program_ppm; /* -1: absent */
    int64_t paid_milli_hours, paid_productive_milli_hours;     /* paid: -1: absent */
    int64_t total, excluded;
    int64_t cost, cost_lost; /* hundredths; -1: absent */
};

static void read_int(struct jscan *j, int64_t *to) {
    int64_t value;
    if (jscan_int(j, &value) && value >= 0)
        *to = min_of(value, MAX_MS);
}

static void read_text(struct jscan *j, char *to, size_t size) {
    if (!jscan_string(j, to, size))
        to[0] = '\0';
}

static void read_owned(struct jscan *j, char **to) {
    char text[256];
    if (!jscan_string(j, text, sizeof text) || text[0] == '\0')
        return;
    free(*to);
    *to = mem_strdup(text);
}

static void read_time(struct jscan *j, int64_t *to) {
    int64_t ms;
    if (jscan_time_ms(j, &ms))
        *to = ms;
}

/* "12.345" hours of a chip. */
static void read_milli_hours(struct jscan *j, int64_t *to) {
    struct slice raw;
    int64_t value;
    if (jscan_string_raw(j, &raw) && slice_take_scaled(&raw, 3, &value) && raw.size_bytes == 0 && value >= 0)
        *to = min_of(value, MAX_MS);
}

static void read_labels(struct jscan *j, struct member *m) {
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

static void read_metadata(struct jscan *j, struct reading *r) {
    struct slice key;
    char text[256];
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "name") && jscan_string(j, text, sizeof text)) {
            free(r->m->name);
            r->m->name = mem_strdup(text);
        } else if (slice_is(key, "namespace") && jscan_string(j, text, sizeof text)) {
            free(r->m->namespace_);
            r->m->namespace_ = mem_strdup(text);
        } else if (slice_is(key, "uid"))
            read_text(j, r->uid, sizeof r->uid);
        else if (slice_is(key, "labels"))
            read_labels(j, r->m);
        else if (!slice_is(key, "name") && !slice_is(key, "namespace"))
            jscan_skip(j);
    }
}

static void read_target(struct jscan *j, struct reading *r) {
    struct member *m = r->m;
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "uid"))
            read_text(j, r->target_uid, sizeof r->target_uid);
        else if (slice_is(key, "queue"))
            read_owned(j, &m->queue);
        else if (slice_is(key, "clusterQueue"))
            read_owned(j, &m->cluster_queue);
        else if (slice_is(key, "priorityClass"))
            read_owned(j, &m->priority);
        else if (slice_is(key, "accelerator"))
            read_owned(j, &m->accelerator);
        else if (slice_is(key, "chips"))
            read_int(j, &m->weight.chips);
        else
            jscan_skip(j);
    }
}

static void read_times(struct jscan *j, struct reading *r) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "start"))
            read_time(j, &r->m->start_ms);
        else if (slice_is(key, "end"))
            read_time(j, &r->m->end_ms);
        else if (slice_is(key, "wallMilliseconds"))
            read_int(j, &r->wall_ms);
        else if (slice_is(key, "availableMilliseconds"))
            read_int(j, &r->available_ms);
        else if (slice_is(key, "productiveMilliseconds"))
            read_int(j, &r->productive_ms);
        else
            jscan_skip(j);
    }
}

static void read_hundredths(struct jscan *j, int64_t *to) {
    struct slice raw;
    int64_t value;
    if (jscan_string_raw(j, &raw) && slice_take_scaled(&raw, 2, &value) && raw.size_bytes == 0 && value >= 0)
        *to = min_of(value, MAX_MS);
}

/* What was lost to one bucket or by one cause: `amount` is its ms or its count. */
struct loss {
    struct slice name, family;
    int64_t amount, chip_s, cost;
};

static bool read_loss(struct jscan *j, const char *name_key, const char *amount_key, struct loss *l) {
    struct slice key;
    *l = (struct loss){0};
    if (!jscan_object(j))
        return false;
    while (jscan_key(j, &key)) {
        if (slice_is(key, name_key))
            jscan_string_raw(j, &l->name);
        else if (slice_is(key, "family"))
            jscan_string_raw(j, &l->family);
        else if (slice_is(key, amount_key))
            read_int(j, &l->amount);
        else if (slice_is(key, "chipSeconds"))
            read_int(j, &l->chip_s);
        else if (slice_is(key, "cost"))
            read_hundredths(j, &l->cost);
        else
            jscan_skip(j);
    }
    return true;
}

static void read_bucket(struct jscan *j, struct reading *r) {
    struct loss l;
    if (!read_loss(j, "bucket", "milliseconds", &l))
        return;
    int bucket = sums_bucket(l.name, l.family);
    r->m->life.of[SUMS_LOST(bucket)] += l.amount;
    r->m->life.of[SUMS_PAID_LOST(bucket)] += l.chip_s * 1000;
    r->m->life.of[SUMS_COST_LOST_TO(bucket)] += l.cost;
}

static void read_cause(struct jscan *j, struct reading *r) {
    struct loss l;
    if (!read_loss(j, "cause", "count", &l))
        return;
    enum cause cause = sums_cause(l.name);
    r->m->life.of[SUMS_CAUSED(cause)] += l.amount;
    r->m->life.of[SUMS_PAID_CAUSED(cause)] += l.chip_s * 1000;
    r->m->life.of[SUMS_COST_CAUSED(cause)] += l.cost;
}

static void read_execution(struct jscan *j, struct reading *r) {
    struct member_break b = {.number = -1, .at_ms = TIME_UNKNOWN};
    struct slice key, cause = {0};
    char pool[64] = "";
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "number"))
            read_int(j, &b.number);
        else if (slice_is(key, "end"))
            read_time(j, &b.at_ms);
        else if (slice_is(key, "cause"))
            jscan_string_raw(j, &cause);
        else if (slice_is(key, "nodePool"))
            jscan_string(j, pool, sizeof pool);
        else
            jscan_skip(j);
    }
    b.is_excluded = cause_is_excluded(sums_cause(cause));
    if (cause.size_bytes == 0 || b.number < 0 || b.at_ms == TIME_UNKNOWN)
        return;
    if (b.number > r->m->last_execution)
        r->m->last_execution = b.number;
    if (pool[0] == '\0' || r->m->break_count >= MAX_BREAKS)
        return;
    b.pool = mem_strdup(pool);
    MEM_GROW(r->m->breaks, r->m->break_count, r->m->break_capacity);
    r->m->breaks[r->m->break_count++] = b;
}

/* One member of an object with one value of interest, or two. */
static void read_pair(struct jscan *j, const char *first, int64_t *to_first, const char *second, int64_t *to_second,
                      void (*read)(struct jscan *, int64_t *)) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, first))
            read(j, to_first);
        else if (slice_is(key, second))
            read(j, to_second);
        else
            jscan_skip(j);
    }
}

static void read_list(struct jscan *j, struct reading *r, void (*read)(struct jscan *, struct reading *)) {
    if (!jscan_array(j))
        return;
    while (jscan_element(j))
        read(j, r);
}

static void read_interruptions(struct jscan *j, struct reading *r) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "total"))
            read_int(j, &r->total);
        else if (slice_is(key, "excluded"))
            read_int(j, &r->excluded);
        else if (slice_is(key, "byCause"))
            read_list(j, r, read_cause);
        else
            jscan_skip(j);
    }
}

static void read_cost(struct jscan *j, struct reading *r) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "currency"))
            read_text(j, r->m->currency, sizeof r->m->currency);
        else if (slice_is(key, "allocated"))
            read_hundredths(j, &r->cost);
        else if (slice_is(key, "lost"))
            read_hundredths(j, &r->cost_lost);
        else
            jscan_skip(j);
    }
}

static void read_status(struct jscan *j, struct reading *r) {
    int64_t unused;
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "target"))
            read_target(j, r);
        else if (slice_is(key, "time"))
            read_times(j, r);
        else if (slice_is(key, "cost"))
            read_cost(j, r);
        else if (slice_is(key, "badput"))
            read_list(j, r, read_bucket);
        else if (slice_is(key, "executions"))
            read_list(j, r, read_execution);
        else if (slice_is(key, "goodputPPM"))
            read_pair(j, "program", &r->program_ppm, "", &unused, read_int);
        else if (slice_is(key, "availability"))
            read_pair(j, "required", &r->m->weight.slots, "", &unused, read_int);
        else if (slice_is(key, "interruptions"))
            read_interruptions(j, r);
        else if (slice_is(key, "acceleratorHours"))
            read_pair(j, "allocated", &r->paid_milli_hours, "productive", &r->paid_productive_milli_hours,
                      read_milli_hours);
        else
            jscan_skip(j);
    }
}

static int64_t times(int64_t value, int64_t ppm) {
    return (int64_t)(((__int128)value * ppm + 500000) / 1000000);
}

static void finish(struct reading *r) {
    struct member *m = r->m;
    int64_t *of = m->life.of;
    if (r->cost < 0 || m->currency[0] == '\0')
        sums_leave_out_costs(&m->life);
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
    struct slice key;
    struct reading r = {.m = mem_new(struct member),
                        .wall_ms = -1,
                        .available_ms = -1,
                        .productive_ms = -1,
                        .program_ppm = -1,
                        .paid_milli_hours = -1,
                        .cost = -1,
                        .cost_lost = -1};
    struct member *m = r.m;
    m->start_ms = m->through_ms = m->end_ms = TIME_UNKNOWN;
    m->last_execution = -1;
    jscan_init(&j, object);
    if (jscan_object(&j))
        while (jscan_key(&j, &key)) {
            if (slice_is(key, "metadata"))
                read_metadata(&j, &r);
            else if (slice_is(key, "status"))
                read_status(&j, &r);
            else
                jscan_skip(&j);
        }
    if (jscan_error(&j, NULL) != NULL || m->name == NULL) {
        member_free(m);
        return NULL;
    }
    if (m->namespace_ == NULL)
        m->namespace_ = mem_strdup("");
    m->full_name = mem_format("%s/%s", m->namespace_, m->name);
    CLEANUP_FREE char *identity = mem_format("%s %s %s", m->full_name, r.uid, r.target_uid);
    m->id = hash_stable(0, slice_of(identity)) & MEMBER_ID_MASK;
    finish(&r);
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
        free(m->breaks[i].pool);
    free(m->labels);
    free(m->breaks);
    free(m->queue);
    free(m->cluster_queue);
    free(m->priority);
    free(m->accelerator);
    free(m->namespace_);
    free(m->name);
    free(m->full_name);
    free(m);
}

const char *member_label(const struct member *m, struct slice key) {
    for (size_t i = 0; i < m->label_count; i++)
        if (slice_is(key, m->labels[i].key))
            return m->labels[i].value;
    return NULL;
}
