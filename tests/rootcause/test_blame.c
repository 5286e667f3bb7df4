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

/* CPython: what a program reports may be what it continues without; what it raises ends it. h5py, cv2: unless that is
 * how what is missing shows. */
TEST(what_is_raised_comes_before_what_is_reported) {
#define REPORTED "Unable to open object (object 'x' doesn't exist)\n"
#define RAISED(exception)                                                                                              \
    "Traceback (most recent call last):\n  File \"/app/a.py\", line 3, in f\n    x\n" exception "\n"
    static const struct example examples[] = {
        {CLASS_DATA_ERROR, false, REPORTED},
        {CLASS_USER_EXCEPTION, false, REPORTED RAISED("KeyError: 'K_range'")},
        {CLASS_DEVICE_OOM, false, REPORTED RAISED("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB")},
        {CLASS_DATA_ERROR, false, REPORTED RAISED("AttributeError: 'NoneType' object has no attribute 'sizes'")},
        {CLASS_DATA_ERROR, false, "[rank1]: " REPORTED RAISED("KeyError: 'K_range'")}, /* of another process */
        {CLASS_GPU_HARDWARE, false,
         "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n" RAISED("KeyError: 'K_range'")},
        {CLASS_USER_EXCEPTION, false, "LOGS - No checkpoint found at 'out/last'.\n" RAISED("ValueError: x")},
        {CLASS_PREEMPTION, false, "LOGS - No checkpoint found at 'out/last'.\nKeyboard interruption. Exiting\n"},
        {CLASS_CHECKPOINT_ERROR, false, "LOGS - No checkpoint found at 'out/last'.\n"},
        {CLASS_PREEMPTION, false, "LOGS - No checkpoint found at 'out/last'.\n" RAISED("KeyboardInterrupt")},
        {CLASS_PREEMPTION, false, "a.py: error: argument --lr: expected one argument\n" RAISED("KeyboardInterrupt")},
        {CLASS_USER_EXCEPTION, false, RAISED("KeyError: 'K_range'") RAISED("KeyboardInterrupt")},
        {CLASS_CHECKPOINT_ERROR, false,
         "NVIDIA B200 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\n" RAISED(
             "FileNotFoundError: [Errno 2] No such file or directory: 'checkpoint/a.pt'")},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* CPython multiprocessing/spawn.py: the parent ended before it had sent all that its child needs. */
TEST(a_new_process_whose_parent_ended) {
#define SPAWNED                                                                                                        \
    "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n"                                   \
    "  File \"/usr/lib/python3.10/multiprocessing/spawn.py\", line 116, in spawn_main\n"                               \
    "    exitcode = _main(fd, parent_sentinel)\n"                                                                      \
    "  File \"/usr/lib/python3.10/multiprocessing/spawn.py\", line 126, in _main\n"                                    \
    "    self = reduction.pickle.load(from_parent)\n"
    static const struct example examples[] = {
        {CLASS_PEER_LOST, true, SPAWNED "_pickle.UnpicklingError: pickle data was truncated\n"},
        {CLASS_PEER_LOST, true, SPAWNED "EOFError: Ran out of input\n"},
        {CLASS_USER_EXCEPTION, false, SPAWNED "AttributeError: Can't get attribute 'f' on <module '__main__'>\n"},
        {CLASS_USER_EXCEPTION, false, SPAWNED "EOFError: Ran out of input\n" RAISED("KeyError: 'x'")},
        {CLASS_CHECKPOINT_ERROR, false,
         SPAWNED "  File \"/app/a.py\", line 3, in load_checkpoint\n    torch.load(f)\nEOFError: Ran out of input\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
#undef SPAWNED
#undef RAISED
#undef REPORTED
}

/* A call that is wrong says nothing of what it is for. */
TEST(mistakes_in_calls_that_load_or_configure) {
#define LOAD(exception)                                                                                                \
    "Traceback (most recent call last):\n  File \"/app/test.py\", line 9, in load_checkpoint\n    x\n" exception "\n"
#define CONFIG(exception)                                                                                              \
    "Traceback (most recent call last):\n  File \"/v/dask/config.py\", line 168, in load_config\n    x\n" exception "\n"
    static const struct example examples[] = {
        {CLASS_USER_EXCEPTION, false, LOAD("AttributeError: 'EasyDict' object has no attribute 'EVAL_METRIC'")},
        {CLASS_CHECKPOINT_ERROR, false, LOAD("RuntimeError: x")},
        {CLASS_USER_EXCEPTION, false, CONFIG("TypeError: load() missing 1 required positional argument: 'Loader'")},
        {CLASS_CONFIG_ERROR, false, CONFIG("RuntimeError: x")},
    };
    check_all(examples, ARRAY_SIZE(examples));
#undef CONFIG
#undef LOAD
}

static enum rootcause_class class_after(const char *text, size_t steps) {
    struct matcher *m = matcher_new();
    struct rootcause_log *log = rootcause_log_new(m, false);
    struct slice rest = slice_of(text), line;
    struct rootcause_verdict v;
    for (int64_t number = 1; slice_take_line(&rest, &line); number++)
        rootcause_log_line(log, line, number);
    for (size_t i = 0; i < steps; i++)
        rootcause_log_progress(log);
    rootcause_log_end(log);
    rootcause_verdict(&v, m, &log, 1, VERDICT_NO_EXIT_CODE);
    rootcause_log_free(log);
    matcher_free(m);
    return v.finding.class_;
}

TEST(losses_are_those_of_the_last_step) {
    CHECK(class_after("step 7 loss: nan\n", 0) == CLASS_NAN_DIVERGENCE);
    CHECK(class_after("step 7 loss: nan\n", 1) == CLASS_UNKNOWN);
}

/* Python's buffer of 8 KiB may reach the log behind the traceback: 256 steps in lines of 32 bytes, not more. */
TEST(steps_that_no_buffer_held_back) {
    static const char raised[] = "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError: 'x'\n";
    static const char *const texts[] = {raised, "a.py: error: argument --lr: expected one argument\n"};
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        enum rootcause_class c = class_after(texts[i], 0);
        CHECK(c != CLASS_UNKNOWN && class_after(texts[i], 8192 / 32) == c);
        CHECK(class_after(texts[i], 8192 / 32 + 1) == CLASS_UNKNOWN);
    }
}
