/* The reader of JobGoodputs: crds/goodput.dev_jobgoodputs.yaml holds the schema that the API server has checked. */
#include "operator/objects/jobgoodput.h"
#include "base/jscan.h"
#include "ledger/record.h"

#include <errno.h>
#include <string.h>

static int64_t bounded(int64_t value, int64_t low, int64_t high) {
    return value >= low && value <= high ? value : 0;
}

static void target_scan(struct jscan *j, struct object_jobgoodput *g) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "kind"))
            g->target_kind = object_text_scan(j);
        else if (slice_is(key, "name"))
            g->target_name = object_text_scan(j);
        else
            jscan_skip(j);
    }
}

static void log_pod_scan(struct jscan *j, struct object_jobgoodput *g) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "replicatedJob"))
            g->log_job = object_text_scan(j);
        else if (slice_is(key, "jobIndex"))
            g->log_job_index = object_int_scan(j, -1);
        else if (slice_is(key, "completionIndex"))
            g->log_completion_index = object_int_scan(j, -1);
        else
            jscan_skip(j);
    }
}

static void pod_log_scan(struct jscan *j, struct object_jobgoodput *g) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "container"))
            g->container = object_text_scan(j);
        else if (slice_is(key, "pod"))
            log_pod_scan(j, g);
        else
            jscan_skip(j);
    }
}

static void regex_scan(struct jscan *j, struct object_jobgoodput *g) {
    static const char *const names[OBJECT_REGEXES] = OBJECT_REGEX_NAMES;
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        int i = 0;
        while (i < OBJECT_REGEXES && !slice_is(key, names[i]))
            i++;
        if (i < OBJECT_REGEXES)
            g->regex[i] = object_text_scan(j);
        else
            jscan_skip(j);
    }
}

static void file_scan(struct jscan *j, struct object_jobgoodput *g) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "path"))
            g->log_path = object_text_scan(j);
        else
            jscan_skip(j);
    }
}

static void cloud_logging_scan(struct jscan *j, struct object_jobgoodput *g) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "project"))
            g->log_project = object_text_scan(j);
        else if (slice_is(key, "logger"))
            g->log_logger = object_text_scan(j);
        else if (slice_is(key, "jobName"))
            g->log_job_name = object_text_scan(j);
        else
            jscan_skip(j);
    }
}

static void step_log_scan(struct jscan *j, struct object_jobgoodput *g) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "source"))
            g->source = object_text_scan(j);
        else if (slice_is(key, "format"))
            g->format = object_text_scan(j);
        else if (slice_is(key, "podLog"))
            pod_log_scan(j, g);
        else if (slice_is(key, "regex"))
            regex_scan(j, g);
        else if (slice_is(key, "file"))
            file_scan(j, g);
        else if (slice_is(key, "cloudLogging") || slice_is(key, "push"))
            cloud_logging_scan(j, g);
        else
            jscan_skip(j);
    }
}

static void required_scan(struct jscan *j, struct object_jobgoodput *g) {
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        struct slice name = object_text_scan(j);
        if (name.size_bytes > 0 && g->required_count < OBJECT_REPLICATED_JOBS)
            g->required[g->required_count++] = name;
    }
}

static void windows_scan(struct jscan *j, struct object_jobgoodput *g) {
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        int64_t seconds = bounded(object_int_scan(j, 0), 60, 2592000);
        if (seconds > 0 && g->window_count < OBJECT_WINDOWS)
            g->windows_ms[g->window_count++] = seconds * 1000;
    }
}

/* A decimal number in quotes, such as "70e9"; 0 if it is none. */
static double parameters_scan(struct jscan *j) {
    struct slice text = object_text_scan(j);
    double value;
    return slice_take_double(&text, &value) && text.size_bytes == 0 && value >= 1 && value < 1e100 ? value : 0;
}

static void model_scan(struct jscan *j, struct object_program *p) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "parameters"))
            p->parameters = parameters_scan(j);
        else if (slice_is(key, "layers"))
            p->layers = bounded(object_int_scan(j, 0), 1, 100000);
        else if (slice_is(key, "heads"))
            p->heads = bounded(object_int_scan(j, 0), 1, 100000);
        else if (slice_is(key, "headDim"))
            p->head_dim = bounded(object_int_scan(j, 0), 1, 1000000);
        else if (slice_is(key, "sequenceLength"))
            p->sequence_length = bounded(object_int_scan(j, 0), 1, 1000000000);
        else if (slice_is(key, "tokensPerStep"))
            p->tokens_per_step = bounded(object_int_scan(j, 0), 1, 1000000000000);
        else if (slice_is(key, "tokensPerSecond"))
            p->tokens_per_s = bounded(object_int_scan(j, 0), 1, 1000000000000);
        else if (slice_is(key, "width"))
            p->shape.width = bounded(object_int_scan(j, 0), 1, 10000000);
        else if (slice_is(key, "kvHeads"))
            p->shape.kv_heads = bounded(object_int_scan(j, 0), 1, 100000);
        else if (slice_is(key, "mlpWidth"))
            p->shape.mlp_width = bounded(object_int_scan(j, 0), 1, 100000000);
        else if (slice_is(key, "mlpMatrices"))
            p->shape.mlp_matrices = bounded(object_int_scan(j, 0), 2, 3);
        else if (slice_is(key, "vocabulary"))
            p->shape.vocabulary = bounded(object_int_scan(j, 0), 1, 1000000000);
        else if (slice_is(key, "attention"))
            p->is_causal = slice_is(object_text_scan(j), "Causal");
        else
            jscan_skip(j);
    }
}

static void program_scan(struct jscan *j, struct object_program *p) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "peakGFLOPSPerChip"))
            p->peak_gflops = bounded(object_int_scan(j, 0), 1, 1000000000);
        else if (slice_is(key, "devicesPerChip"))
            p->devices_per_chip = bounded(object_int_scan(j, 0), 1, 64);
        else if (slice_is(key, "dataType"))
            p->type = chip_type_find(object_text_scan(j));
        else if (slice_is(key, "quantized"))
            p->is_quantized = object_bool_scan(j);
        else if (slice_is(key, "model"))
            model_scan(j, p);
        else
            jscan_skip(j);
    }
}

static void cost_scan(struct jscan *j, struct object_cost *c) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "pricePerChipHour"))
            c->price = price_parse(object_text_scan(j));
        else if (slice_is(key, "currency"))
            c->currency = object_text_scan(j);
        else
            jscan_skip(j);
    }
}

static void spec_scan(struct jscan *j, struct object_jobgoodput *g) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "targetRef"))
            target_scan(j, g);
        else if (slice_is(key, "requiredReplicatedJobs"))
            required_scan(j, g);
        else if (slice_is(key, "stepLog"))
            step_log_scan(j, g);
        else if (slice_is(key, "idealStepMilliseconds"))
            g->ideal_step_ms = bounded(object_int_scan(j, 0), 1, 86400000);
        else if (slice_is(key, "windowSeconds"))
            windows_scan(j, g);
        else if (slice_is(key, "program"))
            program_scan(j, &g->program);
        else if (slice_is(key, "cost"))
            cost_scan(j, &g->cost);
        else if (slice_is(key, "totalSteps"))
            g->total_steps = bounded(object_int_scan(j, 0), 1, 1000000000000);
        else if (slice_is(key, "hangAfterSeconds"))
            g->hang_after_ms = 1000 * bounded(object_int_scan(j, 0), 1, 604800);
        else
            jscan_skip(j);
    }
}

static void status_target_scan(struct jscan *j, struct object_jobgoodput *g) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "uid"))
            g->numbers.uid = object_text_scan(j);
        else if (slice_is(key, "accelerator"))
            g->accelerator = object_text_scan(j);
        else
            jscan_skip(j);
    }
}

static void status_time_scan(struct jscan *j, struct object_numbers *n) {
    struct slice key;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "start"))
            jscan_time_ms(j, &n->start_ms);
        else if (slice_is(key, "end"))
            jscan_time_ms(j, &n->end_ms);
        else if (slice_is(key, "wallMilliseconds"))
            n->wall_ms = object_int_scan(j, RECORD_NONE);
        else if (slice_is(key, "availableMilliseconds"))
            n->available_ms = object_int_scan(j, RECORD_NONE);
        else if (slice_is(key, "productiveMilliseconds"))
            n->productive_ms = object_int_scan(j, RECORD_NONE);
        else
            jscan_skip(j);
    }
}

static const struct object_numbers no_numbers = {
    .start_ms = TIME_UNKNOWN,
    .end_ms = TIME_UNKNOWN,
    .wall_ms = RECORD_NONE,
    .available_ms = RECORD_NONE,
    .productive_ms = RECORD_NONE,
};

/* Who wrote it may have written anything. */
static bool are_consistent(const struct object_numbers *n) {
    return n->uid.size_bytes > 0 && n->available_ms >= 0 && n->available_ms <= n->wall_ms &&
           (n->productive_ms == RECORD_NONE || (n->productive_ms >= 0 && n->productive_ms <= n->available_ms));
}

static void status_previous_scan(struct jscan *j, struct object_jobgoodput *g) {
    struct slice key;
    g->previous_count = 0;
    if (!jscan_array(j))
        return;
    while (jscan_element(j)) {
        struct object_numbers n = no_numbers;
        if (!jscan_object(j))
            continue;
        while (jscan_key(j, &key)) {
            if (slice_is(key, "uid"))
                n.uid = object_text_scan(j);
            else if (slice_is(key, "time"))
                status_time_scan(j, &n);
            else
                jscan_skip(j);
        }
        if (g->previous_count < OBJECT_PREVIOUS && are_consistent(&n))
            g->previous[g->previous_count++] = n;
    }
}

static void status_cost_scan(struct jscan *j, struct object_jobgoodput *g) {
    struct slice key;
    int64_t price = PRICE_NONE;
    bool is_of_label = false;
    if (!jscan_object(j))
        return;
    while (jscan_key(j, &key)) {
        if (slice_is(key, "pricePerChipHour"))
            price = price_parse(object_text_scan(j));
        else if (slice_is(key, "source"))
            is_of_label = slice_is(object_text_scan(j), "NodeLabel");
        else
            jscan_skip(j);
    }
    g->label_price = is_of_label && price >= 0 ? price : PRICE_NONE;
}

static void status_scan(struct jscan *outer, struct object_jobgoodput *g) {
    struct object_conditions conditions = {0};
    struct jscan j;
    struct slice key;
    if (jscan_peek(outer) != JSCAN_OBJECT || !jscan_raw(outer, &g->status)) {
        jscan_skip(outer);
        return;
    }
    jscan_init(&j, g->status);
    if (!jscan_object(&j))
        return;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "target"))
            status_target_scan(&j, g);
        else if (slice_is(key, "phase"))
            g->phase = object_text_scan(&j);
        else if (slice_is(key, "checkpoint"))
            g->checkpoint = object_text_scan(&j);
        else if (slice_is(key, "time"))
            status_time_scan(&j, &g->numbers);
        else if (slice_is(key, "previous"))
            status_previous_scan(&j, g);
        else if (slice_is(key, "cost"))
            status_cost_scan(&j, g);
        else if (slice_is(key, "conditions"))
            object_conditions_scan(&j, &conditions);
        else
            jscan_skip(&j);
    }
    const struct object_condition *finished = object_condition_find(&conditions, "Finished");
    g->is_finished = finished && slice_is(finished->status, "True");
}

int object_jobgoodput_parse(struct slice json, struct object_jobgoodput *g) {
    struct jscan j;
    struct slice key;
    memset(g, 0, sizeof *g);
    object_meta_init(&g->meta);
    g->log_job_index = g->log_completion_index = -1;
    g->cost.price = g->label_price = PRICE_NONE;
    g->numbers = no_numbers;
    jscan_init_loose(&j, json);
    if (!jscan_object(&j))
        return -EINVAL;
    while (jscan_key(&j, &key)) {
        if (slice_is(key, "metadata"))
            object_meta_scan(&j, &g->meta);
        else if (slice_is(key, "spec"))
            spec_scan(&j, g);
        else if (slice_is(key, "status"))
            status_scan(&j, g);
        else
            jscan_skip(&j);
    }
    if (g->source.size_bytes == 0)
        g->source = SLICE("PodLog");
    if (g->format.size_bytes == 0)
        g->format = SLICE("Auto");
    int err = object_finish(&j, &g->meta);
    return err < 0 ? err : g->target_kind.size_bytes == 0 || g->target_name.size_bytes == 0 ? -EINVAL : 0;
}
