/* explain: which format gave a log's steps, and what a log was read for when none did. */
#ifndef STEPLOG_EXPLAIN_H
#define STEPLOG_EXPLAIN_H

#include "steplog/steplog.h"

#define STEPLOG_NAME_BYTES 64
/* What gave the steps, for people: "MaxText", "Generic(iter N)"; "" while nothing did. Borrowed until the next line. */
const char *steplog_recognized_name(const struct steplog *s);

#define STEPLOG_TRIED 16
#define STEPLOG_WHY_BYTES 160
#define STEPLOG_SAMPLES 2
#define STEPLOG_SAMPLE_BYTES 400

/* Why no step was read. */
struct steplog_explanation {
    int64_t lines, first_stamp_ms, last_stamp_ms; /* the span; TIME_UNKNOWN: no line had a time */
    struct {
        const char *format;          /* its name, as spec.stepLog.format has it */
        char why[STEPLOG_WHY_BYTES]; /* "no line has \"completed step: N, seconds: S\"" */
    } tried[STEPLOG_TRIED];
    int tried_count;
    /* Lines that look like those of steps, without stamp and escapes, cut to the size, in log order. Two of one kind
     * that show how the step number rises; one alone if the log has no second (step_samples_fill). */
    char samples[STEPLOG_SAMPLES][STEPLOG_SAMPLE_BYTES];
    int sample_count;
    bool shows_sum;    /* the lines' duration grows with each line: that of all steps so far */
    bool is_by_number; /* no word says that they are of steps, but the number at this place of theirs rises */
    int number_place;  /* (rising.h) */
};
void steplog_explain(const struct steplog *s, struct steplog_explanation *ret);

#endif
