/* The controller as its users run it, against the embedded API server. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/slice.h"
#include "program.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEADLINE_MS 120000
#define CRD "crds/goodput.dev_jobgoodputs.yaml"

/* With the defaults spelt out, as the API server stores it. */
#define JOBGOODPUT(name)                                                                                               \
    "apply <<END\n{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{\"name\":\"" name     \
    "\",\"namespace\":\"default\"},\"spec\":{\"targetRef\":{\"apiGroup\":\"batch"                                      \
    "\",\"kind\":\"Job\",\"name\":\"" name "\"},\"stepLog\":{\"source\":\"PodLog\",\"format\":\"Auto\"}}}\nEND\n"
#define JOB(name)                                                                                                      \
    "apply <<END\n{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"" name                        \
    "\",\"namespace\":\"default\"},\"spec\":{\"parallelism\":1,\"completions\":1,\"suspend\":true,\"template\":{"      \
    "\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}\nEND\n"

static struct apiserver *start_server(void) {
    return apiserver_start((const char *[]){"--crd", CRD, NULL});
}

static struct program *start_controller(const struct apiserver *s, const char *const *more) {
    const char *arguments[16] = {"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0", "--v=1"};
    for (int i = 4; more != NULL && *more != NULL && i < 15; i++)
        arguments[i] = *more++;
    return program_start("goodput-controller", arguments);
}

static const char *const alone[] = {"--leader-elect=false", NULL};

/* Prints what the controller said when a step failed. */
#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            harness_fail(__FILE__, __LINE__, "%s; the controller said:\n%s", #condition, program_output(c));           \
            goto out;                                                                                                  \
        }                                                                                                              \
    } while (0)

TEST(controller_writes_a_status_and_says_that_the_target_is_missing) {
    struct apiserver *s = start_server();
    REQUIRE(s != NULL);
    CLEANUP_FREE char *object = NULL;
    struct program *c = start_controller(s, alone);
    MUST(apiserver_do(s, JOBGOODPUT("a") "wait field jobgoodputs default/a status.phase Pending") == 0);
    object = apiserver_ask(s, "get jobgoodputs default/a");
    MUST(object != NULL);
    CHECK(strstr(object, "\"type\":\"Ready\"") != NULL || strstr(object, "\"type\": \"Ready\"") != NULL);
    CHECK(strstr(object, "NotFound") != NULL);
    CHECK(strstr(object, "\"manager\":\"goodput-controller\"") != NULL ||
          strstr(object, "\"manager\": \"goodput-controller\"") != NULL);
    MUST(apiserver_do(s, JOB("a") "wait field jobgoodputs default/a status.phase Suspended") == 0);
    program_terminate(c);
    CHECK_INT(program_wait(c, DEADLINE_MS), 0);
out:
    program_free(c);
    apiserver_stop(s);
}

/* Two phases, two writes (and no more while nothing happens); a restarted controller finds nothing to write. */
TEST(controller_writes_only_what_changed) {
    struct apiserver *s = start_server();
    REQUIRE(s != NULL);
    struct program *c = start_controller(s, alone);
    MUST(apiserver_do(s, JOBGOODPUT("a") "wait field jobgoodputs default/a status.phase Pending") == 0);
    CHECK_INT(apiserver_asknumber(s, "count apply jobgoodputs/status"), 1);
    /* Its own write comes back by the watch, then a bookmark: neither is answered by a write. */
    MUST(apiserver_do(s, "bookmark\nsleep 1s\nbookmark") == 0);
    CHECK_INT(apiserver_asknumber(s, "count apply jobgoodputs/status"), 1);
    program_terminate(c);
    CHECK_INT(program_wait(c, DEADLINE_MS), 0);
    program_free(c);
    c = start_controller(s, alone);
    MUST(program_says(c, "\"synced\"", DEADLINE_MS));
    MUST(apiserver_do(s, JOBGOODPUT("b") "wait field jobgoodputs default/b status.phase Pending") == 0);
    CHECK_INT(apiserver_asknumber(s, "count apply jobgoodputs/status"), 2); /* b's alone */
out:
    program_free(c);
    apiserver_stop(s);
}

TEST(controller_survives_conflicts_and_refusals) {
    struct apiserver *s = start_server();
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, "on apply jobgoodputs/status x2 : status 409"), 0);
    struct program *c = start_controller(s, alone);
    /* The newer object that a 409 promises: a label that somebody set meanwhile. */
    MUST(apiserver_do(s, JOBGOODPUT("a") "wait seen apply jobgoodputs/status 1\n"
                                         "patch jobgoodputs default/a {\"metadata\":{\"labels\":{\"x\":\"1\"}}}\n"
                                         "wait seen apply jobgoodputs/status 2\n"
                                         "patch jobgoodputs default/a {\"metadata\":{\"labels\":{\"x\":\"2\"}}}\n"
                                         "wait field jobgoodputs default/a status.phase Pending") == 0);
out:
    program_free(c);
    apiserver_stop(s);
}

TEST(controller_waits_for_its_crd) {
    struct apiserver *s = apiserver_start(NULL);
    REQUIRE(s != NULL);
    struct program *c = start_controller(s, alone);
    MUST(program_says(c, "its CRD is missing: install the chart, or kubectl apply -k deploy", DEADLINE_MS));
    MUST(apiserver_do(s, "crd " CRD "\n" JOBGOODPUT("a") "wait field jobgoodputs default/a status.phase Pending") == 0);
out:
    program_free(c);
    apiserver_stop(s);
}

#define NODE                                                                                                           \
    "apply "                                                                                                           \
    "<<END\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"},\"status\":{\"conditions\":[{"      \
    "\"type\":\"Ready\",\"status\":\"Unknown\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}}\nEND\n"

/* Only its lease shows when a node fell silent: a failed read is tried again. */
TEST(controller_asks_for_the_lease_of_a_silent_node_until_it_was_read) {
    struct apiserver *s = start_server();
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, "on get leases/n x2 : status 403"), 0);
    struct program *c = start_controller(s, alone);
    MUST(apiserver_do(s, NODE "wait 120s seen get leases 3") == 0);
    MUST(apiserver_do(s, "wait answered get leases 404") == 0);
out:
    program_free(c);
    apiserver_stop(s);
}

/* The second controller writes nothing until the first has given the lease up at SIGTERM. */
TEST(controller_hands_over_at_sigterm) {
    struct apiserver *s = start_server();
    REQUIRE(s != NULL);
    struct program *c = start_controller(s, NULL), *second = NULL;
    MUST(program_says(c, "\"leading\"", DEADLINE_MS));
    second = start_controller(s, NULL);
    MUST(program_says(second, "\"leader\"", DEADLINE_MS));
    MUST(apiserver_do(s, JOBGOODPUT("a") "wait field jobgoodputs default/a status.phase Pending") == 0);
    CHECK(strstr(program_output(second), "\"leading\"") == NULL);
    int64_t from_us = clock_mono().us;
    program_terminate(c);
    CHECK_INT(program_wait(c, DEADLINE_MS), 0);
    MUST(program_says(second, "\"leading\"", DEADLINE_MS));
    CHECK(clock_mono().us - from_us < 8000000); /* far less than the lease's 25 s */
    MUST(apiserver_do(s, JOBGOODPUT("b") "wait field jobgoodputs default/b status.phase Pending") == 0);
    program_terminate(second);
    CHECK_INT(program_wait(second, DEADLINE_MS), 0);
    CHECK_INT(apiserver_do(s, "wait field leases goodput-system/goodput-controller spec.holderIdentity "), 0);
out:
    program_free(c);
    program_free(second);
    apiserver_stop(s);
}

TEST(controller_says_when_its_health_address_is_taken) {
    struct apiserver *s = start_server();
    REQUIRE(s != NULL);
    CLEANUP_FREE char *address = mem_format("--health-bind-address=127.0.0.1:%d", apiserver_port(s));
    struct program *c = start_controller(s, (const char *[]){address, NULL});
    CHECK_INT(program_wait(c, DEADLINE_MS), 1);
    CHECK(strncmp(program_output(c), "goodput-controller: --health-bind-address: ", 43) == 0);
    program_free(c);
    apiserver_stop(s);
}

static int number_after(const char *text, const char *mark) {
    const char *at = strstr(text, mark);
    struct slice s = slice_of(at ? at + strlen(mark) : "");
    int64_t value;
    return slice_take_uint(&s, &value) ? (int)value : 0;
}

/* The status code of a GET; -1 if there is no answer. */
static int get(int port, const char *path) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char text[1024];
    int code = -1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
        int size = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path);
        if (write(fd, text, (size_t)size) == size && read(fd, text, sizeof text) > 12)
            code = (text[9] - '0') * 100 + (text[10] - '0') * 10 + text[11] - '0';
    }
    close(fd);
    return code;
}

/* Not ready while one list is awaited; alive all the time. */
TEST(controller_is_ready_once_synced) {
    struct apiserver *s = start_server();
    REQUIRE(s != NULL);
    int port = 0;
    CHECK_INT(apiserver_do(s, "on any jobs x2 : status 500"), 0);
    struct program *c =
        start_controller(s, (const char *[]){"--leader-elect=false", "--health-bind-address=127.0.0.1:0", NULL});
    MUST(program_says(c, "\"port\":", DEADLINE_MS));
    port = number_after(program_output(c), "\"port\":");
    MUST(program_says(c, "\"synced\",\"resource\":\"nodes\"", DEADLINE_MS));
    CHECK_INT(get(port, "/healthz"), 200);
    CHECK_INT(get(port, "/readyz"), 503);
    CHECK_INT(get(port, "/nothing"), 404);
    MUST(program_says(c, "\"synced\",\"resource\":\"jobs\"", DEADLINE_MS));
    CHECK_INT(get(port, "/readyz"), 200);
out:
    program_free(c);
    apiserver_stop(s);
}

/* In clear to this machine only; who else may read them is tested in tests/export/metrics.py. */
TEST(controller_serves_metrics_in_clear_on_loopback_only) {
    struct apiserver *s = start_server();
    REQUIRE(s != NULL);
    int port = 0;
    struct program *c =
        start_controller(s, (const char *[]){"--leader-elect=false", "--metrics-bind-address=127.0.0.1:0", NULL});
    MUST(program_says(c, "\"metrics served\",\"port\":", DEADLINE_MS));
    port = number_after(program_output(c), "\"metrics served\",\"port\":");
    CHECK_INT(get(port, "/metrics"), 200);
    CHECK_INT(get(port, "/"), 404);
    program_free(c);
    c = start_controller(s, (const char *[]){"--leader-elect=false", "--metrics-bind-address=0.0.0.0:0", NULL});
    MUST(program_says(c, "\"tls\":true", DEADLINE_MS));
    port = number_after(program_output(c), "\"metrics served\",\"port\":");
    CHECK(get(port, "/metrics") != 200);
    program_free(c);
    c = start_controller(s, (const char *[]){"--leader-elect=false", "--metrics-bind-address=nowhere", NULL});
    CHECK_INT(program_wait(c, DEADLINE_MS), 1);
    CHECK(strstr(program_output(c), "--metrics-bind-address: \"nowhere\" is not an address") != NULL);
out:
    program_free(c);
    apiserver_stop(s);
}

/* Idle: no timer wakes it. Bookmarks do, one per minute and watch; 12 s hold about two. */
TEST(controller_sleeps_when_nothing_happens) {
    struct apiserver *s = start_server();
    REQUIRE(s != NULL);
    struct program *c = start_controller(s, alone);
    MUST(apiserver_do(s, JOBGOODPUT("a") "wait field jobgoodputs default/a status.phase Pending\nsleep 3s") == 0);
    int64_t wakeups = INT64_MAX;
    /* A loaded machine cuts one wake-up into several, so the quietest of ten periods counts: a timer never rests. */
    for (int i = 0; i < 10 && wakeups > 5; i++) {
        int64_t before = program_wakeups(c);
        MUST(apiserver_do(s, "sleep 12s") == 0);
        wakeups = program_wakeups(c) - before;
    }
    if (wakeups > 5)
        harness_fail(__FILE__, __LINE__, "%lld wake-ups in 12 s", (long long)wakeups);
    printf("idle: %lld wake-ups in 12 s, %lld KiB resident\n", (long long)wakeups, (long long)program_rss_kib(c));
out:
    program_free(c);
    apiserver_stop(s);
}

/* ---- what stands between a user and a running controller: one line each ---- */

static void check_line(const char *const *arguments, int code, const char *line) {
    struct program *c = program_start("goodput-controller", arguments);
    CHECK_INT(program_wait(c, DEADLINE_MS), code);
    const char *printed = program_output(c);
    if (strcmp(printed, line) != 0)
        harness_fail(__FILE__, __LINE__, "said \"%s\", expected \"%s\"", printed, line);
    program_free(c);
}

TEST(controller_refuses_a_wrong_flag) {
    check_line((const char *[]){"--statusinterval=3s", NULL}, 2,
               "goodput-controller: unknown flag \"--statusinterval\"; --help lists the flags\n");
}

/* One line that names the file, and exit code 1. */
static void check_kubeconfig(const char *path, const char *why) {
    struct program *c =
        program_start("goodput-controller", (const char *[]){"--kubeconfig", path, "--health-bind-address=0", NULL});
    CHECK_INT(program_wait(c, DEADLINE_MS), 1);
    const char *printed = program_output(c), *end = strchr(printed, '\n');
    if (strncmp(printed, "goodput-controller: ", 20) != 0 || strstr(printed, path) == NULL ||
        strstr(printed, why) == NULL || end == NULL || end[1] != '\0')
        harness_fail(__FILE__, __LINE__, "said \"%s\", expected one line with \"%s\" and \"%s\"", printed, path, why);
    program_free(c);
}

static void check_kubeconfig_text(const char *text, const char *why) {
    char path[] = "/tmp/goodput-kubeconfig-XXXXXX";
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    check_kubeconfig(path, why);
    unlink(path);
}

TEST(controller_says_what_is_wrong_with_a_kubeconfig) {
    check_kubeconfig("/nonexistent/kubeconfig", "No such file");
    check_kubeconfig_text("apiVersion: v1\nclusters: [\n", "");
    check_kubeconfig_text("apiVersion: v1\nkind: Config\ncurrent-context: c\n", "");
    check_kubeconfig_text("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                          "clusters: [{name: k, cluster: {server: 'http://127.0.0.1:1'}}]\n"
                          "users: [{name: u, user: {}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n",
                          "the API server cannot be reached: http://127.0.0.1:1: ");
}

static void check_bad_row(const char *name, const char *text, const char *error) {
    char path[] = "/tmp/goodput-table-XXXXXX";
    CLEANUP_FREE char *flag = NULL, *expected = NULL;
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    flag = mem_format("--%s=%s", name, path);
    expected = mem_format("goodput-controller: --%s: %s: %s\n", name, path, error);
    struct program *c = program_start("goodput-controller", (const char *[]){flag, "--health-bind-address=0", NULL});
    CHECK_INT(program_wait(c, DEADLINE_MS), 1);
    CHECK_TEXT(program_output(c), expected);
    program_free(c);
    unlink(path);
}

TEST(controller_names_the_bad_row_of_a_table) {
    check_bad_row("node-signals", "# ours\ncondition\tX\tTrue\t*\tGpu\tweak\t-\tX\tus\n",
                  "line 2: unknown class \"Gpu\": use a class of deploy/docs/reference/root-causes.md, or xid");
    check_bad_row("owner-policy", "# ours\ncause\tSpotReclaim\t*\t*\tMe\n",
                  "line 2: unknown owner \"Me\": use Tenant, Platform, Provider, Scheduler or Unknown");
}
