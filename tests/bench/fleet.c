/* The cost of one roll-up of a fleet; the promise is 10,000 jobs in 100 ms. The first look at a fleet spreads
 * whole lives over the hours of the window; every further one adds what was gained in a minute. */
#include "base/mem.h"
#include "cpu_time.h"
#include "fleet/lives.h"
#include "fleet/outcome.h"

#include <stdio.h>

#define T0 (INT64_C(20000) * ROLL_DAY_MS)
#define PROMISED_MS 100.0
enum { JOBS = 10000, ROUNDS = 21 };

/* Of this process: the machine has other work. */
static int by_value(const void *a, const void *b) {
    return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

static double timed(struct roll *r, struct roll_member *rm, int64_t at_ms, struct outcome *o) {
    struct roll_input in = {.members = rm, .count = JOBS, .now_ms = at_ms};
    double started_ms = cpu_time_ms();
    roll_up(r, &in);
    outcome_make(r, &in, o);
    return cpu_time_ms() - started_ms;
}

static void print_times(const char *what, double *took, int count) {
    qsort(took, (size_t)count, sizeof *took, by_value);
    printf("  %-44s %7.1f ms of CPU (median of %d, %.1f to %.1f); promised %.0f ms: %.1fx as fast\n", what,
           took[count / 2], count, took[0], took[count - 1], PROMISED_MS, PROMISED_MS / took[count / 2]);
}

int main(void) {
    const struct roll_options week = {.window = ROLL_ROLLING, .length_ms = 7 * ROLL_DAY_MS};
    struct member **m = mem_alloc(JOBS * sizeof *m);
    struct roll_member *rm = mem_alloc(JOBS * sizeof *rm);
    struct outcome *o = mem_new(struct outcome);
    double first[ROUNDS], next[ROUNDS], store[ROUNDS];
    uint64_t seed = 42;
    int64_t at_ms = T0 + 7 * ROLL_DAY_MS;
    size_t bytes = 0;
    for (int i = 0; i < JOBS; i++) {
        m[i] = lives_begin(&seed, i, T0 + lives_below(&seed, 7 * ROLL_DAY_MS));
        for (int64_t t = m[i]->start_ms; t < at_ms; t += ROLL_DAY_MS / 3)
            lives_go_on(&seed, m[i], t);
        lives_go_on(&seed, m[i], at_ms);
        rm[i] = (struct roll_member){m[i], m[i]->namespace_, true, false};
    }
    struct roll r;
    for (int k = 0; k < ROUNDS; k++) {
        roll_init(&r, &week);
        first[k] = timed(&r, rm, at_ms, o);
        if (k + 1 < ROUNDS)
            roll_done(&r);
    }
    for (int k = 0; k < ROUNDS; k++) {
        bool is_coarse;
        at_ms += 60000;
        for (int i = 0; i < JOBS; i++)
            lives_go_on(&seed, m[i], at_ms);
        next[k] = timed(&r, rm, at_ms, o);
        double started_ms = cpu_time_ms();
        CLEANUP_FREE char *text = roll_store(&r, 1, 32768, &is_coarse);
        store[k] = cpu_time_ms() - started_ms;
        bytes = text ? strlen(text) : 0;
    }
    printf("%d jobs, a week in hours, %d groups:\n", JOBS, o->group_count);
    print_times("the first look, all lives spread over hours", first, ROUNDS);
    print_times("each further roll-up", next, ROUNDS);
    print_times("what is kept, written as text", store, ROUNDS);
    printf("  kept: %zu bytes of 32768\n", bytes);
    return 0;
}
