#include "steplog/forward.h"

#include "base/minmax.h"

enum { HABIT_SHARE = 4 }; /* a pause a quarter as long is the same one again */

void forward_add(struct forward *to, const struct forward *from) {
    int64_t less_ms = min_of(to->largest_ms, from->largest_ms);
    to->second_ms = max_of(less_ms, max_of(to->second_ms, from->second_ms));
    to->largest_ms = max_of(to->largest_ms, from->largest_ms);
}

int64_t forward_ms(const struct forward *f) {
    return f->second_ms * HABIT_SHARE < f->largest_ms ? f->largest_ms : 0;
}
