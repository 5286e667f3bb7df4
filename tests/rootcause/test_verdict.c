/* Verdicts over the logs of several ranks. Texts are in the form in which the named source prints them. */
#include "harness.h"

#include "base/mem.h"
#include "rootcause/verdict.h"

#include <stdlib.h>

#define MAX_LOGS 4

static void judge(struct rootcause_verdict *v, bool is_stamped, int exit_code, const char *const *texts) {
    struct matcher *m = matcher_new();
    struct rootcause_log *logs[MAX_LOGS];
    size_t count = 0;
    for (; texts[count] != NULL; count++) {
        struct slice line, rest = slice_of(texts[count]);
        logs[count] = rootcause_log_new(m, is_stamped);
        for (int64_t number = 1; slice_take_line(&rest, &line); number++)
            rootcause_log_line(logs[count], line, number);
        rootcause_log_end(logs[count]);
    }
    rootcause_verdict(v, m, logs, count, exit_code);
    while (count > 0)
        rootcause_log_free(logs[--count]);
    matcher_free(m);
}

#define JUDGE(v, ...) judge(v, false, VERDICT_NO_EXIT_CODE, (const char *const[]){__VA_ARGS__, NULL})
#define JUDGE_STAMPED(v, ...) judge(v, true, VERDICT_NO_EXIT_CODE, (const char *const[]){__VA_ARGS__, NULL})

/* torch ProcessGroupNCCL.cpp (2.4) */
#define WATCHDOG                                                                                                       \
    "[rank0]:[E ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, "  \
    "OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.\n"
#define EXCEPTION                                                                                                      \
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 4, in step\n    f()\nValueError: boom\n"
/* torch distributed/elastic/multiprocessing/errors/__init__.py */
#define REPORT(code, reason)                                                                                           \
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n=====\ntrain.py FAILED\nFailures:\n"         \
    "  <NO_OTHER_FAILURES>\nRoot Cause (first observed failure):\n[0]:\n  time      : 2026-11-20_10:00:00\n"           \
    "  host      : a\n  rank      : 3 (local_rank: 3)\n  exitcode  : " code " (pid: 7)\n  error_file: <N/A>\n"         \
    "  traceback : " reason "\n"

static void check(const struct rootcause_verdict *v, enum rootcause_class class_, int log, bool is_symptom) {
    CHECK_TEXT(rootcause_class_name(v->finding.class_), rootcause_class_name(class_));
    CHECK_INT(v->log, log);
    CHECK_INT(v->is_symptom_only, is_symptom);
}

TEST(a_cause_beats_symptoms_of_any_log) {
    struct rootcause_verdict v;
    JUDGE(&v, WATCHDOG, "all is well\n", EXCEPTION);
    check(&v, CLASS_USER_EXCEPTION, 2, false);
    CHECK_INT(v.followers, 1);
    CHECK_TEXT(v.finding.text, "ValueError: boom");
    CHECK_TEXT(v.finding.frame, "train.py:4 in step");
}

TEST(a_symptom_is_never_promoted) {
    struct rootcause_verdict v;
    JUDGE(&v, WATCHDOG REPORT("-6", "Signal 6 (SIGABRT) received by PID 7"));
    check(&v, CLASS_COLLECTIVE_TIMEOUT, 0, true);
    JUDGE(&v, "Broken pipe\n", WATCHDOG);
    check(&v, CLASS_PEER_LOST, 0, true);
}

TEST(the_earliest_stamp_wins) {
    struct rootcause_verdict v;
    JUDGE_STAMPED(&v, "2026-11-20T10:00:05Z ValueError: CUDA out of memory. Tried to allocate 2 GiB\n",
                  "2026-11-20T10:00:02.5Z OSError: [Errno 28] No space left on device\n");
    check(&v, CLASS_STORAGE_ERROR, 1, false);
}

TEST(without_stamps_a_termination_signal_yields) {
    struct rootcause_verdict v;
    JUDGE(&v, "Received SIGTERM\n", EXCEPTION);
    check(&v, CLASS_USER_EXCEPTION, 1, false);
    JUDGE_STAMPED(&v, "2026-11-20T10:00:01Z Received SIGTERM\n",
                  "2026-11-20T10:00:02Z OSError: [Errno 28] No space left on device\n");
    check(&v, CLASS_PREEMPTION, 0, false);
}

/* torch distributed/elastic/multiprocessing/api.py */
#define FAILED(code) "E1124 04:50:26.201000 6964 api.py:882] failed (exitcode: " code ") local_rank: 0 (pid: 7)\n"
#define STOPPED "W1124 04:50:29.201000 6964 api.py:752] Received 15 death signal, shutting down workers\n"

TEST(who_is_stopped_after_a_failure_is_stopped_because_of_it) {
    struct rootcause_verdict v;
    JUDGE_STAMPED(&v, "2026-11-20T10:00:05Z " STOPPED, "2026-11-20T10:00:02Z " FAILED("-11"));
    check(&v, CLASS_CRASH_SIGNAL, 1, false);
    JUDGE_STAMPED(&v, "2026-11-20T10:00:05Z " STOPPED, "2026-11-20T10:00:02Z " FAILED("-9"));
    check(&v, CLASS_UNKNOWN, 1, false);
    JUDGE_STAMPED(&v, "2026-11-20T10:00:05Z " STOPPED, "2026-11-20T10:00:02Z " WATCHDOG);
    check(&v, CLASS_COLLECTIVE_TIMEOUT, 1, true);
    JUDGE_STAMPED(&v, "2026-11-20T10:00:01Z " STOPPED, "2026-11-20T10:00:02Z " WATCHDOG);
    check(&v, CLASS_PREEMPTION, 0, false);
    JUDGE(&v, STOPPED, WATCHDOG);
    check(&v, CLASS_PREEMPTION, 0, false);
    JUDGE(&v, WATCHDOG STOPPED);
    check(&v, CLASS_COLLECTIVE_TIMEOUT, 0, true);
    JUDGE(&v, STOPPED WATCHDOG);
    check(&v, CLASS_PREEMPTION, 0, false);
    JUDGE(&v, FAILED("-9") STOPPED);
    check(&v, CLASS_UNKNOWN, 0, false);
}

TEST(the_number_of_a_signal_is_whole) {
    struct rootcause_verdict v;
    JUDGE(&v, "SignalException: Process 7 got signal: 15\n");
    CHECK_TEXT(v.finding.reason, "SIGTERM");
    JUDGE(&v, "SignalException: Process 7 got signal: 1\n");
    CHECK_TEXT(v.finding.reason, "SIGHUP");
}

TEST(an_abort_without_a_symptom_is_a_crash) {
    struct rootcause_verdict v;
    JUDGE(&v, "RuntimeError: Connection closed by peer [10.0.0.1]:7\n", FAILED("-6"));
    check(&v, CLASS_CRASH_SIGNAL, 1, false);
    JUDGE(&v, "Broken pipe\n", WATCHDOG FAILED("-6"));
    check(&v, CLASS_PEER_LOST, 0, true);
}

TEST(a_crash_may_print_nothing) {
    struct rootcause_verdict v;
    judge(&v, false, 139, (const char *const[]){"Connection reset by peer\n", "step 1\n", NULL});
    check(&v, CLASS_CRASH_SIGNAL, 1, false);
    CHECK_TEXT(v.finding.reason, "SIGSEGV");
    CHECK_INT(v.finding.line, 0);
    judge(&v, false, 139, (const char *const[]){"Connection reset by peer\n", "step 1\n", "step 1\n", NULL});
    check(&v, CLASS_CRASH_SIGNAL, VERDICT_NO_LOG, false);
    judge(&v, false, 134, (const char *const[]){"Connection reset by peer\n", "step 1\n", NULL});
    check(&v, CLASS_PEER_LOST, 0, true);
    /* A container's first process cannot abort: the C library's abort() ends it by SIGSEGV. It printed why. */
    judge(&v, false, 139, (const char *const[]){"Connection reset by peer\n", "Broken pipe\n", NULL});
    check(&v, CLASS_PEER_LOST, 0, true);
}

/* Each container's lines are stamped by whoever reads them. */
TEST(a_lost_peer_follows_from_a_symptom_at_that_time) {
    struct rootcause_verdict v;
    JUDGE_STAMPED(&v, "2026-11-26T15:53:04.924Z UNAVAILABLE: Socket closed\n",
                  "2026-11-26T15:53:04.925Z Timeout (0:00:12)!\n");
    check(&v, CLASS_HANG_WATCHDOG, 1, true);
    JUDGE_STAMPED(&v, "2026-11-26T15:53:04.925Z Timeout (0:00:12)!\n",
                  "2026-11-26T15:53:04.924Z UNAVAILABLE: Socket closed\n");
    check(&v, CLASS_HANG_WATCHDOG, 0, true);
    JUDGE_STAMPED(&v, "2026-11-26T15:53:04.424Z UNAVAILABLE: Socket closed\n",
                  "2026-11-26T15:53:04.925Z Timeout (0:00:12)!\n");
    check(&v, CLASS_PEER_LOST, 0, true);
}

/* torch ProcessGroupGloo.cpp (2.15) */
TEST(who_is_waited_for_may_wait) {
    struct rootcause_verdict v;
    JUDGE(
        &v,
        "[rank1]:[E1124 04:52:08.9 ProcessGroupGloo.cpp:69] Rank 1 successfully reached monitoredBarrier, but received "
        "errors while waiting for send/recv from rank 0. Please check rank 0 logs for faulty rank.\n",
        "[rank0]:[E1124 04:52:08.9 ProcessGroupGloo.cpp:69] [Rank 0]: Rank 2 failed to pass monitoredBarrier in 12000 "
        "ms\n");
    check(&v, CLASS_COLLECTIVE_TIMEOUT, 0, true);
    CHECK_TEXT(v.waits_for, "rank 2");
    JUDGE(&v, "[rank1]: failed: Timed out waiting 5ms for recv operation from rank 0\n",
          "[rank0]: failed: Timed out waiting 5ms for recv operation from rank 1\n");
    CHECK_TEXT(v.waits_for, "");
}

/* TensorFlow grpc_remote_master.cc quotes the status; Paddle LightNetwork.cpp aborts by glog when it cannot connect. */
TEST(a_refused_connection_is_not_a_crash) {
    struct rootcause_verdict v;
    JUDGE(&v, "W   41468 tensorflow/core/distributed_runtime/rpc/grpc_remote_master.cc:159] RPC failed with status = "
              "\"Unavailable: Socket closed\" and grpc_error_string = \"{}\"\n");
    check(&v, CLASS_PEER_LOST, 0, true);
    JUDGE(&v,
          "F0719 10:40:45.100778 26612 LightNetwork.cpp:397] Check failed: error >= 0 ERROR connecting to 10.87.0.19: "
          "Connection refused [111]\n*** Check failure stack trace: ***\n    @  0x7  google::LogMessage::Fail()\n"
          "Aborted (core dumped)\n");
    check(&v, CLASS_STARTUP_RENDEZVOUS, 0, false);
}

/* XLA coordination_service_agent.cc prints at the end of each process. */
TEST(the_head_of_a_logger_ends_a_message) {
    struct rootcause_verdict v;
    JUDGE(&v, EXCEPTION "E1124 04:55:02.416859   18621 coordination_service_agent.cc:289] Polled an error from "
                        "coordination service (this can be an error from this or another task).\n");
    check(&v, CLASS_USER_EXCEPTION, 0, false);
    JUDGE(&v, EXCEPTION "2026-11-20 10:00:00 Connection reset by peer\n");
    check(&v, CLASS_USER_EXCEPTION, 0, false);
}

/* Cython prints no line of source: pyarrow's frames. */
TEST(a_frame_without_source_is_followed_by_the_exception) {
    struct rootcause_verdict v;
    JUDGE(&v, "Traceback (most recent call last):\n  File \"/app/train.py\", line 4, in read\n    f()\n"
              "  File \"error.pxi\", line 100, in check_status\nlib.Straddled: an object straddles two blocks\n");
    check(&v, CLASS_USER_EXCEPTION, 0, false);
    CHECK_TEXT(v.finding.reason, "Straddled");
}

TEST(the_frame_separates_a_checkpoint_from_data) {
    struct rootcause_verdict v;
    JUDGE(&v, "Traceback (most recent call last):\n  File \"/app/train.py\", line 4, in load_checkpoint\n    f()\n"
              "zipfile.BadZipFile: File is not a zip file\n");
    check(&v, CLASS_CHECKPOINT_ERROR, 0, false);
    JUDGE(&v, "Traceback (most recent call last):\n  File \"/app/train.py\", line 4, in read_batch\n    f()\n"
              "zipfile.BadZipFile: File is not a zip file\n");
    check(&v, CLASS_DATA_ERROR, 0, false);
}

TEST(a_kill_is_not_exhausted_memory) {
    struct rootcause_verdict v;
    JUDGE(&v, REPORT("-9", "Signal 9 (SIGKILL) received by PID 7"));
    check(&v, CLASS_UNKNOWN, 0, false);
    CHECK_INT(v.finding.rank, 3);
    JUDGE(&v, "Killed\n");
    check(&v, CLASS_UNKNOWN, 0, false);
    judge(&v, false, 137, (const char *const[]){"step 1\n", NULL});
    check(&v, CLASS_UNKNOWN, VERDICT_NO_LOG, false);
    CHECK_TEXT(v.finding.reason, "SIGKILL");
    JUDGE(&v, "Killed\nslurmstepd: error: Detected 1 oom_kill event in StepId=7.0.\n");
    check(&v, CLASS_HOST_OOM, 0, false);
}

/* composer, DeepSpeed's launch.py, torchelastic's api.py */
TEST(launchers_print_exit_codes) {
    static const struct {
        const char *line;
        enum rootcause_class class_;
        const char *reason;
    } lines[] = {
        {"ERROR:composer.cli.launcher:Rank 2 crashed with exit code -7.", CLASS_CRASH_SIGNAL, "SIGBUS"},
        {"[launch.py:324:sigkill_handler] ['python', 'a.py'] exits with return code = -11", CLASS_CRASH_SIGNAL,
         "SIGSEGV"},
        {"api.py:833] failed (exitcode: -15) local_rank: 0 (pid: 7) of binary: python", CLASS_PREEMPTION, "SIGTERM"},
        {"api.py:833] failed (exitcode: -9) local_rank: 0 (pid: 7) of binary: python", CLASS_UNKNOWN, "SIGKILL"},
        {"returned non-zero exit status 1.", CLASS_UNKNOWN, "ExitCode"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct rootcause_verdict v;
        JUDGE(&v, lines[i].line);
        check(&v, lines[i].class_, 0, false);
        CHECK_TEXT(v.finding.reason, lines[i].reason);
    }
}

TEST(exit_codes_count_alone) {
    static const struct {
        int code;
        enum rootcause_class class_;
    } codes[] = {{139, CLASS_CRASH_SIGNAL}, {143, CLASS_PREEMPTION}, {1, CLASS_UNKNOWN}, {0, CLASS_UNKNOWN}};
    for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
        struct rootcause_verdict v;
        judge(&v, false, codes[i].code, (const char *const[]){"step 1\n", NULL});
        check(&v, codes[i].class_, VERDICT_NO_LOG, false);
        judge(&v, false, codes[i].code, (const char *const[]){EXCEPTION, NULL});
        check(&v, CLASS_USER_EXCEPTION, 0, false);
    }
}

/* The rank that enqueued fewer collectives is the one the others wait for. */
TEST(a_symptom_names_whom_it_waits_for) {
    struct rootcause_verdict v;
    JUDGE(
        &v,
        "[rank0]:[E] [PG 0 Rank 0] Timeout at NCCL work: 9, last enqueued NCCL work: 9, last completed NCCL work: 8.\n"
        "[rank1]:[E] [PG 0 Rank 1] Timeout at NCCL work: 7, last enqueued NCCL work: 7, last completed NCCL work: "
        "6.\n");
    check(&v, CLASS_COLLECTIVE_TIMEOUT, 0, true);
    CHECK_TEXT(v.waits_for, "rank 1");
    CHECK_INT(v.followers, 2);
    /* XLA client.h */
    JUDGE(&v,
          "UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):\n"
          "/job:jax_worker/replica:0/task:3\n",
          "UNAVAILABLE: tasks are unhealthy: /job:jax_worker/replica:0/task:3\n");
    CHECK_TEXT(v.waits_for, "task 3");
    JUDGE(&v, "UNAVAILABLE: tasks are unhealthy: /job:jax_worker/replica:0/task:3\n");
    CHECK_TEXT(v.waits_for, "task 3");
    /* NCCL socket.cc */
    JUDGE(&v, "a:1:2 [0] socket.cc NCCL WARN socketProgress: Connection closed by remote peer 10.0.0.7<4000>\n");
    CHECK_TEXT(v.waits_for, "peer 10.0.0.7");
}

/* XLA's coordination service, Orbax: the first task at a barrier waits. */
TEST(the_lines_after_a_symptom_name_whom_it_waits_for) {
    struct rootcause_verdict v;
    JUDGE(&v,
          "DEADLINE_EXCEEDED: Barrier timed out. Id: 0_async_write_complete.0.1::0. This usually happens because a "
          "task triggered the barrier too early or too slowly.\n# of tasks that reached the barrier: 1/2.\nThe first "
          "task at the barrier: /job:jax_worker/replica:0/task:0. Some timed out task names:\n"
          "/job:jax_worker/replica:0/task:1\n");
    check(&v, CLASS_COLLECTIVE_TIMEOUT, 0, true);
    CHECK_TEXT(v.waits_for, "task 1");
    JUDGE(&v, "DEADLINE_EXCEEDED: Barrier timed out. Id: a. The first task at the barrier: "
              "/job:jax_worker/replica:0/task:0. Some timed out task names: /job:jax_worker/replica:0/task:5.\n");
    CHECK_TEXT(v.waits_for, "task 5");
    JUDGE(&v, "DEADLINE_EXCEEDED: Barrier timed out. Id: a. The first task at the barrier: "
              "/job:jax_worker/replica:0/task:0.\n");
    CHECK_TEXT(v.waits_for, "");
    JUDGE(&v,
          "E1124 04:55:02.4 7 client.cc:9] Polled an error from coordination service\nE1124 04:55:02.5 7 client.h:77] "
          "Terminating process because the JAX distributed service detected fatal errors: UNAVAILABLE: The following "
          "tasks are unhealthy (stopped sending heartbeats):\n/job:jax_worker/replica:0/task:3\n",
          "UNAVAILABLE: failed to connect to all addresses\n");
    CHECK_TEXT(v.waits_for, "task 3");
    JUDGE(
        &v,
        "E1126 20:16:48.634980   19138 coordination_service.cc:1549] [14] Use error polling to propagate the following "
        "error to all tasks: UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):\n1\nThe "
        "tasks have crashed. Check the task logs for an earlier error.\n",
        "F1126 20:16:48.665530   19160 client.h:80] Terminating process because the JAX distributed service detected "
        "fatal errors. absl::Status: DEADLINE_EXCEEDED: Deadline Exceeded\n");
    CHECK_TEXT(v.waits_for, "task 1");
    /* torch ProcessGroupNCCL.cpp: the rank whose watchdog reported first */
    JUDGE(&v,
          "[rank0]:[E] [PG 0 Rank 0] Received a dump signal due to a collective timeout from  rank 2 and we will try "
          "our best to dump the debug info.\n");
    CHECK_TEXT(v.waits_for, "");
}

/* CPython faulthandler, dump_traceback_later(): a stack a thread, the main thread's last. */
#define STACK(frames)                                                                                                  \
    "Timeout (0:00:12)!\nThread 0x00007f01 (most recent call first):\n  File \"/usr/lib/python3.11/threading.py\", "   \
    "line 320 in wait\n\nThread 0x00007f02 (most recent call first):\n" frames
#define BACKWARD "  File \"/v/site-packages/torch/autograd/graph.py\", line 769 in _engine_run_backward\n"
#define BARRIER "  File \"/v/site-packages/torch/distributed/distributed_c10d.py\", line 4159 in barrier\n"
#define IN_TRAIN(line) "  File \"/app/train.py\", line " line " in train\n"

TEST(the_stacks_of_a_watchdog_show_whom_the_others_wait_for) {
    struct rootcause_verdict v;
    JUDGE(&v, STACK(BACKWARD IN_TRAIN("9")), STACK(BACKWARD IN_TRAIN("9")), STACK(IN_TRAIN("7")),
          STACK(BACKWARD IN_TRAIN("9")));
    check(&v, CLASS_HANG_WATCHDOG, 0, true);
    CHECK_INT(v.waits_for_log, 2);
    JUDGE(&v, STACK(BARRIER IN_TRAIN("9")), STACK(IN_TRAIN("7")));
    CHECK_INT(v.waits_for_log, 1);
    /* two of them differ, all are alike, and the one that differs waits as well */
    JUDGE(&v, STACK(BACKWARD), STACK(BACKWARD), STACK(IN_TRAIN("7")), STACK(IN_TRAIN("6")));
    CHECK_INT(v.waits_for_log, VERDICT_NO_LOG);
    JUDGE(&v, STACK(BACKWARD), STACK(BACKWARD), STACK(BACKWARD));
    CHECK_INT(v.waits_for_log, VERDICT_NO_LOG);
    JUDGE(&v, STACK(BACKWARD), STACK(BACKWARD), STACK(BARRIER));
    CHECK_INT(v.waits_for_log, VERDICT_NO_LOG);
    JUDGE(&v, STACK(IN_TRAIN("7")), STACK(IN_TRAIN("6")));
    CHECK_INT(v.waits_for_log, VERDICT_NO_LOG);
    JUDGE(&v, STACK(IN_TRAIN("7")), "step 1\n");
    CHECK_INT(v.waits_for_log, VERDICT_NO_LOG);
}

/* A process that was killed prints nothing. */
TEST(symptoms_wait_for_the_only_silent_log) {
    struct rootcause_verdict v;
    JUDGE(&v, "Connection reset by peer\n", "step 1\n", "Broken pipe\n");
    check(&v, CLASS_PEER_LOST, 0, true);
    CHECK_INT(v.waits_for_log, 1);
    JUDGE(&v, "Connection reset by peer\n", "step 1\n", "step 1\n");
    CHECK_INT(v.waits_for_log, VERDICT_NO_LOG);
}

/* JAX: the process that hangs ends first; the other one leaves its collective with an exception, and its own watchdog
 * ends it later in JAX's shutdown. */
#define LEAVES_COLLECTIVE(frame)                                                                                       \
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 9, in train\n    gather(x)\n"                  \
    "  File \"" frame "\", line 134, in f\n    out = g(x)\n"                                                           \
    "ValueError: UNKNOWN: Gloo AllGather failed: [pair.cc:547] Connection closed by peer [10.0.0.7]:419\n"

TEST(a_traceback_out_of_a_collective_shows_where_a_process_waited) {
    struct rootcause_verdict v;
    JUDGE(&v, STACK(IN_TRAIN("7")), LEAVES_COLLECTIVE("/v/jax/experimental/multihost_utils.py") STACK(IN_TRAIN("3")));
    check(&v, CLASS_HANG_WATCHDOG, 0, true);
    CHECK_INT(v.waits_for_log, 0);
    /* no collective raised it: either may wait for the other */
    JUDGE(&v, STACK(IN_TRAIN("7")), LEAVES_COLLECTIVE("/v/jax/_src/api.py") STACK(IN_TRAIN("3")));
    CHECK_INT(v.waits_for_log, VERDICT_NO_LOG);
}

/* gloo pair.cc, unbound_buffer.cc: a rank whose network was cut fails no sooner than those that wait for it, and one of
 * these may end before another. */
TEST(an_address_counts_if_all_symptoms_name_it) {
    struct rootcause_verdict v;
#define CLOSED(address) "RuntimeError: [pair.cc:561] Connection closed by peer [" address "]:55993. This is typically\n"
    JUDGE(&v, CLOSED("10.77.0.1"), CLOSED("10.77.0.1"));
    check(&v, CLASS_PEER_LOST, 0, true);
    CHECK_TEXT(v.waits_for, "peer 10.77.0.1");
    JUDGE(&v, CLOSED("10.77.0.1"), CLOSED("10.77.0.2"));
    CHECK_TEXT(v.waits_for, "");
    JUDGE(&v, CLOSED("10.77.0.1"),
          "RuntimeError: [unbound_buffer.cc:78] Timed out waiting 12000ms for recv operation to complete\n");
    check(&v, CLASS_PEER_LOST, 0, true);
    CHECK_TEXT(v.waits_for, "");
    JUDGE(&v, CLOSED("fd00::7"));
    CHECK_TEXT(v.waits_for, "peer fd00::7");
}

/* NCCLUtils.hpp: the last error is in the message's last line. */
TEST(the_lines_of_a_message_name_the_exception) {
    struct rootcause_verdict v;
#define BACKEND(last)                                                                                                  \
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 4, in step\n    f()\n"                         \
    "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, unhandled system error\n"           \
    "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\n"            \
    "Last error:\n" last "\n"
    JUDGE(&v, BACKEND("socketStartConnect: Connect to 10.0.0.7<4000> failed : No route to host"));
    check(&v, CLASS_NETWORK, 0, false);
    JUDGE(&v, BACKEND("Cuda failure 2 'out of memory'"));
    check(&v, CLASS_DEVICE_OOM, 0, false);
    JUDGE(&v, BACKEND("socketProgress: Connection closed by remote peer 10.0.0.7<4000>"));
    check(&v, CLASS_PEER_LOST, 0, true);
}

TEST(one_stream_holds_several_ranks) {
    struct rootcause_verdict v;
    JUDGE(&v, "[rank0]: Traceback (most recent call last):\n[rank1]: Traceback (most recent call last):\n"
              "[rank0]:   File \"/app/a.py\", line 1, in f\n[rank1]:   File \"/app/b.py\", line 2, in g\n"
              "[rank0]: ConnectionResetError: [Errno 104] Connection reset by peer\n[rank1]: KeyError: 'x'\n");
    check(&v, CLASS_USER_EXCEPTION, 0, false);
    CHECK_INT(v.finding.rank, 1);
    CHECK_INT(v.followers, 1);
    CHECK_TEXT(v.finding.frame, "b.py:2 in g");
}

/* torch utils/data/_utils/worker.py */
TEST(the_original_traceback_of_a_worker) {
    struct rootcause_verdict v;
    JUDGE(
        &v,
        "Traceback (most recent call last):\n  File \"/app/train.py\", line 4, in <module>\n    f()\n"
        "KeyError: Caught KeyError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n"
        "  File \"/usr/lib/python3/site-packages/torch/utils/data/_utils/worker.py\", line 308, in _worker_loop\n"
        "    data = fetcher.fetch(index)\n  File \"/app/data.py\", line 9, in __getitem__\n    x\nKeyError: 'label'\n");
    check(&v, CLASS_USER_EXCEPTION, 0, false);
    CHECK_TEXT(v.finding.text, "KeyError: 'label'");
    CHECK_TEXT(v.finding.frame, "data.py:9 in __getitem__");
}

TEST(structured_messages) {
    struct rootcause_verdict v;
    /* torchelastic's error file */
    JUDGE(&v, "{\"message\": {\"message\": \"RuntimeError: boom\", \"extraInfo\": {\"py_callstack\": \"Traceback (most "
              "recent "
              "call last):\\n  File \\\"/app/train.py\\\", line 4, in main\\n    f()\\nRuntimeError: boom\\n\", "
              "\"timestamp\": \"1689298411\"}}}\n");
    check(&v, CLASS_USER_EXCEPTION, 0, false);
    CHECK_TEXT(v.finding.frame, "train.py:4 in main");
    /* a logger that prefixes every line */
    JUDGE(&v,
          "10:00:00 [worker] Traceback (most recent call last):\n10:00:00 [worker]   File \"/app/a.py\", line 3, in f\n"
          "10:00:01 [worker]     x\n10:00:01 [worker] IndexError: list index out of range\n");
    check(&v, CLASS_USER_EXCEPTION, 0, false);
    CHECK_TEXT(v.finding.reason, "IndexError");
    CHECK_TEXT(v.finding.frame, "a.py:3 in f");
}

TEST(advice_and_source_lines_are_no_evidence) {
    struct rootcause_verdict v;
    JUDGE(&v, "a.py:1: UserWarning: TypedStorage is deprecated.\n");
    check(&v, CLASS_UNKNOWN, VERDICT_NO_LOG, false);
    JUDGE(&v, "Traceback (most recent call last):\n  File \"/app/a.py\", line 3, in f\n"
              "    raise RuntimeError(\"CUDA out of memory\")\nIndexError: list index out of range\n");
    check(&v, CLASS_USER_EXCEPTION, 0, false);
    JUDGE(&v, "[W socket.cpp:401] [c10d] errno: 98 - Address already in use\n" EXCEPTION);
    check(&v, CLASS_USER_EXCEPTION, 0, false);
    JUDGE(&v, "[W socket.cpp:401] [c10d] errno: 98 - Address already in use\n");
    check(&v, CLASS_STARTUP_RENDEZVOUS, 0, false);
    JUDGE(&v, "Error: failed to run torchrun --nproc_per_node=4 train.py\n");
    check(&v, CLASS_UNKNOWN, VERDICT_NO_LOG, false);
    /* Ray */
    JUDGE(
        &v,
        "The actor is dead because its worker process has died. There are some potential root causes. (1) The process "
        "is killed by SIGKILL by OOM killer due to high memory usage. (3) The worker is crashed due to SIGSEGV.\n");
    check(&v, CLASS_PEER_LOST, 0, true);
}

TEST(a_long_line_is_read_and_quoted_in_part) {
    struct rootcause_verdict v;
    CLEANUP_FREE char *line = mem_alloc(1 << 17);
    memset(line, 'x', (1 << 17) - 1);
    memcpy(line + 70000, " No space left on device ", 25);
    JUDGE(&v, line);
    check(&v, CLASS_STORAGE_ERROR, 0, false);
    CHECK(strlen(v.finding.text) < QUOTE_BYTES);
    CHECK(strstr(v.finding.text, "No space left on device") != NULL);
}

/* A log that imitates a signature is evidence of that log alone: line and file say who printed it. */
TEST(the_line_says_where_it_was_printed) {
    struct rootcause_verdict v;
    JUDGE(&v, "fine\nfine\n", "fine\nNVRM: Xid (PCI:0000:9b:00): 48, pid=1, DBE\n");
    check(&v, CLASS_GPU_HARDWARE, 1, false);
    CHECK_INT(v.finding.line, 2);
}
