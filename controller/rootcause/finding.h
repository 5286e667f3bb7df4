/* finding: what one line, or the exception that ends a traceback, proves. */
#ifndef ROOTCAUSE_FINDING_H
#define ROOTCAUSE_FINDING_H

#include "rootcause/mask.h"
#include "rootcause/ranks.h"
#include "rootcause/traceback.h"

#define FINDING_REASON_BYTES 64
#define FINDING_WAITS_BYTES RANKS_PEER_BYTES

struct finding {
    enum rootcause_class class_;
    enum rootcause_role role; /* ROLE_COUNT: none */
    enum rootcause_owner owner;
    char reason[FINDING_REASON_BYTES];
    char text[QUOTE_BYTES];
    char frame[TRACEBACK_FRAME_BYTES];   /* "" unless it ends a traceback */
    char waits_for[FINDING_WAITS_BYTES]; /* of a symptom: the process that its line names; "" if none */
    const struct signature *row;         /* NULL: an exception that no row names */
    int64_t line, at_ns, rank;           /* at_ns: INT64_MIN, rank: RANK_UNKNOWN if not known */
    bool is_exception;                   /* ends a traceback */
    bool is_stop;                        /* of a row that stops the process */
};

/* The process was asked to stop, from outside. */
bool finding_is_stop(const struct finding *f);
/* A process failed: what stops others afterwards follows from it. An error that may have been survived is none. */
bool finding_is_failure(const struct finding *f);

#endif
