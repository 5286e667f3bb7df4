/* Messages in the form in which the named source prints them, each with its class. */
#include "examples.h"

TEST(messages_of_libraries) {
    static const struct example examples[] = {
        /* XLA coordination_service.cc, client.cc */
        {CLASS_STARTUP_RENDEZVOUS, false,
         "Original error: DEADLINE_EXCEEDED: Barrier timed out. Id: [Init]Wait_for_all_tasks_to_register::0. This "
         "usually happens because a task triggered the barrier too early or too slowly.\n"},
        {CLASS_STARTUP_RENDEZVOUS, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 9, in main\n    f()\n"
         "jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Barrier_id: PjRT_Client_Connect. "
         "Timed out task names:\n/job:jax_worker/replica:0/task:1\n"},
        {CLASS_STARTUP_RENDEZVOUS, false,
         "jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Connect() timed out after 300 with 1 attempts.\n"},
        /* Orbax: a barrier of a run that trains already */
        {CLASS_COLLECTIVE_TIMEOUT, true,
         "DEADLINE_EXCEEDED: Barrier timed out. Id: 7_async_write_complete.0.1. # of tasks that reached the barrier: "
         "1/2\n"},
        /* torch socket.cpp before 1.12, TCPStore */
        {CLASS_STARTUP_RENDEZVOUS, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 9, in main\n    f()\n"
         "ValueError: host not found: Name or service not known\n"},
        {CLASS_NETWORK, false,
         "Traceback (most recent call last):\n  File \"/app/data.py\", line 9, in fetch\n    f()\n"
         "socket.gaierror: [Errno -2] Name or service not known\n"},
        /* torch socket.cpp: it tries again */
        {CLASS_UNKNOWN, false,
         "[W socket.cpp:558] [c10d] The IPv6 network addresses of (job-0-0.job, 3389) cannot be retrieved (gai error: "
         "-2 - Name or service not known).\n"},
        /* clients of Cloud TPU, tpu_driver */
        {CLASS_TPU_INIT, false, "RuntimeError: TPU node-a is not HEALTHY yet. Re-run when all TPUs are HEALTHY\n"},
        {CLASS_TPU_INIT, false, "XlaRuntimeError: UNAVAILABLE: No TPU Platform available.\n"},
        /* aws-ofi-nccl nccl_ofi_rdma.cpp */
        {CLASS_NETWORK, false,
         "a:7:8 [0] ofi_process_cq:1088 NCCL WARN NET/OFI Request 0x7f completed with error. RC: 21. Error: unknown\n"},
        {CLASS_NETWORK, false,
         "a:7:8 [0] nccl_net_ofi_rdma_init:7978 NCCL WARN NET/OFI OFI fi_getinfo() call failed: No data available\n"},
        /* nvidia-resiliency-ext rank_monitor_server.py; torch_xla xla_dist.py */
        {CLASS_HANG_WATCHDOG, true,
         "[WARNING] [RankMonitorServer:3] Did not get subsequent heartbeat. Waited 60.00 s\n"},
        {CLASS_HANG_WATCHDOG, true, "RuntimeError: Client mesh is unhealthy due to non-matching heartbeats\n"},
        /* wandb */
        {CLASS_AUTH_QUOTA, false, "wandb.errors.CommError: Permission denied, ask the project owner to grant access\n"},
        /* torch ATen/native/cuda/TensorCompare.cu: the kernel asserts what the sampler found */
        {CLASS_NAN_DIVERGENCE, false,
         "TensorCompare.cu:110: _assert_async_cuda_kernel: block: [0,0,0], thread: [0,0,0] Assertion `probability "
         "tensor contains either `inf`, `nan` or element < 0` failed.\n"
         "RuntimeError: CUDA error: device-side assert triggered\n"},
        /* NVIDIA container toolkit, by way of containerd */
        {CLASS_GPU_DRIVER, false,
         "runc create failed: error running hook #0: exit status 1, stderr: nvidia-container-cli: initialization "
         "error: nvml error: driver not loaded: unknown\n"},
        /* metadata of Google Cloud; AWS */
        {CLASS_PREEMPTION, false, "10:00:00 GCP Metadata Service says termination is imminent\n"},
        {CLASS_PREEMPTION, false, "Spot instance interruption notice received\n"},
        /* Megatron-LM indexed_dataset.py */
        {CLASS_DATA_ERROR, false, "Dataset does not exist: /data/subset-01\n"},
        /* vLLM csrc/cumem_allocator.cpp; torch c10/cuda/driver_api.cpp */
        {CLASS_DEVICE_OOM, false,
         "RuntimeError: CUDA Error: out of memory at /workspace/csrc/cumem_allocator.cpp:62\n"},
        {CLASS_DEVICE_OOM, false, "RuntimeError: CUDA driver error: out of memory\n"},
        {CLASS_CUDA_ERROR, false, "RuntimeError: CUDA driver error: invalid argument\n"},
        /* TensorFlow save_restore_v2_ops.cc: the disk is full, not the device */
        {CLASS_STORAGE_ERROR, false,
         "ResourceExhaustedError: {{function_node f}} Could not append to the internal temporary file.\n"},
        /* google-api-core */
        {CLASS_STORAGE_ERROR, false,
         "google.api_core.exceptions.DeadlineExceeded: 504 Deadline Exceeded: POST https://storage.googleapis.com/x\n"},
        {CLASS_PEER_LOST, true, "status = StatusCode.DEADLINE_EXCEEDED details = Deadline Exceeded\n"},
        /* urllib; HTTP/1.1 status lines that clients quote */
        {CLASS_STORAGE_ERROR, false, "urllib.error.HTTPError: HTTP Error 503: Slow Down\n"},
        {CLASS_AUTH_QUOTA, false, "fatal: received 429 Too Many Requests\n"},
        /* UCX ucs_debug.c; MPICH hydra */
        {CLASS_CRASH_SIGNAL, false, "[a:1387 :0:1656] Caught signal 7 (Bus error: nonexistent physical address)\n"},
        {CLASS_CRASH_SIGNAL, false,
         "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   EXIT CODE: 139\n=   CLEANING UP REMAINING\n"},
        {CLASS_CRASH_SIGNAL, false, "APPLICATION TERMINATED WITH THE EXIT STRING: Bus error (signal 7)\n"},
        /* torch multiprocessing/spawn.py before 1.8 */
        {CLASS_UNKNOWN, false, "Exception: process 0 terminated with exit code 1\n"},
        /* Megatron-LM checkpointing.py */
        {CLASS_CHECKPOINT_ERROR, false, "Unable to load optimizer from checkpoint /ckpt/1000, exiting.\n"},
        /* amdgpu_job.c */
        {CLASS_CUDA_ERROR, false,
         "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring sdma0 timeout, signaled seq=16060, emitted seq=16062\n"},
        /* Slurm srun, the kubelet, libtpu */
        {CLASS_PREEMPTION, false, "srun: error: Node failure on gpu-12\n"},
        {CLASS_PREEMPTION, false, "Pod was active on the node longer than the specified deadline\n"},
        /* MPICH, PALS: the signal of a rank that ended first */
        {CLASS_CRASH_SIGNAL, false,
         "node-7.example: rank 31 died from signal 11\nnode-2.example: rank 0 died from signal 15\n"},
        {CLASS_UNKNOWN, false, "node-7.example: rank 31 died from signal 9\n"},
        {CLASS_PEER_LOST, true, "the launcher saw that rank 31 died\n"},
        /* HCCL hccl_socket.cc, autotrain utils.py */
        {CLASS_STARTUP_RENDEZVOUS, false,
         "[ERROR] HCCL(71,python3): [hccl_socket.cc:100] [71][HcclSocket][Listen] socket type[1], listen on "
         "ip[10.0.0.2] and specific port[16666] fail. Please check the port status.\n"},
        {CLASS_AUTH_QUOTA, false, "ERROR | app.utils:token_verification:138 - Failed to verify token: Invalid token\n"},
        /* CPython multiprocessing/reduction.py, in a worker of a data loader */
        {CLASS_SHM_DATALOADER, false,
         "Traceback (most recent call last):\n"
         "  File \"/v/site-packages/torch/utils/data/dataloader.py\", line 45, in _worker_loop\n"
         "    data_queue.put((idx, samples))\n"
         "  File \"/usr/lib/python3.11/multiprocessing/reduction.py\", line 190, in DupFd\n"
         "    return resource_sharer.DupFd(fd)\n"
         "OSError: [Errno 24] Too many open files\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(what_the_kernel_says_of_the_bus) {
    static const struct example examples[] = {
        {CLASS_GPU_HARDWARE, false, "[ 9.1] NVRM: Xid (PCI:0000:9b:00): 79, pid=7, GPU has fallen off the bus.\n"},
        {CLASS_GPU_HARDWARE, false, "kernel: NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.\n"},
        {CLASS_GPU_HARDWARE, false, "               NVRM: fallen off the bus and is not responding to commands.\n"},
        {CLASS_UNKNOWN, false, "question 7: why do GPUs fall? A GPU that has fallen off the bus is lost.\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Samples of a data set, requests, commands and structured logs quote texts of errors. */
TEST(quoted_data_does_not_count) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false,
         "{\"prompt\": \"Explain this\", \"answer\": \"CUDA error: uncorrectable ECC error encountered\"}\n"},
        {CLASS_UNKNOWN, false,
         "sample 3: {\"prompt\": \"x\", \"answer\": \"NVRM: Xid (PCI:0000:9b:00): 79, pid=7\"}\n"},
        {CLASS_UNKNOWN, false, "batch[0]: {'label': 'oom', 'text': 'CUDA out of memory. Tried to allocate 2 GiB'}\n"},
        {CLASS_UNKNOWN, false, "10.0.0.1 - - \"GET /search?q=OOMKilled HTTP/1.1\" 200 5123\n"},
        {CLASS_UNKNOWN, false, "+ grep -q 'CUDA out of memory' train.log\n"},
        {CLASS_DEVICE_OOM, false,
         "{\"level\": \"error\", \"message\": \"CUDA out of memory. Tried to allocate 2 GiB\"}\n"},
        {CLASS_CUDA_ERROR, false,
         "{\"event\": \"line\", \"data\": \"[rank1]: torch.AcceleratorError: HIP error: unspecified launch "
         "failure\\n\", "
         "\"pipe\": \"stderr\"}\n"},
        {CLASS_STORAGE_ERROR, false, "level=error msg=\"write failed\" err=\"write /a: No space left on device\"\n"},
        {CLASS_STORAGE_ERROR, false, "time=1 level=error msg=\"write /a: No space left on device\"\n"},
        {CLASS_DEVICE_OOM, false, "NCCL WARN Cuda failure 2 'out of memory'\n"},
        {CLASS_PEER_LOST, true,
         "a: UNAVAILABLE: {\"description\":\"x\",\"grpc_message\":\"Connection reset by peer\"}\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* transformers, Megatron-LM: symptoms that processes print while they leave do not count. Failures do. */
TEST(symptoms_of_the_teardown_do_not_count) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false,
         "Training completed. Do not forget to share your model on huggingface.co/models =)\n"
         "[W423 10:12:13.1 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=3): Connection reset by peer\n"},
        {CLASS_PEER_LOST, true,
         "[W423 10:12:13.1 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=3): Connection reset by peer\n"},
        {CLASS_STORAGE_ERROR, false,
         "[after training is done] datetime: 2025-02-14 13:37:28\nOSError: [Errno 28] No space left on device\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* The start of the traceback is cut off, and each line has a logger's prefix. */
TEST(a_frame_behind_a_prefix_opens_a_traceback) {
    struct rootcause_verdict v;
    judge(&v,
          "10:00:00 - app - INFO - [rank0]:   File \"/app/x/site-packages/torch/distributed/checkpoint/loader.py\", "
          "line 250, in local_step\n"
          "10:00:00 - app - INFO - [rank0]:     assert metadata is not None\n"
          "10:00:00 - app - INFO - [rank0]:            ^^^^^^^^^^^^^^^^^^^^\n"
          "10:00:00 - app - INFO - [rank0]: AssertionError\n");
    CHECK_TEXT(rootcause_class_name(v.finding.class_), "CheckpointError");
    judge(&v, "(Worker pid=7) ERROR 08-03 13:35:33 [executor.py:912]   File \"/app/train.py\", line 4, in step\n"
              "(Worker pid=7) ERROR 08-03 13:35:33 [executor.py:912]     f(x)\n"
              "(Worker pid=7) ERROR 08-03 13:35:33 [executor.py:912] ZeroDivisionError: division by zero\n");
    CHECK_TEXT(rootcause_class_name(v.finding.class_), "UserException");
    CHECK_TEXT(v.finding.frame, "train.py:4 in step");
}

#define RAISED(frame, exception) "Traceback (most recent call last):\n  File " frame "\n    raise x\n" exception "\n"

/* The place that raises says what an exception is about where its text does not. */
TEST(the_frame_names_what_was_wrong) {
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false,
         RAISED("\"/x/site-packages/transformers/training_args.py\", line 1742, in __post_init__",
                "ValueError: At most one of fp16 and bf16 can be True, but not both")},
        {CLASS_CONFIG_ERROR, false,
         RAISED("\"/x/site-packages/deepspeed/runtime/engine.py\", line 1025, in _do_sanity_check",
                "ValueError: Type fp16 is not supported.")},
        {CLASS_CONFIG_ERROR, false,
         RAISED("\"/app/megatron/training/arguments.py\", line 561, in validate_args", "AssertionError")},
        {CLASS_CHECKPOINT_ERROR, false,
         RAISED("\"/app/checkpoint.py\", line 60, in write_ckpt", "Exception: save failed")},
        {CLASS_USER_EXCEPTION, false, RAISED("\"/app/train.py\", line 60, in step", "Exception: save failed")},
        /* the call in the last frame */
        {CLASS_CHECKPOINT_ERROR, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 8, in main\n"
         "    optimizer.load_state_dict(saved[\"optimizer\"])\nKeyError: 'optimizer'\n"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 8, in main\n"
         "    optimizer.load_state_dict(restore())\n  File \"/app/train.py\", line 3, in restore\n"
         "    return {}[name]\nKeyError: 'optimizer'\n"},
        /* IPython, without its first lines */
        {CLASS_CHECKPOINT_ERROR, false,
         "File ~/x/site-packages/orbax/checkpoint/type_handlers.py:136, in _deserialize(sharding)\n"
         "    131   axis_names = list(names)\n--> 136   np.array(jax.devices()).reshape(shape)\n\n"
         "ValueError: cannot reshape array of size 2 into shape (1,64)\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Messages of the libraries beneath a trainer that read its data, write its figures or open its devices. */
TEST(messages_of_libraries_beneath_the_trainer) {
    static const struct example examples[] = {
        {CLASS_STARTUP_RENDEZVOUS, false,
         RAISED(
             "\"/x/torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py\", line 145, in _create_tcp_store",
             "RuntimeError: connect() timed out. Original timeout was 60000 ms.")},
        {CLASS_DATA_ERROR, false,
         "RuntimeError: Failed to download s3://bucket/train/index.json -> /tmp/train/index.json. Got errors:\n"
         "[ClientError('Object s3://bucket/train/index.json not found!')]\n"},
        {CLASS_NETWORK, false,
         RAISED("\"/x/site-packages/fsspec/asyn.py\", line 100, in sync", "fsspec.exceptions.FSTimeoutError")},
        {CLASS_UNKNOWN, false, "Warning: NaN or Inf found in input tensor.\nValidation loss 8416:  0.711720\n"},
        {CLASS_TPU_INIT, false, "  (0) Failed precondition: Driver must be Open to DMA map.\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Outside a traceback, a dotted name is an exception if its module or the name says so. */
TEST(an_exception_without_its_traceback) {
    static const struct example examples[] = {
        {CLASS_AUTH_QUOTA, false, "google.api_core.exceptions.ResourceExhausted: 429 too many reads of the project\n"},
        {CLASS_USER_EXCEPTION, false, "demo.errors.NoSuchSlot: slot 7\n"},
        {CLASS_USER_EXCEPTION, false, "struct.error: unpack requires a buffer of 8 bytes\n"},
        {CLASS_UNKNOWN, false, "demo.trainer.Loop: starting\n"},
        /* torch multiprocessing/spawn.py before 1.8: the message is the child's report */
        {CLASS_DATA_ERROR, false,
         "Traceback (most recent call last):\n  File \"/app/launch.py\", line 9, in main\n    spawn(f)\nException: \n\n"
         "-- Process 1 terminated with the following error:\nTraceback (most recent call last):\n"
         "  File \"/app/data.py\", line 4, in read\n    raise Broken\ntarfile.ReadError: bad checksum\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* IPython before 8: frames have no "File", and an arrow marks the line of source. */
TEST(a_traceback_of_an_older_ipython) {
    static const struct example examples[] = {
        {CLASS_CHECKPOINT_ERROR, false,
         "KeyError                                  Traceback (most recent call last)\n"
         "<ipython-input-3-0a1b2c> in <module>\n      8 \n----> 9 trainer.fit(model)\n\n"
         "/opt/lib/python3.9/site-packages/demo/connector.py in restore_optimizers(self)\n"
         "    300             pass\n--> 301             optimizer.load_state_dict(state)\n\nKeyError: 'momentum'\n"},
        {CLASS_USER_EXCEPTION, false,
         "ValueError                                Traceback (most recent call last)\n"
         "~/demo/train.py in step(batch)\n     11     if batch is None:\n"
         "---> 12         raise MemoryError('CUDA out of memory')\n     13 \n\nValueError: no batch\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Errors of the kernel, as C libraries and as Go write them. */
TEST(errors_of_the_kernel_in_either_case) {
    static const struct example examples[] = {
        {CLASS_STORAGE_ERROR, false, "open /ckpt/step-7: no space left on device\n"},
        {CLASS_STORAGE_ERROR, false, "OSError: [Errno 28] No space left on device: '/ckpt/step-7'\n"},
        {CLASS_STORAGE_ERROR, false, "stat /var/lib/kubelet/pods/1/volumes/v: stale NFS file handle\n"},
        {CLASS_STORAGE_ERROR, false, "fuse: *fuseops.ReadFileOp error: input/output error\n"},
        {CLASS_NETWORK, false, "dial tcp 192.0.2.7:443: connect: no route to host\n"},
        {CLASS_PEER_LOST, true, "read tcp 192.0.2.7:443: connection reset by peer\n"},
        /* NCCL ibvwrap.cc: of the card, whatever the error is */
        {CLASS_NETWORK, false, "NCCL WARN Call to ibv_create_qp failed with error Cannot allocate memory\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(a_launcher_that_quotes_an_exit_code) {
    static const struct example examples[] = {
        {CLASS_CRASH_SIGNAL, false, "ValueError: training failed: AlgorithmError: Exit Code: 139\n"}, /* SageMaker */
        {CLASS_UNKNOWN, false, "ValueError: training failed: AlgorithmError: Exit Code: 1\n"},
        {CLASS_UNKNOWN, false, "srun: error: n7: task 0: Killed\nsrun: Force Terminated StepId=7.0\n"},
        {CLASS_PEER_LOST, true, /* TensorFlow grpc_remote_master.cc says it of every lost session */
         "E master.cc:1] RPC failed: Socket closed, maybe retrying the RPC\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* What a line says of another process, or of a part of the program, gives way to a record of what ended it. */
TEST(a_record_that_explains_another_line) {
    static const struct example examples[] = {
        {CLASS_HOST_OOM, false,
         "RuntimeError: DataLoader worker (pid(s) 7) exited unexpectedly\nslurmstepd: error: Detected 1 oom-kill "
         "event(s) in StepId=7.batch.\n"},
        {CLASS_SHM_DATALOADER, false, "RuntimeError: DataLoader worker (pid(s) 7) exited unexpectedly\n"},
        {CLASS_COLLECTIVE_TIMEOUT, true, /* the shell continues */
         "/bin/sh: gpustat: command not found\n[Rank 1] Watchdog caught collective operation timeout: WorkNCCL\n"},
        {CLASS_USER_EXCEPTION, false, "run.sh: line 7: torchrun: command not found\n"},
        {CLASS_AUTH_QUOTA, false, "404 Client Error: Not Found for url: https://api.wandb.ai/graphql\n"},
        {CLASS_COMPILE_ERROR, false, "E1 7 torch/_inductor/runtime/triton_heuristics.py:8] [0/0]   tmp = a * b\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Horovod stall_inspector.cc */
TEST(a_stalled_operation_names_the_missing_rank) {
    struct rootcause_verdict v;
    judge(&v, "HorovodAllreduce_grad_0 [missing ranks: 2]\n");
    CHECK_INT(v.finding.class_, CLASS_COLLECTIVE_TIMEOUT);
    CHECK_TEXT(v.waits_for, "rank 2");
}

/* kubectl logs --prefix, docker compose, SageMaker's mpirun, a quoted text: each line has it, and the rest is as
 * without. */
TEST(names_of_containers_before_each_line) {
    static const char *const heads[] = {"[pod/trainer-0/main] ", "worker-1  | ", "[1,mpirank:3,algo-1]<stderr>:", "> "};
    static const char *const lines[] = {
        "Traceback (most recent call last):", "  File \"/app/train.py\", line 7, in step", "    x = d[k]",
        "KeyError: 'label'"};
    for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
        for (size_t first = 0; first < ARRAY_SIZE(lines); first += 3) { /* whole, and its last line alone */
            char text[512] = "";
            for (size_t j = first; j < ARRAY_SIZE(lines); j++)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s\n", heads[i], lines[j]);
            struct rootcause_verdict v;
            judge(&v, text);
            if (v.finding.class_ != CLASS_USER_EXCEPTION || strcmp(v.finding.reason, "KeyError") != 0)
                harness_fail(__FILE__, __LINE__, "%s: %s", v.finding.reason, text);
        }
}

/* An exception behind the head of a logger is one, unless its level is lower than an error. */
TEST(exceptions_that_a_logger_prints) {
    static const struct example examples[] = {
        {CLASS_USER_EXCEPTION, false, "2026-11-20 10:00:00,123 ERROR KeyError: 'label'\n"},
        {CLASS_USER_EXCEPTION, false, "[2026-11-20 10:00:00] [ERROR] [rank=3] KeyError: 'label'\n"},
        {CLASS_USER_EXCEPTION, false, "(EngineCore_0 pid=7) ERROR 11-20 10:00:00 [core.py:700] KeyError: 'label'\n"},
        {CLASS_USER_EXCEPTION, false, "[err, 11:47, 928s, g3118] KeyError: 'label'\n"},
        {CLASS_UNKNOWN, false, "2026-11-20 10:00:00,123 WARNING KeyError: 'label'\n"},
        {CLASS_UNKNOWN, false, "2026-11-20 10:00:00,123 INFO KeyError: 'label'\n"},
        {CLASS_UNKNOWN, false, "2026-11-20 10:00:00,123 ERROR the label caused KeyError: 'label'\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A program that prints a traceback with the level of a warning, or of information, caught the exception. */
TEST(tracebacks_that_a_logger_warns_of) {
#define IN_LEVEL(level)                                                                                                \
    level "Traceback (most recent call last):\n" level "  File \"/app/kernels.py\", line 7, in <module>\n" level       \
          "ImportError: libnvrtc.so.13: cannot open shared object file\n"
    static const struct example examples[] = {
        {CLASS_USER_EXCEPTION, false, IN_LEVEL("(Engine pid=7) ERROR 06-25 16:32:09 [a.py:408] ")},
        {CLASS_UNKNOWN, false, IN_LEVEL("(Engine pid=7) WARNING 06-25 16:32:09 [a.py:408] ")},
        {CLASS_UNKNOWN, false, IN_LEVEL("[2026-11-20 10:00:00,500] torch._dynamo.convert_frame: [WARNING] ")},
        {CLASS_PREEMPTION, false,
         "[INFO|2026-11-20 10:00:00] a:157 >> /m does not appear to have a file named value_head.bin\n"
         "[2026-11-20 10:00:01] received SIGTERM, saving\n"},
        {CLASS_CONFIG_ERROR, false,
         "[ERROR|2026-11-20 10:00:00] a:157 >> /m does not appear to have a file named value_head.bin\n"
         "[2026-11-20 10:00:01] received SIGTERM, saving\n"},
        {CLASS_CUDA_ERROR, false, "RuntimeError: unhandled cuda error (run with NCCL_DEBUG=INFO for details)\n"},
    };
#undef IN_LEVEL
    check_all(examples, ARRAY_SIZE(examples));
}

/* A program that prints its own source does not fail by what that source would raise. */
TEST(source_that_a_log_holds) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false, "if size != expected:\n    raise ValueError(f\"size mismatch for {file}\")\nstep 1\n"},
        {CLASS_CHECKPOINT_ERROR, false, "ERROR size mismatch for head.weight\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* U+00A0 in place of spaces, as web pages hold them. */
TEST(spaces_of_web_pages) {
#define WIDE "\xc2\xa0"
    static const struct example examples[] = {
        {CLASS_DATA_ERROR, false,
         "Traceback (most recent call last):\n" WIDE WIDE
         "File \"/app/dataset.py\", line 7, in read\n" WIDE WIDE WIDE WIDE "assert rows\nAssertionError\n"},
        {CLASS_DEVICE_OOM, false,
         "RuntimeError:" WIDE "CUDA" WIDE "out" WIDE "of" WIDE "memory. Tried to allocate 2 GiB\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}
