#include "export/metrics.h"

#include "base/mem.h"
#include "export/process.h"
#include "export/prometheus.h"
#include "export/queues.h"

#include <string.h>

/* Plain numbers of a job: enumerator, name, value in the fleet's table, digits after the point, help. */
#define JOB_GAUGES(X)                                                                                                  \
    X(J_SCHEDULING, "goodput_job_scheduling_goodput_ratio", SCHEDULING, 6,                                             \
      "Available time / wall time: all required slots were there.")                                                    \
    X(J_RUNTIME, "goodput_job_runtime_goodput_ratio", RUNTIME, 6,                                                      \
      "Productive time / available time. Absent without step evidence.")                                               \
    X(J_GOODPUT, "goodput_job_goodput_ratio", GOODPUT, 6,                                                              \
      "Productive time / wall time = scheduling x runtime. Absent without step evidence.")                             \
    X(J_PROGRAM, "goodput_job_program_goodput_ratio", PROGRAM, 6,                                                      \
      "FLOPs of kept steps / peak FLOPs of the productive time (MFU, or EMFU).")                                       \
    X(J_PRODUCTIVITY, "goodput_job_productivity_ratio", PRODUCTIVITY, 6,                                               \
      "ML productivity goodput = scheduling x runtime x program.")                                                     \
    X(J_UPPER, "goodput_job_runtime_goodput_upper_bound_ratio", UPPER_BOUND, 6,                                        \
      "What runtime goodput is if all unattributed time was productive.")                                              \
    X(J_EVIDENCE, "goodput_job_evidence_ratio", EVIDENCE, 6, "Share of the available time that is explained.")         \
    X(J_START, "goodput_job_start_timestamp_seconds", START, 3, "Creation of the target.")                             \
    X(J_THROUGH, "goodput_job_observed_through_timestamp_seconds", OBSERVED_THROUGH, 3,                                \
      "Up to when cluster and log are accounted.")                                                                     \
    X(J_WALL, "goodput_job_wall_seconds", WALL, 3,                                                                     \
      "Time from the target's creation to its end, or to observed_through.")                                           \
    X(J_AVAILABLE, "goodput_job_available_seconds", AVAILABLE, 3, "Time in which all required slots were there.")      \
    X(J_PRODUCTIVE, "goodput_job_productive_seconds", PRODUCTIVE, 3,                                                   \
      "Time of steps that were kept. It may fall: work is lost at a restart.")                                         \
    X(J_PROVISIONAL, "goodput_job_provisional_seconds", PROVISIONAL, 3,                                                \
      "Productive time since the last durable checkpoint: what a failure now would cost.")                             \
    X(J_REQUIRED, "goodput_job_slots_required", SLOTS_REQUIRED, 0, "Pods that the job needs at once.")                 \
    X(J_SLOTS, "goodput_job_slots_available", SLOTS_AVAILABLE, 0, "Of these: bound to a Ready node and alive.")        \
    X(J_CHIPS, "goodput_job_chips", CHIPS, 0, "Accelerator chips of the required slots.")                              \
    X(J_LAST, "goodput_job_last_step", LAST_STEP, 0, "Number of the newest step.")                                     \
    X(J_DURABLE, "goodput_job_last_durable_step", LAST_DURABLE_STEP, 0,                                                \
      "Newest step that is known to be in a checkpoint.")                                                              \
    X(J_RETAINED, "goodput_job_steps_retained", RETAINED_STEPS, 0, "Steps that were kept. It may fall.")               \
    X(J_REPEATED, "goodput_job_steps_repeated", REPEATED_STEPS, 0, "Steps that were lost and done again.")             \
    X(J_MEAN, "goodput_job_step_mean_seconds", STEP_MEAN, 3, "Productive time / steps kept.")                          \
    X(J_MEDIAN, "goodput_job_step_median_seconds", STEP_MEDIAN, 3, "Half of the steps took no longer.")                \
    X(J_P99, "goodput_job_step_p99_seconds", STEP_P99, 3, "99 % of the steps took no longer.")                         \
    X(J_IDEAL, "goodput_job_step_ideal_seconds", STEP_IDEAL, 3, "A step as it should be, learnt or given.")            \
    X(J_DEVIATION, "goodput_job_step_deviation_seconds", STEP_DEVIATION, 3, "Mean step less the ideal one.")           \
    X(J_MTBI, "goodput_job_mean_time_between_interruptions_seconds", MTBI, 0,                                          \
      "Available time / interruptions, without suspends and Kueue's.")                                                 \
    X(J_MTTR, "goodput_job_mean_time_to_recover_seconds", MTTR, 0,                                                     \
      "Mean of rescheduling plus resuming, without suspends and Kueue's.")

/* Everything else: enumerator, name, type, help. */
#define FAMILIES(X)                                                                                                    \
    X(F_BADPUT, "goodput_job_badput_seconds", METRIC_GAUGE,                                                            \
      "Time that was not productive; with productive_seconds it adds up to wall_seconds.")                             \
    X(F_INTERRUPTIONS, "goodput_job_interruptions", METRIC_GAUGE, "Interruptions so far, by cause.")                   \
    X(F_WINDOW, "goodput_job_window_goodput_ratio", METRIC_GAUGE,                                                      \
      "Goodput of the last window_seconds; goodput: scheduling, runtime or job.")                                      \
    X(F_CHIPS, "goodput_job_chip_seconds", METRIC_GAUGE,                                                               \
      "Chip time: allocated, productive, or waiting (required "                                                        \
      "but not there).")                                                                                               \
    X(F_PHASE, "goodput_job_phase", METRIC_GAUGE, "1 for the phase that the job is in.")                               \
    X(F_CONDITION, "goodput_job_condition", METRIC_GAUGE, "1 for the status that each condition has.")                 \
    X(F_QUEUE_JOBS, "goodput_queue_jobs", METRIC_GAUGE, "JobGoodputs by phase.")                                       \
    X(F_QUEUE_CHIPS, "goodput_queue_chip_seconds", METRIC_GAUGE,                                                       \
      "Chip time of all jobs; divide these, do not average ratios.")                                                   \
    X(F_QUEUE_BADPUT, "goodput_queue_badput_chip_seconds", METRIC_GAUGE, "Chip time lost, by bucket.")                 \
    X(F_QUEUE_IDEAL, "goodput_queue_step_ideal_seconds", METRIC_GAUGE,                                                 \
      "Ideal step x steps kept, over the jobs whose steps are known.")                                                 \
    X(F_QUEUE_DEVIATION, "goodput_queue_step_deviation_seconds", METRIC_GAUGE, "What their steps took beyond it.")     \
    X(F_BUILD, "goodput_build_info", METRIC_GAUGE, "1; the version is in the label.")                                  \
    X(F_LEADER, "leader_election_master_status", METRIC_GAUGE, "1 while this replica works, 0 while it waits.")        \
    X(F_SYNCED, "goodput_controller_synced", METRIC_GAUGE, "1 once everything that is watched has been listed.")       \
    X(F_JOBS, "goodput_controller_jobgoodputs", METRIC_GAUGE, "JobGoodputs that are known.")                           \
    X(F_FOLLOWS, "goodput_controller_log_follows", METRIC_GAUGE, "Pod logs that are followed now.")                    \
    X(F_WRITES, "goodput_controller_status_writes", METRIC_COUNTER, "Status writes, by result.")                       \
    X(F_DEPTH, "workqueue_depth", METRIC_GAUGE, "JobGoodputs that wait to be looked at.")                              \
    X(F_ADDS, "workqueue_adds", METRIC_COUNTER, "JobGoodputs put into the queue.")                                     \
    X(F_RETRIES, "workqueue_retries", METRIC_COUNTER, "Writes to be tried again.")                                     \
    X(F_QUEUE_DURATION, "workqueue_queue_duration_seconds", METRIC_HISTOGRAM,                                          \
      "How long a JobGoodput waits from an event to the look at it.")                                                  \
    X(F_WORK_DURATION, "workqueue_work_duration_seconds", METRIC_HISTOGRAM,                                            \
      "How long the look at one JobGoodput takes.")                                                                    \
    X(F_REQUEST_DURATION, "rest_client_request_duration_seconds", METRIC_HISTOGRAM,                                    \
      "How long the API server takes to begin its answer, by verb.")                                                   \
    X(F_REQUESTS, "rest_client_requests", METRIC_COUNTER, "Requests to the API server, by method and status code.")    \
    X(F_LISTS, "reflector_lists", METRIC_COUNTER, "Lists begun, by resource.")                                         \
    X(F_WATCHES, "reflector_watches", METRIC_COUNTER, "Watches begun, by resource.")                                   \
    X(F_STREAMS, "goodput_stream_troubles", METRIC_COUNTER,                                                            \
      "Lists, watches, log follows and calls that went wrong after they were answered, by reason.")                    \
    X(F_LOG_BYTES, "goodput_log_read_bytes", METRIC_COUNTER, "Bytes of pod logs that were read.")                      \
    X(F_DROPPED, "goodput_controller_log_lines_dropped", METRIC_COUNTER,                                               \
      "Lines of the controller's own log that could not be written.")                                                  \
    X(F_CLOCK, "goodput_controller_clock_steps", METRIC_COUNTER, "How often the wall clock was set while it ran.")     \
    X(F_CPU, "process_cpu_seconds", METRIC_COUNTER, "User and system CPU time.")                                       \
    X(F_RESIDENT, "process_resident_memory_bytes", METRIC_GAUGE, "Resident memory.")                                   \
    X(F_VIRTUAL, "process_virtual_memory_bytes", METRIC_GAUGE, "Virtual memory.")                                      \
    X(F_BEGUN, "process_start_time_seconds", METRIC_GAUGE, "Start of the process since the epoch.")                    \
    X(F_FDS, "process_open_fds", METRIC_GAUGE, "Open file descriptors.")                                               \
    X(F_MAX_FDS, "process_max_fds", METRIC_GAUGE, "Limit on open file descriptors.")

enum family {
#define X(family, ...) family,
    JOB_GAUGES(X) FAMILIES(X) FAMILY_COUNT
#undef X
};

static const struct metric_family families[] = {
#define X(family, name, value, digits, help) [family] = {name, METRIC_GAUGE, help},
    JOB_GAUGES(X)
#undef X
#define X(family, name, type, help) [family] = {name, type, help},
        FAMILIES(X)
#undef X
};

static const struct {
    enum family family;
    enum fleet_value value;
    int digits;
} job_gauges[] = {
#define X(family, name, value, digits, help) {family, FLEET_##value, digits},
    JOB_GAUGES(X)
#undef X
};

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

static void write_job(struct prometheus_page *page, const struct fleet_numbers *n, struct slice labels) {
    CLEANUP_BUF struct buf extra;
    buf_init(&extra, LABELS_MAX);
    for (size_t i = 0; i < ARRAY_SIZE(job_gauges); i++) {
        int64_t value = n->values[job_gauges[i].value];
        if (value != FLEET_NONE)
            prometheus_sample(page, (int)job_gauges[i].family, labels, slice_of(NULL), value, job_gauges[i].digits);
    }
    for (int i = 0; i < n->bucket_count; i++) {
        one_label(&extra, "family", n->buckets[i].family);
        prometheus_label(&extra, "bucket", n->buckets[i].bucket);
        prometheus_sample(page, F_BADPUT, labels, buf_slice(&extra), n->buckets[i].ms, 3);
    }
    for (int i = 0; i < n->cause_count; i++)
        prometheus_sample(page, F_INTERRUPTIONS, labels, one_label(&extra, "cause", n->causes[i].cause),
                          n->causes[i].count, 0);
    write_windows(page, n, labels, &extra);
    for (size_t i = 0; i < ARRAY_SIZE(chip_states); i++)
        if (n->values[chip_states[i].value] != FLEET_NONE) /* thousandths of hours: 3.6 s */
            prometheus_sample(page, F_CHIPS, labels, one_label(&extra, "state", chip_states[i].state),
                              n->values[chip_states[i].value] * 36, 1);
    if (n->phase[0] != '\0')
        prometheus_sample(page, F_PHASE, labels, one_label(&extra, "phase", n->phase), 1, 0);
    for (int i = 0; i < n->condition_count; i++) {
        one_label(&extra, "condition", n->conditions[i].type);
        prometheus_label(&extra, "status", n->conditions[i].status);
        prometheus_sample(page, F_CONDITION, labels, buf_slice(&extra), 1, 0);
    }
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

static void write_fleet(struct prometheus_page *page, const struct fleet *fleet, int64_t now_ms) {
    struct queues queues;
    CLEANUP_BUF struct buf labels;
    struct fleet_numbers *n = mem_new(struct fleet_numbers);
    queues_init(&queues);
    buf_init(&labels, LABELS_MAX);
    for (const struct fleet_job *job = fleet->first; job != NULL; job = job->later) {
        if (job->is_gone || !fleet_read_numbers(job->object, n))
            continue;
        const int64_t chips[] = {n->values[FLEET_HOURS_ALLOCATED], n->values[FLEET_HOURS_PRODUCTIVE],
                                 n->values[FLEET_HOURS_WAITING]};
        queues_add(&queues, job->namespace_, n, chips);
        if (n->values[FLEET_END] != FLEET_NONE && now_ms - n->values[FLEET_END] > METRICS_KEEP_FINISHED_MS)
            continue;
        buf_clear(&labels);
        prometheus_label(&labels, "namespace", job->namespace_);
        prometheus_label(&labels, "jobgoodput", job->name);
        prometheus_label(&labels, "queue", n->queue);
        write_job(page, n, buf_slice(&labels));
    }
    for (size_t i = 0; i < queues.map.count; i++)
        write_queue(page, queues.map.entries[i].value);
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

static void write_process(struct prometheus_page *page) {
    struct process_figures p;
    process_read(&p);
    const struct {
        enum family family;
        int64_t value;
        int digits;
    } figures[] = {{F_CPU, p.cpu_ms, 3},
                   {F_RESIDENT, p.resident_bytes, 0},
                   {F_VIRTUAL, p.virtual_bytes, 0},
                   {F_BEGUN, p.start_ms, 3},
                   {F_FDS, p.open_fds, 0},
                   {F_MAX_FDS, p.max_fds, 0}};
    for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
        if (figures[i].value != PROCESS_NONE)
            prometheus_sample(page, (int)figures[i].family, slice_of(NULL), slice_of(NULL), figures[i].value,
                              figures[i].digits);
}

void metrics_write(const struct fleet *fleet, const struct runtime_figures *own, int64_t now_ms, bool is_openmetrics,
                   struct buf *out) {
    struct prometheus_page page;
    prometheus_init(&page, families, FAMILY_COUNT);
    if (own->is_leading)
        write_fleet(&page, fleet, now_ms);
    write_own(&page, own);
    write_streams(&page, own);
    write_process(&page);
    prometheus_write(&page, is_openmetrics, out);
    prometheus_done(&page);
}
