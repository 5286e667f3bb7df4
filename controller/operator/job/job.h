/* job: one JobGoodput inside the model: its spec, the target it measures, the ledger, the logs that are read. Private
 * to the model; model.h is what others see. */
#ifndef OPERATOR_JOB_H
#define OPERATOR_JOB_H

#include "ledger/trainer_run.h"
#include "operator/job/logs.h"
#include "operator/job/notice.h"
#include "operator/job/result.h"
#include "operator/job/slots.h"
#include "operator/job/source.h"
#include "operator/job/trace.h"
#include "operator/store/store.h"
#include "steplog/userformat.h"

#define JOB_MAX_NOTICES 64
#define JOB_TOLD 16                /* so many of the newest interruptions are told as Events */
#define JOB_UNRECOGNISED_LINES 200 /* so many lines without a step: the format is not recognised */
#define JOB_CURSOR_BYTES 4096      /* of a source: SOURCE_CURSOR_BYTES */
#define JOB_TRACE_POINTS 256       /* of steps, and of saves: 12 KiB at most, for a picture */
#define JOB_MIN_EVIDENCE_PPM 950000

#define JOB_MAX_EARLIER_RUNS 256 /* earlier runs of the trainer in one container that are still told */

struct log_run {                                /* of the trainer, which was started anew in the same container since */
    int64_t from_ms, ended_ms, last_step, line; /* RECORD_NONE; line: of the next run's first record */
};

struct log_process { /* the log of one instance of the log container */
    struct model_job *job;
    struct pod *pod; /* NULL: a run that no pod tells of (source.c) */
    int restart_count;
    int ordinal;                    /* in the ledger, of its present run */
    int run;                        /* so often the trainer was started anew in it */
    int64_t run_from_ms, last_step; /* of the present run: TIME_UNKNOWN: with the container; RECORD_NONE */
    struct trainer_run trainer;
    struct log_run *runs; /* the last ones before, in time order */
    int earlier, runs_capacity;
    bool has_ended;
    char lost[128]; /* why lines are missing; "" */
    int64_t first_line_ms, last_line_ms;
    int64_t last_stamp_ns; /* INT64_MIN: none */
    struct steplog *parser;
};

struct job_told { /* an interruption that was told as an Event */
    int number;
    uint64_t hash; /* of what was said */
    int64_t at_ms; /* when, by this controller */
    bool was_over; /* said with its numbers */
};

struct ready_line { /* how many required pods were Ready: changes, in time order */
    struct ready_change {
        int64_t at_ms;
        int by;
    } * items;
    size_t count, capacity;
};

struct model_job {
    struct model *model;
    char *namespace_, *name, *uid;
    int64_t generation, created_ms;
    /* spec */
    enum target_kind target_kind;
    char *target_name; /* its own, as all names that each job may have another of */
    const char *required[OBJECT_REPLICATED_JOBS];
    int required_count;
    const char *source, *format, *container, *log_job;
    char *log_path, *log_project, *log_logger, *log_job_name; /* of other sources than PodLog */
    int64_t log_job_index, log_completion_index;
    char *patterns[OBJECT_REGEXES]; /* format Regex; NULL: not given */
    char *pattern_error;            /* why they cannot be used; NULL */
    int64_t log_work;               /* of its patterns so far */
    char *costly_pattern;           /* it took all work of a minute: the log is not read; NULL */
    struct ledger_options options;
    struct object_program program; /* no part of the ledger: may change at any time */
    const struct chip *chip;       /* of the target; NULL: no label told; program.c */
    uint64_t chip_target;          /* hash of the UID of the target that it is of */
    uint64_t chip_version;         /* of the nodes' labels, when they were looked at */
    size_t chip_seen;              /* so many of its first pods have told what they can */
    int64_t total_steps;           /* 0: not told */
    int64_t price, label_price;    /* per chip-hour: spec.cost, and the nodes' label, which is of chip_target */
    char currency[PRICE_CURRENCY_SIZE];
    uint64_t counting_hash, log_hash; /* of the spec */
    int64_t log_changed_in;           /* the generation of the spec that tells another log than before; 0: none */
    /* what it measures */
    struct target *target;
    struct model_job *duplicate_of; /* the oldest JobGoodput of the same target */
    struct model_job *next_of_target;
    struct model_job *earlier; /* of earlier targets of the name, newest first: earlier.c */
    struct model_job *later;   /* this one is of an earlier target: the job that it belongs to; NULL */
    struct ledger *ledger;
    struct pushed_list pushed;
    struct ready_line ready_line;
    struct job_slots slots;
    uint64_t shape_version;
    struct spans unwatched;             /* as told last: store_unwatched() */
    int64_t counted, counted_evictions; /* interruptions that only counters tell of; by Kueue */
    int64_t restarted_alone;            /* Jobs that were, as of jobs_version */
    uint64_t jobs_version;
    struct ledger_hold hold_now; /* what the target itself waits for; kind BUCKET_COUNT: nothing */
    int64_t holds_over_ms;       /* when it last stopped to wait */
    int64_t end_learned_ms;      /* when an evaluation first knew that the target has ended; TIME_UNKNOWN */
    int64_t observed_ms;         /* receipt of the newest object that may have changed its status */
    int64_t told_through_ms;     /* observedThrough never goes back while the target runs */
    bool is_deleted, is_dirty, needs_all_pods;
    /* the log */
    struct pod **log_pods;
    int log_pod_count, log_pod_capacity;
    uint64_t log_pods_version, log_pods_shape, log_generation;
    size_t log_pods_seen;
    struct trace trace; /* for the page */
    struct log_process **processes;
    int process_count, process_capacity;
    char log_trouble[256];        /* now; "" */
    char checkpoint_trouble[256]; /* why what an earlier controller knew is not all known; "" */
    char *source_cursor;          /* of other sources than PodLog: where to go on; NULL */
    int64_t source_earlier;       /* its lines from before the target was created */
    int64_t log_watermark_ms;
    int64_t told_steps; /* at the last status */
    /* results */
    struct job_condition conditions[JOB_CONDITIONS];
    struct job_previous previous[JOB_MAX_PREVIOUS];
    int previous_count;
    struct model_notice *notices; /* their notes are ours */
    int notice_count, notice_next;
    struct job_told told[JOB_TOLD];
    bool told_end, is_final, told_first_step;
    const char *told_log_reason;
    bool was_evaluated;        /* by us: then a status that is observed is our own */
    char *final_status;        /* the final status as it was found: never computed anew; NULL */
    struct job_previous final; /* what it says */
    const char *final_phase;
    void *user;
};

/* job.c */
void job_free(struct model_job *job);
void job_free_parts(struct model_job *job); /* all but what it borrows as one of an earlier target */
void job_mark_dirty(struct model *m, struct model_job *job);
void job_notice(struct model_job *job, const struct model_notice *notice); /* the note is copied */
void job_drop_notices(struct model_job *job);

/* target.c: which target, which slots, which log */
/* What the store touched: new targets find their jobs, and jobs are marked. */
void job_take_touched(struct model *m);
/* Puts it among the JobGoodputs of that target, or takes it away; what that means for the others is found out. */
void job_aim(struct model_job *job, enum target_kind kind, struct slice target_name);
void job_take_aim_off(struct model_job *job);
void job_find_target(struct model_job *job); /* also tells duplicates apart; its own and those of younger ones */
void job_set_target(struct model_job *job, struct target *t);
/* The spec names another log: a new ledger, and all that can be read of it is read again. */
void job_begin_anew(struct model_job *job);
/* The spec counts otherwise (windows, ideal step, required replicated jobs): the ledger keeps its records. */
void job_count_otherwise(struct model_job *job);
/* earlier.c: the present target has a successor: what comes late for it still counts */
void job_keep_earlier(struct model_job *job);
/* Into status.previous: what came since the last call; all is known of objects up to known_ms. */
void job_tell_earlier(struct model_job *job, int64_t known_ms);
void job_free_earlier(struct model_job *job);
void job_free_one_earlier(struct model_job *e);
/* The job, or the one of an earlier target, that the pod belongs to; NULL: none. */
struct model_job *job_of_pod(struct model_job *job, const struct pod *p);
/* forbidden.c: why objects of that kind, which the job depends on, cannot be read; NULL: they can, or do not matter. */
const struct forbidden *job_forbidden(const struct model_job *job, enum resource resource);
/* The same where nothing can be measured without them, beyond what was known before. */
const struct forbidden *job_blocked_by(const struct model_job *job, enum resource resource);
const struct forbidden *job_blocked(const struct model_job *job); /* by any of them */
bool job_has_user_format(const struct model_job *job);            /* spec.stepLog.format names a StepLogFormat */
bool job_is_managed_elsewhere(const struct model_job *job);
bool target_is_queued_by_kueue(const struct target *t);
bool job_requires(const struct model_job *job, int replicated_job);
/* How many slots are required at most; 0: none, or too many to be looked at. */
size_t job_slot_count(const struct model_job *job);
/* The slot of a pod, or -1 if it is in none that is required. */
int64_t job_slot(const struct model_job *job, const struct pod *p);
/* The replicated job whose log is read; NULL if it does not exist. */
const struct replicated_job *job_log_replicated_job(const struct model_job *job);
void job_find_log_pods(struct model_job *job);
/* The container of the log, "" if the pod has none of that name. */
const char *job_log_container(const struct model_job *job, const struct pod *p);
int64_t job_pods_at(const struct replicated_job *r, int64_t at_ms);

/* final.c: the status of a target that had ended before this controller began is the record, and stays. */
void job_find_final(struct model_job *job, const struct object_jobgoodput *o);
void job_find_previous(struct model_job *job, const struct object_jobgoodput *o);
void job_drop_final(struct model_job *job, const struct target *target); /* if it is of another target */
void job_write_final(struct model_job *job, struct buf *out, struct model_summary *summary);
void job_push_previous(struct model_job *job, const struct job_previous *result);

/* chip.c: which chip the nodes of its pods name, and what it costs by their labels; else the status of a predecessor */
void job_find_chip(struct model_job *job);
void job_remember_chip(struct model_job *job, const struct object_jobgoodput *o);

/* forget.c: pods that are gone for good leave only what they did, as numbers. To be called after an evaluation. */
void job_forget_pods(struct model_job *job, int64_t through_ms);
/* All that can be forgotten is, however lately it is gone: true if any was. */
bool job_forget_all_pods(struct model_job *job);

/* facts.c: tells the ledger what changed since the last call */
void job_tell_facts(struct model_job *job);
int64_t job_end_ms(const struct model_job *job); /* TIME_OPEN while it runs */

/* logs.c */
void job_set_patterns(struct model_job *job, const struct object_jobgoodput *o);
void job_free_patterns(struct model_job *job);
void job_logs_done(struct model_job *job);
struct log_process *job_log_process(struct model_job *job, struct pod *p, int restart_count);
void job_log_stored_line(struct model_job *job, struct log_process *p, int64_t stored_ms, struct slice line);
void job_log_process_end(struct model_job *job, struct log_process *p, const char *lost);
void job_tell_processes(struct model_job *job);

/* log_work.c */
#define JOB_LOG_WORK 100000000 /* of a job's patterns in a minute, in steplog_take_work()'s units */
/* The job has no work left: its log is not read until its patterns are changed, and not before the next minute. */
bool job_is_log_barred(const struct model_job *job);
void job_charge_log(struct model_job *job, struct steplog *parser); /* after each line */
void job_log_work_tick(struct model *m, int64_t now_ms);

/* formats.c: StepLogFormats */
/* The format that a job's spec names, where that is none of the built-in ones; NULL: it cannot be used, *ret_trouble
 * (may be NULL) says why: NULL if there is none of that name. */
const struct userformat *job_user_format(const struct model_job *job, const char **ret_trouble);

/* source.c */
bool job_has_source(const struct model_job *job); /* another one than PodLog */

#endif
