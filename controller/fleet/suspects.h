/* suspects: nodes that failed jobs more often than the other nodes of their pool, by more than chance.
 *
 * Given that N failures occurred on k nodes that all fail alike, the failures of one of them are binomial (N, 1/k): the
 * conditional test of Poisson rates (Przyborowski and Wilenski, 1940). A node is a suspect if what it has, or more, has
 * at most the probability 1/1,000. The test is exact, so at any time chance alone flags at most 1 node in 1,000.
 * The bound is Clopper and Pearson's of its share, as a ratio of its rate to that of the others: above 1 exactly for
 * suspects. Nodes that worked less than others are safe by that, as the nodes of a pool count alike. Pure. */
#ifndef FLEET_SUSPECTS_H
#define FLEET_SUSPECTS_H

#include <stddef.h>
#include <stdint.h>

enum { SUSPECTS_MAX = 16 };

struct suspect_failure {
    const char *node;
    int pool; /* index into the pools */
    int64_t at_ms, chip_ms;
};

struct suspect {
    const char *node; /* borrowed from the failures */
    int pool;
    int64_t failures, chip_ms, first_ms, last_ms;
    int64_t pool_failures, pool_nodes;
    int64_t ratio_tenths; /* lower bound of its rate by that of the others, rounded down */
};

/* Sorts the failures. pool_nodes: those that work in each pool; a pool counts at least the nodes that failed in it.
 * Returns the number of suspects, those with the highest bound first. */
int suspects_find(struct suspect_failure *failures, size_t count, const int64_t *pool_nodes,
                  struct suspect out[static SUSPECTS_MAX]);
/* P(X >= x) of a binomial (n, p); 0 < p < 1. */
double suspects_tail(int64_t n, int64_t x, double p);

#endif
