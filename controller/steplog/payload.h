/* payload: the fields of one JSON object that the goodput recorder or Orbax's logger wrote (facts of
 * ml-goodput-measurement 0.2.3 and orbax-checkpoint 0.12.8), taken out of the text but not yet understood. Not for use
 * outside steplog/. */
#ifndef STEPLOG_PAYLOAD_H
#define STEPLOG_PAYLOAD_H

#include "base/buf.h"
#include "base/jscan.h"

/* X(key, type); SECONDS are kept as nanoseconds: start + duration must not be rounded twice. */
#define PAYLOAD_FIELDS(X)                                                                                              \
    X(step_count, INTEGER)                                                                                             \
    X(step_start_time, SECONDS)                                                                                        \
    X(data_loading_start_time, SECONDS)                                                                                \
    X(data_loading_end_time, SECONDS)                                                                                  \
    X(job_name, TEXT)                                                                                                  \
    X(job_start_time, SECONDS)                                                                                         \
    X(job_end_time, SECONDS)                                                                                           \
    X(tpu_init_start_time, SECONDS)                                                                                    \
    X(tpu_init_end_time, SECONDS)                                                                                      \
    X(training_prep_start_time, SECONDS)                                                                               \
    X(training_prep_end_time, SECONDS)                                                                                 \
    X(custom_badput_event_type, TEXT)                                                                                  \
    X(custom_badput_event_start_time, SECONDS)                                                                         \
    X(custom_badput_event_end_time, SECONDS)                                                                           \
    X(active_slices, INTEGER)                                                                                          \
    X(total_slices, INTEGER)                                                                                           \
    X(available_slices, INTEGER)                                                                                       \
    X(elastic_slice_counts_timestamp, SECONDS)                                                                         \
    X(elastic_wait_event_type, TEXT)                                                                                   \
    X(elastic_wait_start_time, SECONDS)                                                                                \
    X(elastic_wait_end_time, SECONDS)                                                                                  \
    X(elastic_reinit_start_time, SECONDS)                                                                              \
    X(elastic_reinit_end_time, SECONDS)                                                                                \
    X(step, INTEGER)                                                                                                   \
    X(event_type, TEXT)                                                                                                \
    X(synchronous, BOOLEAN)                                                                                            \
    X(reached_preemption, BOOLEAN)                                                                                     \
    X(checkpointer_blocking_start_time, SECONDS)                                                                       \
    X(checkpointer_blocking_duration_secs, SECONDS)                                                                    \
    X(checkpoint_manager_blocking_start_time, SECONDS)                                                                 \
    X(checkpoint_manager_blocking_duration_secs, SECONDS)                                                              \
    X(checkpointer_start_time, SECONDS)                                                                                \
    X(checkpointer_duration_secs, SECONDS)                                                                             \
    X(checkpoint_manager_start_time, SECONDS)                                                                          \
    X(checkpoint_manager_duration_secs, SECONDS)

enum payload_field {
#define X(key, type) FIELD_##key,
    PAYLOAD_FIELDS(X)
#undef X
        FIELD_COUNT
};

struct payload {
    uint64_t present;   /* a bit per field; the others' values are not set */
    bool is_unreadable; /* a field was there with a value that cannot be one of it */
    int64_t number[FIELD_COUNT];
    struct slice text[FIELD_COUNT]; /* raw JSON text, borrowed */
    struct slice message;           /* text of a structured log line, raw; empty if there is none */
    int64_t envelope_ms;            /* Cloud Logging's timestamp; TIME_UNKNOWN */
};

static inline bool payload_has(const struct payload *p, enum payload_field f) {
    return (p->present >> f & 1) != 0;
}

/* Reads the object at the front of text, also inside {"jsonPayload": {...}}; what follows it is not looked at. False if
 * it is not a JSON object from end to end. */
bool payload_parse(struct payload *p, struct slice text);

/* Writes the Python dictionary at the front of text (as repr() shows it) as JSON; false if it does not end within text
 * or does not fit. */
bool payload_json_of_python(struct buf *json, struct slice text);

/* When the entry that is this line was written; TIME_UNKNOWN: it is not one. The recorder's have one time each, but for
 * those of Orbax, whose first one is their start. */
int64_t payload_ms(struct slice line);

#endif
