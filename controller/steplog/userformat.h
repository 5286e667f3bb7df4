/* userformat: a step-log format that a user defines (spec of a StepLogFormat, crds/): named PCRE2 patterns, what their
 * groups mean, and example lines with what they must give. Pure; the caller owns what is parsed. */
#ifndef STEPLOG_USERFORMAT_H
#define STEPLOG_USERFORMAT_H

#include "steplog/steplog.h"

#define USERFORMAT_PATTERNS 16
#define USERFORMAT_FIELDS 8
#define USERFORMAT_EXAMPLES 16
#define USERFORMAT_NAME_SIZE 64
#define USERFORMAT_LINE_BYTES 2048

enum userformat_meaning {
    USERFORMAT_STEP,
    USERFORMAT_NEXT_STEP,
    USERFORMAT_DURATION,
    USERFORMAT_TIME,
    USERFORMAT_THROUGHPUT,
    USERFORMAT_EVALUATION, /* how long an evaluation took that came between a step and its line; then a save */
    USERFORMAT_SAVE,
    USERFORMAT_NAME, /* of a phase */
};

struct userformat_field {
    char group[USERFORMAT_NAME_SIZE];
    enum userformat_meaning meaning;
    double scale; /* to ms, or to thousandths of TFLOP/s; 0: RFC 3339 */
};

struct userformat_example { /* RECORD_NONE: not asked for */
    char *line;
    int64_t step, duration_ms, time_ms, tflops_milli;
    char name[USERFORMAT_NAME_SIZE]; /* of its first phase; "": not asked for */
};

struct userformat_pattern {
    char name[USERFORMAT_NAME_SIZE];
    enum record_kind kind;
    char *pattern;
    struct userformat_field fields[USERFORMAT_FIELDS];
    struct userformat_example examples[USERFORMAT_EXAMPLES];
    int field_count, example_count;
};

struct userformat {
    struct userformat_pattern patterns[USERFORMAT_PATTERNS];
    int count;
};

/* The object `spec` of a StepLogFormat as JSON. NULL and *err, which says what is wrong where, also if it has too many
 * of something or no pattern of kind Step. Nothing is compiled yet. */
struct userformat *userformat_parse(struct slice spec, struct error **err);
void userformat_free(struct userformat *f);

#endif
