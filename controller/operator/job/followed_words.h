/* followed_words: what a log that is followed shows of failures, as findings of rootcause/log.h: they stay when the pod
 * is deleted before the end of its log could be read.
 *
 * The rule: from a line that names a failure on, a followed log is kept as findings, until a minute of training has
 * passed. While nothing fails nothing is kept. */
#ifndef OPERATOR_JOB_FOLLOWED_WORDS_H
#define OPERATOR_JOB_FOLLOWED_WORDS_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

#define FOLLOWED_MAX 256           /* logs of all jobs that hold findings: the newest; each holds about 12 KiB */
#define FOLLOWED_LINE_BYTES 8192   /* of a line; the rest is not looked at */
#define FOLLOWED_SURVIVED_MS 60000 /* a program that trains so long after its newest such line survived it */

#define SAVE_ERRORS_MAX 64

/* Errors of checkpoints that training survived, as a followed log shows them: the newest. A step follows each. */
struct save_errors {
    int64_t at_ms[SAVE_ERRORS_MAX];
    int count;
};

struct codec;
struct failure;
struct followed_words;
struct jobs;
struct log_process;
struct model_job;
struct rootcause_log;

/* A line of the log; is_step: it showed a step. */
void followed_words_line(struct log_process *p, int64_t stamp_ns, struct slice line, bool is_step);
void followed_words_drop(struct log_process *p);
void followed_words_visit(struct log_process *p, struct codec *c); /* writes them into a checkpoint, or reads them */

void save_errors_visit(struct save_errors **e, struct codec *c); /* *e NULL: there are none */

/* The log of the container of that failure, if it is followed; NULL. */
struct log_process *followed_process_of(const struct model_job *job, const struct failure *f);
/* All its lines were read. */
bool followed_is_whole(const struct log_process *p);
/* Its findings so far; NULL: no line named a failure. Lines may still follow. */
struct rootcause_log *followed_words_now(struct log_process *p);

#endif
