/* run: kubectl-goodput as its users run it, on files in a folder of the test. */
#ifndef TESTS_CLI_RUN_H
#define TESTS_CLI_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run {
    int code;
    char *out, *err;
    int64_t rss_kib;
};

/* The program of the folder ../bin; its arguments as the shell would give them, files in the test's folder. */
struct run run_command(const char *command, const char *options);
/* The same with the command analyze. */
struct run run_analyze(const char *files, const char *options);
/* A script of the shell, in which "$0" is the program. */
struct run run_shell(const char *script);
/* The same, and all that it says. */
void run_check(const char *script, int code, const char *out, const char *err);
/* The same of what a command prints, through a pipe. */
struct run run_analyze_stream(const char *producer, const char *options);
void run_done(struct run *run);
/* A member of the JSON that it printed, by a path of one or two keys; -1 without. */
double run_number(const struct run *run, const char *outer, const char *inner);

char *run_path(const char *name);
void run_write_file(const char *name, const void *bytes, size_t size);
/* Sanitizers need additional memory, and the kernel counts valgrind's memory for its child. */
bool run_is_memory_ours(void);

#endif
