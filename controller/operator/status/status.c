/* The status object, in the order of crds/goodput.dev_jobgoodputs.yaml. What is not known is left out, never 0. */
#include "operator/status/status.h"
#include "operator/job/followed_words.h"

#include "base/jwrite.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/rfc3339.h"
#include "formulas/advice.h"
#include "formulas/price.h"
#include "ledger/evaluate.h"
#include "operator/status/definitions.h"
#include "operator/status/forecast.h"
#include "operator/status/node_evidence.h"
#include "operator/status/owned.h"
#include "operator/status/root_cause.h"

#include <stdio.h>
#include <string.h>

#define MAX_BADPUT 64
#define MAX_CAUSES 32
#define MAX_EXECUTIONS 16

static bool is_time(int64_t ms) {
    return ms != TIME_UNKNOWN && ms != TIME_OPEN;
}

static void write_time(struct jwrite *w, const char *key, int64_t ms) {
    char text[RFC3339_SIZE];
    if (is_time(ms))
        jwrite_member_text(w, key, rfc3339_format_ms(text, ms));
}

static void write_time_s(struct jwrite *w, const char *key, int64_t ms) {
    char text[RFC3339_SIZE];
    if (is_time(ms))
        jwrite_member_text(w, key, rfc3339_format_s(text, ms));
}

static void write_known(struct jwrite *w, const char *key, int64_t value) {
    if (value != RECORD_NONE)
        jwrite_member_int(w, key, value < 0 ? 0 : value);
}

static void write_some(struct jwrite *w, const char *key, int64_t ms) {
    if (ms > 0)
        jwrite_member_int(w, key, ms);
}

static void write_filled(struct jwrite *w, const char *key, const char *text) {
    if (text && text[0])
        jwrite_member_text(w, key, text);
}

static void write_percent(struct jwrite *w, const char *key, int64_t ppm) {
    if (ppm != RECORD_NONE)
        jwrite_member_percent(w, key, ppm);
}

static void write_money(struct jwrite *w, const char *key, int64_t cents) {
    char text[PRICE_TEXT_SIZE];
    jwrite_member_text(w, key, price_cents_format(text, cents));
}

static void write_target(struct jwrite *w, const struct view *v) {
    const struct view_target *t = &v->seen;
    if (t->uid == NULL)
        return;
    jwrite_member_object(w, "target");
    jwrite_member_text(w, "uid", t->uid);
    jwrite_member_text(w, "apiVersion", t->kind->api_version);
    jwrite_member_text(w, "kind", t->kind->kind);
    jwrite_member_text(w, "name", t->name);
    write_time_s(w, "creationTime", t->created_ms);
    write_filled(w, "queue", t->queue);
    write_filled(w, "clusterQueue", t->cluster_queue);
    write_filled(w, "priorityClass", t->priority);
    if (v->has_numbers && v->result.chips > 0)
        jwrite_member_int(w, "chips", v->result.chips);
    write_filled(w, "accelerator", t->accelerator);
    write_filled(w, "logPod", t->log_pod);
    write_filled(w, "logContainer", t->log_container);
    write_filled(w, "logFormat", t->log_format);
    jwrite_object_end(w);
}

static void write_availability(struct jwrite *w, const struct view *v) {
    jwrite_member_object(w, "availability");
    if (v->has_numbers) {
        jwrite_member_int(w, "required", v->result.slots_required);
        /* Pods of slots that are not required any more may still be there. */
        jwrite_member_int(w, "available", min_of(v->result.slots_available, v->result.slots_required));
    }
    jwrite_member_text(w, "message", v->waiting_for);
    jwrite_object_end(w);
}

static void write_conditions(struct jwrite *w, const struct view *v) {
    jwrite_member_array(w, "conditions");
    for (int i = 0; i < JOB_CONDITIONS; i++) {
        const struct condition_view *c = &v->conditions[i];
        if (c->type == NULL)
            continue;
        jwrite_object(w);
        jwrite_member_text(w, "type", c->type);
        jwrite_member_text(w, "status", c->status);
        jwrite_member_int(w, "observedGeneration", v->generation);
        write_time_s(w, "lastTransitionTime", c->at_ms);
        jwrite_member_text(w, "reason", c->reason);
        jwrite_member_text(w, "message", c->message);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_scores(struct jwrite *w, const char *key, const struct view *v,
                         void (*write)(struct jwrite *, const char *, int64_t)) {
    jwrite_member_object(w, key);
    write(w, "scheduling", v->scheduling_ppm);
    write(w, "runtime", v->runtime_ppm);
    write(w, "job", v->job_ppm);
    write(w, "program", v->program_ppm);
    write(w, "productivity", v->productivity_ppm);
    write(w, "runtimeUpperBound", v->upper_ppm);
    write(w, "schedulingUpperBound", v->scheduling_upper_ppm);
    write(w, "jobUpperBound", v->job_upper_ppm);
    write(w, "evidence", v->evidence_ppm);
    jwrite_object_end(w);
}

static void write_times(struct jwrite *w, const struct view *v) {
    const struct ledger_result *r = &v->result;
    jwrite_member_object(w, "time");
    write_time(w, "start", r->start_ms);
    if (v->has_ended)
        write_time(w, "end", v->through_ms);
    write_time(w, "observedThrough", v->through_ms);
    jwrite_member_int(w, "wallMilliseconds", r->wall_ms);
    jwrite_member_int(w, "availableMilliseconds", r->available_ms);
    if (r->has_steps) {
        jwrite_member_int(w, "productiveMilliseconds", r->productive_ms);
        jwrite_member_int(w, "provisionalMilliseconds", r->provisional_ms);
    }
    jwrite_object_end(w);
}

static const char *bucket_text(const struct ledger_bucket *b, char out[static 128]) {
    if (b->bucket != BUCKET_CUSTOM)
        return bucket_name(b->bucket);
    snprintf(out, 128, "%s/%s", bucket_name(b->bucket), b->custom);
    return out;
}

/* The amount of the next part, rounded to hundredths so that the parts add up to what is allocated. */
static int64_t cost_next(const struct view *v, int64_t *chip_ms_before, int64_t chip_ms) {
    int64_t before = *chip_ms_before;
    *chip_ms_before += chip_ms;
    return price_cents(before + chip_ms, v->price) - price_cents(before, v->price);
}

static void write_badput(struct jwrite *w, const struct view *v) {
    const struct ledger_result *r = &v->result;
    char name[128];
    int written = 0;
    int64_t before = r->chip_ms_productive; /* of the allocated chip time, for cost */
    jwrite_member_array(w, "badput");
    for (int i = 0; i < r->bucket_count && written < MAX_BADPUT; i++) {
        const struct ledger_bucket *b = &r->buckets[i];
        if (b->bucket == BUCKET_PRODUCTIVE)
            continue;
        jwrite_object(w);
        jwrite_member_text(w, "bucket", bucket_text(b, name));
        jwrite_member_text(w, "family", family_name(bucket_family(b->bucket)));
        jwrite_member_int(w, "milliseconds", b->ms);
        write_percent(w, "share", ledger_ppm(b->ms, r->wall_ms));
        jwrite_member_int(w, "count", b->count);
        jwrite_member_text(w, "basis", basis_name(b->basis));
        jwrite_member_int(w, "chipSeconds", b->chip_ms / 1000);
        if (v->price >= 0)
            write_money(w, "cost", cost_next(v, &before, b->chip_ms));
        owned_write_bucket(w, v, b);
        write_filled(w, "evidence", b->evidence);
        jwrite_object_end(w);
        written++;
    }
    jwrite_array_end(w);
    if (r->top_badput >= 0)
        jwrite_member_text(w, "topBadput", bucket_text(&r->buckets[r->top_badput], name));
}

static const char *cause_text(enum cause cause, const char *reason, char out[static 128]) {
    if (cause != CAUSE_KUEUE_EVICTION || reason[0] == '\0')
        return cause_name(cause);
    snprintf(out, 128, "%s/%s", cause_name(cause), reason);
    return out;
}

struct cause_count {
    char name[128];
    int order;
    int64_t count, chip_ms;
};

/* In the order of the table of causes, then by sub-reason; what does not fit is in total only. */
static void count_cause(struct cause_count counts[static MAX_CAUSES], int *n, enum cause cause, const char *reason,
                        int64_t count, int64_t chip_ms) {
    char text[128];
    const char *name = cause_text(cause, reason, text);
    int order = (int)cause, at = 0;
    while (at < *n && (counts[at].order < order || (counts[at].order == order && strcmp(counts[at].name, name) < 0)))
        at++;
    if (at < *n && strcmp(counts[at].name, name) == 0) {
        counts[at].count += count;
        counts[at].chip_ms += chip_ms;
        return;
    }
    if (*n == MAX_CAUSES)
        return;
    memmove(&counts[at + 1], &counts[at], (size_t)(*n - at) * sizeof counts[0]);
    counts[at] = (struct cause_count){.order = order, .count = count, .chip_ms = chip_ms};
    slice_copy(counts[at].name, sizeof counts[at].name, slice_of(name));
    (*n)++;
}

static int count_causes(const struct view *v, struct cause_count counts[static MAX_CAUSES]) {
    const struct ledger_result *r = &v->result;
    int n = 0;
    if (v->counted > 0)
        count_cause(counts, &n, CAUSE_UNKNOWN, "", v->counted, 0);
    if (v->counted_evictions > 0)
        count_cause(counts, &n, CAUSE_KUEUE_EVICTION, "", v->counted_evictions, 0);
    for (int i = 0; i < r->older.cause_count; i++)
        count_cause(counts, &n, r->older.causes[i].cause, r->older.causes[i].reason, r->older.causes[i].count,
                    r->older.causes[i].chip_ms);
    for (int i = 0; i < r->interruption_count; i++)
        count_cause(counts, &n, r->interruptions[i].cause, r->interruptions[i].reason, 1, r->interruptions[i].chip_ms);
    return n;
}

static void write_interruptions(struct jwrite *w, const struct view *v) {
    const struct ledger_result *r = &v->result;
    struct cause_count counts[MAX_CAUSES + 1];
    int n = count_causes(v, counts);
    int64_t excluded = r->older.count - r->older.counted;
    for (int i = 0; i < r->interruption_count; i++)
        excluded += cause_is_excluded(r->interruptions[i].cause) ? 1 : 0;
    jwrite_member_object(w, "interruptions");
    jwrite_member_int(w, "total", view_interruptions(v));
    jwrite_member_int(w, "excluded", excluded);
    write_some(w, "onlyCounted", v->counted + v->counted_evictions);
    jwrite_member_array(w, "byCause");
    for (int i = 0; i < n; i++) {
        jwrite_object(w);
        jwrite_member_text(w, "cause", counts[i].name);
        jwrite_member_int(w, "count", counts[i].count);
        if (r->has_steps && r->chip_ms_allocated > 0) { /* else it is not known what was lost */
            jwrite_member_int(w, "chipSeconds", counts[i].chip_ms / 1000);
            if (v->price >= 0)
                write_money(w, "cost", price_cents(counts[i].chip_ms, v->price));
        }
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
    root_causes_write_counts(w, v->root_causes, r);
    if (r->mtbi_ms != RECORD_NONE)
        jwrite_member_int(w, "meanTimeBetweenSeconds", r->mtbi_ms / 1000);
    if (r->mttr_ms != RECORD_NONE && r->has_steps)
        jwrite_member_int(w, "meanTimeToRecoverSeconds", r->mttr_ms / 1000);
    jwrite_object_end(w);
}

static void write_execution(struct jwrite *w, const struct view *v, int at) {
    const struct ledger_execution *e = &v->result.executions[at];
    const struct ledger_interruption *i = at < v->result.interruption_count ? &v->result.interruptions[at] : NULL;
    bool has_steps = v->result.has_steps;
    char text[128];
    jwrite_object(w);
    jwrite_member_int(w, "number", e->number);
    write_time(w, "start", e->start_ms);
    write_time(w, "availableAt", e->available_ms);
    write_time(w, "firstStepAt", e->first_step_ms);
    write_time(w, "end", e->end_ms);
    if (i) {
        jwrite_member_text(w, "cause", cause_text(i->cause, i->reason, text));
        write_filled(w, "evidence", i->evidence);
        write_filled(w, "node", i->node);
        write_filled(w, "nodePool", i->node_pool);
        node_evidence_write(w, v->evidence, e->number);
    }
    root_cause_write(w, v->root_causes, e->number);
    if (at < v->result.interruption_count + v->result.has_own_end)
        owned_write_interruption(w, &v->result.interruptions[at]);
    write_some(w, "imagePullMilliseconds", e->image_pull_ms);
    write_filled(w, "slowestPull", e->puller);
    write_some(w, "containerStartMilliseconds", e->container_start_ms);
    write_some(w, "programStartupMilliseconds", e->startup_ms);
    write_known(w, "firstStep", e->first_step);
    write_known(w, "lastStep", e->last_step);
    if (i && has_steps) {
        write_known(w, "lostSteps", i->lost_steps);
        if (i->saved_on_sigterm != SAVED_UNKNOWN)
            jwrite_member_bool(w, "savedOnTermination", i->saved_on_sigterm == SAVED_YES);
        write_known(w, "lostWorkMilliseconds", i->tch_ms);
    }
    if (i) {
        write_some(w, "detectMilliseconds", i->detect_ms);
        write_known(w, "waitMilliseconds", i->wait_ms);
        write_known(w, "rescheduleMilliseconds", i->tre_ms);
    }
    if (i && has_steps) {
        write_known(w, "resumeMilliseconds", i->trm_ms);
        write_known(w, "catchUpMilliseconds", i->catch_up_ms);
    }
    jwrite_object_end(w);
}

static void write_executions(struct jwrite *w, const struct view *v) {
    const struct ledger_result *r = &v->result;
    int first = r->execution_count > MAX_EXECUTIONS ? r->execution_count - MAX_EXECUTIONS : 0;
    jwrite_member_array(w, "executions");
    for (int i = first; i < r->execution_count; i++)
        write_execution(w, v, i);
    jwrite_array_end(w);
}

static void write_phases(struct jwrite *w, const struct ledger_result *r) {
    if (r->phase_count == 0)
        return;
    jwrite_member_array(w, "phases");
    for (int i = 0; i < r->phase_count; i++) {
        jwrite_object(w);
        jwrite_member_text(w, "name", r->phases[i].name);
        jwrite_member_int(w, "milliseconds", r->phases[i].ms);
        write_percent(w, "share", ledger_ppm(r->phases[i].ms, r->productive_ms));
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_steps(struct jwrite *w, const struct view *v) {
    const struct ledger_result *r = &v->result;
    if (!r->has_steps)
        return;
    jwrite_member_object(w, "steps");
    write_known(w, "last", r->last_step);
    write_known(w, "lastDurable", r->last_durable_step);
    jwrite_member_int(w, "retained", r->retained_steps);
    jwrite_member_int(w, "repeated", r->lost_steps);
    int64_t mean_ms = r->retained_steps > 0 ? r->productive_ms / r->retained_steps : RECORD_NONE;
    write_known(w, "meanMilliseconds", mean_ms);
    write_known(w, "p50Milliseconds", r->median_step_ms);
    write_known(w, "p99Milliseconds", r->p99_step_ms);
    if (r->ideal_step_ms > 0) {
        jwrite_member_int(w, "idealMilliseconds", r->ideal_step_ms);
        if (mean_ms != RECORD_NONE)
            jwrite_member_int(w, "deviationMilliseconds", mean_ms - r->ideal_step_ms);
    }
    write_time(w, "lastRecordTime", r->last_record_ms);
    write_some(w, "hangAfterMilliseconds", r->hang_after_ms);
    write_phases(w, r);
    jwrite_object_end(w);
}

/* Every bucket's time in one window; with the productive time it makes the window's. */
static void write_window_badput(struct jwrite *w, const struct ledger_result *r, int window) {
    char name[128];
    jwrite_member_array(w, "badput");
    for (int i = 0; i < r->bucket_count; i++) {
        if (r->buckets[i].bucket == BUCKET_PRODUCTIVE || r->buckets[i].windows_ms[window] <= 0)
            continue;
        jwrite_object(w);
        jwrite_member_text(w, "bucket", bucket_text(&r->buckets[i], name));
        jwrite_member_text(w, "family", family_name(bucket_family(r->buckets[i].bucket)));
        jwrite_member_int(w, "milliseconds", r->buckets[i].windows_ms[window]);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_windows(struct jwrite *w, const struct view *v) {
    const struct ledger_result *r = &v->result;
    if (r->window_count == 0)
        return;
    jwrite_member_array(w, "windows");
    for (int i = 0; i < r->window_count; i++) {
        const struct ledger_window *x = &r->windows[i];
        jwrite_object(w);
        jwrite_member_int(w, "windowSeconds", x->window_ms / 1000);
        jwrite_member_int(w, "milliseconds", x->ms);
        write_percent(w, "scheduling", ledger_ppm(x->available_ms, x->ms));
        if (r->has_steps) {
            write_percent(w, "runtime", ledger_ppm(x->productive_ms, x->available_ms));
            write_percent(w, "job", ledger_ppm(x->productive_ms, x->ms));
        }
        if (x->top_badput < BUCKET_COUNT)
            jwrite_member_text(w, "topBadput", bucket_name(x->top_badput));
        write_window_badput(w, r, i);
        jwrite_member_int(w, "interruptions", x->interruptions);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static int64_t hours_thousandths(int64_t chip_ms) {
    return (chip_ms + 1800) / 3600;
}

static void write_hours(struct jwrite *w, const char *key, int64_t thousandths) {
    char text[32];
    snprintf(text, sizeof text, "%lld.%03lld", (long long)(thousandths / 1000), (long long)(thousandths % 1000));
    jwrite_member_text(w, key, text);
}

static void write_chips(struct jwrite *w, const struct view *v) {
    const struct ledger_result *r = &v->result;
    if (r->chips == 0 && r->chip_ms_allocated == 0)
        return;
    jwrite_member_object(w, "acceleratorHours");
    int64_t allocated = hours_thousandths(r->chip_ms_allocated);
    write_hours(w, "allocated", allocated);
    if (r->has_steps) {
        /* Of the rounded ones, so that what is shown adds up. */
        int64_t productive = hours_thousandths(r->chip_ms_productive);
        write_hours(w, "productive", productive);
        write_hours(w, "lost", allocated - productive);
    }
    write_hours(w, "waiting", hours_thousandths(r->chip_ms_waiting));
    jwrite_object_end(w);
}

static void write_cost(struct jwrite *w, const struct view *v) {
    const struct ledger_result *r = &v->result;
    char text[PRICE_TEXT_SIZE];
    if (v->price == PRICE_NONE || (r->chips == 0 && r->chip_ms_allocated == 0))
        return;
    jwrite_member_object(w, "cost");
    if (v->price == PRICE_BAD) {
        jwrite_member_text(
            w, "message",
            "the label goodput.dev/price-per-chip-hour of its nodes is not a price: give a decimal from 0 "
            "to 1000000, such as 2.5");
    } else {
        jwrite_member_text(w, "currency", v->currency);
        jwrite_member_text(w, "pricePerChipHour", price_format(text, v->price));
        jwrite_member_text(w, "source", v->price_source);
        int64_t allocated = price_cents(r->chip_ms_allocated, v->price);
        write_money(w, "allocated", allocated);
        if (r->has_steps) {
            int64_t productive = price_cents(r->chip_ms_productive, v->price);
            write_money(w, "productive", productive);
            write_money(w, "lost", allocated - productive);
        }
    }
    jwrite_object_end(w);
}

static void write_program(struct jwrite *w, const struct view *v) {
    char text[32];
    if (v->gflops_per_chip < 0 && v->program_trouble[0] == '\0' && v->rejected_lines == 0)
        return;
    jwrite_member_object(w, "program");
    write_percent(w, v->is_quantized ? "emfu" : "mfu", v->program_ppm);
    if (v->gflops_per_chip >= 0) {
        snprintf(text, sizeof text, "%.3f", v->gflops_per_chip / 1000);
        jwrite_member_text(w, "tflopsPerChip", text);
        jwrite_member_text(w, "source", v->is_program_of_log ? "Log" : "Model");
    }
    if (v->peak_gflops > 0) {
        jwrite_member_int(w, "peakGFLOPSPerChip", v->peak_gflops);
        if (v->data_type < CHIP_TYPES)
            jwrite_member_text(w, "dataType", chip_type_name(v->data_type));
    }
    if (v->parameters > 0 && !v->is_program_of_log) {
        snprintf(text, sizeof text, "%.6g", v->parameters);
        jwrite_member_text(w, "parameters", text);
    }
    if (v->rejected_lines > 0)
        jwrite_member_int(w, "rejectedLines", v->rejected_lines);
    write_filled(w, "message", v->program_trouble);
    jwrite_object_end(w);
}

/* A port that is taken stays taken, however long the processes wait for each other: advice for those that wait is not
 * for it. */
static enum rootcause_class class_for_advice(const struct root_cause *c) {
    bool is_port = c->class_ == CLASS_STARTUP_RENDEZVOUS && strcmp(c->reason, "AddressInUse") == 0;
    return is_port ? CLASS_UNKNOWN : c->class_;
}

/* The class of each interruption's root cause. The caller frees them. */
static enum rootcause_class *classes_of(const struct view *v) {
    enum rootcause_class *classes = mem_alloc(((size_t)v->result.interruption_count + 1) * sizeof *classes);
    for (int i = 0; i < v->result.interruption_count; i++) {
        int number = v->result.interruptions[i].number;
        const struct root_cause *c = v->root_causes != NULL ? root_cause_of(v->root_causes, number) : NULL;
        classes[i] = c != NULL ? class_for_advice(c) : CLASS_UNKNOWN;
    }
    return classes;
}

/* The node that showed the cause of each interruption before the loss, by the rule of fleet/member.c. The caller frees
 * the list. */
static const char **accused_of(const struct view *v) {
    const char **nodes = mem_alloc(((size_t)v->result.interruption_count + 1) * sizeof *nodes);
    for (int i = 0; i < v->result.interruption_count; i++)
        nodes[i] = node_evidence_accused(v->evidence, v->result.interruptions[i].number);
    return nodes;
}

/* How many saves failed in the execution that each interruption ended, and since the newest checkpoint; NULL: none did.
 * The caller frees them. */
static int64_t *save_errors_of(const struct view *v) {
    const struct ledger_result *r = &v->result;
    if (v->save_errors == NULL)
        return NULL;
    int64_t *counts = mem_alloc(((size_t)r->interruption_count + 1) * sizeof *counts);
    for (int i = 0; i <= r->interruption_count; i++) {
        bool is_now = i == r->interruption_count;
        int64_t from_ms = is_now ? r->last_record_ms - advice_unsaved_ms(r) : r->executions[i].start_ms;
        int64_t until_ms = is_now ? INT64_MAX : r->interruptions[i].at_ms;
        if (is_now && i < r->execution_count)
            from_ms = max_of(from_ms, r->executions[i].start_ms);
        counts[i] = 0;
        for (int k = 0; k < v->save_errors->count; k++)
            counts[i] += v->save_errors->at_ms[k] >= from_ms && v->save_errors->at_ms[k] <= until_ms;
    }
    return counts;
}

static void write_advice(struct jwrite *w, const struct view *v) {
    struct advice advice[ADVICE_MAX];
    char text[32], topic[512];
    CLEANUP_FREE enum rootcause_class *classes = classes_of(v);
    CLEANUP_FREE const char **accused = accused_of(v);
    CLEANUP_FREE int64_t *save_errors = save_errors_of(v);
    int count = advise(&v->result, classes, accused, save_errors, advice);
    if (count == 0)
        return;
    jwrite_member_array(w, "advice");
    for (int i = 0; i < count; i++) {
        jwrite_object(w);
        jwrite_member_text(w, "kind", advice[i].kind);
        jwrite_member_text(w, "seen", advice[i].seen);
        jwrite_member_text(w, "change", advice[i].change);
        snprintf(text, sizeof text, "%.2f", (double)advice[i].gain_ppm / 1e4);
        jwrite_member_text(w, "gainPoints", text);
        write_hours(w, "acceleratorHours", hours_thousandths(advice[i].chip_ms));
        jwrite_member_text(w, "formula", advice[i].formula);
        snprintf(topic, sizeof topic, "%s/how-to/advice.md#%s", v->documentation_url, advice[i].topic);
        jwrite_member_text(w, "topic", topic);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

static void write_previous(struct jwrite *w, const struct view *v) {
    if (v->previous_count == 0)
        return;
    jwrite_member_array(w, "previous");
    for (int i = 0; i < v->previous_count; i++) {
        const struct job_previous *p = &v->previous[i];
        jwrite_object(w);
        jwrite_member_text(w, "uid", p->uid);
        jwrite_member_object(w, "time");
        write_time(w, "start", p->start_ms);
        write_time(w, "end", p->end_ms);
        jwrite_member_int(w, "wallMilliseconds", p->wall_ms);
        jwrite_member_int(w, "availableMilliseconds", p->available_ms);
        write_known(w, "productiveMilliseconds", p->productive_ms);
        jwrite_object_end(w);
        jwrite_member_object(w, "goodput");
        write_percent(w, "scheduling", ledger_ppm(p->available_ms, p->wall_ms));
        if (p->productive_ms != RECORD_NONE) {
            write_percent(w, "runtime", ledger_ppm(p->productive_ms, p->available_ms));
            write_percent(w, "job", ledger_ppm(p->productive_ms, p->wall_ms));
        }
        jwrite_object_end(w);
        jwrite_object_end(w);
    }
    jwrite_array_end(w);
}

void view_write(const struct view *v, struct buf *out) {
    struct jwrite w;
    jwrite_init(&w, out);
    jwrite_object(&w);
    jwrite_member_int(&w, "observedGeneration", v->generation);
    write_target(&w, v);
    jwrite_member_text(&w, "phase", v->phase);
    write_time(&w, "phaseSince", v->phase_since_ms);
    write_availability(&w, v);
    write_conditions(&w, v);
    if (v->has_numbers) {
        write_scores(&w, "goodput", v, write_percent);
        write_scores(&w, "goodputPPM", v, write_known);
        view_write_definitions(&w, v);
        write_times(&w, v);
        write_badput(&w, v);
        owned_write(&w, v);
        write_interruptions(&w, v);
        write_executions(&w, v);
        write_steps(&w, v);
        write_windows(&w, v);
        write_chips(&w, v);
        write_cost(&w, v);
        write_program(&w, v);
        view_write_forecast(&w, v);
        write_advice(&w, v);
    }
    write_previous(&w, v);
    jwrite_object_end(&w);
}
