/* page: serves the browser: the document at /, one JobGoodput at /job?namespace=N&name=M, and at /feed a WebSocket that
 * sends a summary of every job, then of each job that changes. */
#ifndef EXPORT_PAGE_H
#define EXPORT_PAGE_H

#include "export/certificate_files.h"
#include "export/fleet.h"
#include "io/server.h"

struct page;

/* Writes the trace of a job's log (trace.h); false if there is none. */
struct page_traces {
    bool (*write)(void *context, const char *namespace_, const char *name, struct buf *json);
    void *context;
};

/* fleet must outlive it. NULL without error for address "0". Serves TLS if files is set, except on a loopback address,
 * where kubectl port-forward needs http://localhost. */
struct page *page_new(struct loop *loop, const char *address, struct certificate_files *files,
                      const struct fleet *fleet, const struct fleet *rollups, struct page_traces traces,
                      struct error **err);
void page_free(struct page *page);
int page_port(const struct page *page);
void page_notify(struct page *page); /* the fleet has changed; NULL-safe */

/* The job's object with the trace of its log as the member "trace". */
void page_write_job(const struct fleet_job *job, struct page_traces traces, struct buf *out);

/* Writes the next message for a reader that has all changes up to *cursor (0: none); false if there is none. At most
 * about 64 KiB, so that a slow reader holds little memory. */
bool page_news(const struct fleet *fleet, int64_t *cursor, struct buf *message);

#endif
