/* ledger: where the wall time of one training job went. Facts in, a partition of time out; pure: no clock, no I/O, no
 * Kubernetes. Facts may be added in any order, late, or twice (the same occupancy, hold or record again replaces
 * itself); the result depends only on the set of facts and on the time asked for. Every millisecond from start to
 * observed-through is in exactly one bucket and the buckets add up exactly.
 *
 * Terms:
 *   slot       a place in the job that must be filled for it to train (a required slot)
 *   occupancy  of a slot by a pod: from being bound to a machine until the pod is lost
 *   hold       a reason, with a time span, for which the slots are not (all) there, or not usable
 *   disruption a candidate for the cause of an interruption, with its time
 *   process    one run of the training program whose log is read; its records come in log order
 *   interruption  from the end of an execution that was not the job's own end, until all slots are available again
 *
 * Times are Unix milliseconds; TIME_UNKNOWN where not known, TIME_OPEN for an end that has not come. Text given to the
 * ledger is copied (bounded). The caller owns the ledger. evaluate.h gives the results, checkpoint.h saves and loads
 * the whole ledger. */
#ifndef LEDGER_LEDGER_H
#define LEDGER_LEDGER_H

#include "base/buf.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/slice.h"
#include "ledger/buckets.h"
#include "ledger/record.h"

#define LEDGER_TEXT_SIZE 256 /* evidence: one line, UTF-8 */
#define LEDGER_NAME_SIZE 64
#define LEDGER_MAX_WINDOWS 4
#define LEDGER_MAX_CUSTOM 8 /* custom buckets; the rest goes to Custom/Other */
#define LEDGER_MAX_PHASES 8 /* names of phases; the rest goes to Other */

struct ledger;

struct ledger_options {
    int64_t ideal_step_ms; /* 0: learned (median of the job's steps, without first steps and outliers) */
    int64_t hang_after_ms; /* 0: learned from the ideal step, at least 5 min */
    int64_t windows_ms[LEDGER_MAX_WINDOWS];
    int window_count;
    bool has_log;  /* a step log is attached or required: without it RG, P and job goodput are absent */
    bool keep_all; /* never settles (below): memory grows with the log, any interval stays exact */
};

/* Settling keeps memory and time bounded: an evaluation folds the oldest steps into sums once 256 newer steps are
 * known. It also waits for ten minutes of newer steps, but never for more than 2,048. A rollback into settled steps is
 * exact at the newest 64 checkpoints; elsewhere it is prorated by steps, with basis Derived. Windows are prorated on a
 * grid of window / 360. Later facts about settled time change nothing. An evaluation at a settled time returns the
 * result for the time through which the ledger is settled. */

struct ledger *ledger_new(const struct ledger_options *options);
void ledger_free(struct ledger *l);

/* ---- facts ---- */

enum ledger_outcome { OUTCOME_RUNNING, OUTCOME_SUCCEEDED, OUTCOME_FAILED, OUTCOME_DELETED };

/* The wall time: from the target's creation to its end (TIME_OPEN while it runs). */
void ledger_set_span(struct ledger *l, int64_t start_ms, int64_t end_ms, enum ledger_outcome outcome);

/* The number of required slots from a time on. Without any call nothing is required and nothing is available. */
void ledger_set_required(struct ledger *l, int64_t from_ms, int64_t slots);

/* The chips that the required slots ask for, from a time on. Without any call: slots x the chips of the largest
 * occupancy.
 */
void ledger_set_required_chips(struct ledger *l, int64_t from_ms, int64_t chips);

/* Who held an occupancy's slot when the past was settled. BY_IT: a loss that the occupancy proves for the settled past
 * is subtracted from the past. BY_ANOTHER: the slot was replaced when this occupancy was created. */
enum ledger_held { LEDGER_HELD_BY_NONE, LEDGER_HELD_BY_IT, LEDGER_HELD_BY_ANOTHER };

/* One occupation of a slot. Identified by id (e.g. a pod's UID hashed): adding it again replaces it. */
struct ledger_occupancy {
    uint64_t id;
    uint32_t slot;         /* dense number given by the caller; same place, same number */
    int64_t created_ms;    /* the attempt to fill the slot began; a new occupancy of a slot supersedes the older */
    int64_t bound_ms;      /* has its machine: the slot is available from here (TIME_UNKNOWN: not reached yet) */
    int64_t pull_start_ms; /* image pull, TIME_UNKNOWN if none is known */
    int64_t pull_end_ms;
    int64_t running_ms;     /* the training containers of the slot run (first time in this occupancy) */
    int64_t lost_ms;        /* no longer available: ended, terminating, disrupted, machine not Ready ... */
    int64_t ended_ms;       /* nothing of it can run after this (containers finished): clips records; TIME_OPEN */
    int64_t done_ms;        /* its work is complete: stays available from here whatever happens; TIME_UNKNOWN */
    int64_t known_until_ms; /* the last time at which it was observed: in unwatched time after it (ledger_set_unwatched)
                               another occupancy may hold the slot; TIME_OPEN */
    int64_t settled_ms; /* the part before this time is in ledger_add_past, as if the occupancy had ended: only the part
                           after it counts. 0: all of it counts */
    enum ledger_held held;       /* its slot at settled_ms, as in ledger_add_past */
    int32_t chips;               /* accelerators held from bound to released */
    int64_t released_ms;         /* the machine is free again; TIME_OPEN */
    char name[LEDGER_NAME_SIZE]; /* for evidence: "slice 0/3 on node gke-tpu-07"; may be empty */
    bool has_name;               /* true with an empty name: the ledger asks for it, ledger_set_texts */
};
void ledger_add_occupancy(struct ledger *l, const struct ledger_occupancy *occupancy);

/* A training container of a slot started again within its occupancy (in-place restart). A running_ms before down_ms is
 * possible: facts about that moment are corrected. */
void ledger_add_restart(struct ledger *l, uint64_t occupancy_id, int64_t down_ms, int64_t running_ms);

/* A span without a sign of life from the occupancy's machine: it is unknown whether the slot was held. */
void ledger_add_silence(struct ledger *l, uint64_t occupancy_id, int64_t from_ms, int64_t to_ms);

/* The spans, in time order and disjoint, in which occupancies may have started and ended unobserved. In them a slot is
 * known only from an occupancy's creation until its known_until_ms. Replaces the spans that were set before. */
struct ledger_span {
    int64_t from_ms, to_ms; /* TIME_OPEN */
};
void ledger_set_unwatched(struct ledger *l, const struct ledger_span *spans, size_t count);

/* The sum of the changes of all forgotten occupancies (forget.h) at one time. It is added to the changes of the
 * others. */
struct ledger_change {
    int64_t at_ms, chips; /* change of the allocated chips */
    int32_t available, running, pulling, silent;
    int32_t known;               /* slots whose state is known; only in unwatched time */
    int32_t largest_chips;       /* of those that got their machine then */
    int32_t replaced, restarted; /* at that time */
    int32_t lost;                /* at that time */
};
/* Adds a change of the same time. */
static inline void ledger_change_add(struct ledger_change *to, const struct ledger_change *change) {
    to->chips += change->chips;
    to->available += change->available;
    to->running += change->running;
    to->pulling += change->pulling;
    to->silent += change->silent;
    to->known += change->known;
    to->largest_chips = (int32_t)max_of(to->largest_chips, change->largest_chips);
    to->replaced += change->replaced;
    to->restarted += change->restarted;
    to->lost += change->lost;
}
void ledger_add_past(struct ledger *l, const struct ledger_change *change);

/* Why slots are not there. kind is one of BUCKET_NOT_SUBMITTED (between two targets of one run), SUSPENDED,
 * PREEMPTED_WAIT, QUEUE_WAIT, DEPENDENCY_WAIT, PROVISIONING, NODE_FAILURE_DETECTION, PROCESS_FAILURE_DETECTION. Applies
 * only where not all slots are available (the last: only where they are). key identifies it: adding the same kind and
 * key again replaces it. */
struct ledger_hold {
    enum bucket kind;
    uint64_t key;
    int64_t from_ms, to_ms;
    enum basis basis;
    char evidence[LEDGER_TEXT_SIZE];
};
void ledger_add_hold(struct ledger *l, const struct ledger_hold *hold);

/* A candidate for the cause of the interruption that is open at (or opens within 60 s after) at_ms. opens: the
 * execution ended at at_ms even if no slot was observed to be lost. key as above. */
struct ledger_disruption {
    enum cause cause;
    uint64_t key;
    int64_t at_ms; /* when the cause struck (best knowledge) */
    uint32_t slot; /* of several with equal cause, time and `opens`, the one of the lowest slot is reported */
    bool opens;
    char reason[LEDGER_NAME_SIZE]; /* sub-reason: the Kueue reason, the exit code; may be empty */
    char evidence[LEDGER_TEXT_SIZE];
    char node[LEDGER_NAME_SIZE], node_pool[LEDGER_NAME_SIZE];
};
void ledger_add_disruption(struct ledger *l, const struct ledger_disruption *d);

/* Who owns the cost of an interruption (number: from 1; d NULL: its cause is unknown), where the caller knows more than
 * cause_owner(), and the class of its root cause. An interruption that results no longer list keeps what it had. Not
 * part of a checkpoint. */
struct ledger_blame {
    enum rootcause_owner owner;
    enum rootcause_class class_;
};
struct ledger_owners {
    void *context;
    struct ledger_blame (*of)(void *context, int number, const struct ledger_disruption *d);
};
void ledger_set_owners(struct ledger *l, const struct ledger_owners *owners);

/* Receives each part of the time when it settles (entries.h), in time order: the part's spans are known only then. The
 * callback must not use the ledger. Not part of a checkpoint. */
struct ledger_settled_part;
struct ledger_sink {
    void *context;
    void (*settled)(void *context, const struct ledger_settled_part *part);
};
void ledger_set_sink(struct ledger *l, const struct ledger_sink *sink);

/* Callbacks for texts. Results name few of 12,736 occupancies and as many disruptions, so a caller can leave their
 * texts empty. The ledger then asks for them while it evaluates or saves; the answers must equal the texts left out.
 * Not part of a checkpoint. */
struct ledger_texts {
    void *context;
    void (*name_occupancy)(void *context, uint64_t id, char name[static LEDGER_NAME_SIZE]);
    void (*describe)(void *context, struct ledger_disruption *d); /* key and cause are given: fills all texts */
};
void ledger_set_texts(struct ledger *l, const struct ledger_texts *texts);

/* One run of the training program whose log is read. Returns its ordinal for record.process. Adding the same id again
 * updates the times. ended_ms is the container's finishedAt. name: in evidence, the pod that wrote the log; NULL:
 * "process N" in order of start. Processes that start at once are in the order of their names, then of their ids. */
int ledger_add_process(struct ledger *l, uint64_t id, const char *name, int64_t started_ms, int64_t ended_ms);

/* The number of steps by which a step's line is late in this process's format: 1 (MaxText) or 0. Default: 1 where lines
 * report ends, 0 where they report starts. Bounds what an unfinished step may have cost. */
void ledger_set_line_lag(struct ledger *l, int process, int steps);

/* The log of that process was read to its end and no line of it is missing, so that silence in it is the trainer's own:
 * an execution whose steps had stopped for longer than hangAfter before it ended has the cause Hang. Not part of a
 * checkpoint: set it again with the process. */
void ledger_set_read_to_end(struct ledger *l, int process);
/* The process got SIGTERM and a grace period; at_ms is a timestamp in whole seconds. A save that ends after that second
 * was made in the grace period. If the log was read to its end and reports checkpoints but none in that period, none
 * was made. Set it again after a load. */
void ledger_set_signaled(struct ledger *l, int process, int64_t at_ms);
/* Lines of the log are lost: time after the last step that was read is Unattributed, even while other slots start, and
 * so is time without any record. Set it again after a load. */
void ledger_set_lost(struct ledger *l, int process);

/* Its log is still being read, perhaps long after later ones. Until it is read, nothing is settled past its last record
 * or in a process that started after it, so that none of its records is late. At most 8,192 steps wait for it. Set it
 * again after a load. */
void ledger_await(struct ledger *l, int process, bool is_awaited);

/* Records of one process come in log order; O(1) each. line numbers already seen for that process are ignored. */
void ledger_add_record(struct ledger *l, const struct record *r);
/* The same of the starts of steps. */
void ledger_add_starts(struct ledger *l, int process, const struct step_start *steps, size_t count);

/* Excludes [from, to): neither its time nor the steps that end in it count. The spans may overlap. It turns on
 * keep_all: call it before the first evaluation. Part of a checkpoint. */
void ledger_exclude(struct ledger *l, int64_t from_ms, int64_t to_ms);

#endif
