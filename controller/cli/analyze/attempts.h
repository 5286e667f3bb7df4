/* attempts: the records of a log become the ledger's: of which attempt they are, and which times are impossible.
 * Private to the ledger over log files (ledger.c), whose state is here. */
#ifndef CLI_ANALYZE_ATTEMPTS_H
#define CLI_ANALYZE_ATTEMPTS_H

#include "base/buf.h"
#include "cli/analyze/options.h"
#include "cli/analyze/unread.h"
#include "ledger/ledger.h"
#include "ledger/trainer_run.h"
#include "operator/job/trace.h"
#include "steplog/heads.h"
#include "steplog/repeats.h"
#include "steplog/skew.h"

struct attempt {
    const char *path;
    int process;
    int64_t first_ms, last_ms;
    int64_t last_step_line;
    int64_t write_ms, stated_ms; /* its first record, and how long the steps that came with it took */
    bool has_ended, has_failed;
    struct trainer_run trainer;
};

struct analyze_ledger {
    const struct analyze *analyze;
    struct ledger *ledger;
    int64_t until_ms;
    struct attempt *attempts;
    size_t count, capacity;
    int64_t unevaluated, unsettled; /* records since the ledger was evaluated, and settled */
    bool keeps_all;
    char recognized[STEPLOG_NAME_BYTES];
    struct trace trace; /* with --html */
    struct repeats repeats;
    struct skew clock;
    struct heads heads;
    int64_t repeated_lines, all_steps, burst_steps;
    struct forward stamps_ahead;
    struct matcher *matcher; /* of root causes */

    /* A file that was opened, until its first lines show whether it continues the one before. */
    const char *next_path;
    struct steplog *next_parser;

    /* The present file, and those that continue it. */
    const char *path, *name; /* name: for evidence */
    struct buf tail;         /* its last lines */
    struct steplog *parser;
    bool is_stamped, has_attempt, has_ended;
    int64_t before_ms, impossible, jumps;
    int64_t forward,
        backward;            /* the number of records with a later time than the one before, and with an earlier one */
    const char *is_reversed; /* the first file in which most records go back in time; NULL: none */
    int64_t all_impossible, all_malformed; /* of all files */
    struct analyze_unread unread;
    struct step_samples samples; /* of the present file, until a step is read */
};

/* Adds an attempt to the ledger: it holds its slot from its first record to its last. */
void attempts_report(struct analyze_ledger *l, size_t number, int64_t lost_ms);
/* What a parser hands on; context: the struct analyze_ledger. */
void attempts_on_record(void *context, const struct record *r);
void attempts_on_steps(void *context, const struct step_starts *steps);

#endif
