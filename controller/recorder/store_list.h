/* store_list: reads a store back: the entries that match, in the order of their times, by pages. Every page looks
 * through all of a job's files and keeps only the first places: memory does not grow with the log. */
#ifndef RECORDER_STORE_LIST_H
#define RECORDER_STORE_LIST_H

#include "recorder/filter.h"
#include "recorder/store.h"

struct store_place { /* of an entry, in the order of timestamp and insertId */
    int64_t at_ns;
    char insert_id[64];
};
struct store_query {
    const char *namespace_;
    struct slice job;
    const struct filter *filter;
    struct store_place after; /* at_ns INT64_MIN: from the begin */
    int64_t max_entries, max_bytes;
};
/* Writes them to out, with commas between; *last is that of the last one. 1: there are more. */
int store_list(struct store *store, const struct store_query *query, struct buf *out, struct store_place *last,
               struct error **err);

/* A stored line of an entry; false: it is none. */
bool store_read_line(struct slice line, struct filter_entry *entry);

#endif
