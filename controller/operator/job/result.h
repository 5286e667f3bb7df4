/* result: the parts of a written status that a job keeps for the next one. Plain data: also the writers of a status,
 * which know no job, read it. */
#ifndef OPERATOR_JOB_RESULT_H
#define OPERATOR_JOB_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#define JOB_MAX_PREVIOUS 4
#define JOB_CONDITIONS 6

struct job_condition { /* as last written */
    char status[8];
    int64_t at_ms;
};

#define MODEL_DOCUMENTATION "deploy/docs" /* its path in the source */

struct job_previous { /* the result of an earlier target */
    char uid[65];
    int64_t start_ms, end_ms, wall_ms, available_ms, productive_ms; /* productive: RECORD_NONE if not known */
};

/* What decides how soon a status must be written. */
struct model_summary {
    const char *phase; /* constant text */
    int64_t interruptions, executions;
    uint64_t conditions_hash; /* types, statuses, reasons; without EvidenceComplete */
    uint64_t causes_hash;     /* of the root causes: executions and classes */
    bool has_new_steps;       /* since the last call */
    uint64_t waiting_hash;    /* of the reason why the target does not start, without ages and numbers */
    bool has_ended, is_final;
    int64_t awaits_ms; /* wall time: what was observed then lies after observedThrough, and counts once model_known_ms
                        * has reached it; TIME_UNKNOWN: the status covers all that was observed */
};

#endif
