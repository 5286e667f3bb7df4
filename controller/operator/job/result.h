/* result: the parts of a written status that a job keeps for the next one. Plain data: also the writers of a status,
 * which know no job, read it. */
#ifndef OPERATOR_JOB_RESULT_H
#define OPERATOR_JOB_RESULT_H

#include <stdint.h>

#define JOB_MAX_PREVIOUS 4
#define JOB_CONDITIONS 6

struct job_condition { /* as last written */
    char status[8];
    int64_t at_ms;
};

struct job_previous { /* the result of an earlier target */
    char uid[65];
    int64_t start_ms, end_ms, wall_ms, available_ms, productive_ms; /* productive: RECORD_NONE if not known */
};

#endif
