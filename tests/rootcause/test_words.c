/* Messages that no row has whole: their numbers, the words of an exception's name, and other languages. */
#include "examples.h"

/* The text after a number is the C library's, in the language of the process. */
TEST(errors_by_their_number) {
    static const struct example examples[] = {
        {CLASS_STORAGE_ERROR, false, "OSError: [Errno 28] Kein Platz auf dem Datentr\xc3\xa4ger: 'a.pt'\n"},
        {CLASS_STORAGE_ERROR, false, "OSError: [Errno 5] E/A-Fe\n"},
        {CLASS_STORAGE_ERROR, false, "Error: failed to write shard: Uncategorized (os error 122)\n"},
        {CLASS_STARTUP_RENDEZVOUS, false, "OSError: [Errno 98] L'adresse est d\xc3\xa9j\xc3\xa0 prise\n"},
        {CLASS_PEER_LOST, true, "OSError: [Errno 104] \xd0\xa1\xd0\xb1\xd1\x80\xd0\xbe\xd1\x81\n"},
        {CLASS_HOST_OOM, false, "OSError: [Errno 12] Kann keinen Speicher reservieren\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* bash and glibc's strsignal in the language of the shell. */
TEST(signals_in_other_languages) {
    static const struct example examples[] = {
        {CLASS_CRASH_SIGNAL, false, "./run.sh: \xe8\xa1\x8c 7: 12 \xe6\xae\xb5\xe9\x94\x99\xe8\xaf\xaf  python a.py\n"},
        {CLASS_CRASH_SIGNAL, false, "run.sh: Zeile 7: 12 Speicherzugriffsfehler  (Speicherabzug geschrieben) python\n"},
        {CLASS_CRASH_SIGNAL, false, "run.sh: ligne 7 : 12 Erreur de segmentation  (core dumped) python a.py\n"},
        {CLASS_UNKNOWN, false, "run.sh: Zeile 7: 12 Get\xc3\xb6tet  python a.py\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* An exception that no row names is about what its own name says; without a word of these it is the program's. */
TEST(words_of_the_name_of_an_exception) {
#define RAISED(text)                                                                                                   \
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in main\n    run()\n" text "\n"
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false, RAISED("acme.core.RunConfigurationError: no such mode")},
        {CLASS_CHECKPOINT_ERROR, false, RAISED("acme.io.CheckpointReadError: shard 3")},
        {CLASS_DATA_ERROR, false, RAISED("acme.io.DatasetIncompleteError: shard 3")},
        {CLASS_AUTH_QUOTA, false, RAISED("acme.hub.CredentialsMissingError: log in first")},
        {CLASS_AUTH_QUOTA, false, RAISED("acme.hub.HourlyRateLimitError: too fast")},
        {CLASS_COMPILE_ERROR, false, RAISED("acme.kernels.KernelCompilationError: line 3")},
        {CLASS_DEVICE_OOM, false, RAISED("acme.XPUOutOfMemoryError: 3 GiB")},
        {CLASS_STARTUP_RENDEZVOUS, false, RAISED("acme.RendezvousGaveUpError: 3 of 4")},
        {CLASS_HANG_WATCHDOG, true, RAISED("acme.WatchdogExpiredError: 600 s")},
        {CLASS_NAN_DIVERGENCE, false, RAISED("acme.NonFiniteGradientError: layer 3")},
        {CLASS_PREEMPTION, false, RAISED("acme.PreemptionNoticeError: 30 s")},
        {CLASS_USER_EXCEPTION, false, RAISED("acme.TokenizerMismatchError: 3")},
        {CLASS_USER_EXCEPTION, false, RAISED("KeyError: 'Config'")},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* An exception whose name and message say nothing is about what its library is for; one of Python itself is not. */
TEST(modules_of_the_name_of_an_exception) {
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false, RAISED("omegaconf.errors.GrammarParseError: token recognition error")},
        {CLASS_CONFIG_ERROR, false, RAISED("yaml.reader.ReaderError: unacceptable character #x0000")},
        {CLASS_STORAGE_ERROR, false, RAISED("botocore.exceptions.WaiterError: 3")},
        {CLASS_DATA_ERROR, false, RAISED("pyarrow.lib.ArrowKeyError: No match for FieldRef")},
        {CLASS_COMPILE_ERROR, false, RAISED("torch._dynamo.exc.UserError: Dynamic control flow")},
        {CLASS_CUDA_ERROR, false, RAISED("cupy.cuda.cufft.CuFFTError: 6")},
        {CLASS_PEER_LOST, true, RAISED("horovod.common.exceptions.HostsUpdatedInterrupt")},
        /* its name or its message says more */
        {CLASS_AUTH_QUOTA, false, RAISED("google.api_core.exceptions.Forbidden: 3")},
        {CLASS_DEVICE_OOM, false, RAISED("torch._inductor.exc.InductorError: CUDA out of memory. Tried")},
        {CLASS_USER_EXCEPTION, false, RAISED("acme.yaml.Error: 3") "Traceback (most recent call last):\n"},
        {CLASS_USER_EXCEPTION, false, RAISED("TypeError: 3")},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Without a traceback a name of the table is an exception if its module comes before it; a logger's name is not. */
TEST(exceptions_whose_names_have_no_ending) {
    static const struct example examples[] = {
        {CLASS_DATA_ERROR, false, "zipfile.BadZipFile: File is not a zip file\n"},
        {CLASS_DATA_ERROR, false, "pyarrow.lib.ArrowInvalid: Could not open Parquet input source\n"},
        {CLASS_UNKNOWN, false, "org.apache.spark.SparkContext: Running Spark version 3.5.0\n"},
        {CLASS_COMPILE_ERROR, false, "torch._dynamo.exc.FailOnCacheLimit: 3\n"},
        {CLASS_UNKNOWN, false, "torch._dynamo.convert_frame: 3\n"},
        {CLASS_UNKNOWN, false, "urllib3.exceptions.InsecureRequestWarning: Unverified HTTPS request\n"},
        {CLASS_UNKNOWN, false, "acme.BadZipFiles: 3\n"},
        {CLASS_UNKNOWN, false, "BadZipFile: 3\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* libstdc++ prints the message of an exception that nothing catches; torch c10 says where it comes from. */
TEST(exceptions_of_cpp) {
#define UNCAUGHT "terminate called after throwing an instance of 'std::runtime_error'\n"
    static const struct example examples[] = {
        {CLASS_CHECKPOINT_ERROR, false, UNCAUGHT "  what():  cannot read the checkpoint of step 7\n"},
        {CLASS_CUDA_ERROR, false, UNCAUGHT "  what():  CUDA error: unspecified launch failure\n"},
        {CLASS_CRASH_SIGNAL, false, UNCAUGHT "  what():  bad optional access\n"},
        {CLASS_COLLECTIVE_TIMEOUT, true,
         "Exception raised from checkTimeout at ProcessGroupNCCL.cpp:565 (most recent call first):\n"
         "frame #0: c10::Error::Error(c10::SourceLocation) + 0x55 (0x7f in libc10.so)\n"
         "W0308 20:45:28 1 api.py:851] Sending process 5627 closing signal SIGTERM\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* The calls of CUDA say by a number what failed; the words alone are not a failure. */
TEST(calls_of_cuda) {
    static const struct example examples[] = {
        {CLASS_CUDA_ERROR, false, "PhysX error: SynchronizeStreams cuEventRecord failed with error 700\n"},
        {CLASS_CUDA_ERROR, false, "cudaStreamSynchronize returned 719\n"},
        {CLASS_GPU_DRIVER, false, "RuntimeError: CUDA error: initialization error\n"},
        {CLASS_GPU_HARDWARE, false, "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"},
        {CLASS_CUDA_ERROR, false, /* of a peer's access or of hardware: the text does not say which */
         "RuntimeError: CUDA error: Invalid access of peer GPU memory over nvlink or a hardware error\n"},
        {CLASS_UNKNOWN, false, "[Warning] PhysX warning: PxgCudaMemoryAllocator.cpp, LINE 167\n"},
        {CLASS_UNKNOWN, false, "NCCL INFO cudaStreamCreate: 2 streams, cuMem host enabled\n"},
        {CLASS_UNKNOWN, false, "[Rank 0] loss_scaler: OVERFLOW! Skipping step. Attempted loss scale: 65536\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Programs that train print such words, too. */
TEST(words_that_are_no_failure) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false, "INFO: found 3 annotations, no samples were skipped, 120 images in 3 folders\n"},
        {CLASS_UNKNOWN, false,
         "xla_bridge.py:895] Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so\n"},
        {CLASS_UNKNOWN, false, "NOTE: use the NVIDIA Container Toolkit to start this container with GPU support\n"},
        {CLASS_UNKNOWN, false, "reward: the solution exceeded the time limit, score 0\n"},
        {CLASS_USER_EXCEPTION, false, RAISED("RuntimeError: Unknown type annotation: 'Foo'")},
        {CLASS_USER_EXCEPTION, false, RAISED("_pickle.PicklingError: Can't pickle local object 'f.<locals>.g'")},
        {CLASS_UNKNOWN, false,
         "E0106 16:56:22.64 7 torch/_inductor/select_algorithm.py:2100] No valid triton configs. OutOfResources: out "
         "of "
         "resource: shared memory, Required: 245760\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Clients try again, and survivors report what the end of a peer did to them. */
TEST(what_is_tried_again_and_what_survivors_print) {
    static const struct example examples[] = {
        {CLASS_STORAGE_ERROR, false, /* TensorFlow retrying_utils.cc: weak, and progress clears it */
         "I retrying_utils.cc:73] The operation failed and will be automatically retried in 1 seconds (attempt 1 out "
         "of "
         "10), caused by: Unavailable: Error executing an HTTP request: HTTP response code 503\n"},
        {CLASS_CUDA_ERROR, false, /* what was tried again is not the cause of what ended it */
         "I retrying_utils.cc:73] The operation failed and will be automatically retried in 1 seconds (attempt 1 out "
         "of "
         "10), caused by: Unavailable: Error executing an HTTP request: HTTP response code 503\n"
         "RuntimeError: CUDA error: unspecified launch failure\n"},
        {CLASS_PEER_LOST, true, /* what a network reports after a peer ended */
         "NCCL WARN NET/IB: Got CQE with error (devIndex=0)\nNCCL WARN NET/IB: Got completion from peer 10.0.0.1<5> "
         "with "
         "status=IBV_WC_WR_FLUSH_ERR(5) opcode=0\nlibfabric: efa_rdm_cq_handle_error: Unresponsive receiver\n"},
        {CLASS_COLLECTIVE_TIMEOUT, true,
         "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL ran for 1 milliseconds before timing out.\n"
         "cudaEventDestroy failed\nOSError: [Errno 39] Directory not empty: '/tmp/x'\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A check of a setting says what it has to be. */
TEST(settings_that_a_check_refuses) {
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false, RAISED("AssertionError: chunks per rank: 0 has to be greater than 0")},
        {CLASS_CONFIG_ERROR, false, RAISED("ValueError: the number of stages must be at least 2")},
        {CLASS_CONFIG_ERROR, false, RAISED("Exception: please set the run's name: must be set")},
        {CLASS_CONFIG_ERROR, false, "Key 'stages' not in 'PipelineSection'\n    full_key: pipeline.stages\n"},
        {CLASS_USER_EXCEPTION, false, RAISED("RuntimeError: the sum must be at least 2")},
        {CLASS_USER_EXCEPTION, false, RAISED("ValueError: shapes (3,4) and (5,) not aligned")},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* absl::Status in TensorFlow and torch_xla: the words of a status stand after a colon or in a bracket. */
TEST(status_words_of_a_peer) {
    static const struct example examples[] = {
        {CLASS_PEER_LOST, true,
         "Exception in device=TPU:3: Aborted: Session 7f is not found.\n"
         "terminate called after throwing an instance of 'std::runtime_error'\n"},
        {CLASS_PEER_LOST, true,
         "Exception in device=TPU:3: a.cc:7 : Check failed: run() == Status::OK() (Cancelled: From /job:w/task:0:\n"},
        {CLASS_PREEMPTION, false, "E0611 10:00:00.1 7 coredump_hook.cc:250] RAW: gathering disabled for SIGTERM.\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Who mounts, who reports: the program's name in front of its error. */
TEST(errors_by_the_program_that_reports_them) {
    static const struct example examples[] = {
        {CLASS_STORAGE_ERROR, false, "stderr: /bin/fusermount: no device, load the module first\n"},
        {CLASS_STORAGE_ERROR, false, "mount.nfs: access denied by server while mounting s:/data\n"},
        {CLASS_AUTH_QUOTA, false, "wandb: ERROR cannot reach the backend\n"},
        {CLASS_GPU_DRIVER, false, "10:00:00 INFO cannot communicate with the NVIDIA driver.\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* An exception whose name says nothing, by the words of its message. */
TEST(words_of_a_message) {
    static const struct example examples[] = {
        {CLASS_COMPILE_ERROR, false, RAISED("RuntimeError: could not continue: Graph compile failed on node 3")},
        {CLASS_DEVICE_OOM, false, RAISED("RuntimeError: the device memory is too small for 3 tensors")},
        {CLASS_GPU_DRIVER, false, RAISED("RuntimeError: No XPU found here")},
        {CLASS_GPU_DRIVER, false, RAISED("AssertionError: CUDA is required to train")},
        {CLASS_CHECKPOINT_ERROR, false, RAISED("RuntimeError: the newest checkpoint has another layout")},
        {CLASS_DATA_ERROR, false, RAISED("RuntimeError: this dataset has no rows")},
        {CLASS_STARTUP_RENDEZVOUS, false, RAISED("RuntimeError: the coordinator did not answer")},
        {CLASS_NAN_DIVERGENCE, false, RAISED("RuntimeError: the norm of the gradients is not finite")},
        {CLASS_AUTH_QUOTA, false, RAISED("RuntimeError: this API key was revoked")},
        {CLASS_HANG_WATCHDOG, true, RAISED("TimeoutError: there was no heartbeat for 600 s")},
        {CLASS_USER_EXCEPTION, false, RAISED("RuntimeError: 3 and 4 do not match")},
        {CLASS_USER_EXCEPTION, false, RAISED("RuntimeError: use_reentrant needs gradient checkpointing here")},
        {CLASS_USER_EXCEPTION, false, /* it recomputes activations, and saves nothing */
         RAISED("torch.utils.checkpoint.CheckpointError: torch.utils.checkpoint: Recomputed values differ")},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Launchers, schedulers and training loops, each in its own words. */
TEST(words_of_launchers_and_loops) {
    static const struct example examples[] = {
        {CLASS_STARTUP_RENDEZVOUS, false, "pdsh@a: b: ssh exited with exit code 255\n"},
        {CLASS_STARTUP_RENDEZVOUS, false,
         "CalledProcessError: Command 'ssh b true' returned non-zero exit status 255.\n"},
        {CLASS_UNKNOWN, false, "CalledProcessError: Command 'python a.py' returned non-zero exit status 1.\n"},
        {CLASS_HOST_OOM, false, "error: Step 7.0 exceeded memory limit (7 > 6), being killed\n"},
        {CLASS_NAN_DIVERGENCE, false, "ERROR NaN detected, the run ends here\n"},
        {CLASS_UNKNOWN, false, "WARNING NaN detected, skipping step 7\n"},
        {CLASS_HANG_WATCHDOG, true, "ERROR there was no progress for 600 s\n"},
        {CLASS_COLLECTIVE_TIMEOUT, true, "ERROR NCCL timeout in reduce_scatter\n"},
        {CLASS_PEER_LOST, true, "ERROR lost connection to rank 3\n"},
        {CLASS_PREEMPTION, false, "caught signal 15, saving\n"},
        {CLASS_PREEMPTION, false, "10 s are left: requeueing job 7\n"},
        {CLASS_CONFIG_ERROR, false, "libnuma: Warning: cpu argument 64-71 is out of range\n"},
        {CLASS_DATA_ERROR, false, "FileNotFoundError: [Errno 2] No such file or directory: 'in/dataset.pt'\n"},
        {CLASS_CHECKPOINT_ERROR, false, "FileNotFoundError: [Errno 2] No such file or directory: 'in/data/net.pt'\n"},
        {CLASS_UNKNOWN, false,
         "Exception in thread Thread-4:\nTraceback (most recent call last):\n  File \"/v/wandb/a.py\", line 3, in f\n"
         "    x\nException: The wandb backend process has shutdown\n"},
        {CLASS_UNKNOWN, false, "wandb: ERROR Dropped streaming file chunk (see wandb/debug-internal.log)\n"},
        {CLASS_AUTH_QUOTA, false, "wandb: ERROR something else\n"},
        {CLASS_UNKNOWN, false, "wandb: ERROR Error while calling W&B API: run a/b not found during createRunFiles\n"},
        {CLASS_DEVICE_OOM, false, "ERROR the trainer ran out of GPU memory\n"},
        {CLASS_NETWORK, false, "curl: (28) no data came for 300 s\n"},
        {CLASS_COMPILE_ERROR, false, "a.cc:7: internal compiler error: in f, at g.c:7\n"},
        {CLASS_CUDA_ERROR, false, "CUDA Exception: Lane Illegal Address\n"},
        {CLASS_UNKNOWN, false, "Started at Sun May  4 16:32:09 2025\nTerminated at Sun May  4 16:44:59 2025\n"},
        {CLASS_PREEMPTION, false, "Terminated\n"},
        {CLASS_UNKNOWN, false, "wandb: ERROR Error while calling W&B API: deadline exceeded (<Response [500]>)\n"},
        {CLASS_AUTH_QUOTA, false, "wandb: ERROR Error while calling W&B API: no access (<Response [403]>)\n"},
        {CLASS_CONFIG_ERROR, false, "ValueError: Output directory (/r/checkpoints) already exists and is not empty.\n"},
        {CLASS_CONFIG_ERROR, false, "srun: error: Invalid --container-mounts argument: data:/data\n"},
        {CLASS_CONFIG_ERROR, false, "Lmod has detected an error: The following module(s) are unknown: \"cuda/11\"\n"},
        {CLASS_CONFIG_ERROR, false, "failed: Can't find 'adapter_config.json' at '/ckpt'\n"},
        {CLASS_DEVICE_OOM, false, "F1228 01:28:25.392861 17 a.cc:3] Check failed: 0 == s Cuda Error: out of memory\n"},
        {CLASS_DEVICE_OOM, false, "F0912 17:23:26.346724 783 a.cc:75] cudaGetLastError out of memory errno:2\n"},
        {CLASS_PEER_LOST, true,
         "E a.cc:249] BaseCollectiveExecutor::StartAbort DEADLINE_EXCEEDED: Deadline Exceeded\n"
         "F a.cc:103] Non-OK-status: Stop() status: UNIMPLEMENTED: Clean shutdown is not there\n"},
        {CLASS_COMPILE_ERROR, false, "F a.cc:103] Non-OK-status: UNIMPLEMENTED: this operation\n"},
        {CLASS_STARTUP_RENDEZVOUS, false,
         "E a.cc:307] DEADLINE_EXCEEDED: GetKeyValue() timed out with key: devices=\n"},
        {CLASS_AUTH_QUOTA, false, "openai.APIStatusError: Error code: 402 - {'detail': 'You need a balance'}\n"},
        {CLASS_USER_EXCEPTION, false, RAISED("sqlite3.OperationalError: table t has 11 columns but 7 values came")},
        {CLASS_STORAGE_ERROR, false, RAISED("sqlite3.OperationalError: disk I/O error")},
        {CLASS_CONFIG_ERROR, false, RAISED("ValueError: require 2 GPUs, but only 1 GPUs available ")},
        {CLASS_USER_EXCEPTION, false,
         RAISED("pyarrow.lib.ArrowInvalid: Could not convert <a.Image> with type Image: did not recognize Python value "
                "type when inferring an Arrow data type")},
        {CLASS_DATA_ERROR, false,
         RAISED("pyarrow.lib.ArrowInvalid: Could not open Parquet input source '<Buffer>': Parquet magic bytes not "
                "found in footer.")},
        {CLASS_GPU_DRIVER, false, "XGBoostError: common.h:153: XGBoost version not compiled with GPU support\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* What a library logs before it raises ends nothing where the program catches it. */
TEST(what_is_logged_before_it_is_raised) {
#define BIND "[E socket.cpp:500] [c10d] The server socket has failed to listen on any local network address.\n"
#define LOADING                                                                                                        \
    "INFO:root:while loading Error(s) in loading state_dict for Model:\n\tMissing key(s) in state_dict: \"a\"\n"
    static const struct example examples[] = {
        {CLASS_STARTUP_RENDEZVOUS, false, BIND},
        {CLASS_USER_EXCEPTION, false, BIND RAISED("KeyError: 'K_range'")},
        {CLASS_STARTUP_RENDEZVOUS, false,
         RAISED("RuntimeError: The server socket has failed to listen on any local network address.")},
        {CLASS_STARTUP_RENDEZVOUS, false,
         BIND RAISED("ValueError: Default process group has not been initialized, please make sure to")},
        {CLASS_USER_EXCEPTION, false,
         RAISED("ValueError: Default process group has not been initialized, please make sure to")},
        {CLASS_USER_EXCEPTION, false, LOADING RAISED("AttributeError: 'Model' object has no attribute 'module'")},
        {CLASS_CHECKPOINT_ERROR, false,
         RAISED("RuntimeError: Error(s) in loading state_dict for Model:\n\tMissing key(s) in state_dict: \"a\"")},
        {CLASS_CHECKPOINT_ERROR, false, RAISED("RuntimeError: Parent directory out/64 does not exist.")},
        {CLASS_USER_EXCEPTION, false,
         RAISED("ValueError: DistributedDataParallel's input module must be on the same type of devices")},
        {CLASS_USER_EXCEPTION, false,
         RAISED("RuntimeError: x failed.\n In addition, you can set the environment variable A to find out more")},
    };
#undef BIND
#undef LOADING
    check_all(examples, ARRAY_SIZE(examples));
}

/* A warning of Python is not the end, but it may be all there is. */
TEST(warnings_of_python_count_last) {
    static const struct example examples[] = {
        {CLASS_GPU_DRIVER, false,
         "a.py:52: UserWarning: CUDA initialization: Error 803: system has unsupported display driver / cuda driver "
         "combination\n"},
        {CLASS_USER_EXCEPTION, false,
         "a.py:52: UserWarning: CUDA initialization: Error 803: system has unsupported display driver / cuda driver "
         "combination\n"
         "Traceback (most recent call last):\n  File \"/app/a.py\", line 3, in f\n    x\nIndexError: y\n"},
        {CLASS_PEER_LOST, true,
         "a.py:52: UserWarning: CUDA initialization: Error 803: system has unsupported display driver / cuda driver "
         "combination\n"
         "Connection closed by remote peer host<1>\n"},
        {CLASS_UNKNOWN, false, /* of the program: it continues */
         "a.py:632: UserWarning: torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly.\n"},
        {CLASS_UNKNOWN, false, "WARNING:imageio: image size must be divisible by macro_block_size=16, resizing\n"},
        {CLASS_CONFIG_ERROR, false, "image size must be divisible by macro_block_size=16\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* glog prints F before it aborts; Paddle's launcher prints a signal as a negative code. */
TEST(how_a_process_ended_by_its_log) {
    static const struct example examples[] = {
        {CLASS_CRASH_SIGNAL, false, "F1120 10:00:00.000000 17 init.cc:1205] Init() has not finished yet\n"},
        {CLASS_UNKNOWN, false, "F1 score 0.93\n"},
        {CLASS_UNKNOWN, false, "terminate called without an active exception\n"}, /* a thread ran on at the exit */
        {CLASS_CRASH_SIGNAL, false, "terminate called without an active exception\nexitcode: -6\n"},
        {CLASS_DEVICE_OOM, false,
         "F1120 10:00:00.000000 17 init.cc:1205] Init() has not finished yet\nCUDA out of memory. Tried to x\n"},
        {CLASS_CRASH_SIGNAL, false, "Container rank 0 status failed cmd ['train.py'] code -11 log log/0.log\n"},
        {CLASS_UNKNOWN, false, "Container rank 0 status failed cmd ['train.py'] code 1 log log/0.log\n"},
        {CLASS_CONFIG_ERROR, false, "train.py: error: 'Configuration check failed'\n"},
        {CLASS_HOST_OOM, false, "memory allocation of 2097152 bytes failed\n"},
        {CLASS_PREEMPTION, false, /* a notice names the cause of what was seen before */
         "The actor died unexpectedly before finishing this task.\n\tthe actor's node was preempted: drain\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}
