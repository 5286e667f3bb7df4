/* record: one event that a training process reported, in the ledger's terms. steplog/ makes records from lines, the
 * ledger reads them. Times are int64 Unix milliseconds. */
#ifndef LEDGER_RECORD_H
#define LEDGER_RECORD_H

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(NAME, meaning). "step" and "duration" say which fields are set; the others hold RECORD_NONE. */
#define RECORD_KINDS(X)                                                                                                \
    X(JOB_START, "the training program started")                                                                       \
    X(JOB_END, "the training program said that it ended")                                                              \
    X(STEP_START, "step began (recorder); it lasts until the next STEP_START or JOB_END")                              \
    X(STEP_END, "step was reported complete; duration if the line gives one, flops if given")                          \
    X(SAVE_START, "a checkpoint save began; step if known; is_async")                                                  \
    X(SAVE_BLOCKED, "the blocking part of a save ended; duration = how long training was blocked; step if known")      \
    X(SAVE_WRITTEN, "the background part of a save ended; duration = blocking + background")                           \
    X(SAVE_DURABLE, "the save is final on all hosts: a restart can use it; step if known, else the save last started") \
    X(SAVE_ON_SIGTERM, "a save on SIGTERM; step")                                                                      \
    X(RESTORE_START, "reading a checkpoint began; step if known")                                                      \
    X(RESTORE_END, "reading a checkpoint ended; duration if given; step = the step restored, if known")                \
    X(INIT_START, "device / slice / collective initialization began")                                                  \
    X(INIT_END, "... ended")                                                                                           \
    X(PREPARATION_START, "mesh, model, data pipelines: preparation began")                                             \
    X(PREPARATION_END, "... ended")                                                                                    \
    X(DATA_START, "synchronous input wait began")                                                                      \
    X(DATA_END, "... ended")                                                                                           \
    X(EVALUATION_START, "evaluation began")                                                                            \
    X(EVALUATION_END, "... ended; duration if given")                                                                  \
    X(CUSTOM_START, "custom badput event began; name")                                                                 \
    X(CUSTOM_END, "... ended; name")                                                                                   \
    X(COMPILE_END, "a compilation ended; duration")                                                                    \
    X(ELASTIC_SLICES, "elastic slice counts: active, total, available")                                                \
    X(ELASTIC_WAIT_START, "waiting for slices began; name")                                                            \
    X(ELASTIC_WAIT_END, "... ended; name")                                                                             \
    X(ELASTIC_REINIT_START, "elastic re-initialization began")                                                         \
    X(ELASTIC_REINIT_END, "... ended")                                                                                 \
    X(RESUME, "training starts at this step, as the trainer reports it")                                               \
    X(SIGN_OF_LIFE, "a line with no other record: the process was alive at this time")                                 \
    X(UNREAD_STEPS, "the log ended with lines that look like steps, too few to read: training began before them")      \
    X(PHASE, "how long a part of a step took; name, duration, step if its line is the step's own (else: of the last "  \
             "one), active: how many its line had before it")

enum record_kind {
#define X(name, meaning) RECORD_##name,
    RECORD_KINDS(X)
#undef X
        RECORD_KIND_COUNT
};

#define RECORD_NONE INT64_MIN
#define RECORD_NAME_SIZE 64
#define RECORD_SAME_WRITE_MS 10

struct record {
    enum record_kind kind;
    int32_t process;     /* the ordinal that ledger_add_process() returned; -1 until the operator sets it */
    int64_t line;        /* 1-based line number within that process's log: breaks ties, names evidence */
    int64_t at_ms;       /* when it happened, best knowledge: payload time (recorder), else the kubelet's stamp */
    int64_t received_ms; /* the stamp of the line (kubelet's); RECORD_NONE if the line had none */
    int64_t step;
    int64_t duration_ms;
    int64_t tflops_milli;             /* TFLOP/s per device x 1000, STEP_END only */
    int64_t active, total, available; /* ELASTIC_SLICES */
    bool is_async;                    /* SAVE_*: training continues while the rest is written */
    bool is_derived;    /* duration_ms follows from the lines around it: the line itself gives none; STEP_END: only the
                           line's looks say that it is of a step; SAVE_WRITTEN,
                           SAVE_DURABLE: at_ms is the latest possible time, no line gives the exact one */
    bool counts_lines;  /* STEP_END: its number counts lines, which are of several steps each: none says of how many */
    int32_t same_write; /* STEP_END: of a burst, how many step lines came with it before it: within
                           RECORD_SAME_WRITE_MS, behind a pause */
    char name[RECORD_NAME_SIZE]; /* custom type, upper case; bounded, truncated */
};

/* Records of kind STEP_START that have nothing but this, one in a line: most of a recorder's log. They
 * are handed on together, as a record by itself costs more than to read its line. */
struct step_start {
    int64_t line, at_ms, step;
};
#define STEP_STARTS 64 /* few enough to stay in the processor's first cache */
struct step_starts {
    size_t count;
    struct step_start items[STEP_STARTS];
};

/* All but what each record has. */
#define RECORD_UNSET                                                                                                   \
    .process = -1, .step = RECORD_NONE, .duration_ms = RECORD_NONE, .tflops_milli = RECORD_NONE,                       \
    .active = RECORD_NONE, .total = RECORD_NONE, .available = RECORD_NONE
#define RECORD_INIT                                                                                                    \
    { .at_ms = TIME_UNKNOWN, .received_ms = RECORD_NONE, RECORD_UNSET }

#endif
