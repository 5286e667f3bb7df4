#include "run.h"

#include "harness.h"
#include "status_check.h"

#include "base/mem.h"

#include <jansson.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

char *run_path(const char *name) {
    if (folder[0] == '\0') {
        snprintf(folder, sizeof folder, "%s", "/tmp/test-analyze-XXXXXX");
        if (mkdtemp(folder) == NULL)
            abort();
    }
    return mem_format("%s/%s", folder, name);
}

void run_write_file(const char *name, const void *bytes, size_t size) {
    CLEANUP_FREE char *path = run_path(name);
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(bytes, 1, size, f) != size || fclose(f) != 0)
        harness_fail(__FILE__, __LINE__, "cannot write %s", path);
}

static char *read_back(const char *name) {
    CLEANUP_FREE char *path = run_path(name);
    size_t size;
    return harness_read_file(path, &size);
}

bool run_is_memory_ours(void) {
#ifdef __SANITIZE_ADDRESS__
    return false;
#else
    return getenv("GOODPUT_VALGRIND") == NULL;
#endif
}

static struct run run_line(const char *command, const char *options) {
    struct run run = {.code = -1};
    char self[512];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    CLEANUP_FREE char *out = run_path("out"), *err = run_path("err"), *home = run_path("");
    CLEANUP_FREE char *line =
        mem_format("cd %s && export LC_ALL=C && %s %s >%s 2>%s", home, command, options, out, err);
    CLEANUP_FREE char *program = mem_format("%s/../bin/kubectl-goodput", self);
    CLEANUP_FREE char *absolute = realpath(program, NULL);
    char *argv[] = {(char *)"sh", (char *)"-c", line, absolute, NULL};
    pid_t pid;
    int status = 0;
    struct rusage usage = {0};
    extern char **environ;
    if (absolute != NULL && posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ) == 0 &&
        wait4(pid, &status, 0, &usage) == pid)
        run.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run.out = read_back("out");
    run.err = read_back("err");
    run.rss_kib = usage.ru_maxrss;
    char why[STATUS_WHY];
    if (run.out != NULL && run.out[0] == '{' && !status_check_text(run.out, strlen(run.out), why))
        harness_fail(__FILE__, __LINE__, "%s: %s", options, why);
    return run;
}

struct run run_command(const char *command, const char *options) {
    CLEANUP_FREE char *line = mem_format("exec \"$0\" %s", command);
    return run_line(line, options);
}

struct run run_shell(const char *script) {
    CLEANUP_FREE char *line = mem_format("{ %s; }", script);
    return run_line(line, "");
}

struct run run_analyze(const char *files, const char *options) {
    CLEANUP_FREE char *command = mem_format("analyze %s", files);
    return run_command(command, options);
}

void run_check(const char *script, int code, const char *out, const char *err) {
    struct run run = run_shell(script);
    CHECK_INT(run.code, code);
    CHECK_TEXT(run.out, out);
    CHECK_TEXT(run.err, err);
    run_done(&run);
}

struct run run_analyze_stream(const char *producer, const char *options) {
    CLEANUP_FREE char *command = mem_format("%s | \"$0\" analyze -", producer);
    return run_line(command, options);
}

void run_done(struct run *run) {
    free(run->out);
    free(run->err);
}

double run_number(const struct run *run, const char *outer, const char *inner) {
    json_t *root = json_loads(run->out ? run->out : "", JSON_ALLOW_NUL, NULL);
    const json_t *value = json_object_get(root, outer);
    if (inner)
        value = json_object_get(value, inner);
    double number = json_is_number(value) ? json_number_value(value) : -1;
    json_decref(root);
    return number;
}
