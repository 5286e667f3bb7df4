/* Two real nodes (kubelet, containerd), with the logs of the pods. The trainers of this recording step independently:
 * where the log's pod continued while another was lost, its records prove the time available, so scores with the log
 * differ from those without it. Marks name the acts of the story. */
#include "harness.h"
#include "replay.h"

#include "base/mem.h"

#include <stdlib.h>

static const char *const names[] = {"train-a", "train-b", "train-c"};

static void run(const char *source, char *statuses[3]) {
    struct replay r;
    struct model_options options = {0};
    REQUIRE(replay_load(&r, "tests/data/recordings/real-nodes.jsonl.gz", "workloads"));
    struct model *m = model_new(&options);
    for (int i = 0; i < 3; i++)
        replay_jobgoodput(m, "train", names[i], source, "", r.events[0].at_ms);
    for (size_t i = 0; i < r.count; i++)
        replay_feed(m, &r.events[i]);
    for (int i = 0; i < 3; i++) {
        replay_logs(model_job_find(m, "train", names[i]), "tests/data/recordings/real-nodes.podlogs.tgz");
        statuses[i] = replay_status(m, "train", names[i], r.last_ms, NULL);
    }
    model_free(m);
    replay_done(&r);
}

/* Availability was worked out second by second from the JSON by a program that shares no code with this one: 78 s, less
 * the 24 s in which node n1 was cut off but its pods did not know (last lease 02:33:18.116, but a container started
 * there at :20; pods lost at :44). */
TEST(real_nodes_objects_by_hand) {
    char *s[3] = {NULL};
    run("None", s);
    CHECK_INT(status_int(s[0], "time.wallMilliseconds"), 283000);
    CHECK_INT(status_int(s[0], "time.availableMilliseconds"), 54000);
    CHECK_INT(status_int(s[0], "interruptions.total"), 8); /* marks 3, 4, 5, 6, 7, 9, 9d, 10 */
    static const char *const causes[] = {"ApplicationError", "ApplicationError", "OutOfMemory", "Eviction",
                                         "KueuePreemption",  "Eviction",         "PodDeleted",  "NodeFailure"};
    for (int i = 0; i < 8; i++) {
        char path[64];
        snprintf(path, sizeof path, "executions[number=%d].cause", i + 1);
        CHECK_TEXT(status_text(s[0], path), causes[i]);
    }
    CHECK_INT(status_int(s[0], "badput[bucket=PreemptedWait].milliseconds"), 88000); /* 02:31:26 to 02:32:54 */
    CHECK_INT(status_int(s[1], "time.availableMilliseconds"), 87000);            /* bound in the second of creation */
    CHECK_INT(status_int(s[1], "badput[bucket=ImagePull].milliseconds"), 78000); /* the image came late */
    CHECK_INT(status_int(s[2], "time.availableMilliseconds"), 11000);
    CHECK_TEXT(status_text(s[2], "phase"), "Failed");
    CHECK_INT(status_int(s[2], "interruptions.byCause[cause=ApplicationError].count"), 1); /* the second was its end */
    for (int i = 0; i < 3; i++)
        free(s[i]);
}

TEST(real_nodes_with_their_logs) {
    char *s[3] = {NULL};
    run("PodLog", s);
    for (int i = 0; i < 3; i++) {
        int64_t wall_ms = status_int(s[i], "time.wallMilliseconds"),
                available_ms = status_int(s[i], "time.availableMilliseconds");
        int64_t productive_ms = status_int(s[i], "time.productiveMilliseconds");
        CHECK_TEXT(status_text(s[i], "target.logFormat"), "MaxText");
        CHECK(productive_ms > 0 && productive_ms <= available_ms && available_ms <= wall_ms);
        CHECK_INT(status_int(s[i], "steps.idealMilliseconds"), 500); /* as the lines say */
        CHECK_TEXT(status_text(s[i], "conditions[type=ClockSkew].status"), "");
        free(s[i]);
    }
}

static char *with_last_words(const char *name) {
    struct replay r, tar;
    struct model_options options = {.reads_last_words = true};
    if (!replay_load(&r, "tests/data/recordings/real-nodes.jsonl.gz", "workloads") ||
        !replay_open_logs(&tar, "tests/data/recordings/real-nodes.podlogs.tgz"))
        return mem_strdup("{}");
    struct model *m = model_new(&options);
    replay_jobgoodput(m, "train", name, "None", "", r.events[0].at_ms);
    struct model_job *job = model_job_find(m, "train", name);
    for (size_t i = 0; i < r.count; i++) {
        replay_feed(m, &r.events[i]);
        replay_words(job, &tar);
    }
    char *status = replay_status(m, "train", name, r.last_ms, NULL);
    model_free(m);
    replay_done(&r);
    replay_done(&tar);
    return status;
}

static void check_root_cause(const char *status, int number, const char *member, const char *expected) {
    char path[80];
    snprintf(path, sizeof path, "executions[number=%d].rootCause.%s", number, member);
    CHECK_TEXT(status_text(status, path), expected);
}

/* By the logs and the containers' statuses, read by a person. A kill from outside leaves no words. */
TEST(real_nodes_name_what_their_trainers_died_of) {
    static const struct {
        int number;
        const char *class_, *reason, *owner;
    } expected[] = {
        {1, "Unknown", "SIGKILL", "Unknown"},
        {2, "UserException", "RuntimeError", "Tenant"}, /* in slice 0, index 1 */
        {3, "HostOOM", "OOMKilled", "Tenant"},          /* in slice 1, index 1 */
        {4, "", "", ""},                                /* an eviction says who ended it */
        {5, "", "", ""},
        {6, "", "", ""},
        {7, "", "", ""},
        {8, "", "", ""},
    };
    CLEANUP_FREE char *a = with_last_words("train-a"), *c = with_last_words("train-c");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        check_root_cause(a, expected[i].number, "class", expected[i].class_);
        check_root_cause(a, expected[i].number, "reason", expected[i].reason);
        check_root_cause(a, expected[i].number, "owner", expected[i].owner);
    }
    check_root_cause(a, 2, "line", "RuntimeError: libtpu: slice lost");
    check_root_cause(a, 2, "frame", "train.py:18 in <module>");
    CHECK_INT(status_int(a, "executions[number=2].rootCause.jobIndex"), 0);
    CHECK_INT(status_int(a, "executions[number=2].rootCause.completionIndex"), 1);
    CHECK_INT(status_int(a, "executions[number=2].rootCause.unread"), 0);
    CHECK_INT(status_int(a, "executions[number=3].rootCause.jobIndex"), 1);
    CHECK_INT(status_int(a, "executions[number=3].rootCause.completionIndex"), 1);
    check_root_cause(c, 1, "class", "CrashSignal"); /* exit 134 */
    check_root_cause(c, 1, "reason", "SIGABRT");
}
