/* ledger: where the wall time of one training job went. Facts in, a partition of time out; pure: no clock, no I/O, no
 * Kubernetes. Facts may be added in any order, late, or twice (the same life, hold or record again replaces itself);
 * the result depends only on the set of facts and on the time asked for. Every millisecond from start to
 * observed-through is in exactly one bucket and the buckets add up exactly.
 *
 * The words:
 *   slot       a place in the job that must be filled for it to train (a required slot)
 *   life       one occupation of a slot: from being bound to a machine until it is lost
 *   hold       a reason, with a time span, for which the slots are not (all) there, or not usable
 *   disruption a candidate for the cause of an interruption, at a time
 *   process    one run of the training program whose log is read; its records come in log order
 *   interruption  from the end of an execution that was not the job's own end, until all slots are available again
 *
 * Times are Unix milliseconds; TIME_UNKNOWN where not known, TIME_OPEN for an end that has not come. Text given to the
 * ledger is copied (bounded). The ledger is owned by its creator; the result is valid until ledger_result_done. */
#ifndef LEDGER_LEDGER_H
#define LEDGER_LEDGER_H

#include "base/buf.h"
#include "base/error.h"
#include "base/slice.h"
#include "ledger/buckets.h"
#include "ledger/record.h"

#define LEDGER_TEXT_SIZE 256 /* evidence: one line, UTF-8 */
#define LEDGER_NAME_SIZE 64
#define LEDGER_MAX_WINDOWS 4
#define LEDGER_MAX_CUSTOM 8 /* custom buckets; the rest goes to Custom/Other */

struct ledger;

struct ledger_options {
    int64_t ideal_step_ms; /* 0: learnt (median of the job's steps, first steps and outliers left out) */
    int64_t hang_after_ms; /* 0: learnt from the ideal step, at least 5 min */
    int64_t windows_ms[LEDGER_MAX_WINDOWS];
    int window_count;
    bool has_log;  /* a step log is attached (or wanted): without it RG, P and job goodput are absent */
    bool keep_all; /* never settles (below): memory grows with the log, any interval stays exact */
};

/* What is settled: so that memory and time stay bounded, evaluating folds the oldest steps into sums once 1,024 newer
 * steps (and ten minutes, as long as that is less than 4,096 steps) are known after them. Rollbacks into what is
 * settled stay exact where a checkpoint was (the newest 256), else they are prorated by steps, basis Derived. Windows
 * are prorated on a grid of window / 360. Facts about settled time that come later than that change nothing any more,
 * and asking for a settled time gives the time through which it is settled instead. */

struct ledger *ledger_new(const struct ledger_options *options);
void ledger_free(struct ledger *l);

/* ---- facts ---- */

enum ledger_outcome { OUTCOME_RUNNING, OUTCOME_SUCCEEDED, OUTCOME_FAILED, OUTCOME_DELETED };

/* The wall time: from the target's creation to its end (TIME_OPEN while it runs). */
void ledger_set_span(struct ledger *l, int64_t start_ms, int64_t end_ms, enum ledger_outcome outcome);

/* The number of required slots from a time on. Without any call nothing is required and nothing is available. */
void ledger_set_required(struct ledger *l, int64_t from_ms, int64_t slots);

/* The chips that the required slots ask for, from a time on. Without any call: slots x the chips of the largest life.
 */
void ledger_set_required_chips(struct ledger *l, int64_t from_ms, int64_t chips);

/* Who held a life's slot when the past was settled. IT: what it proves of a loss before then is taken back from the
 * past. ANOTHER: the slot was replaced when this life was created. */
enum ledger_held { LEDGER_HELD_BY_NONE, LEDGER_HELD_BY_IT, LEDGER_HELD_BY_ANOTHER };

/* One occupation of a slot. Identified by id (e.g. a pod's UID hashed): adding it again replaces it. */
struct ledger_life {
    uint64_t id;
    uint32_t slot;         /* dense number given by the caller; same place, same number */
    int64_t created_ms;    /* the attempt to fill the slot began; a new life of a slot supersedes the older */
    int64_t bound_ms;      /* has its machine: the slot is available from here (TIME_UNKNOWN: not yet) */
    int64_t pull_start_ms; /* image pull, TIME_UNKNOWN if none is known */
    int64_t pull_end_ms;
    int64_t running_ms;     /* the training containers of the slot run (first time in this life) */
    int64_t lost_ms;        /* no longer available: ended, terminating, disrupted, machine not Ready ... */
    int64_t ended_ms;       /* nothing of it can run after this (containers finished): clips records; TIME_OPEN */
    int64_t done_ms;        /* its work is complete: stays available from here whatever happens; TIME_UNKNOWN */
    int64_t known_until_ms; /* after it nothing is known of it: where time is not watched (ledger_set_unwatched) its
                               slot may be held by another life; TIME_OPEN */
    int64_t settled_ms;     /* ledger_add_past tells what it did until then, as if it had ended: it counts from
                               then on. 0: all of it does */
    enum ledger_held held;  /* its slot at settled_ms, as ledger_add_past tells */
    int32_t chips;          /* accelerators held from bound to released */
    int64_t released_ms;    /* the machine is free again; TIME_OPEN */
    char name[LEDGER_NAME_SIZE]; /* for evidence: "slice 0/3 on node gke-tpu-07"; may be empty */
    bool has_name;               /* it is empty because it is to be asked for: ledger_set_words */
};
void ledger_add_life(struct ledger *l, const struct ledger_life *life);

/* A training container of a slot started again within its life (in-place restart). Running before it was down: what was
 * told of that moment is taken back. */
void ledger_add_restart(struct ledger *l, uint64_t life_id, int64_t down_ms, int64_t running_ms);

/* A span in which the machine under a life gave no sign of life: whether the slot was held is not known. */
void ledger_add_silence(struct ledger *l, uint64_t life_id, int64_t from_ms, int64_t to_ms);

/* The spans, in time order and disjoint, in which lives may have come and gone without being observed. In them a slot
 * is known only from a life's creation until its known_until_ms; replaces the spans that were set before. */
struct ledger_span {
    int64_t from_ms, to_ms; /* TIME_OPEN */
};
void ledger_set_unwatched(struct ledger *l, const struct ledger_span *spans, size_t count);

/* What all lives that are forgotten (forget.h) did at one time: added to what the others do. */
struct ledger_change {
    int64_t at_ms, chips; /* by so much they moved then */
    int32_t available, running, pulling, silent;
    int32_t known;               /* slots of which something is known; only within time that is not watched */
    int32_t largest_chips;       /* of those that got their machine then */
    int32_t replaced, restarted; /* so many were, then */
    int32_t lost;                /* so many were, then */
};
/* Of the same time: both together. */
void ledger_change_add(struct ledger_change *to, const struct ledger_change *change);
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
 * execution ended at at_ms even if no slot was ever seen to be lost. key as above. */
struct ledger_disruption {
    enum cause cause;
    uint64_t key;
    int64_t at_ms; /* when the cause struck (best knowledge) */
    bool opens;
    char reason[LEDGER_NAME_SIZE]; /* sub-reason: the Kueue reason, the exit code; may be empty */
    char evidence[LEDGER_TEXT_SIZE];
    char node[LEDGER_NAME_SIZE], node_pool[LEDGER_NAME_SIZE];
};
void ledger_add_disruption(struct ledger *l, const struct ledger_disruption *d);

/* Of 12,736 lives and as many disruptions hardly one is ever named: their words can be left empty, and are then asked
 * for while something is evaluated or saved. They must be what would have been told. Not part of a checkpoint. */
struct ledger_words {
    void *context;
    void (*name_life)(void *context, uint64_t id, char name[static LEDGER_NAME_SIZE]);
    void (*describe)(void *context, struct ledger_disruption *d); /* key and cause are given: fills all texts */
};
void ledger_set_words(struct ledger *l, const struct ledger_words *words);

/* One run of the training program whose log is read, in order of start. Returns its ordinal for record.process.
 * Adding the same id again updates the times. ended_ms is the container's finishedAt. */
int ledger_add_process(struct ledger *l, uint64_t id, int64_t started_ms, int64_t ended_ms);
/* What evidence calls it: the pod whose log it is. Without a name, "process N" in order of start. */
void ledger_name_process(struct ledger *l, int process, const char *name);

/* How many steps late a step's line comes in this process's format: 1 (MaxText) or 0. Not told: 1 where lines tell
 * ends, 0 where they tell starts. Bounds what an unfinished step may have cost. */
void ledger_set_line_lag(struct ledger *l, int process, int steps);

/* The log of that process was read to its end and no line of it is missing, so that silence in it is the trainer's own:
 * an execution whose steps had stopped for longer than hangAfter before it ended has the cause Hang. Not part of a
 * checkpoint: told again with the process. */
void ledger_set_read_to_end(struct ledger *l, int process);
/* It was signalled to stop and given time: at_ms is a stamp of whole seconds. A save that ends later than that second
 * was made in its grace period; if none was in a log that was read to its end, and that tells of checkpoints, none was
 * made. Told again as well. */
void ledger_set_signalled(struct ledger *l, int process, int64_t at_ms);
/* Lines of it are lost: where it tells of nothing at all, its time is Unattributed, not preparation. Told again as
 * well. */
void ledger_set_lost(struct ledger *l, int process);

/* Its log is still being read, perhaps long after later ones: until that is over nothing is settled past its last
 * record nor in a process that began after it, so that no record of it comes late, but for as long as that holds up no
 * more than 8,192 steps. Tell it again after a load. */
void ledger_await(struct ledger *l, int process, bool is_awaited);

/* Records of one process come in log order; O(1) each. line numbers already seen for that process are ignored. */
void ledger_add_record(struct ledger *l, const struct record *r);

/* Leaves [from, to) out of everything: neither its time nor the steps that end in it count. The spans may overlap. From
 * now on nothing is settled (keep_all): tell it before the first evaluation. Part of a checkpoint. */
void ledger_exclude(struct ledger *l, int64_t from_ms, int64_t to_ms);

/* What the log's length costs, for tests of what is promised about it. */
struct ledger_cost {
    int64_t looked_at;       /* steps and intervals, counted each time that they are settled or evaluated */
    int64_t lives_looked_at; /* lives and disruptions, each time that they are summed or searched */
    int64_t held_bytes;      /* memory for what processes said and what is settled of it; not what objects tell */
};
struct ledger_cost ledger_cost_of(const struct ledger *l);

/* ---- checkpoints ---- */

#define LEDGER_SAVE_BYTES 32768 /* what a status has room for */

enum ledger_save_mode {
    LEDGER_SAVE_ALL,
    LEDGER_SAVE_WITHOUT_OBJECTS /* leaves out what objects tell: required slots and chips, lives, the past, restarts,
                                   silences, unwatched spans, holds, disruptions. After the load the caller tells them
                                   all again, also those of the past, before it evaluates or saves. */
};

/* Writes the whole state, at any record: binary, versioned, with a checksum. A ledger that was read back goes on to the
 * same results as this one. 7 to 10 KiB for an ordinary job, and without objects never more than LEDGER_SAVE_BYTES
 * (with keep_all there is no such bound): where the log would take more, the ledger itself gives detail away, what
 * harms least first (ledger_fold), and what is no longer exact has basis Derived. What came since the last evaluation
 * adds to it, so save after evaluating. Write into a buffer with a maximum: -EMSGSIZE if it does not fit.
 *
 * After the load: add each process whose log is still read again under its id (the ordinals are new ones), then its
 * records, from the line after the last one told or from any earlier one: lines that were seen are ignored, and so is
 * what comes again from processes that are settled. Tell the span (ledger_set_span) again only if it changed. */
int ledger_save(struct ledger *l, enum ledger_save_mode mode, struct buf *out);

/* Makes what ledger_save writes without objects take at most this many bytes (20 KiB is always reached). What is given
 * away first harms least: the durations' digits, the windows' grid, how far back a rollback is exact, the oldest of the
 * checkpoints' knots, words, the borders of the oldest processes, intervals and steps told one by one. Times still add
 * up; what is no longer known exactly has basis Derived. Nothing changes if it fits, or if all is to be kept. */
void ledger_fold(struct ledger *l, size_t most_bytes);

/* options: what changed since, NULL: as saved. Windows that were not there before reach exactly only as far back as
 * what is not settled. NULL with *err on damage, or where a newer version wrote it. */
struct ledger *ledger_load(struct slice saved, const struct ledger_options *options, struct error **err);

/* ---- results ---- */

struct ledger_bucket {
    enum bucket bucket;
    char custom[RECORD_NAME_SIZE]; /* BUCKET_CUSTOM: the name */
    int64_t ms;
    int64_t count;    /* separate spans */
    enum basis basis; /* the weakest that contributed */
    int64_t chip_ms;  /* allocated chips x ms */
    int64_t largest_ms;
    int64_t windows_ms[LEDGER_MAX_WINDOWS]; /* of it within each window */
    char evidence[LEDGER_TEXT_SIZE];        /* of the largest span */
};

enum ledger_saved { SAVED_UNKNOWN, SAVED_YES, SAVED_NO }; /* a checkpoint, once the process was told to stop */

struct ledger_interruption {
    int number;              /* 1.. */
    int64_t at_ms, until_ms; /* until all slots are available again; TIME_OPEN */
    enum cause cause;
    char reason[LEDGER_NAME_SIZE], evidence[LEDGER_TEXT_SIZE], node[LEDGER_NAME_SIZE], node_pool[LEDGER_NAME_SIZE];
    int64_t lost_steps;                                   /* RECORD_NONE if not known (yet) */
    int64_t tch_ms, tre_ms, wait_ms, trm_ms, catch_up_ms; /* RECORD_NONE where not known (yet) */
    int64_t chip_ms;   /* allocated chips x the first four, as far as they are known */
    int64_t quiet_ms;  /* cause Hang: how long nothing moved before it ended */
    int64_t detect_ms; /* from the death of the node or the process until it showed: FailureDetection */
    enum ledger_saved saved_on_sigterm;
    bool is_settled; /* training resumed, so that what was lost is known */
};

#define LEDGER_OLDER_CAUSES 32

struct ledger_older { /* sums over the interruptions (and the executions that they ended) that are not listed */
    int64_t count, counted, recovered, recover_ms, productive_ms; /* counted: in MTBI; recovered: in MTTR */
    struct {
        enum cause cause;
        char reason[LEDGER_NAME_SIZE]; /* of Kueue's evictions only */
        int64_t count, chip_ms;
    } causes[LEDGER_OLDER_CAUSES]; /* the last one takes what has no place */
    int cause_count;
};

struct ledger_execution {
    int number;                                            /* 1.. */
    int64_t start_ms, available_ms, first_step_ms, end_ms; /* TIME_UNKNOWN / TIME_OPEN */
    int64_t first_step, last_step;                         /* RECORD_NONE */
    int64_t image_pull_ms, container_start_ms, productive_ms;
    int64_t startup_ms;            /* ProgramStartup: its first step's compile */
    char puller[LEDGER_NAME_SIZE]; /* the slot that pulled longest, as words name it; "" */
};

struct ledger_window {
    int64_t window_ms, ms, available_ms, productive_ms;
    enum bucket top_badput;
    int64_t interruptions;
};

/* What lines of steps say of FLOP/s of one device, those that say about the same together: 8 classes to an octave. */
struct ledger_flops {
    int class;
    int64_t lines, steps, mflop; /* 10^6 FLOP of all these steps */
};
int64_t ledger_flops_least_milli(int class); /* the least that falls into it, 10^9 FLOP/s */

struct ledger_result {
    int64_t start_ms, end_ms /* TIME_OPEN */, observed_through_ms;
    int64_t wall_ms, available_ms, productive_ms, provisional_ms;
    bool has_steps;                /* step evidence: productive_ms, RG and job goodput are known */
    struct ledger_bucket *buckets; /* non-empty ones, Productive included, in table order; their ms add up to wall_ms */
    int bucket_count;
    int top_badput;                            /* index into buckets of the largest that is not Productive; -1 */
    struct ledger_interruption *interruptions; /* in time order; execution i ended with interruption i */
    int interruption_count;
    struct ledger_execution *executions;
    int execution_count;
    struct ledger_older older; /* of a long job only the newest are listed, always the newest 16; these came before */
    int64_t mtbi_ms, mttr_ms;  /* RECORD_NONE if there is nothing to divide by */
    struct ledger_window windows[LEDGER_MAX_WINDOWS];
    int window_count;
    /* slots now */
    int64_t slots_required, slots_available, slots_running;
    bool in_interruption;
    /* steps */
    int64_t last_step, max_step, first_step_now /* RECORD_NONE */, last_durable_step;
    int64_t last_record_ms; /* TIME_UNKNOWN */
    int64_t step_count, retained_steps, lost_steps;
    int64_t ideal_step_ms;               /* as used; 0 if not known */
    int64_t hang_after_ms;               /* as used */
    int64_t median_step_ms, p99_step_ms; /* of steps that are not the first of their process; RECORD_NONE */
    /* chips x ms; lost = allocated - productive */
    int64_t chip_ms_allocated, chip_ms_productive, chip_ms_waiting;
    int64_t chips; /* required now */
    /* data quality */
    struct ledger_flops *flops; /* of the whole log, by class */
    int flops_count;
    int64_t durable_saves; /* of which lines tell when they began and when a restart could use them; 0: of none */
    int64_t durable_ms;    /* how long that took, of all of them together */
    int64_t headless_ms; /* Unattributed: the beginning of a log was not read, as the steps that it begins with show */
    int64_t clipped_ms;  /* records outside their container or the wall time: condition ClockSkew */
    int64_t overlapped_records;
    int64_t late_records;             /* of time that was settled when they came: they are counted nowhere */
    int64_t excluded_ms;              /* left out of the wall time */
    bool retained_without_checkpoint; /* basis Assumed: no checkpoint evidence at all */
};

/* The ledger as known at through_ms (not after the end). Fills *result; call ledger_result_done afterwards. Settles
 * what can be: what happened by through_ms is told, but for what comes late. */
void ledger_evaluate(struct ledger *l, int64_t through_ms, struct ledger_result *result);
/* The part [from, to) of what ledger_evaluate(through_ms) says of the whole: intervals that tile the job sum to it, to
 * the millisecond and the step (a step counts where it ends). Listed are the interruptions that struck in it and the
 * executions that they ended, and the last one; windows are left out. Wants keep_all: what is settled is left out, and
 * start_ms tells from when on the interval really is. */
void ledger_evaluate_interval(struct ledger *l, int64_t through_ms, int64_t from_ms, int64_t to_ms,
                              struct ledger_result *result);
void ledger_result_done(struct ledger_result *result);
/* When the number of available, running or required slots changes last, for all that is known; TIME_UNKNOWN: never. */
int64_t ledger_last_change_ms(struct ledger *l);

struct ledger_scores { /* parts per million; RECORD_NONE: not known */
    int64_t scheduling_ppm, runtime_ppm, job_ppm, upper_ppm, evidence_ppm;
    int64_t scheduling_upper_ppm, job_upper_ppm; /* RECORD_NONE as well where nothing is unobserved */
    int64_t unattributed_ms, suspended_ms, unobserved_ms;
};

/* SG = A / W, RG = P / A, job goodput = SG x RG = P / W, upper = (P + U) / A, evidence = 1 - U / A, upper bound of SG
 * (A + Unobserved) / W and of the job goodput (P + U + Unobserved) / W (deploy/docs/concepts/ledger.md,
 * test_identities.c). */
struct ledger_scores ledger_scores_of(const struct ledger_result *result);

/* Ratio in parts per million, rounded to nearest, half up; RECORD_NONE if denominator is 0. */
int64_t ledger_ppm(int64_t numerator, int64_t denominator);

#endif
