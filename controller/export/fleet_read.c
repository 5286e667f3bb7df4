#include "export/fleet.h"

#include "base/jscan.h"
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

static void read_cause(struct jscan *j, struct fleet_numbers *n) {
    struct fleet_cause cause = {.count = FLEET_NONE, .chip_seconds = FLEET_NONE, .cost_cents = FLEET_NONE};
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "cause"))
            jscan_string(j, cause.cause, sizeof cause.cause);
        else if (slice_is(key, "count"))
            read_value(j, INTEGER, &cause.count);
        else if (slice_is(key, "chipSeconds"))
            read_value(j, INTEGER, &cause.chip_seconds);
        else if (slice_is(key, "cost"))
            read_value(j, HUNDREDTHS, &cause.cost_cents);
        else
            jscan_skip(j);
    }
    if (n->cause_count < FLEET_MAX_CAUSES && cause.count != FLEET_NONE)
        n->causes[n->cause_count++] = cause;
}

static void read_list(struct jscan *j, void (*read)(struct jscan *, struct fleet_numbers *), struct fleet_numbers *n) {
    if (!jscan_array(j))
        return;
    while (jscan_element(j))
        read(j, n);
}

static void read_section(struct jscan *j, struct slice section, struct fleet_numbers *n) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        size_t i = 0;
        while (i < ARRAY_SIZE(table) && !(slice_is(section, table[i].section) && slice_is(key, table[i].key)))
            i++;
        if (i < ARRAY_SIZE(table))
            read_value(j, table[i].kind, &n->values[i]);
        else if (slice_is(section, "target") && slice_is(key, "queue"))
            jscan_string(j, n->queue, sizeof n->queue);
        else if (slice_is(section, "cost") && slice_is(key, "currency"))
            jscan_string(j, n->currency, sizeof n->currency);
        else if (slice_is(section, "interruptions") && slice_is(key, "byCause"))
            read_list(j, read_cause, n);
        else
            jscan_skip(j);
    }
}

static bool take_bucket(struct jscan *j, struct fleet_bucket *b) {
    *b = (struct fleet_bucket){.ms = FLEET_NONE, .chip_seconds = FLEET_NONE, .cost_cents = FLEET_NONE};
    struct slice key;
    if (!jscan_object(j))
        return false;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "bucket"))
            jscan_string(j, b->bucket, sizeof b->bucket);
        else if (slice_is(key, "family"))
            jscan_string(j, b->family, sizeof b->family);
        else if (slice_is(key, "milliseconds"))
            read_value(j, INTEGER, &b->ms);
        else if (slice_is(key, "chipSeconds"))
            read_value(j, INTEGER, &b->chip_seconds);
        else if (slice_is(key, "cost"))
            read_value(j, HUNDREDTHS, &b->cost_cents);
        else
            jscan_skip(j);
    }
    return b->ms != FLEET_NONE;
}

static void read_bucket(struct jscan *j, struct fleet_numbers *n) {
    struct fleet_bucket b;
    if (take_bucket(j, &b) && n->bucket_count < FLEET_MAX_BUCKETS)
        n->buckets[n->bucket_count++] = b;
}

/* Reads one of a window's buckets into the same place as in the whole ledger. */
static void read_window_bucket(struct jscan *j, struct fleet_numbers *n, struct fleet_window *w) {
    struct fleet_bucket b;
    bool is_there = take_bucket(j, &b);
    for (int i = 0; i < n->bucket_count && is_there; i++)
        if (strcmp(n->buckets[i].bucket, b.bucket) == 0 && strcmp(n->buckets[i].family, b.family) == 0) {
            n->buckets[i].windows_ms[n->window_count] += b.ms;
            w->badput_ms += b.ms;
            return;
        }
}

static void read_window_badput(struct jscan *j, struct fleet_numbers *n, struct fleet_window *w) {
    if (!jscan_array(j))
        return;
    w->badput_ms = 0;
    while (jscan_element(j))
        read_window_bucket(j, n, w);
}

static void read_window(struct jscan *j, struct fleet_numbers *n) {
    struct fleet_window w = {FLEET_NONE, FLEET_NONE, FLEET_NONE, FLEET_NONE, FLEET_NONE, FLEET_NONE};
    if (n->window_count == FLEET_MAX_WINDOWS) {
        jscan_skip(j);
        return;
    }
    for (int i = 0; i < n->bucket_count; i++)
        n->buckets[i].windows_ms[n->window_count] = 0;
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        int64_t *to = slice_is(key, "scheduling") ? &w.scheduling_ppm
                      : slice_is(key, "runtime")  ? &w.runtime_ppm
                      : slice_is(key, "job")      ? &w.job_ppm
                                                  : NULL;
        if (to != NULL)
            read_value(j, SHARE, to);
        else if (slice_is(key, "windowSeconds"))
            read_value(j, INTEGER, &w.seconds);
        else if (slice_is(key, "milliseconds"))
            read_value(j, INTEGER, &w.ms);
        else if (slice_is(key, "badput"))
            read_window_badput(j, n, &w);
        else
            jscan_skip(j);
    }
    if (w.seconds != FLEET_NONE)
        n->windows[n->window_count++] = w;
}

static void read_condition(struct jscan *j, struct fleet_numbers *n) {
    struct fleet_condition c = {0};
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "type"))
            jscan_string(j, c.type, sizeof c.type);
        else if (slice_is(key, "status"))
            jscan_string(j, c.status, sizeof c.status);
        else if (slice_is(key, "reason"))
            jscan_string(j, c.reason, sizeof c.reason);
        else
            jscan_skip(j);
    }
    if (n->condition_count < FLEET_MAX_CONDITIONS && c.type[0] != '\0')
        n->conditions[n->condition_count++] = c;
}

static void read_status(struct jscan *j, struct fleet_numbers *n) {
    struct slice key, windows = {0}; /* windows are read after the buckets */
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "phase"))
            jscan_string(j, n->phase, sizeof n->phase);
        else if (slice_is(key, "badput"))
            read_list(j, read_bucket, n);
        else if (slice_is(key, "windows"))
            jscan_raw(j, &windows);
        else if (slice_is(key, "conditions"))
            read_list(j, read_condition, n);
        else if (jscan_peek(j) == JSCAN_OBJECT)
            read_section(j, key, n);
        else
            jscan_skip(j);
    }
    struct jscan list;
    jscan_init(&list, windows);
    read_list(&list, read_window, n);
}

bool fleet_read_numbers(struct slice object, struct fleet_numbers *numbers) {
    struct jscan j;
    struct slice key;
    memset(numbers, 0, offsetof(struct fleet_numbers, buckets));
    for (int i = 0; i < FLEET_VALUE_COUNT; i++)
        numbers->values[i] = FLEET_NONE;
    jscan_init(&j, object);
    if (!jscan_object(&j))
        return false;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "status"))
            read_status(&j, numbers);
        else
            jscan_skip(&j);
    }
    return jscan_error(&j, NULL) == NULL;
}

bool fleet_is_final(const struct fleet_numbers *numbers) {
    for (int i = 0; i < numbers->condition_count; i++)
        if (strcmp(numbers->conditions[i].type, "Finished") == 0)
            return strcmp(numbers->conditions[i].status, "True") == 0;
    return false;
}
