/* The goodput recorder's structured entries, one JSON object per line, raw or in a Cloud Logging entry, and Orbax's
 * checkpoint statistics in either spelling: JSON (logged next to the recorder's entries) and a Python dictionary on
 * stderr (MaxText 0.2.5 sends none elsewhere). A recorder's time is the payload's, not the entry's: the entry comes
 * later (ml-goodput-measurement 0.2.3; tests/data/steplog/recorder.tsv). */
#include "steplog/emit.h"
#include "steplog/payload.h"
#include "steplog/recorder_step.h"
#include "steplog/text.h"

#include <string.h>

static int64_t ms_of_ns(int64_t ns) {
    return (ns + 500000) / 1000000;
}

static void emit_at(struct steplog *s, const struct payload *p, struct record *r, int64_t at_ns) {
    r->at_ms = ms_of_ns(at_ns) + s->clock_offset_ms;
    if (r->received_ms == RECORD_NONE && p->envelope_ms != TIME_UNKNOWN)
        r->received_ms = p->envelope_ms;
    steplog_emit(s, r, STEPLOG_RECORDER);
}

static void emit_field(struct steplog *s, const struct payload *p, enum payload_field f, enum record_kind kind) {
    if (!payload_has(p, f))
        return;
    struct record r = steplog_record(s, kind);
    emit_at(s, p, &r, p->number[f]);
}

static void emit_step(struct steplog *s, const struct payload *p) {
    int64_t step = payload_has(p, FIELD_step_count) ? p->number[FIELD_step_count] : -1;
    if (!payload_has(p, FIELD_step_start_time) || step < 0 || step > STEPLOG_MAX_STEP)
        return;
    struct record r = steplog_record(s, RECORD_STEP_START);
    r.step = step;
    emit_at(s, p, &r, p->number[FIELD_step_start_time]);
}

static void emit_named(struct steplog *s, const struct payload *p, enum payload_field name, enum payload_field f,
                       enum record_kind kind) {
    if (!payload_has(p, f))
        return;
    struct record r = steplog_record(s, kind);
    slice_copy(r.name, sizeof r.name, payload_has(p, name) ? p->text[name] : SLICE("UNKNOWN"));
    for (char *c = r.name; *c != '\0'; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    emit_at(s, p, &r, p->number[f]);
}

static int64_t count_of(const struct payload *p, enum payload_field f) {
    return payload_has(p, f) ? p->number[f] : RECORD_NONE;
}

static void emit_slice_counts(struct steplog *s, const struct payload *p) {
    if (!payload_has(p, FIELD_elastic_slice_counts_timestamp))
        return;
    struct record r = steplog_record(s, RECORD_ELASTIC_SLICES);
    r.active = count_of(p, FIELD_active_slices);
    r.total = count_of(p, FIELD_total_slices);
    r.available = count_of(p, FIELD_available_slices);
    emit_at(s, p, &r, p->number[FIELD_elastic_slice_counts_timestamp]);
}

static const uint64_t step_bits =
    UINT64_C(1) << FIELD_job_name | UINT64_C(1) << FIELD_step_count | UINT64_C(1) << FIELD_step_start_time;

static void emit_entry(struct steplog *s, const struct payload *p) {
    static const struct {
        enum payload_field field;
        enum record_kind kind;
    } plain[] = {
        {FIELD_data_loading_start_time, RECORD_DATA_START},
        {FIELD_data_loading_end_time, RECORD_DATA_END},
        {FIELD_job_start_time, RECORD_JOB_START},
        {FIELD_job_end_time, RECORD_JOB_END},
        {FIELD_tpu_init_start_time, RECORD_INIT_START},
        {FIELD_tpu_init_end_time, RECORD_INIT_END},
        {FIELD_training_prep_start_time, RECORD_PREPARATION_START},
        {FIELD_training_prep_end_time, RECORD_PREPARATION_END},
        {FIELD_elastic_reinit_start_time, RECORD_ELASTIC_REINIT_START},
        {FIELD_elastic_reinit_end_time, RECORD_ELASTIC_REINIT_END},
    };
    emit_step(s, p);
    if ((p->present & ~step_bits) == 0)
        return; /* almost every line of a long job */
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        emit_field(s, p, plain[i].field, plain[i].kind);
    emit_named(s, p, FIELD_custom_badput_event_type, FIELD_custom_badput_event_start_time, RECORD_CUSTOM_START);
    emit_named(s, p, FIELD_custom_badput_event_type, FIELD_custom_badput_event_end_time, RECORD_CUSTOM_END);
    emit_named(s, p, FIELD_elastic_wait_event_type, FIELD_elastic_wait_start_time, RECORD_ELASTIC_WAIT_START);
    emit_named(s, p, FIELD_elastic_wait_event_type, FIELD_elastic_wait_end_time, RECORD_ELASTIC_WAIT_END);
    emit_slice_counts(s, p);
}

/* An operation with start and duration; the first pair that is there. The checkpoint manager's span contains the
 * checkpointer's (waiting for the previous save, listing old steps), so it is the better knowledge. */
static bool span_of(const struct payload *p, const enum payload_field (*pairs)[2], int64_t *end_ns,
                    int64_t *duration_ns) {
    for (int i = 0; i < 2; i++) {
        enum payload_field start = pairs[i][0], duration = pairs[i][1];
        if (!payload_has(p, start) || !payload_has(p, duration) ||
            p->number[duration] > STEPLOG_MAX_DURATION_MS * 1000000)
            continue;
        *duration_ns = p->number[duration];
        return !__builtin_add_overflow(p->number[start], *duration_ns, end_ns);
    }
    return false;
}

/* An asynchronous save's statistics are logged before the commit: they prove nothing durable. A synchronous save's come
 * after its finalization (checkpoint_manager.py, save()). */
static enum line_result emit_statistics(struct steplog *s, const struct payload *p) {
    static const enum payload_field save[2][2] = {
        {FIELD_checkpoint_manager_blocking_start_time, FIELD_checkpoint_manager_blocking_duration_secs},
        {FIELD_checkpointer_blocking_start_time, FIELD_checkpointer_blocking_duration_secs}};
    static const enum payload_field restore[2][2] = {
        {FIELD_checkpoint_manager_start_time, FIELD_checkpoint_manager_duration_secs},
        {FIELD_checkpointer_start_time, FIELD_checkpointer_duration_secs}};
    struct slice type = p->text[FIELD_event_type];
    bool is_save = slice_is(type, "save");
    if (!is_save && !slice_is(type, "restore") && !slice_is(type, "emergency_restore"))
        return LINE_NOT_MINE;
    struct record r = steplog_record(s, is_save ? RECORD_SAVE_BLOCKED : RECORD_RESTORE_END);
    int64_t end_ns, duration_ns, step = payload_has(p, FIELD_step) ? p->number[FIELD_step] : -1;
    if (step >= 0 && step <= STEPLOG_MAX_STEP)
        r.step = step;
    if (!span_of(p, is_save ? save : restore, &end_ns, &duration_ns))
        return LINE_MALFORMED;
    r.duration_ms = ms_of_ns(duration_ns);
    bool is_synchronous = payload_has(p, FIELD_synchronous) && p->number[FIELD_synchronous] != 0;
    r.is_async = is_save && !is_synchronous;
    if (is_save && s->unproved_step != r.step) {
        struct record before = r;
        before.at_ms = ms_of_ns(end_ns) + s->clock_offset_ms;
        steplog_prove_save(s, before, STEPLOG_RECORDER);
    }
    emit_at(s, p, &r, end_ns);
    if (is_save) {
        s->saving_step = r.step;
        s->unproved_step = is_synchronous ? RECORD_NONE : r.step;
    }
    if (is_save && is_synchronous) {
        r.kind = RECORD_SAVE_DURABLE;
        r.duration_ms = RECORD_NONE;
        emit_at(s, p, &r, end_ns);
    }
    return LINE_TAKEN;
}

/* The name is compared as it was written by json.dumps: a name with characters that JSON escapes is decoded first. */
static bool is_other_job(const struct steplog *s, const struct payload *p) {
    if (s->job_name == NULL || !payload_has(p, FIELD_job_name))
        return false;
    struct slice raw = p->text[FIELD_job_name];
    if (slice_find_char(raw, '\\') == NULL)
        return !slice_is(raw, s->job_name);
    char name[512];
    return !jscan_unescape(raw, name, sizeof name) || strcmp(name, s->job_name) != 0;
}

static enum line_result emit_payload(struct steplog *s, const struct payload *p) {
    int64_t before = s->counts.records;
    if (is_other_job(s, p)) {
        s->counts.other_job++;
        return LINE_TAKEN;
    }
    if (payload_has(p, FIELD_event_type)) {
        enum line_result result = emit_statistics(s, p);
        if (result != LINE_NOT_MINE)
            return result;
    }
    if (s->format == STEPLOG_AUTO || s->format == STEPLOG_RECORDER)
        emit_entry(s, p);
    if (s->counts.records != before)
        return LINE_TAKEN;
    return payload_has(p, FIELD_job_name) && p->is_unreadable ? LINE_MALFORMED : LINE_NOT_MINE;
}

/* A trainer's text inside a structured log line: {"severity": "INFO", "message": "completed step: ..."}. */
static enum line_result read_message(struct steplog *s, struct slice raw) {
    struct buf *text = &s->scratch;
    buf_clear(text);
    /* Decoding never makes it longer. */
    if (buf_append_slice(text, raw) < 0 || !jscan_unescape(raw, text->data, raw.size_bytes + 1))
        return LINE_NOT_MINE;
    text->size_bytes = strlen(text->data);
    return LINE_TEXT;
}

/* The first "{" that a quote follows: there may be a logger's prefix before it. */
static bool find_object(struct slice text, struct slice *object, char *quote) {
    const char *end = text.data + text.size_bytes, *brace = slice_find_char(text, '{');
    if (brace == NULL)
        return false;
    const char *next = brace + 1;
    while (next < end && *next == ' ')
        next++;
    if (next == end || (*next != '"' && *next != '\''))
        return false;
    *object = slice_range(brace, end);
    *quote = *next;
    return true;
}

static enum line_result read_line(struct steplog *s, struct slice text) {
    struct slice object;
    char quote;
    struct payload p;
    if (!find_object(text, &object, &quote))
        return LINE_NOT_MINE;
    if (quote == '\'') {
        if (!slice_contains(object, "'event_type'"))
            return LINE_NOT_MINE;
        if (!payload_json_of_python(&s->scratch, object) || !payload_parse(&p, buf_slice(&s->scratch)))
            return LINE_MALFORMED;
        return payload_has(&p, FIELD_event_type) ? emit_payload(s, &p) : LINE_NOT_MINE;
    }
    int64_t steps = s->counts.steps;
    if (!payload_parse(&p, object))
        return slice_contains(object, "\"job_name\"") ? LINE_MALFORMED : LINE_NOT_MINE;
    enum line_result result = emit_payload(s, &p);
    if (s->counts.steps > steps && p.present == step_bits && object.data == text.data)
        recorder_learn_step(s, text, p.number[FIELD_step_count], p.number[FIELD_step_start_time]);
    if (result != LINE_NOT_MINE || p.message.size_bytes == 0)
        return result;
    if (s->stamp_ms == TIME_UNKNOWN && p.envelope_ms != TIME_UNKNOWN)
        s->stamp_ms = s->counts.last_stamp_ms = p.envelope_ms;
    return read_message(s, p.message);
}

static const char *const words[] = {"{", NULL};

extern const struct format steplog_recorder;
const struct format steplog_recorder = {.id = STEPLOG_RECORDER,
                                        .looks_for = "{\"job_name\": ..., \"step_count\": N, \"step_start_time\": T}",
                                        .is_always_read = true,
                                        .words = words,
                                        .line = read_line};
