#include "reach.h"

#include <stdio.h>
#include <string.h>

/* By the linker; absent where no file names a point. */
extern struct reach *const __start_fuzz_reach[] __attribute__((weak));
extern struct reach *const __stop_fuzz_reach[] __attribute__((weak));

bool reach_check(const char *target, char *why, size_t size) {
    char file[128];
    size_t points = 0, used = 0;
    snprintf(file, sizeof file, "/%s.c", target);
    for (struct reach *const *r = __start_fuzz_reach; r != __stop_fuzz_reach; r++) {
        const char *found = strstr((*r)->file, file);
        if (found == NULL || found[strlen(file)] != '\0')
            continue;
        points++;
        if (!(*r)->is_reached && used < size)
            used += (size_t)snprintf(why + used, size - used, "%sno seed reaches \"%s\" (line %d)",
                                     used > 0 ? "; " : "", (*r)->what, (*r)->line);
    }
    if (points == 0)
        snprintf(why, size, "%s does not say what its seeds must reach: REACHED(...)", target);
    return points > 0 && used == 0;
}
