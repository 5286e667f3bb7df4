/* status.executions[].rootCause: why an execution ended, from what its containers and nodes left behind. */
#include "base/base64.h"
#include "base/mem.h"
#include "cause.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include "operator/job/last_words.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define XID_79                                                                                                         \
    "{\"metadata\":{\"name\":\"n0\",\"uid\":\"uid-n0\"},\"spec\":{},\"status\":{\"conditions\":[{\"type\":\"Ready\","  \
    "\"status\":\"True\",\"lastTransitionTime\":%s},{\"type\":\"XidCriticalError\",\"status\":\"True\",\"reason\":"    \
    "\"{\\\"79\\\":true}\",\"message\":\"5ae1\",\"lastTransitionTime\":%s}]}}"

static struct model *model_of(bool reads_last_words) {
    struct model *m =
        model_new(&(struct model_options){.keeps_checkpoints = true, .reads_last_words = reads_last_words});
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 2, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 1);
    fake_observe_node(m, "n1", "True", 0, "", "", 1);
    struct fake_pod a = fake_running("a", "n0", 5), b = fake_running("b", "n1", 5);
    b.index = 1;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 8);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 8);
    return m;
}

static struct model *new_model(void) {
    return model_of(false);
}

static void fail_and_replace(struct model *m) {
    struct fake_pod a = fake_running("a", "n0", 5), next = fake_running("a2", "n1", 1010);
    a.finished = 1000;
    a.exit_code = 1;
    a.phase = "Failed";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 1006);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 1013);
}

TEST(a_cause_on_the_node_of_the_failed_slot_is_the_root_cause) {
    struct model *m = new_model();
    CLEANUP_FREE char *node = mem_format(XID_79, fake_time(0), fake_time(970));
    fake_observe(m, RESOURCE_NODE, OBSERVED_PRESENT, "n0", "", node, 972);
    fail_and_replace(m);
    CLEANUP_FREE char *status = fake_status(m, 1100);
    cause_check(status, "class", "\"GPUHardware\"");
    cause_check(status, "reason", "\"Xid79\"");
    cause_check(status, "owner", "\"Provider\"");
    cause_check(status, "node", "\"n0\"");
    CHECK_TEXT(status_text(status, "executions[number=1].owner"), "Provider"); /* the exit alone: Unknown */
    cause_check(status, "basis", "\"Observed\"");
    CHECK(strstr(status, "\"byClass\":[{\"class\":\"GPUHardware\",\"count\":1}]") != NULL);

    /* The next leader has it from the status: the node shows it no more. */
    struct model *successor = fake_successor(status);
    fake_observe_jobset(successor, 2, "", "", 1101);
    CLEANUP_FREE char *later = fake_finish(successor, 1200);
    cause_check(later, "reason", "\"Xid79\"");
    CHECK_TEXT(status_text(later, "executions[number=1].owner"), "Provider");
    CHECK(strstr(later, "\"byClass\":[{\"class\":\"GPUHardware\",\"count\":1}]") != NULL);
    model_free(m);
}

/* ---- last words ---- */

static struct fake_pod failed(const char *name, const char *node, int index, int finished, int exit_code) {
    struct fake_pod p = fake_running(name, node, 5);
    p.index = index;
    p.finished = finished;
    p.exit_code = exit_code;
    p.phase = "Failed";
    return p;
}

#define MAX_ASKED 64
static char asked[MAX_ASKED][32]; /* pods, in the order in which they were asked for */
static int asked_count;

/* Asks for all that is to be read now: each "POD" of the list answers with its text, others cannot be read. */
static void read_words(struct model *m, const char *const (*texts)[2], size_t count) {
    struct model_job *job = model_job_find(m, "ns", "js");
    struct model_words w;
    asked_count = 0;
    while (model_job_words_next(job, &w)) {
        const char *text = NULL;
        if (asked_count < MAX_ASKED)
            snprintf(asked[asked_count++], sizeof asked[0], "%s%s", w.pod, w.is_previous ? "/previous" : "");
        for (size_t i = 0; i < count && text == NULL; i++)
            text = strcmp(texts[i][0], w.pod) == 0 ? texts[i][1] : NULL;
        if (text != NULL)
            model_job_words_read(job, w.pod_uid, w.container, w.restart_count, slice_of(text), false);
        else
            model_job_words_failed(job, w.pod_uid, w.container, w.restart_count, true);
    }
}

#define KEY_ERROR                                                                                                      \
    "2026-11-21T02:16:38.5Z Traceback (most recent call last):\n"                                                      \
    "2026-11-21T02:16:38.5Z   File \"/app/train.py\", line 12, in step\n"                                              \
    "2026-11-21T02:16:38.5Z     x = batch['lables']\n"                                                                 \
    "2026-11-21T02:16:38.5Z KeyError: 'lables'\n"
#define PEER_LOST                                                                                                      \
    "2026-11-21T02:16:39.5Z RuntimeError: [1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] "   \
    "via c10d key-value store by key '0', but store->get('0') got error: Connection reset by peer\n"                   \
    "2026-11-21T02:16:39.6Z socketProgress: Connection closed by remote peer n1<44321>\n"

TEST(of_ranks_the_first_cause_is_the_root_cause_and_others_follow) {
    static const char *const texts[][2] = {{"a", PEER_LOST}, {"b", KEY_ERROR}};
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1), b = failed("b", "n1", 1, 1001, 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 1001.5);
    CLEANUP_FREE char *before = fake_status(m, 1002);
    cause_check(before, "", "");
    read_words(m, texts, ARRAY_SIZE(texts));
    CHECK_INT(asked_count, 2);
    CLEANUP_FREE char *status = fake_finish(m, 1003);
    cause_check(status, "class", "\"UserException\"");
    cause_check(status, "reason", "\"KeyError\"");
    cause_check(status, "completionIndex", "1");
    cause_check(status, "node", "\"n1\"");
    cause_check(status, "line", "\"KeyError: 'lables'\"");
    cause_check(status, "frame", "\"train.py:12 in step\"");
    cause_check(status, "time", "\"2026-11-21T02:16:38.500Z\"");
    cause_check(status, "followers", "1");
    cause_check(status, "unread", "0");
    cause_check(status, "symptomOnly", "false");
}

TEST(what_cannot_be_read_is_counted_and_not_guessed) {
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    read_words(m, NULL, 0);
    CLEANUP_FREE char *status = fake_finish(m, 1003);
    cause_check(status, "class", "\"Unknown\"");
    cause_check(status, "unread", "1");
    cause_check(status, "line", "");
}

TEST(a_read_that_failed_is_tried_three_times_after_what_was_not_tried) {
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1), b = failed("b", "n1", 1, 1001, 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 1001.5);
    struct model_job *job = model_job_find(m, "ns", "js");
    struct model_words w;
    char order[16] = "";
    while (model_job_words_next(job, &w)) {
        snprintf(order + strlen(order), sizeof order - strlen(order), "%s", w.pod);
        model_job_words_failed(job, w.pod_uid, w.container, w.restart_count, false);
    }
    CHECK_TEXT(order, "ababab");
    CLEANUP_FREE char *status = fake_finish(m, 1003);
    cause_check(status, "unread", "2");
}

TEST(of_many_that_fail_the_first_16_are_read) {
    struct model *m = model_new(&(struct model_options){.reads_last_words = true});
    char name[32];
    replay_jobgoodput(m, "ns", "js", "None", "", fake_ms(0));
    fake_observe_jobset(m, 1000, "", "", 0.2);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "p%d", i);
        struct fake_pod p = failed(name, "n0", i, 1000 + (1000 - i) / 100, 1);
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 1011);
    }
    read_words(m, NULL, 0);
    CHECK_INT(asked_count, 16);
    CHECK_TEXT(asked[0], "p901");
    CHECK_TEXT(asked[15], "p916");
    CLEANUP_FREE char *status = fake_finish(m, 1015);
    cause_check(status, "unread", "16");
}

TEST(a_later_execution_is_not_a_cause_of_an_earlier_one) {
    static const char *const texts[][2] = {{"a", PEER_LOST}, {"a2", KEY_ERROR}};
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1), next = failed("a2", "n1", 0, 1020, 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 1006);
    next.started = 1010;
    next.created = 1007;
    next.bound = 1008;
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 1021);
    read_words(m, texts, ARRAY_SIZE(texts));
    CHECK_INT(asked_count, 1); /* the other is deleted */
    CHECK_TEXT(asked[0], "a2");
    CLEANUP_FREE char *status = fake_finish(m, 1100);
    cause_check(status, "class", "\"Unknown\"");
    cause_check(status, "unread", "1");
}

TEST(a_container_that_restarted_is_asked_for_its_previous_log) {
    static const char *const texts[][2] = {{"a", KEY_ERROR}};
    struct model *m = model_of(true);
    struct fake_pod a = fake_running("a", "n0", 1002);
    a.created = 5;
    a.bound = 6;
    a.restart_count = 1;
    a.restart_policy = "OnFailure";
    a.last_finished = 1000;
    a.last_exit_code = 1;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1004.5);
    read_words(m, texts, ARRAY_SIZE(texts));
    CHECK_INT(asked_count, 1);
    CHECK_TEXT(asked[0], "a/previous");
    CLEANUP_FREE char *status = fake_finish(m, 1010);
    cause_check(status, "reason", "\"KeyError\"");
}

TEST(survivors_that_were_asked_to_stop_are_not_read) {
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1), b = failed("b", "n1", 1, 1005, 143);
    b.asked_to_go = 1002;
    b.grace = 30;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 1005.5);
    read_words(m, NULL, 0);
    CHECK_INT(asked_count, 1);
    CHECK_TEXT(asked[0], "a");
    free(fake_finish(m, 1010));
}

TEST(a_termination_message_and_the_kubelets_reason_are_last_words) {
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 137), b = failed("b", "n1", 1, 999, 1);
    a.reason = "OOMKilled";
    b.message = "\"Traceback (most recent call last):\\n  File \\\"/app/t.py\\\", line 3, in f\\nKeyError: 'x'\\n\"";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    read_words(m, NULL, 0);
    CLEANUP_FREE char *status = fake_status(m, 1001);
    cause_check(status, "class", "\"HostOOM\"");
    cause_check(status, "reason", "\"OOMKilled\"");
    cause_check(status, "owner", "\"Tenant\"");
    cause_check(status, "unread", "1");
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 1001.5); /* it failed before */
    read_words(m, NULL, 0);
    CLEANUP_FREE char *later = fake_finish(m, 1002);
    cause_check(later, "class", "\"UserException\"");
    cause_check(later, "frame", "\"t.py:3 in f\"");
    cause_check(later, "unread", "2");
}

static struct model *successor_that_reads(const char *status) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true, .reads_last_words = true});
    CLEANUP_FREE char *more = replay_left(status);
    replay_jobgoodput(m, "ns", "js", "None", more, fake_ms(0));
    return m;
}

TEST(a_successor_keeps_what_was_found_and_does_not_ask_again) {
    static const char *const texts[][2] = {{"a", KEY_ERROR}};
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    read_words(m, texts, ARRAY_SIZE(texts));
    CLEANUP_FREE char *status = fake_finish(m, 1003);
    struct model *next = successor_that_reads(status);
    fake_observe_jobset(next, 2, "", "", 1004);
    fake_observe_pod(next, &a, OBSERVED_PRESENT, 1004);
    read_words(next, NULL, 0);
    CHECK_INT(asked_count, 0);
    CLEANUP_FREE char *later = fake_finish(next, 1010);
    cause_check(later, "reason", "\"KeyError\"");
    cause_check(later, "frame", "\"train.py:12 in step\"");
    cause_check(later, "unread", "0");
}

TEST(a_successor_asks_for_what_was_not_published) {
    static const char *const texts[][2] = {{"a", KEY_ERROR}};
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    CLEANUP_FREE char *status = fake_finish(m, 1001);
    cause_check(status, "", "");
    struct model *next = successor_that_reads(status);
    fake_observe_jobset(next, 2, "", "", 1004);
    fake_observe_pod(next, &a, OBSERVED_PRESENT, 1004);
    read_words(next, texts, ARRAY_SIZE(texts));
    CHECK_INT(asked_count, 1);
    CLEANUP_FREE char *later = fake_finish(next, 1010);
    cause_check(later, "reason", "\"KeyError\"");
}

/* ---- Events ---- */

/* The Events of root causes at that time: "ID TYPE: NOTE" a line (heap). */
static char *root_cause_events(struct model *m, double at) {
    struct buf out;
    const struct model_notice *n;
    buf_init(&out, 1 << 16);
    free(fake_status(m, at));
    while ((n = model_job_next_notice(model_job_find(m, "ns", "js"))) != NULL)
        if (strcmp(n->reason, "RootCause") == 0)
            buf_format(&out, "%s %s: %s\n", n->id, n->type, n->note);
    char *text = mem_strdup(buf_text(&out));
    buf_done(&out);
    return text;
}

static void check_events(struct model *m, double at, const char *expected) {
    CLEANUP_FREE char *text = root_cause_events(m, at);
    CHECK_TEXT(text, expected);
    CLEANUP_FREE char *again = root_cause_events(m, at + 1);
    CHECK_TEXT(again, "");
}

#define KEY_ERROR_EVENT                                                                                                \
    "uid-js.rootcause-1 Warning: UserException (KeyError); owner Tenant; first failed slot slice/0/1, container "      \
    "train, node n1\n"

TEST(a_root_cause_is_one_event_without_the_line_of_the_log) {
    static const char *const texts[][2] = {{"a", PEER_LOST}, {"b", KEY_ERROR}};
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1), b = failed("b", "n1", 1, 1001, 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 1001.5);
    check_events(m, 1002, ""); /* the last words are not read yet */
    read_words(m, texts, ARRAY_SIZE(texts));
    check_events(m, 1004, KEY_ERROR_EVENT);

    /* The successor reads the status, and what remains of the pods. */
    CLEANUP_FREE char *status = fake_finish(m, 1006);
    struct model *next = successor_that_reads(status);
    fake_observe_jobset(next, 2, "", "", 1007);
    fake_observe_pod(next, &a, OBSERVED_PRESENT, 1007);
    fake_observe_pod(next, &b, OBSERVED_PRESENT, 1007);
    check_events(next, 1008, "");
    read_words(next, texts, ARRAY_SIZE(texts));
    check_events(next, 1100, "");
    model_free(next);
}

TEST(a_stronger_root_cause_updates_the_event_and_an_unknown_one_has_none) {
    static const char *const texts[][2] = {{"a", PEER_LOST}};
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    read_words(m, texts, ARRAY_SIZE(texts));
    CLEANUP_FREE char *symptom = root_cause_events(m, 1002);
    CHECK(strstr(symptom, "uid-js.rootcause-1 Warning: PeerLost (") == symptom);
    CHECK(strstr(symptom, "), only a symptom") != NULL);
    CHECK(strstr(symptom, "; owner Unknown; first failed slot slice/0/0, container train, node n0\n") != NULL);
    CLEANUP_FREE char *node = mem_format(XID_79, fake_time(0), fake_time(970));
    fake_observe(m, RESOURCE_NODE, OBSERVED_PRESENT, "n0", "", node, 1003);
    check_events(m, 1004,
                 "uid-js.rootcause-1 Warning: GPUHardware (Xid79); owner Provider; first failed slot slice/0/0, node "
                 "n0\n");
    model_free(m);

    m = model_of(true);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    read_words(m, NULL, 0);
    check_events(m, 1004, ""); /* class Unknown: nothing was read */
    model_free(m);
}

TEST(a_root_cause_of_more_than_an_hour_ago_has_no_event) {
    static const char *const texts[][2] = {{"a", KEY_ERROR}};
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 4700);
    read_words(m, texts, ARRAY_SIZE(texts));
    check_events(m, 4701, "");
    model_free(m);
}

/* ---- a successor ---- */

TEST(a_successor_knows_which_containers_had_no_words) {
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1), next = fake_running("a2", "n1", 1010);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    read_words(m, NULL, 0);
    CLEANUP_FREE char *status = fake_finish(m, 1001);
    cause_check(status, "unread", "1");
    struct model *successor = successor_that_reads(status);
    fake_observe_jobset(successor, 2, "", "", 1004);
    fake_observe_pod(successor, &a, OBSERVED_PRESENT, 1004);
    read_words(successor, NULL, 0);
    CHECK_INT(asked_count, 0);
    fake_observe_pod(successor, &a, OBSERVED_DELETED, 1006);
    fake_observe_pod(successor, &next, OBSERVED_PRESENT, 1013);
    CLEANUP_FREE char *later = fake_finish(successor, 1100);
    cause_check(later, "class", "\"Unknown\"");
    cause_check(later, "node", "\"n0\"");
    cause_check(later, "unread", "1");
}

/* The unpacked checkpoint of a status. */
static char *unpacked(const char *status, size_t *size) {
    enum { HEAD_BYTES = 9 }; /* checkpoint.h */
    const char *at = strstr(status, "\"checkpoint\":\"");
    if (at == NULL)
        return NULL;
    at += strlen("\"checkpoint\":\"");
    struct slice text = {at, strcspn(at, "\"#")};
    size_t packed_size;
    CLEANUP_FREE char *packed = base64_decode(text, &packed_size);
    uLong raw_size = 1 << 20;
    char *raw = mem_alloc(raw_size);
    CHECK_INT(
        uncompress((Bytef *)raw, &raw_size, (const Bytef *)packed + HEAD_BYTES, (uLong)(packed_size - HEAD_BYTES)),
        Z_OK);
    *size = raw_size;
    return raw;
}

TEST(a_successor_knows_what_a_termination_message_showed_but_not_its_text) {
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1), next = fake_running("a2", "n1", 1010);
    a.message = "\"Traceback (most recent call last):\\n  File \\\"/app/t.py\\\", line 3, in f\\n"
                "KeyError: 'token hf_abcdefghijklmnopqrstuvwxyz012345'\\n\"";
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    CLEANUP_FREE char *status = fake_finish(m, 1001); /* before it was asked for */
    cause_check(status, "", "");
    size_t size = 0;
    CLEANUP_FREE char *raw = unpacked(status, &size);
    REQUIRE(raw != NULL);
    CHECK(memmem(raw, size, "t.py:3 in f", 11) != NULL);
    CHECK(memmem(raw, size, "hf_abc", 6) == NULL);
    struct model *successor = successor_that_reads(status);
    fake_observe_jobset(successor, 2, "", "", 1004);
    fake_observe_pod(successor, &a, OBSERVED_DELETED, 1006);
    read_words(successor, NULL, 0);
    fake_observe_pod(successor, &next, OBSERVED_PRESENT, 1013);
    CLEANUP_FREE char *later = fake_finish(successor, 1100);
    cause_check(later, "reason", "\"KeyError\"");
    cause_check(later, "frame", "\"t.py:3 in f\"");
    cause_check(later, "unread", "1");
}

TEST(a_successor_adds_what_it_reads_to_what_was_read) {
    static const char *const first[][2] = {{"a", PEER_LOST}};
    static const char *const second[][2] = {{"b", KEY_ERROR}};
    struct model *m = model_of(true);
    struct fake_pod a = failed("a", "n0", 0, 1000, 1), b = failed("b", "n1", 1, 1001, 1);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    read_words(m, first, ARRAY_SIZE(first));
    CLEANUP_FREE char *status = fake_finish(m, 1001);
    cause_check(status, "class", "\"PeerLost\"");
    struct model *successor = successor_that_reads(status);
    fake_observe_jobset(successor, 2, "", "", 1004);
    fake_observe_pod(successor, &a, OBSERVED_DELETED, 1004);
    fake_observe_pod(successor, &b, OBSERVED_PRESENT, 1004);
    read_words(successor, second, ARRAY_SIZE(second));
    CHECK_INT(asked_count, 1);
    CLEANUP_FREE char *later = fake_finish(successor, 1010);
    cause_check(later, "reason", "\"KeyError\"");
    cause_check(later, "completionIndex", "1");
    cause_check(later, "followers", "1");
    cause_check(later, "unread", "0");
}

/* ---- who ended it is known ---- */

/* Pod a was evicted at 1000; pod b fails by itself then, as its peer is lost. */
static struct model *evicted(const char *disruption, int b_failed, const char *b_words) {
    const char *const texts[][2] = {{"b", b_words}};
    struct model *m = model_of(true);
    struct fake_pod a = fake_running("a", "n0", 5), b = failed("b", "n1", 1, b_failed, 1);
    a.asked_to_go = 1000;
    a.disruption = disruption;
    a.grace = 30;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1000.5);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, b_failed + 0.5);
    read_words(m, texts, b_words != NULL);
    fake_observe_pod(m, &a, OBSERVED_DELETED, 1020);
    struct fake_pod next = fake_running("a2", "n1", 1022);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 1025);
    return m;
}

TEST(an_eviction_has_no_unknown_root_cause_and_no_symptom_as_one) {
    static const char *const disruptions[] = {"EvictionByEvictionAPI", "PreemptionByScheduler", "TerminationByKubelet",
                                              "DeletionByTaintManager"};
    for (size_t i = 0; i < ARRAY_SIZE(disruptions); i++) {
        CLEANUP_FREE char *unread = fake_finish(evicted(disruptions[i], 1002, NULL), 1100);
        cause_check(unread, "", "");
        const char *interruptions = strstr(unread, "\"interruptions\":{");
        CHECK(interruptions != NULL && strstr(interruptions, "\"byClass\"") == NULL);
        CLEANUP_FREE char *symptom = fake_finish(evicted(disruptions[i], 1002, PEER_LOST), 1100);
        cause_check(symptom, "", "");
    }
}

TEST(what_a_survivor_prints_after_an_eviction_is_not_its_cause) {
    static const char after[] = "2026-11-21T02:16:42Z Traceback (most recent call last):\n"
                                "2026-11-21T02:16:42Z   File \"/app/train.py\", line 12, in step\n"
                                "2026-11-21T02:16:42Z KeyError: 'peer'\n";
    CLEANUP_FREE char *status = fake_finish(evicted("EvictionByEvictionAPI", 1002, after), 1100);
    cause_check(status, "", "");
    CLEANUP_FREE char *before = fake_finish(evicted("TerminationByKubelet", 1002, KEY_ERROR), 1100);
    cause_check(before, "reason", "\"KeyError\"");
}

/* A person may delete the pod before Kubernetes says so: what was Unknown then is dropped later. */
TEST(an_unknown_root_cause_goes_when_somebody_turns_out_to_have_ended_it) {
    struct model *m = model_of(true);
    struct fake_pod b = failed("b", "n1", 1, 1001, 1), a = fake_running("a", "n0", 5);
    fake_observe_pod(m, &b, OBSERVED_PRESENT, 1001.5);
    read_words(m, NULL, 0);
    CLEANUP_FREE char *before = fake_status(m, 1002);
    cause_check(before, "class", "\"Unknown\"");
    a.asked_to_go = 1000;
    a.disruption = "EvictionByEvictionAPI";
    a.grace = 30;
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 1003);
    CLEANUP_FREE char *later = fake_finish(m, 1004);
    cause_check(later, "", "");
}
