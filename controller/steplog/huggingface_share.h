/* huggingface_share: the lines of a process that show the share of an epoch that is done and no step, numbered by it.
 * Lines come after equal numbers of steps, which are equal shares of an epoch: no line says how many steps that is, so
 * that such an interval is the unit that is counted. Not for use outside steplog/. */
#ifndef STEPLOG_HUGGINGFACE_SHARE_H
#define STEPLOG_HUGGINGFACE_SHARE_H

#include "base/codec.h"
#include "base/slice.h"

/* Shares are in billionths of an epoch. */
struct huggingface_share {               /* all zero: nothing is known */
    int64_t each;                        /* what an interval is; 0: not known */
    int64_t quantum;                     /* to which lines round */
    int64_t learned;                     /* from a run of this number of intervals */
    int64_t first, first_number, number; /* of the process's first line, and of its last; 0: none yet */
};

/* The epoch of a line's dictionary: "'epoch': 0.02", version 5 quotes it. RECORD_NONE: it has none. quantum grows finer
 * as lines show it. */
int64_t huggingface_share_parse(struct slice dict, int64_t *quantum);
/* Whether the shares are equal intervals, but for their rounding: then what each is is known. */
bool huggingface_share_fit(struct huggingface_share *s, const int64_t *shares, int count);
/* The number of the interval that ends with the process's next line. */
int64_t huggingface_share_number(struct huggingface_share *s, int64_t share);

void huggingface_share_visit(struct huggingface_share *s, struct codec *c);

#endif
