/* incidents: the interruptions of one owner in a window of time, as intervals, from the statuses of jobs. An interval
 * is as long as the lost time of its interruption and ends when training resumed; it starts when the execution ended at
 * the latest. Where the window cuts it, its chip time is cut in proportion. The parts add up to status.byOwner. Pure.
 */
#ifndef CLI_INCIDENTS_INCIDENTS_H
#define CLI_INCIDENTS_INCIDENTS_H

#include "rootcause/classes.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct incidents_query {
    const char *owner;
    int64_t from_ms, to_ms; /* INT64_MIN, INT64_MAX: without a limit */
};

struct incident {
    const json_t *job, *execution; /* borrowed from the list */
    int64_t from_ms, to_ms;        /* cut to the window */
    int64_t chip_seconds;          /* of this part; -1: chips are not known */
    double chips;                  /* mean of the allocated chips, over the whole interval; NAN */
    int64_t cost_cents;            /* of the chip time, at the job's price; -1: it has none */
    bool is_cut;
};

struct incidents_part {
    int64_t count, ms, chip_seconds;
};

enum { INCIDENTS_CURRENCIES = 8 };
struct incidents_cost {   /* of the items in one currency; amounts of different currencies are never added */
    const char *currency; /* borrowed from the list */
    int64_t cents;
};

struct incidents {
    struct incidents_query query;
    struct incident *items; /* by time */
    size_t count, capacity;
    struct incidents_part inside;                      /* the items */
    struct incidents_part classes[CLASS_COUNT];        /* the same by class; Unknown: no root cause is known */
    struct incidents_cost costs[INCIDENTS_CURRENCIES]; /* of the items; those of further currencies are left out */
    int cost_count;
    struct incidents_part outside; /* of listed interruptions, but outside the window; count: wholly outside */
    struct incidents_part older;   /* of interruptions that the statuses list no longer */
    struct incidents_part buckets; /* of buckets, outside interruptions; count: 0 */
    struct incidents_part total;   /* status.byOwner: all of these */
    size_t jobs, jobs_without;     /* jobs_without: those whose status names no owners */
};

/* list: an array of JobGoodputs, which must outlive *out. */
void incidents_find(const json_t *list, const struct incidents_query *query, struct incidents *out);
void incidents_done(struct incidents *incidents);

#endif
