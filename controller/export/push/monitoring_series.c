#include "export/push/monitoring_series.h"

#include "base/mem.h"
#include "base/rfc3339.h"
#include "ledger/evaluate.h"

#include <stdio.h>
#include <string.h>

#define WORKLOAD "compute.googleapis.com/workload/"
#define CUSTOM "custom.googleapis.com/goodput/"

struct label {
    const char *key, *value; /* value "": left out */
};

struct writer {
    const struct monitoring_place *place;
    const struct monitoring_job *job;
    struct jwrite *w;
    char accelerator_type[64], end[RFC3339_SIZE], start[RFC3339_SIZE];
    int count, left_out;
};

/* ---- names ---- */

bool monitoring_badput_source(const struct fleet_bucket *bucket, char source[static 128]) {
    static const struct {
        const char *bucket, *source; /* NULL: the library's clock does not run in this bucket */
    } known[] = {
        {"NotSubmitted", NULL},
        {"Suspended", NULL},
        {"QueueWait", NULL},
        {"DependencyWait", NULL},
        {"Provisioning", NULL},
        {"Binding", NULL},
        {"PreemptedWait", "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION"},
        {"Rescheduling", "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION"},
        {"FailureDetection", "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION"},
        {"AcceleratorInit", "TPU_INITIALIZATION"},
        {"TrainingPreparation", "TRAINING_PREP"},
        {"CheckpointRestore", "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME"},
        {"ProgramStartup", "PROGRAM_STARTUP"},
        {"DataLoading", "DATA_LOADING_SYNC"},
        {"CheckpointSave", "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME"},
        {"WastedProgress", "WASTED_PROGRESS_FROM_DISRUPTION"},
        {"ElasticReinit", "ELASTIC_REINITIALIZATION"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (strcmp(bucket->bucket, known[i].bucket) == 0) {
            snprintf(source, 128, "%s", known[i].source ? known[i].source : "");
            return known[i].source != NULL;
        }
    if (strncmp(bucket->bucket, "Custom/", 7) != 0) {
        snprintf(source, 128, "OTHER");
        return true;
    }
    snprintf(source, 128, "CUSTOM_BADPUT_EVENTS.%s", bucket->bucket + 7);
    for (char *p = source; *p != '\0'; p++) /* as Python's upper(), of ASCII */
        *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    return true;
}

/* "TPU v5e" as the library's accelerator_type: "TPU-v5e". */
static void write_accelerator_type(const char *accelerator, char type[static 64]) {
    static const struct {
        const char *ours, *theirs;
    } other[] = {{"TPU v4", "TPU-v4p"}, {"TPU7x", "TPU-7x"}, {"H100 SXM", "H100"}, {"", "unknown"}};
    for (size_t i = 0; i < ARRAY_SIZE(other); i++)
        if (strcmp(accelerator, other[i].ours) == 0)
            accelerator = other[i].theirs;
    snprintf(type, 64, "%s", accelerator);
    for (char *p = type; *p != '\0'; p++)
        *p = *p == ' ' ? '-' : *p;
}

/* ---- one series ---- */

static void write_labels(struct jwrite *w, const struct label *labels, size_t count) {
    jwrite_member_object(w, "labels");
    for (size_t i = 0; i < count; i++)
        if (labels[i].value[0] != '\0')
            jwrite_member_text(w, labels[i].key, labels[i].value);
    jwrite_object_end(w);
}

static void write_resource(const struct writer *s, bool is_custom) {
    const struct label workload[] = {
        {"location", s->place->location}, {"workload_id", s->job->workload_id}, {"replica_id", s->place->replica_id}};
    const struct label task[] = {{"project_id", s->place->project},
                                 {"location", s->place->location},
                                 {"namespace", s->job->namespace_},
                                 {"job", s->job->workload_id},
                                 {"task_id", s->place->replica_id}};
    jwrite_member_object(s->w, "resource");
    jwrite_member_text(s->w, "type", is_custom ? "generic_task" : "compute.googleapis.com/Workload");
    if (is_custom)
        write_labels(s->w, task, ARRAY_SIZE(task));
    else
        write_labels(s->w, workload, ARRAY_SIZE(workload));
    jwrite_object_end(s->w);
}

enum form { COUNT, MILLI, MILLIONTH, PERCENT }; /* int64; doubles: value / 1000, value / 10^6, value / 10^4 */

static void write_value(struct jwrite *w, enum form form, int64_t value) {
    static const int digits[] = {[MILLI] = 3, [MILLIONTH] = 6, [PERCENT] = 4};
    static const int64_t scales[] = {[MILLI] = 1000, [MILLIONTH] = 1000000, [PERCENT] = 10000};
    char text[48];
    jwrite_member_object(w, "value");
    if (form == COUNT) {
        snprintf(text, sizeof text, "%lld", (long long)value);
        jwrite_member_text(w, "int64Value", text); /* 64 bits are text in JSON */
    } else {
        uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value, scale = (uint64_t)scales[form];
        snprintf(text, sizeof text, "%s%llu.%0*llu", value < 0 ? "-" : "", (unsigned long long)(size / scale),
                 digits[form], (unsigned long long)(size % scale));
        jwrite_key(w, "doubleValue");
        jwrite_raw(w, slice_of(text));
    }
    jwrite_object_end(w);
}

struct series {
    const char *type;
    enum form form;
    int64_t value;
    const char *unit; /* of custom metrics, whose descriptor the API makes from the first point */
    bool is_cumulative;
};

static void write_series(struct writer *s, const struct series *one, const struct label *labels, size_t count) {
    struct jwrite *w = s->w;
    bool is_custom = strncmp(one->type, CUSTOM, strlen(CUSTOM)) == 0;
    if (one->value == FLEET_NONE)
        return;
    if (s->count >= MONITORING_MAX_SERIES) {
        s->left_out++;
        return;
    }
    s->count++;
    jwrite_object(w);
    jwrite_member_object(w, "metric");
    jwrite_member_text(w, "type", one->type);
    write_labels(w, labels, count);
    jwrite_object_end(w);
    write_resource(s, is_custom);
    if (is_custom) {
        jwrite_member_text(w, "metricKind", one->is_cumulative ? "CUMULATIVE" : "GAUGE");
        jwrite_member_text(w, "valueType", one->form == COUNT ? "INT64" : "DOUBLE");
        jwrite_member_text(w, "unit", one->unit);
    }
    jwrite_member_array(w, "points");
    jwrite_object(w);
    jwrite_member_object(w, "interval");
    if (one->is_cumulative)
        jwrite_member_text(w, "startTime", s->start);
    jwrite_member_text(w, "endTime", s->end);
    jwrite_object_end(w);
    write_value(w, one->form, one->value);
    jwrite_object_end(w);
    jwrite_array_end(w);
    jwrite_object_end(w);
}

/* Writes a series of the library, with the labels that nearly all have. */
static void workload(struct writer *s, const char *type, enum form form, int64_t value, const char *key,
                     const char *label, const char *second_key, const char *second) {
    struct series one = {type, form, value, "", false};
    const struct label labels[] = {{key, label},
                                   {"accelerator_type", s->accelerator_type},
                                   {second_key, second},
                                   {"cluster_name", s->place->cluster}};
    write_series(s, &one, labels, ARRAY_SIZE(labels));
}

/* ---- the library's series ---- */

/* The sums of badputs by the library's names; several buckets may have one name. */
struct badputs {
    char sources[FLEET_MAX_BUCKETS][128];
    int64_t ms[FLEET_MAX_BUCKETS], sum_ms;
    int count;
};

/* Of the whole time (window: -1) or of one window. */
static void sum_badputs(const struct fleet_numbers *n, int window, struct badputs *b) {
    b->sum_ms = b->count = 0;
    for (int i = 0; i < n->bucket_count; i++) {
        char source[128];
        int at = 0;
        int64_t ms = window < 0 ? n->buckets[i].ms : n->buckets[i].windows_ms[window];
        if (strcmp(n->buckets[i].bucket, "ElasticSliceDown") == 0 || ms == FLEET_NONE || (window >= 0 && ms == 0) ||
            !monitoring_badput_source(&n->buckets[i], source))
            continue;
        while (at < b->count && strcmp(b->sources[at], source) != 0)
            at++;
        if (at == b->count) {
            memcpy(b->sources[at], source, sizeof source);
            b->ms[b->count++] = 0;
        }
        b->ms[at] += ms;
        b->sum_ms += ms;
    }
}

/* Returns the sum of all. */
static int64_t write_badput(struct writer *s) {
    struct badputs b;
    sum_badputs(s->job->numbers, -1, &b);
    for (int i = 0; i < b.count; i++)
        workload(s, WORKLOAD "badput_time", MILLI, b.ms[i], "badput_source", b.sources[i], "", "");
    return b.sum_ms;
}

/* Writes percentages of the time within the window in which the library's clock runs: goodput and all badputs make 100.
 * If the buckets of a window are unknown, only the goodput of the available time is written. */
static void write_window(struct writer *s, int window) {
    const struct fleet_numbers *n = s->job->numbers;
    const struct fleet_window *w = &n->windows[window];
    char size[24];
    snprintf(size, sizeof size, "%lld", (long long)w->seconds);
    int64_t goodput_ppm = w->runtime_ppm;
    if (w->ms != FLEET_NONE && w->badput_ms != FLEET_NONE) {
        struct badputs b;
        sum_badputs(n, window, &b);
        int64_t productive_ms = w->ms - w->badput_ms, all_ms = productive_ms + b.sum_ms;
        if (productive_ms < 0 || all_ms <= 0)
            return;
        for (int i = 0; i < b.count; i++)
            workload(s, WORKLOAD "interval_badput", PERCENT, ledger_ppm(b.ms[i], all_ms), "badput_source", b.sources[i],
                     "rolling_window_size", size);
        if (goodput_ppm != FLEET_NONE)
            goodput_ppm = ledger_ppm(productive_ms, all_ms);
    }
    workload(s, WORKLOAD "interval_goodput", PERCENT, goodput_ppm, "goodput_source", "TOTAL", "rolling_window_size",
             size);
}

/* Writes chips instead of slices, whose states a status does not keep; only for elastic jobs, as in the library. */
static void write_elastic(struct writer *s) {
    const struct fleet_numbers *n = s->job->numbers;
    int64_t allocated = n->values[FLEET_HOURS_ALLOCATED], waiting = n->values[FLEET_HOURS_WAITING];
    for (int i = 0; i < n->bucket_count; i++) {
        int64_t down_s = n->buckets[i].chip_seconds;
        if (strcmp(n->buckets[i].bucket, "ElasticSliceDown") != 0 || down_s == FLEET_NONE || allocated == FLEET_NONE ||
            waiting == FLEET_NONE || allocated + waiting <= 0)
            continue;
        double all = (double)(allocated + waiting), down = (double)down_s / 3.6;
        workload(s, WORKLOAD "available_slice_efficiency", MILLIONTH, (int64_t)((double)allocated / all * 1e6),
                 "window_type", "CUMULATIVE", "rolling_window_size", "0");
        workload(s, WORKLOAD "stepping_slice_efficiency", MILLIONTH,
                 (int64_t)(((double)allocated > down ? (double)allocated - down : 0) / all * 1e6), "window_type",
                 "CUMULATIVE", "rolling_window_size", "0");
    }
}

static void write_workload(struct writer *s) {
    const struct fleet_numbers *n = s->job->numbers;
    int64_t productive_ms = n->values[FLEET_PRODUCTIVE], badput_ms;
    struct series ideal = {WORKLOAD "performance", MILLI, n->values[FLEET_STEP_IDEAL], "", false};
    workload(s, WORKLOAD "goodput_time", MILLI, productive_ms, "goodput_source", "TOTAL", "", "");
    badput_ms = write_badput(s);
    workload(s, WORKLOAD "disruptions", COUNT, n->values[FLEET_INTERRUPTIONS], "", "", "window_type", "cumulative");
    workload(s, WORKLOAD "max_productive_steps", COUNT, n->values[FLEET_LAST_STEP], "", "", "", "");
    workload(s, WORKLOAD "step_time_deviation", MILLI, n->values[FLEET_STEP_DEVIATION], "", "", "", "");
    workload(s, WORKLOAD "total_elapsed_time", MILLI, (productive_ms == FLEET_NONE ? 0 : productive_ms) + badput_ms, "",
             "", "window_type", "cumulative");
    write_series(s, &ideal, NULL, 0);
    for (int i = 0; i < n->window_count; i++)
        write_window(s, i);
    write_elastic(s);
}

/* ---- the whole ledger ---- */

static void custom(struct writer *s, const struct series *one, const char *key, const char *label,
                   const char *second_key, const char *second) {
    const struct label labels[] = {{key, label}, {second_key, second}, {"cluster_name", s->place->cluster}};
    write_series(s, one, labels, ARRAY_SIZE(labels));
}

static void write_custom(struct writer *s) {
    static const struct {
        const char *kind;
        enum fleet_value value;
    } ratios[] = {{"scheduling", FLEET_SCHEDULING},
                  {"runtime", FLEET_RUNTIME},
                  {"job", FLEET_GOODPUT},
                  {"program", FLEET_PROGRAM},
                  {"evidence", FLEET_EVIDENCE},
                  {"scheduling_upper_bound", FLEET_SCHEDULING_UPPER_BOUND},
                  {"job_upper_bound", FLEET_JOB_UPPER_BOUND}};
    const struct fleet_numbers *n = s->job->numbers;
    const int64_t *v = n->values;
    for (size_t i = 0; i < ARRAY_SIZE(ratios); i++)
        custom(s, &(struct series){CUSTOM "ratio", MILLIONTH, v[ratios[i].value], "1", false}, "kind", ratios[i].kind,
               "", "");
    for (int i = 0; i < n->window_count; i++) {
        const struct fleet_window *window = &n->windows[i];
        const int64_t ppm[] = {window->scheduling_ppm, window->runtime_ppm, window->job_ppm};
        char size[24];
        snprintf(size, sizeof size, "%lld", (long long)window->seconds);
        for (size_t k = 0; k < ARRAY_SIZE(ppm); k++)
            custom(s, &(struct series){CUSTOM "window_ratio", MILLIONTH, ppm[k], "1", false}, "kind", ratios[k].kind,
                   "rolling_window_size", size);
    }
    /* Only wall time never falls: it is a sum that starts with the job, whichever controller sends it. */
    if (v[FLEET_START] != FLEET_NONE && v[FLEET_START] < s->job->end_ms)
        custom(s, &(struct series){CUSTOM "wall_time", MILLI, v[FLEET_WALL], "s", true}, "", "", "", "");
    custom(s, &(struct series){CUSTOM "available_time", MILLI, v[FLEET_AVAILABLE], "s", false}, "", "", "", "");
    custom(s, &(struct series){CUSTOM "productive_time", MILLI, v[FLEET_PRODUCTIVE], "s", false}, "", "", "", "");
    for (int i = 0; i < n->cause_count; i++)
        custom(s, &(struct series){CUSTOM "interruptions", COUNT, n->causes[i].count, "1", false}, "cause",
               n->causes[i].cause, "", "");
    for (int i = 0; i < n->bucket_count; i++)
        custom(s, &(struct series){CUSTOM "badput_time", MILLI, n->buckets[i].ms, "s", false}, "family",
               n->buckets[i].family, "bucket", n->buckets[i].bucket);
}

int monitoring_series_write(const struct monitoring_place *place, const struct monitoring_job *job, struct jwrite *w,
                            int *left_out) {
    struct writer s = {.place = place, .job = job, .w = w};
    write_accelerator_type(job->accelerator, s.accelerator_type);
    rfc3339_format(s.end, job->end_ms * 1000000, 3);
    if (job->numbers->values[FLEET_START] != FLEET_NONE)
        rfc3339_format(s.start, job->numbers->values[FLEET_START] * 1000000, 3);
    write_workload(&s);
    write_custom(&s);
    *left_out = s.left_out;
    return s.count;
}
