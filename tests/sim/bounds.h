/* bounds: what holds of every life, however much of it was observed: the truth lies between A and A + Unobserved, no
 * interruption is counted twice, and Unobserved is at most the time that was not watched or in which a node was silent.
 */
#ifndef SIM_BOUNDS_H
#define SIM_BOUNDS_H

#include "ledger/evaluate.h"
#include "sim.h"

#define BOUNDS_VIOLATIONS(X)                                                                                           \
    X(WALL, "W")                                                                                                       \
    X(SUM, "sum")                                                                                                      \
    X(LOWER, "A>true")                                                                                                 \
    X(UPPER, "true>A+Un")                                                                                              \
    X(WIDE, "Un>gap")                                                                                                  \
    X(TWICE, "twice")   /* an interruption counted twice, or that did not happen */                                    \
    X(MISSED, "missed") /* one that happened while the controller watched, and is not counted */
enum bounds_violation {
#define X(id, name) BOUNDS_##id,
    BOUNDS_VIOLATIONS(X)
#undef X
        BOUNDS_COUNT
};

struct bounds_score { /* of one way to watch */
    int64_t lives, violating, violations[BOUNDS_COUNT];
    int64_t unwatched_ms, unobserved_ms;
    int64_t *shares_ppm; /* Unobserved of the time not watched; of the lives that have such time */
    size_t count, capacity;
};

/* Time of the life that was not watched. */
int64_t bounds_unwatched_ms(const struct sim_life *l, const struct sim_sight *sight);
/* It was deleted inside a gap: when is not known. */
bool bounds_is_end_hidden(const struct sim_life *l, const struct sim_sight *sight);
/* True if all hold. */
bool bounds_judge(struct bounds_score *s, const struct sim_life *l, const struct ledger_result *r,
                  const struct sim_sight *sight, bool is_loud);
void bounds_print_header(void);
void bounds_print(const char *name, struct bounds_score *s);
void bounds_done(struct bounds_score *s);

#endif
