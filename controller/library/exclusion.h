/* exclusion: get_job_goodput_with_exclusions(): a second main pass of the library, which differs from the first in more
 * than the exclusions: no special case for step 0, custom events by partial overlap, no checkpoint time, no check that
 * the productive time is possible. A time that is 0 counts as absent. */
#ifndef LIBRARY_EXCLUSION_H
#define LIBRARY_EXCLUSION_H

#include "library/library.h"

struct library_span {
    int64_t from_us, to_us;
};

/* d: the signed deviations that it leaves behind. */
void library_with_exclusions(const struct library_log *log, int64_t at_us, const struct library_span *spans,
                             size_t count, double ideal_s, bool is_elastic, struct library_answer *a,
                             struct library_deviation *d);

#endif
