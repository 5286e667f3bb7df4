#include "kube/exec.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/jwrite.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_MAX_BYTES = 1 << 20, COMPLAINT_MAX_BYTES = 4096 };
#define TIMEOUT_US INT64_C(60000000)
#define TIMEOUT_WITH_A_PERSON_US INT64_C(300000000)

extern char **environ;

struct kube_exec {
    struct loop *loop;
    const struct kube_config *config;
    kube_exec_done *done;
    void *context;
    pid_t pid;
    int pid_fd, out_fd, err_fd;
    struct loop_fd *pid_watch, *out_watch, *err_watch;
    struct loop_timer *timer;
    struct buf output, complaint;
    bool is_interactive, is_timed_out;
    struct error *failure; /* found at the start */
};

static void report(void *context);

static void exec_free(struct kube_exec *e) {
    loop_fd_remove(e->pid_watch);
    loop_fd_remove(e->out_watch);
    loop_fd_remove(e->err_watch);
    int fds[] = {e->pid_fd, e->out_fd, e->err_fd};
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    loop_timer_free(e->timer);
    loop_defer_cancel(e->loop, report, e);
    if (e->output.data != NULL)
        explicit_bzero(e->output.data, e->output.capacity_bytes); /* it holds a secret */
    buf_done(&e->output);
    buf_done(&e->complaint);
    error_free(e->failure);
    free(e);
}

/* The plugin's input, in KUBERNETES_EXEC_INFO. */
static void write_info(const struct kube_exec *e, struct buf *out) {
    const struct kube_config *c = e->config;
    struct jwrite w;
    jwrite_init(&w, out);
    jwrite_object(&w);
    jwrite_member_text(&w, "kind", "ExecCredential");
    jwrite_member_text(&w, "apiVersion", c->exec->api_version);
    jwrite_member_object(&w, "spec");
    if (c->exec->wants_cluster_info) {
        jwrite_member_object(&w, "cluster");
        jwrite_member_text(&w, "server", c->server);
        if (c->tls_server_name != NULL)
            jwrite_member_text(&w, "tls-server-name", c->tls_server_name);
        if (c->is_insecure)
            jwrite_member_bool(&w, "insecure-skip-tls-verify", true);
        char *pem CLEANUP_FREE = mem_strdup(c->ca_pem);
        if (pem != NULL || (c->ca_file != NULL && file_read(c->ca_file, 1 << 20, &pem, NULL) == 0)) {
            char *data CLEANUP_FREE = base64_encode(slice_of(pem));
            jwrite_member_text(&w, "certificate-authority-data", data);
        }
        if (c->proxy_url != NULL)
            jwrite_member_text(&w, "proxy-url", c->proxy_url);
        jwrite_key(&w, "config");
        jwrite_raw(&w, slice_of(c->exec->cluster_config_json != NULL ? c->exec->cluster_config_json : "null"));
        jwrite_object_end(&w);
    }
    jwrite_member_bool(&w, "interactive", e->is_interactive);
    jwrite_object_end(&w);
    jwrite_object_end(&w);
}

static bool is_overridden(const char *variable, char *const *by) {
    size_t n = strcspn(variable, "=") + 1;
    for (size_t i = 0; by != NULL && by[i] != NULL; i++)
        if (strncmp(variable, by[i], n) == 0)
            return true;
    return strncmp(variable, "KUBERNETES_EXEC_INFO=", n) == 0;
}

/* Ours, the plugin's own, and the info. The strings are borrowed but for the last one. */
static char **make_environment(const struct kube_exec *e) {
    char **own = e->config->exec->environment;
    size_t count = 0, n = 0;
    while (environ[count] != NULL)
        count++;
    size_t own_count = 0;
    while (own != NULL && own[own_count] != NULL)
        own_count++;
    char **all = mem_alloc((count + own_count + 2) * sizeof(char *));
    for (size_t i = 0; i < count; i++)
        if (!is_overridden(environ[i], own))
            all[n++] = environ[i];
    for (size_t i = 0; i < own_count; i++)
        all[n++] = own[i];
    struct buf info CLEANUP_BUF = {0};
    buf_init(&info, 2 << 20);
    buf_append_text(&info, "KUBERNETES_EXEC_INFO=");
    write_info(e, &info);
    all[n] = buf_take(&info);
    return all;
}

static int spawn(struct kube_exec *e, int out, int complaint, char **environment) {
    const struct kube_exec_config *x = e->config->exec;
    size_t count = 0;
    while (x->arguments != NULL && x->arguments[count] != NULL)
        count++;
    char **argv CLEANUP_FREE = mem_alloc((count + 2) * sizeof(char *));
    argv[0] = x->command;
    for (size_t i = 0; i < count; i++)
        argv[i + 1] = x->arguments[i];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (!e->is_interactive)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (complaint >= 0)
        posix_spawn_file_actions_adddup2(&actions, complaint, STDERR_FILENO);
    sigset_t none, defaults; /* the loop blocks signals and ignores SIGPIPE; the plugin shall not */
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int r = posix_spawnp(&e->pid, x->command, &actions, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return -r;
}

/* Reads what is there; the end of a pipe removes its watch (a level-triggered end would spin). */
static void drain(int fd, struct buf *into, struct loop_fd **watch) {
    char part[8192];
    ssize_t n;
    while ((n = read(fd, part, sizeof part)) > 0)
        buf_append(into, part, (size_t)n);
    if (n == 0) {
        loop_fd_remove(*watch);
        *watch = NULL;
    }
}

static void out_ready(void *context, int fd, int events) {
    (void)events;
    struct kube_exec *e = context;
    drain(fd, &e->output, &e->out_watch);
}

static void err_ready(void *context, int fd, int events) {
    (void)events;
    struct kube_exec *e = context;
    drain(fd, &e->complaint, &e->err_watch);
}

static const char *hint(const struct kube_exec *e) {
    return e->config->exec->install_hint != NULL ? e->config->exec->install_hint : "";
}

/* The last line that the plugin wrote to stderr: usually what is wrong. */
static struct slice last_complaint(const struct kube_exec *e) {
    struct slice text = slice_trim(buf_slice(&e->complaint)), line, last = {"", 0};
    while (slice_take_line(&text, &line))
        if (slice_trim(line).size_bytes > 0)
            last = slice_trim(line);
    return last;
}

static int judge(struct kube_exec *e, int wait_status, struct kube_exec_result *result, struct error **err) {
    struct slice complaint = last_complaint(e);
    const char *colon = complaint.size_bytes > 0 ? ": " : "";
    if (e->is_timed_out)
        return error_set(err, ETIMEDOUT, "it did not answer in time and was ended%s%.*s", colon, SLICE_ARG(complaint));
    if (WIFSIGNALED(wait_status))
        return error_set(err, EPROTO, "it was ended by signal %d%s%.*s", WTERMSIG(wait_status), colon,
                         SLICE_ARG(complaint));
    if (WEXITSTATUS(wait_status) != 0)
        return error_set(err, EACCES, "it failed with exit code %d%s%.*s", WEXITSTATUS(wait_status), colon,
                         SLICE_ARG(complaint));
    if (e->output.truncated)
        return error_set(err, EMSGSIZE, "it printed more than %d bytes", OUTPUT_MAX_BYTES);
    return kube_exec_result_parse(buf_slice(&e->output), e->config->exec->api_version, result, err);
}

static void finish(struct kube_exec *e, struct kube_exec_result *result, struct error *err) {
    kube_exec_done *done = e->done;
    void *context = e->context;
    exec_free(e);
    done(context, result, err);
    if (result != NULL)
        kube_exec_result_done(result);
}

static void report(void *context) {
    struct kube_exec *e = context;
    struct error *err CLEANUP_ERROR = e->failure;
    e->failure = NULL;
    finish(e, NULL, err);
}

static void ended(void *context, int fd, int events) {
    (void)fd, (void)events;
    struct kube_exec *e = context;
    int wait_status = 0;
    if (waitpid(e->pid, &wait_status, WNOHANG) == 0)
        return;
    if (e->out_watch != NULL)
        drain(e->out_fd, &e->output, &e->out_watch);
    if (e->err_watch != NULL)
        drain(e->err_fd, &e->complaint, &e->err_watch);
    struct kube_exec_result result = {0};
    struct error *err CLEANUP_ERROR = NULL;
    if (judge(e, wait_status, &result, &err) == 0) {
        finish(e, &result, NULL);
        return;
    }
    error_wrap(&err, err->code, "%s: credential plugin %s", e->config->origin, e->config->exec->command);
    finish(e, NULL, err);
}

static void too_late(void *context) {
    struct kube_exec *e = context;
    e->is_timed_out = true;
    kill(e->pid, SIGKILL);
}

static int start(struct kube_exec *e, struct error **err) {
    const struct kube_exec_config *x = e->config->exec;
    bool has_person = isatty(STDIN_FILENO) == 1;
    if (x->interactive == KUBE_INTERACTIVE_ALWAYS && !has_person)
        return error_set(err, ENOTTY, "it asks questions (interactiveMode: Always), but there is no terminal");
    e->is_interactive = has_person && x->interactive != KUBE_INTERACTIVE_NEVER;
    int out[2] = {-1, -1}, complaint[2] = {-1, -1};
    bool shares_stderr = e->is_interactive && isatty(STDERR_FILENO) == 1;
    if (pipe2(out, O_CLOEXEC) < 0 || (!shares_stderr && pipe2(complaint, O_CLOEXEC) < 0))
        return error_set(err, errno, "no pipe: %s", strerror(errno));
    e->out_fd = out[0];
    e->err_fd = complaint[0];
    char **environment = make_environment(e);
    int r = spawn(e, out[1], complaint[1], environment);
    for (size_t i = 0; environment[i] != NULL; i++)
        if (environment[i + 1] == NULL)
            free(environment[i]);
    free(environment);
    close(out[1]);
    if (complaint[1] >= 0)
        close(complaint[1]);
    if (r < 0)
        return error_set(err, -r, "it cannot be started: %s%s%s", strerror(-r), hint(e)[0] != '\0' ? ". " : "",
                         hint(e));
    fcntl(e->out_fd, F_SETFL, O_NONBLOCK);
    e->out_watch = loop_fd_add(e->loop, e->out_fd, LOOP_READ, out_ready, e);
    if (e->err_fd >= 0) {
        fcntl(e->err_fd, F_SETFL, O_NONBLOCK);
        e->err_watch = loop_fd_add(e->loop, e->err_fd, LOOP_READ, err_ready, e);
    }
    e->pid_fd = (int)syscall(SYS_pidfd_open, e->pid, 0);
    if (e->pid_fd < 0) {
        r = error_set(err, errno, "it cannot be watched: %s (Linux 5.3 or newer is needed)", strerror(errno));
        kill(e->pid, SIGKILL);
        waitpid(e->pid, NULL, 0);
        return r;
    }
    e->pid_watch = loop_fd_add(e->loop, e->pid_fd, LOOP_READ, ended, e);
    return 0;
}

struct kube_exec *kube_exec_start(struct loop *loop, const struct kube_config *config, int64_t timeout_us,
                                  kube_exec_done *done, void *context) {
    struct kube_exec *e = mem_new(struct kube_exec);
    *e = (struct kube_exec){.loop = loop, .config = config, .done = done, .context = context};
    e->pid_fd = e->out_fd = e->err_fd = -1;
    buf_init(&e->output, OUTPUT_MAX_BYTES);
    buf_init(&e->complaint, COMPLAINT_MAX_BYTES);
    e->timer = loop_timer_new(loop, too_late, e);
    if (start(e, &e->failure) < 0) {
        error_wrap(&e->failure, e->failure->code, "%s: credential plugin %s", config->origin, config->exec->command);
        loop_defer(loop, report, e);
        return e;
    }
    int64_t usual_us = e->is_interactive ? TIMEOUT_WITH_A_PERSON_US : TIMEOUT_US;
    loop_timer_set(e->timer, timeout_us > 0 ? timeout_us : usual_us);
    return e;
}

void kube_exec_cancel(struct kube_exec *exec) {
    if (exec == NULL)
        return;
    if (exec->pid_fd >= 0) {
        kill(exec->pid, SIGKILL);
        waitpid(exec->pid, NULL, 0); /* at once: it cannot refuse */
    }
    exec_free(exec);
}
