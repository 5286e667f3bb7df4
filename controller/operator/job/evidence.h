/* evidence: the signals of nodes that belong to an interruption. Plain data, as result.h; facts/node_evidence.h finds
 * them. */
#ifndef OPERATOR_JOB_EVIDENCE_H
#define OPERATOR_JOB_EVIDENCE_H

#include "operator/store/signals.h"

#define JOB_MAX_NODE_EVIDENCE 6 /* of one interruption: causes first */
#define JOB_MAX_EVIDENCED 16    /* interruptions: the newest */

/* X(IDENTIFIER, name): before the loss on the node of a failed slot; near it; after it. Strongest first. */
#define EVIDENCE_ROLES(X)                                                                                              \
    X(CAUSE, "Cause")                                                                                                  \
    X(EVIDENCE, "Evidence")                                                                                            \
    X(CONSEQUENCE, "Consequence")

enum evidence_role {
#define X(id, name) EVIDENCE_##id,
    EVIDENCE_ROLES(X)
#undef X
};

struct node_evidence {
    const char *node, *signal; /* the store's */
    enum evidence_role role;
    enum rootcause_class class_;
    enum rootcause_owner owner;
    bool is_primary;
    int64_t at_ms; /* TIME_UNKNOWN: since before the node was first observed */
    char message[STORE_SIGNAL_TEXT];
};

struct interruption_evidence {
    int number;         /* of the execution that it ended */
    int64_t at_ms;      /* of the interruption */
    int64_t through_ms; /* the signals up to then were looked at */
    int count;
    struct node_evidence *items; /* heap; at most JOB_MAX_NODE_EVIDENCE */
};

struct job_evidence { /* of the interruptions that were looked at */
    struct interruption_evidence *items;
    int count, capacity;
};

/* Drops the oldest beyond the bound. */
struct interruption_evidence *evidence_add(struct job_evidence *e, int number, int64_t at_ms);
void evidence_set(struct interruption_evidence *to, const struct node_evidence *items, int count); /* copies them */
void evidence_done(struct job_evidence *e);
/* What an earlier controller found: status.executions, JSON. Reads into an empty list. */
void evidence_read(struct job_evidence *e, struct store *store, struct slice executions);

#endif
