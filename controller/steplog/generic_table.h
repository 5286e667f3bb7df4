/* generic_table: a table whose head names the columns once, above rows that hold only values (spaCy, Chainer,
 * nerfstudio, WeSpeaker). Not for use outside steplog/. */
#ifndef STEPLOG_GENERIC_TABLE_H
#define STEPLOG_GENERIC_TABLE_H

#include "base/codec.h"
#include "base/slice.h"

#include <stdbool.h>

#define GENERIC_TABLE_BYTES 256

struct generic_table {
    char *head; /* the line as it stood; NULL: none came */
};

void generic_table_done(struct generic_table *t);

void generic_table_visit(struct generic_table *t, struct codec *c);

/* The line names a counter and a figure of training, each above a column: it is the head of the rows that follow. */
bool generic_table_head(struct generic_table *t, struct slice text);

/* False: not a row of that table. ret: what a line "epoch: 1, batch: 100, loss: 9.1" would say, in buf. */
bool generic_table_row(const struct generic_table *t, struct slice text, char buf[static 2 * GENERIC_TABLE_BYTES],
                       struct slice *ret);

#endif
