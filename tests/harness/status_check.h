/* status_check: derives every number of a JobGoodput's status that others in it determine, and compares. Called on each
 * status that a test sees: replays, unit tests, the simulator, fuzz targets, the embedded API server (faults, soak),
 * and by `test-status` for those of a real cluster. It reads the JSON alone and shares no code with the controller, so
 * that a wrong formula there is not repeated here. */
#ifndef TESTS_HARNESS_STATUS_CHECK_H
#define TESTS_HARNESS_STATUS_CHECK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define STATUS_WHY 400

/* A status, or a whole JobGoodput, whose spec then decides more. False, and why[] says which number is wrong, what it
 * is and what it should be. A status without times (nothing is measured yet) holds nothing that can be wrong. */
bool status_check(const json_t *value, char why[static STATUS_WHY]);
/* The same for text, which must be JSON without a key that comes twice. */
bool status_check_text(const char *text, size_t size_bytes, char why[static STATUS_WHY]);

#endif
