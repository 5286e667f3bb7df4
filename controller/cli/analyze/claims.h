/* claims: what a status says about machines, which a log cannot show: when they were there, how long pods waited, when
 * all were ready. analyze leaves it out (deploy/docs/how-to/analyze.md). */
#ifndef CLI_ANALYZE_CLAIMS_H
#define CLI_ANALYZE_CLAIMS_H

#include "base/buf.h"
#include "base/error.h"
#include "ledger/entries.h"
#include "operator/status/view.h"

/* Makes them unknown in a view with scores and in its entries, before they are written. */
void analyze_claims_forget(struct view *v, struct ledger_entries *entries);
/* Rewrites the status that view_write wrote, and its intervals, without the fields that are never unknown there. */
int analyze_claims_drop(struct buf *status, struct error **err);

#endif
