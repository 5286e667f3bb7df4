/* Owner references that the API server does not check: of another namespace, to themselves, in a circle, several of
 * one object, and of a kind that the owner does not have. Each concerns the record of its own object alone. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#define OWNER(kind, name, uid)                                                                                         \
    "{\"apiVersion\":\"x/v1\",\"controller\":true,\"kind\":\"" kind "\",\"name\":\"" name "\",\"uid\":\"" uid "\"}"
#define OWNED_BY(owners) ",\"ownerReferences\":[" owners "]"

static struct model *with_records(void) {
    struct model *m = model_new(&(struct model_options){0});
    fake_observe_node(m, "n0", "True", 0, "", "", 0);
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    replay_jobgoodput(m, "ns", "other", "None", "", fake_ms(0));
    return m;
}

static void observe_jobset(struct model *m, const char *name, const char *owners, double at) {
    fake_observe_jobset_of(m, &(struct fake_jobset){.name = name, .more_meta = owners}, at);
}

static void observe_pod_of(struct model *m, const char *jobset, const char *more_meta, double at) {
    CLEANUP_FREE char *name = mem_format("pod-of-%s", jobset);
    struct fake_pod p = fake_running(name, "n0", 1);
    p.jobset = jobset;
    p.more_meta = more_meta;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, at);
}

static void observe_workload(struct model *m, const char *name, const char *owner, double at) {
    CLEANUP_FREE char *uid = mem_format("uid-%s", name);
    CLEANUP_FREE char *json =
        mem_format("{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\",\"creationTimestamp\":%s,"
                   "\"ownerReferences\":[%s]},\"spec\":{\"queueName\":\"q-%s\"},\"status\":{\"conditions\":[%s]}}",
                   name, uid, fake_time(0), owner, name, fake_condition("QuotaReserved", "True", "QuotaReserved", 0));
    fake_observe(m, RESOURCE_WORKLOAD, OBSERVED_PRESENT, name, uid, json, at);
}

/* The record of that JobSet measures its one pod. */
static void check_measured(struct model *m, const char *name, const char *queue) {
    CLEANUP_FREE char *s = replay_status(m, "ns", name, fake_ms(100), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Accounted");
    CHECK_INT(status_int(s, "availability.available"), 1);
    CHECK_INT(status_int(s, "time.availableMilliseconds"), 98000);
    CHECK_TEXT(status_text(s, "target.queue"), queue);
}

TEST(a_jobset_that_names_itself_as_its_owner_is_measured) {
    static const char *const owners[] = {OWNED_BY(OWNER("TrainJob", "js", "uid-js")),
                                         OWNED_BY(OWNER("JobSet", "js", "uid-js"))};
    for (size_t i = 0; i < ARRAY_SIZE(owners); i++)
        for (int workload_first = 0; workload_first < 2; workload_first++) {
            struct model *m = with_records();
            if (workload_first)
                observe_workload(m, "w", OWNER("JobSet", "js", "uid-js"), 0.1);
            observe_jobset(m, "js", owners[i], 0.2);
            if (!workload_first)
                observe_workload(m, "w", OWNER("JobSet", "js", "uid-js"), 0.4);
            observe_jobset(m, "js", owners[i], 0.5);
            observe_pod_of(m, "js", "", 4);
            replay_watermarks(m, fake_ms(100));
            check_measured(m, "js", "q-w");
            model_free(m);
        }
}

/* Each says that the other is the TrainJob that made it. */
TEST(jobsets_that_own_each_other_are_measured_each_by_itself) {
    static const char *const names[] = {"js", "other"};
    static const char *const owners[] = {OWNED_BY(OWNER("TrainJob", "other", "uid-other")),
                                         OWNED_BY(OWNER("TrainJob", "js", "uid-js"))};
    for (int order = 0; order < 2; order++) {
        struct model *m = with_records();
        observe_workload(m, "w0", OWNER("JobSet", "js", "uid-js"), 0.1);
        observe_workload(m, "w1", OWNER("JobSet", "other", "uid-other"), 0.1);
        for (int again = 0; again < 2; again++)
            for (int i = 0; i < 2; i++)
                observe_jobset(m, names[i ^ order], owners[i ^ order], 0.2 + again);
        observe_pod_of(m, "js", "", 4);
        observe_pod_of(m, "other", "", 4);
        replay_watermarks(m, fake_ms(100));
        check_measured(m, "js", "q-w0");
        check_measured(m, "other", "q-w1");
        model_free(m);
    }
}

/* Jobs and pods that name a JobSet under its UID but with another kind, before it is observed or after. */
TEST(a_wrong_kind_of_owner_takes_no_target_from_its_record) {
    static const char *const kinds[] = {"TrainJob", "RayJob", "LeaderWorkerSet", "PyTorchJob", "Job"};
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        for (int wrong_first = 0; wrong_first < 2; wrong_first++) {
            struct model *m = with_records();
            CLEANUP_FREE char *owner =
                mem_format("{\"controller\":true,\"kind\":\"%s\",\"name\":\"js\",\"uid\":\"uid-js\"}", kinds[i]);
            CLEANUP_FREE char *owned = mem_format(OWNED_BY("%s"), owner);
            if (!wrong_first)
                observe_jobset(m, "js", "", 0.2);
            observe_workload(m, "wrong", owner, 0.3);
            observe_jobset(m, "other", owned, 0.3);
            if (wrong_first)
                observe_jobset(m, "js", "", 0.4);
            observe_workload(m, "right", OWNER("JobSet", "js", "uid-js"), 0.5);
            observe_pod_of(m, "js", "", 4);
            observe_pod_of(m, "other", "", 4);
            replay_watermarks(m, fake_ms(100));
            check_measured(m, "js", "q-right");
            check_measured(m, "other", i == 0 ? "q-wrong" : ""); /* it says that a TrainJob made it */
            model_free(m);
        }
}

/* Only the controller counts, wherever it stands among the owners. */
TEST(a_jobset_with_several_owners_is_of_its_controller) {
    static const char *const owners[] = {
        OWNED_BY("{\"kind\":\"ConfigMap\",\"name\":\"c\",\"uid\":\"uid-c\"}," OWNER("TrainJob", "train", "uid-train")),
        OWNED_BY(OWNER("TrainJob", "train", "uid-train") ",{\"kind\":\"TrainJob\",\"name\":\"t\",\"uid\":\"uid-t\"}"),
    };
    for (size_t i = 0; i < ARRAY_SIZE(owners); i++) {
        struct model *m = with_records();
        observe_workload(m, "w", OWNER("TrainJob", "train", "uid-train"), 0.1);
        observe_jobset(m, "js", owners[i], 0.2);
        observe_jobset(m, "other", "", 0.2);
        observe_pod_of(m, "js", "", 4);
        observe_pod_of(m, "other", "", 4);
        replay_watermarks(m, fake_ms(100));
        check_measured(m, "js", "q-w");
        check_measured(m, "other", "");
        model_free(m);
    }
}

/* A tenant who knows the UID of a JobSet of another namespace; and what they made is listed before it, or after. */
TEST(an_owner_in_another_namespace_is_none) {
    for (int order = 0; order < 3; order++) {
        struct model *m = with_records();
        struct fake_pod own = fake_running("own", "n0", 1), p = fake_running("foreign", "n0", 1);
        own.job_uid = p.job_uid = "uid-job";
        CLEANUP_FREE char *pod = fake_pod_json(&p);
        CLEANUP_FREE char *workload = mem_format(
            "{\"metadata\":{\"namespace\":\"elsewhere\",\"name\":\"w\",\"uid\":\"uid-w\",\"ownerReferences\":["
            "%s]},\"spec\":{\"queueName\":\"theirs\"}}",
            OWNER("JobSet", "js", "uid-js"));
        char *ns = strstr(pod, "\"namespace\":\"ns\"");
        REQUIRE(ns != NULL);
        CLEANUP_FREE char *foreign =
            mem_format("%.*s\"namespace\":\"elsewhere\"%s", (int)(ns - pod), pod, ns + strlen("\"namespace\":\"ns\""));
        for (int step = 0; step < 3; step++) {
            int act = (step + order) % 3;
            if (act == 0)
                observe_jobset(m, "js", "", 50);
            if (act == 1)
                fake_observe_pod(m, &own, OBSERVED_PRESENT, 50);
            if (act != 2)
                continue;
            model_observe(m, RESOURCE_POD, OBSERVED_PRESENT, SLICE("elsewhere"), SLICE("foreign"), SLICE("uid-foreign"),
                          slice_of(foreign), fake_ms(50));
            model_observe(m, RESOURCE_WORKLOAD, OBSERVED_PRESENT, SLICE("elsewhere"), SLICE("w"), SLICE("uid-w"),
                          slice_of(workload), fake_ms(50));
        }
        fake_observe_job(m, 0, 51);
        replay_watermarks(m, fake_ms(100));
        check_measured(m, "js", "");
        CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
        CHECK_INT(status_int(s, "interruptions.total"), 0);
        model_free(m);
    }
}

#define POD_OF_JOB(name)                                                                                               \
    OWNED_BY("{\"controller\":true,\"kind\":\"Job\",\"name\":\"" name "\",\"uid\":\"uid-" name "\"}")

static void observe_pod_with_labels(struct model *m, const char *name, int created, const char *owners) {
    struct fake_pod p = fake_running(name, "n0", created);
    p.more_meta = owners;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 50);
}

static void observe_other_job(struct model *m) {
    CLEANUP_FREE char *json = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"other\",\"uid\":\"uid-other\",\"creationTimestamp\":%s},"
        "\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}",
        fake_time(0));
    fake_observe(m, RESOURCE_JOB, OBSERVED_PRESENT, "other", "uid-other", json, 50);
}

/* Pods with the labels of the JobSet's own, as copied manifests have them, that another Job or a ReplicaSet made later.
 * Whatever is listed first. */
TEST(a_pod_with_the_labels_of_a_jobset_is_of_its_owner) {
    static const char orders[][5] = {"sjop", "opjs", "pjso", "psoj", "jpos", "posj"};
    for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
        struct model *m = with_records();
        for (const char *act = orders[i]; *act; act++) {
            if (*act == 's')
                observe_jobset(m, "js", "", 50);
            if (*act == 'j')
                fake_observe_job(m, 0, 50);
            if (*act == 'o')
                observe_other_job(m);
            if (*act != 'p')
                continue;
            observe_pod_with_labels(m, "copy", 20, POD_OF_JOB("other"));
            observe_pod_with_labels(m, "own", 1, POD_OF_JOB("job"));
            observe_pod_with_labels(
                m, "copied-again", 30,
                OWNED_BY("{\"controller\":true,\"kind\":\"ReplicaSet\",\"name\":\"x\",\"uid\":\"uid-x\"}"));
        }
        replay_watermarks(m, fake_ms(100));
        check_measured(m, "js", "");
        CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(100), NULL);
        CHECK_INT(status_int(s, "interruptions.total"), 0);
        model_free(m);
    }
}

/* The watches of pods and of Jobs are apart: the JobSet's status is written ('w') between a pod and its Job. The copy
 * fails, its log was read, or neither. */
TEST(a_pod_is_taken_from_the_ledger_of_a_jobset_when_its_job_is_of_another_owner) {
    static const char orders[][7] = {"sjwpwo", "sjpwo", "pswjwo", "spwoj"};
    for (size_t i = 0; i < 3 * ARRAY_SIZE(orders); i++) {
        bool has_log = i % 3 == 2;
        struct model *m = model_new(&(struct model_options){0}), *other = model_new(&(struct model_options){0});
        replay_jobgoodput(m, "ns", "js", has_log ? "PodLog" : "None", "", fake_ms(0));
        replay_jobgoodput(other, "ns", "js", has_log ? "PodLog" : "None", "", fake_ms(0));
        fake_observe_node(m, "n0", "True", 0, "", "", 0);
        fake_observe_node(other, "n0", "True", 0, "", "", 0);
        for (const char *act = orders[i / 3]; *act; act++) {
            if (*act == 's')
                observe_jobset(m, "js", "", 50);
            if (*act == 'j')
                fake_observe_job(m, 0, 50);
            if (*act == 'o')
                observe_other_job(m);
            if (*act == 'w')
                free(fake_status(m, 60));
            if (*act != 'p')
                continue;
            struct fake_pod copy = fake_running("copy", "n0", 20);
            copy.more_meta = POD_OF_JOB("other");
            copy.ready = 23;
            if (i % 3 == 1) {
                copy.finished = 40;
                copy.exit_code = 1;
                copy.phase = "Failed";
            }
            observe_pod_with_labels(m, "own", 1, POD_OF_JOB("job"));
            fake_observe_pod(m, &copy, OBSERVED_PRESENT, 50);
            if (has_log && strchr(act, 'w') != NULL && strchr(orders[i / 3], 's') < act) {
                free(fake_status(m, 55));
                fake_log_steps(m, "copy", 1, 5, 2, 30);
            }
        }
        observe_jobset(other, "js", "", 50);
        fake_observe_job(other, 0, 50);
        observe_pod_with_labels(other, "own", 1, POD_OF_JOB("job"));
        free(fake_status(m, 95));
        free(fake_status(other, 95));
        if (has_log)
            fake_log_steps(m, "own", 1, 20, 2, 50);
        if (has_log)
            fake_log_steps(other, "own", 1, 20, 2, 50);
        CLEANUP_FREE char *s = fake_status(m, 100), *expected = fake_status(other, 100);
        /* conditions come first, and keep the time at which they turned */
        const char *numbers = strstr(s, "\"goodput\":"), *without = strstr(expected, "\"goodput\":");
        REQUIRE(numbers != NULL && without != NULL);
        CHECK_TEXT(numbers, without);
        model_free(m);
        model_free(other);
    }
}

/* It is measured as a Job that belongs to none. */
TEST(a_job_that_names_itself_as_its_jobset_is_measured_as_a_job) {
    struct model *m = model_new(&(struct model_options){0});
    fake_observe_node(m, "n0", "True", 0, "", "", 0);
    CLEANUP_FREE char *goodput = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"goodput\",\"generation\":1,"
        "\"creationTimestamp\":%s},\"spec\":{\"targetRef\":{\"apiGroup\":\"batch\",\"kind\":\"Job\",\"name\":\"js\"},"
        "\"stepLog\":{\"source\":\"None\"}}}",
        fake_time(0));
    fake_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, "js", "goodput", goodput, 0);
    CLEANUP_FREE char *job = mem_format(
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"uid-j\",\"creationTimestamp\":%s,"
        "\"labels\":{\"jobset.sigs.k8s.io/jobset-name\":\"js\",\"jobset.sigs.k8s.io/jobset-uid\":\"uid-j\"}" OWNED_BY(
            OWNER("JobSet", "js", "uid-j")) "},\"spec\":{\"parallelism\":1,\"completions\":1,\"template\":{\"spec\":{"
                                            "\"containers\":[{\"name\":\"c\"}]}}}}",
        fake_time(0));
    for (int again = 0; again < 2; again++)
        fake_observe(m, RESOURCE_JOB, OBSERVED_PRESENT, "js", "uid-j", job, 0.2 + again);
    CLEANUP_FREE char *s = fake_status(m, 100);
    CHECK_TEXT(status_text(s, "conditions[type=Ready].reason"), "Accounted");
    CHECK_INT(status_int(s, "availability.required"), 1);
    model_free(m);
}
