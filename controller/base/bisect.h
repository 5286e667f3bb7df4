/* bisect: the first of `count` places that does not pass a test, or `count`. The test holds up to that place and
 * fails from there on.
 *
 *     BISECT(i, list->count, list->items[i].at_ms <= ms)    how many are not later than ms
 */
#ifndef BASE_BISECT_H
#define BASE_BISECT_H

#include <stddef.h>

#define BISECT(i, count, passes)                                                                                       \
    ({                                                                                                                 \
        size_t bisect_low = 0, bisect_high = (count);                                                                  \
        while (bisect_low < bisect_high) {                                                                             \
            size_t i = bisect_low + (bisect_high - bisect_low) / 2;                                                    \
            if (passes)                                                                                                \
                bisect_low = i + 1;                                                                                    \
            else                                                                                                       \
                bisect_high = i;                                                                                       \
        }                                                                                                              \
        bisect_low;                                                                                                    \
    })

#endif
