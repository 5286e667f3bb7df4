#include "fleet/suspects.h"

#include "base/minmax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANCE 0.001
#define MAX_RATIO_TENTHS 99999

static double log_choose(int64_t n, int64_t x) {
    return lgamma((double)n + 1) - lgamma((double)x + 1) - lgamma((double)(n - x) + 1);
}

double suspects_tail(int64_t n, int64_t x, double p) {
    if (x <= 0)
        return 1;
    if (x > n)
        return 0;
    double term = exp(log_choose(n, x) + (double)x * log(p) + (double)(n - x) * log1p(-p)), sum = 0;
    for (int64_t i = x; i <= n; i++) {
        sum += term;
        if (term < sum * 1e-15 && (double)i > (double)n * p)
            break;
        term *= (double)(n - i) / (double)(i + 1) * p / (1 - p);
    }
    return sum < 1 ? sum : 1;
}

/* The least share of the failures with which x of n would have the probability CHANCE. */
static double share_bound(int64_t n, int64_t x) {
    double low = 0, high = (double)x / (double)n;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (middle > 0 && middle < 1 && suspects_tail(n, x, middle) > CHANCE)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static int by_pool_and_node(const void *a, const void *b) {
    const struct suspect_failure *x = a, *y = b;
    int by_node = strcmp(x->node, y->node);
    return x->pool != y->pool    ? x->pool - y->pool
           : by_node != 0        ? by_node
           : x->at_ms < y->at_ms ? -1
                                 : x->at_ms > y->at_ms;
}

static int by_ratio(const struct suspect *a, const struct suspect *b) {
    return a->ratio_tenths != b->ratio_tenths ? (a->ratio_tenths > b->ratio_tenths ? -1 : 1)
           : a->failures != b->failures       ? (a->failures > b->failures ? -1 : 1)
                                              : strcmp(a->node, b->node);
}

/* A node that moved to another pool is listed once. */
static int insert(struct suspect out[static SUSPECTS_MAX], int count, const struct suspect *s) {
    int at = count;
    for (int i = 0; i < count; i++)
        if (strcmp(out[i].node, s->node) == 0)
            return count;
    while (at > 0 && by_ratio(s, &out[at - 1]) < 0)
        at--;
    if (at == SUSPECTS_MAX)
        return count;
    count = count == SUSPECTS_MAX ? count : count + 1;
    memmove(&out[at + 1], &out[at], (size_t)(count - 1 - at) * sizeof *out);
    out[at] = *s;
    return count;
}

/* The end of the run of failures that start with `from` and are of its node (or of its pool). */
static size_t run(const struct suspect_failure *f, size_t count, size_t from, int is_of_pool) {
    size_t at = from + 1;
    while (at < count && f[at].pool == f[from].pool && (is_of_pool || strcmp(f[at].node, f[from].node) == 0))
        at++;
    return at;
}

static int test_node(const struct suspect_failure *f, size_t from, size_t to, struct suspect *s) {
    *s = (struct suspect){.node = f[from].node,
                          .pool = f[from].pool,
                          .failures = (int64_t)(to - from),
                          .first_ms = f[from].at_ms,
                          .last_ms = f[to - 1].at_ms,
                          .pool_failures = s->pool_failures,
                          .pool_nodes = s->pool_nodes};
    for (size_t i = from; i < to; i++)
        s->chip_ms += f[i].chip_ms;
    if (s->pool_nodes < 2 || s->failures < 2 ||
        suspects_tail(s->pool_failures, s->failures, 1.0 / (double)s->pool_nodes) > CHANCE)
        return 0;
    double share = share_bound(s->pool_failures, s->failures);
    s->ratio_tenths = min_of(MAX_RATIO_TENTHS, (int64_t)(10 * share / (1 - share) * (double)(s->pool_nodes - 1)));
    return 1;
}

int suspects_find(struct suspect_failure *f, size_t count, const int64_t *pool_nodes,
                  struct suspect out[static SUSPECTS_MAX]) {
    int found = 0;
    if (count > 0)
        qsort(f, count, sizeof *f, by_pool_and_node);
    for (size_t pool = 0, pool_end; pool < count; pool = pool_end) {
        int64_t failing = 0;
        pool_end = run(f, count, pool, 1);
        for (size_t i = pool; i < pool_end; i = run(f, pool_end, i, 0))
            failing++;
        for (size_t i = pool, end; i < pool_end; i = end) {
            struct suspect s = {.pool_failures = (int64_t)(pool_end - pool),
                                .pool_nodes = max_of(failing, pool_nodes[f[pool].pool])};
            end = run(f, pool_end, i, 0);
            if (test_node(f, i, end, &s))
                found = insert(out, found, &s);
        }
    }
    return found;
}
