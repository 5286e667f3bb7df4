/* fleet_read: the numbers of a JobGoodput, read from its JSON. */
#ifndef EXPORT_FLEET_READ_H
#define EXPORT_FLEET_READ_H

#include "base/slice.h"

#define FLEET_NONE INT64_MIN /* not known: never 0 */

/* The plain numbers of a status: enumerator, section of the status ("": the status itself), key, notation. Ratios are
 * parts per million, times and durations ms, chip-hours thousandths, money hundredths. */
#define FLEET_VALUES(X)                                                                                                \
    X(SCHEDULING, "goodputPPM", "scheduling", INTEGER)                                                                 \
    X(RUNTIME, "goodputPPM", "runtime", INTEGER)                                                                       \
    X(GOODPUT, "goodputPPM", "job", INTEGER)                                                                           \
    X(PROGRAM, "goodputPPM", "program", INTEGER)                                                                       \
    X(PRODUCTIVITY, "goodputPPM", "productivity", INTEGER)                                                             \
    X(UPPER_BOUND, "goodputPPM", "runtimeUpperBound", INTEGER)                                                         \
    X(SCHEDULING_UPPER_BOUND, "goodputPPM", "schedulingUpperBound", INTEGER)                                           \
    X(JOB_UPPER_BOUND, "goodputPPM", "jobUpperBound", INTEGER)                                                         \
    X(EVIDENCE, "goodputPPM", "evidence", INTEGER)                                                                     \
    X(START, "time", "start", TIME)                                                                                    \
    X(END, "time", "end", TIME)                                                                                        \
    X(OBSERVED_THROUGH, "time", "observedThrough", TIME)                                                               \
    X(WALL, "time", "wallMilliseconds", INTEGER)                                                                       \
    X(AVAILABLE, "time", "availableMilliseconds", INTEGER)                                                             \
    X(PRODUCTIVE, "time", "productiveMilliseconds", INTEGER)                                                           \
    X(PROVISIONAL, "time", "provisionalMilliseconds", INTEGER)                                                         \
    X(SLOTS_REQUIRED, "availability", "required", INTEGER)                                                             \
    X(SLOTS_AVAILABLE, "availability", "available", INTEGER)                                                           \
    X(CHIPS, "target", "chips", INTEGER)                                                                               \
    X(LAST_STEP, "steps", "last", INTEGER)                                                                             \
    X(LAST_DURABLE_STEP, "steps", "lastDurable", INTEGER)                                                              \
    X(RETAINED_STEPS, "steps", "retained", INTEGER)                                                                    \
    X(REPEATED_STEPS, "steps", "repeated", INTEGER)                                                                    \
    X(STEP_MEAN, "steps", "meanMilliseconds", INTEGER)                                                                 \
    X(STEP_MEDIAN, "steps", "p50Milliseconds", INTEGER)                                                                \
    X(STEP_P99, "steps", "p99Milliseconds", INTEGER)                                                                   \
    X(STEP_IDEAL, "steps", "idealMilliseconds", INTEGER)                                                               \
    X(STEP_DEVIATION, "steps", "deviationMilliseconds", INTEGER)                                                       \
    X(LAST_RECORD, "steps", "lastRecordTime", TIME)                                                                    \
    X(HANG_AFTER, "steps", "hangAfterMilliseconds", INTEGER)                                                           \
    X(INTERRUPTIONS, "interruptions", "total", INTEGER)                                                                \
    X(MTBI, "interruptions", "meanTimeBetweenSeconds", INTEGER)                                                        \
    X(MTTR, "interruptions", "meanTimeToRecoverSeconds", INTEGER)                                                      \
    X(HOURS_ALLOCATED, "acceleratorHours", "allocated", THOUSANDTHS)                                                   \
    X(HOURS_PRODUCTIVE, "acceleratorHours", "productive", THOUSANDTHS)                                                 \
    X(HOURS_WAITING, "acceleratorHours", "waiting", THOUSANDTHS)                                                       \
    X(REMAINING, "forecast", "remainingSeconds", INTEGER)                                                              \
    X(REMAINING_DEVIATION, "forecast", "remainingDeviationSeconds", INTEGER)                                           \
    X(EXPECTED_RUNTIME, "forecast", "runtime", SHARE)                                                                  \
    X(EXPECTED_GOODPUT, "forecast", "job", SHARE)                                                                      \
    X(BEST_RUNTIME, "forecast", "bestRuntime", SHARE)                                                                  \
    X(COST_ALLOCATED, "cost", "allocated", HUNDREDTHS)                                                                 \
    X(COST_PRODUCTIVE, "cost", "productive", HUNDREDTHS)                                                               \
    X(COST_LOST, "cost", "lost", HUNDREDTHS)

#define X(name, section, key, kind) FLEET_##name,
enum fleet_value { FLEET_VALUES(X) FLEET_VALUE_COUNT };
#undef X

enum {
    FLEET_MAX_BUCKETS = 64,
    FLEET_MAX_CAUSES = 32,
    FLEET_MAX_CLASSES = 32,
    FLEET_MAX_WINDOWS = 8,
    FLEET_MAX_CONDITIONS = 8,
    FLEET_MAX_DEFINITIONS = 16,
    FLEET_MAX_OWNERS = 5
};

struct fleet_bucket {
    char bucket[64], family[16];
    int64_t ms, chip_seconds, cost_cents;  /* FLEET_NONE: not known */
    int64_t windows_ms[FLEET_MAX_WINDOWS]; /* the part within windows[i], if its ms is known */
};
struct fleet_cause {
    char cause[64];
    int64_t count, chip_seconds, cost_cents; /* the last two: FLEET_NONE if not known */
};
struct fleet_class { /* of the root causes of interruptions */
    char class_[32];
    int64_t count;
};
struct fleet_window {
    int64_t seconds, scheduling_ppm, runtime_ppm, job_ppm;
    int64_t ms, badput_ms; /* the time it covers, and the part of it that is not productive; FLEET_NONE: not known */
};
struct fleet_condition {
    char type[32], status[8], reason[48];
};

struct fleet_definition { /* of status.otherDefinitions */
    char name[64];
    int64_t ratio_ppm, mean_s; /* one of them; FLEET_NONE */
};

struct fleet_owner { /* of status.byOwner */
    char owner[32];
    int64_t ms, interruptions; /* the latter: FLEET_NONE if not known */
};

struct fleet_numbers {
    char queue[128], phase[32], currency[4];
    int64_t values[FLEET_VALUE_COUNT];
    int bucket_count, cause_count, window_count, condition_count, definition_count, owner_count;
    int class_count;
    struct fleet_bucket buckets[FLEET_MAX_BUCKETS];
    struct fleet_cause causes[FLEET_MAX_CAUSES];
    struct fleet_class classes[FLEET_MAX_CLASSES];
    struct fleet_window windows[FLEET_MAX_WINDOWS];
    struct fleet_condition conditions[FLEET_MAX_CONDITIONS];
    struct fleet_definition definitions[FLEET_MAX_DEFINITIONS];
    struct fleet_owner owners[FLEET_MAX_OWNERS];
};

/* Reads the numbers of an object; false if it is not a JSON object. Lists are cut at their limits. */
bool fleet_read_numbers(struct slice object, struct fleet_numbers *numbers);
/* The condition that no step is read from the log. */
extern const struct fleet_condition fleet_log_unreadable;
bool fleet_is_log_unreadable(const struct fleet_condition *condition);
/* True if the numbers will not change any more. */
bool fleet_is_final(const struct fleet_numbers *numbers);

#endif
