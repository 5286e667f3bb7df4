/* test-faults: plays the scenarios of this folder: the controller itself against the embedded API server, the same
 * story each time (story.acts), and something wrong on the way. However that went, the numbers of the final status must
 * be those of undisturbed.scenario, within a minute of the story's end; the controller must live, and stay small.
 *
 * The lines are commands of tests/apiserver/README.md and of the runner itself: tests/faults/README.md.
 * The story lies in the past, so its end is final as soon as the controller knows of it, of all that led to it and of
 * nothing unread. Each runs in a separate process, FAULTS_JOBS (4) at once. Arguments: words of the names to run.
 * FAULTS_SHOW=1 prints what the controllers log. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/slice.h"

#include "apiserver/apiserver.h"
#include "disk.h"
#include "extra.h"
#include "numbers.h"
#include "preload/preload.h"
#include "runtime/program.h"
#include "words.h"

#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "tests/faults/"
#define FIRST "research/train"
#ifdef __SANITIZE_ADDRESS__
enum { MEMORY_MAX_KIB = 1 << 20 };
#else
enum { MEMORY_MAX_KIB = 32 << 10 };
#endif
enum { SKIPPED = 77, ACTS_MAX = 32, RECOVERY_S = 90, LINE_WAIT_MS = 70000 };

struct act {
    char *name, *text;
    bool is_played;
};

struct play {
    const char *path; /* of the scenario, for messages */
    int line;
    struct act acts[ACTS_MAX];
    size_t act_count;
    char *server_words, *controller_words;
    struct apiserver *server;
    struct program *controller, *other;
    char token_path[64], kubeconfig[64], pod_path[64], folder[64]; /* folder: FOLDER of the controller's flags */
    bool has_failed, has_second, has_disk;
    int metrics_port; /* 0: the kernel's choice */
    struct preload_clock *clock;
};

static void fail(struct play *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct play *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    CLEANUP_FREE char *text = mem_vformat(format, args);
    va_end(args);
    fprintf(stderr, "%s:%d: %s\n", p->path, p->line, text);
    p->has_failed = true;
}

static void load_acts(struct play *p) {
    char *story = words_read(FOLDER "story.acts");
    for (char *at = story; at != NULL && p->act_count < ACTS_MAX;) {
        at = strstr(at, "\n== ");
        if (at == NULL)
            break;
        at += 4;
        struct act *a = &p->acts[p->act_count++];
        size_t n = strcspn(at, "\n");
        a->name = mem_strndup(at, n);
        at += n;
        const char *end = strstr(at, "\n== ");
        a->text = end != NULL ? mem_strndup(at, (size_t)(end - at)) : mem_strdup(at);
    }
    free(story);
}

/* With a token the kubeconfig names a file, as a pod's does, so that it can be rotated. */
static const char *make_kubeconfig(struct play *p) {
    const char *token = p->server_words != NULL ? strstr(p->server_words, "--token ") : NULL;
    if (token == NULL)
        return apiserver_kubeconfig(p->server);
    token += strlen("--token ");
    CLEANUP_FREE char *first = mem_strndup(token, strcspn(token, " "));
    snprintf(p->token_path, sizeof p->token_path, "/tmp/faults-token-%d", (int)getpid());
    snprintf(p->kubeconfig, sizeof p->kubeconfig, "/tmp/faults-kubeconfig-%d", (int)getpid());
    words_write(p->token_path, first);
    CLEANUP_FREE char *text =
        mem_format("current-context: x\nclusters: [{name: x, cluster: {server: \"%s\"}}]\n"
                   "contexts: [{name: x, context: {cluster: x, user: x}}]\nusers: [{name: x, user: {tokenFile: %s}}]\n",
                   apiserver_url(p->server), p->token_path);
    words_write(p->kubeconfig, text);
    return p->kubeconfig;
}

static const char *make_folder(struct play *p) {
    if (p->folder[0] == '\0') {
        snprintf(p->folder, sizeof p->folder, "/tmp/faults-folder-XXXXXX");
        if (mkdtemp(p->folder) == NULL)
            fail(p, "%s: %s", p->folder, strerror(errno));
    }
    return p->folder;
}

static bool start_controller(struct play *p) {
    const char *more[WORDS_MAX] = {0}, *arguments[WORDS_MAX + 8];
    CLEANUP_FREE char *words = mem_strdup(p->controller_words);
    size_t n = 0;
    if (words != NULL)
        words_split(words, more);
    arguments[n++] = "--kubeconfig";
    arguments[n++] = make_kubeconfig(p);
    arguments[n++] = "--health-bind-address=0";
    arguments[n++] = "--v=1";
    arguments[n++] = "--status-interval=2s";
    if (words == NULL || strstr(p->controller_words, "--leader-elect") == NULL)
        arguments[n++] = "--leader-elect=false";
    for (size_t i = 0; more[i] != NULL; i++)
        arguments[n++] = strcmp(more[i], "FOLDER") == 0 ? make_folder(p) : more[i];
    CLEANUP_FREE char *metrics = mem_format("--metrics-bind-address=127.0.0.1:%d", p->metrics_port);
    arguments[n++] = metrics;
    arguments[n] = NULL;
    if (p->clock != NULL)
        preload_begin();
    p->controller = program_start("goodput-controller", arguments);
    preload_end();
    return p->controller != NULL;
}

/* Before anything is started that is to see it. A machine that has none ends the scenario's process. */
static void make_disk(struct play *p, const char *bytes) {
    CLEANUP_FREE char *why = disk_make(make_folder(p), strtoul(bytes, NULL, 10));
    p->has_disk = why == NULL;
    if (p->has_disk)
        return;
    printf("# %s needs a private file system: %s\n", p->path, why);
    extra_remove(p->folder);
    _exit(SKIPPED);
}

static bool begin(struct play *p) {
    const char *flags[WORDS_MAX + 2] = {"--crd", "crds/goodput.dev_jobgoodputs.yaml"};
    CLEANUP_FREE char *words = mem_strdup(p->server_words);
    if (words != NULL)
        words_split(words, flags + 2);
    p->server = apiserver_start(flags);
    return p->server != NULL && start_controller(p);
}

static void swap(struct play *p) {
    struct program *first = p->controller;
    p->controller = p->other;
    p->other = first;
    if (p->controller == NULL)
        fail(p, "there is no other controller");
}

static void start_standby(struct play *p) {
    p->other = p->controller;
    if (!start_controller(p) || !program_says(p->controller, "\"leader\"", LINE_WAIT_MS))
        fail(p, "the second controller sees no leader");
    swap(p);
}

static void await_end(struct play *p, const char *code) {
    int is = program_wait(p->controller, LINE_WAIT_MS);
    if (is != strtol(code, NULL, 10))
        fail(p, "the controller ended with %d instead of %s:\n%.3000s", is, code, program_output(p->controller));
    program_free(p->controller);
    p->controller = NULL;
}

static void kill_controller(struct play *p) {
    kill(program_pid(p->controller), SIGKILL);
    program_free(p->controller);
    p->controller = NULL;
}

static void send(struct play *p, const char *lines) {
    if (apiserver_do(p->server, lines) == 0)
        return;
    CLEANUP_FREE char *requests = getenv("FAULTS_SHOW") != NULL ? apiserver_ask(p->server, "requests") : NULL;
    if (requests != NULL)
        fprintf(stderr, "%s\n", requests);
    if (p->controller == NULL)
        fail(p, "the server's reason is above");
    else
        fail(p, "the server's reason is above; the controller said at last: %.*s", 1500,
             program_output(p->controller) +
                 (strlen(program_output(p->controller)) > 1500 ? strlen(program_output(p->controller)) - 1500 : 0));
}

static void play_act(struct play *p, const char *name) {
    bool is_rest = strcmp(name, "rest") == 0, is_found = is_rest;
    for (size_t i = 0; i < p->act_count; i++) {
        struct act *a = &p->acts[i];
        if (is_rest ? a->is_played : strcmp(a->name, name) != 0)
            continue;
        is_found = a->is_played = true;
        send(p, a->text);
        CLEANUP_FREE char *second = p->has_second ? extra_second(a->text, p->pod_path) : NULL;
        if (second != NULL && !p->has_failed)
            send(p, second);
    }
    if (!is_found)
        fail(p, "there is no act \"%s\" in " FOLDER "story.acts", name);
}

static void rotate(struct play *p, const char *token, bool is_late) {
    CLEANUP_FREE char *line = mem_format("token %s\nall reset", token);
    send(p, line);
    if (is_late)
        sleep(2);
    words_write(p->token_path, token);
}

static void noise(struct play *p, char *rest) {
    const char *words[WORDS_MAX];
    words_split(rest, words);
    size_t bytes = strtoul(words[1], NULL, 10), line_bytes = strtoul(words[2], NULL, 10), chunk = 2 << 20;
    for (size_t done = 0; done < bytes && !p->has_failed; done += chunk) {
        CLEANUP_FREE char *lines =
            extra_noise(words[0], bytes - done < chunk || line_bytes > chunk ? bytes - done : chunk, line_bytes);
        send(p, lines);
        if (line_bytes > chunk)
            break;
    }
}

/* METRIC [N]: waits for N as long as the metric grows, so that a slow machine may take its time. */
static void moved(struct play *p, char *rest) {
    static const char key[] = "\"metrics served\",\"port\":";
    const char *words[WORDS_MAX], *metric;
    words_split(rest, words);
    metric = words[0];
    int64_t required = words[1] != NULL ? strtol(words[1], NULL, 10) : 1;
    int64_t value = -1, end_us = clock_mono().us + (int64_t)LINE_WAIT_MS * 1000;
    int port = p->metrics_port;
    if (port == 0 && program_says(p->controller, key, LINE_WAIT_MS))
        port = (int)strtol(strstr(program_output(p->controller), key) + strlen(key), NULL, 10);
    for (int64_t before = -1; clock_mono().us < end_us; before = value) {
        if ((value = extra_metric(port, metric)) >= required)
            break;
        if (value > before)
            end_us = clock_mono().us + (int64_t)LINE_WAIT_MS * 1000;
        usleep(50000);
    }
    CLEANUP_FREE char *others = value < required ? extra_troubles(port) : NULL;
    if (value < required)
        fail(p, "the metric %s reached only %lld; these metrics changed:\n%s", metric, (long long)value, others);
}

/* STATUS JOB steps FIRST to LAST */
static void push(struct play *p, char *rest) {
    static const char key[] = "\"ingest served\",\"port\":";
    const char *words[WORDS_MAX];
    words_split(rest, words);
    if (!program_says(p->controller, key, LINE_WAIT_MS))
        fail(p, "the controller takes no lines");
    if (p->has_failed)
        return;
    int port = (int)strtol(strstr(program_output(p->controller), key) + strlen(key), NULL, 10);
    int status = disk_push(port, words[1], (int)strtol(words[3], NULL, 10), (int)strtol(words[5], NULL, 10));
    if (status != strtol(words[0], NULL, 10))
        fail(p, "what was pushed was answered with %d", status);
}

static void use_disk(struct play *p, bool is_full) {
    if (!(is_full ? disk_fill(p->folder) : disk_free(p->folder)))
        fail(p, "%s: %s", p->folder, strerror(errno));
}

static void set_clock(struct play *p, const char *seconds) {
    if (p->clock == NULL)
        fail(p, "the scenario needs the line \"fast N\"");
    else
        p->clock->step_us += (int64_t)strtol(seconds, NULL, 10) * 1000000;
}

/* How large each file may become that the controller writes: behind that a write ends early, and the next fails. */
static void set_room(struct play *p, const char *bytes) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    if (bytes[0] != '\0')
        limit.rlim_cur = strtoul(bytes, NULL, 10);
    if (prlimit(program_pid(p->controller), RLIMIT_FSIZE, &limit, NULL) != 0)
        fail(p, "the size of files cannot be limited: %s", strerror(errno));
}

static void skip(struct play *p, const char *name) {
    for (size_t i = 0; i < p->act_count; i++)
        if (strcmp(p->acts[i].name, name) == 0) {
            p->acts[i].is_played = true;
            return;
        }
    fail(p, "there is no act \"%s\"", name);
}

/* The pods of the second job. */
static void begin_second(struct play *p) {
    CLEANUP_FREE char *pod = words_read(FOLDER "pod.yaml"), *second = extra_second(pod, "");
    snprintf(p->pod_path, sizeof p->pod_path, "/tmp/faults-pod-%d.yaml", (int)getpid());
    words_write(p->pod_path, second);
    p->has_second = true;
}

static void own_line(struct play *p, char *line) {
    const char *rest, *words[WORDS_MAX];
    if (words_take(line, "play", &rest)) {
        CLEANUP_FREE char *copy = mem_strdup(rest);
        words_split(copy, words);
        for (size_t i = 0; words[i] != NULL; i++)
            play_act(p, words[i]);
    } else if (words_take(line, "rotate", &rest))
        rotate(p, rest, false);
    else if (words_take(line, "rotate-late", &rest))
        rotate(p, rest, true);
    else if (words_take(line, "fill", &rest)) {
        CLEANUP_FREE char *pods = extra_pods((int)strtol(rest, NULL, 10));
        send(p, pods);
    } else if (words_take(line, "says", &rest)) {
        if (!program_says(p->controller, rest, LINE_WAIT_MS))
            fail(p, "the controller never said \"%s\"", rest);
    } else if (words_take(line, "standby", &rest))
        start_standby(p);
    else if (words_take(line, "swap", &rest))
        swap(p);
    else if (words_take(line, "ends", &rest))
        await_end(p, rest);
    else if (words_take(line, "terminate", &rest))
        program_terminate(p->controller);
    else if (words_take(line, "pause", &rest))
        kill(program_pid(p->controller), SIGSTOP);
    else if (words_take(line, "continue", &rest))
        kill(program_pid(p->controller), SIGCONT);
    else if (words_take(line, "server-stops", &rest)) {
        kill(apiserver_pid(p->server), SIGSTOP);
        sleep((unsigned)strtol(rest, NULL, 10));
        kill(apiserver_pid(p->server), SIGCONT);
    } else if (words_take(line, "noise", &rest)) {
        CLEANUP_FREE char *copy = mem_strdup(rest);
        noise(p, copy);
    } else if (words_take(line, "moved", &rest)) {
        CLEANUP_FREE char *copy = mem_strdup(rest);
        moved(p, copy);
    } else if (words_take(line, "skip", &rest))
        skip(p, rest);
    else if (words_take(line, "clock", &rest))
        set_clock(p, rest);
    else if (words_take(line, "room", &rest))
        set_room(p, rest);
    else if (words_take(line, "push", &rest)) {
        CLEANUP_FREE char *copy = mem_strdup(rest);
        push(p, copy);
    } else if (words_take(line, "fill-disk", &rest) || words_take(line, "free-disk", &rest))
        use_disk(p, line[1] == 'i');
    else if (words_take(line, "events", &rest)) {
        CLEANUP_FREE char *why = extra_bad_events(p->folder, strtol(rest, NULL, 10));
        if (why != NULL)
            fail(p, "%s", why);
    } else if (words_take(line, "kill", &rest))
        kill_controller(p);
    else if (words_take(line, "start", &rest)) {
        if (!start_controller(p))
            fail(p, "the controller did not start");
    }
}

static bool is_own_word(const char *line) {
    static const char *const words[] = {"play",  "rotate",   "rotate-late", "fill",      "says",      "kill",
                                        "start", "noise",    "moved",       "skip",      "clock",     "swap",
                                        "pause", "continue", "ends",        "standby",   "terminate", "server-stops",
                                        "room",  "events",   "push",        "fill-disk", "free-disk"};
    const char *rest;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (words_take(line, words[i], &rest))
            return true;
    return false;
}

/* Lines up to one of the runner's own go to the server together: here-documents and waits are its business. */
static void play_lines(struct play *p, char *text) {
    CLEANUP_BUF struct buf together;
    buf_init(&together, 1 << 20);
    char *next = text;
    while (next != NULL && !p->has_failed) {
        char *line = next;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        p->line++;
        const char *rest;
        if (words_take(line, "server", &rest) || words_take(line, "controller", &rest) ||
            words_take(line, "deaf", &rest) || words_take(line, "alone", &rest) || words_take(line, "fast", &rest) ||
            words_take(line, "disk", &rest) || line[0] == '#')
            continue;
        bool is_own = is_own_word(line);
        if (is_own && together.size_bytes > 0) {
            send(p, buf_text(&together));
            buf_clear(&together);
        }
        if (is_own)
            own_line(p, line);
        else if (line[0] != '\0') {
            if (words_take(line, "strike", &rest)) /* a stream that is there: others may have ended it just now */
                buf_format(&together, "wait open %.*s\n", (int)strcspn(rest, ":"), rest);
            buf_format(&together, "%s\n", line);
        }
    }
    if (together.size_bytes > 0 && !p->has_failed)
        send(p, buf_text(&together));
}

/* ---- the numbers ---- */

static char *numbers(struct play *p, const char *name) {
    CLEANUP_FREE char *ask = mem_format("get jobgoodputs %s", name);
    CLEANUP_FREE char *text = apiserver_ask(p->server, ask);
    return numbers_of(text);
}

/* The first line in which two texts differ. */
static void show_difference(struct play *p, const char *is, const char *expected) {
    if (getenv("FAULTS_SHOW") != NULL)
        fprintf(stderr, "is:\n%s\nexpected:\n%s\n", is, expected);
    while (*is != '\0' && *expected != '\0') {
        size_t a = strcspn(is, "\n"), b = strcspn(expected, "\n");
        if (a != b || strncmp(is, expected, a) != 0) {
            fail(p, "the final status is not that of the undisturbed run:\n  %.*s\n  %.*s", (int)a, is, (int)b,
                 expected);
            return;
        }
        is += a + (is[a] == '\n');
        expected += b + (expected[b] == '\n');
    }
    fail(p, "the final status is not that of the undisturbed run: one has more than the other:\n  %s\n  %s", is,
         expected);
}

/* Of the undisturbed run itself: what the story says. */
static const char *const anchors[] = {"\"wallMilliseconds\": 108000", "\"retained\": 20", "\"repeated\": 4",
                                      "\"total\": 1", "phase: \"Completed\""};

static const char *missing_anchor(const char *is) {
    for (size_t i = 0; i < ARRAY_SIZE(anchors); i++)
        if (strstr(is, anchors[i]) == NULL)
            return anchors[i];
    return NULL;
}

static void judge(struct play *p, const char *truth) {
    int64_t end_us = clock_mono().us + (int64_t)RECOVERY_S * 1000000;
    CLEANUP_FREE char *is = NULL;
    do {
        free(is);
        is = numbers(p, FIRST);
        if (is != NULL && p->has_second) {
            CLEANUP_FREE char *second = numbers(p, "twin/train"), *first = extra_first(second);
            if (first == NULL || (strcmp(is, truth) == 0 && strcmp(first, truth) != 0)) { /* look at the other one */
                free(is);
                is = mem_strdup(first);
            }
        }
        if (is != NULL && (truth == NULL ? missing_anchor(is) == NULL : strcmp(is, truth) == 0))
            return;
        usleep(50000);
    } while (clock_mono().us < end_us);
    if (is == NULL)
        fail(p, "no final status in %d s", RECOVERY_S);
    else if (truth == NULL)
        fail(p, "the status does not say %s", missing_anchor(is));
    else
        show_difference(p, is, truth);
}

/* ---- one scenario, and all ---- */

/* No secret is ever in a log: the tokens of `server --token` and `rotate`. */
static void find_tokens(struct play *p) {
    CLEANUP_FREE char *token = words_read(p->token_path);
    if (token != NULL && token[0] != '\0' && strstr(program_output(p->controller), token) != NULL)
        fail(p, "the token \"%s\" is in the controller's log", token);
}

static void end(struct play *p) {
    int64_t rss_kib = p->controller != NULL ? program_peak_kib(p->controller) : 0;
    if (rss_kib > MEMORY_MAX_KIB)
        fail(p, "%lld KiB were resident", (long long)rss_kib);
    if (p->controller != NULL) {
        program_terminate(p->controller);
        if (!p->has_failed && program_wait(p->controller, 20000) != 0)
            fail(p, "the controller did not end well:\n%.3000s", program_output(p->controller));
        find_tokens(p);
        if (getenv("FAULTS_SHOW") != NULL)
            fprintf(stderr, "%s\n", program_output(p->controller));
        program_free(p->controller);
    }
    if (!p->has_failed && apiserver_do(p->server, "check-ledgers") != 0)
        fail(p, "a status was written whose identities do not hold: see above");
    program_free(p->other);
    apiserver_do(p->server, "stop");
    apiserver_stop(p->server);
    preload_done(p->clock);
    unlink(p->token_path);
    unlink(p->kubeconfig);
    unlink(p->pod_path);
    if (p->has_disk)
        disk_drop(p->folder);
    extra_remove(p->folder);
    for (size_t i = 0; i < p->act_count; i++) {
        free(p->acts[i].name);
        free(p->acts[i].text);
    }
    free(p->server_words);
    free(p->controller_words);
}

/* Plays one; truth NULL: it is the undisturbed one, whose numbers go to truth_path. */
static bool run(const char *path, const char *truth, const char *truth_path) {
    struct play p = {.path = path};
    CLEANUP_FREE char *text = words_read(path);
    if (text == NULL)
        return false;
    load_acts(&p);
    p.server_words = words_behind(text, "server");
    p.controller_words = words_behind(text, "controller");
    CLEANUP_FREE char *speed = words_behind(text, "fast");
    if (speed != NULL)
        p.clock = preload_clock(strtol(speed, NULL, 10));
    CLEANUP_FREE char *disk = words_behind(text, "disk");
    if (disk != NULL)
        make_disk(&p, disk);
    if (strstr(text, "\ndeaf\n") != NULL) {
        setenv("PROGRAM_STDERR", "/dev/full", 1);
        p.metrics_port = extra_free_port(); /* it cannot say which */
    }
    if (truth != NULL && strstr(text, "\nmoved ") == NULL && strstr(text, "No metric") == NULL)
        fail(&p, "it has no line \"moved METRIC\", and its heading does not say why");
    else if (begin(&p)) {
        if (truth != NULL && strstr(text, "\nalone\n") == NULL)
            begin_second(&p);
        play_lines(&p, text);
        if (!p.has_failed)
            play_act(&p, "rest");
        if (!p.has_failed)
            judge(&p, truth);
        CLEANUP_FREE char *is = truth == NULL && !p.has_failed ? numbers(&p, FIRST) : NULL;
        if (is != NULL)
            words_write(truth_path, is);
    } else
        fail(&p, "the server or the controller did not start");
    end(&p);
    return !p.has_failed;
}

static const char *name_of(const char *path) {
    return path + strlen(FOLDER);
}

static bool is_chosen(const char *path, int argc, char **argv) {
    CLEANUP_FREE char *text = words_read(path);
    if (text == NULL || (slice_starts(slice_of(text), "# slow") && getenv("FAULTS_SLOW") == NULL))
        return false;
    bool is_named = argc < 2;
    for (int i = 1; i < argc; i++)
        is_named = is_named || strstr(name_of(path), argv[i]) != NULL;
    return is_named;
}

struct child {
    pid_t pid;
    const char *path;
    int64_t start_us;
};

/* Waits for one child, and counts how its scenario went. */
static void reap(struct child *children, size_t count, int *passed, int *failed) {
    int status;
    pid_t pid = wait(&status);
    for (size_t i = 0; i < count; i++)
        if (children[i].pid == pid) {
            int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
            children[i].pid = 0;
            *passed += code == 0;
            *failed += code != 0 && code != SKIPPED;
            printf("%s %s (%.1f s)\n",
                   code == 0         ? "ok"
                   : code == SKIPPED ? "skipped"
                                     : "not ok",
                   name_of(children[i].path), (double)(clock_mono().us - children[i].start_us) / 1e6);
        }
}

int main(int argc, char **argv) {
    char truth_path[64];
    snprintf(truth_path, sizeof truth_path, "/tmp/faults-truth-%d", (int)getpid());
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGXFSZ, SIG_IGN); /* for what is started: a write that goes too far fails, as on a full disk */
    bool ok = run(FOLDER "undisturbed.scenario", NULL, truth_path);
    CLEANUP_FREE char *truth = words_read(truth_path);
    unlink(truth_path);
    printf("%s undisturbed.scenario\n", ok && truth != NULL ? "ok" : "not ok");
    int passed = ok && truth != NULL, failed = !passed;
    size_t jobs = getenv("FAULTS_JOBS") != NULL ? strtoul(getenv("FAULTS_JOBS"), NULL, 10) : 4, running = 0;
    struct child children[64] = {0};
    glob_t found = {0};
    glob(FOLDER "*.scenario", 0, NULL, &found);
    for (size_t i = 0; truth != NULL && i < found.gl_pathc && i < ARRAY_SIZE(children); i++) {
        const char *path = found.gl_pathv[i];
        if (strcmp(name_of(path), "undisturbed.scenario") == 0 || !is_chosen(path, argc, argv))
            continue;
        if (running == (jobs > 0 ? jobs : 1)) {
            reap(children, i, &passed, &failed);
            running--;
        }
        children[i] = (struct child){.path = path, .start_us = clock_mono().us};
        children[i].pid = fork();
        if (children[i].pid == 0)
            _exit(run(path, truth, NULL) ? 0 : 1);
        running++;
    }
    for (; running > 0; running--)
        reap(children, ARRAY_SIZE(children), &passed, &failed);
    globfree(&found);
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
