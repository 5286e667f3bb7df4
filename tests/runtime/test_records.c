/* JobGoodputs that the controller makes and deletes by itself. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/clock.h"
#include "base/mem.h"
#include "operator/runtime/records.h"
#include "program.h"

#define DEADLINE_MS 120000
#define CRD "crds/goodput.dev_jobgoodputs.yaml"

struct wish_case {
    enum target_kind kind;
    const char *object;
    bool annotated, all;
    const char *format;
};

static void check_wishes(const struct wish_case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct record_wish wish;
        bool is_read = record_wish_read(cases[i].kind, slice_of(cases[i].object), &wish);
        if (!is_read || record_wish_is_granted(&wish, RECORDS_ANNOTATED) != cases[i].annotated ||
            record_wish_is_granted(&wish, RECORDS_ALL) != cases[i].all || record_wish_is_granted(&wish, RECORDS_OFF) ||
            strcmp(wish.log_format, cases[i].format) != 0)
            harness_fail(__FILE__, __LINE__, "%s %s", kind_name(cases[i].kind), cases[i].object);
    }
}

#define TRUE_CONDITION(type) "\"status\":{\"conditions\":[{\"type\":\"" type "\",\"status\":\"True\"}]}"
#define NAMED(value) "{\"goodput.dev/enabled\":\"" value "\"}"

TEST(jobs_say_whether_they_get_a_record) {
    static const struct wish_case cases[] = {
        {TARGET_JOBSET, "{}", false, true, ""},
        {TARGET_JOBSET, "{\"metadata\":{\"annotations\":{\"goodput.dev/enabled\":\"true\",\"x\":{}}}}", true, true, ""},
        {TARGET_JOBSET, "{\"metadata\":{\"labels\":" NAMED("true") "}}", true, true, ""},
        {TARGET_JOBSET, "{\"metadata\":{\"annotations\":" NAMED("false") "}}", false, false, ""},
        {TARGET_JOBSET, "{\"metadata\":{\"labels\":" NAMED("false") "}}", false, false, ""},
        {TARGET_JOBSET, "{\"metadata\":{\"labels\":" NAMED("false") ",\"annotations\":" NAMED("true") "}}", true, true,
         ""},
        {TARGET_JOBSET, "{\"metadata\":{\"annotations\":{\"goodput.dev/enabled\":true}}}", false, true, ""},
        {TARGET_JOBSET,
         "{\"metadata\":{\"annotations\":{\"goodput.dev/log-format\":\"MaxText\",\"goodput.dev/enabled\":\"true\"}}}",
         true, true, "MaxText"},
        {TARGET_JOBSET, "{" TRUE_CONDITION("Completed") ",\"metadata\":{\"annotations\":" NAMED("true") "}}", false,
         false, ""},
        {TARGET_JOBSET, "{\"metadata\":{\"deletionTimestamp\":\"2026-11-21T00:00:00Z\"}}", false, false, ""},
    };
    check_wishes(cases, ARRAY_SIZE(cases));
    struct record_wish wish;
    CHECK(!record_wish_read(TARGET_JOBSET, slice_of("{\"metadata\":"), &wish));
}

#define POD "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"nvidia.com/gpu\":8}}}]}}"
#define OWNED(kind)                                                                                                    \
    "\"metadata\":{\"ownerReferences\":[{\"kind\":\"" kind "\",\"name\":\"o\",\"uid\":\"u\",\"controller\":true}]}"
#define IS_GROUP "\"annotations\":{\"kueue.x-k8s.io/is-group-workload\":\"true\"}"
#define JOB_WITH_CHIPS "\"spec\":{\"template\":" POD "}"

/* The others are measured by themselves if they ask for chips; what a measured job makes is measured with that. */
TEST(other_kinds_get_a_record_if_they_ask_for_chips) {
    static const struct wish_case cases[] = {
        {TARGET_JOB, "{\"metadata\":{}}", false, false, ""},
        {TARGET_JOB, "{" JOB_WITH_CHIPS "}", false, true, ""},
        {TARGET_JOB,
         "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}],\"resourceClaims\":[{\"name\":\"gpus\","
         "\"resourceClaimTemplateName\":\"eight\"}]}}}}",
         false, true, ""},
        {TARGET_JOB, "{" JOB_WITH_CHIPS "," OWNED("CronJob") "}", false, true, ""},
        {TARGET_JOB, "{" JOB_WITH_CHIPS "," OWNED("JobSet") "}", false, false, ""},
        {TARGET_JOB, "{" JOB_WITH_CHIPS "," TRUE_CONDITION("Failed") "}", false, false, ""},
        {TARGET_JOB, "{\"metadata\":{\"labels\":" NAMED("true") "}}", true, true, ""},
        {TARGET_JOBSET, "{" OWNED("TrainJob") "}", false, true, ""},
        {TARGET_RAYJOB,
         "{\"spec\":{\"rayClusterSpec\":{\"workerGroupSpecs\":[{\"groupName\":\"w\",\"template\":" POD "}]}}}", false,
         true, ""},
        {TARGET_PYTORCHJOB, "{\"spec\":{\"pytorchReplicaSpecs\":{\"Worker\":{\"replicas\":2,\"template\":" POD "}}}}",
         false, true, ""},
        {TARGET_LEADERWORKERSET, "{\"spec\":{\"leaderWorkerTemplate\":{\"workerTemplate\":" POD "}}}", false, false,
         ""},
        {TARGET_LEADERWORKERSET, "{\"metadata\":{\"annotations\":" NAMED("true") "}}", true, true, ""},
        {TARGET_PODGROUP, "{\"metadata\":{\"labels\":" NAMED("true") "," IS_GROUP "}}", true, true, ""},
        {TARGET_PODGROUP,
         "{\"metadata\":{" IS_GROUP "},\"spec\":{\"podSets\":[{\"name\":\"p\",\"count\":2,\"template\":" POD "}]}}",
         false, false, ""}, /* it may serve */
        {TARGET_PODGROUP, "{" TRUE_CONDITION("Finished") ",\"metadata\":{\"labels\":" NAMED("true") "," IS_GROUP "}}",
         false, false, ""},
        {TARGET_PODGROUP, "{\"metadata\":{\"labels\":" NAMED("true") "}}", false, false, ""}, /* a Job's, say */
        {TARGET_PODGROUP,
         "{\"metadata\":{\"labels\":" NAMED(
             "true") "," IS_GROUP ",\"ownerReferences\":[{\"kind\":"
                     "\"LeaderWorkerSet\",\"name\":\"o\",\"uid\":\"u\",\"controller\":true}]}}",
         false, false, ""},
    };
    check_wishes(cases, ARRAY_SIZE(cases));
}

TEST(a_job_has_all_the_labels_that_are_asked_for_or_not) {
    static const struct {
        const char *object, *labels;
        bool has_them;
    } cases[] = {
        {"{}", "", true},
        {"{}", "team=a", false},
        {"{\"spec\":{\"labels\":{\"team\":\"a\"}},\"metadata\":{\"name\":\"x\"}}", "team=a", false},
        {"{\"kind\":\"Job\",\"metadata\":{\"name\":\"x\",\"labels\":{\"x.y/tier\":\"gold\",\"team\":\"a\"}}}",
         "team=a,x.y/tier=gold", true},
        {"{\"metadata\":{\"labels\":{\"x.y/tier\":\"gold\",\"team\":\"a\"}}}", "team=a,x.y/tier=silver", false},
        {"{\"metadata\":{\"labels\":{\"team\":\"ab\"}}}", "team=a", false},
        {"{\"metadata\":{\"labels\":{\"team\":\"\"}}}", "team=", true},
        {"{\"metadata\":{\"labels\":{\"teams\":\"a\"}}}", "team=a", false},
        {"{\"metadata\":{\"labels\":null}}", "team=a", false},
        {"{\"metadata\":{\"labels\":{\"team\":1}}}", "team=1", false},
        {"{\"metadata\":[", "team=a", false},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (record_wish_has_labels(slice_of(cases[i].object), cases[i].labels) != cases[i].has_them)
            harness_fail(__FILE__, __LINE__, "%s: %s", cases[i].object, cases[i].labels);
}

TEST(only_what_is_over_is_due) {
#define RECORD(ttl, status)                                                                                            \
    "{\"metadata\":{\"uid\":\"u\",\"resourceVersion\":\"7\"},\"spec\":{" ttl "},\"status\":{" status "}}"
#define ENDED "\"time\":{\"end\":\"2026-11-21T00:00:00.500Z\"}"
    static const struct {
        const char *object;
        int64_t due_ms;
    } cases[] = {
        {RECORD("\"ttlSecondsAfterFinished\":60", "\"phase\":\"Completed\"," ENDED), INT64_C(1795219260500)},
        {RECORD("\"ttlSecondsAfterFinished\":0", "\"phase\":\"Failed\"," ENDED), INT64_C(1795219200500)},
        {RECORD("", "\"phase\":\"Completed\"," ENDED), TIME_UNKNOWN},
        {RECORD("\"ttlSecondsAfterFinished\":60", "\"phase\":\"Training\"," ENDED), TIME_UNKNOWN},
        {RECORD("\"ttlSecondsAfterFinished\":60", "\"phase\":\"Deleted\""), TIME_UNKNOWN},
        {RECORD("\"ttlSecondsAfterFinished\":-1", "\"phase\":\"Failed\"," ENDED), TIME_UNKNOWN},
        {RECORD("\"ttlSecondsAfterFinished\":\"1\"", "\"phase\":\"Failed\"," ENDED), TIME_UNKNOWN},
        {"{\"spec\":{\"ttlSecondsAfterFinished\":60},\"status\":{\"phase\":\"Failed\"," ENDED "}}", TIME_UNKNOWN},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct records_seen seen;
        CHECK(runtime_records_read_jobgoodput(slice_of(cases[i].object), &seen));
        if (runtime_records_due_ms(&seen) != cases[i].due_ms)
            harness_fail(__FILE__, __LINE__, "%s", cases[i].object);
    }
}

static struct program *start_with(const struct apiserver *s, const char *mode, const char *more) {
    return program_start("goodput-controller",
                         (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                          "--leader-elect=false", "--auto-create", mode, "--auto-create-windows=7200",
                                          "--auto-create-format=MaxText", "--auto-create-ttl-seconds=864000", more,
                                          NULL});
}

static struct program *start(const struct apiserver *s, const char *mode) {
    return start_with(s, mode, NULL);
}

#define LABELED_JOBSET(name, labels, annotation)                                                                       \
    "apply <<END\n{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\",\"metadata\":{\"name\":\"" name     \
    "\",\"namespace\":\"default\",\"labels\":{" labels "},\"annotations\":{" annotation                                \
    "}},\"spec\":{\"suspend\":true,\"replicatedJobs\":[{\"name\":\"a\",\"template\":{\"spec\":{\"template\":{"         \
    "\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}}]}}\nEND\n"
#define ENABLED "\"goodput.dev/enabled\":\"true\""
#define JOBGOODPUT(name, target, more, status)                                                                         \
    "apply <<END\n{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{\"name\":\"" name     \
    "\",\"namespace\":\"default\"},\"spec\":{\"targetRef\":{\"apiGroup\":\"jobset.x-k8s.io"                            \
    "\",\"kind\":\"JobSet\",\"name\":\"" target "\"}" more "},\"status\":{" status "}}\nEND\n"
#define JOBSET(name, annotation) LABELED_JOBSET(name, "", annotation)

TEST(an_annotated_jobset_gets_a_record) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, JOBSET("yes", ENABLED) JOBSET("no", "") JOBSET("known", ENABLED)
                                  JOBGOODPUT("mine", "known", "", "")),
              0);
    struct program *c = start(s, "annotated");
    CHECK_INT(apiserver_do(s, "wait field jobgoodputs default/yes status.phase Suspended"), 0);
    CLEANUP_FREE char *made = apiserver_ask(s, "get jobgoodputs default/yes");
    CHECK(made != NULL && strstr(made, "\"ttlSecondsAfterFinished\":864000") != NULL);
    CHECK(made != NULL && strstr(made, "\"windowSeconds\":[7200]") != NULL);
    CHECK(made != NULL && strstr(made, "\"format\":\"MaxText\"") != NULL);
    /* nothing that could delay the deletion of its target */
    CHECK(made != NULL && strstr(made, "finalizers") == NULL && strstr(made, "ownerReferences") == NULL);
    /* A later one, and one that asks for it later; then those that must not be there have had their time. */
    CHECK_INT(apiserver_do(s, LABELED_JOBSET(
                                  "later", "\"goodput.dev/run\":\"r1\"",
                                  ENABLED
                                  ",\"goodput.dev/log-format\":\"Megatron\"") "wait object jobgoodputs default/later\n"
                                                                              "patch jobsets default/no "
                                                                              "{\"metadata\":{\"annotations\":{" ENABLED
                                                                              "}}}\n"
                                                                              "wait object jobgoodputs default/no"),
              0);
    CLEANUP_FREE char *later = apiserver_ask(s, "get jobgoodputs default/later");
    CHECK(later != NULL && strstr(later, "\"format\":\"Megatron\"") != NULL);
    CHECK(later != NULL && strstr(later, "\"goodput.dev/run\":\"r1\"") != NULL);
    CLEANUP_FREE char *all = apiserver_ask(s, "list jobgoodputs");
    CHECK(all != NULL && strstr(all, "default/known") == NULL &&
          strstr(all, "\"name\":\"known\",\"namespace\"") == NULL);
    CHECK_INT(apiserver_asknumber(s, "count create jobgoodputs"), 3);
    program_free(c);
    apiserver_stop(s);
}

#define JOB(name)                                                                                                      \
    "apply <<END\n{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"" name                        \
    "\",\"namespace\":\"default\"},\"spec\":{\"suspend\":true,\"parallelism\":1,"                                      \
    "\"template\":" POD "}}\nEND\n"

/* A Job and a JobSet of one name, and a record of a person's that has a Job's name. */
TEST(a_record_whose_name_is_taken_is_named_after_its_kind_too) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, JOBGOODPUT("twice", "another", "", "") JOB("twice") JOB("once")), 0);
    struct program *c = start(s, "all");
    CHECK_INT(apiserver_do(s, "wait field jobgoodputs default/once status.phase Suspended\n"
                              "wait field jobgoodputs default/twice.job status.phase Suspended\n" JOBSET(
                                  "once", "") "wait field jobgoodputs default/once.jobset status.phase Suspended\n"),
              0);
    CLEANUP_FREE char *made = apiserver_ask(s, "get jobgoodputs default/twice.job");
    CHECK(made != NULL && strstr(made, "\"apiGroup\":\"batch\",\"kind\":\"Job\",\"name\":\"twice\"") != NULL);
    CHECK_INT(apiserver_asknumber(s, "count create jobgoodputs"), 3);
    program_free(c);
    apiserver_stop(s);
}

/* As Kueue makes it for pods with that label, if integrations.labelKeysToCopy names the label. */
TEST(a_group_of_pods_gets_a_record_by_the_label_of_its_workload) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(
        apiserver_do(s, "apply <<END\n{\"apiVersion\":\"kueue.x-k8s.io/v1beta2\",\"kind\":\"Workload\",\"metadata\":{"
                        "\"name\":\"group\",\"namespace\":\"default\",\"labels\":{" ENABLED "}," IS_GROUP "},\"spec\":{"
                        "\"queueName\":\"q\",\"podSets\":[{\"name\":\"p\",\"count\":2,\"template\":" POD "}]}}\nEND\n"),
        0);
    struct program *c = start(s, "annotated");
    CHECK_INT(apiserver_do(s, "wait field jobgoodputs default/group status.phase Queued"), 0);
    CLEANUP_FREE char *made = apiserver_ask(s, "get jobgoodputs default/group");
    CHECK(made != NULL && strstr(made, "\"apiGroup\":\"kueue.x-k8s.io\",\"kind\":\"Workload\"") != NULL);
    program_free(c);
    apiserver_stop(s);
}

TEST(all_or_none_get_a_record) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, JOBSET("plain", "") JOBSET("out", "\"goodput.dev/enabled\":\"false\"")), 0);
    struct program *c = start(s, "off");
    CHECK(program_says(c, "\"synced\",\"resource\":\"jobsets\"", DEADLINE_MS));
    CHECK_INT(apiserver_do(s, JOBGOODPUT("x", "out", "", "") "wait field jobgoodputs default/x status.phase Suspended"),
              0);
    CHECK_INT(apiserver_asknumber(s, "count create jobgoodputs"), 0);
    program_free(c);
    c = start(s, "all");
    CHECK_INT(apiserver_do(s, "wait field jobgoodputs default/plain status.phase Suspended"), 0);
    CHECK_INT(apiserver_asknumber(s, "count create jobgoodputs"), 1);
    program_free(c);
    apiserver_stop(s);
}

/* One of the past goes, one without a time to live and one whose time has not come stay. Their JobSets are there, so
 * that a status that is written before the deletion says the same. */
TEST(finished_records_are_deleted_in_time) {
#define OVER_JOBSET(name)                                                                                              \
    "apply <<END\n{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\",\"metadata\":{\"name\":\"" name     \
    "\",\"namespace\":\"default\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{\"replicatedJobs\":[{"     \
    "\"name\":\"a\",\"template\":{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}}]},"         \
    "\"status\":{\"terminalState\":\"Completed\",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\","         \
    "\"reason\":\"AllJobsCompleted\",\"message\":\"\",\"lastTransitionTime\":\"2026-01-02T00:00:00Z\"}]}}\nEND\n"
#define OVER                                                                                                           \
    "\"phase\":\"Completed\",\"time\":{\"start\":\"2026-01-01T00:00:00Z\",\"end\":\"2026-01-02T00:00:00Z\"},"          \
    "\"conditions\":[{\"type\":\"Finished\",\"status\":\"True\",\"reason\":\"Succeeded\",\"message\":\"\","            \
    "\"lastTransitionTime\":\"2026-01-02T00:00:00Z\"}]"
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, OVER_JOBSET("old") OVER_JOBSET("kept") OVER_JOBSET("long")), 0);
    CHECK_INT(apiserver_do(s, JOBGOODPUT("old", "old", ",\"ttlSecondsAfterFinished\":60", OVER)
                                  JOBGOODPUT("kept", "kept", "", OVER)
                                      JOBGOODPUT("long", "long", ",\"ttlSecondsAfterFinished\":315360000", OVER)
                                          JOBGOODPUT("runs", "runs", ",\"ttlSecondsAfterFinished\":0", "")),
              0);
    struct program *c = start(s, "off");
    CHECK_INT(apiserver_do(s, "wait deleted jobgoodputs default/old\n"
                              "wait field jobgoodputs default/runs status.phase Pending"),
              0);
    CHECK(apiserver_asknumber(s, "count delete jobgoodputs") >= 1); /* more where they meet a status just written */
    CLEANUP_FREE char *kept = apiserver_ask(s, "get jobgoodputs default/kept");
    CLEANUP_FREE char *longer = apiserver_ask(s, "get jobgoodputs default/long");
    CHECK(kept != NULL && longer != NULL);
    program_free(c);
    apiserver_stop(s);
}

/* Three that are over and were made by the controller, one in another namespace, and one of a person's. */
TEST(only_the_newest_finished_records_are_kept) {
#define MADE(namespace_, name, day)                                                                                    \
    "apply <<END\n{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\",\"kind\":\"JobSet\",\"metadata\":{\"name\":\"" name     \
    "\",\"namespace\":\"" namespace_ "\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{\"replicatedJobs\"" \
    ":[{\"name\":\"a\",\"template\":{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}}]},"      \
    "\"status\":{\"terminalState\":\"Completed\",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\","         \
    "\"reason\":\"AllJobsCompleted\",\"message\":\"\",\"lastTransitionTime\":\"2026-01-0" day                          \
    "T00:00:00Z\"}]}}\nEND\n"                                                                                          \
    "apply <<END\n{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{\"name\":\"" name     \
    "\",\"namespace\":\"" namespace_ "\",\"labels\":{\"app.kubernetes.io/managed-by\":\"goodput-controller\"}},"       \
    "\"spec\":{\"targetRef\":{\"apiGroup\":\"jobset.x-k8s.io\",\"kind\":\"JobSet\",\"name\":\"" name "\"}}}\nEND\n"
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, MADE("default", "first", "2") MADE("default", "second", "4") MADE("default", "third", "3")
                                  MADE("kube-system", "alone", "2") OVER_JOBSET("mine")
                                      JOBGOODPUT("mine", "mine", "", "")),
              0);
    struct program *c = start_with(s, "annotated", "--auto-create-keep=1");
    CHECK_INT(apiserver_do(s, "wait deleted jobgoodputs default/first\n"
                              "wait deleted jobgoodputs default/third\n"
                              "wait field jobgoodputs default/second status.phase Completed\n"
                              "wait field jobgoodputs kube-system/alone status.phase Completed\n"
                              "wait field jobgoodputs default/mine status.phase Completed"),
              0);
    CHECK(program_says(c, "newer ones of its namespace are kept", DEADLINE_MS));
    program_free(c);
    apiserver_stop(s);
}

TEST(records_are_made_in_the_listed_namespaces) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, JOBSET("here", "")), 0);
    struct program *c = start_with(s, "all", "--auto-create-namespaces=kube-system,other");
    CHECK_INT(
        apiserver_do(s, JOBGOODPUT("x", "unknown", "", "") "wait field jobgoodputs default/x status.phase Pending"), 0);
    CHECK_INT(apiserver_asknumber(s, "count create jobgoodputs"), 0);
    program_free(c);
    c = start_with(s, "all", "--auto-create-namespaces=other,default");
    CHECK_INT(apiserver_do(s, "wait field jobgoodputs default/here status.phase Suspended"), 0);
    program_free(c);
    apiserver_stop(s);
}

TEST(records_are_made_for_jobs_with_the_labels) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", CRD, NULL});
    REQUIRE(s != NULL);
    CHECK_INT(apiserver_do(s, JOBSET("without", "")), 0);
    CHECK_INT(apiserver_do(s, LABELED_JOBSET("with", "\"team\":\"a\",\"tier\":\"gold\"", "")), 0);
    struct program *c = start_with(s, "all", "--auto-create-labels=team=a,tier=gold");
    CHECK_INT(apiserver_do(s, "wait field jobgoodputs default/with status.phase Suspended"), 0);
    CHECK_INT(apiserver_asknumber(s, "count create jobgoodputs"), 1);
    program_free(c);
    apiserver_stop(s);
}
