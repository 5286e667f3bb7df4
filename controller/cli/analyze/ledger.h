/* ledger: the ledger over log files alone, as the status of a JobGoodput. */
#ifndef CLI_ANALYZE_LEDGER_H
#define CLI_ANALYZE_LEDGER_H

#include "base/error.h"
#include "cli/analyze/options.h"
#include "cli/analyze/unread.h"

/* The ledger over log files. Begin, feed and end the files in the order of time. */
struct analyze_ledger;
struct analyze_ledger *analyze_ledger_new(const struct analyze *a);
/* The files can be read twice: analyze_ledger_again() after the last one, and if that is not NULL, all of them into it.
 */
void analyze_ledger_offer_again(struct analyze_ledger *l);
struct analyze_ledger *analyze_ledger_again(const struct analyze *a, struct analyze_ledger *first);
void analyze_ledger_free(struct analyze_ledger *l);
int analyze_ledger_begin(struct analyze_ledger *l, const char *path, struct error **err);
void analyze_ledger_feed(struct analyze_ledger *l, struct slice lines);
/* With --html: operator/job/trace.h. */
void analyze_ledger_trace(const struct analyze_ledger *l, struct buf *json);
/* The number of lines read of the present file. */
int64_t analyze_ledger_lines(const struct analyze_ledger *l);
void analyze_ledger_end_file(struct analyze_ledger *l); /* the next one may continue it */
void analyze_ledger_end(struct analyze_ledger *l);      /* of all files */
/* The name of the format that found the steps, "Generic(iter N)"; NULL if none did. Borrowed. */
const char *analyze_ledger_format(const struct analyze_ledger *l);
/* The status; and with records its ledger as well, span by span (operator/status/records.h). -ENODATA and *err without
 * a ledger, as no step was read or two formats read them: analyze_ledger_unread() says more. */
int analyze_ledger_conclude(struct analyze_ledger *l, struct buf *json, struct buf *records, struct error **err);
const struct analyze_unread *analyze_ledger_unread(const struct analyze_ledger *l); /* borrowed */

#endif
