/* causes: the table that maps an object's condition, reason or Event to a bucket (for as long as it lasts) and to the
 * cause of the interruption that it starts. The first row that fits wins. */
#ifndef OPERATOR_CAUSES_H
#define OPERATOR_CAUSES_H

#include "ledger/ledger.h"

struct cause_rule {
    const char *object; /* "Pod", "Workload", "Node", "JobSet", "Job" */
    const char *shows; /* a condition's type; or "event", "reason" (of its status), "exit", "deleted", "waiting", ... */
    const char *reason; /* of the condition, "*" for any */
    const char *node;   /* state of the node at that time: "NotReady", "Spot", "Maintenance", "Unhealthy" (by Kueue);
                           "*" for any */
    enum bucket bucket; /* BUCKET_COUNT: none */
    enum cause cause;   /* CAUSE_COUNT: none */
    const char *sub_reason; /* template; "" for none */
    const char *evidence;   /* template: {name} {reason} {message} {node}; {on node} is empty without a node */
    const char *source;     /* of the rule: documentation or code */
};

struct cause_facts { /* "" or NULL where not known */
    const char *object, *shows, *reason, *node_state;
    const char *name, *message, *node, *node_pool;
};

/* The row that fits, or NULL. */
const struct cause_rule *cause_find(const struct cause_facts *facts);
/* Fills cause, reason, evidence, node and node_pool of *d. False if no row fits, or the row names no cause. */
bool cause_fill(const struct cause_facts *facts, struct ledger_disruption *d);
/* Fills kind and evidence of *hold. False if no row fits, or the row names no bucket. */
bool cause_fill_hold(const struct cause_facts *facts, struct ledger_hold *hold);

#endif
