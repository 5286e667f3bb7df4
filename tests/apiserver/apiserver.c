#include "apiserver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct apiserver {
    pid_t pid;
    int in; /* to the child */
    FILE *out;
    int port;
    char url[64], directory[64], kubeconfig[96];
};

static char *duplicate(const char *text) {
    char *copy = strdup(text);
    if (copy == NULL)
        abort();
    return copy;
}

static void run_child(const struct apiserver *s, const char *const *arguments, int in, int out) {
    const char *program = getenv("TEST_APISERVER"), *argv[64];
    int n = 0;
    argv[n++] = program != NULL ? program : ".build/bin/test-apiserver";
    argv[n++] = "--port";
    argv[n++] = "0";
    argv[n++] = "--control";
    argv[n++] = "--kubeconfig-out";
    argv[n++] = s->kubeconfig;
    for (int i = 0; arguments != NULL && arguments[i] != NULL && n < 63; i++)
        argv[n++] = arguments[i];
    argv[n] = NULL;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    execv(argv[0], (char *const *)argv);
    fprintf(stderr, "apiserver_start: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

static int await_ready(struct apiserver *s) {
    char line[128], scheme[16];
    if (fgets(line, sizeof line, s->out) == NULL || sscanf(line, ".ready %d %15s", &s->port, scheme) != 2) {
        fprintf(stderr, "apiserver_start: the server did not start\n");
        return -1;
    }
    snprintf(s->url, sizeof s->url, "%s://127.0.0.1:%d", scheme, s->port);
    return 0;
}

struct apiserver *apiserver_start(const char *const *arguments) {
    struct apiserver *s = calloc(1, sizeof *s);
    int in[2], out[2];
    if (s == NULL)
        abort();
    snprintf(s->directory, sizeof s->directory, "/tmp/test-apiserver-XXXXXX");
    if (mkdtemp(s->directory) == NULL || pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0) {
        perror("apiserver_start");
        free(s);
        return NULL;
    }
    snprintf(s->kubeconfig, sizeof s->kubeconfig, "%s/kubeconfig", s->directory);
    s->pid = fork();
    if (s->pid == 0)
        run_child(s, arguments, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    s->in = in[1];
    s->out = fdopen(out[0], "r");
    if (s->pid < 0 || s->out == NULL || await_ready(s) < 0) {
        apiserver_stop(s);
        return NULL;
    }
    return s;
}

int apiserver_stop(struct apiserver *s) {
    static const char *const files[] = {"kubeconfig", "ca.crt",     "ca.key",    "server.crt",
                                        "server.key", "client.crt", "client.key"};
    int status = -1, code = -1;
    if (s == NULL)
        return 0;
    close(s->in);
    if (s->pid >
        0) /* the end of its stdin is not an event for lws, which notices that a pipe hangs up but never reads it */
        kill(s->pid, SIGTERM);
    if (s->out != NULL)
        fclose(s->out);
    for (int i = 0; s->pid > 0 && i < 500; i++) {
        if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
            code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            s->pid = -1;
            break;
        }
        usleep(10000);
    }
    if (s->pid > 0) {
        kill(s->pid, SIGKILL);
        waitpid(s->pid, &status, 0);
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[160];
        snprintf(path, sizeof path, "%s/%s", s->directory, files[i]);
        unlink(path);
    }
    rmdir(s->directory);
    free(s);
    return code;
}

int apiserver_port(const struct apiserver *s) {
    return s->port;
}

const char *apiserver_url(const struct apiserver *s) {
    return s->url;
}

const char *apiserver_kubeconfig(const struct apiserver *s) {
    return s->kubeconfig;
}

const char *apiserver_directory(const struct apiserver *s) {
    return s->directory;
}

int apiserver_pid(const struct apiserver *s) {
    return (int)s->pid;
}

static bool send_all(int fd, const char *data, size_t size) {
    while (size > 0) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

/* Sends lines, reads the answer: what was printed (heap), or NULL after a line on stderr. */
static char *exchange(struct apiserver *s, const char *lines) {
    char *text = duplicate(""), *line = NULL;
    size_t size = 0, capacity = 0;
    if (s == NULL || !send_all(s->in, lines, strlen(lines)) || !send_all(s->in, "\n.\n", 3)) {
        fprintf(stderr, "apiserver: the server has ended\n");
        free(text);
        return NULL;
    }
    for (;;) {
        ssize_t n = getline(&line, &capacity, s->out);
        bool is_error = n > 0 && strncmp(line, ".error ", 7) == 0;
        if (n <= 0 || is_error) {
            fprintf(stderr, "apiserver: %s%s", n <= 0 ? "the server has ended\n" : line + 7, "");
            free(line);
            free(text);
            return NULL;
        }
        if (strcmp(line, ".ok\n") == 0)
            break;
        text = realloc(text, size + (size_t)n + 1);
        if (text == NULL)
            abort();
        memcpy(text + size, line, (size_t)n + 1);
        size += (size_t)n;
    }
    free(line);
    return text;
}

int apiserver_do(struct apiserver *s, const char *lines) {
    char *text = exchange(s, lines);
    int result = text != NULL ? 0 : -1;
    free(text);
    return result;
}

int apiserver_dof(struct apiserver *s, const char *format, ...) {
    char *lines = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&lines, format, args);
    va_end(args);
    if (n < 0)
        abort();
    int result = apiserver_do(s, lines);
    free(lines);
    return result;
}

char *apiserver_ask(struct apiserver *s, const char *line) {
    return exchange(s, line);
}

long apiserver_asknumber(struct apiserver *s, const char *line) {
    char *text = exchange(s, line), *end;
    long value = text != NULL ? strtol(text, &end, 10) : -1;
    if (text != NULL && end == text)
        value = -1;
    free(text);
    return value;
}
