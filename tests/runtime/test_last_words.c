/* The last words of failed containers on their way from an API server to status.executions[].rootCause. */
#include "harness.h"

#include "apiserver/apiserver.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "program.h"

#include <stdlib.h>
#include <time.h>

static int64_t epoch_ms;

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

/* Job a with that many pods, and its JobGoodput. */
static bool apply_job(struct apiserver *s, int pods) {
    return apply(s, mem_format("{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{"
                               "\"name\":\"a\",\"namespace\":\"default\"},\"spec\":{\"targetRef\":{\"apiGroup\":"
                               "\"batch\",\"kind\":\"Job\",\"name\":\"a\"},\"stepLog\":{\"source\":\"None\"}}}")) &&
           apply(s, mem_format("{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"a\","
                               "\"namespace\":\"default\",\"uid\":\"job-a\",\"creationTimestamp\":\"%s\"},\"spec\":{"
                               "\"completionMode\":\"Indexed\",\"parallelism\":%d,\"completions\":%d,\"template\":{"
                               "\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}",
                               at(0), pods, pods));
}

/* Pod a-INDEX, which failed. */
static bool apply_failed(struct apiserver *s, int index) {
    return apply(
        s, mem_format("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a-%d\",\"namespace\":"
                      "\"default\",\"uid\":\"pod-%d\",\"creationTimestamp\":\"%s\",\"labels\":{\"batch.kubernetes.io/"
                      "job-name\":\"a\",\"batch.kubernetes.io/controller-uid\":\"job-a\",\"batch.kubernetes.io/"
                      "job-completion-index\":\"%d\"},\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":"
                      "\"Job\",\"name\":\"a\",\"uid\":\"job-a\",\"controller\":true}]},\"spec\":{\"nodeName\":\"n0\","
                      "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\"}]},\"status\":{\"phase\":"
                      "\"Failed\",\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\","
                      "\"lastTransitionTime\":\"%s\"}],\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":0,"
                      "\"state\":{\"terminated\":{\"exitCode\":1,\"reason\":\"Error\",\"startedAt\":\"%s\","
                      "\"finishedAt\":\"%s\"}}}]}}",
                      index, index, at(1), index, at(2), at(3), at(50)));
}

static struct apiserver *start(struct program **c, const char *flag) {
    struct apiserver *s = apiserver_start((const char *[]){"--crd", "crds/goodput.dev_jobgoodputs.yaml", NULL});
    CHECK(s != NULL);
    epoch_ms = ((int64_t)time(NULL) - 120) * 1000;
    *c = program_start("goodput-controller",
                       (const char *[]){"--kubeconfig", apiserver_kubeconfig(s), "--health-bind-address=0",
                                        "--leader-elect=false", "--status-interval=1s", flag, NULL});
    return s;
}

static bool await(struct apiserver *s, const char *member, const char *value) {
    CLEANUP_FREE char *command =
        mem_format("wait 120s field jobgoodputs default/a .status.executions[0].rootCause.%s %s", member, value);
    return apiserver_do(s, command) == 0;
}

TEST(the_last_words_of_a_pod_reach_the_status_once) {
    struct program *c;
    struct apiserver *s = start(&c, NULL);
    CHECK(apply_failed(s, 0));
    CHECK_INT(apiserver_do(s, "log default/a-0:c <<END\n"
                              "Traceback (most recent call last):\n"
                              "  File \"/app/train.py\", line 12, in step\n"
                              "    login(token='hf_abcdefghijklmnopqrstuvwxyz012345')\n"
                              "KeyError: 'token hf_abcdefghijklmnopqrstuvwxyz012345'\n"
                              "END\n"),
              0);
    CHECK(apply_job(s, 1));
    CHECK(await(s, "reason", "KeyError"));
    CLEANUP_FREE char *object = apiserver_ask(s, "get jobgoodputs default/a");
    REQUIRE(object != NULL);
    if (strstr(object, "\"frame\":\"train.py:12 in step\"") == NULL || strstr(object, "hf_abc") != NULL ||
        strstr(object, "\"node\":\"n0\"") == NULL)
        harness_fail(__FILE__, __LINE__, "%s; the controller said:\n%s", object, program_output(c));
    CHECK_INT(apiserver_asknumber(s, "count log pods"), 1);
    program_free(c);
    apiserver_stop(s);
}

/* 700 short lines after it are less than 64 KiB. */
TEST(a_cause_before_many_short_lines_is_within_the_tail) {
    struct program *c;
    struct apiserver *s = start(&c, NULL);
    struct buf log;
    buf_init(&log, 1 << 20);
    buf_append_text(&log,
                    "log default/a-0:c <<END\nTraceback (most recent call last):\n  File \"/app/t.py\", line 3, in "
                    "f\nZeroDivisionError: no\n");
    for (int i = 0; i < 700; i++)
        buf_format(&log, "freed block %d\n", i);
    buf_append_text(&log, "END\n");
    CHECK(apply_failed(s, 0));
    CHECK_INT(apiserver_do(s, log.data), 0);
    CHECK(apply_job(s, 1));
    CHECK(await(s, "reason", "ZeroDivisionError"));
    buf_done(&log);
    program_free(c);
    apiserver_stop(s);
}

TEST(a_log_that_is_not_there_is_unread_and_one_that_hangs_is_tried_again) {
    struct program *c;
    struct apiserver *s = start(&c, NULL);
    CHECK_INT(apiserver_do(s, "on log pods/a-0 always : status 404\non log pods/a-1 : silent\n"), 0);
    CHECK(apply_failed(s, 0));
    CHECK(apply_failed(s, 1));
    CHECK_INT(apiserver_do(s, "log default/a-1:c <<END\nTraceback (most recent call last):\n  File \"/app/t.py\", line "
                              "3, in f\nValueError: no\nEND\n"),
              0);
    CHECK(apply_job(s, 2));
    CHECK(await(s, "reason", "ValueError"));
    CHECK(await(s, "unread", "1"));
    CHECK_INT(apiserver_asknumber(s, "count log pods"), 3);
    program_free(c);
    apiserver_stop(s);
}

TEST(of_a_thousand_pods_that_die_at_once_16_are_asked) {
    struct program *c;
    struct apiserver *s = start(&c, NULL);
    CHECK_INT(apiserver_do(s, "on log pods always : status 500\n"), 0);
    for (int i = 0; i < 1000; i++)
        CHECK(apply_failed(s, i));
    CHECK(apply_job(s, 1000));
    CHECK(await(s, "unread", "16"));
    CHECK_INT(apiserver_asknumber(s, "count log pods"), 16 * 3);
    program_free(c);
    apiserver_stop(s);
}

TEST(no_log_is_read_where_none_may_be) {
    struct program *c;
    struct apiserver *s = start(&c, "--max-log-reads=0");
    CHECK(apply_job(s, 1));
    CHECK(apply_failed(s, 0));
    CHECK(await(s, "unread", "1"));
    CHECK_INT(apiserver_asknumber(s, "count log pods"), 0);
    program_free(c);
    apiserver_stop(s);
}

/* JobGoodput b-INDEX and its Job, which waits for its pods. */
static bool apply_waiting(struct apiserver *s, int index) {
    return apply(s, mem_format("{\"apiVersion\":\"goodput.dev/v1alpha1\",\"kind\":\"JobGoodput\",\"metadata\":{"
                               "\"name\":\"b-%d\",\"namespace\":\"default\"},\"spec\":{\"targetRef\":{\"apiGroup\":"
                               "\"batch\",\"kind\":\"Job\",\"name\":\"b-%d\"},\"stepLog\":{\"source\":\"None\"}}}",
                               index, index)) &&
           apply(s, mem_format("{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"b-%d\","
                               "\"namespace\":\"default\",\"uid\":\"job-b-%d\",\"creationTimestamp\":\"%s\"},\"spec\":{"
                               "\"completionMode\":\"Indexed\",\"parallelism\":1,\"completions\":1,\"template\":{"
                               "\"spec\":{\"containers\":[{\"name\":\"c\"}]}}}}",
                               index, index, at(0)));
}

static int64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* JobSet deletes a failed pod and its log within seconds. Here no status can be written at all. */
TEST(the_log_of_a_failed_pod_is_asked_for_before_the_statuses_of_200_jobs_are_written) {
    struct program *c;
    struct apiserver *s = start(&c, NULL);
    CHECK_INT(apiserver_do(s, "on apply jobgoodputs/status always : hold\n"), 0);
    for (int i = 0; i < 200; i++)
        CHECK(apply_waiting(s, i));
    CHECK(apply_job(s, 1));
    CHECK_INT(apiserver_do(s, "wait 120s seen apply jobgoodputs/status 16\n"), 0);
    int64_t from_us = now_us();
    CHECK(apply_failed(s, 0));
    CHECK_INT(apiserver_do(s, "wait 120s seen log pods 1\n"), 0);
    printf("%lld us from the write of the failed pod to the request for its log\n", (long long)(now_us() - from_us));
    CLEANUP_FREE char *object = apiserver_ask(s, "get jobgoodputs default/a");
    CHECK(object != NULL && strstr(object, "\"phase\"") == NULL);
    CHECK_INT(apiserver_do(s, "clear faults\nrelease\n"), 0);
    program_free(c);
    apiserver_stop(s);
}
