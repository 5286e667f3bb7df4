/* root_cause: why the executions of a job ended; their cause says what Kubernetes did. Plain data, as result.h;
 * facts/root_cause.h finds it. */
#ifndef OPERATOR_JOB_ROOT_CAUSE_H
#define OPERATOR_JOB_ROOT_CAUSE_H

#include "operator/store/store.h"
#include "rootcause/verdict.h"

#define ROOT_CAUSE_STATUS_WORDS "the container's status: " /* starts a line made of a reason */
#define JOB_MAX_ROOT_CAUSES 16                             /* executions: the newest */

struct root_cause {
    int number;    /* of the execution that it ended */
    int64_t at_ms; /* when it ended */
    enum rootcause_class class_;
    enum rootcause_owner owner; /* of the line or the class, by default */
    char reason[FINDING_REASON_BYTES];
    char text[QUOTE_BYTES];                        /* masked; "": no line */
    char frame[TRACEBACK_FRAME_BYTES];             /* "": none */
    char waits_for[FINDING_WAITS_BYTES];           /* of a symptom; "": not known */
    const char *replicated_job, *container, *node; /* of the first failing slot: the store's; "" */
    int64_t job_index, completion_index;           /* -1: not known */
    int64_t line_ms;                               /* of the line; TIME_UNKNOWN */
    int64_t followers, unread; /* containers that show only what followed; whose last words were not read in time */
    bool is_observed, is_symptom_only;
    bool ends_job;    /* no interruption: the job failed with it */
    uint64_t noticed; /* root_cause_hash() of what was published as an Event; 0: nothing was */
};

struct job_root_causes {
    struct root_cause *items; /* by number */
    int count, capacity;
    int64_t older[CLASS_COUNT]; /* of interruptions that are not listed any more */
};

/* Of the execution of that number; NULL: none is known. */
struct root_cause *root_cause_of(const struct job_root_causes *causes, int number);
/* Replaces the one of its number. The oldest beyond the bound is only counted. */
void root_cause_set(struct job_root_causes *causes, const struct root_cause *cause);
void root_cause_remove(struct job_root_causes *causes, int number);
/* Of what an Event says of it; never 0. */
uint64_t root_cause_hash(const struct root_cause *cause);
void root_causes_done(struct job_root_causes *causes);
/* What an earlier controller found: status.executions and status.interruptions, JSON. Reads into an empty list. */
void root_causes_read(struct job_root_causes *causes, struct store *store, struct slice executions,
                      struct slice interruptions);

#endif
