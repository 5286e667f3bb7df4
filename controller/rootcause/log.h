/* log: the last words of one process or of several that write to one stream, as findings: what its lines prove, the
 * strongest and earliest first. Lines come in order; memory is bounded whatever comes. */
#ifndef ROOTCAUSE_LOG_H
#define ROOTCAUSE_LOG_H

#include "base/codec.h"
#include "rootcause/finding.h"
#include "rootcause/stack.h"

/* Whether the line alone shows something: a text of the table, a traceback, an exception. raw: without a stamp. */
bool rootcause_line_is_notable(const struct matcher *m, struct slice raw);

struct rootcause_log;

/* m: borrowed. is_stamped: as line_read has it. */
struct rootcause_log *rootcause_log_new(const struct matcher *m, bool is_stamped);
void rootcause_log_free(struct rootcause_log *log);

/* One line without its end; number: as the verdict shows it. */
void rootcause_log_line(struct rootcause_log *log, struct slice line, int64_t number);
/* The program made progress after the lines so far: it survived what they show, unless nothing comes after. */
void rootcause_log_progress(struct rootcause_log *log);
/* Answers count what came so far; more may follow. */
void rootcause_log_settle(struct rootcause_log *log);
void rootcause_log_end(struct rootcause_log *log); /* no line counts from then on */

/* Writes what was found into a checkpoint, or adds it to an empty log. What is being read, such as half a traceback,
 * and the rows of findings are not in it. */
void rootcause_log_visit(struct rootcause_log *log, struct codec *c);

/* After the end, or settled: the finding that decides for this log; NULL: none. */
const struct finding *rootcause_log_best(const struct rootcause_log *log);

/* Ranks that a watchdog of collectives reports, with the last collective that each enqueued. */
struct waiting {
    int64_t rank, enqueued;
};
const struct waiting *rootcause_log_waiting(const struct rootcause_log *log, size_t *count);
/* Of a log of one process. */
const struct stack *rootcause_log_stack(const struct rootcause_log *log);
/* How many ranks in this log show only symptoms. */
size_t rootcause_log_followers(const struct rootcause_log *log);

#endif
