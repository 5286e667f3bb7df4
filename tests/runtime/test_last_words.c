/* The last words of failed containers on their way from an API server to status.executions[].rootCause. */
#include "harness.h"

#include "applied_jobs.h"
#include "base/buf.h"
#include "base/mem.h"
#include "program.h"

#include <stdlib.h>
#include <time.h>

static struct apiserver *start(struct program **c, const char *flag) {
    struct apiserver *s = applied_begin();
    CHECK(s != NULL);
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
    CHECK(applied_failure(s, "a", 0, "n0"));
    CHECK_INT(apiserver_do(s, "log default/a-0:c <<END\n"
                              "Traceback (most recent call last):\n"
                              "  File \"/app/train.py\", line 12, in step\n"
                              "    login(token='hf_abcdefghijklmnopqrstuvwxyz012345')\n"
                              "KeyError: 'token hf_abcdefghijklmnopqrstuvwxyz012345'\n"
                              "END\n"),
              0);
    CHECK(applied_job(s, "a", 1));
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
    CHECK(applied_failure(s, "a", 0, "n0"));
    CHECK_INT(apiserver_do(s, log.data), 0);
    CHECK(applied_job(s, "a", 1));
    CHECK(await(s, "reason", "ZeroDivisionError"));
    buf_done(&log);
    program_free(c);
    apiserver_stop(s);
}

TEST(a_log_that_is_not_there_is_unread_and_one_that_hangs_is_tried_again) {
    struct program *c;
    struct apiserver *s = start(&c, NULL);
    CHECK_INT(apiserver_do(s, "on log pods/a-0 always : status 404\non log pods/a-1 : silent\n"), 0);
    CHECK(applied_failure(s, "a", 0, "n0"));
    CHECK(applied_failure(s, "a", 1, "n0"));
    CHECK_INT(apiserver_do(s, "log default/a-1:c <<END\nTraceback (most recent call last):\n  File \"/app/t.py\", line "
                              "3, in f\nValueError: no\nEND\n"),
              0);
    CHECK(applied_job(s, "a", 2));
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
        CHECK(applied_failure(s, "a", i, "n0"));
    CHECK(applied_job(s, "a", 1000));
    CHECK(await(s, "unread", "16"));
    CHECK_INT(apiserver_asknumber(s, "count log pods"), 16 * 3);
    program_free(c);
    apiserver_stop(s);
}

TEST(no_log_is_read_where_none_may_be) {
    struct program *c;
    struct apiserver *s = start(&c, "--max-log-reads=0");
    CHECK(applied_job(s, "a", 1));
    CHECK(applied_failure(s, "a", 0, "n0"));
    CHECK(await(s, "unread", "1"));
    CHECK_INT(apiserver_asknumber(s, "count log pods"), 0);
    program_free(c);
    apiserver_stop(s);
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
    for (int i = 0; i < 200; i++) {
        CLEANUP_FREE char *waiting = mem_format("b-%d", i);
        CHECK(applied_job(s, waiting, 1));
    }
    CHECK(applied_job(s, "a", 1));
    CHECK_INT(apiserver_do(s, "wait 120s seen apply jobgoodputs/status 16\n"), 0);
    int64_t from_us = now_us();
    CHECK(applied_failure(s, "a", 0, "n0"));
    CHECK_INT(apiserver_do(s, "wait 120s seen log pods 1\n"), 0);
    printf("%lld us from the write of the failed pod to the request for its log\n", (long long)(now_us() - from_us));
    CLEANUP_FREE char *object = apiserver_ask(s, "get jobgoodputs default/a");
    CHECK(object != NULL && strstr(object, "\"phase\"") == NULL);
    CHECK_INT(apiserver_do(s, "clear faults\nrelease\n"), 0);
    program_free(c);
    apiserver_stop(s);
}
