/* step_samples: lines that look like those of steps, of a log in which no format reads one, and a pattern for them. For
 * what a person is shown; nothing is counted by it. Pure. */
#ifndef STEPLOG_STEP_SAMPLES_H
#define STEPLOG_STEP_SAMPLES_H

#include "base/slice.h"
#include "steplog/explain.h"
#include "steplog/rising.h"

#define STEP_SAMPLES_KINDS 4

struct step_samples { /* all zero is empty */
    struct {
        uint64_t shape; /* of the text up to the number, so that lines of one kind are compared */
        int64_t number; /* of the last line */
        int64_t lines;  /* whose number rose */
        int64_t us;     /* the duration of the last line; -1 */
        int64_t longer; /* lines whose duration was longer than that of the line before */
        char text[STEPLOG_SAMPLES][STEPLOG_SAMPLE_BYTES];
        int text_count;
    } kinds[STEP_SAMPLES_KINDS];
    int count;
    int64_t tries, lines; /* lines that were parsed, of all */
    struct rising rising; /* where no line names a step */
};

/* A line as it came, with or without a transport's stamp. */
void step_samples_line(struct step_samples *s, struct slice line);
/* Those of the kind with the most lines, else those with a number that rises; e keeps its own if it has any. */
void step_samples_fill(const struct step_samples *s, struct steplog_explanation *e);
/* A PCRE2 pattern for such lines, ready as --regex and spec.stepLog.regex.step: with the named group step, and seconds
 * or milliseconds where a duration is there that does not add up all steps. False if the samples show no step number.
 */
bool step_samples_suggest(const struct steplog_explanation *e, char pattern[static STEPLOG_MAX_PATTERN_BYTES + 1]);

#endif
