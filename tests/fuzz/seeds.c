/* Part of every fuzz program: when FUZZ_SEEDS names the target, the run replays its seeds, and fails at its end unless
 * they reached all that the target says (reach.h). */
#include "reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((destructor)) static void check_seeds(void) {
    const char *target = getenv("FUZZ_SEEDS");
    char why[2000];
    if (target == NULL || *target == '\0' || reach_check(target, why, sizeof why))
        return;
    fprintf(stderr, "%s: %s\n", target, why);
    _exit(1);
}
