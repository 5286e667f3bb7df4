/* Reads JobGoodputs: crds/goodput.dev_jobgoodputs.yaml holds the schema that the API server has checked. */
#include "operator/objects/jobgoodput.h"
#include "ledger/record.h"

#include <errno.h>
#include <string.h>

#define GOODPUT struct object_jobgoodput
#define PROGRAM struct object_program

static void required_scan(struct jscan *j, void *at) {
    struct object_jobgoodput *g = at;
    struct slice name = object_text_scan(j);
    if (name.size_bytes > 0 && g->required_count < OBJECT_REPLICATED_JOBS)
        g->required[g->required_count++] = name;
}

static void window_scan(struct jscan *j, void *at) {
    struct object_jobgoodput *g = at;
    int64_t seconds;
    if (jscan_int(j, &seconds) && seconds >= 60 && seconds <= 2592000 && g->window_count < OBJECT_WINDOWS)
        g->windows_ms[g->window_count++] = seconds * 1000;
}

static void hang_scan(struct jscan *j, void *hang_after_ms) {
    int64_t seconds;
    if (jscan_int(j, &seconds) && seconds >= 1 && seconds <= 604800)
        *(int64_t *)hang_after_ms = seconds * 1000;
}

/* A decimal number in quotes, such as "70e9". */
static void parameters_scan(struct jscan *j, void *parameters) {
    struct slice text = object_text_scan(j);
    double value;
    if (slice_take_double(&text, &value) && text.size_bytes == 0 && value >= 1 && value < 1e100)
        *(double *)parameters = value;
}

static void attention_scan(struct jscan *j, void *is_causal) {
    *(bool *)is_causal = slice_is(object_text_scan(j), "Causal");
}

static void data_type_scan(struct jscan *j, void *type) {
    *(enum chip_type *)type = chip_type_find(object_text_scan(j));
}

static void price_scan(struct jscan *j, void *price) {
    *(int64_t *)price = price_parse(object_text_scan(j));
}

static void program_scan(struct jscan *j, void *program) {
    static const struct jmember model[] = {
        JMEMBER_FIELD(PROGRAM, parameters, "parameters", parameters_scan),
        JMEMBER_WITHIN(PROGRAM, layers, "layers", 1, 100000),
        JMEMBER_WITHIN(PROGRAM, heads, "heads", 1, 100000),
        JMEMBER_WITHIN(PROGRAM, head_dim, "headDim", 1, 1000000),
        JMEMBER_WITHIN(PROGRAM, sequence_length, "sequenceLength", 1, 1000000000),
        JMEMBER_WITHIN(PROGRAM, tokens_per_step, "tokensPerStep", 1, 1000000000000),
        JMEMBER_WITHIN(PROGRAM, tokens_per_s, "tokensPerSecond", 1, 1000000000000),
        JMEMBER_WITHIN(PROGRAM, shape.width, "width", 1, 10000000),
        JMEMBER_WITHIN(PROGRAM, shape.kv_heads, "kvHeads", 1, 100000),
        JMEMBER_WITHIN(PROGRAM, shape.mlp_width, "mlpWidth", 1, 100000000),
        JMEMBER_WITHIN(PROGRAM, shape.mlp_matrices, "mlpMatrices", 2, 3),
        JMEMBER_WITHIN(PROGRAM, shape.vocabulary, "vocabulary", 1, 1000000000),
        JMEMBER_FIELD(PROGRAM, is_causal, "attention", attention_scan),
    };
    static const struct jmember rows[] = {
        JMEMBER_WITHIN(PROGRAM, peak_gflops, "peakGFLOPSPerChip", 1, 1000000000),
        JMEMBER_WITHIN(PROGRAM, devices_per_chip, "devicesPerChip", 1, 64),
        JMEMBER_FIELD(PROGRAM, type, "dataType", data_type_scan),
        JMEMBER(PROGRAM, is_quantized, "quantized"),
        JMEMBER_OBJECT("model", model),
    };
    jmembers_read(j, JMEMBERS(rows), program);
}

static const struct jmember target[] = {JMEMBER(GOODPUT, target_kind, "kind"), JMEMBER(GOODPUT, target_name, "name")};
static const struct jmember log_pod[] = {
    JMEMBER(GOODPUT, log_job, "replicatedJob"),
    JMEMBER(GOODPUT, log_job_index, "jobIndex"),
    JMEMBER(GOODPUT, log_completion_index, "completionIndex"),
};
static const struct jmember pod_log[] = {JMEMBER(GOODPUT, container, "container"), JMEMBER_OBJECT("pod", log_pod)};
static const struct jmember regex[] = {
    /* in the order of OBJECT_REGEX_NAMES */
    JMEMBER(GOODPUT, regex[0], "step"),
    JMEMBER(GOODPUT, regex[1], "checkpointStart"),
    JMEMBER(GOODPUT, regex[2], "checkpointSaved"),
    JMEMBER(GOODPUT, regex[3], "checkpointRestored"),
};
static const struct jmember file[] = {JMEMBER(GOODPUT, log_path, "path")};
static const struct jmember cloud_logging[] = {
    JMEMBER(GOODPUT, log_project, "project"),
    JMEMBER(GOODPUT, log_logger, "logger"),
    JMEMBER(GOODPUT, log_job_name, "jobName"),
};
static const struct jmember step_log[] = {
    JMEMBER(GOODPUT, source, "source"),    JMEMBER(GOODPUT, format, "format"),
    JMEMBER_OBJECT("podLog", pod_log),     JMEMBER_OBJECT("regex", regex),
    JMEMBER_OBJECT("file", file),          JMEMBER_OBJECT("cloudLogging", cloud_logging),
    JMEMBER_OBJECT("push", cloud_logging),
};
static const struct jmember cost[] = {
    JMEMBER_FIELD(GOODPUT, cost.price, "pricePerChipHour", price_scan),
    JMEMBER(GOODPUT, cost.currency, "currency"),
};
static const struct jmember spec[] = {
    JMEMBER_OBJECT("targetRef", target),
    JMEMBER_ELEMENTS("requiredReplicatedJobs", required_scan),
    JMEMBER_OBJECT("stepLog", step_log),
    JMEMBER_WITHIN(GOODPUT, ideal_step_ms, "idealStepMilliseconds", 1, 86400000),
    JMEMBER_ELEMENTS("windowSeconds", window_scan),
    JMEMBER_FIELD(GOODPUT, program, "program", program_scan),
    JMEMBER_OBJECT("cost", cost),
    JMEMBER_WITHIN(GOODPUT, total_steps, "totalSteps", 1, 1000000000000),
    JMEMBER_FIELD(GOODPUT, hang_after_ms, "hangAfterSeconds", hang_scan),
};

/* ---- status, as written before ---- */

static const struct object_numbers no_numbers = {
    .start_ms = TIME_UNKNOWN,
    .end_ms = TIME_UNKNOWN,
    .wall_ms = RECORD_NONE,
    .available_ms = RECORD_NONE,
    .productive_ms = RECORD_NONE,
};

/* A person may have written anything. */
static bool are_consistent(const struct object_numbers *n) {
    return n->uid.size_bytes > 0 && n->available_ms >= 0 && n->available_ms <= n->wall_ms &&
           (n->productive_ms == RECORD_NONE || (n->productive_ms >= 0 && n->productive_ms <= n->available_ms));
}

static void time_scan(struct jscan *j, void *numbers) {
    typedef struct object_numbers of;
    static const struct jmember rows[] = {
        JMEMBER_TIME(of, start_ms, "start"),
        JMEMBER_TIME(of, end_ms, "end"),
        JMEMBER(of, wall_ms, "wallMilliseconds"),
        JMEMBER(of, available_ms, "availableMilliseconds"),
        JMEMBER(of, productive_ms, "productiveMilliseconds"),
    };
    jmembers_read(j, JMEMBERS(rows), numbers);
}

static void previous_scan(struct jscan *j, void *at) {
    static const struct jmember rows[] = {JMEMBER(struct object_numbers, uid, "uid"), JMEMBER_SELF("time", time_scan)};
    struct object_jobgoodput *g = at;
    struct object_numbers n = no_numbers;
    jmembers_read(j, JMEMBERS(rows), &n);
    if (g->previous_count < OBJECT_PREVIOUS && are_consistent(&n))
        g->previous[g->previous_count++] = n;
}

static void status_cost_scan(struct jscan *j, void *label_price) {
    static const struct jmember rows[] = {JMEMBER_FIELD(struct object_cost, price, "pricePerChipHour", price_scan),
                                          JMEMBER(struct object_cost, currency, "source")};
    struct object_cost c = {.price = PRICE_NONE};
    jmembers_read(j, JMEMBERS(rows), &c);
    if (slice_is(c.currency, "NodeLabel") && c.price >= 0)
        *(int64_t *)label_price = c.price;
}

static void finished_scan(struct jscan *j, void *is_finished) {
    struct object_conditions conditions = {.count = 0};
    object_conditions_scan(j, &conditions);
    const struct object_condition *finished = object_condition_find(&conditions, "Finished");
    *(bool *)is_finished = finished && slice_is(finished->status, "True");
}

static void status_scan(struct jscan *outer, void *at) {
    static const struct jmember status_target[] = {JMEMBER(GOODPUT, numbers.uid, "uid"),
                                                   JMEMBER(GOODPUT, accelerator, "accelerator")};
    static const struct jmember rows[] = {
        JMEMBER_OBJECT("target", status_target),
        JMEMBER(GOODPUT, phase, "phase"),
        JMEMBER(GOODPUT, checkpoint, "checkpoint"),
        JMEMBER_RAW(GOODPUT, interruptions, "interruptions"),
        JMEMBER_RAW(GOODPUT, executions, "executions"),
        JMEMBER_FIELD(GOODPUT, numbers, "time", time_scan),
        JMEMBER_ELEMENTS("previous", previous_scan),
        JMEMBER_FIELD(GOODPUT, label_price, "cost", status_cost_scan),
        JMEMBER_FIELD(GOODPUT, is_finished, "conditions", finished_scan),
    };
    struct object_jobgoodput *g = at;
    struct jscan j;
    if (jscan_peek(outer) != JSCAN_OBJECT || !jscan_raw(outer, &g->status)) {
        jscan_skip(outer);
        return;
    }
    jscan_init(&j, g->status);
    jmembers_read(&j, JMEMBERS(rows), g);
}

static void metadata_scan(struct jscan *j, void *at) {
    static const struct jmember rows[] = {JMEMBER_RAW(GOODPUT, labels, "labels")};
    struct object_jobgoodput *g = at;
    struct jscan ahead = *j;
    jmembers_read(&ahead, JMEMBERS(rows), g);
    object_meta_scan(j, &g->meta);
}

int object_jobgoodput_parse(struct slice json, struct object_jobgoodput *g) {
    static const struct jmember rows[] = {JMEMBER_SELF("metadata", metadata_scan), JMEMBER_OBJECT("spec", spec),
                                          JMEMBER_SELF("status", status_scan)};
    memset(g, 0, sizeof *g);
    object_meta_init(&g->meta);
    g->log_job_index = g->log_completion_index = -1;
    g->cost.price = g->label_price = PRICE_NONE;
    g->numbers = no_numbers;
    int err = object_read(json, JMEMBERS(rows), g);
    if (g->source.size_bytes == 0)
        g->source = SLICE("PodLog");
    if (g->format.size_bytes == 0)
        g->format = SLICE("Auto");
    return err < 0 ? err : g->target_kind.size_bytes == 0 || g->target_name.size_bytes == 0 ? -EINVAL : 0;
}
