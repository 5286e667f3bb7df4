#include "steplog/userformat.h"

#include "base/jscan.h"
#include "base/mem.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    enum record_kind kind;
} kinds[] = {{"Step", RECORD_STEP_END},
             {"StepStart", RECORD_STEP_START},
             {"CheckpointStart", RECORD_SAVE_START},
             {"CheckpointSaved", RECORD_SAVE_DURABLE},
             {"CheckpointRestoreStart", RECORD_RESTORE_START},
             {"CheckpointRestored", RECORD_RESTORE_END},
             {"EvaluationStart", RECORD_EVALUATION_START},
             {"EvaluationEnd", RECORD_EVALUATION_END},
             {"DataStart", RECORD_DATA_START},
             {"DataEnd", RECORD_DATA_END},
             {"JobStart", RECORD_JOB_START},
             {"JobEnd", RECORD_JOB_END},
             {"Phase", RECORD_PHASE}};

/* What a group may hold: the first unit of a meaning is its default. */
static const struct {
    const char *meaning, *unit;
    enum userformat_meaning is;
    double scale;
} units[] = {{"Step", "", USERFORMAT_STEP, 1},
             {"NextStep", "", USERFORMAT_NEXT_STEP, 1},
             {"Duration", "s", USERFORMAT_DURATION, 1e3},
             {"Duration", "ms", USERFORMAT_DURATION, 1},
             {"Duration", "us", USERFORMAT_DURATION, 1e-3},
             {"Duration", "ns", USERFORMAT_DURATION, 1e-6},
             {"Duration", "min", USERFORMAT_DURATION, 6e4},
             {"Evaluation", "s", USERFORMAT_EVALUATION, 1e3},
             {"Evaluation", "ms", USERFORMAT_EVALUATION, 1},
             {"CheckpointSave", "s", USERFORMAT_SAVE, 1e3},
             {"CheckpointSave", "ms", USERFORMAT_SAVE, 1},
             {"Time", "RFC3339", USERFORMAT_TIME, 0},
             {"Time", "unixSeconds", USERFORMAT_TIME, 1e3},
             {"Time", "unixMilliseconds", USERFORMAT_TIME, 1},
             {"Throughput", "TFLOP/s", USERFORMAT_THROUGHPUT, 1e3},
             {"Throughput", "GFLOP/s", USERFORMAT_THROUGHPUT, 1},
             {"Name", "", USERFORMAT_NAME, 1}};

/* ---- reading ---- */

/* Decoded, on the heap; NULL if it is not text or longer than that. */
static char *text_scan(struct jscan *j, size_t max) {
    CLEANUP_FREE char *space = mem_alloc(max + 2);
    if (!jscan_string(j, space, max + 2) || strlen(space) > max)
        return NULL;
    return mem_strdup(space);
}

/* A number, or one in quotes, as YAML may have it. */
static bool number_scan(struct jscan *j, int digits, int64_t *value) {
    struct slice raw;
    if (jscan_peek(j) == JSCAN_NUMBER)
        return jscan_scaled(j, digits, value);
    return jscan_string_raw(j, &raw) && slice_take_scaled(&raw, digits, value) && raw.size_bytes == 0;
}

static int kind_scan(struct jscan *j, struct userformat_pattern *p, struct error **err) {
    char name[32] = "";
    jscan_string(j, name, sizeof name);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strcmp(name, kinds[i].name) == 0) {
            p->kind = kinds[i].kind;
            return 0;
        }
    return error_set(err, EINVAL, "pattern \"%s\": there is no kind \"%s\"", p->name, name);
}

static int field_scan(struct jscan *j, struct userformat_pattern *p, struct error **err) {
    struct slice key;
    char meaning[16] = "", unit[24] = "";
    if (p->field_count == USERFORMAT_FIELDS)
        return error_set(err, EINVAL, "pattern \"%s\" has more than %d fields", p->name, USERFORMAT_FIELDS);
    struct userformat_field *f = &p->fields[p->field_count++];
    if (!jscan_object(j))
        return error_set(err, EINVAL, "pattern \"%s\": field %d is not an object", p->name, p->field_count);
    while (jscan_key(j, &key)) {
        if (slice_is(key, "group"))
            jscan_string(j, f->group, sizeof f->group);
        else if (slice_is(key, "meaning"))
            jscan_string(j, meaning, sizeof meaning);
        else if (slice_is(key, "unit"))
            jscan_string(j, unit, sizeof unit);
        else
            jscan_skip(j);
    }
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (strcmp(meaning, units[i].meaning) == 0 && (unit[0] == '\0' || strcmp(unit, units[i].unit) == 0)) {
            f->meaning = units[i].is;
            f->scale = units[i].scale;
            return 0;
        }
    return error_set(err, EINVAL, "pattern \"%s\": group \"%s\" cannot be a \"%s\" in \"%s\"", p->name, f->group,
                     meaning, unit);
}

static void gives_scan(struct jscan *j, struct userformat_example *e, bool *is_read) {
    struct slice key;
    *is_read &= jscan_object(j);
    while (*is_read && jscan_key(j, &key)) {
        if (slice_is(key, "step"))
            *is_read &= number_scan(j, 0, &e->step);
        else if (slice_is(key, "milliseconds"))
            *is_read &= number_scan(j, 0, &e->duration_ms);
        else if (slice_is(key, "tflopsPerDevice"))
            *is_read &= number_scan(j, 3, &e->tflops_milli);
        else if (slice_is(key, "time"))
            *is_read &= jscan_time_ms(j, &e->time_ms);
        else if (slice_is(key, "name"))
            *is_read &= jscan_string(j, e->name, sizeof e->name);
        else
            jscan_skip(j);
    }
}

static int example_scan(struct jscan *j, struct userformat_pattern *p, struct error **err) {
    struct slice key;
    bool is_read = true;
    if (p->example_count == USERFORMAT_EXAMPLES)
        return error_set(err, EINVAL, "pattern \"%s\" has more than %d examples", p->name, USERFORMAT_EXAMPLES);
    struct userformat_example *e = &p->examples[p->example_count++];
    *e = (struct userformat_example){NULL, RECORD_NONE, RECORD_NONE, RECORD_NONE, RECORD_NONE, ""};
    is_read = jscan_object(j);
    while (is_read && jscan_key(j, &key)) {
        if (slice_is(key, "line") && e->line == NULL)
            e->line = text_scan(j, USERFORMAT_LINE_BYTES);
        else if (slice_is(key, "gives"))
            gives_scan(j, e, &is_read);
        else
            jscan_skip(j);
    }
    if (!is_read || e->line == NULL)
        return error_set(err, EINVAL,
                         "pattern \"%s\", example %d needs a line of at most %d bytes, and gives numbers (step, "
                         "milliseconds, tflopsPerDevice) and an RFC 3339 time",
                         p->name, p->example_count, USERFORMAT_LINE_BYTES);
    return 0;
}

typedef int element_scan(struct jscan *, struct userformat_pattern *, struct error **);

static int list_scan(struct jscan *j, struct userformat_pattern *p, element_scan *scan, struct error **err) {
    int r = 0;
    if (!jscan_array(j))
        return error_set(err, EINVAL, "pattern \"%s\": fields and examples are lists", p->name);
    while (r == 0 && jscan_element(j))
        r = scan(j, p, err);
    return r;
}

static int pattern_scan(struct jscan *j, struct userformat *f, struct error **err) {
    struct slice key;
    int r = 0;
    if (f->count == USERFORMAT_PATTERNS)
        return error_set(err, EINVAL, "more than %d patterns", USERFORMAT_PATTERNS);
    struct userformat_pattern *p = &f->patterns[f->count++];
    p->kind = RECORD_KIND_COUNT;
    snprintf(p->name, sizeof p->name, "%d", f->count);
    if (!jscan_object(j))
        return error_set(err, EINVAL, "pattern %s is not an object", p->name);
    while (r == 0 && jscan_key(j, &key)) {
        if (slice_is(key, "name"))
            jscan_string(j, p->name, sizeof p->name);
        else if (slice_is(key, "kind"))
            r = kind_scan(j, p, err);
        else if (slice_is(key, "pattern") && p->pattern == NULL)
            p->pattern = text_scan(j, STEPLOG_MAX_PATTERN_BYTES);
        else if (slice_is(key, "fields"))
            r = list_scan(j, p, field_scan, err);
        else if (slice_is(key, "examples"))
            r = list_scan(j, p, example_scan, err);
        else
            jscan_skip(j);
    }
    if (r == 0 && (p->pattern == NULL || p->kind == RECORD_KIND_COUNT))
        r = error_set(err, EINVAL, "pattern \"%s\" needs a kind and a pattern of 1 to %d bytes", p->name,
                      STEPLOG_MAX_PATTERN_BYTES);
    return r;
}

struct userformat *userformat_parse(struct slice spec, struct error **err) {
    struct userformat *f = mem_new(struct userformat);
    struct jscan j;
    struct slice key;
    int r = 0;
    bool has_step = false;
    jscan_init(&j, spec);
    if (!jscan_object(&j))
        r = error_set(err, EINVAL, "there is no spec");
    while (r == 0 && jscan_key(&j, &key)) {
        if (!slice_is(key, "patterns") || !jscan_array(&j)) {
            jscan_skip(&j);
            continue;
        }
        while (r == 0 && jscan_element(&j))
            r = pattern_scan(&j, f, err);
    }
    for (int i = 0; i < f->count; i++)
        has_step |= f->patterns[i].kind == RECORD_STEP_END || f->patterns[i].kind == RECORD_STEP_START;
    if (r == 0 && jscan_error(&j, NULL) != NULL)
        r = error_set(err, EINVAL, "the spec is not JSON: %s", jscan_error(&j, NULL));
    if (r == 0 && !has_step)
        r = error_set(err, EINVAL, "no pattern is of kind Step or StepStart");
    if (r == 0)
        return f;
    userformat_free(f);
    return NULL;
}

void userformat_free(struct userformat *f) {
    for (int i = 0; f != NULL && i < f->count; i++) {
        free(f->patterns[i].pattern);
        for (int k = 0; k < f->patterns[i].example_count; k++)
            free(f->patterns[i].examples[k].line);
    }
    free(f);
}
