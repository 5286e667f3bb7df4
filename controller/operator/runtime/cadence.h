/* cadence: when a job's status is evaluated and when it is written. Pure: it is handed
 * the time and hands back decisions, so that its rules are tested without a cluster (tests/runtime/test_cadence.c).
 *
 * A job that may have changed is evaluated at most once in coalesce_us, and where that takes long no more often than
 * takes a twentieth of the time (but every CADENCE_MAX_US). What a person waits for (a change of phase,
 * executions, interruptions or conditions: the evaluation's key) is written at once; running totals every active_us
 * while steps come in and every quiet_us while only time passes; nothing after the end. Over all jobs running totals
 * are writes_per_second at most, evenly spaced. Where more wait, the longest waiting goes first, and a job whose
 * printed scores have moved since its last write counts as having waited CADENCE_AHEAD_US longer. Urgent writes have a
 * separate budget of CADENCE_URGENT_BURST, which grows back at the same rate: several waves of changes of hundreds of
 * jobs may follow one another, as when they start and then fail. No more than CADENCE_IN_FLIGHT wait for their answers:
 * a server that is slow gets no more to do. Of these a namespace has no more than it leaves free (the dynamic
 * thresholds of Choudhury and Hahne, 1998, with alpha 1), so that answers to one, which come late, delay no other. A
 * status that the server already holds is not written.
 *
 * Both kinds of writes are shared between namespaces by start-time fair queueing (Goyal, Vin, Cheng 1996): the
 * namespaces that have something to write take turns, and the order above is that within one. So a namespace with
 * thousands of writes delays another's by one, and only the intervals of namespaces that ask for more than their share
 * stretch.
 *
 * A status that does not cover all that was observed (a watch is cut, or was resumed a moment ago) is evaluated again
 * as soon as the watches are known that far, not with the next running total: cadence_known.
 *
 * All times are microseconds of the monotonic clock, except those that end in _ms: the wall clock's. Jobs are embedded
 * in their user's struct and stay theirs. */
#ifndef OPERATOR_RUNTIME_CADENCE_H
#define OPERATOR_RUNTIME_CADENCE_H

#include "base/clock.h"
#include "io/timers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CADENCE_NEVER INT64_MAX
#define CADENCE_IN_FLIGHT 64
#define CADENCE_URGENT_BURST 1000
#define CADENCE_AHEAD_US INT64_C(300000000)
#define CADENCE_MAX_US INT64_C(600000) /* a change is to be in status within a second */

struct cadence_options {
    int64_t coalesce_us, active_us, quiet_us;
    int64_t settle_us;     /* an evaluation after a mark is repeated this much later, when what came with the mark by
                            * other streams has arrived as well; 0: it is not */
    int writes_per_second; /* at least 1; of running totals, and of urgent writes beyond their burst */
};

enum cadence_want { CADENCE_NOTHING, CADENCE_TOTALS, CADENCE_URGENT };
/* Running totals that are due, and what is written at once: by the turns of their namespaces. */
enum cadence_queue { CADENCE_DUE, CADENCE_AT_ONCE, CADENCE_QUEUES };
/* Within a namespace; the first two are of CADENCE_DUE. */
enum cadence_line { CADENCE_LINE_MOVED, CADENCE_LINE_OTHERS, CADENCE_LINE_URGENT, CADENCE_LINES };

/* A namespace's, all-zero at first; outlives its jobs. */
struct cadence_share {
    struct cadence_line_ends {
        struct cadence_job *first, **end; /* end: valid while there is a first */
    } lines[CADENCE_LINES];
    struct timer turn[CADENCE_QUEUES]; /* on while it has something to write and not too many in flight */
    int64_t next_turn[CADENCE_QUEUES]; /* in writes */
    int in_flight;
};

struct cadence_job {   /* all-zero, then cadence_add */
    struct timer mark; /* on while it may have changed: when it may be evaluated */
    struct timer calm; /* on until it is due to be written or looked at; then it is in `line` of its share: */
    struct cadence_job *next_in_line, **in_line; /* in_line: NULL while it is in no line */
    struct timer behind; /* on while its last evaluation awaits the watches, and it is not marked */
    enum cadence_want want;
    enum cadence_line line;
    struct cadence_share *share;   /* NULL: that of all which have none */
    int64_t due_turn_us;           /* since when it is in the line */
    int64_t due_us;                /* of want, or of the next look at the totals */
    int64_t cost_us;               /* what the last evaluation took, set by the caller */
    int64_t evaluated_us, base_us; /* last evaluation; last write or look at the totals */
    int64_t held_until_us;
    bool is_settling; /* marked only because of settle_us */
    bool was_evaluated, is_in_flight, is_active, is_ending, is_final;
    bool has_server_status, has_written_key, was_final_written;
    bool has_moved; /* the printed scores, since the last write */
    uint64_t server_hash, written_key, written_printed;
    uint64_t sent_hash, sent_key, sent_printed; /* of the write in flight */
    bool sent_final;
};

struct cadence {
    struct cadence_options options;
    struct timers behind; /* by the wall time that each awaits, in ms */
    struct timers marked, calm,
        turns[CADENCE_QUEUES];       /* the first of each is next: no call costs more than O(log jobs) */
    int64_t full_us[CADENCE_QUEUES]; /* when a burst may be sent again */
    int in_flight;
    int64_t served_turn[CADENCE_QUEUES]; /* of the last write */
    struct cadence_share unshared;
    int64_t adds, retries; /* so far: jobs that were marked, writes that failed */
};

struct cadence_evaluation {
    uint64_t key;     /* of what is written at once */
    uint64_t hash;    /* of the whole status */
    uint64_t printed; /* of its scores as they are printed */
    bool has_new_steps;
    bool is_ending; /* the target has ended, and what led to it is not all known: looked at every second */
    bool is_final;
    int64_t awaits_ms; /* the watches must be known until then for a status that covers all that was observed;
                        * TIME_UNKNOWN: it does */
};

void cadence_init(struct cadence *c, const struct cadence_options *options);
void cadence_done(struct cadence *c);
void cadence_add(struct cadence_job *job, struct cadence_share *share);
void cadence_remove(struct cadence *c, struct cadence_job *job);

/* The job's status may have changed. */
void cadence_mark(struct cadence *c, struct cadence_job *job);
/* All watches are known until then: jobs whose last evaluation awaited that are evaluated again. */
void cadence_known(struct cadence *c, int64_t known_ms);
/* True if a job awaits the watches: cadence_known is due every moment, as no event brings it. */
bool cadence_is_behind(const struct cadence *c);
/* The status that the server holds, as the watch reported it; ends a wait for a newer object. */
void cadence_observed(struct cadence *c, struct cadence_job *job, bool has_status, uint64_t hash, int64_t now_us);

/* The next job to evaluate now, or NULL. The caller evaluates it and calls cadence_decide. */
struct cadence_job *cadence_pick(struct cadence *c, int64_t now_us);
/* True: write this evaluation now; one write of the job is then in flight until cadence_wrote or cadence_failed. */
bool cadence_decide(struct cadence *c, struct cadence_job *job, const struct cadence_evaluation *evaluation,
                    int64_t now_us);
/* False: nothing has come since its last evaluation that was not written; before the end it need not be looked at. */
bool cadence_has_more(const struct cadence_job *job);
/* The same as cadence_decide before the process ends: true if steps came in since the last write, whatever interval or
 * limit says. */
bool cadence_decide_last(struct cadence *c, struct cadence_job *job, const struct cadence_evaluation *evaluation,
                         int64_t now_us);
/* Instead of cadence_decide: the evaluation is of no use; the job waits for the next mark. */
void cadence_skip(struct cadence *c, struct cadence_job *job, int64_t now_us);
void cadence_wrote(struct cadence *c, struct cadence_job *job, int64_t now_us);
/* It was not written: the job is looked at again, but not written before retry_us or the next cadence_observed. */
void cadence_failed(struct cadence *c, struct cadence_job *job, int64_t retry_us);

/* When cadence_pick may next have something, at the latest; CADENCE_NEVER if only events can bring it. */
int64_t cadence_wake_us(const struct cadence *c);

#endif
