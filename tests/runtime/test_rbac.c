/* Permissions that the controller lacks, one resource in each namespace: what each job says of it, what is measured
 * nevertheless, and that both change when the permission is granted, without a restart. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/clock.h"
#include "base/mem.h"
#include "program.h"

#include <string.h>
#include <unistd.h>

#define DEADLINE_MS 120000
#define CONDITION "\"type\":\"PermissionMissing\""

static const struct {
    const char *namespace_, *group_path, *qualified;
} forbidden[] = {
    {"fine", NULL, NULL},
    {"no-pods", "/api/v1", "pods"},
    {"no-jobs", "/apis/batch/v1", "jobs.batch"},
    {"no-jobsets", "/apis/jobset.x-k8s.io/v1alpha2", "jobsets.jobset.x-k8s.io"},
    {"no-workloads", "/apis/kueue.x-k8s.io/v1beta2", "workloads.kueue.x-k8s.io"},
    {"no-events", "/api/v1", "events"},
    {"no-jobgoodputs", "/apis/goodput.dev/v1alpha1", "jobgoodputs.goodput.dev"},
};
#define WATCHED "--watch-namespaces=fine,no-pods,no-jobs,no-jobsets,no-workloads,no-events,no-jobgoodputs"

static struct program *start(const struct apiserver *s) {
    return program_start("goodput-controller",
                         (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                          "--leader-elect=false", "--status-interval=200ms", WATCHED, NULL});
}

#define POD(name, job, more_labels)                                                                                    \
    "apply <<END\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\",\"namespace\":\"%1$s\"," \
    "\"uid\":\"%1$s-" name "\",\"creationTimestamp\":\"2026-01-01T00:01:05Z\",\"labels\":{"                            \
    "\"batch.kubernetes.io/job-name\":\"" job "\",\"batch.kubernetes.io/controller-uid\":\"%1$s-" job "\","            \
    "\"batch.kubernetes.io/job-completion-index\":\"0\"" more_labels                                                   \
    "},\"annotations\":{\"batch.kubernetes.io/job-completion-index\":\"0\"},\"ownerReferences\":[{"                    \
    "\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"" job "\",\"uid\":\"%1$s-" job "\",\"controller\":true}]" \
    "},\"spec\":{\"nodeName\":\"n0\",\"containers\":[{\"name\":\"main\",\"image\":\"i\"}]},\"status\":{\"phase\":"     \
    "\"Running\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\",\"lastTransitionTime\":"               \
    "\"2026-01-01T00:01:10Z\"}],\"containerStatuses\":[{\"name\":\"main\",\"ready\":true,\"restartCount\":0,"          \
    "\"state\":{\"running\":{\"startedAt\":\"2026-01-01T00:01:20Z\"}}}]}}\nEND\n"
#define JOB(name, labels, owner)                                                                                       \
    "apply <<END\n{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"" name "\",\"namespace\":"    \
    "\"%1$s\",\"uid\":\"%1$s-" name "\",\"creationTimestamp\":\"2026-01-01T00:01:00Z\",\"labels\":{" labels "}" owner  \
    "},\"spec\":{\"completionMode\":\"Indexed\",\"parallelism\":1,\"completions\":1,\"suspend\":false,\"template\":{"  \
    "\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"i\"}]}}},\"status\":{\"startTime\":"                     \
    "\"2026-01-01T00:01:00Z\"}}\nEND\n"
#define JOBGOODPUT(name, group, kind)                                                                                  \
    "apply <<END\n{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{\"name\":\"" name     \
    "\",\"namespace\":\"%1$s\"},\"spec\":{\"targetRef\":{\"apiGroup\":\"" group "\",\"kind\":\"" kind                  \
    "\",\"name\":\"" name "\"},\"stepLog\":{\"source\":\"None\"}}}\nEND\n"
#define SET_LABELS                                                                                                     \
    "\"jobset.sigs.k8s.io/jobset-name\":\"set\",\"jobset.sigs.k8s.io/jobset-uid\":\"%1$s-set\","                       \
    "\"jobset.sigs.k8s.io/replicatedjob-name\":\"slice\","                                                             \
    "\"jobset.sigs.k8s.io/job-index\":\"0\",\"jobset.sigs.k8s.io/restart-attempt\":\"0\""
#define SET_OWNER                                                                                                      \
    ",\"ownerReferences\":[{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\",\"name\":\"set\","         \
    "\"uid\":\"%1$s-set\",\"controller\":true}]"

/* A Job in a queue without a Workload, a Job in none, and a JobSet, each with its one pod that runs. */
static void add_jobs(struct apiserver *s, const char *namespace_) {
    CHECK_INT(apiserver_dof(
                  s,
                  "apply <<END\n{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%1$s\"}}\nEND\n"
                  "apply <<END\n{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\",\"metadata\":{"
                  "\"name\":\"set\",\"namespace\":\"%1$s\",\"uid\":\"%1$s-set\",\"creationTimestamp\":"
                  "\"2026-01-01T00:01:00Z\"},\"spec\":{\"replicatedJobs\":[{\"name\":\"slice\",\"replicas\":1,"
                  "\"template\":{\"spec\":{\"completionMode\":\"Indexed\",\"parallelism\":1,\"completions\":1,"
                  "\"template\":{\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"i\"}]}}}}}]}}\nEND\n" JOB(
                      "set-slice-0", SET_LABELS, SET_OWNER) POD("set-slice-0-0", "set-slice-0", "," SET_LABELS)
                      JOB("queued", "\"kueue.x-k8s.io/queue-name\":\"q\"", "") POD("queued-0", "queued", "") JOB(
                          "plain", "", "") POD("plain-0", "plain", "") JOBGOODPUT("set", "jobset.x-k8s.io", "JobSet")
                          JOBGOODPUT("queued", "batch", "Job") JOBGOODPUT("plain", "batch", "Job"),
                  namespace_),
              0);
}

static struct apiserver *serve(void) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", NULL});
    if (s == NULL)
        return NULL;
    CHECK_INT(apiserver_do(s, "apply <<END\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n0\"},"
                              "\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
                              "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}}\nEND\n"),
              0);
    for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++)
        add_jobs(s, forbidden[i].namespace_);
    return s;
}

static void forbid(struct apiserver *s, size_t i) {
    const char *dot = strchr(forbidden[i].qualified, '.');
    int length = dot ? (int)(dot - forbidden[i].qualified) : (int)strlen(forbidden[i].qualified);
    CHECK_INT(apiserver_dof(s, "on any %s/namespaces/%s/%.*s always : status 403", forbidden[i].group_path,
                            forbidden[i].namespace_, length, forbidden[i].qualified),
              0);
}

static char *get(struct apiserver *s, const char *namespace_, const char *name) {
    CLEANUP_FREE char *command = mem_format("get jobgoodputs %s/%s", namespace_, name);
    return apiserver_ask(s, command);
}

/* Until the object holds the text, or does not hold it. */
static char *await(struct apiserver *s, const char *namespace_, const char *name, const char *text, bool is_there) {
    int64_t from_us = clock_mono().us;
    for (;;) {
        char *object = get(s, namespace_, name);
        bool is_so =
            object != NULL && strstr(object, "\"conditions\"") != NULL && (strstr(object, text) != NULL) == is_there;
        if (is_so)
            return object;
        if (clock_mono().us - from_us > DEADLINE_MS * INT64_C(1000)) {
            harness_fail(__FILE__, __LINE__, "%s/%s: \"%s\" %s\n%s", namespace_, name, text,
                         is_there ? "did not come" : "stayed", object ? object : "");
            return object ? object : mem_strdup("");
        }
        free(object);
        usleep(100000);
    }
}

static void check_measured(const char *namespace_, const char *name, const char *object) {
    if (strstr(object, "\"available\":1") == NULL || strstr(object, "\"availableMilliseconds\":0}") != NULL ||
        strstr(object, "\"scheduling\":") == NULL || strstr(object, "\"reason\":\"Accounted\"") == NULL ||
        strstr(object, "\"bucket\":\"QueueWait\"") != NULL)
        harness_fail(__FILE__, __LINE__, "%s/%s is not measured: %s", namespace_, name, object);
}

/* The job says what is forbidden in the server's words. */
static void check_forbidden(struct apiserver *s, size_t i, const char *name, bool is_measured) {
    const char *namespace_ = forbidden[i].namespace_;
    CLEANUP_FREE char *object = await(s, namespace_, name, CONDITION, true);
    CLEANUP_FREE char *words =
        mem_format("%s is forbidden: User \\\"system:serviceaccount:goodput-system:goodput-controller\\\" cannot ",
                   forbidden[i].qualified);
    CLEANUP_FREE char *where = mem_format("in the namespace \\\"%s\\\"", namespace_);
    if (strstr(object, words) == NULL || strstr(object, where) == NULL)
        harness_fail(__FILE__, __LINE__, "%s/%s: no \"%s ... %s\" in %s", namespace_, name, words, where, object);
    if (is_measured) {
        check_measured(namespace_, name, object);
        return;
    }
    CHECK(strstr(object, "\"reason\":\"Forbidden\"") != NULL);
    CHECK(strstr(object, "\"scheduling\":") == NULL); /* not known, so it is absent */
    CHECK(strstr(object, "\"badput\":[{") == NULL);
}

static void check_fine(struct apiserver *s, size_t i, const char *name) {
    CLEANUP_FREE char *object = await(s, forbidden[i].namespace_, name, "\"availableMilliseconds\":", true);
    if (strcmp(name, "queued") != 0)
        check_measured(forbidden[i].namespace_, name, object);
    CHECK(strstr(object, CONDITION) == NULL);
    CHECK(strstr(object, "is forbidden") == NULL);
}

enum { FINE, NO_PODS, NO_JOBS, NO_JOBSETS, NO_WORKLOADS, NO_EVENTS, NO_JOBGOODPUTS, CASES };

TEST(a_missing_permission_is_a_condition_of_the_jobs_that_it_concerns) {
    static const char *const names[] = {"set", "queued", "plain"};
    struct apiserver *s = serve();
    REQUIRE(s != NULL);
    for (size_t i = FINE + 1; i < CASES; i++)
        forbid(s, i);
    struct program *c = start(s);
    for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
        check_fine(s, FINE, names[n]);
        check_forbidden(s, NO_PODS, names[n], false);
        check_forbidden(s, NO_JOBS, names[n], false);
    }
    check_forbidden(s, NO_EVENTS, "set", true);
    check_forbidden(s, NO_EVENTS, "plain", true);
    check_forbidden(s, NO_JOBSETS, "set", false);
    check_fine(s, NO_JOBSETS, "queued");
    check_fine(s, NO_JOBSETS, "plain");
    check_forbidden(s, NO_WORKLOADS, "queued", true);
    check_fine(s, NO_WORKLOADS, "set");
    check_fine(s, NO_WORKLOADS, "plain");
    CLEANUP_FREE char *unread = get(s, "no-jobgoodputs", "plain");
    CHECK(strstr(unread, "\"conditions\"") == NULL);
    /* Granted: nothing is restarted. */
    CHECK_INT(apiserver_do(s, "clear faults"), 0);
    for (size_t i = 0; i < CASES; i++)
        for (size_t n = 0; n < ARRAY_SIZE(names); n++) {
            free(await(s, forbidden[i].namespace_, names[n], "is forbidden", false));
            check_fine(s, i, names[n]);
        }
    program_free(c);
    apiserver_stop(s);
}

TEST(without_permission_to_read_nodes_that_is_reported_and_the_rest_measured) {
    struct apiserver *s = serve();
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, "on any nodes always : status 403"), 0);
    struct program *c = start(s);
    CLEANUP_FREE char *object = await(s, "fine", "set", CONDITION, true);
    CHECK(strstr(object, "nodes is forbidden: User \\\"system:serviceaccount:goodput-system:goodput-controller\\\"") !=
          NULL);
    CHECK(strstr(object, "at the cluster scope") != NULL);
    check_measured("fine", "set", object);
    CHECK_INT(apiserver_do(s, "clear faults"), 0);
    free(await(s, "fine", "set", "is forbidden", false));
    program_free(c);
    apiserver_stop(s);
}

/* What was measured stays: a permission that is withdrawn, and a controller that starts without it. */
TEST(numbers_stay_where_a_permission_was_withdrawn) {
    struct apiserver *s = serve();
    REQUIRE(s != NULL);
    struct program *c = start(s);
    check_fine(s, NO_PODS, "set");
    check_fine(s, NO_JOBSETS, "set");
    forbid(s, NO_PODS);
    forbid(s, NO_JOBSETS);
    CHECK_INT(apiserver_do(s, "strike watch pods : close\nstrike watch jobsets : close"), 0);
    for (int round = 0; round < 2; round++) {
        static const size_t cases[] = {NO_PODS, NO_JOBSETS};
        for (size_t k = 0; k < ARRAY_SIZE(cases); k++) {
            CLEANUP_FREE char *object = await(s, forbidden[cases[k]].namespace_, "set", CONDITION, true);
            CHECK(strstr(object, "\"reason\":\"Forbidden\"") != NULL);
            CHECK(strstr(object, "\"availableMilliseconds\":") != NULL);
            if (strstr(object, "\"phase\":\"Training\"") == NULL)
                harness_fail(__FILE__, __LINE__, "another phase: %s", object);
        }
        check_fine(s, NO_PODS + 1, "set");
        program_free(c);
        c = start(s);
        CHECK_INT(apiserver_dof(s, JOBGOODPUT("mark-%2$d", "batch", "Job"), "fine", round), 0);
        CLEANUP_FREE char *mark = mem_format("mark-%d", round);
        free(await(s, "fine", mark, "TargetNotFound", true)); /* the new one has looked at all */
    }
    CHECK_INT(apiserver_do(s, "clear faults"), 0);
    free(await(s, "no-pods", "set", "is forbidden", false));
    free(await(s, "no-jobsets", "set", "is forbidden", false));
    check_fine(s, NO_PODS, "set");
    check_fine(s, NO_JOBSETS, "set");
    program_free(c);
    apiserver_stop(s);
}
