/* job_lines: the ledger of one job, as JSON lines, from wherever a command line names it: a log, a file of such lines,
 * an archive, or the controller. */
#ifndef CLI_COMMANDS_JOB_LINES_H
#define CLI_COMMANDS_JOB_LINES_H

#include "base/error.h"
#include "base/slice.h"
#include "cli/commands/options.h"

#include <jansson.h>

#define JOB_LINES_MAX_BYTES (64 << 20)

struct job_lines {
    json_t *records;     /* an array: the lines */
    char *text;          /* the lines themselves */
    bool is_ledger_file; /* a file has these lines */
    json_t *steps;       /* of a log: [[Unix ms, step], ...], each step's end; NULL: only spans are known */
};

/* name: a file if there is one of that name or it has a '/', else a job of the archive of --archive, else a JobGoodput.
 * A pattern stands for the logs of one job. The error names it. */
int job_lines_read(const struct cli_options *options, const char *name, bool wants_steps, struct job_lines *ret,
                   struct error **err);
/* The same from lines that were read: the error does not name them. */
int job_lines_parse(struct slice text, struct job_lines *ret, struct error **err);
void job_lines_done(struct job_lines *lines);

/* The line of that kind; NULL: there is none. */
const json_t *job_lines_find(const struct job_lines *lines, const char *record);
/* The start of the time of which spans are known; sums alone are known of the time before. */
int64_t job_lines_complete_from_ms(const struct job_lines *lines);

#endif
