/* Two replicas of the controller against the embedded API server: what the waiting one observes, writes and serves, and
 * that after kill -9 of the leader nothing is missing. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/buf.h"
#include "base/mem.h"
#include "program.h"

#include <jansson.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEADLINE_MS 120000
#define CRD "crds/goodput.dev_jobgoodputs.yaml"

static struct program *start(const struct apiserver *s, const char *pod, bool watches) {
    CLEANUP_FREE char *name = mem_format("--pod-name=%s", pod);
    CLEANUP_FREE char *store = mem_format("--ingest-store=%s", apiserver_directory(s));
    const char *arguments[] = {"--kubeconfig",
                               apiserver_kubeconfig(s),
                               "--health-bind-address=127.0.0.1:0",
                               "--metrics-bind-address=127.0.0.1:0",
                               "--page-bind-address=127.0.0.1:0",
                               "--ingest-bind-address=127.0.0.1:0",
                               store,
                               "--lease-namespace=research",
                               "--status-interval=5s",
                               name,
                               watches ? "--standby-watches" : "--standby-watches=false",
                               NULL};
    return program_start("goodput-controller", arguments);
}

/* Prints what the controller said when a step failed. */
#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            harness_fail(__FILE__, __LINE__, "%s; the controller said:\n%s", #condition, c ? program_output(c) : "");  \
            goto out;                                                                                                  \
        }                                                                                                              \
    } while (0)

/* What the server that announced itself so answers, headers first; "" if there is no answer. Heap. */
static char *ask(struct program *p, const char *what, const char *request) {
    CLEANUP_FREE char *mark = mem_format("\"%s served\",\"port\":", what);
    CLEANUP_BUF struct buf reply;
    buf_init(&reply, 1 << 22);
    if (!program_says(p, mark, DEADLINE_MS))
        return mem_strdup("");
    int port = (int)strtol(strstr(program_output(p), mark) + strlen(mark), NULL, 10);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char bytes[4096];
    ssize_t n = connect(fd, (struct sockaddr *)&address, sizeof address);
    if (n == 0 && write(fd, request, strlen(request)) == (ssize_t)strlen(request))
        while ((n = read(fd, bytes, sizeof bytes)) > 0)
            buf_append(&reply, bytes, (size_t)n);
    close(fd);
    return mem_strdup(buf_text(&reply));
}

static char *get(struct program *p, const char *what, const char *path) {
    CLEANUP_FREE char *request = mem_format("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
    return ask(p, what, request);
}

#define PUSH "POST /v1/push?job=train HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\nx\n"

/* ---- the story: all times are in the objects ---- */

#define OBJECTS                                                                                                        \
    "apply <<END\napiVersion: v1\nkind: Namespace\nmetadata: {name: research}\n---\n"                                  \
    "{apiVersion: v1, kind: Node, metadata: {name: n0, uid: node-0}, status: {conditions: [{type: Ready, status: "     \
    "\"True\", lastTransitionTime: \"2026-01-01T00:00:00Z\"}]}}\n---\n"                                                \
    "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: node-1}, status: {conditions: [{type: Ready, status: "     \
    "\"True\", lastTransitionTime: \"2026-01-01T00:00:00Z\"}]}}\n---\n"                                                \
    "{apiVersion: v1, kind: Pod, metadata: {name: one, namespace: research}}\n---\n"                                   \
    "{apiVersion: v1, kind: Pod, metadata: {name: two, namespace: research}}\n---\n"                                   \
    "{apiVersion: goodput.dev/v1alpha1, kind: JobGoodput, metadata: {name: train, namespace: research}, spec: "        \
    "{targetRef: {apiGroup: batch, kind: Job, name: train}, stepLog: {source: None, format: Auto}}}\n---\n"            \
    "{apiVersion: batch/v1, kind: Job, metadata: {name: train, namespace: research, uid: job-1, creationTimestamp: "   \
    "\"2026-01-01T00:01:00Z\", labels: {kueue.x-k8s.io/queue-name: q}}, spec: {completionMode: Indexed, parallelism: " \
    "2, completions: 2, suspend: false, template: {spec: {restartPolicy: Never, containers: [{name: main, image: i, "  \
    "resources: {limits: {google.com/tpu: 4}}}]}}}, status: {startTime: \"2026-01-01T00:01:31Z\", conditions: "        \
    "[{type: Suspended, status: \"False\", lastTransitionTime: \"2026-01-01T00:01:31Z\"}]}}\n---\n"                    \
    "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: job-train, namespace: research, uid: "      \
    "workload-1, creationTimestamp: \"2026-01-01T00:01:00Z\", ownerReferences: [{apiVersion: batch/v1, kind: Job, "    \
    "name: train, uid: job-1, controller: true}]}, spec: {active: true, queueName: q, podSets: [{name: main, count: "  \
    "2}]}, status: {admission: {clusterQueue: q}, conditions: [{type: QuotaReserved, status: \"True\", reason: "       \
    "QuotaReserved, lastTransitionTime: \"2026-01-01T00:01:30Z\"}, {type: Admitted, status: \"True\", reason: "        \
    "Admitted, lastTransitionTime: \"2026-01-01T00:01:30Z\"}]}}\nEND\n"

#define POD(name, index, made, bound, started)                                                                         \
    "apply tests/faults/pod.yaml name=" name " index=" index " node=n" index " made=" made " bound=" bound             \
    " started=" started "\n"
#define ENDED(name, code, started, at)                                                                                 \
    "patch pods research/" name " {\"status\":{\"phase\":\"" code                                                      \
    "\",\"containerStatuses\":[{\"name\":\"main\",\"ready\":false,\"started\":false,\"restartCount\":0,\"state\":"     \
    "{\"running\":null,\"terminated\":{\"exitCode\":" at "Z\"}}}]}}\n"
#define FAILED(name, code, started, at)                                                                                \
    ENDED(name, "Failed", started,                                                                                     \
          code ",\"reason\":\"Error\",\"startedAt\":\"2026-01-01T" started "Z\",\"finishedAt\":\"2026-01-01T" at)
#define DONE(name, started, at)                                                                                        \
    ENDED(name, "Succeeded", started,                                                                                  \
          "0,\"reason\":\"Completed\",\"startedAt\":\"2026-01-01T" started "Z\",\"finishedAt\":\"2026-01-01T" at)

#define RUNS                                                                                                           \
    POD("train-0-a", "0", "00:01:32", "00:01:34", "00:01:40")                                                          \
    POD("train-1-a", "1", "00:01:32", "00:01:35", "00:01:41")                                                          \
    "wait 120s field jobgoodputs research/train .status.availability.available 2\n"

/* A pod is evicted and replaced; the one after it fails and is replaced as well, so that nothing is left of it; then
 * Kueue preempts the whole Job, and admits it again. */
#define LOSSES                                                                                                         \
    "patch pods research/train-1-a {\"status\":{\"conditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\","   \
    "\"reason\":\"EvictionByEvictionAPI\",\"message\":\"evicted\",\"lastTransitionTime\":\"2026-01-01T00:02:10Z\"}]}}" \
    "\n" FAILED("train-1-a", "137", "00:01:41", "00:02:11") "delete pods research/train-1-a\n" POD(                    \
        "train-1-b", "1", "00:02:14", "00:02:16", "00:02:20")                                                          \
        FAILED("train-1-b", "3", "00:02:20", "00:02:40") "delete pods research/train-1-b\n" POD(                       \
            "train-1-c", "1", "00:02:42", "00:02:45",                                                                  \
            "00:02:50") "patch workloads research/job-train "                                                          \
                        "{\"status\":{\"conditions\":[{\"type\":\"QuotaReserved\",\"status\":"                         \
                        "\"False\",\"reason\":\"Pending\",\"lastTransitionTime\":\"2026-01-01T00:03:00Z\"},{\"type\":" \
                        "\"Admitted\","                                                                                \
                        "\"status\":\"False\",\"reason\":\"NoReservation\",\"lastTransitionTime\":\"2026-01-01T00:03:" \
                        "00Z\"},{\"type\":"                                                                            \
                        "\"Evicted\",\"status\":\"True\",\"reason\":\"Preempted\",\"message\":\"preempted\","          \
                        "\"lastTransitionTime\":"                                                                      \
                        "\"2026-01-01T00:03:00Z\"}]}}\n"                                                               \
                        "patch jobs research/train "                                                                   \
                        "{\"spec\":{\"suspend\":true},\"status\":{\"conditions\":[{\"type\":\"Suspended\","            \
                        "\"status\":\"True\",\"lastTransitionTime\":\"2026-01-01T00:03:00Z\"}]}}\n" FAILED(            \
                            "train-0-a", "143", "00:01:40", "00:03:01")                                                \
                            FAILED("train-1-c", "143", "00:02:50",                                                     \
                                   "00:03:01") "delete pods research/train-0-a\ndelete pods research/train-1-c\n"      \
                                               "patch workloads research/job-train "                                   \
                                               "{\"status\":{\"conditions\":[{\"type\":\"QuotaReserved\",\"status\":"  \
                                               "\"True\",\"reason\":\"QuotaReserved\",\"lastTransitionTime\":\"2026-"  \
                                               "01-01T00:03:20Z\"},{\"type\":\"Admitted\","                            \
                                               "\"status\":\"True\",\"reason\":\"Admitted\",\"lastTransitionTime\":"   \
                                               "\"2026-01-01T00:03:20Z\"},{\"type\":"                                  \
                                               "\"Evicted\",\"status\":\"False\",\"reason\":\"QuotaReserved\","        \
                                               "\"lastTransitionTime\":\"2026-01-01T00:03:20Z\"}]}"                    \
                                               "}\n"                                                                   \
                                               "patch jobs research/train "                                            \
                                               "{\"spec\":{\"suspend\":false},\"status\":{\"conditions\":[{\"type\":"  \
                                               "\"Suspended\","                                                        \
                                               "\"status\":\"False\",\"lastTransitionTime\":\"2026-01-01T00:03:21Z\"}" \
                                               "]}}\n" POD("train-0-d", "0", "00:03:22", "00:03:24", "00:03:30")       \
                                                   POD("train-1-d", "1", "00:03:22", "00:03:25", "00:03:31")

#define COMPLETES                                                                                                      \
    DONE("train-0-d", "00:03:30", "00:04:00")                                                                          \
    DONE("train-1-d", "00:03:31", "00:04:01")                                                                          \
    "patch jobs research/train "                                                                                       \
    "{\"status\":{\"succeeded\":2,\"completedIndexes\":\"0,1\",\"completionTime\":"                                    \
    "\"2026-01-01T00:04:02Z\",\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\","                             \
    "\"lastTransitionTime\":"                                                                                          \
    "\"2026-01-01T00:04:02Z\"}]}}\n"                                                                                   \
    "wait 120s field jobgoodputs research/train .status.phase Completed\n"                                             \
    "wait 120s field jobgoodputs research/train .status.conditions[0].type Ready\n"

struct member {
    char *text;
    json_t *value;
};

static int compare_members(const void *a, const void *b) {
    return strcmp(((const struct member *)a)->text, ((const struct member *)b)->text);
}

/* Sorts every list in it: the order of a map list depends on which write added a member first. */
static void sort_lists(json_t *value) {
    const char *key;
    json_t *child;
    size_t n = json_array_size(value), i;
    json_object_foreach(value, key, child) sort_lists(child);
    struct member *members = mem_alloc((n + 1) * sizeof *members);
    for (i = 0; i < n; i++) {
        child = json_array_get(value, i);
        sort_lists(child);
        members[i] = (struct member){json_dumps(child, JSON_SORT_KEYS | JSON_ENCODE_ANY), json_incref(child)};
    }
    qsort(members, n, sizeof *members, compare_members);
    for (i = 0; i < n; i++) {
        json_array_set_new(value, i, members[i].value);
        free(members[i].text);
    }
    free(members);
}

/* What must not depend on who led when: the members of the status that are numbers, spans and causes. */
static char *numbers(struct apiserver *s) {
    static const char *const names[] = {"time",          "badput",       "goodputPPM",
                                        "interruptions", "executions",   "acceleratorHours",
                                        "topBadput",     "availability", "phase"};
    CLEANUP_FREE char *object = apiserver_ask(s, "get jobgoodputs research/train");
    json_t *root = object ? json_loads(object, 0, NULL) : NULL, *status = json_object_get(root, "status");
    sort_lists(status);
    CLEANUP_BUF struct buf out;
    buf_init(&out, 1 << 20);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        CLEANUP_FREE char *text =
            json_dumps(json_object_get(status, names[i]), JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);
        buf_format(&out, "%s: %s\n", names[i], text ? text : "absent");
    }
    json_decref(root);
    return mem_strdup(buf_text(&out));
}

/* Once no checkpoint is left, the numbers are final. */
static bool is_final(struct apiserver *s) {
    for (int i = 0; i < 1200; i++) {
        CLEANUP_FREE char *object = apiserver_ask(s, "get jobgoodputs research/train");
        if (object != NULL && strstr(object, "\"checkpoint\"") == NULL && strstr(object, "\"Finished\"") != NULL)
            return true;
        usleep(100000);
    }
    return false;
}

static char *uninterrupted(void) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    char *result = NULL;
    struct program *c = s ? start(s, "one", true) : NULL;
    MUST(c != NULL && apiserver_do(s, OBJECTS "wait open watch pods\n" RUNS LOSSES COMPLETES) == 0);
    MUST(is_final(s));
    result = numbers(s);
out:
    program_free(c);
    apiserver_stop(s);
    return result;
}

static int occurrences(const char *text, const char *what) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

/* The names of Events are those of what they report, so one that is reported twice would be one object all the same:
 * what is counted is who created or updated it. */
static void check_waiting(struct apiserver *s, struct program *leader, struct program *waiting) {
    CLEANUP_FREE char *led = get(leader, "metrics", "/metrics"), *waits = get(waiting, "metrics", "/metrics");
    CHECK(strstr(led, "leader_election_master_status{name=\"goodput-controller\"} 1") != NULL);
    CHECK(strstr(waits, "leader_election_master_status{name=\"goodput-controller\"} 0") != NULL);
    CHECK(strstr(waits, "process_resident_memory_bytes") != NULL);
    CHECK(occurrences(led, "\ngoodput_job_") > 0);
    CHECK_INT(occurrences(waits, "\ngoodput_job_"), 0);
    CLEANUP_FREE char *page = get(waiting, "page", "/");
    CHECK(strncmp(page, "HTTP/1.1 200", 12) == 0);
    CLEANUP_FREE char *refused = ask(waiting, "ingest", PUSH), *asked = ask(leader, "ingest", PUSH);
    CHECK(strncmp(refused, "HTTP/1.1 503", 12) == 0 && strstr(refused, "does not lead") != NULL);
    CHECK(strncmp(asked, "HTTP/1.1 401", 12) == 0); /* whose token it is would be the next question */
    CLEANUP_FREE char *ready = get(waiting, "health", "/readyz");
    CHECK(strncmp(ready, "HTTP/1.1 200", 12) == 0);
    CHECK_INT(apiserver_do(s, "wait field pods research/one .metadata.labels.goodput\\.dev/role leader\n"
                              "wait field pods research/two .metadata.labels.goodput\\.dev/role standby\n"),
              0);
    CHECK(strstr(program_output(waiting), "\"notice\"") == NULL);
#ifndef __SANITIZE_ADDRESS__
    CHECK(program_rss_kib(waiting) < 32 << 10);
#endif
}

TEST(after_kill_9_nothing_is_missing) {
    CLEANUP_FREE char *expected = uninterrupted();
    REQUIRE(expected != NULL && strstr(expected, "KueuePreemption") != NULL);
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    struct program *first = NULL, *c = NULL;
    CLEANUP_FREE char *actual = NULL;
    MUST(apiserver_do(s, OBJECTS) == 0 && (first = start(s, "one", true)) != NULL);
    MUST(program_says(first, "\"leading\"", DEADLINE_MS) && (c = start(s, "two", true)) != NULL);
    MUST(program_says(c, "\"standing by\"", DEADLINE_MS) && apiserver_do(s, RUNS) == 0);
    check_waiting(s, first, c);
    /* All of it happens without a leader, however long it takes: the Lease cannot be had. */
    kill(program_pid(first), SIGKILL);
    MUST(apiserver_do(s, "on update leases always : status 503") == 0);
    MUST(apiserver_do(s, LOSSES) == 0);
    CHECK(strstr(program_output(c), "\"leading\"") == NULL);
    MUST(apiserver_do(s, "clear faults") == 0);
    MUST(program_says(c, "\"leading\"", DEADLINE_MS));
    MUST(apiserver_do(s, COMPLETES "wait field pods research/two .metadata.labels.goodput\\.dev/role leader\n"
                                   "wait field pods research/one .metadata.labels.goodput\\.dev/role standby\n") == 0);
    MUST(is_final(s));
    actual = numbers(s);
    CHECK_TEXT(actual, expected); /* Unobserved in both is what lies before either began to watch */
    CHECK_INT(occurrences(program_output(c), "\"reason\":\"Interrupted\""), 3);
out:
    program_free(first);
    program_free(c);
    apiserver_stop(s);
}

/* Without watches a replica asks for the lease alone; it is ready, and leads as a new process would. */
TEST(a_replica_that_does_not_watch_asks_for_the_lease_alone) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    struct program *first = NULL, *c = NULL;
    CLEANUP_FREE char *ready = NULL;
    MUST(apiserver_do(s, OBJECTS) == 0 && (first = start(s, "one", false)) != NULL);
    MUST(program_says(first, "\"leading\"", DEADLINE_MS) && apiserver_do(s, "wait open watch pods\n" RUNS) == 0);
    MUST((c = start(s, "two", false)) != NULL && program_says(c, "\"leader\"", DEADLINE_MS));
    CHECK_INT(apiserver_asknumber(s, "open watch pods"), 2); /* those of Jobs, and those of groups */
    CHECK_INT(apiserver_asknumber(s, "open watch jobs"), 1);
    ready = get(c, "health", "/readyz");
    CHECK(strncmp(ready, "HTTP/1.1 200", 12) == 0);
    program_terminate(first);
    MUST(program_says(c, "\"leading\"", DEADLINE_MS) && apiserver_do(s, LOSSES COMPLETES) == 0 && is_final(s));
    CHECK(strstr(program_output(c), "standby's memory") == NULL);
out:
    program_free(first);
    program_free(c);
    apiserver_stop(s);
}
