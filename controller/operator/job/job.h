/* job: one JobGoodput: its spec, the target that it measures, the ledger, and the logs that are read. Private to the
 * model; model.h is what others see. */
#ifndef OPERATOR_JOB_H
#define OPERATOR_JOB_H

#include "ledger/trainer_run.h"
#include "operator/job/archive.h"
#include "operator/job/evidence.h"
#include "operator/job/followed_words.h"
#include "operator/job/jobs.h"
#include "operator/job/notice.h"
#include "operator/job/result.h"
#include "operator/job/root_cause.h"
#include "operator/job/slots.h"
#include "operator/job/source.h"
#include "operator/job/trace.h"
#include "operator/objects/jobgoodput.h"
#include "operator/store/store.h"
#include "steplog/patterns.h"
#include "steplog/step_samples.h"

#define JOB_MAX_INTERRUPTION_NOTICES 16 /* of the newest interruptions */
#define JOB_TROUBLE_BYTES 256
#define JOB_LOST_BYTES 128

#define JOB_MAX_EARLIER_RUNS 256 /* earlier runs of the trainer in one container that are still reported */

struct log_run { /* an earlier run of the trainer, before a restart in the same container */
    int64_t from_ms, ended_ms, last_step, line; /* RECORD_NONE; line: of the next run's first record */
};

struct log_process { /* the log of one instance of the log container */
    struct model_job *job;
    struct pod *pod; /* NULL: a run without a known pod (source.c) */
    int restart_count;
    int ordinal;                    /* of its current run, in the ledger */
    int run;                        /* restarts of the trainer in it */
    int64_t run_from_ms, last_step; /* of the current run; TIME_UNKNOWN: since the container's start; RECORD_NONE */
    struct trainer_run trainer;
    struct log_run *runs; /* earlier runs, in time order */
    int earlier, runs_capacity;
    bool has_ended;
    char *lost; /* why lines are missing; NULL: none is */
    int64_t first_line_ms, last_line_ms;
    int64_t last_stamp_ns; /* INT64_MIN: none */
    struct steplog *parser;
    int64_t step_records;         /* so far, by this controller */
    struct followed_words *words; /* NULL: no line named a failure */
    struct heads *heads;          /* the parser's: they show where the trainer started again */
    struct step_samples *samples; /* until a step is read; NULL */
};

struct ready_line { /* changes of the number of Ready required pods, in time order */
    struct ready_change {
        int64_t at_ms;
        int by;
    } * items;
    size_t count, capacity;
};

/* ---- the parts of a job, each written by one owner ---- */

/* spec.stepLog. Interned texts are borrowed; the others are the job's own, as each job may have another one. */
struct job_log_spec {
    const char *source, *format, *container, *replicated_job;
    enum model_source_kind kind;
    int64_t job_index, completion_index;      /* of the pod; -1: not given */
    char *path, *project, *logger, *job_name; /* of other sources than PodLog */
    char *patterns[OBJECT_REGEXES];           /* format Regex; NULL: not given */
    char *pattern_error;                      /* why they cannot be used; NULL */
};

struct job_spec { /* what the JobGoodput asks for: model/jobgoodput.c */
    enum target_kind target_kind;
    char *target_name;
    char *required; /* names of replicated jobs, a line each; NULL: those that ask for chips */
    struct job_log_spec log;
    struct ledger_options options;
    struct object_program program; /* not part of the ledger: it may change at any time */
    int64_t total_steps;           /* 0: not given */
    int64_t price;                 /* per chip-hour: spec.cost */
    char currency[PRICE_CURRENCY_SIZE];
    int64_t generation;
    int64_t log_generation;           /* the generation that named another log than before; 0: none */
    uint64_t counting_hash, log_hash; /* of what decides how steps are counted, and which log is read */
};

struct job_accelerator {     /* what the labels of the target's nodes show: chip.c */
    const struct chip *chip; /* NULL: not known */
    int64_t price;           /* per chip-hour; PRICE_NONE: not known */
    uint64_t target_hash;    /* of the UID of the target that it belongs to */
    uint64_t labels_version; /* of the nodes, when they were read */
    size_t pods_read;        /* so far from the start of target.pods: they show nothing new */
};

struct job_links {                  /* other jobs: target.c, earlier.c */
    struct model_job *duplicate_of; /* the oldest JobGoodput of the same target */
    struct model_job *next_of_target;
    struct model_job *earlier; /* of earlier targets of the name, newest first */
    struct model_job *later;   /* of a job of an earlier target: the job that it belongs to; NULL */
};

struct job_facts { /* what the ledger has of the target's objects: facts.c */
    struct pushed_list pushed;
    struct ready_line ready_line;
    struct job_slots slots;
    struct spans unwatched; /* store_unwatched() */
    uint64_t shape_version, jobs_version;
    int64_t interruptions, evictions; /* that only counters report; evictions: by Kueue */
    int64_t jobs_restarted;           /* Jobs restarted alone, as of jobs_version */
    struct ledger_hold *hold;         /* what the target itself waits for; NULL: nothing */
    int64_t hold_end_ms;              /* when it last stopped waiting */
    bool needs_all_pods;
};

struct job_log_pods { /* whose logs are read: log_pods.c */
    struct pod **items;
    int count, capacity;
    uint64_t version, shape_version;
    size_t pods_read; /* so far from the start of target.pods they were checked */
};

struct job_log { /* what was read of the log: logs.c, source.c */
    uint64_t generation;
    struct log_process **processes;
    int process_count, process_capacity;
    char *trouble;                   /* now; NULL: none */
    char *cursor;                    /* of other sources than PodLog: where reading continues; NULL */
    int64_t early_lines;             /* from before the target was created */
    struct trace trace;              /* for the page */
    struct save_errors *save_errors; /* NULL: none */
    int64_t work;                    /* of the patterns so far */
    int64_t backlog;                 /* records since the ledger was last evaluated */
    char *costly_pattern;            /* it took all work of a minute: the log is not read; NULL */
};

struct job_observation { /* how far the target is known: evaluate.c */
    int64_t newest_ms;   /* receipt of the newest object that may have changed its status */
    int64_t end_ms;      /* when an evaluation first knew that the target has ended; TIME_UNKNOWN */
    int64_t through_ms;  /* observedThrough never goes back while the target runs */
    char *trouble;       /* why what an earlier controller knew is not all known; NULL: it is */
};

struct job_publication { /* what the last status had, for the next one: evaluate.c */
    struct job_condition conditions[JOB_CONDITIONS];
    struct job_previous *previous; /* room for JOB_MAX_PREVIOUS; NULL: there is none */
    int previous_count;
    int64_t step_count;
    bool is_final;
    bool is_own; /* this process has written one: a status that is observed is that */
};

struct job_interruption_notice {
    int number;
    uint64_t hash; /* of the text */
    int64_t at_ms; /* when, by this controller */
    bool is_over;  /* with the numbers of its end */
};

struct job_notices {            /* what was published, or is to be, as Kubernetes Events: notice.c */
    struct model_notice *items; /* with their notes */
    int count, next;
    struct job_interruption_notice *interruptions; /* by number, JOB_MAX_INTERRUPTION_NOTICES; NULL: none */
    bool has_end, has_first_step;
};

struct job_final { /* the final status that an earlier controller wrote: never computed again: final.c */
    char *status;  /* NULL: none */
    struct job_previous numbers;
    const char *phase;
};

struct model_job {
    struct jobs *jobs;
    struct store *store;
    char *namespace_, *name, *uid;
    char *labels; /* JSON; NULL: none */
    int64_t created_ms;
    struct job_spec spec;
    struct job_accelerator accelerator;
    struct job_links links;
    struct target *target;
    struct ledger *ledger;
    struct job_facts facts;
    struct job_log_pods log_pods;
    struct job_log log;
    struct job_observation observation;
    struct job_publication publication;
    struct job_notices notices;
    struct job_evidence evidence;       /* facts/node_evidence.c */
    struct job_root_causes root_causes; /* facts/root_cause.c */
    struct job_final final;
    struct job_archive archive;
    bool is_deleted, is_dirty;
    void *user;
};

/* Its log is not one of a pod. */
static inline bool job_has_source(const struct model_job *job) {
    return job->spec.log.kind > MODEL_SOURCE_POD_LOG;
}

/* Replaces a text that most jobs do not have, cut to size_bytes with its end; NULL and "" leave NULL. */
void job_set_text(char **text, size_t size_bytes, const char *value);
struct job_interruption_notice *job_interruption_notices(struct model_job *job); /* with room for all */
void job_mark_dirty(struct model_job *job);
/* The job, or the one of an earlier target, that the pod belongs to; NULL: none. */
struct model_job *job_of_pod(struct model_job *job, const struct pod *p);

#endif
