/* jobgoodput: reads a JobGoodput. */
#ifndef OPERATOR_OBJECTS_JOBGOODPUT_H
#define OPERATOR_OBJECTS_JOBGOODPUT_H

#include "formulas/chips.h"
#include "formulas/flops.h"
#include "formulas/price.h"
#include "operator/objects/objects.h"

#define OBJECT_REGEXES 4
#define OBJECT_REGEX_NAMES                                                                                             \
    { "step", "checkpointStart", "checkpointSaved", "checkpointRestored" }

struct object_program {  /* spec.program: what is needed for program goodput */
    int64_t peak_gflops; /* per chip; 0: not given */
    double parameters;
    int64_t layers, heads, head_dim, sequence_length; /* 0: attention is not counted */
    int64_t tokens_per_step;
    int64_t devices_per_chip; /* 0: as the chip has */
    bool is_causal, is_quantized;
    enum chip_type type;      /* CHIP_TYPES: not one of them */
    int64_t tokens_per_s;     /* 0: not given; goes after tokens_per_step */
    struct flops_shape shape; /* layers, heads and head_dim are above; width 0: not given */
};

struct object_cost { /* spec.cost */
    int64_t price;   /* price.h; PRICE_NONE: not given */
    struct slice currency;
};

#define OBJECT_PREVIOUS 4

struct object_numbers { /* of one target, as a status has them */
    struct slice uid;
    int64_t start_ms, end_ms, wall_ms, available_ms, productive_ms; /* TIME_UNKNOWN; RECORD_NONE */
};

struct object_jobgoodput {
    struct object_meta meta;
    struct slice labels; /* JSON */
    struct slice target_kind, target_name;
    struct slice required[OBJECT_REPLICATED_JOBS];
    int required_count;
    struct slice source, format, container;
    struct slice regex[OBJECT_REGEXES]; /* spec.stepLog.regex, raw: in the order of OBJECT_REGEX_NAMES */
    struct slice log_job;               /* spec.stepLog.podLog.pod */
    struct slice log_path;              /* spec.stepLog.file; raw, as all texts */
    struct slice log_project, log_logger, log_job_name; /* spec.stepLog.cloudLogging */
    int64_t log_job_index, log_completion_index;        /* -1 */
    int64_t ideal_step_ms, hang_after_ms;               /* 0: learnt */
    int64_t windows_ms[OBJECT_WINDOWS];
    int window_count;
    struct object_program program;
    struct object_cost cost;
    int64_t total_steps; /* 0: not set */
    /* as written before, by whomever */
    struct slice status; /* the whole of it, JSON; empty if there is none */
    bool is_finished;    /* condition Finished=True */
    struct slice checkpoint;
    struct slice interruptions, executions; /* JSON */
    struct slice phase, accelerator;
    int64_t label_price;           /* PRICE_NONE: it was not of a node's label */
    struct object_numbers numbers; /* of its target */
    struct object_numbers previous[OBJECT_PREVIOUS];
    int previous_count;
};
int object_jobgoodput_parse(struct slice json, struct object_jobgoodput *jobgoodput);

#endif
