/* Whom symptoms name, and what looks like a cause next to one. */
#include "examples.h"

#include <stdlib.h>

enum { MAX_LOGS = 4 };

static void judge_logs(struct rootcause_verdict *v, size_t count, const char *const *texts) {
    struct matcher *m = matcher_new();
    struct rootcause_log *logs[MAX_LOGS];
    for (size_t i = 0; i < count; i++) {
        struct slice text = slice_of(texts[i]), line;
        logs[i] = rootcause_log_new(m, false);
        for (int64_t number = 1; slice_take_line(&text, &line); number++)
            rootcause_log_line(logs[i], line, number);
        rootcause_log_end(logs[i]);
    }
    rootcause_verdict(v, m, logs, count, VERDICT_NO_EXIT_CODE);
    for (size_t i = 0; i < count; i++)
        rootcause_log_free(logs[i]);
    matcher_free(m);
}

/* XLA client.h, coordination_service.cc */
#define NAMES(task)                                                                                                    \
    "F1128 05:00:01 client.h:80] Terminating process because the JAX distributed service detected fatal errors. "      \
    "absl::Status: UNAVAILABLE: Task /job:jax_worker/replica:0/task:" task " heartbeat timeout.\n"

TEST(tasks_that_name_one_another_name_no_one) {
    static const struct {
        size_t count;
        const char *texts[MAX_LOGS], *waits_for;
    } cases[] = {
        {1, {NAMES("1")}, "task 1"},
        {2, {NAMES("1"), NAMES("0")}, ""},
        {2, {NAMES("1"), NAMES("1")}, "task 1"},
        {3, {NAMES("0"), NAMES("2"), NAMES("2")}, "task 2"},
        {4, {NAMES("1"), NAMES("0"), NAMES("3"), NAMES("2")}, ""},
        {3, {NAMES("1"), "step 5 loss 1\n", NAMES("1")}, "task 1"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct rootcause_verdict v;
        judge_logs(&v, cases[i].count, cases[i].texts);
        CHECK(v.is_symptom_only && v.finding.class_ == CLASS_PEER_LOST);
        CHECK_TEXT(v.waits_for, cases[i].waits_for);
    }
}

/* torch nn/modules/conv.py, cudnn Conv_v8.cpp; CPython warnings.py: the program continues. */
TEST(a_warning_of_exhausted_memory_is_not_a_cause) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false,
         "/v/torch/nn/modules/conv.py:456: UserWarning: Plan failed with a CUDA out of memory error (Triggered "
         "internally at Conv_v8.cpp:919.)\n  return F.conv2d(input)\n"},
        {CLASS_UNKNOWN, false,
         "/app/train.py:12: UserWarning: CUDA out of memory. Tried to allocate 2.00 GiB\n"
         "  warnings.warn(\"CUDA out of memory. Tried to allocate 2.00 GiB\")\n"},
        {CLASS_UNKNOWN, false,
         "/v/torch/cuda/memory.py:303: FutureWarning: torch.cuda.OutOfMemoryError is deprecated\n"},
        {CLASS_DEVICE_OOM, false,
         "/app/train.py:12: UserWarning: CUDA out of memory. Tried to allocate 2.00 GiB\n"
         "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"},
        {CLASS_GPU_DRIVER, false,
         "/v/torch/cuda/__init__.py:52: UserWarning: CUDA initialization: The NVIDIA driver on your system is too "
         "old\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* torch distributed/elastic/multiprocessing/errors: the list above the root cause is of what ended later. */
TEST(what_torchelastic_stopped_is_not_a_cause) {
    static const char list[] = "Failures:\n[1]:\n  rank      : 3 (local_rank: 3)\n  exitcode  : -15 (pid: 9)\n"
                               "  traceback : Signal 15 (SIGTERM) received by PID 9\n"
                               "Root Cause (first observed failure):\n[0]:\n  rank      : 1 (local_rank: 1)\n";
    char text[1024];
    struct rootcause_verdict v;
    snprintf(text, sizeof text, "%s  exitcode  : 1 (pid: 8)\n", list);
    judge(&v, text);
    CHECK(v.finding.class_ == CLASS_UNKNOWN && v.finding.rank == 1);
    snprintf(text, sizeof text, "%s  exitcode  : -11 (pid: 8)\n", list);
    judge(&v, text);
    CHECK(v.finding.class_ == CLASS_CRASH_SIGNAL);
}

/* DeepSpeed-Chat train.py; loggers that format an exception; zstd, gzip and webdataset in a pipe; python-etcd. */
TEST(what_stands_for_an_exception) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false,
         "Traceback (most recent call last):\n  File \"train.py\", line 175, in launch_cmd\n"
         "    raise RuntimeError('\\n\\n'.join((\nRuntimeError: Step 1 exited with non-zero status 2\n"},
        {CLASS_USER_EXCEPTION, false,
         "2026-11-28 12:16:38,269 - prepare - ERROR - Error in check: FileNotFoundError(2, 'No such file')\n"},
        {CLASS_DATA_ERROR, false, "Job failed: FileNotFoundError(2, 'No such file or directory: /data/train.jsonl')\n"},
        {CLASS_UNKNOWN, false, "caught the usual FileNotFoundError(2, 'No such file')\n"},
        {CLASS_DATA_ERROR, false, "OSError: Connection reset by peer.\n/*stdin*\\ : Read error (39) : premature end\n"},
        {CLASS_DATA_ERROR, false, "gzip: stdin: unexpected end of file\n"},
        {CLASS_STARTUP_RENDEZVOUS, false, "etcd.EtcdKeyNotFound: Key not found : /torch/elastic/store\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}
