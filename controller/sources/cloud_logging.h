/* cloud_logging: follows one logger of Google Cloud Logging, the entries of one job in it (what
 * ml-goodput-measurement's recorder wrote), by entries:list over REST
 * (https://cloud.google.com/logging/docs/reference/v2/rest/v2/entries/list).
 *
 * Entries are asked for in the order of their timestamps, up to a few seconds ago, so that those that come a little
 * late are in order; each look begins a minute before the newest entry handed on, and what was handed on already is
 * left out by its insertId, so that entries that come later than that are not lost. All sources of a service share the
 * project's quota (60 requests a minute): their requests are spaced. */
#ifndef SOURCES_CLOUD_LOGGING_H
#define SOURCES_CLOUD_LOGGING_H

#include "gcp/tokens.h"
#include "sources/source.h"

struct cloud_logging; /* what all sources share */

/* endpoint: "https://logging.googleapis.com", of the controller's configuration. NULL: that. */
struct cloud_logging *cloud_logging_new(struct loop *loop, struct http_client *http, struct gcp_tokens *tokens,
                                        const char *endpoint);
void cloud_logging_free(struct cloud_logging *service); /* after its sources */

struct source_cloud_logging_options {
    const char *project, *logger, *job_name; /* from a spec: checked and quoted here */
    struct slice cursor;                     /* empty: from since_ms on */
    int64_t since_ms;
    int64_t poll_us, settle_us; /* 0: ten seconds, five */
    int64_t spacing_us;         /* from a request to the service's next one; 0: 1.1 s */
    int64_t page_entries;       /* 0: 1000 */
};

/* NULL with *err if a name cannot be one. */
struct source *source_cloud_logging_new(struct cloud_logging *service,
                                        const struct source_cloud_logging_options *options,
                                        const struct source_handler *handler, struct error **err);

#endif
