/* log: the last words of one process or of several that write to one stream, as findings: what its lines prove, the
 * strongest and earliest first. Lines come in order; memory is bounded whatever comes. */
#ifndef ROOTCAUSE_LOG_H
#define ROOTCAUSE_LOG_H

#include "base/codec.h"
#include "rootcause/line.h"
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
/* How many ranks in this log show only symptoms. */
size_t rootcause_log_followers(const struct rootcause_log *log);

#endif
