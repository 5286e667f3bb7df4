/* progress: one drawing of a tqdm progress bar. A bar redraws itself behind carriage returns on one line, which comes
 * (and is stamped) only when something else ends the line, or when the process dies. Not for use outside steplog/. */
#ifndef STEPLOG_PROGRESS_H
#define STEPLOG_PROGRESS_H

#include "base/slice.h"

struct steplog;

struct progress {
    const char *at;           /* its left end, a line from top to bottom */
    struct slice description; /* before the percentage, without its colon; often empty */
    int64_t done;
    int64_t total; /* -1: not known ("5/?") */
    int64_t elapsed_s;
};

/* " 28%|###    | 11/40 [00:07<00:21,  1.38it/s]", "Epoch 0:  90%|...", "Training: |   | 5/? [00:00<00:00, ...]"; what
 * is glued on behind is not looked at. False for anything else, also for scaled numbers ("1.2k/5.0k"). */
bool progress_parse(struct slice piece, struct progress *bar);

/* The same of the text that formats read now: parsed once for all of them. Borrowed; NULL: it is not a bar. */
const struct progress *progress_of(struct steplog *s, struct slice text);

#endif
