/* cuts: what must hold of a status after time that was not watched, against the run of the same recording without a
 * cut. The tests are in test_cuts.c. */
#ifndef TEST_CUTS_H
#define TEST_CUTS_H

#include "recordings.h"

#define RESOLUTION_MS 1000 /* of the stamps */

enum mode { RELIST, KILLED, LATE, MODE_COUNT };

/* Each is a promise that the final status breaks. */
#define VIOLATIONS(X)                                                                                                  \
    X(WALL, "W") /* differs from the truth */                                                                          \
    X(LOWER, "A>true")                                                                                                 \
    X(UPPER, "true>A+Un")                                                                                              \
    X(P_LOWER, "P>true")                                                                                               \
    X(P_UPPER, "true>P+U+Un")                                                                                          \
    X(TWICE, "twice")   /* an interruption that is counted twice, or that did not happen */                            \
    X(WIDE, "Un>gap")   /* Unobserved exceeds the time that was not watched */                                         \
    X(SUM, "sum")       /* the buckets do not add up */                                                                \
    X(RANGE, "range")   /* the published upper bounds are not those of the buckets */                                  \
    X(AT_LIST, "list")  /* the status right after the list breaks one of these */                                      \
    X(PREVIOUS, "prev") /* an earlier target of the name lost what was published of it */
enum violation {
#define X(id, name) id,
    VIOLATIONS(X)
#undef X
        VIOLATION_COUNT
};

struct known { /* at one time of the run without a cut */
    int64_t available_ms, unobserved_ms, interruptions;
};

struct truth {
    char *status;        /* of the run without a cut */
    struct known *known; /* before each event */
    int64_t available_ms, interruptions;
    int64_t silent_ms;       /* in which a required slot's node was, whether or not something proves it held */
    int64_t proved_ms;       /* of it what does not rest on step records, which are lost with their pods */
    size_t created, deleted; /* events of the target; deleted: SIZE_MAX: it is not */
    int64_t *changes;
    size_t change_count;
};

struct cut {
    enum mode mode;
    size_t before; /* the number of events delivered before the gap */
    size_t after;  /* the first event delivered after it */
    int64_t from_ms, to_ms;
};

const char *cuts_violation_name(enum violation v);
int64_t cuts_time_of(const char *status, const char *path); /* Unix ms; 0: absent */
int64_t cuts_unobserved_ms(const char *status);
int64_t cuts_badput_sum(const char *status); /* productive time included */

/* The target was there while the controller watched. */
bool cuts_was_watched(const struct truth *truth, const struct cut *cut);
/* left: the status at the cut; listed: right after the list, when the run without a cut knew `known`, as of known_ms;
 * status: at the end. */
void cuts_judge(const char *left, const char *listed, const char *status, const struct truth *truth,
                const struct recording *rec, const struct recorded_job *job, const struct cut *cut, int64_t known_ms,
                bool found[VIOLATION_COUNT]);

#endif
