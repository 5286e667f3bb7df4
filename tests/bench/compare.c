/* How often `kubectl goodput compare` is wrong: pairs of equal jobs that it calls different, and pairs whose steps take
 * 2 % longer in which it does not find that. The promise is at most 1 % and at least 95 % of 1,000 pairs. */
#include "formulas/pairs.h"
#include "harness/random.h"

#include <inttypes.h>
#include <stdio.h>

int main(void) {
    int pairs = (int)random_setting("GOODPUT_JOBS", 1000);
    uint64_t seed = random_setting("GOODPUT_SEED", 42);
    struct pairs_tally t = pairs_run(pairs, seed);
    bool is_kept = t.alarms * 100 <= pairs && t.found * 100 >= 95 * pairs && t.contrary == 0;
    printf("%d pairs of jobs, seed %" PRIu64 ", %.1f rows tested in each:\n", pairs, seed,
           (double)t.rows_tested / pairs);
    printf("  equal jobs called different in any row:  %d (%.2f %%); promised: at most 1 %%\n", t.alarms,
           100.0 * t.alarms / pairs);
    printf("  steps 2 %% slower that were found:        %d (%.2f %%); promised: at least 95 %%\n", t.found,
           100.0 * t.found / pairs);
    printf("  steps 2 %% slower that were called faster: %d; promised: 0\n", t.contrary);
    for (int i = 0; i < t.alarms && i < 8; i++)
        printf("  alarm in row: %s\n", t.alarm_rows[i]);
    return is_kept ? 0 : 1;
}
