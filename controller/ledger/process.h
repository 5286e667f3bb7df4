/* process: the records of one run of the training program, in log order, kept compactly: its steps, the intervals that
 * it named (saves, restores, input waits, ...), its checkpoints. Appending is O(1) amortized and depends only on the
 * records and their order. A line that was read before is ignored. training.c decides what the records mean for the
 * job.
 *
 * The times of one process never go back: a record with an earlier time than the one before it gets that record's time.
 * Signs of life do not count for this: a parser may hold a step while the lines after it show that the process lives.
 * A record with a time long after its line was received gets the line's timestamp. */
#ifndef LEDGER_PROCESS_H
#define LEDGER_PROCESS_H

#include "ledger/buckets.h"
#include "ledger/lines_seen.h"
#include "ledger/record.h"

#include <stddef.h>

struct process_phases;
struct totals;

struct step_event { /* 24 bytes: there are millions */
    int64_t at_ms, step;
    int32_t duration_ms; /* -1: not given */
    uint32_t line;
};

enum run_reason { RUN_OF_PROCESS, RUN_AFTER_RESTORE, RUN_NEW_SERIES };

/* A run: steps of one process whose numbers only go up. */
struct run_mark {
    size_t first; /* index of its first step */
    enum run_reason reason;
    int64_t resume_step; /* the step at which a restore or the trainer says that training resumes; RECORD_NONE */
    int64_t ready_ms;    /* end of the last preparation or restore before it; TIME_UNKNOWN */
    int64_t first_step;
};

struct delta_count {
    int64_t delta, count;
};

#define STEPS_SETTLED_AT_ONCE 256 /* settle.c */
#define STEPS_SETTLED_LAST 64     /* of a job that runs: what it keeps beyond its tail */

struct step_list {
    struct step_event *items; /* the first item that is left: the `skipped` entries before it are free */
    size_t count, capacity, skipped;
    struct run_mark *runs;
    size_t run_count, run_capacity;
    struct step_event pending; /* a number that went back: the next one decides whether it is a new series or noise */
    bool has_pending, is_restored;
    int64_t added, in_bursts;     /* steps, and those that came in bursts (bursts.h) */
    int64_t apart;                /* the distance between the last two numbers of a burst */
    struct delta_count deltas[8]; /* the distances between the numbers: 1, or the trainer's log interval */
};

static inline void step_list_count_delta(struct step_list *list, int64_t delta) {
    for (size_t i = 0; i < sizeof list->deltas / sizeof list->deltas[0]; i++)
        if (list->deltas[i].delta == delta || list->deltas[i].count == 0) {
            list->deltas[i].delta = delta;
            list->deltas[i].count++;
            return;
        }
}

struct overlay {
    int64_t from_ms, to_ms;
    uint32_t line;
    uint8_t bucket;   /* enum bucket */
    uint8_t custom;   /* index of the process's custom names */
    bool by_duration; /* reported only at its end */
    bool is_derived;  /* record.is_derived */
};

/* Whether a line says how long it was, not the times of lines. */
static inline bool overlay_is_stated(const struct overlay *o) {
    return o->by_duration && !o->is_derived;
}

struct durable_mark {
    int64_t at_ms, step;
    bool is_final; /* final on all hosts; else the save is written, or no longer blocks: that counts where no log line
                      ever says final */
};

#define PROCESS_SAVINGS 2 /* a save may begin while the one before it is still being written */

struct saving {            /* a save that no line has reported as final yet */
    int64_t step, from_ms; /* RECORD_NONE: not known; TIME_UNKNOWN: there is none */
    bool is_async, is_written;
};

struct slice_mark { /* of an elastic job: from at_ms on `active` of its slices train; total 0: not known */
    int64_t at_ms;
    int32_t active, total;
    uint32_t line;
};

#define PROCESS_CUSTOM_NAMES 16 /* the last one is OTHER */

enum open_kind {
    OPEN_INIT,
    OPEN_PREPARATION,
    OPEN_RESTORE,
    OPEN_SAVE,
    OPEN_DATA,
    OPEN_EVALUATION,
    OPEN_REINIT,
    OPEN_WAIT, /* of an elastic job, for slices */
    OPEN_KINDS
};

struct overlay_list { /* by from_ms, ascending; on a tie the one that wins is last */
    struct overlay *items;
    size_t count, capacity, skipped;
};

struct durable_list {
    struct durable_mark *items;
    size_t count, capacity, skipped;
};

struct slice_list {
    struct slice_mark *items;
    size_t count, capacity, skipped;
};

struct open_interval {
    int64_t from_ms; /* TIME_UNKNOWN: not open */
    uint32_t line;
    bool is_async;
};

struct custom_intervals { /* of the names that the program gave, PROCESS_CUSTOM_NAMES at most */
    struct custom_interval {
        char name[RECORD_NAME_SIZE];
        int64_t first_ms;
        struct open_interval open;
    } * items;
    size_t count, capacity;
};

struct process_saves {
    struct saving pending[PROCESS_SAVINGS]; /* the newest first */
    int64_t last_step, sigterm_ms;
    int64_t last_ms[2]; /* the newest mark of add_durable: [0] of saves that may not be final, [1] of final ones */
};

struct process_facts { /* ledger.c sets them: facts of the container and its log */
    int64_t started_ms, ended_ms;
    int64_t signaled_ms; /* SIGTERM, from objects; not in checkpoints */
    int line_lag;        /* steps that a step's line comes late: -1: default */
    bool is_awaited;     /* more records will come: nothing is settled past the last one */
    bool is_lost;        /* lines of its log are lost */
    bool is_read_to_end; /* no line of its log is missing: silence is evidence */
};

struct process {
    uint64_t id;
    size_t ordinal; /* among all processes of the ledger */
    char *name;     /* NULL: none was given */
    struct process_facts given;
    struct step_list ends, starts;
    struct overlay_list overlays;
    struct durable_list durables;
    struct slice_list slices;
    int64_t settled_ms; /* the process is settled up to here: earlier intervals are cut at it; TIME_UNKNOWN */
    struct open_interval open[OPEN_KINDS];
    struct custom_intervals custom;
    struct process_saves saves;
    struct lines_seen lines;
    struct process_phases *phases; /* NULL: none */
    int64_t resume_step, ready_ms;
    int64_t first_line_ms; /* of the first line that was read, with or without a record; TIME_UNKNOWN */
    int64_t first_record_ms, last_ms, job_end_ms, first_checkpoint_ms; /* TIME_UNKNOWN */
    bool is_derived;      /* only the looks of its lines say that they are of steps: basis Derived */
    bool counts_lines;    /* record.counts_lines */
    bool is_thinned;      /* compact.c dropped some of its records: its results have basis Derived */
    int64_t late_records; /* records that came after their time was settled, and are not counted */
};

#define PROCESS_MAX_STEP 1000000000 /* a larger number is not a step, so that no sum over steps can overflow */

/* Years 0001 to 9999, so that sums cannot overflow. */
static inline bool process_is_plausible(int64_t ms) {
    return ms >= -62135596800000 && ms <= 253402300799999;
}

struct process *process_new(uint64_t id);
void process_free(struct process *p);
void process_add(struct process *p, const struct record *r, struct totals *totals);
void process_append_step(struct step_list *list, const struct step_event *e);
/* These add the facts of another process to this one (compact.c). */
void process_add_overlay(struct process *p, const struct process *from, struct overlay o);
void process_add_durable(struct process *p, struct durable_mark d);
void process_add_slices(struct process *p, struct slice_mark m);
/* The start of the process: as given, else its first record; TIME_UNKNOWN. */
int64_t process_order_ms(const struct process *p);
/* Compares it with another by start, on a tie by name, then by id. */
int process_compare(const struct process *p, int64_t order_ms, const char *name, uint64_t id);
/* Drops the intervals and checkpoints that ended no later than through_ms. */
void process_settle(struct process *p, int64_t through_ms);
/* The number of its steps, intervals and checkpoints of no later than through_ms: as much an evaluation looks at. */
size_t process_count_until(const struct process *p, int64_t through_ms);

#endif
