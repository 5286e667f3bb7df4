/* MaxText's metrics file (metric_logger.py, write_metrics_locally(); tests/data/steplog/maxtext_metrics.tsv): one JSON
 * object per step, numbers as floats, without any time of day: {"learning/loss": 10.4, "perf/step_time_seconds": 0.4,
 * "perf/per_device_tflops_per_sec": 135.2, "step": 3.0, "run_name": "demo"}. An evaluation's object has no step time.
 */
#include "base/jscan.h"
#include "steplog/emit.h"
#include "steplog/text.h"

static enum line_result read_line(struct steplog *s, struct slice text) {
    if (!slice_starts(text, "{") || !slice_contains(text, "\"perf/step_time_seconds\""))
        return LINE_NOT_MINE;
    struct jscan j;
    struct slice key;
    struct record r = steplog_record(s, RECORD_STEP_END);
    jscan_init(&j, text);
    if (!jscan_object(&j))
        return LINE_NOT_MINE;
    while (jscan_key(&j, &key)) {
        /* A value that is not a number (NaN at times) leaves its field as it is. */
        if (slice_is(key, "step"))
            jscan_int(&j, &r.step);
        else if (slice_is(key, "perf/step_time_seconds"))
            jscan_scaled(&j, 3, &r.duration_ms);
        else if (slice_is(key, "perf/per_device_tflops_per_sec"))
            jscan_scaled(&j, 3, &r.tflops_milli);
        else
            jscan_skip(&j);
    }
    if (!jscan_at_end(&j) || r.step < 0 || r.step > STEPLOG_MAX_STEP)
        return LINE_MALFORMED;
    if (r.duration_ms < 0 || r.duration_ms > STEPLOG_MAX_DURATION_MS)
        r.duration_ms = RECORD_NONE;
    if (r.tflops_milli < 0)
        r.tflops_milli = RECORD_NONE;
    steplog_emit_step(s, r, RECORD_NONE, STEPLOG_MAXTEXT);
    return LINE_TAKEN;
}

static const char *const words[] = {"\"perf/step_time_seconds\"", NULL};

extern const struct format steplog_maxtext_metrics;
const struct format steplog_maxtext_metrics = {.id = STEPLOG_MAXTEXT, .words = words, .line = read_line};
