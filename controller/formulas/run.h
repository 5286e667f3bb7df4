/* run: several targets that continue one training run. A target takes back the steps from which on it resumes, if
 * earlier targets of the run kept them. Spans say which steps ended in them: a span that has such steps and others
 * gives two bounds. The same rules as run_losses of deploy/sql/views.sql. */
#ifndef FORMULAS_RUN_H
#define FORMULAS_RUN_H

#include "formulas/interval.h"

#include <stdbool.h>

#define RUN_NO_STEP INT64_MIN

struct run_span { /* productive; step RUN_NO_STEP: its steps are not known */
    int64_t ms, step, last_step;
};

struct run_target {
    int64_t start_ms, through_ms;
    struct run_span *spans;
    size_t span_count, span_capacity;
    int64_t summed_ms;    /* productive time of which there are only sums: of steps before those of the spans */
    int64_t corrected_ms; /* of the spans and sums: lost by the target itself */
    int64_t resumed_step; /* the lowest step at which an execution starts; RUN_NO_STEP */
    bool has_sums;        /* earlier executions may have started lower */
};

/* What later targets took of target i. Targets are in order of their start. */
struct interval_range run_lost(const struct run_target *targets, size_t count, size_t i);
/* The time between target i and all before it; in *ret_overlap_ms the time in which both were. */
int64_t run_gap_ms(const struct run_target *targets, size_t i, int64_t *ret_overlap_ms);

#endif
