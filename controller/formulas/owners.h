/* owners: who owns lost time: an interruption's cost is its owner's, all other lost time is its bucket's owner's. The
 * defaults are columns of the tables of classes, causes (ledger/buckets.h) and buckets; a site's policy comes before
 * them. Pure. */
#ifndef FORMULAS_OWNERS_H
#define FORMULAS_OWNERS_H

#include "base/error.h"
#include "base/slice.h"
#include "ledger/evaluate.h"

#define OWNERS_MAX_TABLE_BYTES 65536
#define OWNERS_MAX_ROWS 1000

struct owners_policy; /* NULL: the defaults */

/* Rows of five fields, separated by tabs: class, cause or bucket; its name, or *; node pool, or *; queue, or *; owner.
 * The first row that fits counts. Lines that are empty or start with # are left out. -EINVAL: *err names the line. */
struct owners_policy *owners_policy_parse(struct slice table, struct error **err);
void owners_policy_free(struct owners_policy *policy);

struct owners_case { /* an interruption */
    enum cause cause;
    const char *reason, *node_pool, *queue; /* "" or NULL: none */
    enum rootcause_class class_;            /* CLASS_UNKNOWN: none was found */
    enum rootcause_owner class_owner;       /* of what proved the class; may differ from the class's */
};

/* The policy's; else that of the root cause, where it has one; else the cause's. */
enum rootcause_owner owners_of_interruption(const struct owners_policy *policy, const struct owners_case *x);
/* Of the bucket's time that no interruption caused; Unobserved is always Unknown. custom: the name of a custom bucket.
 */
enum rootcause_owner owners_of_bucket(const struct owners_policy *policy, enum bucket bucket, const char *custom,
                                      const char *queue);
/* What each owner has of all lost time and lost chip time, how many of the interruptions, and what these cost by class.
 */
void owners_sum(const struct owners_policy *policy, const char *queue, const struct ledger_result *r,
                struct ledger_owned out[static OWNER_COUNT]);

#endif
