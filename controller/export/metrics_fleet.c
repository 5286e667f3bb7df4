#include "export/metrics_fleet.h"

#include "base/jscan.h"

#include <string.h>

enum { LABELS_MAX = 8192, TEXT_MAX = 1100 };

struct writing {
    struct prometheus_page *page;
    const int *families;
    struct buf labels, extra;
    char currency[8]; /* of this FleetGoodput; "" without a price */
};

static void sample(struct writing *w, enum metrics_fleet_family family, int64_t value, int digits) {
    prometheus_sample(w->page, w->families[family], buf_slice(&w->labels), buf_slice(&w->extra), value, digits);
}

static void label(struct writing *w, const char *name, const char *value) {
    prometheus_label(&w->extra, name, value);
}

static bool take_decimal(struct jscan *j, int digits, int64_t *value) {
    struct slice raw;
    return jscan_string_raw(j, &raw) && slice_take_scaled(&raw, digits, value) && raw.size_bytes == 0;
}

static void take_cents(struct jscan *j, int64_t *cents) {
    if (!take_decimal(j, 2, cents))
        *cents = FLEET_NONE;
}

/* Adds a sample with the currency as the last label; none without a price. */
static void money(struct writing *w, enum metrics_fleet_family family, int64_t cents) {
    if (cents == FLEET_NONE)
        return;
    label(w, "currency", w->currency);
    sample(w, family, cents, 2);
}

/* Writes each integer of an object as a sample with its key as the label: "withoutSteps" becomes without_steps. */
static void write_each(struct writing *w, struct jscan *j, enum metrics_fleet_family family, const char *name,
                       const char *group, int digits) {
    struct slice key;
    int64_t value;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        char text[64];
        size_t n = 0;
        for (size_t i = 0; i < key.size_bytes && n + 2 < sizeof text; i++) {
            char c = key.data[i];
            if (c >= 'A' && c <= 'Z')
                text[n++] = '_';
            text[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        }
        text[n] = '\0';
        if (!jscan_int(j, &value) || slice_is(key, "capacityHours"))
            continue;
        buf_clear(&w->extra);
        if (group != NULL)
            label(w, "group", group);
        label(w, name, text);
        sample(w, family, value, digits);
    }
}

static void write_group(struct writing *w, struct jscan *j) {
    struct slice key, ratios = {0};
    char name[TEXT_MAX] = "";
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) { /* the name may be the last member */
        if (slice_is(key, "name"))
            jscan_string(j, name, sizeof name);
        else if (!slice_is(key, "goodputPPM") || !jscan_raw(j, &ratios))
            jscan_skip(j);
    }
    struct jscan inner;
    jscan_init(&inner, ratios);
    if (ratios.size_bytes > 0)
        write_each(w, &inner, METRICS_FLEET_GROUP_RATIO, "goodput", name, 6);
}

static void write_loss(struct writing *w, struct jscan *j) {
    struct slice key;
    char family[64] = "", bucket[128] = "";
    int64_t value = FLEET_NONE, cents = FLEET_NONE;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "family"))
            jscan_string(j, family, sizeof family);
        else if (slice_is(key, "bucket"))
            jscan_string(j, bucket, sizeof bucket);
        else if (slice_is(key, "cost"))
            take_cents(j, &cents);
        else if (!slice_is(key, "chipSeconds"))
            jscan_skip(j);
        else if (!jscan_int(j, &value))
            value = FLEET_NONE;
    }
    if (value == FLEET_NONE)
        return;
    buf_clear(&w->extra);
    label(w, "family", family);
    label(w, "bucket", bucket);
    sample(w, METRICS_FLEET_BADPUT, value, 0);
    money(w, METRICS_FLEET_BADPUT_COST, cents);
}

static void write_cause(struct writing *w, struct jscan *j) {
    struct slice key;
    char cause[64] = "";
    int64_t cents = FLEET_NONE;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "cause"))
            jscan_string(j, cause, sizeof cause);
        else if (slice_is(key, "cost"))
            take_cents(j, &cents);
        else
            jscan_skip(j);
    }
    buf_clear(&w->extra);
    label(w, "cause", cause);
    money(w, METRICS_FLEET_CAUSE_COST, cents);
}

static void write_pool(struct writing *w, struct jscan *j) {
    struct slice key;
    char name[256] = "";
    int64_t failures = FLEET_NONE, mtbf_s = FLEET_NONE;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        int64_t *to = slice_is(key, "failures")                         ? &failures
                      : slice_is(key, "meanTimeBetweenFailuresSeconds") ? &mtbf_s
                                                                        : NULL;
        if (to == NULL && slice_is(key, "name"))
            jscan_string(j, name, sizeof name);
        else if (to == NULL)
            jscan_skip(j);
        else if (!jscan_int(j, to))
            *to = FLEET_NONE;
    }
    buf_clear(&w->extra);
    label(w, "node_pool", name);
    if (failures != FLEET_NONE)
        sample(w, METRICS_FLEET_POOL_FAILURES, failures, 0);
    if (mtbf_s != FLEET_NONE)
        sample(w, METRICS_FLEET_POOL_MTBF, mtbf_s, 0);
}

static void write_list(struct writing *w, struct jscan *j, void (*write)(struct writing *, struct jscan *)) {
    if (!jscan_array(j))
        return;
    while (jscan_element(j))
        write(w, j);
}

static void write_interruptions(struct writing *w, struct jscan *j) {
    struct slice key;
    int64_t value;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        buf_clear(&w->extra);
        if (slice_is(key, "total")) {
            if (jscan_int(j, &value))
                sample(w, METRICS_FLEET_INTERRUPTIONS, value, 0);
        } else if (slice_is(key, "byCause")) {
            write_list(w, j, write_cause);
        } else if (!slice_is(key, "per1000NodeDays")) {
            jscan_skip(j);
        } else if (take_decimal(j, 3, &value)) {
            sample(w, METRICS_FLEET_RATE, value, 3);
        }
    }
}

/* Called before the others, which need the currency. */
static void write_cost(struct writing *w, struct jscan *j) {
    static const char *const states[] = {"allocated", "lost"};
    int64_t cents[] = {FLEET_NONE, FLEET_NONE};
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        int i = slice_is(key, states[0]) ? 0 : slice_is(key, states[1]) ? 1 : -1;
        if (slice_is(key, "currency"))
            jscan_string(j, w->currency, sizeof w->currency);
        else if (i < 0)
            jscan_skip(j);
        else
            take_cents(j, &cents[i]);
    }
    for (int i = 0; i < 2; i++) {
        buf_clear(&w->extra);
        label(w, "state", states[i]);
        money(w, METRICS_FLEET_COST, cents[i]);
    }
}

static void write_condition(struct writing *w, struct jscan *j) {
    struct slice key;
    char type[64] = "", status[16] = "";
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "type"))
            jscan_string(j, type, sizeof type);
        else if (slice_is(key, "status"))
            jscan_string(j, status, sizeof status);
        else
            jscan_skip(j);
    }
    buf_clear(&w->extra);
    label(w, "condition", type);
    label(w, "status", status);
    sample(w, METRICS_FLEET_CONDITION, 1, 0);
}

static void write_status(struct writing *w, struct slice status) {
    struct slice key;
    struct jscan list, *j = &list;
    w->currency[0] = '\0';
    jscan_init(j, status);
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key))
        if (slice_is(key, "cost"))
            write_cost(w, j);
        else
            jscan_skip(j);
    jscan_init(j, status);
    jscan_object(j);
    while (jscan_key(j, &key)) {
        if (slice_is(key, "goodputPPM"))
            write_each(w, j, METRICS_FLEET_RATIO, "goodput", NULL, 6);
        else if (slice_is(key, "chipSeconds"))
            write_each(w, j, METRICS_FLEET_CHIPS, "state", NULL, 0);
        else if (slice_is(key, "jobs"))
            write_each(w, j, METRICS_FLEET_JOBS, "state", NULL, 0);
        else if (slice_is(key, "groups"))
            write_list(w, j, write_group);
        else if (slice_is(key, "topLosses"))
            write_list(w, j, write_loss);
        else if (slice_is(key, "nodePools"))
            write_list(w, j, write_pool);
        else if (slice_is(key, "conditions"))
            write_list(w, j, write_condition);
        else if (slice_is(key, "interruptions"))
            write_interruptions(w, j);
        else
            jscan_skip(j);
    }
}

void metrics_fleet_write(struct prometheus_page *page, const int families[static METRICS_FLEET_FAMILIES],
                         const struct fleet *fleets) {
    struct writing w = {.page = page, .families = families};
    buf_init(&w.labels, LABELS_MAX);
    buf_init(&w.extra, LABELS_MAX);
    for (const struct fleet_job *f = fleets->first; f != NULL; f = f->later) {
        struct jscan j;
        struct slice key, status;
        if (f->is_deleted)
            continue;
        buf_clear(&w.labels);
        prometheus_label(&w.labels, "fleetgoodput", f->name);
        jscan_init(&j, f->object);
        if (!jscan_object(&j))
            continue;
        while (jscan_key(&j, &key)) {
            if (!slice_is(key, "status"))
                jscan_skip(&j);
            else if (jscan_raw(&j, &status))
                write_status(&w, status);
        }
    }
    buf_done(&w.labels);
    buf_done(&w.extra);
}
