/* clock: the two clocks as two types, so that one cannot be taken for the other. Only io/loop and the mains read a
 * real clock; everything else is handed a time.
 *
 * Ledger times are int64 milliseconds since the Unix epoch (names end in _ms); wall time here is microseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

struct mono_time {
    int64_t us;
};
struct wall_time {
    int64_t us;
};

struct mono_time clock_mono(void);
struct wall_time clock_wall(void);

static inline int64_t wall_ms(struct wall_time t) {
    return t.us / 1000;
}

#define TIME_UNKNOWN INT64_MIN /* a time that is not known; never 0 */
#define TIME_OPEN INT64_MAX    /* an end that has not come */

#endif
