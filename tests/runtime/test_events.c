/* Events on the JobGoodput, as kubectl describe shows them: one for each interruption, whichever replica sends it. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "base/slice.h"
#include "program.h"

#include <stdlib.h>
#include <time.h>

#define DEADLINE_MS 120000

static int64_t epoch_ms; /* two minutes ago: an old interruption is not announced */

static const char *at(int second) {
    static char ring[8][RFC3339_SIZE];
    static int next;
    return rfc3339_format_s(ring[next++ % 8], epoch_ms + second * 1000);
}

static bool apply(struct apiserver *s, char *json) {
    CLEANUP_FREE char *command = mem_format("apply <<END\n%s\nEND\n", json);
    free(json);
    return apiserver_do(s, command) == 0;
}

static bool apply_job(struct apiserver *s, const char *name) {
    return apply(s, mem_format("{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{"
                               "\"name\":\"%s\",\"namespace\":\"default\"},\"spec\":{\"targetRef\":{\"apiGroup\":"
                               "\"batch\",\"kind\":\"Job\",\"name\":\"%s\"},\"stepLog\":{\"source\":\"None\"}}}",
                               name, name)) &&
           apply(s, mem_format("{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"%s\","
                               "\"namespace\":\"default\",\"uid\":\"job-%s\",\"creationTimestamp\":\"%s\"},\"spec\":{"
                               "\"completionMode\":\"Indexed\",\"parallelism\":1,\"completions\":1,\"template\":{"
                               "\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}",
                               name, name, at(0)));
}

static bool apply_node(struct apiserver *s) {
    return apply(s,
                 mem_format("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n0\"},\"status\":{"
                            "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"%s\"}]}}",
                            at(0)));
}

/* Of Job a: bound a second after it was made, started after two; state: of its container. */
static bool apply_pod(struct apiserver *s, const char *name, int made, const char *phase, const char *state) {
    return apply(
        s,
        mem_format("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"default\","
                   "\"uid\":\"pod-%s\",\"creationTimestamp\":\"%s\",\"labels\":{\"batch.kubernetes.io/job-name\":"
                   "\"a\",\"batch.kubernetes.io/controller-uid\":\"job-a\",\"batch.kubernetes.io/"
                   "job-completion-index\":\"0\"},\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\","
                   "\"name\":\"a\",\"uid\":\"job-a\",\"controller\":true}]},\"spec\":{\"nodeName\":\"n0\","
                   "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":\"%s\","
                   "\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":\"%s\"}],"
                   "\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":0,\"state\":{%s}}]}}",
                   name, name, at(made), phase, at(made + 1), state));
}

static int count_of(const char *text, const char *what) {
    int n = 0;
    for (const char *found = text; text != NULL && (found = strstr(found, what)) != NULL; found += strlen(what))
        n++;
    return n;
}

static struct program *start(const struct apiserver *s) {
    return program_start("goodput-controller",
                         (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0", "--v=1",
                                          "--leader-elect=false", NULL});
}

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            harness_fail(__FILE__, __LINE__, "%s; the controller said:\n%s", #condition, program_output(c));           \
            goto out;                                                                                                  \
        }                                                                                                              \
    } while (0)

/* The first controller reports that the pod ended and is killed. The second reports its replacement and is killed as
 * well. The third finds nothing new: one Event, with the last text. */
TEST(an_interruption_is_one_event_whichever_replica_sends_it) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", NULL});
    REQUIRE(s != NULL);
    epoch_ms = ((int64_t)time(NULL) - 120) * 1000;
    struct program *c = start(s);
    CLEANUP_FREE char *ended =
        mem_format("\"terminated\":{\"exitCode\":134,\"reason\":\"Error\",\"startedAt\":\"%s\",\"finishedAt\":\"%s\"}",
                   at(3), at(50));
    CLEANUP_FREE char *running = mem_format("\"running\":{\"startedAt\":\"%s\"}", at(63));
    CLEANUP_FREE char *is_over =
        mem_format("wait 120s field events default/a.job-a.interruption-1 .lastTimestamp %s", at(62));
    CLEANUP_FREE char *event = NULL, *again = NULL, *all = NULL;
    MUST(apply_node(s));
    MUST(apply_job(s, "a"));
    MUST(apply_pod(s, "a-0-x", 1, "Failed", ended));
    MUST(apiserver_do(s, "wait 120s field events default/a.job-a.interruption-1 .reason Interrupted") == 0);
    program_free(c); /* SIGKILL */
    MUST(apply_pod(s, "a-0-y", 61, "Running", running));
    c = start(s);
    MUST(apiserver_do(s, is_over) == 0);
    event = apiserver_ask(s, "get events default/a.job-a.interruption-1");
    MUST(event != NULL && strstr(event, "ApplicationError n0; rescheduled in 1.0s") != NULL);
    program_free(c);
    c = start(s);
    MUST(apply_job(s, "b"));
    MUST(apiserver_do(s, "wait 120s field jobgoodputs default/b .status.target.uid job-b") == 0);
    again = apiserver_ask(s, "get events default/a.job-a.interruption-1");
    CHECK_TEXT(again, event); /* resourceVersion included */
    all = apiserver_ask(s, "list events");
    CHECK_INT(count_of(all, "interruption-"), 1); /* a list has names */
out:
    program_free(c);
    apiserver_stop(s);
}
