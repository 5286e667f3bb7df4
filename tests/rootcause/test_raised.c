/* Exceptions whose traceback, and errors whose surroundings, say what they are about. */
#include "examples.h"

/* What failed is the data, whatever the network says: the traceback shows who read from it. */
TEST(training_data_that_a_network_does_not_deliver) {
    static const struct example examples[] = {
        /* aiohttp below datasets: the first exception of the chain says why, the last one for whom */
        {CLASS_DATA_ERROR, false,
         "Traceback (most recent call last):\n  File \"/v/site-packages/aiohttp/helpers.py\", line 7, in __exit__\n    "
         "raise asyncio.TimeoutError from None\nasyncio.exceptions.TimeoutError\n\n"
         "The above exception was the direct cause of the following exception:\n\n"
         "Traceback (most recent call last):\n  File \"/v/site-packages/datasets/builder.py\", line 7, in prepare\n    "
         "raise FSTimeoutError from e\nfsspec.exceptions.FSTimeoutError\n"},
        {CLASS_NETWORK, false,
         "Traceback (most recent call last):\n  File \"/v/site-packages/aiohttp/helpers.py\", line 7, in __exit__\n    "
         "raise asyncio.TimeoutError from None\nasyncio.exceptions.TimeoutError\n"},
        /* torch utils/data/dataloader.py: the worker's own traceback has no frame of the loader */
        {CLASS_DATA_ERROR, false,
         "Traceback (most recent call last):\n  File \"/v/torch/utils/data/dataloader.py\", line 7, in _process_data\n "
         "  "
         " data.reraise()\nConnectionError: Caught ConnectionError in DataLoader worker process 8.\n"
         "Original Traceback (most recent call last):\n  File \"/v/site-packages/aiohttp/connector.py\", line 7, in "
         "f\n "
         "   addrs = await resolve()\nsocket.gaierror: [Errno -3] Temporary failure in name resolution\n"},
        /* huggingface_hub utils/_http.py: it tries again; what follows is the end */
        {CLASS_DATA_ERROR, false,
         "'(ReadTimeoutError(\"x\"), '(Request ID: 1)')' thrown while requesting GET https://h/datasets/a/b.json\n"
         "Retrying in 1s [Retry 1/5].\nFileNotFoundError: zstd://b.jsonl::hf://datasets/a/b.jsonl.zst\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* torch utils/data/dataloader.py: the line that carries the worker's exception counts if the worker's traceback is cut
 * off, and only then. */
TEST(an_exception_that_a_data_loader_carries) {
    static const struct example examples[] = {
        {CLASS_DATA_ERROR, false, "FSTimeoutError: Caught FSTimeoutError in DataLoader worker process 1.\n"},
        {CLASS_USER_EXCEPTION, false, "IndexError: Caught IndexError in DataLoader worker process 0.\n"},
        {CLASS_DEVICE_OOM, false,
         "Traceback (most recent call last):\n  File \"/v/torch/_utils.py\", line 7, in reraise\n    raise exception\n"
         "RuntimeError: Caught RuntimeError in DataLoader worker process 0.\n"
         "Original Traceback (most recent call last):\n  File \"/app/data.py\", line 7, in get\n    x.cuda()\n"
         "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A file that the loading of data cannot read is training data; a mistake in the same code is the program's. */
TEST(what_the_loading_of_data_cannot_read) {
#define LOADING                                                                                                        \
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in build_dataloader\n    f = open(p)\n"
    static const struct example examples[] = {
        {CLASS_DATA_ERROR, false, LOADING "FileNotFoundError: [Errno 2] No such file or directory: '/d/000001'\n"},
        {CLASS_DATA_ERROR, false, LOADING "OSError: truncated\n"},
        {CLASS_USER_EXCEPTION, false, LOADING "KeyError: '/d/000001'\n"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in main\n    f = open(p)\n"
         "FileNotFoundError: [Errno 2] No such file or directory: '/d/000001'\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* No peer is lost before the processes met. */
TEST(processes_that_never_met) {
    static const struct example examples[] = {
        {CLASS_STARTUP_RENDEZVOUS, false, /* torch distributed/rendezvous.py */
         "Traceback (most recent call last):\n  File \"/v/torch/distributed/rendezvous.py\", line 7, in "
         "_create_c10d_store\n    return TCPStore(\ntorch.distributed.DistNetworkError: Unknown error\n"},
        {CLASS_PEER_LOST, true,
         "Traceback (most recent call last):\n  File \"/v/torch/distributed/distributed_c10d.py\", line 7, in "
         "barrier\n    work.wait()\ntorch.distributed.DistNetworkError: Unknown error\n"},
        {CLASS_STARTUP_RENDEZVOUS, false, /* torch distributed/elastic/rendezvous/c10d_rendezvous_backend.py */
         "Traceback (most recent call last):\n  File \"/v/torch/distributed/elastic/rendezvous/"
         "c10d_rendezvous_backend.py\", line 7, in _create_tcp_store\n    store = TCPStore(\n"
         "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has "
         "failed. See inner exception for details.\n"},
        {CLASS_STARTUP_RENDEZVOUS, false, /* JAX _src/distributed.py */
         "Traceback (most recent call last):\n  File \"/v/jax/_src/distributed.py\", line 95, in initialize\n    "
         "self.client.connect()\njaxlib.xla_extension.XlaRuntimeError: UNAVAILABLE: failed to connect\n"},
        {CLASS_STARTUP_RENDEZVOUS, false,
         "srun: error: Task launch for 7.0 failed on node n1: Invalid job credential\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* An exception that names no class is about what the last frame is for. */
TEST(where_an_exception_was_raised) {
    static const struct example examples[] = {
        {CLASS_COMPILE_ERROR, false,
         "Traceback (most recent call last):\n  File \"/v/jax/_src/compiler.py\", line 7, in backend_compile\n    "
         "return backend.compile(m)\njaxlib.xla_extension.XlaRuntimeError: UNKNOWN: -:0:0: error: unknown type code\n"},
        {CLASS_COMPILE_ERROR, false, /* a link of Colab */
         "XlaRuntimeError                           Traceback (most recent call last)\n"
         "[/v/jax/_src/compiler.py](https://localhost:8080/#) in backend_compile(backend, module)\n"
         "--> 303     return backend.compile(m)\n\nXlaRuntimeError: UNKNOWN: -:0:0: error: unknown type code\n"},
        {CLASS_CONFIG_ERROR, false,
         "Traceback (most recent call last):\n  File \"/v/site-packages/vllm/config/model.py\", line 7, in check\n    "
         "raise ValueError(\nValueError: no such dtype\n"},
        {CLASS_STORAGE_ERROR, false,
         "Traceback (most recent call last):\n  File \"/v/site-packages/gcsfs/core.py\", line 7, in call\n    "
         "raise e\nOSError: closed\n"},
        {CLASS_AUTH_QUOTA, false,
         "Traceback (most recent call last):\n  File \"/v/site-packages/wandb/sdk/wandb_init.py\", line 7, in init\n   "
         " "
         "raise e\nwandb.errors.error.Error: Couldn't communicate with backend after 15 seconds\n"},
        {CLASS_COMPILE_ERROR, false,
         "cc1plus: fatal error: cuda_runtime.h: No such file or directory\n"
         "compilation terminated.\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* slurmstepd and srun: a step whose task failed ends the others, which says nothing of the cause. */
TEST(a_step_that_ends_because_a_task_failed) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false,
         "error: *** STEP 7.0 ON n1 CANCELLED AT 2026-11-20T10:00:00 DUE TO TASK FAILURE ***\n"
         "srun: error: n1: tasks 0-6: Terminated\nsrun: Force Terminated StepId=7.0\n"},
        {CLASS_PREEMPTION, false, "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-11-20T10:00:00 ***\n"},
        {CLASS_HOST_OOM, false, /* the record comes at the end of the step */
         "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-20T10:00:00 ***\n"
         "slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch. Some of the step tasks have been OOM "
         "Killed.\n"},
        {CLASS_PREEMPTION, false, /* what else follows a stop follows from it */
         "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-20T10:00:00 ***\nOSError: [Errno 5] I/O error\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A terminal wraps a long line anywhere, also within a word, and without the prefix of its process. */
TEST(lines_that_a_terminal_wrapped) {
    static const struct example examples[] = {
        {CLASS_COLLECTIVE_TIMEOUT, true, /* torch ProcessGroupNCCL.cpp */
         "  what():  [PG ID 0 Rank 3] Process group watchdog thread terminated with exception: [Rank 3] Watchdog "
         "caught "
         "colle\nctive operation timeout: WorkNCCL(SeqNum=4, OpType=BROADCAST)\n"},
        {CLASS_DEVICE_OOM, false, /* vLLM v1/core/kv_cache_utils.py */
         "(EngineCore pid=7)   File \"/v/vllm/v1/core/kv_cache_utils.py\", line 7, in check\n(EngineCore pid=7)     "
         "raise ValueError(\n(EngineCore pid=7) ValueError: To serve at least one request with the model's length, 4 "
         "GiB are ne\neded, which is larger than the available KV cache memory (3 GiB)\n"},
        {CLASS_UNKNOWN, false, /* another line, and not the rest of one */
         "[2026-11-20 10:00:00] step 7 of the run that was started by the operator: every GPU\n is lost in thought\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* CPython traceback.c: what was being handled when a resource failed did not end the program; a cause did. */
TEST(exceptions_while_another_is_handled) {
    static const struct example examples[] = {
        {CLASS_STORAGE_ERROR, false,
         "Traceback (most recent call last):\n  File \"/v/pathlib.py\", line 7, in mkdir\n    mkdir(self)\n"
         "FileNotFoundError: [Errno 2] No such file or directory: 'out/a'\n\n"
         "During handling of the above exception, another exception occurred:\n\n"
         "Traceback (most recent call last):\n  File \"/v/pathlib.py\", line 7, in mkdir\n    mkdir(self)\n"
         "OSError: [Errno 30] Read-only file system: 'out'\n"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"/app/data.py\", line 7, in rows\n    yield row['text']\n"
         "KeyError: 'text'\n\nThe above exception was the direct cause of the following exception:\n\n"
         "Traceback (most recent call last):\n  File \"/app/data.py\", line 9, in prepare\n    raise Failed(\n"
         "DatasetGenerationError: An error occurred while generating the dataset\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Of a traceback without its last line the raise, IPython's headline, or a frame is all that there is. */
TEST(tracebacks_that_are_cut_off_before_their_exception) {
    static const struct example examples[] = {
        {CLASS_COMPILE_ERROR, false, /* torch _inductor/compile_fx.py */
         "  File \"/v/compile_fx.py\", line 7, in inner\n    raise InductorError(e, f()).with_traceback(\n"
         "  File \"/v/compile_fx.py\", line 3, in inner\n    graph = compile_it(\n"},
        {CLASS_DEVICE_OOM, false, /* IPython core/ultratb.py */
         "OutOfMemoryError                          Traceback (most recent call last)\n"
         "/tmp/ipykernel_7/7.py in <cell line: 0>()\n----> 1 trainer.train()\n"},
        {CLASS_AUTH_QUOTA, false,
         "File /app/hub.py:7, in get(url)\n      6 if denied:\n----> 7     raise errors.GatedRepoError(message)\n"},
        {CLASS_CHECKPOINT_ERROR, false, /* Orbax */
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in fit\n    manager.restore(\n"
         "  File \"/v/site-packages/orbax/checkpoint/checkpoint_manager.py\", line 7, in restore\n    "
         "handler.restore(\n"},
        {CLASS_USER_EXCEPTION, false,
         "ImportError                               Traceback (most recent call last)\nCell In[7], line 1\n"},
        {CLASS_CONFIG_ERROR, false, /* a narrow box of rich, DeepSpeed */
         "│ /v/site-packages/deepspeed/runtime/config.py: │\n│ 942 in _configure                             │\n"
         "│ ❱  942 │   │   self.check()                   │\n"},
        {CLASS_CHECKPOINT_ERROR, false,
         "╭───── Traceback (most recent call last) ───────╮\n"
         "│ /v/site-packages/orbax/                       │\n│ checkpoint/manager.py:7 in restore            │\n"
         "│ ❱  7 │   │   self.restore()                   │\n"},
        {CLASS_UNKNOWN, false, /* nothing names a cause */
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in fit\n    raise RuntimeError(\n"},
        {CLASS_PEER_LOST, true, /* a symptom is never promoted by it */
         "Traceback (most recent call last):\n  File \"/v/site-packages/orbax/checkpoint/m.py\", line 7, in restore\n"
         "    sync()\ntorch.distributed.DistNetworkError: Unknown error\n"
         "Traceback (most recent call last):\n  File \"/v/site-packages/orbax/checkpoint/m.py\", line 7, in restore\n"
         "    raise InductorError(\n"},
        {CLASS_UNKNOWN, false, /* threads.c of faulthandler: what waits is not what failed */
         "Thread 0x7f (most recent call first):\n"
         "  File \"/v/site-packages/orbax/checkpoint/m.py\", line 7 in wait\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Python's subprocess and torchelastic print the code of a process that Windows ended. */
TEST(codes_of_windows) {
    static const struct example examples[] = {
        {CLASS_CRASH_SIGNAL, false,
         "subprocess.CalledProcessError: Command '['python.exe', 'train.py']' returned non-zero exit status "
         "3221225477.\n"},
        {CLASS_CRASH_SIGNAL, false, "  exitcode  : 3221226505 (pid: 7)\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* torch distributed/checkpoint, Megatron-LM dist_checkpointing, JAX array_serialization */
TEST(checkpoints_of_another_shape) {
    static const struct example examples[] = {
        {CLASS_CHECKPOINT_ERROR, false, "ValueError: Size mismatch between saved torch.Size([7]) and current: x\n"},
        {CLASS_CHECKPOINT_ERROR, false, "FAILED t.py::f - ValueError: sharding passed to deserialization should be\n"},
        {CLASS_CHECKPOINT_ERROR, false, "[rank7]: ValueError: Failed to validate global plan\n"},
        {CLASS_CHECKPOINT_ERROR, false, "ValueError: Global shape mismatch for loaded (7) and expected (3) tensor\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A connection that is lost before the processes met is of the start; later it is of a peer. */
TEST(connections_of_the_start) {
    static const char lost[] = "Traceback (most recent call last):\n"
                               "  File \"/v/torch/distributed/elastic/backend.py\", line 7, in _call_store\n    f()\n"
                               "RuntimeError: Connection reset by peer\n\n"
                               "The above exception was the direct cause of the following exception:\n\n"
                               "Traceback (most recent call last):\n";
    static const char error[] =
        "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The store failed.\n";
    char text[1024];
    struct rootcause_verdict v;
    snprintf(text, sizeof text, "%s  File \"/v/torch/run.py\", line 7, in next_rendezvous\n    f()\n%s", lost, error);
    judge(&v, text);
    CHECK_INT(v.finding.class_, CLASS_STARTUP_RENDEZVOUS);
    CHECK(!v.is_symptom_only);
    snprintf(text, sizeof text, "%s  File \"/v/torch/api.py\", line 7, in num_nodes_waiting\n    f()\n%s", lost, error);
    judge(&v, text);
    CHECK_INT(v.finding.class_, CLASS_PEER_LOST);
    CHECK(v.is_symptom_only);
    static const struct example examples[] = {
        {CLASS_STARTUP_RENDEZVOUS, false, "RendezvousConnectionError: The connection to the C10d store has failed.\n"},
        {CLASS_PEER_LOST, true,
         "The node 'a' has failed to shutdown the rendezvous 'b' due to an error of type RendezvousConnectionError.\n"
         "RendezvousConnectionError: The connection to the C10d store has failed.\n"},
        {CLASS_STARTUP_RENDEZVOUS, false,
         "Traceback (most recent call last):\n  File \"/v/torch/distributed_c10d.py\", line 7, in "
         "init_process_group\n    timeout=timeout)\nRuntimeError: Connection reset by peer\n"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in main\n"
         "    dist.init_process_group(backend)\nTypeError: init() takes 1 positional argument but 2 were given\n"},
        {CLASS_PEER_LOST, true,
         "core_worker.cc:513: Failed to register worker to Raylet: IOError: [RayletClient] End of file\n"},
        {CLASS_PEER_LOST, true, "RuntimeError: Stop_waiting response is expected\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* The name before an exception's is of what prints it. */
TEST(exceptions_that_another_program_prints) {
    static const struct example examples[] = {
        {CLASS_USER_EXCEPTION, false, "UnfilteredStackTrace: TypeError: the branches differ\n"},
        {CLASS_USER_EXCEPTION, false, ">   rows = [x[i] for i in order]\nE   KeyError: 1\n"},
        {CLASS_COMPILE_ERROR, false, "RuntimeError: Internal Triton PTX codegen error\n"},
        {CLASS_COMPILE_ERROR, false,
         "Compilation failure: Detected unsupported operations when trying to compile graph loop[] on XLA_TPU_JIT\n"},
        {CLASS_DEVICE_OOM, false, "MemoryError: Error allocating 512 bytes of device memory (out of memory).\n"},
        {CLASS_USER_EXCEPTION, false, "wandb.errors.Error: You must call wandb.init() before wandb.log()\n"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"/v/wandb/integration/tensorboard/monkeypatch.py\", line 7, in "
         "patch\nValueError: Tensorboard already patched\n"},
        {CLASS_DATA_ERROR, false,
         "SystemError: (Fatal) Blocking queue is killed because the data reader raises an exception.\n"},
        {CLASS_CHECKPOINT_ERROR, false, "RuntimeError: (NotFound) Cannot open file ./log/run/inference.pdmodel\n"},
        {CLASS_DATA_ERROR, false,
         "tensorflow.python.framework.errors_impl.NotFoundError: 2 root error(s) found.\n"
         "  (0) Not found:  images/7.jpg; No such file or directory\n"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"/app/dataset/graph.py\", line 7, in load\n"
         "RuntimeError: !t.is_cuda() INTERNAL ASSERT FAILED at \"/p/Sparse.cpp\":822, please report a bug\n"},
        {CLASS_COMPILE_ERROR, false,
         "BackendCompilerFailed: backend='inductor' raised: RuntimeError: Triton Error [CUDA]: image is invalid\n"},
        {CLASS_TPU_INIT, false, "F0317 02:46:21.1 7 a.cc:10] Check failed: tpu::TpuHalFactory::Register(\n"},
        {CLASS_TPU_INIT, false, "F a/tpu_library_init_fns.inc:104] F_WriteParameters not available in this library.\n"},
        {CLASS_PREEMPTION, false, "A worker died or was killed. Worker exit detail: The process receives a SIGTERM.\n"},
        {CLASS_STORAGE_ERROR, false,
         "ClientError: An error occurred (AccessDenied) when calling the PutObject operation: Access Denied\n"},
        {CLASS_PREEMPTION, false, "controller.py:100] The cluster is preempted.\n"},
        {CLASS_TPU_INIT, false,
         "INFO:jax._src.xla_bridge:889: Unable to initialize backend 'tpu': ABORTED: The TPU is already in use by "
         "7.\n"},
        {CLASS_UNKNOWN, false,
         "INFO:jax._src.xla_bridge:889: Unable to initialize backend 'tpu': INVALID_ARGUMENT: it is not available.\n"},
        {CLASS_TPU_INIT, false, "/v/jax/__init__.py:27: UserWarning: cloud_tpu_init failed: KeyError('a')\n"},
        {CLASS_GPU_DRIVER, false,
         "ERROR: The NVIDIA Driver is present, but CUDA failed to initialize.\n   [[ System not yet initialized (error "
         "802) ]]\n"},
        {CLASS_DEVICE_OOM, false,
         "RuntimeError: Resource exhausted: From /job:tpu_worker/replica:0/task:0:\n"
         "Attempting to reserve 7G at the bottom of memory. That was not possible.\n"},
        {CLASS_COMPILE_ERROR, false, "2026-01-01T00:00:00Z ERROR 7 [neuronx-cc]: Version information:\n"},
        {CLASS_CUDA_ERROR, false, "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: cuSolver internal error\n"},
        {CLASS_AUTH_QUOTA, false,
         "ClientError: An error occurred (AccessDenied) when calling the AssumeRole operation: Access Denied\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Between the head of a traceback and its first frame another stream may print. */
TEST(what_comes_before_the_first_frame_ends_no_traceback) {
    static const struct example examples[] = {
        {CLASS_PREEMPTION, false,
         "Traceback (most recent call last):\nStep: 99 (0) | Loss: 0.62\nStep: 199 (0) | Loss: 0.07\n"
         "  File \"/app/train.py\", line 113, in <module>\n    loss.backward()\nKeyboardInterrupt\n"},
        {CLASS_USER_EXCEPTION, false, "Traceback (most recent call last):\nKeyError: 'label'\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A log's viewer shows a traceback on one line, with the ends of its lines escaped. */
TEST(a_traceback_on_one_line) {
    struct rootcause_verdict v;
    judge(
        &v,
        "Traceback (most recent call last):\\n  File \\\"/app/jax/xla_client.py\\\", line 7, in make_tpu_client\\n    "
        "return c()\\njaxlib.xla_extension.XlaRuntimeError: NOT_FOUND: No x device found.\"\n");
    CHECK_INT(v.finding.class_, CLASS_TPU_INIT);
    judge(&v, "worker Traceback (most recent call last):\\n  File \\\"/app/a.py\\\", line 7, in step\\n    "
              "f()\\nKeyError: 'x'\\n\n");
    CHECK_TEXT(v.finding.reason, "KeyError");
    CHECK_TEXT(v.finding.frame, "a.py:7 in step");
    judge(&v, "Traceback (most recent call last):\\n\\\n");
    CHECK_INT(v.finding.class_, CLASS_UNKNOWN);
}
