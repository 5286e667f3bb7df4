/* Lines as they were stored in a file or a log service: with whatever a transport put around them, with times of their
 * own, or without any. */
#include "base/rfc3339.h"
#include "steplog/lineclock.h"
#include "steplog/payload.h"
#include "steplog/steplog.h"
#include "steplog/transport.h"

/* The recorder's entries have one time each, but for those of Orbax, whose first one is their start. */
static int64_t payload_ms(struct slice line) {
    static const enum payload_field times[] = {
        FIELD_step_start_time,
        FIELD_data_loading_start_time,
        FIELD_data_loading_end_time,
        FIELD_job_start_time,
        FIELD_job_end_time,
        FIELD_tpu_init_start_time,
        FIELD_tpu_init_end_time,
        FIELD_training_prep_start_time,
        FIELD_training_prep_end_time,
        FIELD_custom_badput_event_start_time,
        FIELD_custom_badput_event_end_time,
        FIELD_elastic_slice_counts_timestamp,
        FIELD_elastic_wait_start_time,
        FIELD_elastic_wait_end_time,
        FIELD_elastic_reinit_start_time,
        FIELD_elastic_reinit_end_time,
        FIELD_checkpoint_manager_blocking_start_time,
        FIELD_checkpointer_blocking_start_time,
        FIELD_checkpoint_manager_start_time,
        FIELD_checkpointer_start_time,
    };
    struct payload p;
    if (!slice_starts(line, "{") || !payload_parse(&p, line))
        return TIME_UNKNOWN;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (payload_has(&p, times[i]))
            return p.number[times[i]] / 1000000;
    return p.envelope_ms;
}

int64_t steplog_stored_ms(struct slice line, int64_t now_ms) {
    CLEANUP_BUF struct buf decoded;
    struct transport t;
    struct slice rest = line;
    int64_t ns;
    buf_init(&decoded, STEPLOG_MAX_LINE_BYTES + 8);
    if (line.size_bytes > STEPLOG_MAX_LINE_BYTES)
        line.size_bytes = STEPLOG_MAX_LINE_BYTES;
    if (transport_parse(&t, line, &decoded))
        return t.stamp_ms;
    if (rfc3339_take(&rest, &ns, NULL) && (slice_take_char(&rest, ' ') || slice_take_char(&rest, '\t')))
        return ns / 1000000 - (ns % 1000000 < 0);
    int64_t ms = payload_ms(line);
    return ms != TIME_UNKNOWN ? ms : lineclock_ms(line, now_ms);
}
