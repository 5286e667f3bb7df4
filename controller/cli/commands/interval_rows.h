/* interval_rows: scores and sums of time that are known exactly or between two bounds, as tables and as JSON. */
#ifndef CLI_COMMANDS_INTERVAL_ROWS_H
#define CLI_COMMANDS_INTERVAL_ROWS_H

#include "base/buf.h"
#include "formulas/interval.h"

#include <jansson.h>
#include <stdbool.h>

struct interval_row { /* texts borrowed */
    const char *name; /* of a bucket, or a cause; "": no interruption caused the loss */
    const char *of;   /* the bucket's family, or the owner */
    struct interval_range ms;
};

struct interval_rows {
    struct interval_row *items;
    size_t count, capacity;
};

void interval_rows_add(struct interval_rows *rows, const char *name, const char *of, struct interval_range ms);
/* The largest first, without those that are 0. */
void interval_rows_sort(struct interval_rows *rows);
void interval_rows_draw(const struct interval_rows *rows, const char *title, const char *of, int64_t wall_ms,
                        struct buf *out);
json_t *interval_rows_json(const struct interval_rows *rows, const char *name, const char *of);

struct interval_scores {
    int64_t wall_ms;
    struct interval_range available, productive; /* ms */
    bool has_steps;                              /* productive time is known */
};
void interval_scores_draw(const struct interval_scores *s, struct buf *out);
/* "2 to 3 interruptions", on a line that the caller ends. */
void interval_interruptions_draw(struct interval_range count, struct buf *out);
json_t *interval_scores_json(const struct interval_scores *s); /* parts per million */

#define INTERVAL_TEXT_SIZE 96
const char *interval_duration(char out[INTERVAL_TEXT_SIZE], struct interval_range ms);
json_t *interval_range_json(struct interval_range x);

#endif
