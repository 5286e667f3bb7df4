/* deviation: step times as a Python dictionary, and numpy's statistics over them. Private to library/. */
#ifndef LIBRARY_DEVIATION_H
#define LIBRARY_DEVIATION_H

#include "library/library.h"
#include "library/steps.h"

struct step_times { /* seconds[i] of steps_at(i) */
    struct steps steps;
    double *seconds;
    size_t capacity;
};
void step_times_set(struct step_times *t, int64_t step, double seconds);
void step_times_done(struct step_times *t);

/* compute_ideal_step_time(); false: None. */
bool ideal_step_time(const double *seconds, size_t count, double *ideal_s);
/* Moves the times into d as deviations from ideal_s. */
void deviation_fill(struct library_deviation *d, struct step_times *t, double ideal_s, bool is_signed);

#endif
