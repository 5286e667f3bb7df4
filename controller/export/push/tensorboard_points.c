#include "export/push/tensorboard_points.h"

#include "base/mem.h"
#include "export/push/monitoring_series.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void add(struct tensorboard_point *p, double value, const char *prefix, const char *name) {
    if (p->count == TENSORBOARD_MAX_VALUES)
        return;
    struct tensorboard_value *v = &p->values[p->count++];
    snprintf(v->tag, sizeof v->tag, "%s%s", prefix, name);
    v->value = (float)value;
}

static void add_lower(struct tensorboard_point *p, double value, const char *prefix, const char *name) {
    char lower[64];
    size_t n = 0;
    for (; name[n] != '\0' && n + 1 < sizeof lower; n++)
        lower[n] = (char)tolower((unsigned char)name[n]);
    lower[n] = '\0';
    add(p, value, prefix, lower);
}

/* Adds the library's monitor's values: goodput and each type's share, in percent of the time of its clock
 * (monitoring_series.h lists these buckets), so that they make 100. A status has no time for asynchronous data loading
 * and elastic slices, so these have no points, not 0. */
static void add_library(struct tensorboard_point *p, const struct fleet_numbers *n) {
    static const char *const types[] = {"TPU_INITIALIZATION",
                                        "TRAINING_PREP",
                                        "PROGRAM_STARTUP",
                                        "DATA_LOADING_SYNC",
                                        "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME",
                                        "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME",
                                        "WASTED_PROGRESS_FROM_DISRUPTION",
                                        "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION",
                                        "ELASTIC_REINITIALIZATION",
                                        "OTHER"};
    static const char custom[] = "CUSTOM_BADPUT_EVENTS.";
    const int64_t productive_ms = n->values[FLEET_PRODUCTIVE];
    int64_t sums_ms[ARRAY_SIZE(types)] = {0}, total_ms = productive_ms;
    char source[128];
    for (int i = 0; i < n->bucket_count; i++)
        total_ms += monitoring_badput_source(&n->buckets[i], source) ? n->buckets[i].ms : 0;
    if (productive_ms == FLEET_NONE || total_ms <= 0)
        return;
    for (int i = 0; i < n->bucket_count; i++) {
        if (!monitoring_badput_source(&n->buckets[i], source))
            continue;
        size_t k = 0;
        while (k < ARRAY_SIZE(types) && strcmp(source, types[k]) != 0)
            k++;
        if (k < ARRAY_SIZE(types))
            sums_ms[k] += n->buckets[i].ms;
        else if (strncmp(source, custom, sizeof custom - 1) == 0)
            add_lower(p, 100.0 * (double)n->buckets[i].ms / (double)total_ms, "badput/custom_badput_events/",
                      source + sizeof custom - 1);
    }
    add(p, 100.0 * (double)productive_ms / (double)total_ms, "goodput/", "goodput");
    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        add_lower(p, 100.0 * (double)sums_ms[i] / (double)total_ms, "badput/", types[i]);
}

static void add_ledger(struct tensorboard_point *p, const struct fleet_numbers *n, double wall_ms) {
    for (int i = 0; i < n->bucket_count; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s/%s", n->buckets[i].family, n->buckets[i].bucket);
        add(p, 100.0 * (double)n->buckets[i].ms / wall_ms, "ledger/", name);
    }
}

/* The tags of a status' values, for those that are known. */
static const struct {
    enum fleet_value value;
    const char *tag;
    double unit; /* the tag's unit in the status' unit */
} plain[] = {
    {FLEET_GOODPUT, "goodput/job", 1e4}, /* in percent */
    {FLEET_SCHEDULING, "goodput/scheduling", 1e4},
    {FLEET_RUNTIME, "goodput/runtime", 1e4},
    {FLEET_UPPER_BOUND, "goodput/runtime_upper_bound", 1e4},
    {FLEET_SCHEDULING_UPPER_BOUND, "goodput/scheduling_upper_bound", 1e4},
    {FLEET_JOB_UPPER_BOUND, "goodput/job_upper_bound", 1e4},
    {FLEET_PROGRAM, "goodput/program", 1e4},
    {FLEET_PRODUCTIVITY, "goodput/productivity", 1e4},
    {FLEET_EVIDENCE, "goodput/evidence", 1e4},
    {FLEET_STEP_DEVIATION, "step_deviation", 1e3}, /* in seconds, as in the library */
    {FLEET_STEP_MEAN, "step_seconds/mean", 1e3},
    {FLEET_STEP_MEDIAN, "step_seconds/p50", 1e3},
    {FLEET_STEP_P99, "step_seconds/p99", 1e3},
    {FLEET_STEP_IDEAL, "step_seconds/ideal", 1e3},
    {FLEET_RETAINED_STEPS, "steps/retained", 1},
    {FLEET_REPEATED_STEPS, "steps/repeated", 1},
    {FLEET_LAST_DURABLE_STEP, "steps/last_durable", 1},
    {FLEET_INTERRUPTIONS, "interruptions/total", 1},
    {FLEET_HOURS_ALLOCATED, "accelerator_hours/allocated", 1e3},
    {FLEET_HOURS_PRODUCTIVE, "accelerator_hours/productive", 1e3},
};

bool tensorboard_point_read(const struct fleet_numbers *n, bool is_final, struct tensorboard_point *p) {
    const int64_t *v = n->values;
    p->step = v[FLEET_LAST_STEP];
    p->at_ms = v[FLEET_OBSERVED_THROUGH];
    p->start_ms = v[FLEET_START];
    p->is_final = is_final;
    p->count = 0;
    if (p->step < 0 || p->at_ms == FLEET_NONE || p->start_ms == FLEET_NONE || v[FLEET_WALL] <= 0)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
        if (v[plain[i].value] != FLEET_NONE)
            add(p, (double)v[plain[i].value] / plain[i].unit, plain[i].tag, "");
    add_library(p, n);
    add_ledger(p, n, (double)v[FLEET_WALL]);
    return true;
}
