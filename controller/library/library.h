/* library: the arithmetic of Google's Python library ml-goodput-measurement 0.2.3 over its recorder's entries,
 * operation by operation, so that a team can compare before it moves: the numbers are equal to the last digit that the
 * library prints (under CPython 3.11, whose sum() adds from left to right; from 3.12 on it compensates), its errors are
 * errors with its texts, and its oddities are kept on purpose. `make parity` holds it against the real library.
 * What we think of the same log is ledger/'s business. Pure: no clock, no I/O.
 *
 * A log is read with log.h, and asked any number of questions; each answer owns its memory (library_answer_done). */
#ifndef LIBRARY_LIBRARY_H
#define LIBRARY_LIBRARY_H

#include "library/log.h"

/* X(name of the library's BadputType), in the order of its breakdown; the last three belong to elastic jobs. */
#define LIBRARY_BADPUTS(X)                                                                                             \
    X(TPU_INITIALIZATION)                                                                                              \
    X(TRAINING_PREP)                                                                                                   \
    X(DATA_LOADING_SYNC)                                                                                               \
    X(DATA_LOADING_ASYNC)                                                                                              \
    X(UNPRODUCTIVE_CHECKPOINT_SAVE_TIME)                                                                               \
    X(UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME)                                                                            \
    X(PROGRAM_STARTUP)                                                                                                 \
    X(WASTED_PROGRESS_FROM_DISRUPTION)                                                                                 \
    X(INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION)                                                                         \
    X(CUSTOM_BADPUT_EVENTS)                                                                                            \
    X(OTHER)                                                                                                           \
    X(ELASTIC_SLICE_DOWN)                                                                                              \
    X(ELASTIC_SCALE_UP)                                                                                                \
    X(ELASTIC_REINITIALIZATION)

enum library_badput {
#define X(name) LIBRARY_BADPUT_##name,
    LIBRARY_BADPUTS(X)
#undef X
        LIBRARY_BADPUT_COUNT
};
const char *library_badput_name(enum library_badput badput);

/* Seconds by custom type (index into the log's types), in the order in which Python's dictionary has them. */
struct library_customs {
    double *seconds;
    bool *has;
    uint32_t *order;
    size_t count;
};

/* Python's dictionary of unproductive time, in its order: sums are taken in it. */
struct library_badputs {
    struct library_number value[LIBRARY_BADPUT_COUNT];
    bool has[LIBRARY_BADPUT_COUNT];
    uint8_t order[LIBRARY_BADPUT_COUNT];
    int count;
    struct library_customs customs;
};

#define LIBRARY_ERROR_SIZE 256

struct library_answer {
    char error[LIBRARY_ERROR_SIZE]; /* str() of the library's exception; the rest is then not set. "": none */
    double goodput_percent, productive_s, total_s;
    int64_t max_productive_step, last_step, disruptions;
    bool is_empty; /* with exclusions: nothing is left of the job, and the library gives no breakdown */
    struct library_badputs badputs;
    double excluded_s; /* with exclusions */
    bool is_elastic,
        has_slices; /* has_slices: slice counts were recorded; what share of the slices stepped, was there */
    double stepping_efficiency, available_efficiency;
};
void library_answer_done(struct library_answer *a);
/* Percent of the total, as the library's breakdown has it: 0 unless 0 < seconds < total. */
double library_percent(double seconds, double total_s);

/* get_job_goodput() at a query time. is_elastic, here and below: as ElasticGoodputCalculator answers. */
void library_cumulative(const struct library_log *log, int64_t at_us, bool is_elastic, struct library_answer *a);
/* get_job_goodput_interval(). A rolling window of w seconds is the interval from at - w to at. */
void library_interval(const struct library_log *log, int64_t from_us, int64_t to_us, bool is_elastic,
                      struct library_answer *a);

/* Step times and how far they are from the ideal one. */
struct library_deviation {
    char error[LIBRARY_ERROR_SIZE];
    double ideal_s, mean_s;
    int64_t first_step, *steps; /* steps NULL: from first_step on, each one more */
    double *seconds;            /* deviation of each step, in the order of Python's dictionary */
    size_t count;
};
static inline int64_t library_deviation_step(const struct library_deviation *d, size_t index) {
    return d->steps != NULL ? d->steps[index] : d->first_step + (int64_t)index;
}
void library_deviation_done(struct library_deviation *d);
/* get_step_deviation(); ideal_s: the configured one, NAN: computed. */
void library_step_deviation(const struct library_log *log, double ideal_s, struct library_deviation *d);

/* repr(float): the shortest decimal that reads back as the same double; also "nan", "inf". */
#define LIBRARY_REPR_SIZE 32
const char *library_repr(char out[LIBRARY_REPR_SIZE], double value);

#endif
