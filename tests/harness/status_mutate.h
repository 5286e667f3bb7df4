/* status_mutate: tries status_check on wrong numbers. Each number of a status is changed by one (what is in `rounded`:
 * to twice as much and 100), and each share replaced; a change that status_check lets pass fails the test, unless it is
 * of what is in `undetermined`. Both lists hold paths between spaces, list items without their number: "
 * badput.milliseconds ". Returns how many numbers were changed. */
#ifndef TESTS_HARNESS_STATUS_MUTATE_H
#define TESTS_HARNESS_STATUS_MUTATE_H

int status_mutate(const char *status, const char *undetermined, const char *rounded);

#endif
