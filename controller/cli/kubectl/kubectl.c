#include "cli/kubectl/kubectl.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMPLAINT_MAX_BYTES = 1 << 16 };

extern char **environ;

struct kubectl {
    pid_t pid;
    int out_fd, err_fd; /* -1: at its end */
    bool is_quiet;
    struct buf complaint;
};

static const char *program(void) {
    const char *named = getenv("KUBECTL");
    return named != NULL && *named != '\0' ? named : "kubectl";
}

/* A folder of PATH that may not be searched makes posix_spawnp report EACCES for a program that is nowhere. */
static bool is_on_path(const char *name) {
    const char *path = getenv("PATH");
    struct slice rest = slice_of(path != NULL ? path : ""), folder;
    for (bool is_last = false; !is_last;) {
        is_last = !slice_take_until(&rest, ':', &folder);
        CLEANUP_FREE char *file = mem_format("%.*s/%s", SLICE_ARG(is_last ? rest : folder), name);
        if (access(file, F_OK) == 0)
            return true;
    }
    return false;
}

static int refuse(int code, struct error **err) {
    bool is_missing = code == EACCES && strchr(program(), '/') == NULL && !is_on_path(program());
    if (code != ENOENT && !is_missing)
        return error_set(err, code, "cannot run %s: %s", program(), strerror(code));
    return error_set(
        err, ENOENT,
        "there is no %s on PATH, by which the cluster is read: install kubectl, or name it in the variable "
        "KUBECTL; analyze, why and -f FILE need none",
        program());
}

/* argv for exec; the caller frees the array. */
static char **with_program(const char *const *arguments) {
    size_t count = 0;
    while (arguments[count] != NULL)
        count++;
    char **argv = mem_resize(NULL, count + 2, sizeof *argv);
    argv[0] = (char *)program();
    memcpy(argv + 1, arguments, (count + 1) * sizeof *argv);
    return argv;
}

static int spawn(struct kubectl *k, char **argv, int out, int complaint) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none; /* the caller may block signals */
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complaint, STDERR_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int code = posix_spawnp(&k->pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code;
}

static int open_pipe(int fds[static 2]) {
    if (pipe(fds) != 0)
        return errno;
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    fcntl(fds[1], F_SETFD, FD_CLOEXEC);
    return 0;
}

struct kubectl *kubectl_start(const char *const *arguments, bool is_quiet, struct error **err) {
    struct kubectl *k = mem_new(struct kubectl);
    CLEANUP_FREE char **argv = with_program(arguments);
    int out[2] = {-1, -1}, complaint[2] = {-1, -1};
    int code = open_pipe(out);
    if (code == 0)
        code = open_pipe(complaint);
    if (code == 0)
        code = spawn(k, argv, out[1], complaint[1]);
    int fds[] = {out[1], complaint[1], code != 0 ? out[0] : -1, code != 0 ? complaint[0] : -1};
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (code != 0) {
        free(k);
        refuse(code, err);
        return NULL;
    }
    k->out_fd = out[0];
    k->err_fd = complaint[0];
    k->is_quiet = is_quiet;
    buf_init(&k->complaint, COMPLAINT_MAX_BYTES);
    return k;
}

/* Reads what is there; closes the descriptor at its end. */
static ssize_t take(int *fd, const struct pollfd *ready, char *chunk, size_t size) {
    if (*fd < 0 || ready->revents == 0)
        return 0;
    ssize_t n = read(*fd, chunk, size);
    if (n == 0 || (n < 0 && errno != EINTR)) {
        close(*fd);
        *fd = -1;
    }
    return n > 0 ? n : 0;
}

static void take_complaint(struct kubectl *k, const struct pollfd *ready) {
    char chunk[4096];
    ssize_t n = take(&k->err_fd, ready, chunk, sizeof chunk);
    buf_append(&k->complaint, chunk, (size_t)n);
    for (ssize_t done = 0; done < n && !k->is_quiet;) {
        ssize_t written = write(STDERR_FILENO, chunk + done, (size_t)(n - done));
        if (written < 0 && errno != EINTR)
            return;
        done += written > 0 ? written : 0;
    }
}

int kubectl_read(struct kubectl *k, int timeout_ms, struct buf *out) {
    char chunk[65536];
    struct pollfd ready[] = {{.fd = k->out_fd, .events = POLLIN}, {.fd = k->err_fd, .events = POLLIN}};
    if (poll(ready, ARRAY_SIZE(ready), timeout_ms) <= 0)
        return 1;
    take_complaint(k, &ready[1]);
    ssize_t n = take(&k->out_fd, &ready[0], chunk, sizeof chunk);
    int r = buf_append(out, chunk, (size_t)n);
    return r < 0 ? r : k->out_fd >= 0;
}

void kubectl_stop(struct kubectl *k) {
    kill(k->pid, SIGTERM);
}

int kubectl_end(struct kubectl *k, char **ret_complaint) {
    int status;
    if (k->out_fd >= 0)
        close(k->out_fd);
    while (waitpid(k->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    /* What is left, not what a daemon of a credential plugin may still write. */
    for (struct pollfd ready = {.fd = k->err_fd, .events = POLLIN}; k->err_fd >= 0 && poll(&ready, 1, 0) > 0;)
        take_complaint(k, &ready);
    if (k->err_fd >= 0)
        close(k->err_fd);
    if (ret_complaint != NULL)
        *ret_complaint = buf_take(&k->complaint);
    buf_done(&k->complaint);
    free(k);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int kubectl_become(const char *const *arguments, struct error **err) {
    CLEANUP_FREE char **argv = with_program(arguments);
    execvp(argv[0], argv);
    return refuse(errno, err);
}
