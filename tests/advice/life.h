/* life: one training job as nature plays it, with a knob for each piece of advice. It decides itself what happens and
 * how long that takes; the ledger under test only hears what a controller would: pods, causes and step lines. */
#ifndef TESTS_ADVICE_LIFE_H
#define TESTS_ADVICE_LIFE_H

#include "ledger/ledger.h"
#include "rootcause/classes.h"

enum life_event_kind { LIFE_NODE_LOST, LIFE_PREEMPTED, LIFE_HUNG, LIFE_DIED };

/* What ends an execution, once: when it first reaches that step, or, with clocked lives, at that wall time. */
struct life_event {
    enum life_event_kind kind;
    int64_t step, at_ms;         /* at_ms: LIFE_BY_STEP, or the wall time */
    double part;                 /* of the step that was done */
    int node;                    /* LIFE_NODE_LOST */
    enum rootcause_class class_; /* LIFE_DIED */
    bool is_at_start;            /* before the first step of the execution that it ends */
};
#define LIFE_BY_STEP INT64_MIN
#define LIFE_MAX_EVENTS 48

struct life {
    uint64_t seed; /* of each step's own spread: the same steps take the same time whatever is changed */
    int64_t steps, step_ms, every, save_ms, lag_ms, data_ms, compile_ms, restore_ms, prepare_ms;
    int64_t queue_ms, requeue_ms, away_ms, meet_ms;
    int64_t quiet_ms; /* of a hang, until somebody ends it */
    double slow_share, slow_factor;
    int64_t saves_fail_from, saves_fail_until; /* steps; equal: never */
    bool has_cache;                            /* compiles once */
    bool saves_on_notice;
    struct life_event events[LIFE_MAX_EVENTS];
    int event_count;
};

struct life_report { /* what advise() takes besides the ledger's result */
    enum rootcause_class classes[LIFE_MAX_EVENTS];
    int64_t save_errors[LIFE_MAX_EVENTS + 1];
    int interruptions;
};

/* Plays it to its last step and returns its wall time. ledger and report may be NULL. */
int64_t life_play(const struct life *life, struct ledger *ledger, struct life_report *report);

#endif
