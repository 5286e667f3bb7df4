/* page: serves the browser: the document at /, one JobGoodput at /job?namespace=N&name=M, its ledger (JSON lines) at
 * /ledger?namespace=N&name=M, two jobs compared at /compare?namespace=N&name=M&otherNamespace=N&otherName=M, all
 * FleetGoodputs at /fleets, and at /feed a WebSocket that sends the cluster's name and
 * a summary of every job, then of each job that changes. A page with viewers (the shared page) shows a sign-in to
 * whoever brings no token, and to the others what they may list.
 */
#ifndef EXPORT_PAGE_H
#define EXPORT_PAGE_H

#include "export/certificate_files.h"
#include "export/fleet.h"
#include "export/viewers.h"

struct page;

/* Writes the trace of a job's log (trace.h); false if there is none. */
struct page_traces {
    bool (*write)(void *context, const char *namespace_, const char *name, struct buf *json);
    void *context;
};

/* Writes the ledger of a job; the status of the reply: 200, 404 or 503. */
struct page_ledgers {
    int (*write)(void *context, const char *namespace_, const char *name, struct buf *lines);
    void *context;
};

struct page_options { /* what it points to must outlive the page */
    struct loop *loop;
    const char *address;
    /* server_new() with TLS, which sign-ins need; NULL: plain, as kubectl port-forward needs it. */
    struct server *(*serve)(void *context, struct server_options *options, struct error **err);
    void *context;
    const struct fleet *fleet, *rollups;
    struct page_traces traces;
    struct page_ledgers ledgers; /* write NULL: 404 */
    struct viewers *viewers;     /* NULL: all who reach it see all */
};
struct page *page_new(const struct page_options *options, struct error **err);
void page_free(struct page *page);
int page_port(const struct page *page);
void page_notify(struct page *page); /* the fleet has changed; NULL-safe */

/* The job's object with the trace of its log as the member "trace". */
void page_write_job(const struct fleet_job *job, struct page_traces traces, struct buf *out);

/* Writes the next message for a reader that has all changes up to *cursor (0: none); false if there is none. At most
 * about 64 KiB, so that a slow reader holds little memory. */
bool page_news(const struct fleet *fleet, const struct viewer *viewer, int64_t *cursor, struct buf *message);

#endif
