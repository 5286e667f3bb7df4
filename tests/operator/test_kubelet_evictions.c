/* status.executions[].rootCause of an eviction: what the kubelet evicted the pod for. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include "operator/job/last_words.h"

#include <stdlib.h>

#define KEY_ERROR                                                                                                      \
    "2026-11-21T02:16:38.5Z Traceback (most recent call last):\n"                                                      \
    "2026-11-21T02:16:38.5Z   File \"/app/train.py\", line 12, in step\n"                                              \
    "2026-11-21T02:16:38.5Z KeyError: 'lables'\n"

static const char *cause_of(const char *status, const char *member) {
    char path[64];
    snprintf(path, sizeof path, "executions[number=1].rootCause.%s", member);
    return status_text(status, path);
}

/* The trainer's exit on SIGTERM says nothing. words: what it printed; NULL: nothing. */
static char *evicted_by_kubelet(const char *message, const char *words) {
    struct model *m = model_new(&(struct model_options){.reads_last_words = true});
    struct model_words w;
    struct fake_pod a = fake_running("a", "n0", 5), next = fake_running("a2", "n0", 1022);
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 8);
    fake_observe_event(m, "a", "Evicted", message, 1000);
    a.finished = 1001;
    a.exit_code = 143;
    a.phase = "Failed";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1001.5);
    struct model_job *job = model_job_find(m, "ns", "js");
    while (model_job_words_next(job, &w))
        model_job_words_read(job, w.pod_uid, w.container, w.restart_count, slice_of(words ? words : ""), false);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 1020);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 1025);
    return fake_finish(m, 1100);
}

TEST(what_the_kubelet_evicts_for_is_the_root_cause) {
    static const struct {
        const char *message, *class_, *owner;
    } rows[] = {
        {"Usage of EmptyDir volume \\\"scratch\\\" exceeds the limit \\\"16Mi\\\". ", "StorageError", "Tenant"},
        {"The node was low on resource: memory. Threshold quantity: 100Mi, available: 91Mi.", "HostOOM", "Tenant"},
        {"The node was low on resource: pids.", "", ""},
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP_FREE char *status = evicted_by_kubelet(rows[i].message, NULL);
        CHECK_TEXT(status_text(status, "executions[number=1].cause"), "Eviction");
        CHECK_TEXT(cause_of(status, "class"), rows[i].class_);
        CHECK_TEXT(cause_of(status, "owner"), rows[i].owner);
        CHECK_TEXT(cause_of(status, "reason"), rows[i].class_[0] ? "Evicted" : "");
        CHECK_TEXT(cause_of(status, "basis"), rows[i].class_[0] ? "Observed" : "");
        CHECK_INT(status_int(status, "executions[number=1].rootCause.completionIndex"), rows[i].class_[0] ? 0 : -1);
    }
    CLEANUP_FREE char *before = evicted_by_kubelet(rows[1].message, KEY_ERROR);
    CHECK_TEXT(cause_of(before, "reason"), "KeyError"); /* it had failed by itself */
}

/* The pod is observed as the kubelet left it: a trainer that handles SIGTERM ends well, and its JobSet restarts. */
TEST(the_evicted_pod_is_the_first_failing_slot) {
    struct model *m = model_new(&(struct model_options){.reads_last_words = true});
    struct model_words w;
    struct fake_pod other = fake_running("a", "n0", 5), evicted = fake_running("b", "n1", 5);
    struct fake_pod next_a = fake_running("a2", "n0", 1022), next_b = fake_running("b2", "n1", 1022);
    evicted.index = next_b.index = 1;
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 2, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 1);
    fake_observe_node(m, "n1", "True", 0, "", "", 1);
    fake_observe_pod(m, &other, OBSERVED_PRESENT, 8);
    fake_observe_pod(m, &evicted, OBSERVED_PRESENT, 8);
    fake_observe_event(m, "b", "Evicted", "Usage of EmptyDir volume \\\"scratch\\\" exceeds the limit \\\"16Mi\\\". ",
                       1000);
    evicted.finished = 1001;
    evicted.phase = "Succeeded";
    fake_observe_pod(m, &evicted, OBSERVED_PRESENT, 1001.5);
    other.finished = 1003; /* its peer has ended */
    other.exit_code = 1;
    other.phase = "Failed";
    fake_observe_pod(m, &other, OBSERVED_PRESENT, 1003.5);
    struct model_job *job = model_job_find(m, "ns", "js");
    while (model_job_words_next(job, &w))
        model_job_words_read(job, w.pod_uid, w.container, w.restart_count, slice_of(""), false);
    fake_observe_pod(m, &evicted, OBSERVED_DELETED, 1020);
    fake_observe_pod(m, &other, OBSERVED_DELETED, 1020);
    fake_observe_pod(m, &next_a, OBSERVED_PRESENT, 1025);
    fake_observe_pod(m, &next_b, OBSERVED_PRESENT, 1025);
    CLEANUP_FREE char *status = fake_finish(m, 1100);
    CHECK_TEXT(status_text(status, "executions[number=1].cause"), "Eviction");
    CHECK_TEXT(cause_of(status, "class"), "StorageError");
    CHECK_TEXT(cause_of(status, "replicatedJob"), "slice");
    CHECK_TEXT(cause_of(status, "node"), "n1");
    CHECK_INT(status_int(status, "executions[number=1].rootCause.jobIndex"), 0);
    CHECK_INT(status_int(status, "executions[number=1].rootCause.completionIndex"), 1);
}

/* A job without restarts fails with it: no interruption has its cause. */
TEST(an_eviction_that_ends_the_job_is_its_root_cause) {
    struct model *m = model_new(&(struct model_options){.reads_last_words = true});
    struct model_words w;
    struct fake_pod a = fake_running("a", "n0", 5);
    CLEANUP_FREE char *failed = mem_format("\"conditions\":[%s]", fake_condition("Failed", "True", "FailedJobs", 1003));
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 8);
    fake_observe_event(m, "a", "Evicted", "Usage of EmptyDir volume \\\"scratch\\\" exceeds the limit \\\"16Mi\\\". ",
                       1000);
    a.finished = 1001;
    a.exit_code = 143;
    a.phase = "Failed";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1001.5);
    struct model_job *job = model_job_find(m, "ns", "js");
    while (model_job_words_next(job, &w))
        model_job_words_read(job, w.pod_uid, w.container, w.restart_count, slice_of(""), false);
    fake_observe_jobset(m, 1, "", failed, 1003.5);
    CLEANUP_FREE char *status = fake_finish(m, 1100);
    CHECK_TEXT(cause_of(status, "class"), "StorageError");
    CHECK_TEXT(cause_of(status, "reason"), "Evicted");
    CHECK_TEXT(cause_of(status, "node"), "n0");
    CHECK_INT(status_int(status, "executions[number=1].rootCause.completionIndex"), 0);
}
