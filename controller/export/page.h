/* page: what the browser is given: the document at /, one JobGoodput at /job?namespace=N&name=M, and at /feed a
 * WebSocket that sends a summary of every job, then of each that changes. */
#ifndef EXPORT_PAGE_H
#define EXPORT_PAGE_H

#include "export/certificate_files.h"
#include "export/fleet.h"
#include "io/server.h"

struct page;

/* Writes what a job's log told, as trace.h has it; false if nothing is known. */
struct page_traces {
    bool (*write)(void *context, const char *namespace_, const char *name, struct buf *json);
    void *context;
};

/* fleet must outlive it. NULL without error for address "0". With files TLS, but in clear on a loopback address, which
 * is for kubectl port-forward and its http://localhost. */
struct page *page_new(struct loop *loop, const char *address, struct certificate_files *files,
                      const struct fleet *fleet, const struct fleet *rollups, struct page_traces traces,
                      struct error **err);
void page_free(struct page *page);
int page_port(const struct page *page);
void page_stir(struct page *page); /* the fleet has changed; NULL-safe */

/* The job's object with what its log told as its member "trace". */
void page_write_job(const struct fleet_job *job, struct page_traces traces, struct buf *out);

/* The next message for a reader that has all changes up to *cursor (0: none); false if there is nothing new. At most
 * about 64 KiB, so that a slow reader holds little. */
bool page_news(const struct fleet *fleet, int64_t *cursor, struct buf *message);

#endif
