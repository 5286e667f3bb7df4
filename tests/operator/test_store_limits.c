/* One more than is kept of what the store remembers, or than Kueue's and our CRDs allow: what decides is still there.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "operator/objects/jobgoodput.h"
#include "operator/store/store.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* ---- containers of a pod ---- */

/* Pod "a": "train" with chips, then N sidecars, then "log" without chips. */
static void show_pod(struct model *m, int sidecars) {
    CLEANUP_BUF struct buf more;
    struct fake_pod p = fake_running("a", "n0", 1);
    buf_init(&more, 1 << 20);
    for (int i = 0; i < sidecars; i++)
        buf_format(&more, "},{\"name\":\"s%d\"", i);
    buf_append_text(&more, "},{\"name\":\"log\"");
    p.container_more = buf_text(&more);
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 3.1);
}

/* Of a JobGoodput that names it; what the condition StepLogAttached says. */
static void check_log_container(int sidecars, const char *container, const char *reason) {
    struct model *m = model_new(&(struct model_options){0});
    struct model_log log;
    replay_jobgoodput(m, "ns", "js", "PodLog\",\"podLog\":{\"container\":\"log\"},\"x\":\"", "", fake_ms(0));
    show_pod(m, sidecars);
    struct model_job *job = model_job_find(m, "ns", "js");
    REQUIRE(job != NULL && model_job_log_count(job) == 1);
    model_job_log_get(job, 0, &log);
    if (strcmp(log.container, container) != 0)
        harness_fail(__FILE__, __LINE__, "behind %d: \"%s\"", sidecars, log.container);
    CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(10), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), reason);
    model_free(m);
}

TEST(the_container_of_the_log_counts_wherever_it_is) {
    static const int sidecars[] = {0, 13, 14, 15, 16, STORE_MAX_CONTAINERS - 2};
    for (size_t i = 0; i < ARRAY_SIZE(sidecars); i++)
        check_log_container(sidecars[i], "log", "Waiting");
    check_log_container(STORE_MAX_CONTAINERS - 1, "", "ContainerNotFound"); /* left out, and said */
}

/* ---- a Workload ---- */

static struct model *begin(void) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true});
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    return m;
}

static const char *reserved(void) {
    return fake_condition("QuotaReserved", "True", "QuotaReserved", 4);
}

/* N checks that are Ready, then one that waits for capacity. */
TEST(the_admission_check_that_is_waited_for_counts_wherever_it_is) {
    static const int ready[] = {0, 7, 8, 9, 100};
    for (size_t i = 0; i < ARRAY_SIZE(ready); i++) {
        CLEANUP_BUF struct buf more;
        struct model *m = begin();
        buf_init(&more, 1 << 20);
        buf_append_text(&more, ",\"admissionChecks\":[");
        for (int k = 0; k < ready[i]; k++)
            buf_format(&more, "{\"name\":\"c%d\",\"state\":\"Ready\",\"message\":\"\"},", k);
        buf_append_text(&more, "{\"name\":\"dws\",\"state\":\"Pending\",\"message\":\"Provisioning: 3 of 4 nodes\"}]");
        fake_observe_workload_status(m, reserved(), buf_text(&more), 4.1);
        CLEANUP_FREE char *s = fake_finish(m, 64);
        CHECK_INT(status_int(s, "badput[bucket=Provisioning].milliseconds"), 60000);
        CHECK(strstr(status_text(s, "badput[bucket=Provisioning].evidence"), "3 of 4 nodes") != NULL);
    }
}

static void observe_unhealthy(struct model *m, const char *names, double at) {
    CLEANUP_FREE char *more = mem_format(",\"unhealthyNodes\":[%s]", names);
    CLEANUP_FREE char *conditions = mem_format("%s,%s", reserved(), fake_condition("Admitted", "True", "Admitted", 4));
    fake_observe_workload_status(m, conditions, more, at);
}

static void check_named(struct model *m) {
    struct fake_pod a = fake_running("a", "n0", 5), b = fake_running("b", "n1", 1069);
    a.asked_to_go = 1060;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1060.5);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 1066);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 1071.1);
    CLEANUP_FREE char *s = fake_finish(m, 1100);
    CHECK_TEXT(status_text(s, "executions[number=1].cause"), "NodeFailure");
    CHECK(strstr(status_text(s, "executions[number=1].evidence"), "status.unhealthyNodes names n0") != NULL);
}

static struct model *begin_running(void) {
    struct model *m = begin();
    struct fake_pod a = fake_running("a", "n0", 5);
    observe_unhealthy(m, "", 4.1);
    fake_observe_node(m, "n0", "True", -100, "", "", 0.5);
    fake_observe_node(m, "n1", "True", -100, "", "", 0.5);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 7.1);
    return m;
}

TEST(the_unhealthy_node_of_a_pod_counts_wherever_it_is_named) {
    static const int before[] = {0, 7, 8, 9, STORE_MAX_UNHEALTHY - 1};
    for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
        CLEANUP_BUF struct buf names;
        struct model *m = begin_running();
        buf_init(&names, 1 << 20);
        for (int k = 0; k < before[i]; k++)
            buf_format(&names, "{\"name\":\"x%d\"},", k);
        buf_append_text(&names, "{\"name\":\"n0\"}");
        observe_unhealthy(m, buf_text(&names), 1058);
        check_named(m);
    }
}

/* n0 is named all the time; others, one after the other, come and go. */
TEST(an_unhealthy_node_that_lasts_outlives_those_that_are_over) {
    static const int others[] = {STORE_MAX_UNHEALTHY - 1, STORE_MAX_UNHEALTHY, 3 * STORE_MAX_UNHEALTHY};
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        struct model *m = begin_running();
        for (int k = 0; k < others[i]; k++) {
            CLEANUP_FREE char *names = mem_format("{\"name\":\"n0\"},{\"name\":\"x%d\"}", k);
            observe_unhealthy(m, names, 100 + k);
        }
        check_named(m);
    }
}

/* ---- lists that the CRD bounds ---- */

static int max_items(const char *crd, const char *field) {
    CLEANUP_FREE char *key = mem_format("\n              %s:\n", field);
    const char *at = strstr(crd, key);
    at = at != NULL ? strstr(at, "maxItems: ") : NULL;
    return at != NULL ? (int)strtol(at + strlen("maxItems: "), NULL, 10) : -1;
}

TEST(the_crd_allows_as_many_as_are_read) {
    CLEANUP_FREE char *crd = harness_read_file("crds/goodput.dev_jobgoodputs.yaml", NULL);
    REQUIRE(crd != NULL);
    CHECK_INT(max_items(crd, "windowSeconds"), OBJECT_WINDOWS);
    CHECK_INT(max_items(crd, "requiredReplicatedJobs"), OBJECT_REPLICATED_JOBS);
}

/* A CRD of tomorrow may allow more. */
TEST(of_more_windows_and_required_jobs_than_are_read_the_first_count) {
    for (int more = 0; more < 2; more++) {
        CLEANUP_BUF struct buf b;
        struct object_jobgoodput *g = mem_new(struct object_jobgoodput);
        buf_init(&b, 1 << 20);
        buf_append_text(&b, "{\"metadata\":{\"name\":\"g\",\"uid\":\"u\"},\"spec\":{\"targetRef\":{\"kind\":\"JobSet\","
                            "\"name\":\"js\"},\"windowSeconds\":[");
        for (int i = 0; i < OBJECT_WINDOWS + more; i++)
            buf_format(&b, "%s%d", i > 0 ? "," : "", 60 * (i + 1));
        buf_append_text(&b, "],\"requiredReplicatedJobs\":[");
        for (int i = 0; i < OBJECT_REPLICATED_JOBS + more; i++)
            buf_format(&b, "%s\"j%d\"", i > 0 ? "," : "", i);
        buf_append_text(&b, "]}}");
        CHECK_INT(object_jobgoodput_parse(buf_slice(&b), g), 0);
        CHECK_INT(g->window_count, OBJECT_WINDOWS);
        CHECK_INT(g->windows_ms[0], 60000);
        CHECK_INT(g->windows_ms[OBJECT_WINDOWS - 1], 60000 * OBJECT_WINDOWS);
        CHECK_INT(g->required_count, OBJECT_REPLICATED_JOBS);
        CHECK(slice_is(g->required[OBJECT_REPLICATED_JOBS - 1], "j63"));
        free(g);
    }
}

/* ---- histories ---- */

/* Suspended N times for ten seconds and resumed for twenty; its status is read each time. */
static char *suspend_often(int times) {
    struct model *m = begin();
    for (int i = 0; i < times; i++) {
        int at = 100 + 30 * i;
        CLEANUP_FREE char *on = mem_format("\"conditions\":[%s]", fake_condition("Suspended", "True", "x", at));
        CLEANUP_FREE char *off = mem_format("\"conditions\":[%s]", fake_condition("Suspended", "False", "x", at + 10));
        fake_observe_jobset(m, 1, ",\"suspend\":true", on, at + 0.1);
        free(replay_status(m, "ns", "js", fake_ms(at + 5), NULL));
        fake_observe_jobset(m, 1, "", off, at + 10.1);
        free(replay_status(m, "ns", "js", fake_ms(at + 20), NULL));
    }
    return fake_finish(m, 100 + 30 * times);
}

/* What is older than the newest 256 loses its bucket, and the status says so. */
TEST(more_suspensions_than_are_kept_are_a_condition) {
    enum { KEPT = STORE_MAX_TRANSITIONS / 2 };
    static const int times[] = {KEPT - 1, KEPT + 1, 2 * KEPT};
    for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
        CLEANUP_FREE char *s = suspend_often(times[i]);
        CHECK_INT(status_int(s, "badput[bucket=Suspended].milliseconds"), 10000 * (times[i] < KEPT ? times[i] : KEPT));
        CHECK_TEXT(status_text(s, "conditions[type=EvidenceComplete].reason"), times[i] > KEPT ? "HistoryTooLong" : "");
    }
}

/* ---- runs of a container ---- */

/* Its container ends and is started again N times, in place, a minute apart. */
static char *restart_often(int times) {
    struct model *m = begin();
    struct fake_pod p = fake_running("a", "n0", 1);
    p.restart_policy = "OnFailure";
    fake_observe_node(m, "n0", "True", -100, "", "", 0.5);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 3.1);
    for (int i = 1; i <= times; i++) {
        p.restart_count = i;
        p.last_finished = 60 * i;
        p.last_exit_code = 1;
        p.started = 60 * i + 10;
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 60 * i + 10.5);
        if (i % 16 == 0)
            free(replay_status(m, "ns", "js", fake_ms(60 * i + 20), NULL));
    }
    return fake_finish(m, 60 * times + 60);
}

TEST(more_restarts_of_a_container_than_are_kept_are_a_condition) {
    enum { KEPT = STORE_MAX_INSTANCES - 1 };
    static const int times[] = {KEPT, KEPT + 1, 3 * KEPT};
    for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
        CLEANUP_FREE char *s = restart_often(times[i]);
        CHECK_INT(status_int(s, "interruptions.total"), KEPT);
        CHECK_TEXT(status_text(s, "conditions[type=EvidenceComplete].reason"), times[i] > KEPT ? "HistoryTooLong" : "");
    }
}

/* ---- restarts of a set ---- */

/* All are counted, by the counter; the times of the oldest are lost. */
TEST(more_restarts_of_a_set_than_are_kept_are_a_condition) {
    static const int times[] = {STORE_MAX_TRANSITIONS, STORE_MAX_TRANSITIONS + 1};
    for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
        struct model *m = begin();
        struct fake_pod p = fake_running("a", "n0", 1);
        fake_observe_node(m, "n0", "True", -100, "", "", 0.5);
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 3.1);
        for (int k = 1; k <= times[i]; k++) {
            CLEANUP_FREE char *status = mem_format(",\"restarts\":%d", k);
            fake_observe_jobset(m, 1, "", status + 1, 60 * k + 0.1);
        }
        CLEANUP_FREE char *s = fake_finish(m, 60 * times[i] + 60);
        CHECK_INT(status_int(s, "interruptions.total"), times[i]);
        CHECK_TEXT(status_text(s, "conditions[type=EvidenceComplete].reason"), i > 0 ? "HistoryTooLong" : "");
    }
}

/* ---- Events of pods that are not known ---- */

#define MANY_EVENTS 66000 /* more than events.c keeps of unknown pods */

/* An Event may come before its pod. Of more Events than are kept, those of known pods stay, and others go. */
TEST(a_flood_of_events_of_other_pods_takes_none_of_a_known_pod) {
    for (int is_known = 0; is_known < 2; is_known++) {
        struct model *m = begin();
        struct fake_pod a = fake_running("a", "n0", 1);
        if (is_known)
            fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
        fake_observe_event(m, "a", "Evicted", "The node was low on resource: memory", 20);
        for (int i = 0; i < MANY_EVENTS; i++) {
            char name[32];
            snprintf(name, sizeof name, "other-%d", i);
            fake_observe_event(m, name, "Pulled", "", 21);
        }
        a.finished = 22;
        a.phase = "Succeeded";
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 22.1);
        CLEANUP_FREE char *s = fake_finish(m, 40);
        CHECK_TEXT(status_text(s, "executions[number=1].cause"), is_known ? "Eviction" : "");
        CHECK_INT(status_int(s, "interruptions.total"), is_known);
    }
}
