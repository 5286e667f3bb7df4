/* What a log that is followed shows of a failure, where the end of the failed container's log cannot be read. */
#include "base/mem.h"
#include "cause.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include "operator/job/followed_words.h"
#include "operator/job/last_words.h"

#include <stdlib.h>
#include <string.h>

/* Two pods; the log of "a" is followed. */
static struct model *new_model(void) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true, .reads_last_words = true});
    replay_jobgoodput(m, "ns", "js", "PodLog", "", fake_ms(0));
    fake_observe_jobset(m, 2, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 1);
    fake_observe_node(m, "n1", "True", 0, "", "", 1);
    struct fake_pod a = fake_running("a", "n0", 5), b = fake_running("b", "n1", 5);
    b.index = 1;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 8);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 8);
    return m;
}

static void print_traceback(struct model *m, const char *pod, double at) {
    fake_log_line(m, pod, at, "Traceback (most recent call last):");
    fake_log_line(m, pod, at, "  File \"/app/train.py\", line 12, in step");
    fake_log_line(m, pod, at, "    x = batch['lables']");
    fake_log_line(m, pod, at, "KeyError: 'lables'");
}

static void end_log(struct model *m, const char *pod, const char *lost) {
    CLEANUP_FREE char *uid = mem_format("uid-%s", pod);
    model_job_log_end(model_job_find(m, "ns", "js"), uid, 0, lost);
}

static void fail(struct model *m, const char *name, int index, int finished) {
    struct fake_pod p = fake_running(name, index == 0 ? "n0" : "n1", 5);
    p.index = index;
    p.finished = finished;
    p.exit_code = 1;
    p.phase = "Failed";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, finished + 0.5);
}

/* How many were asked for; none can be read. */
static int refuse_words(struct model *m) {
    struct model_job *job = model_job_find(m, "ns", "js");
    struct model_words w;
    int count = 0;
    for (; model_job_words_next(job, &w); count++)
        model_job_words_failed(job, w.pod_uid, w.container, w.restart_count, true);
    return count;
}

TEST(a_followed_log_shows_the_traceback_of_a_pod_whose_log_cannot_be_read) {
    struct model *m = new_model();
    fake_log_steps(m, "a", 0, 9, 1, 20);
    print_traceback(m, "a", 999.5);
    fail(m, "a", 0, 1000);
    CHECK_INT(refuse_words(m), 1);
    CLEANUP_FREE char *before = fake_status(m, 1001);
    cause_check(before, "", ""); /* its follower may get more */
    end_log(m, "a", NULL);
    CLEANUP_FREE char *status = fake_finish(m, 1002);
    cause_check(status, "class", "\"UserException\"");
    cause_check(status, "reason", "\"KeyError\"");
    cause_check(status, "frame", "\"train.py:12 in step\"");
    cause_check(status, "line", "\"KeyError: 'lables'\"");
    cause_check(status, "node", "\"n0\"");
    cause_check(status, "completionIndex", "0");
    cause_check(status, "unread", "0");
    cause_check(status, "followers", "0");
}

TEST(a_followed_log_of_which_lines_are_missing_leaves_its_container_unread) {
    struct model *m = new_model();
    print_traceback(m, "a", 999.5);
    fail(m, "a", 0, 1000);
    refuse_words(m);
    end_log(m, "a", "the pod was deleted before the end of its log was read");
    CLEANUP_FREE char *status = fake_finish(m, 1002);
    cause_check(status, "reason", "\"KeyError\"");
    cause_check(status, "unread", "1");
}

TEST(a_failure_that_a_minute_of_training_followed_is_forgotten) {
    for (int seconds = 59; seconds <= 61; seconds += 2) {
        struct model *m = new_model();
        print_traceback(m, "a", 100);
        fake_log_steps(m, "a", 0, 1, seconds, 100);
        fail(m, "a", 0, 1000);
        refuse_words(m);
        end_log(m, "a", NULL);
        CLEANUP_FREE char *status = fake_finish(m, 1002);
        cause_check(status, "class", seconds < 60 ? "\"UserException\"" : "\"Unknown\"");
    }
}

TEST(a_followed_log_shows_why_a_pod_ended_whose_failure_was_not_observed) {
    struct model *m = new_model();
    struct fake_pod a = fake_running("a", "n0", 5), next = fake_running("a2", "n1", 1010);
    fake_log_steps(m, "a", 0, 9, 1, 20);
    print_traceback(m, "a", 999.5);
    end_log(m, "a", NULL);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 1001);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 1013);
    CLEANUP_FREE char *status = fake_finish(m, 1100);
    cause_check(status, "reason", "\"KeyError\"");
    cause_check(status, "node", "\"n0\"");
    cause_check(status, "unread", "0");
}

TEST(an_old_failure_in_a_followed_log_explains_no_later_end) {
    struct model *m = new_model();
    struct fake_pod a = fake_running("a", "n0", 5), next = fake_running("a2", "n1", 1010);
    print_traceback(m, "a", 900);
    fake_log_line(m, "a", 1000, "still here");
    end_log(m, "a", NULL);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 1001);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 1013);
    CLEANUP_FREE char *status = fake_finish(m, 1100);
    cause_check(status, "", "");
}

TEST(the_followed_log_of_a_survivor_shows_a_symptom_and_no_cause) {
    struct model *m = new_model();
    fake_log_line(m, "a", 1003, "socketProgress: Connection closed by remote peer n1<44321>");
    fail(m, "b", 1, 1000);
    CHECK_INT(refuse_words(m), 1);
    CLEANUP_FREE char *status = fake_finish(m, 1004);
    cause_check(status, "class", "\"PeerLost\"");
    cause_check(status, "symptomOnly", "true");
    cause_check(status, "unread", "1");
}

TEST(a_log_that_was_read_to_its_end_and_followed_counts_once) {
    struct model *m = new_model();
    print_traceback(m, "a", 999.5);
    fail(m, "a", 0, 1000);
    struct model_job *job = model_job_find(m, "ns", "js");
    struct model_words w;
    REQUIRE(model_job_words_next(job, &w));
    model_job_words_read(job, w.pod_uid, w.container, w.restart_count,
                         SLICE("2026-11-21T02:16:39.5Z socketProgress: Connection closed by remote peer n1<44321>\n"),
                         false);
    end_log(m, "a", NULL);
    CLEANUP_FREE char *status = fake_finish(m, 1002);
    cause_check(status, "class", "\"PeerLost\""); /* by the end of the log alone */
    cause_check(status, "followers", "0");
}

/* Bounded over all jobs: the oldest findings make room. */
TEST(the_newest_256_followed_logs_keep_what_failed_in_them) {
    struct model *m = model_new(&(struct model_options){.reads_last_words = true});
    for (int i = 0; i <= FOLLOWED_MAX; i++) {
        char name[32], uid[48], pod[32];
        snprintf(name, sizeof name, "j%d", i);
        snprintf(pod, sizeof pod, "pod-%d", i);
        snprintf(uid, sizeof uid, "uid-pod-%d", i);
        replay_jobgoodput(m, "ns", name, "PodLog", "", fake_ms(0));
        fake_observe_jobset_of(m, &(struct fake_jobset){.name = name, .pods = 1}, 0.2);
        struct fake_pod p = fake_running(pod, "n0", 5);
        p.jobset = name;
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 8);
        model_job_log_line(model_job_find(m, "ns", name), uid, 0, fake_ms(999) * 1000000, SLICE("KeyError: 'x'"));
        model_job_log_end(model_job_find(m, "ns", name), uid, 0, NULL);
        p.finished = 1000;
        p.exit_code = 1;
        p.phase = "Failed";
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 1000.5);
    }
    for (int i = 0; i <= FOLLOWED_MAX; i += FOLLOWED_MAX) {
        char name[32];
        struct model_words w;
        snprintf(name, sizeof name, "j%d", i);
        struct model_job *job = model_job_find(m, "ns", name);
        while (model_job_words_next(job, &w))
            model_job_words_failed(job, w.pod_uid, w.container, w.restart_count, true);
        CLEANUP_FREE char *status = replay_status(m, "ns", name, fake_ms(1002), NULL);
        cause_check(status, "class", i == 0 ? "\"Unknown\"" : "\"UserException\"");
    }
    model_free(m);
}

TEST(a_successor_knows_what_a_followed_log_showed) {
    struct model *m = new_model();
    print_traceback(m, "a", 999.5);
    CLEANUP_FREE char *status = fake_finish(m, 999.9);
    struct model *next = model_new(&(struct model_options){.keeps_checkpoints = true, .reads_last_words = true});
    CLEANUP_FREE char *more = replay_left(status);
    replay_jobgoodput(next, "ns", "js", "PodLog", more, fake_ms(0));
    fake_observe_jobset(next, 2, "", "", 1001);
    fail(next, "a", 0, 1000);
    refuse_words(next);
    end_log(next, "a", NULL);
    CLEANUP_FREE char *later = fake_finish(next, 1002);
    cause_check(later, "reason", "\"KeyError\"");
    cause_check(later, "frame", "\"train.py:12 in step\"");
    cause_check(later, "unread", "0");
}
