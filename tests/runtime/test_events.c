/* Events on the JobGoodput, as kubectl describe shows them: one for each interruption, whichever replica sends it. */
#include "harness.h"

#include "applied_jobs.h"
#include "base/mem.h"
#include "program.h"

#include <stdlib.h>

#define DEADLINE_MS 120000

static bool apply_node(struct apiserver *s) {
    return applied_object(
        s, mem_format("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n0\"},\"status\":{"
                      "\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastTransitionTime\":\"%s\"}]}}",
                      applied_time(0)));
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
    struct apiserver *s = applied_begin();
    REQUIRE(s != NULL);
    struct program *c = start(s);
    CLEANUP_FREE char *ended =
        mem_format("\"terminated\":{\"exitCode\":134,\"reason\":\"Error\",\"startedAt\":\"%s\",\"finishedAt\":\"%s\"}",
                   applied_time(3), applied_time(50));
    CLEANUP_FREE char *running = mem_format("\"running\":{\"startedAt\":\"%s\"}", applied_time(63));
    CLEANUP_FREE char *is_over =
        mem_format("wait 120s field events default/a.job-a.interruption-1 .lastTimestamp %s", applied_time(62));
    CLEANUP_FREE char *event = NULL, *again = NULL, *all = NULL;
    MUST(apply_node(s));
    MUST(applied_job(s, "a", 1));
    MUST(applied_pod(s, &(struct applied_pod){"a", "a-0-x", "n0", 0, 1, "Failed", ended}));
    MUST(apiserver_do(s, "wait 120s field events default/a.job-a.interruption-1 .reason Interrupted") == 0);
    program_free(c); /* SIGKILL */
    MUST(applied_pod(s, &(struct applied_pod){"a", "a-0-y", "n0", 0, 61, "Running", running}));
    c = start(s);
    MUST(apiserver_do(s, is_over) == 0);
    event = apiserver_ask(s, "get events default/a.job-a.interruption-1");
    MUST(event != NULL && strstr(event, "ApplicationError n0; rescheduled in 1.0s") != NULL);
    program_free(c);
    c = start(s);
    MUST(applied_job(s, "b", 1));
    MUST(apiserver_do(s, "wait 120s field jobgoodputs default/b .status.target.uid job-b") == 0);
    again = apiserver_ask(s, "get events default/a.job-a.interruption-1");
    CHECK_TEXT(again, event); /* resourceVersion included */
    all = apiserver_ask(s, "list events");
    CHECK_INT(count_of(all, "interruption-"), 1); /* a list has names */
out:
    program_free(c);
    apiserver_stop(s);
}
