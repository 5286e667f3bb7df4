/* reach: a fuzz target names what its seeds must reach, where its code gets there:
 *
 *     REACHED("a job with a status");
 *
 * Replaying the seeds (harness_replay in the unit tests, tests/check/fuzz.sh before each search) fails for each point
 * that no seed reached, and for a target that names none: seeds that only feed bytes to the first check find nothing.
 */
#ifndef TESTS_HARNESS_REACH_H
#define TESTS_HARNESS_REACH_H

#include <stdbool.h>
#include <stddef.h>

struct reach {
    const char *file, *what;
    int line;
    bool is_reached;
};

/* The section lists all points of a program, also those that are never passed. */
#define REACHED(text)                                                                                                  \
    do {                                                                                                               \
        static struct reach point_ = {__FILE__, text, __LINE__, false};                                                \
        static struct reach *const entry_ __attribute__((section("fuzz_reach"), used)) = &point_;                      \
        point_.is_reached = true;                                                                                      \
    } while (0)

/* False, and why[] lists the points of tests/fuzz/<target>.c that were not reached, or says that there is none. */
bool reach_check(const char *target, char *why, size_t size);

#endif
