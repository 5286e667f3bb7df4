#include "export/metrics_fleet.h"

#include "base/jmembers.h"
#include "export/fleet_read.h"

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

static void read_cents(struct jscan *j, void *cents) {
    if (!take_decimal(j, 2, cents))
        *(int64_t *)cents = FLEET_NONE;
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

static void write_ratios(struct jscan *j, void *writing) {
    write_each(writing, j, METRICS_FLEET_RATIO, "goodput", NULL, 6);
}

static void write_chips(struct jscan *j, void *writing) {
    write_each(writing, j, METRICS_FLEET_CHIPS, "state", NULL, 0);
}

static void write_jobs(struct jscan *j, void *writing) {
    write_each(writing, j, METRICS_FLEET_JOBS, "state", NULL, 0);
}

static void write_group(struct jscan *j, void *writing) {
    struct group {
        char name[TEXT_MAX];
        struct slice ratios; /* written when the name is read: it may be the last member */
    } g = {.name = ""};
    static const struct jmember rows[] = {JMEMBER(struct group, name, "name"),
                                          JMEMBER_RAW(struct group, ratios, "goodputPPM")};
    struct jscan inner;
    if (!jmembers_read(j, JMEMBERS(rows), &g) || g.ratios.size_bytes == 0)
        return;
    jscan_init(&inner, g.ratios);
    write_each(writing, &inner, METRICS_FLEET_GROUP_RATIO, "goodput", g.name, 6);
}

static void write_loss(struct jscan *j, void *writing) {
    struct loss {
        char family[64], bucket[128];
        int64_t value, cents;
    } l = {.value = FLEET_NONE, .cents = FLEET_NONE};
    static const struct jmember rows[] = {
        JMEMBER(struct loss, family, "family"), JMEMBER(struct loss, bucket, "bucket"),
        JMEMBER(struct loss, value, "chipSeconds"), JMEMBER_FIELD(struct loss, cents, "cost", read_cents)};
    struct writing *w = writing;
    jmembers_read(j, JMEMBERS(rows), &l);
    if (l.value == FLEET_NONE)
        return;
    buf_clear(&w->extra);
    label(w, "family", l.family);
    label(w, "bucket", l.bucket);
    sample(w, METRICS_FLEET_BADPUT, l.value, 0);
    money(w, METRICS_FLEET_BADPUT_COST, l.cents);
}

static void write_cause(struct jscan *j, void *writing) {
    struct cause {
        char cause[64];
        int64_t cents;
    } c = {.cents = FLEET_NONE};
    static const struct jmember rows[] = {JMEMBER(struct cause, cause, "cause"),
                                          JMEMBER_FIELD(struct cause, cents, "cost", read_cents)};
    struct writing *w = writing;
    jmembers_read(j, JMEMBERS(rows), &c);
    buf_clear(&w->extra);
    label(w, "cause", c.cause);
    money(w, METRICS_FLEET_CAUSE_COST, c.cents);
}

static void write_class(struct jscan *j, void *writing) {
    struct class {
        char class_[32];
        int64_t count;
    } c = {.count = FLEET_NONE};
    static const struct jmember rows[] = {JMEMBER(struct class, class_, "class"),
                                          JMEMBER(struct class, count, "count")};
    struct writing *w = writing;
    jmembers_read(j, JMEMBERS(rows), &c);
    buf_clear(&w->extra);
    label(w, "class", c.class_);
    if (c.count != FLEET_NONE)
        sample(w, METRICS_FLEET_ROOT_CAUSES, c.count, 0);
}

struct owned_classes {
    struct writing *writing;
    const char *owner;
};

static void write_owned_class(struct jscan *j, void *owned) {
    struct class {
        char class_[32];
        int64_t value;
    } c = {.value = FLEET_NONE};
    static const struct jmember rows[] = {JMEMBER(struct class, class_, "class"),
                                          JMEMBER(struct class, value, "chipSeconds")};
    struct owned_classes *to = owned;
    struct writing *w = to->writing;
    jmembers_read(j, JMEMBERS(rows), &c);
    buf_clear(&w->extra);
    label(w, "owner", to->owner);
    label(w, "class", c.class_);
    if (c.value != FLEET_NONE)
        sample(w, METRICS_FLEET_OWNER_CLASS_CHIPS, c.value, 0);
}

static void write_owner(struct jscan *j, void *writing) {
    struct owner {
        char owner[32];
        int64_t interruptions, value, cents;
        struct slice classes;
    } o = {.interruptions = FLEET_NONE, .value = FLEET_NONE, .cents = FLEET_NONE};
    static const struct jmember rows[] = {
        JMEMBER(struct owner, owner, "owner"), JMEMBER(struct owner, interruptions, "interruptions"),
        JMEMBER(struct owner, value, "chipSeconds"), JMEMBER_FIELD(struct owner, cents, "cost", read_cents),
        JMEMBER_RAW(struct owner, classes, "byClass")};
    struct writing *w = writing;
    struct jscan classes;
    jmembers_read(j, JMEMBERS(rows), &o);
    buf_clear(&w->extra);
    label(w, "owner", o.owner);
    if (o.interruptions != FLEET_NONE)
        sample(w, METRICS_FLEET_OWNER_INTERRUPTIONS, o.interruptions, 0);
    if (o.value != FLEET_NONE)
        sample(w, METRICS_FLEET_OWNER_CHIPS, o.value, 0);
    money(w, METRICS_FLEET_OWNER_COST, o.cents);
    jscan_init(&classes, o.classes);
    if (o.classes.size_bytes > 0)
        jmembers_each(&classes, write_owned_class, &(struct owned_classes){w, o.owner});
}

static void write_pool(struct jscan *j, void *writing) {
    struct pool {
        char name[256];
        int64_t failures, mtbf_s;
    } p = {.failures = FLEET_NONE, .mtbf_s = FLEET_NONE};
    static const struct jmember rows[] = {JMEMBER(struct pool, name, "name"),
                                          JMEMBER(struct pool, failures, "failures"),
                                          JMEMBER(struct pool, mtbf_s, "meanTimeBetweenFailuresSeconds")};
    struct writing *w = writing;
    if (!jmembers_read(j, JMEMBERS(rows), &p))
        return;
    buf_clear(&w->extra);
    label(w, "node_pool", p.name);
    if (p.failures != FLEET_NONE)
        sample(w, METRICS_FLEET_POOL_FAILURES, p.failures, 0);
    if (p.mtbf_s != FLEET_NONE)
        sample(w, METRICS_FLEET_POOL_MTBF, p.mtbf_s, 0);
}

static void write_total(struct jscan *j, void *writing) {
    struct writing *w = writing;
    int64_t value;
    buf_clear(&w->extra);
    if (jscan_int(j, &value))
        sample(w, METRICS_FLEET_INTERRUPTIONS, value, 0);
}

static void write_rate(struct jscan *j, void *writing) {
    struct writing *w = writing;
    int64_t value;
    buf_clear(&w->extra);
    if (take_decimal(j, 3, &value))
        sample(w, METRICS_FLEET_RATE, value, 3);
}

static void write_cost(struct jscan *j, void *writing) {
    struct cost {
        char currency[8];
        int64_t allocated, lost;
    } c = {.allocated = FLEET_NONE, .lost = FLEET_NONE};
    static const struct jmember rows[] = {JMEMBER(struct cost, currency, "currency"),
                                          JMEMBER_FIELD(struct cost, allocated, "allocated", read_cents),
                                          JMEMBER_FIELD(struct cost, lost, "lost", read_cents)};
    struct writing *w = writing;
    jmembers_read(j, JMEMBERS(rows), &c);
    slice_copy(w->currency, sizeof w->currency, slice_of(c.currency));
    buf_clear(&w->extra);
    label(w, "state", "allocated");
    money(w, METRICS_FLEET_COST, c.allocated);
    buf_clear(&w->extra);
    label(w, "state", "lost");
    money(w, METRICS_FLEET_COST, c.lost);
}

static void write_condition(struct jscan *j, void *writing) {
    struct condition {
        char type[64], status[16];
    } c = {.type = ""};
    static const struct jmember rows[] = {JMEMBER(struct condition, type, "type"),
                                          JMEMBER(struct condition, status, "status")};
    struct writing *w = writing;
    if (!jmembers_read(j, JMEMBERS(rows), &c))
        return;
    buf_clear(&w->extra);
    label(w, "condition", c.type);
    label(w, "status", c.status);
    sample(w, METRICS_FLEET_CONDITION, 1, 0);
}

static void write_status(struct writing *w, struct slice status) {
    static const struct jmember interruptions[] = {
        JMEMBER_SELF("total", write_total), JMEMBER_ELEMENTS("byCause", write_cause),
        JMEMBER_ELEMENTS("byClass", write_class), JMEMBER_SELF("per1000NodeDays", write_rate)};
    static const struct jmember cost[] = {JMEMBER_SELF("cost", write_cost)};
    static const struct jmember rows[] = {JMEMBER_SELF("goodputPPM", write_ratios),
                                          JMEMBER_SELF("chipSeconds", write_chips),
                                          JMEMBER_SELF("jobs", write_jobs),
                                          JMEMBER_ELEMENTS("groups", write_group),
                                          JMEMBER_ELEMENTS("topLosses", write_loss),
                                          JMEMBER_ELEMENTS("byOwner", write_owner),
                                          JMEMBER_ELEMENTS("nodePools", write_pool),
                                          JMEMBER_ELEMENTS("conditions", write_condition),
                                          JMEMBER_OBJECT("interruptions", interruptions)};
    struct jscan j;
    w->currency[0] = '\0';
    jscan_init(&j, status);
    jmembers_read(&j, JMEMBERS(cost), w); /* first: the others need the currency */
    jscan_init(&j, status);
    jmembers_read(&j, JMEMBERS(rows), w);
}

void metrics_fleet_write(struct prometheus_page *page, const int families[static METRICS_FLEET_FAMILIES],
                         const struct fleet *fleets) {
    struct object {
        struct slice status;
    };
    static const struct jmember rows[] = {JMEMBER_RAW(struct object, status, "status")};
    struct writing w = {.page = page, .families = families};
    buf_init(&w.labels, LABELS_MAX);
    buf_init(&w.extra, LABELS_MAX);
    for (const struct fleet_job *f = fleets->first; f != NULL; f = f->later) {
        struct object object = {.status = {0}};
        struct jscan j;
        if (f->is_deleted)
            continue;
        buf_clear(&w.labels);
        prometheus_label(&w.labels, "fleetgoodput", f->name);
        jscan_init(&j, fleet_object(f));
        jmembers_read(&j, JMEMBERS(rows), &object);
        write_status(&w, object.status);
    }
    buf_done(&w.labels);
    buf_done(&w.extra);
}
