/* view: one look at a job, for one status: the ledger's result and what follows from it. Private to the model and to
 * analyze.
 *
 * Two kinds of files use it. Those that make a view read the job and include operator/job/job.h. Those that write one
 * (status.c, forecast.c) do not, and `make check` keeps it so: model_job is an incomplete type there, and all
 * that a status says is plain data in the view. So who has a ledger and no job, as analyze, writes the same status. */
#ifndef OPERATOR_VIEW_H
#define OPERATOR_VIEW_H

#include "base/jwrite.h"
#include "base/rfc3339.h"
#include "formulas/chips.h"
#include "ledger/evaluate.h"
#include "operator/job/evidence.h"
#include "operator/job/result.h"
#include "operator/job/root_cause.h"
#include "operator/store/kinds.h"
#include "steplog/steplog.h"

struct model_job;
struct target;

struct condition_view {
    const char *type;   /* NULL: this condition is not shown */
    const char *status; /* "True", "False", "Unknown" */
    const char *reason;
    char message[2048];
    int64_t at_ms; /* TIME_UNKNOWN: as in the last status */
};

/* LOG_DOUBT: no step was read so far, which may still come; LOG_TROUBLE: nothing can come of that spec. */
enum log_state { LOG_NONE, LOG_WAITING, LOG_ATTACHED, LOG_DOUBT, LOG_TROUBLE };

/* status.target: which object was seen, and its log. Texts are borrowed from the job; NULL or "": not known. */
struct view_target {
    const char *uid; /* NULL: no target was seen */
    const struct kind_row *kind;
    const char *name, *queue, *cluster_queue, *priority, *accelerator, *log_pod, *log_container, *log_format;
    int64_t created_ms;
};

struct view {
    const struct model_job *job; /* NULL: a view of logs alone */
    const struct target *target; /* NULL: none, or not accounted */
    bool has_numbers;            /* there is a result to write */
    int64_t generation;          /* of the JobGoodput */
    struct view_target seen;
    const struct job_previous *previous; /* borrowed from the job */
    const struct job_evidence *evidence; /* the same; NULL: a view of logs alone */
    const struct job_root_causes *root_causes;
    const struct save_errors *save_errors;    /* NULL: none is known */
    const struct owners_policy *owner_policy; /* borrowed; NULL: the defaults */
    int previous_count;
    int64_t total_steps;           /* 0: not known */
    const char *documentation_url; /* of the folder deploy/docs */
    int64_t now_ms, through_ms;
    bool has_ended;
    struct ledger_result result; /* all-zero without a target */
    const char *phase;
    int64_t phase_since_ms;
    char waiting_for[1024];
    uint64_t waiting_hash; /* of the reason; 0: none that says more than the phase */
    enum log_state log;
    enum steplog_format log_format; /* AUTO: not recognized */
    const char *log_format_name;    /* "Generic(iter N)"; the parser's */
    int64_t attached_ms;
    struct condition_view conditions[JOB_CONDITIONS];
    int64_t unattributed_ms, suspended_ms;
    int64_t counted, counted_evictions; /* interruptions known only from counters; by Kueue */
    int64_t scheduling_ppm, runtime_ppm, job_ppm, upper_ppm, evidence_ppm; /* RECORD_NONE: not known */
    int64_t scheduling_upper_ppm, job_upper_ppm;                           /* RECORD_NONE: all is observed, too */
    int64_t program_ppm, productivity_ppm;                                 /* the same */
    double gflops_per_chip;                                                /* over the retained steps; < 0: not known */
    int64_t peak_gflops;                                                   /* of a chip; 0: not known */
    enum chip_type data_type; /* that the peak is of; CHIP_TYPES: unknown */
    bool is_quantized;
    double parameters;      /* N of the model; 0: not known */
    bool is_program_of_log; /* not of spec.program's model */
    int64_t rejected_lines;
    char program_trouble[200]; /* why program goodput is not known; "" */
    int64_t price;             /* per chip-hour; PRICE_NONE, or PRICE_BAD */
    const char *price_source, *currency;
    int64_t ready_ms;    /* all required pods Ready */
    int64_t admitted_ms; /* RECORD_NONE: no Workload */
    bool is_final;
};

/* Nothing known yet: every number is unknown, never 0. For who has no job; view_make does it itself. */
void view_init(struct view *v);
/* Of a job, in this order, each once: what needs no numbers; where there is a result, and how far it reaches
 * (through_ms, has_ended), what follows from it; log, phase and what the target waits for; and, once is_final is set,
 * conditions and target. The job is read, and not changed. */
void view_make(struct view *v, const struct model_job *job, int64_t now_ms);
void view_numbers(struct view *v);
void view_words(struct view *v);
void view_end(struct view *v);
void view_done(struct view *v);
void view_scores(struct view *v); /* from the result */

/* All of them, also those that the ledger no longer lists. */
static inline int64_t view_interruptions(const struct view *v) {
    return v->counted + v->counted_evictions + v->result.interruption_count + v->result.older.count;
}

#endif
