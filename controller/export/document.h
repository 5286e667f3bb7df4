/* document: the page as one self-contained HTML file: style and script inline, nothing fetched, and a content security
 * policy that allows only these two (by their SHA-256), whatever the data holds. */
#ifndef EXPORT_DOCUMENT_H
#define EXPORT_DOCUMENT_H

#include "base/buf.h"

#define DOCUMENT_MAX_BYTES ((size_t)4 << 20)

/* job: a JobGoodput as JSON, or {"comparison": ...}, for a report; empty: the live page. -EMSGSIZE if out is too small.
 */
int document_write(struct slice job, struct buf *out);
/* What the shared page shows to whoever brings no token. */
int document_write_sign_in(struct buf *out);

#endif
