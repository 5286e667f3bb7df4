/* More logs than may be followed at once are read in turns. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/buf.h"
#include "base/mem.h"
#include "program.h"

#include <malloc.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CRD "crds/goodput.dev_jobgoodputs.yaml"
#define JOBS 7
#define FOLLOWS 2
#define TIMED "2026-01-01T00:00:0"

static const char objects[] =
    "apply <<END\n"
    "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"j%1$d\",\"namespace\":\"default\",\"uid\":"
    "\"job-%1$d\",\"creationTimestamp\":\"" TIMED "0Z\"},\"spec\":{\"parallelism\":1,\"completions\":1,"
    "\"completionMode\":\"Indexed\",\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}},\"status\":{}}\nEND\n"
    "apply <<END\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%1$d\",\"namespace\":\"default\",\"uid\":"
    "\"pod-%1$d\",\"creationTimestamp\":\"" TIMED
    "1Z\",\"labels\":{\"batch.kubernetes.io/controller-uid\":\"job-%1$d\","
    "\"batch.kubernetes.io/job-name\":\"j%1$d\","
    "\"batch.kubernetes.io/job-completion-index\":\"0\"},\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":"
    "\"Job\",\"name\":\"j%1$d\",\"uid\":\"job-%1$d\",\"controller\":true}]},\"spec\":{\"nodeName\":\"n\","
    "\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"PodScheduled\","
    "\"status\":\"True\",\"lastTransitionTime\":\"" TIMED "2Z\"}],\"containerStatuses\":[{\"name\":\"c\","
    "\"restartCount\":0,\"state\":{\"running\":{\"startedAt\":\"" TIMED "3Z\"}}}]}}\nEND\n"
    "apply <<END\n"
    "{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{\"name\":\"j%1$d\",\"namespace\":"
    "\"default\"},\"spec\":{\"targetRef\":{\"apiGroup\":\"batch\",\"kind\":\"Job\",\"name\":\"j%1$d\"},"
    "\"stepLog\":{\"source\":\"PodLog\",\"format\":\"MaxText\"}}}\nEND\n";

/* Steps [from, to) of a job, a second each. */
static int print_steps(struct apiserver *s, int job, int from, int to) {
    CLEANUP_BUF struct buf lines;
    buf_init(&lines, 1 << 20);
    buf_format(&lines, "log default/p%d <<END\n", job);
    for (int step = from; step < to; step++)
        buf_format(&lines,
                   "2026-01-01T00:%02d:%02d.000000000Z completed step: %d, seconds: 1.000, TFLOP/s/device: 50.1, "
                   "loss: 2.1\n",
                   1 + step / 60, step % 60, step);
    buf_append_text(&lines, "END");
    return apiserver_do(s, buf_text(&lines));
}

/* How many statuses have that many steps; checks that no step counted twice. */
static long count_done(struct apiserver *s, int steps) {
    CLEANUP_FREE char *ask = mem_format("holding jobgoodputs \"retained\":%d,\"repeated\":0", steps);
    return apiserver_asknumber(s, ask);
}

/* A port that was free a moment ago. */
static int free_port(void) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool is_bound = bind(fd, (struct sockaddr *)&at, size) == 0 && getsockname(fd, (struct sockaddr *)&at, &size) == 0;
    close(fd);
    return is_bound ? ntohs(at.sin_port) : -1;
}

/* The controller's own count (a server that only writes does not notice at once that its reader left); -1: no answer.
 */
static long count_follows(int port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    static const char name[] = "\ngoodput_controller_log_follows ";
    char page[65536];
    size_t size = 0;
    ssize_t n = -1;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0 && write(fd, request, sizeof request - 1) > 0)
        while (size < sizeof page - 1 && (n = read(fd, page + size, sizeof page - 1 - size)) > 0)
            size += (size_t)n;
    close(fd);
    page[size] = '\0';
    const char *found = strstr(page, name);
    return found ? strtol(found + sizeof name - 1, NULL, 10) : -1;
}

/* Waits until every job's steps have arrived; the most streams that were seen open, -1 if they did not. */
static long max_open_until_done(struct apiserver *s, int port, int steps) {
    long max_open = 0;
    for (int i = 0; i < 1200; i++) {
        long open = count_follows(port);
        max_open = open > max_open ? open : max_open;
        if (count_done(s, steps) == JOBS)
            return max_open;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    return -1;
}

TEST(more_logs_than_may_be_followed_are_read_in_turns) {
    struct apiserver *s = apiserver_start((const char *[]){"--tls", "--crd", CRD, NULL});
    REQUIRE(s != NULL);
    for (int i = 0; i < JOBS; i++) {
        CHECK_INT(apiserver_dof(s, objects, i), 0);
        CHECK_INT(print_steps(s, i, 0, 20), 0);
    }
    int port = free_port();
    CLEANUP_FREE char *metrics = mem_format("--metrics-bind-address=127.0.0.1:%d", port);
    struct program *c = program_start("goodput-controller",
                                      (const char *[]){"--kubeconfig", apiserver_kubeconfig(s),
                                                       "--health-bind-address=0", "--leader-elect=false",
                                                       "--max-log-follows=2", "--status-interval=1s", metrics, NULL});
    REQUIRE(c != NULL);
    long max_open = max_open_until_done(s, port, 20);
    if (max_open < 0 || max_open > FOLLOWS)
        harness_fail(__FILE__, __LINE__, "%ld logs were open at once; the controller said:\n%s", max_open,
                     program_output(c));
    for (int i = 0; i < JOBS; i++)
        CHECK_INT(print_steps(s, i, 20, 60), 0); /* what comes later too, each line once */
    max_open = max_open_until_done(s, port, 60);
    if (max_open < 0 || max_open > FOLLOWS)
        harness_fail(__FILE__, __LINE__, "%ld logs were open at once; the controller said:\n%s", max_open,
                     program_output(c));
    /* A turn ends with what the log holds, so that its connection serves the next one: mostly one for each place, one
     * for the log that was followed there before there were too many, and three for all else. A busy machine opens a
     * few more; if none served twice, there were three more than turns. */
    long turns = apiserver_asknumber(s, "count log pods"), connections = apiserver_asknumber(s, "connections");
    CHECK(turns >= 2 * JOBS);
    if (connections >= turns)
        harness_fail(__FILE__, __LINE__, "%ld connections for %ld turns", connections, turns);
    program_free(c);
    apiserver_stop(s);
}

/* Steps first to last, a second each. */
static int print_days(struct apiserver *s, int first, int last) {
    CLEANUP_BUF struct buf lines;
    buf_init(&lines, 1 << 21);
    buf_append_text(&lines, "log default/p0 <<END\n");
    for (int step = first; step < last; step++) {
        int at_s = 60 + step;
        buf_format(&lines, "2026-01-%02dT%02d:%02d:%02d.0Z completed step: %d, seconds: 1.000, loss: 2.1\n",
                   1 + at_s / 86400, at_s / 3600 % 24, at_s / 60 % 60, at_s % 60, step);
    }
    buf_append_text(&lines, "END");
    return apiserver_do(s, buf_text(&lines));
}

/* The peak memory of a controller that finds a log of that length when it starts. */
static void measure_peak(int steps, int64_t *ret_kib) {
    enum { PART = 10000 };
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_dof(s, objects, 0), 0);
    for (int step = 0; step < steps; step += PART)
        CHECK_INT(print_days(s, step, step + PART), 0);
    struct program *c =
        program_start("goodput-controller", (const char *[]){"--kubeconfig", apiserver_kubeconfig(s),
                                                             "--health-bind-address=0", "--metrics-bind-address=0",
                                                             "--leader-elect=false", "--status-interval=1s", NULL});
    REQUIRE(c != NULL);
    for (int i = 0; i < 1200 && count_done(s, steps) < 1; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    CHECK_INT(count_done(s, steps), 1);
    *ret_kib = program_peak_kib(c);
    program_free(c);
    apiserver_stop(s);
}

/* A log of days is read between two statuses: its steps are folded while it is read, not when it is read. */
TEST(a_log_of_days_takes_no_more_memory_than_one_of_hours) {
    int64_t few_kib = 0, many_kib = INT64_MAX / 2;
    measure_peak(10000, &few_kib);
    measure_peak(1000000, &many_kib);
    bool is_sanitized = mallinfo2().uordblks == 0; /* it keeps what is freed */
    if (!is_sanitized && many_kib > few_kib + 1024)
        harness_fail(__FILE__, __LINE__, "%" PRId64 " KiB for 10,000 steps, %" PRId64 " for 1,000,000", few_kib,
                     many_kib);
}

static const char patterned[] =
    "patch jobgoodputs default/j0 "
    "{\"spec\":{\"stepLog\":{\"source\":\"PodLog\",\"format\":\"Regex\",\"regex\":{\"step\":"
    "\"^it (?<step>[0-9]+)|^(?:a+)+$\"}}}}";

/* 400 lines of 0.7 ms take several shares of a turn: the log is set aside and read on from there, each line once. */
TEST(a_log_of_costly_lines_is_read_in_several_turns_of_the_loop) {
    enum { STEPS = 40, COSTLY_EACH = 10 };
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    CLEANUP_BUF struct buf lines;
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_dof(s, objects, 0), 0);
    CHECK_INT(apiserver_do(s, patterned), 0);
    buf_init(&lines, 1 << 20);
    buf_append_text(&lines, "log default/p0 <<END\n");
    for (int step = 0; step < STEPS; step++) {
        buf_format(&lines, "2026-01-01T00:01:%02d.000000000Z it %d\n", step, step);
        for (int i = 0; i < COSTLY_EACH; i++) /* all of one stamp */
            buf_format(&lines, "2026-01-01T00:01:%02d.000000000Z aaaaaaaaaaaaa!\n", step);
    }
    buf_append_text(&lines, "END");
    CHECK_INT(apiserver_do(s, buf_text(&lines)), 0);
    struct program *c =
        program_start("goodput-controller", (const char *[]){"--kubeconfig", apiserver_kubeconfig(s),
                                                             "--health-bind-address=0", "--metrics-bind-address=0",
                                                             "--leader-elect=false", "--status-interval=1s", NULL});
    REQUIRE(c != NULL);
    for (int i = 0; i < 1200 && count_done(s, STEPS) < 1; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    CHECK_INT(count_done(s, STEPS), 1);
    CHECK(apiserver_asknumber(s, "count log pods") > 2);
    CHECK_INT(apiserver_asknumber(s, "holding jobgoodputs PatternTooExpensive"), 0);
    if (count_done(s, STEPS) != 1)
        harness_fail(__FILE__, __LINE__, "%ld requests for logs; the controller said:\n%s",
                     apiserver_asknumber(s, "count log pods"), program_output(c));
    program_free(c);
    apiserver_stop(s);
}

static const char node[] =
    "apply <<END\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"creationTimestamp\":\"" TIMED
    "0Z\"},\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"" TIMED
    "0Z\"}]}}\nEND\n";

#define INTERRUPTED "holding jobgoodputs \"interruptions\":{\"total\":1"

/* As after a forced deletion: the last state of their containers is running. */
TEST(running_pods_deleted_between_the_turns_of_their_logs_are_interruptions) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, node), 0);
    for (int i = 0; i < JOBS; i++) {
        CHECK_INT(apiserver_dof(s, objects, i), 0);
        CHECK_INT(print_steps(s, i, 0, 20), 0);
    }
    struct program *c =
        program_start("goodput-controller",
                      (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                       "--leader-elect=false", "--max-log-follows=2", "--status-interval=1s", NULL});
    REQUIRE(c != NULL);
    for (int i = 0; i < 1200 && count_done(s, 20) < JOBS; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    CHECK_INT(count_done(s, 20), JOBS);
    CHECK_INT(apiserver_asknumber(s, INTERRUPTED), 0);
    for (int i = 0; i < JOBS; i++)
        CHECK_INT(apiserver_dof(s, "delete pods default/p%d", i), 0);
    long interrupted = 0;
    for (int i = 0; i < 1200 && interrupted < JOBS; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        interrupted = apiserver_asknumber(s, INTERRUPTED);
    }
    if (interrupted != JOBS)
        harness_fail(__FILE__, __LINE__, "%ld of %d jobs are interrupted; the controller said:\n%s", interrupted, JOBS,
                     program_output(c));
    program_free(c);
    apiserver_stop(s);
}

/* Else the places of logs that can say no more make the others wait for turns. */
TEST(a_log_whose_pod_was_deleted_gives_its_place_back) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, node), 0);
    for (int i = 0; i < JOBS; i++) {
        CHECK_INT(apiserver_dof(s, objects, i), 0);
        CHECK_INT(print_steps(s, i, 0, 20), 0);
    }
    int port = free_port();
    CLEANUP_FREE char *metrics = mem_format("--metrics-bind-address=127.0.0.1:%d", port);
    struct program *c = program_start(
        "goodput-controller", (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                               "--leader-elect=false", "--status-interval=1s", metrics, NULL});
    REQUIRE(c != NULL);
    CHECK_INT(max_open_until_done(s, port, 20) >= 0, true);
    CHECK_INT(count_follows(port), JOBS);
    for (int i = 0; i < JOBS; i++)
        CHECK_INT(apiserver_dof(s, "delete pods default/p%d", i), 0);
    long follows = JOBS;
    for (int i = 0; i < 1200 && follows != 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        follows = count_follows(port);
    }
    CHECK_INT(follows, 0);
    program_free(c);
    apiserver_stop(s);
}
