/* judge: what the ledger should say of a simulated job, and what it says. */
#ifndef TRUTH_JUDGE_H
#define TRUTH_JUDGE_H

#include "ledger/ledger.h"
#include "sim.h"

/* What became of an attempt's log: known from the lines, not from the simulation. */
struct reading {
    int64_t first_reported_ms; /* first record that means something, true time; INT64_MAX: none */
    int64_t first_line_ms;     /* when the line of the first step came; INT64_MAX */
    int64_t starts;            /* of them, logged by their starts */
    int64_t malformed;         /* lines */
    int64_t steps;             /* that lines say are complete */
    int64_t first_step;        /* the first that has a line; -1 */
    bool has_job_end, has_checkpoints, is_recognized, shows_bursts;
};

struct judgment {
    int64_t counted_ms[BUCKET_COUNT], expected_ms[BUCKET_COUNT];
    int64_t spans[BUCKET_COUNT];           /* of the truth */
    int64_t wall_ms, lag_ms;               /* lag: how late the format's lines come, per span */
    int64_t unfinished_ms;                 /* what the rule for steps that were cut off leaves open, all in all */
    int64_t silent_ms;                     /* what steps after the last line of a job that succeeded leave open */
    int64_t first_lines_ms, save_lines_ms; /* of lines of which it is not known how much of them is steps */
    int64_t slow_ms;       /* in Productive or lost steps although no step: the log does not carry it (a slow step) */
    int64_t step_ms;       /* the kept steps' own */
    int64_t unknowable_ms; /* other time that is expected in Productive: no reader of the log can distinguish it from
                              steps */
    int64_t lost_steps, steps; /* that the lines report */
    int64_t malformed;         /* lines */
    bool shows_bursts;         /* steps that came at once */
    int unrecognized;          /* attempts with steps whose format was not found */
};

/* Where the spans belong: by deploy/docs/concepts/ledger.md, as far as the format carries them. The table is in
 * expect.c. */
struct expectation {
    const struct job *job;
    const struct reading *readings;
    bool is_read, has_ideal; /* any line is read; enough steps to know how long one takes */
    int64_t min_step_ms;     /* the shortest that the job's lines show */
    int64_t kept_step;       /* of a job that did not succeed: the last step that its log proves to be safe */
};
void expect_init(struct expectation *e, const struct job *job, const struct reading *readings);
enum bucket expect_bucket(const struct expectation *e, const struct span *s);
/* How much of a span that no line names is in every line of the job alike, and the bucket of its steps' work. */
int64_t expect_common_ms(const struct expectation *e, const struct span *s);
enum bucket expect_work(const struct expectation *e, const struct span *s);

void judge(struct job *job, struct judgment *j);

/* How far one bucket may be off: the larger of 1 % of the wall time and 1 s and the format's lag for each span. */
int64_t judge_tolerance_ms(const struct judgment *j, enum bucket bucket);

#endif
