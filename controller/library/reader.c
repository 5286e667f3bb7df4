#include "library/reader.h"

#include "base/digits.h"
#include "base/jscan.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/rfc3339.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/* X(key of a time, kind): the order of the library's tests of one payload. */
#define KINDS(X)                                                                                                       \
    X(job_start_time, JOB_START)                                                                                       \
    X(job_end_time, JOB_END)                                                                                           \
    X(tpu_init_start_time, INIT_START)                                                                                 \
    X(tpu_init_end_time, INIT_END)                                                                                     \
    X(training_prep_start_time, PREP_START)                                                                            \
    X(training_prep_end_time, PREP_END)                                                                                \
    X(data_loading_start_time, DATA_START)                                                                             \
    X(data_loading_end_time, DATA_END)                                                                                 \
    X(custom_badput_event_start_time, CUSTOM_START)                                                                    \
    X(custom_badput_event_end_time, CUSTOM_END)                                                                        \
    X(elastic_wait_start_time, WAIT_START)                                                                             \
    X(elastic_wait_end_time, WAIT_END)                                                                                 \
    X(elastic_reinit_start_time, REINIT_START)                                                                         \
    X(elastic_reinit_end_time, REINIT_END)                                                                             \
    X(elastic_slice_counts_timestamp, SLICES)

static const struct {
    const char *key;
    enum library_kind kind;
} kinds[] = {
#define X(key, kind) {#key, LIBRARY_##kind},
    KINDS(X)
#undef X
};

/* What a checkpoint entry is asked for, in the library's order. */
static const struct {
    const char *key, *missing;
} durations[2][4] = {{{"checkpoint_manager_blocking_duration_secs", "'checkpoint_manager_blocking_duration_secs'"},
                      {"checkpointer_blocking_duration_secs", "'checkpointer_blocking_duration_secs'"},
                      {"wait_for_prev_duration_secs", "'wait_for_prev_duration_secs'"},
                      {"get_old_steps_duration_secs", "'get_old_steps_duration_secs'"}},
                     {{"checkpoint_manager_duration_secs", "'checkpoint_manager_duration_secs'"},
                      {"checkpointer_duration_secs", "'checkpointer_duration_secs'"},
                      {NULL, NULL},
                      {NULL, NULL}}};

enum found { FOUND_NOT, FOUND_NULL, FOUND_NUMBER, FOUND_ODD };

struct field {
    enum found found;
    struct library_number number;
};

struct payload {
    struct field times[ARRAY_SIZE(kinds)], step_start, step_count, durations[2][4], slices[3];
    enum library_stamp stamp;
    double stamp_s;
    bool has_type, has_directory, is_directory_text, is_persistent, has_event, is_odd_stamp;
    struct slice job, step; /* raw; data NULL: absent */
    bool has_wait, is_wait_null;
    char type[256], event[32], wait[256];
    int64_t logged_us;
};

/* The ordinary number: at most 19 digits, no exponent. */
static bool quick_double(struct slice raw, double *value) {
    const char *at = raw.data, *end = raw.data + raw.size_bytes;
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
    uint64_t whole, fraction = 0;
    int digits = digits_take(&at, end, &whole), decimals = 0;
    if (digits > 0 && at < end && *at == '.') {
        at++;
        decimals = digits_take(&at, end, &fraction);
    }
    if (digits == 0 || digits > 10 || decimals > 9 || at != end)
        return false;
    *value = number_of_mantissa(whole * tens[decimals] + fraction, -decimals);
    return true;
}

static bool number_of(struct slice raw, struct library_number *n) {
    double value;
    n->is_float = false;
    for (size_t i = 0; i < raw.size_bytes && !n->is_float; i++)
        n->is_float = strchr(".eENI", raw.data[i]) != NULL;
    if (!quick_double(raw, &value)) {
        struct slice rest = raw;
        if (!slice_take_double(&rest, &value))
            return false;
    }
    n->value = value;
    return true;
}

static bool parse_stamp(struct slice text, int64_t *ns) {
    return rfc3339_take(&text, ns, NULL) && text.size_bytes == 0;
}

static struct field take_field(struct jscan *j) {
    struct field f = {.found = FOUND_ODD};
    struct slice raw;
    enum jscan_type type = jscan_peek(j);
    if (type == JSCAN_NUMBER && jscan_number_raw(j, &raw) && number_of(raw, &f.number))
        f.found = FOUND_NUMBER;
    else if (type == JSCAN_NULL)
        f.found = FOUND_NULL;
    if (type != JSCAN_NUMBER)
        jscan_skip(j);
    return f;
}

static struct field *field_of(struct payload *p, struct slice key) {
    static const char *const slices[] = {"active_slices", "available_slices", "total_slices"};
    for (int i = 0; i < 3; i++)
        if (slice_is(key, slices[i]))
            return &p->slices[i];
    if (slice_is(key, "step_start_time"))
        return &p->step_start;
    if (slice_is(key, "step_count"))
        return &p->step_count;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (slice_is(key, kinds[i].key))
            return &p->times[i];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4 && durations[k][i].key; i++)
            if (slice_is(key, durations[k][i].key))
                return &p->durations[k][i];
    return NULL;
}

static void note_stamp(struct payload *p, const struct field *f) {
    if (p->stamp != LIBRARY_STAMP_NONE)
        return;
    p->stamp = f->found == FOUND_NUMBER ? LIBRARY_STAMP_NUMBER : LIBRARY_STAMP_NULL;
    p->stamp_s = f->number.value;
    p->is_odd_stamp = f->found == FOUND_ODD;
}

static void take_member(struct payload *p, struct jscan *j, struct slice key) {
    struct field *known = field_of(p, key);
    bool is_time = slice_contains(key, "time");
    if (known != NULL || is_time) {
        struct field f = take_field(j);
        if (known)
            *known = f;
        if (is_time)
            note_stamp(p, &f);
    } else if (slice_is(key, "job_name")) {
        jscan_string_raw(j, &p->job);
    } else if (slice_is(key, "custom_badput_event_type")) {
        p->has_type = jscan_string(j, p->type, sizeof p->type);
    } else if (slice_is(key, "elastic_wait_event_type")) {
        p->is_wait_null = jscan_peek(j) == JSCAN_NULL;
        p->has_wait = jscan_string(j, p->wait, sizeof p->wait);
    } else if (slice_is(key, "event_type")) {
        p->has_event = jscan_string(j, p->event, sizeof p->event);
    } else if (slice_is(key, "directory")) {
        struct slice directory;
        p->has_directory = true;
        p->is_directory_text = jscan_string_raw(j, &directory);
        p->is_persistent = p->is_directory_text && slice_starts(directory, "gs://");
    } else if (slice_is(key, "step")) {
        jscan_raw(j, &p->step);
    } else {
        jscan_skip(j);
    }
}

static bool take_payload(struct payload *p, struct jscan *j) {
    struct slice key;
    *p = (struct payload){.logged_us = INT64_MIN};
    if (!jscan_object(j))
        return false;
    while (jscan_key(j, &key))
        take_member(p, j, key);
    return jscan_error(j, NULL) == NULL;
}

/* A Cloud Logging entry holds the payload; its own timestamp is when it was logged. */
static int take_entry(struct payload *p, struct slice line, struct error **err) {
    struct jscan j;
    struct slice key, inner = {NULL, 0};
    int64_t logged_us = INT64_MIN;
    if (slice_contains(line, "\"jsonPayload\"")) {
        jscan_init(&j, line);
        if (jscan_object(&j))
            while (jscan_key(&j, &key)) {
                struct slice text;
                int64_t ns;
                if (slice_is(key, "jsonPayload"))
                    jscan_raw(&j, &inner);
                else if (!slice_is(key, "timestamp"))
                    jscan_skip(&j);
                else if (jscan_string_raw(&j, &text) && parse_stamp(text, &ns))
                    logged_us = ns / 1000;
            }
        if (jscan_error(&j, NULL))
            return error_set(err, EINVAL, "not JSON: %s", jscan_error(&j, NULL));
    }
    jscan_init(&j, inner.data ? inner : line);
    if (!take_payload(p, &j))
        return error_set(err, EINVAL, "not JSON: %s", jscan_error(&j, NULL) ? jscan_error(&j, NULL) : "no object");
    p->logged_us = logged_us;
    return 0;
}

static uint32_t index_of(struct map *names, struct slice name) {
    uintptr_t known = (uintptr_t)map_get(names, name);
    if (known == 0) {
        known = names->count + 1;
        map_put(names, name, (void *)known);
    }
    return (uint32_t)(known - 1);
}

static void add_step(struct library_log *log, int64_t step, struct library_number at, int64_t logged_us) {
    size_t old = log->step_capacity;
    MEM_GROW(log->steps, log->step_count, log->step_capacity);
    if (logged_us != INT64_MIN && log->logged_us == NULL) {
        log->logged_us = mem_resize(NULL, log->step_capacity, sizeof *log->logged_us);
        for (size_t i = 0; i < log->step_count; i++)
            log->logged_us[i] = INT64_MIN;
    } else if (log->logged_us != NULL && old != log->step_capacity) {
        log->logged_us = mem_resize(log->logged_us, log->step_capacity, sizeof *log->logged_us);
    }
    if (log->logged_us != NULL)
        log->logged_us[log->step_count] = logged_us;
    log->steps[log->step_count++] = (struct library_step){at.value, step * 2 + at.is_float};
}

static void note_last(struct library_log *log, double seconds) {
    if (!log->has_last || seconds > log->last_s) {
        log->last_s = seconds;
        log->has_last = true;
    }
}

static struct library_event *add_event(struct library_log *log, const struct payload *p, enum library_kind kind,
                                       struct library_number at) {
    MEM_GROW(log->events, log->event_count, log->event_capacity);
    struct library_event *e = &log->events[log->event_count++];
    *e = (struct library_event){.kind = kind,
                                .stamp = p->stamp,
                                .before = log->step_count,
                                .at = at,
                                .stamp_s = p->stamp_s,
                                .logged_us = p->logged_us,
                                .type = LIBRARY_NO_TYPE};
    return e;
}

/* float() of what is there; the text of the exception otherwise. */
static const char *trouble_of(const struct field *f, const char *missing) {
    static const char *const null = "float() argument must be a string or a real number, not 'NoneType'";
    return f->found == FOUND_NOT ? missing : f->found == FOUND_NULL ? null : NULL;
}

static void add_checkpoint(struct library_log *log, const struct payload *p, int which) {
    struct library_event *e = add_event(log, p, which ? LIBRARY_RESTORE : LIBRARY_SAVE, p->durations[which][0].number);
    if (!p->has_directory)
        e->trouble = "'directory'";
    else if (!p->is_directory_text)
        e->trouble = "'NoneType' object has no attribute 'startswith'";
    else if (p->step.data == NULL)
        e->trouble = "'step'";
    for (int i = 0; i < 4 && durations[which][i].key && e->trouble == NULL; i++)
        e->trouble = trouble_of(&p->durations[which][i], durations[which][i].missing);
    CLEANUP_FREE char *group =
        mem_format("%c%c%.*s", which ? 'r' : 's', p->is_persistent ? 'p' : 'l', SLICE_ARG(p->step));
    e->type = index_of(&log->groups, slice_of(group));
}

static int add_step_of(struct library_log *log, const struct payload *p, struct error **err) {
    if (p->step_start.found != FOUND_NUMBER)
        return error_set(err, EINVAL, "step_start_time is not a number");
    if (p->step_count.found == FOUND_NOT) {
        add_event(log, p, LIBRARY_BROKEN_STEP, p->step_start.number);
        return 0;
    }
    double step = p->step_count.number.value;
    if (p->step_count.found != FOUND_NUMBER || !(fabs(step) < 4e18))
        return error_set(err, EINVAL, "step_count is not a number that can be one");
    add_step(log, (int64_t)step, p->step_start.number, p->logged_us);
    note_last(log, p->step_start.number.value);
    return 0;
}

/* str.upper() for ASCII and Latin-1 (a sharp s becomes SS); letters of other scripts stay as they are. */
static void upper_case(char *out, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text, next = (unsigned char)text[1];
        if (c != 0xc3 || next < 0x9f || next == 0xb7 || next == 0xbf) {
            *out++ = (char)(c < 0x80 ? toupper(c) : c);
            continue;
        }
        text++;
        *out++ = next == 0x9f ? 'S' : (char)c;
        *out++ = next == 0x9f ? 'S' : (char)(next - 0x20);
    }
    *out = '\0';
}

static uint32_t add_slices(struct library_log *log, const struct payload *p) {
    double counts[3] = {0, 0, 1};
    for (int i = 0; i < 3; i++)
        if (p->slices[i].found == FOUND_NUMBER)
            counts[i] = p->slices[i].number.value;
    MEM_GROW(log->slices, log->slice_count, log->slice_capacity);
    log->slices[log->slice_count] = (struct library_slices){counts[0], counts[1], counts[2]};
    return (uint32_t)log->slice_count++;
}

/* What an event is of: a custom type, a kind of wait, slice counts. */
static void name_event(struct library_log *log, const struct payload *p, struct library_event *e) {
    char upper[2 * sizeof p->type];
    switch (e->kind) {
    case LIBRARY_WAIT_START:
    case LIBRARY_WAIT_END: /* None is a key like any other, until lower() is called on it */
        e->type = index_of(&log->waits, slice_of(p->has_wait ? p->wait : p->is_wait_null ? "\x01" : "unknown"));
        break;
    case LIBRARY_SLICES:
        e->type = add_slices(log, p);
        break;
    default:
        if (p->has_type) {
            upper_case(upper, p->type);
            e->type = index_of(&log->types, slice_of(upper));
        }
    }
}

/* One compact entry for each thing that the library looks for in a payload (a recorder's has one). */
static int add_entry(struct library_log *log, struct payload *p, struct error **err) {
    bool is_added = false;
    if (p->is_odd_stamp)
        return error_set(err, EINVAL, "a time is not a number");
    for (int i = 0; i < 3; i++)
        if (p->slices[i].found == FOUND_ODD || p->slices[i].found == FOUND_NULL)
            return error_set(err, EINVAL, "a number of slices is not a number");
    if (p->step_start.found != FOUND_NOT) {
        is_added = true;
        int r = add_step_of(log, p, err);
        if (r < 0)
            return r;
    }
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (p->times[i].found == FOUND_NOT)
            continue;
        if (p->times[i].found != FOUND_NUMBER)
            return error_set(err, EINVAL, "%s is not a number", kinds[i].key);
        struct library_event *e = add_event(log, p, kinds[i].kind, p->times[i].number);
        note_last(log, p->times[i].number.value);
        name_event(log, p, e);
        is_added = true;
    }
    if (p->has_event && strcmp(p->event, "save") == 0) {
        add_checkpoint(log, p, 0);
    } else if (p->has_event && (strcmp(p->event, "restore") == 0 || strcmp(p->event, "emergency_restore") == 0)) {
        add_checkpoint(log, p, 1);
    } else if (!is_added) {
        add_event(log, p, LIBRARY_OTHER, (struct library_number){0, true});
    }
    if (p->stamp == LIBRARY_STAMP_NUMBER)
        note_last(log, p->stamp_s);
    if (p->logged_us != INT64_MIN)
        note_last(log, library_seconds(p->logged_us));
    return 0;
}

/* Keeps the bytes before the step's number, if the line has the shape that the recorder writes. */
static void learn_prefix(struct library_log *log, struct slice line) {
    const char *key = slice_find(line, STEP_LINE_KEY);
    if (key == NULL || memchr(line.data + 1, '{', line.size_bytes - 1) != NULL) /* an object within */
        return;
    size_t size = (size_t)(key - line.data) + sizeof STEP_LINE_KEY - 1;
    if (size > log->prefix_capacity) {
        log->prefix.data = mem_resize((char *)log->prefix.data, size, 1);
        log->prefix_capacity = size;
    }
    memcpy((char *)log->prefix.data, line.data, size);
    log->prefix.size_bytes = size;
}

/* A line that begins like the step line before it, at the cursor. */
static bool take_step_quickly(struct library_log *log, struct slice *bytes) {
    static const uint32_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    size_t prefix = log->prefix.size_bytes;
    struct step_line l;
    if (prefix == 0 || bytes->size_bytes <= prefix || memcmp(bytes->data, log->prefix.data, prefix) != 0)
        return false;
    size_t numbers = step_line_take(slice_skip(*bytes, prefix), &log->layout, &l), size = prefix + numbers;
    if (numbers == 0 || size == bytes->size_bytes || bytes->data[size] != '\n')
        return false;
    double at = number_of_mantissa(l.seconds * tens[l.decimals] + l.fraction, -l.decimals);
    *bytes = slice_skip(*bytes, size + 1);
    add_step(log, l.step, (struct library_number){at, l.decimals > 0}, INT64_MIN);
    note_last(log, at);
    return true;
}

static int read_line(struct library_log *log, struct slice line, struct error **err) {
    struct payload p;
    const char *brace = line.data;
    /* A transport's stamp may stand before the object. */
    if (*brace != '{') {
        struct slice stamp;
        int64_t ns;
        if (!slice_take_until(&line, ' ', &stamp) || !parse_stamp(stamp, &ns) || line.size_bytes == 0 ||
            *line.data != '{')
            return 0;
    }
    if (!slice_contains(line, "\"job_name\""))
        return 0;
    int r = take_entry(&p, line, err);
    if (r < 0)
        return r;
    if (p.job.data == NULL)
        return 0;
    if (log->job_name == NULL)
        log->job_name = slice_dup(p.job);
    if (!slice_is(p.job, log->job_name)) {
        log->other_job++;
        return 0;
    }
    r = add_entry(log, &p, err);
    if (r == 0 && p.step_count.found == FOUND_NUMBER)
        learn_prefix(log, line);
    return r;
}

void library_log_read(struct library_log *log, struct slice bytes) {
    struct slice line;
    for (;;) {
        CLEANUP_ERROR struct error *err = NULL;
        while (take_step_quickly(log, &bytes))
            log->lines++;
        if (!slice_take_line(&bytes, &line))
            return;
        log->lines++;
        line = slice_trim(line);
        if (line.size_bytes == 0 || read_line(log, line, &err) == 0)
            continue;
        if (log->refused++ == 0) {
            log->refused_line = log->lines;
            slice_copy(log->refused_why, sizeof log->refused_why, slice_of(error_text(err)));
        }
    }
}
