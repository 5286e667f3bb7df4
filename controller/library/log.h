/* log: the entries that the goodput recorder and Orbax wrote to one Cloud Logging logger, as the Python library
 * ml-goodput-measurement 0.2.3 would read them, kept compactly: 16 bytes a step, 8 more where the lines are Cloud
 * Logging entries with a separate timestamp. Numbers are IEEE doubles that remember whether the JSON text was an
 * integer: the library adds up floats only. */
#ifndef LIBRARY_LOG_H
#define LIBRARY_LOG_H

#include "base/error.h"
#include "base/map.h"
#include "base/slice.h"
#include "steplog/step_line.h"

/* A Python int or float. */
struct library_number {
    double value;
    bool is_float;
};

struct library_step {
    double at;
    int64_t step_and_kind; /* 2 x step + is_float */
};
static inline int64_t library_step_number(const struct library_step *s) {
    return s->step_and_kind >> 1;
}
static inline struct library_number library_step_at(const struct library_step *s) {
    return (struct library_number){s->at, (s->step_and_kind & 1) != 0};
}

enum library_kind {
    LIBRARY_OTHER,
    LIBRARY_JOB_START,
    LIBRARY_JOB_END,
    LIBRARY_INIT_START,
    LIBRARY_INIT_END,
    LIBRARY_PREP_START,
    LIBRARY_PREP_END,
    LIBRARY_DATA_START,
    LIBRARY_DATA_END,
    LIBRARY_CUSTOM_START,
    LIBRARY_CUSTOM_END,
    LIBRARY_SAVE,
    LIBRARY_RESTORE,
    LIBRARY_WAIT_START, /* elastic: for slices */
    LIBRARY_WAIT_END,
    LIBRARY_REINIT_START,
    LIBRARY_REINIT_END,
    LIBRARY_SLICES,
    LIBRARY_BROKEN_STEP, /* no step_count: KeyError */
};

enum library_stamp { LIBRARY_STAMP_NONE, LIBRARY_STAMP_NULL, LIBRARY_STAMP_NUMBER };

#define LIBRARY_NO_TYPE UINT32_MAX

struct library_event { /* every entry that is not a step */
    enum library_kind kind;
    enum library_stamp stamp; /* the first key whose name contains "time" */
    size_t before;            /* steps before it in the log */
    struct library_number at; /* SAVE, RESTORE: the checkpoint manager's duration */
    double stamp_s;
    int64_t logged_us;   /* INT64_MIN: taken from the payload */
    uint32_t type;       /* custom type, checkpoint group, kind of wait (LIBRARY_NO_TYPE: missing), or slice counts */
    const char *trouble; /* constant text of the exception that reading it raises in the library, or NULL */
};

struct library_slices { /* as Python's ints; what is missing is 0, of total 1 */
    double active, available, total;
};

struct library_log {
    struct library_step *steps;
    int64_t *logged_us; /* of the steps; NULL while no line had a separate timestamp */
    size_t step_count, step_capacity, logged_capacity;
    struct library_event *events;
    size_t event_count, event_capacity;
    struct library_slices *slices;
    size_t slice_count, slice_capacity;
    struct map types, groups, waits; /* names to index + 1 */
    char *job_name; /* of the first entry: entries of another job are left out, as the library's filter does */
    int64_t other_job, lines, last_logged_us;
    double last_s; /* the largest time in the log */
    bool has_last;
    int64_t refused, refused_line; /* lines that are entries but cannot be read: how many, the first one, and why */
    char refused_why[128];
    struct slice prefix; /* of the step line last read: a million others begin the same (owned) */
    size_t prefix_capacity;
    struct step_layout layout; /* of its numbers */
};

void library_log_init(struct library_log *log);
void library_log_done(struct library_log *log);

/* A Unix time in seconds as Python's datetime.fromtimestamp() keeps it: whole microseconds, halves to even. */
int64_t library_microseconds(double seconds);
/* datetime.timestamp() */
static inline double library_seconds(int64_t us) {
    return (double)us / 1e6;
}

/* to: the entries of from that were logged in (after_us, until_us], in order. Shares from's names: free `to` with
 * library_log_done_part before from. */
void library_log_part(const struct library_log *from, int64_t after_us, int64_t until_us, struct library_log *to);
void library_log_done_part(struct library_log *log);

#endif
