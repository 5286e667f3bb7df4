#include "export/push/otlp_metrics.h"

#include "export/push/identity.h"
#include "export/push/otlp_wire.h"

#include "base/mem.h"

/* AggregationTemporality */
enum { CUMULATIVE = 2 };
/* GAUGE: the present value. SUM: a total since the job's start that may be corrected downwards. GROWING: one that never
 * falls. */
enum shape { GAUGE, SUM, GROWING };

struct label {
    const char *key, *text; /* key NULL: none */
    int64_t number;         /* text NULL */
};

struct metrics {
    struct buf *out;
    uint64_t start_ns, end_ns;
    size_t start, metric, data; /* offsets: the start; the open messages */
    enum shape shape;
    int points, before;
};

void otlp_resource_write(const struct round_now *now, struct buf *out) {
    const struct fleet_job *job = now->job;
    struct push_identity d;
    size_t resource = otlp_begin(out, 1);
    push_identity_read(fleet_object(job), &d);
    otlp_attribute(out, 1, "service.name", "goodput-controller");
    otlp_attribute(out, 1, "service.version", GOODPUT_VERSION);
    otlp_attribute(out, 1, "k8s.cluster.name", now->cluster_name);
    otlp_attribute(out, 1, "k8s.namespace.name", job->namespace_);
    otlp_attribute(out, 1, "goodput.job.name", job->name);
    otlp_attribute(out, 1, "goodput.job.uid", d.uid);
    otlp_attribute(out, 1, "goodput.target.kind", d.target_kind);
    otlp_attribute(out, 1, "goodput.target.name", d.target);
    otlp_attribute(out, 1, "goodput.accelerator", d.accelerator);
    otlp_end(out, resource);
}

void otlp_scope_write(struct buf *out) {
    size_t scope = otlp_begin(out, 1);
    otlp_text(out, 1, "goodput.dev/controller");
    otlp_text(out, 2, GOODPUT_VERSION);
    otlp_end(out, scope);
}

/* ---- one metric, its points between begin and end ---- */

static void begin(struct metrics *m, enum shape shape, const char *name, const char *unit, const char *description) {
    m->shape = shape;
    m->start = m->out->size_bytes;
    m->before = m->points;
    m->metric = otlp_begin(m->out, 2);
    otlp_text(m->out, 1, name);
    otlp_text(m->out, 2, description);
    otlp_text(m->out, 3, unit);
    m->data = otlp_begin(m->out, shape == GAUGE ? 5 : 7);
}

static void end(struct metrics *m) {
    if (m->points == m->before) { /* no value is known */
        m->out->size_bytes = m->start;
        return;
    }
    if (m->shape != GAUGE)
        otlp_uint(m->out, 2, CUMULATIVE);
    if (m->shape == GROWING)
        otlp_uint(m->out, 3, 1);
    otlp_end(m->out, m->data);
    otlp_end(m->out, m->metric);
}

/* Adds a point with value / 10^digits as a double; digits 0: an integer. An unknown value has no point. */
static void point(struct metrics *m, int64_t value, int digits, struct label first, struct label second) {
    static const double scales[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    const struct label labels[] = {first, second};
    if (value == FLEET_NONE)
        return;
    size_t data = otlp_begin(m->out, 1);
    if (m->shape != GAUGE)
        otlp_fixed64(m->out, 2, m->start_ns);
    otlp_fixed64(m->out, 3, m->end_ns);
    if (digits == 0)
        otlp_fixed64(m->out, 6, (uint64_t)value);
    else
        otlp_double(m->out, 4, (double)value / scales[digits]);
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
        if (labels[i].key != NULL && labels[i].text != NULL)
            otlp_attribute(m->out, 7, labels[i].key, labels[i].text);
        else if (labels[i].key != NULL)
            otlp_attribute_int(m->out, 7, labels[i].key, labels[i].number);
    }
    otlp_end(m->out, data);
    m->points++;
}

static const struct label none = {NULL, NULL, 0};

/* ---- all of them ---- */

static void write_ratios(struct metrics *m, const struct fleet_numbers *n) {
    static const struct {
        const char *kind;
        enum fleet_value value;
    } ratios[] = {{"scheduling", FLEET_SCHEDULING},
                  {"runtime", FLEET_RUNTIME},
                  {"job", FLEET_GOODPUT},
                  {"program", FLEET_PROGRAM},
                  {"productivity", FLEET_PRODUCTIVITY},
                  {"runtime_upper_bound", FLEET_UPPER_BOUND},
                  {"scheduling_upper_bound", FLEET_SCHEDULING_UPPER_BOUND},
                  {"job_upper_bound", FLEET_JOB_UPPER_BOUND},
                  {"evidence", FLEET_EVIDENCE}};
    begin(m, GAUGE, "goodput.ratio", "1", "Goodput and its factors.");
    for (size_t i = 0; i < ARRAY_SIZE(ratios); i++)
        point(m, n->values[ratios[i].value], 6, (struct label){"goodput.kind", ratios[i].kind, 0}, none);
    end(m);
    begin(m, GAUGE, "goodput.window.ratio", "1", "Goodput of the last seconds.");
    for (int i = 0; i < n->window_count; i++) {
        const struct fleet_window *w = &n->windows[i];
        const int64_t ppm[] = {w->scheduling_ppm, w->runtime_ppm, w->job_ppm};
        for (size_t k = 0; k < ARRAY_SIZE(ppm); k++)
            point(m, ppm[k], 6, (struct label){"goodput.kind", ratios[k].kind, 0},
                  (struct label){"goodput.window.seconds", NULL, w->seconds});
    }
    end(m);
}

static void write_plain(struct metrics *m, const struct fleet_numbers *n) {
    static const struct {
        enum shape shape;
        const char *name, *unit, *description;
        enum fleet_value value;
        int digits;
    } plain[] = {
        {GROWING, "goodput.wall.time", "s", "From the target's creation to its end.", FLEET_WALL, 3},
        {SUM, "goodput.available.time", "s", "All required slots were available.", FLEET_AVAILABLE, 3},
        {SUM, "goodput.productive.time", "s", "Steps that were kept.", FLEET_PRODUCTIVE, 3},
        {GAUGE, "goodput.provisional.time", "s", "Productive since the last durable checkpoint.", FLEET_PROVISIONAL, 3},
        {GAUGE, "goodput.slots.required", "{slot}", "Pods that the job needs at once.", FLEET_SLOTS_REQUIRED, 0},
        {GAUGE, "goodput.slots.available", "{slot}", "Of these: bound and alive.", FLEET_SLOTS_AVAILABLE, 0},
        {GAUGE, "goodput.chips", "{chip}", "Accelerator chips of the required slots.", FLEET_CHIPS, 0},
        {GAUGE, "goodput.step.last", "{step}", "Number of the newest step.", FLEET_LAST_STEP, 0},
        {GAUGE, "goodput.step.last_durable", "{step}", "Newest step in a checkpoint.", FLEET_LAST_DURABLE_STEP, 0},
        {GAUGE, "goodput.step.mean", "s", "Productive time / steps kept.", FLEET_STEP_MEAN, 3},
        {GAUGE, "goodput.step.ideal", "s", "The ideal step.", FLEET_STEP_IDEAL, 3},
        {GAUGE, "goodput.step.deviation", "s", "Mean step less the ideal one.", FLEET_STEP_DEVIATION, 3},
    };
    for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
        begin(m, plain[i].shape, plain[i].name, plain[i].unit, plain[i].description);
        point(m, n->values[plain[i].value], plain[i].digits, none, none);
        end(m);
    }
}

static void write_lists(struct metrics *m, const struct fleet_numbers *n) {
    begin(m, SUM, "goodput.badput.time", "s", "Time that was not productive; with it, it adds up to the wall time.");
    for (int i = 0; i < n->bucket_count; i++)
        point(m, n->buckets[i].ms, 3, (struct label){"goodput.family", n->buckets[i].family, 0},
              (struct label){"goodput.bucket", n->buckets[i].bucket, 0});
    end(m);
    begin(m, SUM, "goodput.interruptions", "{interruption}", "Interruptions so far, by cause.");
    for (int i = 0; i < n->cause_count; i++)
        point(m, n->causes[i].count, 0, (struct label){"goodput.cause", n->causes[i].cause, 0}, none);
    end(m);
}

int otlp_metrics_write(const struct round_now *now, struct buf *out) {
    struct metrics m = {.out = out,
                        .start_ns = (uint64_t)now->numbers->values[FLEET_START] * 1000000,
                        .end_ns = (uint64_t)now->end_ms * 1000000};
    size_t all = otlp_begin(out, 1);
    otlp_resource_write(now, out);
    size_t scope = otlp_begin(out, 2);
    otlp_scope_write(out);
    write_ratios(&m, now->numbers);
    write_plain(&m, now->numbers);
    write_lists(&m, now->numbers);
    otlp_end(out, scope);
    otlp_end(out, all);
    return m.points;
}
