/* program: runs goodput-controller or kubectl-goodput as a child, as its users do, and waits for what it does. Every
 * wait has a deadline; a child never outlives its test. */
#ifndef TESTS_RUNTIME_PROGRAM_H
#define TESTS_RUNTIME_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct program;

/* name: "goodput-controller", found in the folder ../bin of this test, else in .build/bin. arguments end with
 * NULL. NULL if it cannot be started. Its stderr goes to the file $PROGRAM_STDERR if that is set. */
struct program *program_start(const char *name, const char *const *arguments);
/* Waits for it to end: its exit code, -1 if a signal ended it or the deadline passed (it is then killed). */
int program_wait(struct program *p, int64_t deadline_ms);
void program_terminate(struct program *p); /* SIGTERM */
/* True once its output (both streams) holds the text; false after the deadline. */
bool program_says(struct program *p, const char *text, int64_t deadline_ms);
const char *program_output(struct program *p); /* all so far; borrowed until the next call */
int program_pid(const struct program *p);
int64_t program_rss_kib(const struct program *p);
int64_t program_peak_kib(const struct program *p); /* the most that was ever resident */
int64_t program_wakeups(const struct program *p);  /* voluntary context switches so far, all threads */
void program_free(struct program *p);              /* kills it if it still runs */

#endif
