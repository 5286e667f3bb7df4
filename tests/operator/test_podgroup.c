/* Kueue's groups of plain pods. The shapes are recorded from the sources that controller/operator/store/kind_podgroup.c
 * names. */
#include "base/mem.h"
#include "harness.h"
#include "kinds.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

enum { PODS = 4 };

static char *workload(const struct kind_state *s) {
    bool is_admitted = !s->is_suspended;
    CLEANUP_FREE char *finished =
        s->ended
            ? mem_format(",%s", fake_condition("Finished", "True", s->has_failed ? "Failed" : "Succeeded", s->ended))
            : mem_strdup("");
    return mem_format(
        "{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",\"metadata\":{\"annotations\":{"
        "\"kueue.x-k8s.io/is-group-workload\":\"true\"},\"creationTimestamp\":%s,\"name\":\"js\",\"namespace\":\"ns\","
        "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"a0\",\"uid\":\"uid-a0\"},{"
        "\"apiVersion\":"
        "\"v1\",\"kind\":\"Pod\",\"name\":\"a1\",\"uid\":\"uid-a1\"}],\"uid\":\"uid-js\"},\"spec\":{\"active\":true,"
        "\"podSets\":[{\"count\":4,\"name\":\"4cc3c0cf\",\"template\":{\"spec\":{\"containers\":[{\"name\":\"train\","
        "\"resources\":{\"requests\":{\"google.com/"
        "tpu\":\"4\"}}}]}}}],\"queueName\":\"q\"},\"status\":{\"conditions\":["
        "%s,%s%s]}}",
        fake_time(0), fake_condition("QuotaReserved", is_admitted ? "True" : "False", "Q", s->written),
        fake_condition("Admitted", is_admitted ? "True" : "False", "A", s->written), finished);
}

static char *pod(int index, int attempt) {
    (void)index, (void)attempt;
    return mem_strdup("\"annotations\":{\"kueue.x-k8s.io/pod-group-total-count\":\"4\",\"kueue.x-k8s.io/role-hash\":"
                      "\"4cc3c0cf\"},\"labels\":{\"kueue.x-k8s.io/managed\":\"true\",\"kueue.x-k8s.io/pod-group-name\":"
                      "\"js\",\"kueue.x-k8s.io/queue-name\":\"q\"}");
}

static const struct kind_shape shape = {"kueue.x-k8s.io", "Workload", RESOURCE_WORKLOAD, workload, pod, NULL};

static void observe_pods(struct model *m, bool is_started) {
    for (int i = 0; i < PODS; i++) {
        CLEANUP_FREE char *name = mem_format("a%d", i);
        struct fake_pod p = fake_pod(name, i, 0);
        if (is_started)
            p = fake_started(name, i, 0, 62, 64);
        else
            p.gated = 0;
        kind_observe_pod(m, &shape, &p, 0, OBSERVED_PRESENT, is_started ? 64.5 : 0.5);
    }
}

/* Queued for a minute, trains; a pod is lost at 200 and another one runs at 205; all succeed at 900. */
TEST(a_group_of_pods_is_measured_by_its_workload) {
    for (int pods_first = 0; pods_first < 2; pods_first++) {
        struct model *m = kind_model(&shape);
        struct kind_state s = {.is_suspended = true};
        if (pods_first)
            observe_pods(m, false);
        kind_observe(m, &shape, &s, 0.8);
        if (!pods_first)
            observe_pods(m, false);
        s = (struct kind_state){.written = 60};
        kind_observe(m, &shape, &s, 60.2);
        observe_pods(m, true);
        struct fake_pod lost = fake_started("a2", 2, 0, 62, 64), next = fake_started("a4", 2, 202, 203, 205);
        lost.asked_to_go = 200;
        kind_observe_pod(m, &shape, &lost, 0, OBSERVED_PRESENT, 200.5);
        kind_observe_pod(m, &shape, &lost, 0, OBSERVED_DELETED, 201);
        kind_observe_pod(m, &shape, &next, 0, OBSERVED_PRESENT, 205.5);
        CLEANUP_FREE char *now = fake_status(m, 300);
        CHECK_TEXT(status_text(now, "conditions[type=Ready].reason"), "Accounted");
        CHECK_TEXT(status_text(now, "target.queue"), "q");
        CHECK_INT(status_int(now, "target.chips"), 16);
        CHECK_INT(status_int(now, "availability.available"), PODS);
        CHECK_INT(status_int(now, "badput[bucket=QueueWait].milliseconds"), 62000); /* the gates, until bound */
        CHECK_INT(status_int(now, "badput[bucket=Rescheduling].milliseconds"), 3000);
        CHECK_TEXT(status_text(now, "executions[number=1].cause"), "PodDeleted");
        s.ended = 900;
        kind_observe(m, &shape, &s, 900.2);
        free(fake_status(m, 903));
        CLEANUP_FREE char *end = fake_status(m, 970);
        CHECK_TEXT(status_text(end, "phase"), "Completed");
        CHECK_INT(status_int(end, "time.wallMilliseconds"), 900000);
        CHECK_INT(status_int(end, "interruptions.total"), 1);
        model_free(m);
    }
}

/* A Workload of another job is not a group; neither are pods without one. */
TEST(a_workload_of_a_job_is_not_a_group_of_pods) {
    struct model *m = kind_model(&shape);
    fake_observe_workload(m, fake_condition("QuotaReserved", "True", "Q", 0), 1);
    observe_pods(m, false);
    CLEANUP_FREE char *s = fake_status(m, 5);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "TargetNotFound");
    model_free(m);
}

TEST(a_group_of_ten_thousand_pods_is_one_target) {
    enum { MANY = 10000 };
    struct model *m = kind_model(&shape);
    CLEANUP_FREE char *json = workload(&(struct kind_state){.written = 1});
    char *count = strstr(json, "\"count\":4");
    CLEANUP_FREE char *large =
        mem_format("%.*s\"count\":%d%s", (int)(count - json), json, MANY, count + strlen("\"count\":4"));
    for (int i = 0; i < MANY; i++) {
        CLEANUP_FREE char *name = mem_format("a%d", i);
        struct fake_pod p = fake_started(name, i, 0, 2, 3);
        kind_observe_pod(m, &shape, &p, 0, OBSERVED_PRESENT, 3.5);
    }
    fake_observe(m, RESOURCE_WORKLOAD, OBSERVED_PRESENT, "js", "uid-js", large, 4);
    CLEANUP_FREE char *s = fake_status(m, 100);
    CHECK_INT(status_int(s, "availability.required"), MANY);
    CHECK_INT(status_int(s, "availability.available"), MANY);
    model_free(m);
}
