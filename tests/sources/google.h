/* google: the metadata server, a token endpoint and Cloud Logging's entries:list on the test's own loop, as far as
 * readers use them: a filter of timestamps and a job's name, order, pages; and faults. */
#ifndef TESTS_SOURCES_GOOGLE_H
#define TESTS_SOURCES_GOOGLE_H

#include "base/buf.h"
#include "io/loop.h"

struct google;

struct google *google_new(struct loop *loop);
void google_free(struct google *g);
const char *google_url(const struct google *g);
const char *google_host(const struct google *g); /* without "http://" */

/* An entry of the recorder, at Unix milliseconds; the payload as JSON. */
void google_add(struct google *g, int64_t at_ms, const char *insert_id, const char *job_name, const char *payload);

struct google_faults { /* the next `count` lists are answered with the status; 0 as status: nothing, then a reset */
    int count, status;
    const char *headers, *body;
    bool truncates, drips;
};
void google_fault(struct google *g, struct google_faults faults);
/* Tokens so far: the form of the last request ("" for the metadata server's), lists answered, and pages asked for. */
int google_tokens(const struct google *g);
int google_lists(const struct google *g);
const char *google_form(const struct google *g);
const char *google_filter(const struct google *g); /* of the last list */
bool google_saw_flavor(const struct google *g);

#endif
