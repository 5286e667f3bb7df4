/* process: the records of one run of the training program, in log order, kept compactly: its steps, the intervals that
 * it named (saves, restores, input waits, ...), its checkpoints. Appending is O(1) amortised and depends only on the
 * records and their order; a line that was seen before is ignored. What it means for the job is decided in training.c.
 *
 * The times of one process never go back here: a record that claims an earlier time than the one before it is taken at
 * that one's time, and one that claims a time long after its line was received is taken at the line's stamp. */
#ifndef LEDGER_PROCESS_H
#define LEDGER_PROCESS_H

#include "ledger/buckets.h"
#include "ledger/record.h"

#include <stddef.h>

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

struct step_list {
    struct step_event *items; /* the first of those that are left: `skipped` before it are free */
    size_t count, capacity, skipped;
    struct run_mark *runs;
    size_t run_count, run_capacity;
    struct step_event pending; /* a number that went back: a new series, or noise? The next one decides */
    bool has_pending, is_restored;
    struct delta_count deltas[8]; /* how far apart the numbers are: 1, or the trainer's log interval */
};

struct overlay {
    int64_t from_ms, to_ms;
    uint32_t line;
    uint8_t bucket;   /* enum bucket */
    uint8_t custom;   /* index of the process's custom names */
    bool by_duration; /* known only when it was over */
    bool is_derived;  /* record.is_derived */
};

struct durable_mark {
    int64_t at_ms, step;
    bool
        is_final; /* final on all hosts; else written or blocking save over: counts where no log line ever says final */
};

#define PROCESS_SAVINGS 2 /* one may begin while the one before it is still being written */

struct saving {            /* a save of which no line said yet that it is final */
    int64_t step, from_ms; /* RECORD_NONE: not known; TIME_UNKNOWN: there is none */
    bool is_async, is_written;
};

struct slice_mark { /* of an elastic job: from then on so many of its slices train; total 0: nobody says */
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

struct process {
    uint64_t id;
    size_t ordinal; /* among all processes of the ledger */
    char *name;     /* NULL: none was given */
    int64_t started_ms, ended_ms;
    int line_lag;        /* steps that a step's line comes late: -1: default */
    bool is_awaited;     /* records of it are still to come: nothing is settled past what was read of it */
    bool is_lost;        /* lines of it are missing for good */
    bool is_read_to_end; /* no line of it is missing: that it says nothing means something */
    struct step_list ends, starts;
    struct overlay *overlays; /* sorted: from ascending, ties: the one that wins last */
    size_t overlay_count, overlay_capacity, overlay_skipped;
    struct durable_mark *durables;
    size_t durable_count, durable_capacity, durable_skipped;
    struct slice_mark *slices;
    size_t slice_count, slice_capacity, slice_skipped;
    int64_t settled_ms; /* intervals from before it are cut there: that time is settled; TIME_UNKNOWN */
    struct open_interval {
        int64_t from_ms; /* TIME_UNKNOWN: not open */
        uint32_t line;
        bool is_async;
    } open[OPEN_KINDS], open_custom[PROCESS_CUSTOM_NAMES];
    char (*custom_names)[RECORD_NAME_SIZE];
    int custom_count;
    int64_t custom_first_ms[PROCESS_CUSTOM_NAMES];
    struct saving saving[PROCESS_SAVINGS]; /* the newest first */
    int64_t resume_step, ready_ms, last_save_step;
    int64_t first_line_ms; /* of the first line that was read, whatever it says; TIME_UNKNOWN */
    int64_t first_record_ms, last_ms, job_end_ms, first_checkpoint_ms, sigterm_save_ms; /* TIME_UNKNOWN */
    int64_t signalled_ms;     /* SIGTERM, as objects show; not in checkpoints */
    int64_t last_saved_ms[2]; /* the newest mark that add_durable made: of saves that may not be final; of final ones */
    int64_t last_line;
    uint64_t line_hashes[8]; /* of the records of the last line, so that a line read twice counts once */
    int line_hash_count;
    bool is_thinned;      /* not all that it said is kept one by one (compact.c): what it says is derived */
    int64_t late_records; /* they came when their time was settled, and are left out */
};

struct process *process_new(uint64_t id);
void process_free(struct process *p);
void process_add(struct process *p, const struct record *r, struct totals *totals);
/* What another process said becomes this one's (compact.c). */
void process_add_overlay(struct process *p, const struct process *from, struct overlay o);
void process_add_durable(struct process *p, struct durable_mark d);
void process_add_slices(struct process *p, struct slice_mark m);
/* Its start: as given, else its first record; TIME_UNKNOWN. */
int64_t process_order_ms(const struct process *p);
/* Forgets the steps before item `first` of the list, whose run goes on. */
void step_list_drop(struct step_list *list, size_t first);
/* Forgets the intervals and checkpoints that were over by then. */
void process_settle(struct process *p, int64_t through_ms);
/* How many of the list's steps were reported by then. */
size_t step_list_until(const struct step_list *list, int64_t through_ms);

#endif
