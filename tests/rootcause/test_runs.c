/* Several runs in one log, and what a run survived. */
#include "examples.h"

#define FAILED                                                                                                         \
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in <module>\nNameError: name 'x'\n"
#define STOPPED                                                                                                        \
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 9, in <module>\n    "                          \
    "step()\nKeyboardInterrupt\n"

/* What a line before the start of a run shows is not of that run. */
TEST(the_last_of_several_runs_decides) {
    static const struct example examples[] = {
        {CLASS_USER_EXCEPTION, false, FAILED STOPPED},
        {CLASS_PREEMPTION, false, FAILED "nohup: ignoring input\n" STOPPED},
        {CLASS_PREEMPTION, false,
         FAILED "srun: job 7 queued and waiting for resources\nsrun: Job has been cancelled\n"},
        {CLASS_PREEMPTION, false,
         FAILED "======================= Modified FLAGS detected =======================\n" STOPPED},
        {CLASS_PREEMPTION, false,
         FAILED "I0101 10:00:00.000000 7 nccl_context.cc:189] init nccl context nranks: 2 local rank: 0\n" STOPPED},
        {CLASS_UNKNOWN, false, FAILED "nohup: ignoring input\nbuilding the model\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Paddle platform/init.cc: the name of the signal, and "is detected by the operating system". */
TEST(signals_that_paddle_reports) {
#define SUMMARY "----------------------\nError Message Summary:\n----------------------\n"
    static const struct example examples[] = {
        {CLASS_PREEMPTION, false, SUMMARY "FatalError: `Termination signal` is detected by the operating system.\n"},
        {CLASS_PREEMPTION, false, SUMMARY "FatalError: (Termination signal) is detected by the operating system.\n"},
        {CLASS_CRASH_SIGNAL, false, SUMMARY "FatalError: `Segmentation fault` is detected by the operating system.\n"},
        {CLASS_CRASH_SIGNAL, false,
         SUMMARY "FatalError: `Process abort signal` is detected by the operating system.\n"},
        {CLASS_PREEMPTION, false,
         STOPPED SUMMARY "FatalError: `Process abort signal` is detected by the operating system.\n"},
        {CLASS_DEVICE_OOM, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in <module>\nMemoryError: \n\n"
         "C++ Traceback (most recent call last):\n" SUMMARY
         "ResourceExhaustedError: \n\nOut of memory error on GPU 3. Cannot allocate 30MB memory on GPU 3.\n"},
        {CLASS_HOST_OOM, false, "MemoryError: \n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* What a program logs for those who debug it, or tries without need, did not end it. */
TEST(what_a_run_survives) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false, "Sun, 1 Jan 10:00:00  DEBUG no CYGWIN: FileNotFoundError(2, 'No such file')\n"},
        {CLASS_UNKNOWN, false,
         "12:01:36.106 [I] Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot "
         "open shared object file: No such file or directory (7:xla_bridge.py:925)\n"},
        {CLASS_TPU_INIT, false, "RuntimeError: Unable to initialize backend 'tpu': NOT_FOUND: no device\n"},
        {CLASS_UNKNOWN, false, "SLURM auto-requeueing enabled. Setting signal handlers.\n"},
        {CLASS_PREEMPTION, false, "requeing job 7...\n"},
        {CLASS_PREEMPTION, false,
         "Lmod has detected the following error: The following module(s) are unknown: \"cuda/11\"\nstep\n"
         "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T10:00:00 ***\n"},
        {CLASS_PREEMPTION, false,
         "W0101 10:00:00.1 7 api.py:900] Sending process 8 closing signal SIGHUP\n"
         "Traceback (most recent call last):\n  File \"/v/elastic/agent/server/api.py\", line 7, in run\n"
         "torch.distributed.elastic.multiprocessing.api.SignalException: Process 7 got signal: 1\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A thread ends alone; the steps after it are of the process that it was in. */
TEST(a_thread_whose_process_makes_steps) {
#define OF_THREAD                                                                                                      \
    "Exception in thread Thread-7:\nTraceback (most recent call last):\n  File \"/app/a.py\", line 7, in run\n"        \
    "    x\nUnicodeDecodeError: 'utf-8' codec can't decode byte 0xad\n"
    struct rootcause_verdict v;
    judge(&v, OF_THREAD "loading\n");
    CHECK(v.finding.class_ == CLASS_DATA_ERROR);
    for (int steps = 2; steps <= 3; steps++) {
        struct matcher *m = matcher_new();
        struct rootcause_log *log = rootcause_log_new(m, false);
        struct slice text = SLICE(OF_THREAD), line;
        for (int64_t number = 1; slice_take_line(&text, &line); number++)
            rootcause_log_line(log, line, number);
        for (int i = 0; i < steps; i++)
            rootcause_log_progress(log);
        rootcause_log_end(log);
        CHECK((rootcause_log_best(log) == NULL) == (steps > 2));
        rootcause_log_free(log);
        matcher_free(m);
    }
}

/* The last losses of a log that says nothing else are NaN. */
TEST(losses_that_are_nan) {
    static const struct example examples[] = {
        {CLASS_NAN_DIVERGENCE, false, "epoch 3 loss: 0.25\nepoch 4 loss: nan\nepoch 5 loss: nan\n"},
        {CLASS_NAN_DIVERGENCE, false, "it 9: train_loss=nan, lr=0.1\ntorchrun: exit status 1\n"},
        {CLASS_CRASH_SIGNAL, false, "epoch 4 loss: nan\nSegmentation fault (core dumped)\n"},
        {CLASS_PREEMPTION, false, "epoch 4 loss: nan\nKeyboardInterrupt\n"},
        {CLASS_PREEMPTION, false,
         "epoch 4 loss: nan\nslurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE TO TIME LIMIT "
         "***\n"},
        {CLASS_DEVICE_OOM, false, "epoch 4 loss: nan\ntorch.OutOfMemoryError: CUDA out of memory.\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* What a process survived is not why it died. */
TEST(what_was_left_out_was_survived) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false, "WARNING:root:NaN detected in the loss of batch 7, skipping it\n"},
        {CLASS_UNKNOWN, false, "Skipping sample 12: cannot identify image file 'a.png'\n"},
        /* apex amp/scaler.py: a loss scale of 0 lets no later step be made */
        {CLASS_UNKNOWN, false, "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0\n"},
        {CLASS_NAN_DIVERGENCE, false, "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 0.0\n"},
        {CLASS_CRASH_SIGNAL, false, "Skip this batch, loss is nan\nSegmentation fault (core dumped)\n"},
        /* JAX xla_bridge.py tries each platform in turn */
        {CLASS_UNKNOWN, false,
         "I1120 10:00:00.000000 17 xla_bridge.py:660] Unable to initialize backend 'tpu': INTERNAL: Failed to open "
         "libtpu.so: libtpu.so: cannot open shared object file: No such file or directory\n"},
        /* glog: a cause at level I yields to another */
        {CLASS_USER_EXCEPTION, false,
         "I1120 10:00:00.000000 17 store.cc:9] write: No space left on device, another disk is used\n"
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 4, in step\n    f()\nIndexError: x\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* The first of these lines is printed where the program then does without. */
TEST(what_a_program_does_without) {
    static const struct example examples[] = {
        {CLASS_STARTUP_RENDEZVOUS, false,
         "n1:16:16 [0] NCCL INFO NET/IB : No device found.\n"
         "n1:16:95 [0] include/socket.h:347 NCCL WARN Call to bind failed : Address already in use\n"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in step\n    next(it)\n"
         "StopIteration\n"},
        {CLASS_CONFIG_ERROR, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in step\n    next(it)\n"
         "StopIteration\n\nDuring handling of the above exception, another exception occurred:\n\n"
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 9, in step\n    f()\n"
         "TypeError: TrainConfig.__init__() got an unexpected keyword argument 'lr'\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}
