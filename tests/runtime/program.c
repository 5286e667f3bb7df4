#include "program.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct program {
    pid_t pid; /* 0 once it was waited for */
    int fd, code;
    struct buf output;
};

static void find(char path[static 4096], const char *name) {
    char self[2048];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash != NULL)
        *slash = '\0';
    snprintf(path, 4096, "%s/../bin/%s", self, name);
    if (access(path, X_OK) != 0)
        snprintf(path, 4096, ".build/bin/%s", name);
}

struct program *program_start(const char *name, const char *const *arguments) {
    char path[4096];
    const char *argv[32] = {name};
    int fds[2];
    find(path, name);
    for (int i = 0; i < 30 && arguments[i] != NULL; i++)
        argv[i + 1] = arguments[i];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return NULL;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(127);
        dup2(fds[1], STDOUT_FILENO);
        const char *elsewhere = getenv("PROGRAM_STDERR");
        int other = elsewhere != NULL ? open(elsewhere, O_WRONLY | O_CLOEXEC) : -1;
        dup2(other >= 0 ? other : fds[1], STDERR_FILENO);
        setenv("KUBECTL", "tests/harness/kubectl", 0); /* the plugin's, unless another one is named */
        execv(path, (char *const *)argv);
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        _exit(127);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return NULL;
    }
    struct program *p = mem_new(struct program);
    p->pid = pid;
    p->fd = fds[0];
    fcntl(p->fd, F_SETFL, O_NONBLOCK);
    buf_init(&p->output, (size_t)64 << 20);
    return p;
}

/* Takes what there is, waiting at most wait_ms for more; false at the end of the output. */
static bool take_output(struct program *p, int wait_ms) {
    char chunk[65536];
    struct pollfd poll_fd = {.fd = p->fd, .events = POLLIN};
    poll(&poll_fd, 1, wait_ms);
    ssize_t n;
    while ((n = read(p->fd, chunk, sizeof chunk)) > 0)
        buf_append(&p->output, chunk, (size_t)n);
    return n < 0;
}

const char *program_output(struct program *p) {
    take_output(p, 0);
    return buf_text(&p->output);
}

bool program_says(struct program *p, const char *text, int64_t deadline_ms) {
    int64_t end_us = clock_mono().us + deadline_ms * 1000;
    while (strstr(buf_text(&p->output), text) == NULL) {
        bool is_open = take_output(p, 20);
        if (strstr(buf_text(&p->output), text) == NULL && (!is_open || clock_mono().us > end_us))
            return false;
    }
    return true;
}

int program_wait(struct program *p, int64_t deadline_ms) {
    int64_t end_us = clock_mono().us + deadline_ms * 1000;
    int status;
    while (p->pid != 0 && waitpid(p->pid, &status, WNOHANG) == 0) {
        take_output(p, 10);
        if (clock_mono().us > end_us) {
            kill(p->pid, SIGKILL);
            waitpid(p->pid, &status, 0);
            p->pid = 0;
            return p->code = -1;
        }
    }
    if (p->pid != 0)
        p->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    p->pid = 0;
    take_output(p, 0);
    return p->code;
}

void program_terminate(struct program *p) {
    if (p->pid != 0)
        kill(p->pid, SIGTERM);
}

int program_pid(const struct program *p) {
    return (int)p->pid;
}

static int64_t read_field(const char *path, const char *name) {
    char text[8192];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = '\0';
    const char *at = strstr(text, name);
    struct slice s = slice_trim(slice_of(at ? at + strlen(name) : ""));
    int64_t value;
    return slice_take_int(&s, &value) ? value : -1;
}

int64_t program_rss_kib(const struct program *p) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)p->pid);
    return read_field(path, "VmRSS:");
}

int64_t program_peak_kib(const struct program *p) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)p->pid);
    return read_field(path, "VmHWM:");
}

int64_t program_wakeups(const struct program *p) {
    char path[320];
    int64_t sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)p->pid);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)p->pid, task->d_name);
        int64_t switches = read_field(path, "\nvoluntary_ctxt_switches:");
        sum += switches > 0 ? switches : 0;
    }
    if (tasks != NULL)
        closedir(tasks);
    return sum;
}

void program_free(struct program *p) {
    if (p == NULL)
        return;
    if (p->pid != 0 && getenv("PROGRAM_TERMINATES") != NULL) { /* a program that is killed writes no counts of gcov */
        program_terminate(p);
        program_wait(p, 5000);
    }
    if (p->pid != 0) {
        kill(p->pid, SIGKILL);
        waitpid(p->pid, NULL, 0);
    }
    close(p->fd);
    buf_done(&p->output);
    free(p);
}
