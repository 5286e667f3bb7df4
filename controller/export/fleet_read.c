#include "export/fleet_read.h"

#include "base/jmembers.h"
#include "base/mem.h"

#include <string.h>

enum kind { INTEGER, TIME, THOUSANDTHS, HUNDREDTHS, SHARE /* percent to parts per million */ };
static const struct {
    const char *section, *key;
    enum kind kind;
} table[] = {
#define X(name, section, key, kind) {section, key, kind},
    FLEET_VALUES(X)
#undef X
};

/* Reads a decimal in a string, "12.5" or "93.41%", scaled by 10^digits. */
static bool take_decimal(struct jscan *j, int digits, int64_t *value) {
    struct slice raw;
    return jscan_string_raw(j, &raw) && slice_take_scaled(&raw, digits, value) &&
           (raw.size_bytes == 0 || slice_is(raw, "%"));
}

static void read_value(struct jscan *j, enum kind kind, int64_t *value) {
    int64_t read;
    bool is_read = kind == INTEGER ? jscan_int(j, &read)
                   : kind == TIME  ? jscan_time_ms(j, &read)
                                   : take_decimal(j,
                                                 kind == SHARE         ? 4
                                                  : kind == THOUSANDTHS ? 3
                                                                        : 2,
                                                  &read);
    if (is_read)
        *value = read;
}

static void read_cents(struct jscan *j, void *value) {
    read_value(j, HUNDREDTHS, value);
}

static void read_share(struct jscan *j, void *value) {
    read_value(j, SHARE, value);
}

static void read_cause(struct jscan *j, void *numbers) {
    typedef struct fleet_cause cause;
    static const struct jmember rows[] = {JMEMBER(cause, cause, "cause"), JMEMBER(cause, count, "count"),
                                          JMEMBER(cause, chip_seconds, "chipSeconds"),
                                          JMEMBER_FIELD(cause, cost_cents, "cost", read_cents)};
    struct fleet_numbers *n = numbers;
    struct fleet_cause c = {.count = FLEET_NONE, .chip_seconds = FLEET_NONE, .cost_cents = FLEET_NONE};
    jmembers_read(j, JMEMBERS(rows), &c);
    if (n->cause_count < FLEET_MAX_CAUSES && c.count != FLEET_NONE)
        n->causes[n->cause_count++] = c;
}

static void read_class(struct jscan *j, void *numbers) {
    typedef struct fleet_class class;
    static const struct jmember rows[] = {JMEMBER(class, class_, "class"), JMEMBER(class, count, "count")};
    struct fleet_numbers *n = numbers;
    struct fleet_class c = {.count = FLEET_NONE};
    jmembers_read(j, JMEMBERS(rows), &c);
    if (n->class_count < FLEET_MAX_CLASSES && c.class_[0] != '\0' && c.count != FLEET_NONE)
        n->classes[n->class_count++] = c;
}

/* The rows of a section stand together in the table. */
static void read_section(struct jscan *j, struct slice section, struct fleet_numbers *n) {
    struct slice key;
    size_t first = 0, end;
    while (first < ARRAY_SIZE(table) && !slice_is(section, table[first].section))
        first++;
    for (end = first; end < ARRAY_SIZE(table) && strcmp(table[end].section, table[first].section) == 0;)
        end++;
    bool is_interruptions = slice_is(section, "interruptions");
    if (first == end) {
        jscan_skip(j);
        return;
    }
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        size_t i = first;
        while (i < end && !slice_is(key, table[i].key))
            i++;
        if (i < end)
            read_value(j, table[i].kind, &n->values[i]);
        else if (slice_is(section, "target") && slice_is(key, "queue"))
            jscan_string(j, n->queue, sizeof n->queue);
        else if (slice_is(section, "cost") && slice_is(key, "currency"))
            jscan_string(j, n->currency, sizeof n->currency);
        else if (is_interruptions && slice_is(key, "byCause"))
            jmembers_each(j, read_cause, n);
        else if (is_interruptions && slice_is(key, "byClass"))
            jmembers_each(j, read_class, n);
        else
            jscan_skip(j);
    }
}

static bool take_bucket(struct jscan *j, struct fleet_bucket *b) {
    typedef struct fleet_bucket bucket;
    static const struct jmember rows[] = {
        JMEMBER(bucket, bucket, "bucket"), JMEMBER(bucket, family, "family"), JMEMBER(bucket, ms, "milliseconds"),
        JMEMBER(bucket, chip_seconds, "chipSeconds"), JMEMBER_FIELD(bucket, cost_cents, "cost", read_cents)};
    *b = (struct fleet_bucket){.ms = FLEET_NONE, .chip_seconds = FLEET_NONE, .cost_cents = FLEET_NONE};
    jmembers_read(j, JMEMBERS(rows), b);
    return b->ms != FLEET_NONE;
}

static void read_bucket(struct jscan *j, void *numbers) {
    struct fleet_numbers *n = numbers;
    struct fleet_bucket b;
    if (take_bucket(j, &b) && n->bucket_count < FLEET_MAX_BUCKETS)
        n->buckets[n->bucket_count++] = b;
}

/* Reads one of a window's buckets into the same place as in the whole ledger. */
static int64_t read_window_bucket(struct jscan *j, struct fleet_numbers *n) {
    struct fleet_bucket b;
    bool is_there = take_bucket(j, &b);
    for (int i = 0; i < n->bucket_count && is_there; i++)
        if (strcmp(n->buckets[i].bucket, b.bucket) == 0 && strcmp(n->buckets[i].family, b.family) == 0) {
            n->buckets[i].windows_ms[n->window_count] += b.ms;
            return b.ms;
        }
    return 0;
}

struct window {
    struct fleet_window w;
    struct fleet_numbers *numbers;
};

static void read_window_badput(struct jscan *j, void *window) {
    struct window *of = window;
    if (!jscan_array(j))
        return;
    of->w.badput_ms = 0;
    while (jscan_element(j))
        of->w.badput_ms += read_window_bucket(j, of->numbers);
}

static void read_window(struct jscan *j, void *numbers) {
    typedef struct window window;
    static const struct jmember rows[] = {JMEMBER_FIELD(window, w.scheduling_ppm, "scheduling", read_share),
                                          JMEMBER_FIELD(window, w.runtime_ppm, "runtime", read_share),
                                          JMEMBER_FIELD(window, w.job_ppm, "job", read_share),
                                          JMEMBER(window, w.seconds, "windowSeconds"),
                                          JMEMBER(window, w.ms, "milliseconds"),
                                          JMEMBER_SELF("badput", read_window_badput)};
    struct fleet_numbers *n = numbers;
    struct window of = {{FLEET_NONE, FLEET_NONE, FLEET_NONE, FLEET_NONE, FLEET_NONE, FLEET_NONE}, n};
    if (n->window_count == FLEET_MAX_WINDOWS) {
        jscan_skip(j);
        return;
    }
    for (int i = 0; i < n->bucket_count; i++)
        n->buckets[i].windows_ms[n->window_count] = 0;
    jmembers_read(j, JMEMBERS(rows), &of);
    if (of.w.seconds != FLEET_NONE)
        n->windows[n->window_count++] = of.w;
}

static void read_condition(struct jscan *j, void *numbers) {
    typedef struct fleet_condition condition;
    static const struct jmember rows[] = {JMEMBER(condition, type, "type"), JMEMBER(condition, status, "status"),
                                          JMEMBER(condition, reason, "reason")};
    struct fleet_numbers *n = numbers;
    struct fleet_condition c = {0};
    jmembers_read(j, JMEMBERS(rows), &c);
    if (n->condition_count < FLEET_MAX_CONDITIONS && c.type[0] != '\0')
        n->conditions[n->condition_count++] = c;
}

static void read_definition(struct jscan *j, void *numbers) {
    typedef struct fleet_definition definition;
    static const struct jmember rows[] = {JMEMBER(definition, name, "name"), JMEMBER(definition, mean_s, "meanSeconds"),
                                          JMEMBER_FIELD(definition, ratio_ppm, "value", read_share)};
    struct fleet_numbers *n = numbers;
    struct fleet_definition d = {.ratio_ppm = FLEET_NONE, .mean_s = FLEET_NONE};
    jmembers_read(j, JMEMBERS(rows), &d);
    if (n->definition_count < FLEET_MAX_DEFINITIONS && d.name[0] != '\0')
        n->definitions[n->definition_count++] = d;
}

static void read_owner(struct jscan *j, void *numbers) {
    typedef struct fleet_owner owner;
    static const struct jmember rows[] = {JMEMBER(owner, owner, "owner"), JMEMBER(owner, ms, "milliseconds"),
                                          JMEMBER(owner, interruptions, "interruptions")};
    struct fleet_numbers *n = numbers;
    struct fleet_owner o = {.ms = FLEET_NONE, .interruptions = FLEET_NONE};
    jmembers_read(j, JMEMBERS(rows), &o);
    if (n->owner_count < FLEET_MAX_OWNERS && o.owner[0] != '\0' && o.ms != FLEET_NONE)
        n->owners[n->owner_count++] = o;
}

static void read_status(struct jscan *j, void *numbers) {
    static const struct jmember rows[] = {
        JMEMBER(struct fleet_numbers, phase, "phase"), JMEMBER_ELEMENTS("badput", read_bucket),
        JMEMBER_ELEMENTS("conditions", read_condition), JMEMBER_ELEMENTS("otherDefinitions", read_definition),
        JMEMBER_ELEMENTS("byOwner", read_owner)};
    struct fleet_numbers *n = numbers;
    struct slice key, windows = {0}; /* windows are read after the buckets */
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        const struct jmember *row = jmembers_find(JMEMBERS(rows), key);
        if (row != NULL)
            jmembers_take(j, row, n);
        else if (slice_is(key, "windows"))
            jscan_raw(j, &windows);
        else
            read_section(j, key, n);
    }
    struct jscan list;
    jscan_init_loose(&list, windows);
    jmembers_each(&list, read_window, n);
}

bool fleet_read_numbers(struct slice object, struct fleet_numbers *numbers) {
    static const struct jmember rows[] = {JMEMBER_SELF("status", read_status)};
    struct jscan j;
    memset(numbers, 0, offsetof(struct fleet_numbers, buckets));
    for (int i = 0; i < FLEET_VALUE_COUNT; i++)
        numbers->values[i] = FLEET_NONE;
    jscan_init_loose(&j, object);
    return jmembers_read(&j, JMEMBERS(rows), numbers) && jscan_error(&j, NULL) == NULL;
}

const struct fleet_condition fleet_log_unreadable = {.type = "StepLogAttached", .status = "False"};

bool fleet_is_log_unreadable(const struct fleet_condition *condition) {
    return strcmp(condition->type, fleet_log_unreadable.type) == 0 &&
           strcmp(condition->status, fleet_log_unreadable.status) == 0;
}

bool fleet_is_final(const struct fleet_numbers *numbers) {
    for (int i = 0; i < numbers->condition_count; i++)
        if (strcmp(numbers->conditions[i].type, "Finished") == 0)
            return strcmp(numbers->conditions[i].status, "True") == 0;
    return false;
}
