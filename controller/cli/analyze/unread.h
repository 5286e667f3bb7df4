/* unread: what analyze prints of logs in which it reads no step, instead of a ledger: what was read, why each format
 * found nothing, lines that look like steps, and a pattern for them. */
#ifndef CLI_ANALYZE_UNREAD_H
#define CLI_ANALYZE_UNREAD_H

#include "base/buf.h"
#include "cli/analyze/options.h"
#include "steplog/step_samples.h"

#include <jansson.h>

struct analyze_unread { /* all-zero and TIME_UNKNOWN: no file was read */
    int64_t files, bytes, lines, first_stamp_ms, last_stamp_ms;
    int64_t steps;                        /* that the parsers found, ... */
    int64_t steps_with_time, steps_taken; /* and those up to --at */
    struct steplog_rivals rivals;         /* of format Auto */
    struct steplog_explanation explained; /* of the first file with a sample, else the first */
};

/* Adds a file that was read to its end, and the lines in it that look like steps. */
void analyze_unread_add(struct analyze_unread *u, const struct steplog *s, const struct step_samples *samples);
/* Why there is no ledger, as the rest of a sentence: "it is empty"; NULL: there is one. The caller frees it. */
char *analyze_unread_why(const struct analyze *a, const struct analyze_unread *u);

/* A pattern, and what comes of it. */
struct analyze_trial {
    char pattern[STEPLOG_MAX_PATTERN_BYTES + 1]; /* "": none */
    json_t *status;                              /* owned; NULL: no numbers, ... */
    char why[256];                               /* ... for this reason */
};

/* Writes {"error", "log", "suggestion"}. */
void analyze_unread_write(const struct analyze_unread *u, const char *error, const struct analyze_trial *trial,
                          struct buf *json);
void analyze_unread_draw(const struct analyze *a, const json_t *answer, struct buf *out);

#endif
