/* filter: Cloud Logging's query language as far as the goodput library and its client write it: comparisons of logName,
 * severity, insertId, jsonPayload.job_name and timestamp, joined by AND and OR, in parentheses
 * (https://cloud.google.com/logging/docs/view/logging-query-language). What is not known is an error, not ignored: a
 * reader must not get more than it asked for. */
#ifndef RECORDER_FILTER_H
#define RECORDER_FILTER_H

#include "base/error.h"
#include "base/slice.h"

#define FILTER_TERMS 64
#define FILTER_DEPTH 16
#define FILTER_BYTES 8192

enum filter_field { FILTER_LOG_NAME, FILTER_SEVERITY, FILTER_INSERT_ID, FILTER_JOB_NAME, FILTER_FIELDS, FILTER_TIME };

struct filter_term {
    enum { FILTER_COMPARE, FILTER_AND, FILTER_OR } kind;
    int left, right; /* of AND and OR */
    enum filter_field field;
    int orders; /* bits: 1 less, 2 equal, 4 greater */
    int64_t at_ns;
    struct slice value; /* in the filter's text */
};

struct filter {
    struct filter_term terms[FILTER_TERMS];
    int count, root; /* count 0: matches everything */
    char text[FILTER_BYTES];
};

struct filter_entry {
    int64_t at_ns;
    struct slice fields[FILTER_FIELDS];
    char job_name[512]; /* where that field is, if something in it was escaped */
};

/* -EINVAL with *err: what is not understood. */
int filter_parse(struct filter *f, struct slice text, struct error **err);
bool filter_matches(const struct filter *f, const struct filter_entry *e);
/* What job_name every entry that matches has; empty if the filter does not say. */
struct slice filter_job(const struct filter *f);

#endif
