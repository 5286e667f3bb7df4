/* From the last words of failed containers, and from the log that is followed, to status.advice. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include "operator/job/last_words.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static struct model *new_model(void) {
    struct model *m = model_new(&(struct model_options){.keeps_checkpoints = true, .reads_last_words = true});
    replay_jobgoodput(m, "ns", "js", "PodLog", "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    fake_observe_node(m, "n0", "True", 0, "", "", 1);
    return m;
}

/* Attempt NUMBER starts at 1000 x NUMBER, makes 400 steps of a second, 100 of them again, and fails with that tail
 * 420 s after its start; NULL: it continues. */
static void run(struct model *m, int number, const char *tail) {
    char name[16], uid[32];
    struct model_words w;
    struct model_job *job = model_job_find(m, "ns", "js");
    snprintf(name, sizeof name, "a%d", number);
    snprintf(uid, sizeof uid, "uid-%s", name);
    struct fake_pod p = fake_running(name, "n0", 1000 * number);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 1000 * number + 3);
    fake_log_steps(m, name, 300 * number, 300 * number + 399, 1, 1000 * number + 10);
    if (tail == NULL)
        return;
    p.finished = 1000 * number + 420;
    p.exit_code = 1;
    p.phase = "Failed";
    fake_observe_pod(m, &p, OBSERVED_PRESENT, p.finished + 0.5);
    model_job_log_end(job, uid, 0, NULL);
    while (model_job_words_next(job, &w))
        model_job_words_read(job, w.pod_uid, w.container, w.restart_count, slice_of(tail), false);
    free(fake_status(m, p.finished + 1));
    fake_observe_pod(m, &p, OBSERVED_DELETED, p.finished + 5);
}

/* What was seen of that kind of advice; "": none. Heap. */
static char *seen(const char *status, const char *kind) {
    json_t *json = json_loads(status, 0, NULL), *all = json_object_get(json, "advice");
    char *text = mem_strdup("");
    for (size_t i = 0; i < json_array_size(all); i++) {
        json_t *a = json_array_get(all, i);
        if (strcmp(json_string_value(json_object_get(a, "kind")), kind) != 0)
            continue;
        free(text);
        text = mem_strdup(json_string_value(json_object_get(a, "seen")));
    }
    json_decref(json);
    return text;
}

#define OOM                                                                                                            \
    "2026-11-21T03:00:00Z Traceback (most recent call last):\n"                                                        \
    "2026-11-21T03:00:00Z   File \"/app/train.py\", line 12, in step\n"                                                \
    "2026-11-21T03:00:00Z torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "  \
    "capacity of 79.15 GiB of which 1.2 GiB is free.\n"
#define NAN_LOSS                                                                                                       \
    "2026-11-21T03:00:00Z RuntimeError: Unexpected result nan (message='found NaN in local forward loss "              \
    "calculation')\n"
#define CORRUPT                                                                                                        \
    "2026-11-21T03:00:00Z RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central "       \
    "directory\n"

TEST(a_tail_that_comes_back_becomes_advice) {
    static const struct {
        const char *tail, *kind, *seen;
    } rows[] = {
        {OOM, "DeviceMemory", "the memory of the accelerator was exhausted in 2 executions"},
        {CORRUPT, "FailingCheckpoints", "2 executions ended because a checkpoint could not be saved or restored"},
        {NAN_LOSS, "NaNAtStep", ""}, /* after other steps */
    };
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct model *m = new_model();
        run(m, 0, rows[i].tail);
        CLEANUP_FREE char *once = fake_status(m, 900), *none = seen(once, rows[i].kind);
        CHECK_TEXT(none, "");
        run(m, 1, rows[i].tail);
        run(m, 2, NULL);
        CLEANUP_FREE char *status = fake_status(m, 2500), *got = seen(status, rows[i].kind);
        CHECK_TEXT(got, rows[i].seen);
        CLEANUP_FREE char *node = seen(status, "FailingNode"); /* the program failed, twice on one node */
        CHECK_TEXT(node, "");
        model_free(m);
    }
}

static void fail_to_save(struct model *m, const char *pod, double at) {
    fake_log_line(m, pod, at, "Traceback (most recent call last):");
    fake_log_line(m, pod, at, "  File \"/app/train.py\", line 80, in save_checkpoint");
    fake_log_line(m, pod, at, "    torch.save(state, path)");
    fake_log_line(m, pod, at, "OSError: [Errno 28] No space left on device");
}

/* Saves fail, and training continues. */
static struct model *train_and_fail_to_save(int saves, struct fake_pod *p) {
    struct model *m = new_model();
    *p = fake_running("a0", "n0", 0);
    fake_observe_pod(m, p, OBSERVED_PRESENT, 3);
    fake_log_steps(m, "a0", 0, 99, 1, 10);
    for (int i = 0; i < saves; i++) {
        fail_to_save(m, "a0", 110 + 100 * i);
        fake_log_steps(m, "a0", 100 + 100 * i, 199 + 100 * i, 1, 111 + 100 * i);
    }
    return m;
}

/* Saves fail, training continues, and nothing has happened yet. */
static char *while_saves_fail(int saves) {
    struct fake_pod p;
    struct model *m = train_and_fail_to_save(saves, &p);
    CLEANUP_FREE char *status = fake_finish(m, 320);
    return seen(status, "FailingSaves");
}

TEST(saves_that_fail_become_advice_before_anything_is_lost) {
    CLEANUP_FREE char *none = while_saves_fail(1);
    CHECK_TEXT(none, "");
    CLEANUP_FREE char *two = while_saves_fail(2);
    CHECK_TEXT(two,
               "2 errors of checkpoints in the log; an interruption now would lose 5m 0s: the last 300 steps are in "
               "no checkpoint");
}

/* Two saves fail, training continues, and a node is lost later. */
static char *after_failed_saves(int saves, bool is_successor) {
    struct fake_pod p;
    struct model *m = train_and_fail_to_save(saves, &p);
    if (is_successor) {
        CLEANUP_FREE char *status = fake_finish(m, 390);
        CLEANUP_FREE char *more = replay_left(status);
        m = model_new(&(struct model_options){.keeps_checkpoints = true, .reads_last_words = true});
        replay_jobgoodput(m, "ns", "js", "PodLog", more, fake_ms(0));
        fake_observe_jobset(m, 1, "", "", 391);
        fake_observe_pod(m, &p, OBSERVED_PRESENT, 391);
    }
    model_job_log_end(model_job_find(m, "ns", "js"), "uid-a0", 0, NULL);
    fake_observe_pod(m, &p, OBSERVED_DELETED, 420);
    struct fake_pod next = fake_running("a1", "n0", 500);
    fake_observe_pod(m, &next, OBSERVED_PRESENT, 503);
    fake_log_steps(m, "a1", 100, 499, 1, 510);
    CLEANUP_FREE char *status = fake_finish(m, 1000);
    return seen(status, "FailingSaves");
}

TEST(saves_that_fail_without_ending_the_program_become_advice) {
    for (int is_successor = 0; is_successor <= 1; is_successor++) {
        CLEANUP_FREE char *none = after_failed_saves(1, is_successor);
        CHECK_TEXT(none, ""); /* one may be by chance */
        CLEANUP_FREE char *two = after_failed_saves(2, is_successor);
        if (!slice_starts(slice_of(two), "2 errors of checkpoints in the log; the 1 interruption after them lost "))
            harness_fail(__FILE__, __LINE__, "seen: %s", two);
    }
}

/* The node of a0 is lost; a1 starts on another one, ends with that tail before it trains; a2 trains. */
static char *after_the_loss_of_a_node(const char *tail) {
    struct model_words w;
    struct model *m = new_model();
    struct model_job *job = model_job_find(m, "ns", "js");
    struct fake_pod a0 = fake_running("a0", "n0", 0), a1 = fake_running("a1", "n1", 500),
                    a2 = fake_running("a2", "n1", 1200);
    fake_observe_node(m, "n1", "True", 0, "", "", 1);
    fake_observe_pod(m, &a0, OBSERVED_PRESENT, 3);
    fake_log_steps(m, "a0", 0, 399, 1, 10);
    fake_observe_node(m, "n0", "Unknown", 410, "", "", 411);
    a0.disruption = "DeletionByTaintManager";
    a0.asked_to_go = 450;
    fake_observe_pod(m, &a0, OBSERVED_PRESENT, 451);
    fake_observe_pod(m, &a0, OBSERVED_DELETED, 460);
    fake_observe_pod(m, &a1, OBSERVED_PRESENT, 503);
    a1.finished = 1000;
    a1.exit_code = 1;
    a1.phase = "Failed";
    fake_observe_pod(m, &a1, OBSERVED_PRESENT, 1000.5);
    while (model_job_words_next(job, &w))
        model_job_words_read(job, w.pod_uid, w.container, w.restart_count, slice_of(tail), false);
    fake_observe_pod(m, &a1, OBSERVED_DELETED, 1005);
    fake_observe_pod(m, &a2, OBSERVED_PRESENT, 1203);
    fake_log_steps(m, "a2", 400, 899, 1, 1210);
    CLEANUP_FREE char *status = fake_finish(m, 1800);
    return seen(status, "Rendezvous");
}

TEST(only_a_wait_in_vain_becomes_advice_to_wait_longer) {
    CLEANUP_FREE char *late = after_the_loss_of_a_node(
        "2026-11-21T02:16:40Z torch.distributed.DistStoreError: Timed out after 301 seconds waiting for clients. 3/4 "
        "clients joined.\n");
    CHECK_TEXT(late, "in 1 execution after the loss of a node the processes did not meet");
    CLEANUP_FREE char *taken = after_the_loss_of_a_node(
        "2026-11-21T02:16:40Z torch.distributed.DistNetworkError: The server socket has failed to listen on any local "
        "network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use\n");
    CHECK_TEXT(taken, "");
}
