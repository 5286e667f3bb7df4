/* steer: the clocks of this test program, for itself and its libraries; a test moves them forwards, and what waits for
 * minutes is due in the next turn of the loop. */
#ifndef TESTS_STEER_H
#define TESTS_STEER_H

#include <stdint.h>

void steer_by(int64_t us);

#endif
