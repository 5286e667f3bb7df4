#include "export/metrics.h"

#include "base/mem.h"
#include "base/memory.h"
#include "export/metrics_fleet.h"
#include "export/metrics_table.h"
#include "export/process.h"
#include "export/prometheus.h"
#include "export/push/push.h"
#include "export/queues.h"
#include "recorder/endpoint.h"

#include <string.h>

static const struct metric_family families[] = {
#define X(family, name, value, digits, help) [family] = {name, METRIC_GAUGE, help},
    JOB_DEFAULT_GAUGES(X) JOB_MORE_GAUGES(X)
#undef X
#define X(family, name, type, labels, help) [family] = {name, type, help},
        JOB_DEFAULT_FAMILIES(X) FAMILIES(X)
#undef X
};

struct job_gauge {
    enum family family;
    enum fleet_value value;
    int digits;
};
#define X(family, name, value, digits, help) {family, FLEET_##value, digits},
static const struct job_gauge default_gauges[] = {JOB_DEFAULT_GAUGES(X)}, more_gauges[] = {JOB_MORE_GAUGES(X)};
#undef X

static const struct {
    const char *state;
    enum fleet_value value;
} chip_states[] = {
    {"allocated", FLEET_HOURS_ALLOCATED}, {"productive", FLEET_HOURS_PRODUCTIVE}, {"waiting", FLEET_HOURS_WAITING}};

enum { LABELS_MAX = 4096 };

static struct slice one_label(struct buf *space, const char *name, const char *value) {
    buf_clear(space);
    prometheus_label(space, name, value);
    return buf_slice(space);
}

static void write_windows(struct prometheus_page *page, const struct fleet_numbers *n, struct slice labels,
                          struct buf *extra) {
    for (int i = 0; i < n->window_count; i++) {
        const struct fleet_window *w = &n->windows[i];
        const struct {
            const char *goodput;
            int64_t ppm;
        } ratios[] = {{"scheduling", w->scheduling_ppm}, {"runtime", w->runtime_ppm}, {"job", w->job_ppm}};
        char seconds[24];
        snprintf(seconds, sizeof seconds, "%lld", (long long)w->seconds);
        for (size_t k = 0; k < ARRAY_SIZE(ratios); k++) {
            if (ratios[k].ppm == FLEET_NONE)
                continue;
            one_label(extra, "window_seconds", seconds);
            prometheus_label(extra, "goodput", ratios[k].goodput);
            prometheus_sample(page, F_WINDOW, labels, buf_slice(extra), ratios[k].ppm, 6);
        }
    }
}

/* Adds a sample with the currency as its last label, unless the value is unknown. */
static void write_money(struct prometheus_page *page, enum family family, struct slice labels, struct buf *extra,
                        const struct fleet_numbers *n, int64_t cents) {
    if (cents == FLEET_NONE)
        return;
    prometheus_label(extra, "currency", n->currency);
    prometheus_sample(page, (int)family, labels, buf_slice(extra), cents, 2);
}

static void write_chip_time(struct prometheus_page *page, const struct fleet_numbers *n, struct slice labels,
                            struct buf *extra) {
    static const struct {
        const char *state;
        enum fleet_value value;
    } costs[] = {{"allocated", FLEET_COST_ALLOCATED}, {"productive", FLEET_COST_PRODUCTIVE}, {"lost", FLEET_COST_LOST}};
    for (size_t i = 0; i < ARRAY_SIZE(costs); i++) {
        one_label(extra, "state", costs[i].state);
        write_money(page, F_COST, labels, extra, n, n->values[costs[i].value]);
    }
    for (int i = 0; i < n->bucket_count; i++) {
        one_label(extra, "family", n->buckets[i].family);
        prometheus_label(extra, "bucket", n->buckets[i].bucket);
        if (n->buckets[i].chip_seconds > 0)
            prometheus_sample(page, F_BADPUT_CHIPS, labels, buf_slice(extra), n->buckets[i].chip_seconds, 0);
        write_money(page, F_BADPUT_COST, labels, extra, n, n->buckets[i].cost_cents);
    }
    for (int i = 0; i < n->cause_count; i++) {
        one_label(extra, "cause", n->causes[i].cause);
        if (n->causes[i].chip_seconds != FLEET_NONE)
            prometheus_sample(page, F_CAUSE_CHIPS, labels, buf_slice(extra), n->causes[i].chip_seconds, 0);
        write_money(page, F_CAUSE_COST, labels, extra, n, n->causes[i].cost_cents);
    }
}

static void write_definitions(struct prometheus_page *page, const struct fleet_numbers *n, struct slice labels,
                              struct buf *extra) {
    for (int i = 0; i < n->definition_count; i++) {
        const struct fleet_definition *d = &n->definitions[i];
        one_label(extra, "definition", d->name);
        if (d->ratio_ppm != FLEET_NONE)
            prometheus_sample(page, F_DEFINITION, labels, buf_slice(extra), d->ratio_ppm, 6);
        if (d->mean_s != FLEET_NONE)
            prometheus_sample(page, F_DEFINITION_TIME, labels, buf_slice(extra), d->mean_s, 0);
    }
}

static void write_gauges(struct prometheus_page *page, const struct job_gauge *gauges, size_t count,
                         const struct fleet_numbers *n, struct slice labels) {
    for (size_t i = 0; i < count; i++) {
        int64_t value = n->values[gauges[i].value];
        if (value != FLEET_NONE)
            prometheus_sample(page, (int)gauges[i].family, labels, slice_of(NULL), value, gauges[i].digits);
    }
}

/* Wall time without the buckets that a queue or a person decided; FLEET_NONE if the wall time is not known. */
static int64_t admitted_ms(const struct fleet_numbers *n) {
    static const char *const waits[] = {"QueueWait", "PreemptedWait", "Suspended"};
    int64_t ms = n->values[FLEET_WALL];
    for (int i = 0; i < n->bucket_count && ms != FLEET_NONE; i++)
        for (size_t k = 0; k < ARRAY_SIZE(waits); k++)
            if (strcmp(n->buckets[i].bucket, waits[k]) == 0)
                ms -= n->buckets[i].ms;
    return ms;
}

static void write_condition(struct prometheus_page *page, const struct fleet_condition *c, struct slice labels,
                            struct buf *extra) {
    one_label(extra, "condition", c->type);
    prometheus_label(extra, "status", c->status);
    prometheus_sample(page, F_CONDITION, labels, buf_slice(extra), 1, 0);
}

/* At most METRICS_DEFAULT_SERIES: either the condition or hangAfter, which means nothing while no line is read. */
static void write_job_defaults(struct prometheus_page *page, struct fleet_numbers *n, struct slice labels,
                               struct buf *extra, bool has_conditions) {
    int64_t admitted = admitted_ms(n), allocated = n->values[FLEET_HOURS_ALLOCATED],
            productive = n->values[FLEET_HOURS_PRODUCTIVE];
    for (int i = 0; i < n->condition_count; i++) {
        if (fleet_is_log_unreadable(&n->conditions[i]))
            n->values[FLEET_HANG_AFTER] = FLEET_NONE;
        if (has_conditions || fleet_is_log_unreadable(&n->conditions[i]))
            write_condition(page, &n->conditions[i], labels, extra);
    }
    write_gauges(page, default_gauges, ARRAY_SIZE(default_gauges), n, labels);
    if (admitted != FLEET_NONE)
        prometheus_sample(page, F_ADMITTED, labels, slice_of(NULL), admitted, 3);
    if (allocated != FLEET_NONE && productive != FLEET_NONE) /* thousandths of hours: 3.6 s */
        prometheus_sample(page, F_LOST_CHIPS, labels, slice_of(NULL), (allocated - productive) * 36, 1);
    if (n->phase[0] != '\0')
        prometheus_sample(page, F_PHASE, labels, one_label(extra, "phase", n->phase), 1, 0);
}

static void write_owners(struct prometheus_page *page, const struct fleet_numbers *n, struct slice labels,
                         struct buf *extra) {
    for (int i = 0; i < n->owner_count; i++) {
        const struct fleet_owner *o = &n->owners[i];
        one_label(extra, "owner", o->owner);
        prometheus_sample(page, F_OWNER, labels, buf_slice(extra), o->ms, 3);
        if (o->interruptions > 0)
            prometheus_sample(page, F_OWNER_INTERRUPTIONS, labels, buf_slice(extra), o->interruptions, 0);
    }
}

/* The families that only --all-job-series has. */
static void write_job_rest(struct prometheus_page *page, const struct fleet_numbers *n, struct slice labels,
                           struct buf *extra) {
    write_gauges(page, more_gauges, ARRAY_SIZE(more_gauges), n, labels);
    for (int i = 0; i < n->bucket_count; i++) {
        one_label(extra, "family", n->buckets[i].family);
        prometheus_label(extra, "bucket", n->buckets[i].bucket);
        prometheus_sample(page, F_BADPUT, labels, buf_slice(extra), n->buckets[i].ms, 3);
    }
    write_owners(page, n, labels, extra);
    for (int i = 0; i < n->class_count; i++)
        prometheus_sample(page, F_ROOT_CAUSES, labels, one_label(extra, "class", n->classes[i].class_),
                          n->classes[i].count, 0);
    for (int i = 0; i < n->cause_count; i++)
        prometheus_sample(page, F_INTERRUPTIONS, labels, one_label(extra, "cause", n->causes[i].cause),
                          n->causes[i].count, 0);
    write_windows(page, n, labels, extra);
    write_definitions(page, n, labels, extra);
    for (size_t i = 0; i < ARRAY_SIZE(chip_states); i++)
        if (n->values[chip_states[i].value] != FLEET_NONE)
            prometheus_sample(page, F_CHIPS, labels, one_label(extra, "state", chip_states[i].state),
                              n->values[chip_states[i].value] * 36, 1);
    write_chip_time(page, n, labels, extra);
}

static void write_queue(struct prometheus_page *page, const struct queue_sums *q) {
    CLEANUP_BUF struct buf labels, extra;
    buf_init(&labels, LABELS_MAX);
    buf_init(&extra, LABELS_MAX);
    prometheus_label(&labels, "namespace", q->namespace_);
    prometheus_label(&labels, "queue", q->queue);
    struct slice base = buf_slice(&labels);
    for (int i = 0; i < q->phase_count; i++)
        prometheus_sample(page, F_QUEUE_JOBS, base, one_label(&extra, "phase", q->phases[i].name), q->phases[i].sum, 0);
    for (size_t i = 0; i < ARRAY_SIZE(chip_states); i++)
        prometheus_sample(page, F_QUEUE_CHIPS, base, one_label(&extra, "state", chip_states[i].state),
                          q->chip_hours[i] * 36, 1);
    for (int i = 0; i < q->bucket_count; i++)
        prometheus_sample(page, F_QUEUE_BADPUT, base, one_label(&extra, "bucket", q->buckets[i].name),
                          q->buckets[i].sum, 0);
    if (q->ideal_ms > 0) {
        prometheus_sample(page, F_QUEUE_IDEAL, base, slice_of(NULL), q->ideal_ms, 3);
        prometheus_sample(page, F_QUEUE_DEVIATION, base, slice_of(NULL), q->deviation_ms, 3);
    }
}

/* False if there are none. */
static bool read_numbers(const struct fleet_job *job, const struct metrics_options *options, struct fleet_numbers *n) {
    if (options->has_all_job_series)
        return fleet_read_numbers(fleet_object(job), n);
    if (job->brief != NULL)
        fleet_brief_get(job->brief, n);
    return job->brief != NULL;
}

static void write_fleet(struct prometheus_page *page, const struct fleet *fleet,
                        const struct metrics_options *options) {
    struct queues queues;
    CLEANUP_BUF struct buf labels, extra;
    struct fleet_numbers *n = mem_new(struct fleet_numbers);
    queues_init(&queues);
    buf_init(&labels, LABELS_MAX);
    buf_init(&extra, LABELS_MAX);
    for (const struct fleet_job *job = fleet->first; job != NULL; job = job->later) {
        if (job->is_deleted || !read_numbers(job, options, n))
            continue;
        const int64_t chips[] = {n->values[FLEET_HOURS_ALLOCATED], n->values[FLEET_HOURS_PRODUCTIVE],
                                 n->values[FLEET_HOURS_WAITING]};
        queues_add(&queues, job->namespace_, n, chips);
        if (n->values[FLEET_END] != FLEET_NONE && options->now_ms - n->values[FLEET_END] > METRICS_KEEP_FINISHED_MS)
            continue;
        buf_clear(&labels);
        prometheus_label(&labels, "namespace", job->namespace_);
        prometheus_label(&labels, "jobgoodput", job->name);
        prometheus_label(&labels, "queue", n->queue);
        write_job_defaults(page, n, buf_slice(&labels), &extra, options->has_all_job_series);
        if (options->has_all_job_series)
            write_job_rest(page, n, buf_slice(&labels), &extra);
    }
    for (size_t i = 0; i < queues.map.count; i++)
        write_queue(page, map_at(&queues.map, i));
    queues_done(&queues);
    free(n);
}

static void write_own(struct prometheus_page *page, const struct runtime_figures *own) {
    CLEANUP_BUF struct buf extra;
    const struct slice none = slice_of(NULL);
    buf_init(&extra, LABELS_MAX);
    prometheus_sample(page, F_BUILD, none, one_label(&extra, "version", GOODPUT_VERSION), 1, 0);
    prometheus_sample(page, F_LEADER, none, one_label(&extra, "name", "goodput-controller"), own->is_leading, 0);
    prometheus_sample(page, F_SYNCED, none, none, own->is_synced, 0);
    prometheus_sample(page, F_JOBS, none, none, own->jobs, 0);
    prometheus_sample(page, F_FOLLOWS, none, none, own->log_follows, 0);
    prometheus_sample(page, F_WRITES, none, one_label(&extra, "result", "success"), own->status_writes, 0);
    prometheus_sample(page, F_WRITES, none, one_label(&extra, "result", "failure"), own->status_failures, 0);
    one_label(&extra, "name", "jobgoodput");
    prometheus_sample(page, F_DEPTH, none, buf_slice(&extra), own->queue_depth, 0);
    prometheus_sample(page, F_ADDS, none, buf_slice(&extra), own->queue_adds, 0);
    prometheus_sample(page, F_RETRIES, none, buf_slice(&extra), own->queue_retries, 0);
    prometheus_histogram(page, F_QUEUE_DURATION, buf_slice(&extra), &own->queue_duration);
    prometheus_histogram(page, F_WORK_DURATION, buf_slice(&extra), &own->work_duration);
    for (int i = 0; i < own->duration_count; i++)
        prometheus_histogram(page, F_REQUEST_DURATION, one_label(&extra, "verb", own->durations[i].method),
                             &own->durations[i].took);
    for (int i = 0; i < own->request_count; i++) {
        char code[16];
        snprintf(code, sizeof code, "%d", own->requests[i].status);
        one_label(&extra, "method", own->requests[i].method);
        prometheus_label(&extra, "code", own->requests[i].status == 0 ? "<error>" : code); /* as client-go has it */
        prometheus_sample(page, F_REQUESTS, none, buf_slice(&extra), own->requests[i].count, 0);
    }
}

static void write_streams(struct prometheus_page *page, const struct runtime_figures *own) {
    CLEANUP_BUF struct buf extra;
    const struct slice none = slice_of(NULL);
    buf_init(&extra, LABELS_MAX);
    for (int i = 0; i < own->stream_count; i++) {
        const struct kube_stream_count *c = &own->streams[i];
        if (c->reason == NULL) {
            prometheus_sample(page, strcmp(c->stream, "list") == 0 ? F_LISTS : F_WATCHES, none,
                              one_label(&extra, "name", c->resource), c->count, 0);
            continue;
        }
        one_label(&extra, "stream", c->stream);
        prometheus_label(&extra, "resource", c->resource);
        prometheus_label(&extra, "reason", c->reason);
        prometheus_sample(page, F_STREAMS, none, buf_slice(&extra), c->count, 0);
    }
    prometheus_sample(page, F_LOG_BYTES, none, none, own->log_bytes, 0);
    prometheus_sample(page, F_DROPPED, none, none, own->dropped_lines, 0);
    prometheus_sample(page, F_CLOCK, none, none, own->clock_steps, 0);
}

static void write_archive(struct prometheus_page *page, const struct archive_figures *archive) {
    const struct slice none = slice_of(NULL);
    prometheus_sample(page, F_ARCHIVE_OBJECTS, none, none, archive->objects, 0);
    prometheus_sample(page, F_ARCHIVE_FAILURES, none, none, archive->failures, 0);
    prometheus_sample(page, F_ARCHIVE_LOST, none, none, archive->lost, 0);
    prometheus_sample(page, F_ARCHIVE_LOST_TIME, none, none, archive->lost_ms, 3);
    prometheus_sample(page, F_ARCHIVE_PENDING, none, none, archive->pending_bytes, 0);
    if (archive->failing_since_ms != TIME_UNKNOWN)
        prometheus_sample(page, F_ARCHIVE_FAILING, none, none, archive->failing_since_ms, 3);
    if (!archive->has_store)
        return;
    prometheus_sample(page, F_ARCHIVE_UPLOADS, none, none, archive->uploads, 0);
    prometheus_sample(page, F_ARCHIVE_WAITING, none, none, archive->waiting, 0);
}

static void write_ingest(struct prometheus_page *page, const struct endpoint_figures *ingest) {
    static const char *const codes[] = ENDPOINT_FIGURE_CODES;
    CLEANUP_BUF struct buf extra;
    const struct slice none = slice_of(NULL);
    buf_init(&extra, LABELS_MAX);
    for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
        prometheus_sample(page, F_INGEST_REQUESTS, none, one_label(&extra, "code", codes[i]), ingest->requests[i], 0);
    prometheus_sample(page, F_INGEST_ENTRIES, none, none, ingest->entries, 0);
    prometheus_sample(page, F_INGEST_REFUSED, none, none, ingest->refused_entries, 0);
    prometheus_sample(page, F_INGEST_BYTES, none, none, ingest->bytes, 0);
}

static void write_push(struct prometheus_page *page, const struct push_figures *push) {
    const struct {
        enum family family;
        const char *result;
        int64_t value;
    } counts[] = {{F_PUSH_REQUESTS, "delivered", push->delivered},
                  {F_PUSH_REQUESTS, "retried", push->retried},
                  {F_PUSH_REQUESTS, "failed", push->failed},
                  {F_PUSH_POINTS, "delivered", push->points_delivered},
                  {F_PUSH_POINTS, "dropped", push->points_dropped}};
    CLEANUP_BUF struct buf labels, extra;
    buf_init(&labels, LABELS_MAX);
    buf_init(&extra, LABELS_MAX);
    one_label(&labels, "exporter", push->exporter);
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        prometheus_sample(page, (int)counts[i].family, buf_slice(&labels),
                          one_label(&extra, "result", counts[i].result), counts[i].value, 0);
    if (push->last_delivery_ms != 0)
        prometheus_sample(page, F_PUSH_LAST, buf_slice(&labels), slice_of(NULL), push->last_delivery_ms, 3);
}

static void write_process(struct prometheus_page *page) {
    struct process_figures p;
    process_read(&p);
    int64_t limit_bytes = memory_limit_bytes("");
    const struct {
        enum family family;
        int64_t value;
        int digits;
    } figures[] = {{F_MEMORY_LIMIT, limit_bytes == MEMORY_UNKNOWN ? PROCESS_NONE : limit_bytes, 0},
                   {F_CPU, p.cpu_ms, 3},
                   {F_RESIDENT, p.resident_bytes, 0},
                   {F_VIRTUAL, p.virtual_bytes, 0},
                   {F_STARTED, p.start_ms, 3},
                   {F_FDS, p.open_fds, 0},
                   {F_MAX_FDS, p.max_fds, 0}};
    for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
        if (figures[i].value != PROCESS_NONE)
            prometheus_sample(page, (int)figures[i].family, slice_of(NULL), slice_of(NULL), figures[i].value,
                              figures[i].digits);
}

static const int fleet_families[METRICS_FLEET_FAMILIES] = {
    [METRICS_FLEET_RATIO] = F_FLEET_RATIO,
    [METRICS_FLEET_GROUP_RATIO] = F_FLEET_GROUP_RATIO,
    [METRICS_FLEET_CHIPS] = F_FLEET_CHIPS,
    [METRICS_FLEET_BADPUT] = F_FLEET_BADPUT,
    [METRICS_FLEET_JOBS] = F_FLEET_JOBS,
    [METRICS_FLEET_INTERRUPTIONS] = F_FLEET_INTERRUPTIONS,
    [METRICS_FLEET_RATE] = F_FLEET_RATE,
    [METRICS_FLEET_POOL_FAILURES] = F_FLEET_POOL_FAILURES,
    [METRICS_FLEET_POOL_MTBF] = F_FLEET_POOL_MTBF,
    [METRICS_FLEET_COST] = F_FLEET_COST,
    [METRICS_FLEET_CONDITION] = F_FLEET_CONDITION,
    [METRICS_FLEET_BADPUT_COST] = F_FLEET_BADPUT_COST,
    [METRICS_FLEET_CAUSE_COST] = F_FLEET_CAUSE_COST,
    [METRICS_FLEET_ROOT_CAUSES] = F_FLEET_ROOT_CAUSES,
    [METRICS_FLEET_OWNER_INTERRUPTIONS] = F_FLEET_OWNER_INTERRUPTIONS,
    [METRICS_FLEET_OWNER_CHIPS] = F_FLEET_OWNER_CHIPS,
    [METRICS_FLEET_OWNER_CLASS_CHIPS] = F_FLEET_OWNER_CLASS_CHIPS,
    [METRICS_FLEET_OWNER_COST] = F_FLEET_OWNER_COST,
};

void metrics_write(const struct fleet *fleet, const struct fleet *rollups, const struct runtime_figures *own,
                   const struct metrics_options *options, struct buf *out) {
    struct prometheus_page page;
    CLEANUP_BUF struct buf common;
    buf_init(&common, LABELS_MAX);
    prometheus_init(&page, families, FAMILY_COUNT, options->is_gzip);
    if (fleet->cluster_name[0] != '\0')
        page.common = one_label(&common, "cluster", fleet->cluster_name);
    if (own->is_leading)
        write_fleet(&page, fleet, options);
    if (own->is_leading)
        metrics_fleet_write(&page, fleet_families, rollups);
    write_own(&page, own);
    write_streams(&page, own);
    if (own->has_archive)
        write_archive(&page, &own->archive);
    if (own->ingest != NULL)
        write_ingest(&page, own->ingest);
    for (int i = 0; i < own->push_count; i++)
        write_push(&page, own->pushes[i]);
    write_process(&page);
    prometheus_write(&page, options->is_openmetrics, out);
    prometheus_done(&page);
}
