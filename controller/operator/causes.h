/* causes: the one table that says what an object's condition, reason or event means for an interruption. A person can
 * read it and add a row; the first row that fits wins. */
#ifndef OPERATOR_CAUSES_H
#define OPERATOR_CAUSES_H

#include "ledger/ledger.h"

struct cause_rule {
    const char *object; /* "Pod", "Workload", "Node", "JobSet", "Job" */
    const char *shows;  /* condition type, "event", "exit", "deleted", ... */
    const char *reason; /* of the condition, "*" for any */
    const char *node;   /* what the node shows then: "NotReady", "Spot", "Maintenance"; "*" for anything */
    enum cause cause;
    const char *sub_reason; /* template; "" for none */
    const char *evidence;   /* template: {name} {reason} {message} {node}; {on node} is empty without a node */
    const char *source;     /* where it is written that it is so */
};

struct cause_facts { /* "" where not known */
    const char *object, *shows, *reason, *node_state;
    const char *name, *message, *node, *node_pool;
};

/* The row that fits, or NULL. */
const struct cause_rule *cause_find(const struct cause_facts *facts);
/* Fills cause, reason, evidence, node and node_pool of *d. False if no row fits. */
bool cause_fill(const struct cause_facts *facts, struct ledger_disruption *d);
/* The whole table, for tests and documentation. */
const struct cause_rule *cause_rules(int *count);

#endif
