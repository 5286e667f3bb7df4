/* Where two classes meet: one rule each, as deploy/docs/how-to/why.md states them. */
#include "examples.h"

#define RAISED(file, function, source, exception)                                                                      \
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in main\n    run()\n"                       \
    "  File \"" file "\", line 7, in " function "\n    " source "\n" exception "\n"

TEST(what_the_code_of_a_data_set_rejects_is_data) {
    static const struct example examples[] = {
        {CLASS_DATA_ERROR, false, RAISED("/app/dataset.py", "__init__", "assert len(names) > 0", "AssertionError")},
        {CLASS_DATA_ERROR, false, RAISED("/app/io.py", "load_data", "raise ValueError(x)", "ValueError: 7 of 9")},
        {CLASS_CONFIG_ERROR, false,
         RAISED("/app/dataset.py", "__init__", "raise ValueError(x)", "ValueError: shards must be positive")},
        {CLASS_USER_EXCEPTION, false, RAISED("/app/dataset.py", "get", "return d[key]", "KeyError: 'label'")},
        {CLASS_USER_EXCEPTION, false, RAISED("/app/model.py", "init", "assert len(names) > 0", "AssertionError")},
        {CLASS_USER_EXCEPTION, false,
         RAISED("/v/torch/utils/data/dataset.py", "__init__", "assert same", "AssertionError: Size mismatch")},
        {CLASS_DATA_ERROR, false, "ValueError: No examples left after filtering"},
        {CLASS_DATA_ERROR, false, "RuntimeError: Failed to decode audio"},
        {CLASS_DATA_ERROR, false, "csv.Error: line contains NUL"},
        {CLASS_USER_EXCEPTION, false, RAISED("/app/dataset.py", "<module>", "assert VERSION", "AssertionError")},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Where it was read decides what a text that cannot be decoded is. */
TEST(a_configuration_that_cannot_be_read) {
    static const char decode[] = "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe8 in position 0";
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false,
         RAISED("/v/site-packages/transformers/configuration_utils.py", "_dict_from_json_file", "text = reader.read()",
                "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe8 in position 0")},
        {CLASS_CONFIG_ERROR, false,
         RAISED("/app/util.py", "load_config", "json.load(f)", "json.decoder.JSONDecodeError: Expecting value")},
        {CLASS_DATA_ERROR, false, decode},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(a_setting_that_is_rejected) {
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false, "ValueError: storage must not be provided"},
        {CLASS_CONFIG_ERROR, false, "AssertionError: 25 is not divisible by 4"},
        {CLASS_CONFIG_ERROR, false, "AssertionError: we don't support both options"},
        {CLASS_CONFIG_ERROR, false, "ValueError: Target modules q not found. Please check the target modules"},
        {CLASS_CONFIG_ERROR, false,
         RAISED("/app/match.py", "train", "assert args.batch_size % len(devices) == 0", "AssertionError")},
        {CLASS_USER_EXCEPTION, false, "TypeError: step() got an unexpected keyword argument 'scale'"},
        {CLASS_USER_EXCEPTION, false, "RuntimeError: tensor does not have a device"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* What the message of a ValueError speaks of: a setting, tensors of the program, weights, data. */
TEST(a_value_is_a_setting_unless_it_is_of_the_program) {
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false, "ValueError: remaining_argv: ['--train_type', 'sft']"},
        {CLASS_CONFIG_ERROR, false, "ValueError: Unsupported precision: fp12"},
        {CLASS_CONFIG_ERROR, false, "ValueError: Expected a device count of 8 but found 4"},
        {CLASS_CONFIG_ERROR, false, "AssertionError: micro batch size > global batch size"},
        {CLASS_CONFIG_ERROR, false,
         "AssertionError: First dimension of the tensor should be divisible by tensor parallel size"},
        {CLASS_CONFIG_ERROR, false, "KeyError: 'LargeDataset is not in the dataset registry'"},
        {CLASS_USER_EXCEPTION, false, "ValueError: mask must have the same shape as input"},
        {CLASS_USER_EXCEPTION, false, "ValueError: y must be a 1d array"},
        {CLASS_USER_EXCEPTION, false, "ValueError: Unknown format code 'd' for object of type 'float'"},
        {CLASS_CHECKPOINT_ERROR, false,
         "ValueError: Trying to set a tensor of shape (32000, 64) in \"weight\" (which has shape (32001, 64))"},
        {CLASS_DATA_ERROR, false,
         "ValueError: Input contains NaN, infinity or a value too large for dtype('float32')."},
        {CLASS_CHECKPOINT_ERROR, false, /* the frame says more than the word does */
         RAISED("/v/site-packages/orbax/checkpoint/type_handlers.py", "_deserialize", "raise ValueError(x)",
                "ValueError: shape (7,)")},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* torch c10/core/CPUAllocator.cpp, a shell, torch utils/cpp_extension.py (cut before the exception) */
TEST(records_of_other_writers) {
    static const struct example examples[] = {
        {CLASS_HOST_OOM, false,
         "RuntimeError: [enforce fail at CPUAllocator.cpp:7] posix_memalign(&data, gAlignment, nbytes) == 0. 12 vs 0"},
        {CLASS_CRASH_SIGNAL, false, "segmentation fault (core dumped)"},
        {CLASS_CRASH_SIGNAL, false,
         "python3: /src/permute.cu:7: void launch(Args): Assertion `args.out != nullptr' failed."},
        {CLASS_COMPILE_ERROR, false,
         "CalledProcessError                        Traceback (most recent call last)\n"
         "~/v/torch/utils/cpp_extension.py in _run_ninja_build(folder, verbose)\n   1672             check=True,\n-> "
         "1673 env=env)\n\n"
         "/usr/lib/python3.6/subprocess.py in run(input)\n--> 438   output=stdout)\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(what_only_reports_the_end_of_another_process) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false,
         RAISED("/app/launch.py", "run", "raise RuntimeError(", "RuntimeError: Step 1 exited with non-zero status 1")},
        {CLASS_UNKNOWN, false, "Process 3 exited with non-zero exit code 2"},
        {CLASS_DEVICE_OOM, false,
         "RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\nRuntimeError: Step 1 exited with non-zero status "
         "1"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Java names the cause of an exception after it. */
TEST(the_last_cause_of_java) {
#define STAGE "org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 0.0 failed 4 times\n"
    static const struct example examples[] = {
        {CLASS_NETWORK, false,
         "Exception in thread \"main\" " STAGE "\tat org.apache.spark.scheduler.DAGScheduler.abortStage(D.scala:7)\n"
         "Caused by: java.net.UnknownHostException: storage\n\t... 7 more\n"},
        {CLASS_DATA_ERROR, false,
         "Traceback (most recent call last):\n  File \"/app/fit.py\", line 7, in <module>\n    m.fit(d)\n"
         "py4j.protocol.Py4JJavaError: An error occurred while calling o7.fit.\n: " STAGE
         "\tat a.b(C.java:7)\nCaused by: java.lang.RuntimeException: wrapped\n\tat a.b(C.java:8)\n"
         "Caused by: java.io.FileNotFoundException: File hdfs://d/part-0 does not exist\n"},
        {CLASS_USER_EXCEPTION, false,
         "Exception in thread \"main\" java.lang.NullPointerException\n\tat a.b(C.java:7)\n"},
        {CLASS_USER_EXCEPTION, false, /* another exception's cause explains only that one */
         "java.lang.NullPointerException: first\n\tat a.b(C.java:7)\njava.lang.RuntimeException: second\n\tat "
         "a.b(C.java:9)\n"
         "Caused by: java.net.UnknownHostException: storage\n"},
        {CLASS_PEER_LOST, true, /* Spark TaskSchedulerImpl.scala, TaskEndReason.scala, ExecutorLossReason.scala */
         "26/11/27 10:00:00 ERROR TaskSchedulerImpl: Lost executor 0 on 10.0.0.7: Remote RPC client disassociated.\n"},
        {CLASS_PEER_LOST, true,
         "ExecutorLostFailure (executor 3 exited unrelated to the running tasks) Reason: worker lost\n"},
        {CLASS_HOST_OOM, false, "ERROR TaskSchedulerImpl: Lost executor 18 on 10.0.0.7: Command exited with code 52\n"},
        {CLASS_PREEMPTION, false, "ERROR CoarseGrainedExecutorBackend: RECEIVED SIGNAL TERM\n"},
        {CLASS_USER_EXCEPTION, false, /* Spark's driver quotes the exception of the task */
         "org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in stage 7.0 failed 4 times, most "
         "recent "
         "failure: Lost task 1.3 in stage 7.0 (TID 7) (10.0.0.7 executor 6): java.lang.NullPointerException\n"},
        {CLASS_PEER_LOST, true,
         "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 7.0 failed 1 times, most "
         "recent "
         "failure: Lost task 0.0 in stage 7.0 (TID 7, localhost, executor driver): org.apache.spark.SparkException: "
         "Python "
         "worker exited unexpectedly (crashed)\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(a_record_that_denies_what_it_names) {
    static const struct example examples[] = {
        {CLASS_UNKNOWN, false, "\"State\": {\n\"OOMKilled\": false,\n\"ExitCode\": 137,\n"},
        {CLASS_HOST_OOM, false, "\"State\": {\n\"OOMKilled\": true,\n\"ExitCode\": 137,\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* torch ProcessGroupNCCL.cpp: the watchdog gets stuck after the collective timed out; ranks print in any order. */
TEST(a_watchdog_that_waits_for_a_collective) {
    static const struct example examples[] = {
        {CLASS_COLLECTIVE_TIMEOUT, true,
         "[rank7]:[E626 05:14:36 ProcessGroupNCCL.cpp:7] [Rank 7] ProcessGroupNCCL's watchdog got stuck for 480 "
         "seconds "
         "without making progress in monitoring enqueued collectives.\n[rank2]:[E626 05:06:30 ProcessGroupNCCL.cpp:7] "
         "[Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, "
         "Timeout(ms)=600000) "
         "ran for 600065 milliseconds before timing out.\n"},
        {CLASS_HANG_WATCHDOG, true,
         "[rank7]:[E626 05:14:36 ProcessGroupNCCL.cpp:7] [Rank 7] ProcessGroupNCCL's watchdog got stuck for 480 "
         "seconds "
         "without making progress in monitoring enqueued collectives.\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* NVSHMEM nvshmemx_error.h, host/init/init.cu, modules/transport; RCCL checks.h, transport/p2p.cc, misc/rocmwrap.cc */
TEST(libraries_of_collectives_name_the_layer_that_failed) {
    static const struct example examples[] = {
        {CLASS_NETWORK, false,
         "ibv_modify_qp failed \n/src/modules/transport/ibrc/ibrc.cpp:7: non-zero status: 7 \n"
         "/src/host/init/init.cu:nvshmemi_check_state_and_init:7: nvshmem initialization failed, exiting \n"},
        {CLASS_STARTUP_RENDEZVOUS, false,
         "/src/host/init/init.cu:7: non-zero status: 7 bootstrap_init failed \naborting due to error in "
         "nvshmemi_init_thread \n"},
        {CLASS_HANG_WATCHDOG, true, "received timeout signal from GPU thread(s) in nvshmem_quiet\n"},
        {CLASS_CUDA_ERROR, false,
         "n1:7:7 [0] /src/transport/p2p.cc:7 NCCL WARN hipIpcGetMemHandle failed : invalid argument\n"},
        {CLASS_DEVICE_OOM, false, "n1:7:7 [0] /src/init.cc:7 NCCL WARN HIP failure 'out of memory'\n"},
        {CLASS_GPU_DRIVER, false,
         "n1:7:7 [0] /src/misc/rocmwrap.cc:7 NCCL WARN Failed to load ROCr missing symbol hsa_init\n"},
        {CLASS_NETWORK, false,
         "n1:7:7 [0] misc/socket.cc:7 NCCL WARN socketTryAccept: Accept failed: Bad file descriptor\n"},
        {CLASS_PEER_LOST, true, /* torch ProcessGroupNCCL.cpp */
         "[rank2]: . This may indicate a possible application crash on rank 0 or a network set up issue.\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A path says what the file holds, whichever exception reports it. */
TEST(the_path_of_a_file_that_is_absent) {
    static const struct example examples[] = {
        {CLASS_DATA_ERROR, false, "FileNotFoundError: [Errno 2] No such file or directory: '/mnt/a/7.JPEG'"},
        {CLASS_DATA_ERROR, false, "AssertionError: image not found /mnt/a/0001.png"},
        {CLASS_DATA_ERROR, false, "RuntimeError: Could not open file \"/mnt/set/part-7.parquet\""},
        {CLASS_DATA_ERROR, false, "NotADirectoryError: [Errno 20] Not a directory: '/mnt/coco'"},
        {CLASS_CHECKPOINT_ERROR, false, "ValueError: /mnt/run/model.pth does not exist"},
        {CLASS_CHECKPOINT_ERROR, false, "FileNotFoundError: [Errno 2] No such file or directory: 'x/weights/7.bin'"},
        {CLASS_CONFIG_ERROR, false, "FileNotFoundError: [Errno 2] No such file or directory: 'conf/large.YAML'"},
        {CLASS_USER_EXCEPTION, false, "FileNotFoundError: [Errno 2] No such file or directory: 'nvcc'"},
        {CLASS_USER_EXCEPTION, false, "RuntimeError: a/b is not a number"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* The text ends before the exception: the line that raises it, or the call that failed, is all there is. */
TEST(a_source_line_that_ends_the_text) {
#define CUT(function, source)                                                                                          \
    "Traceback (most recent call last):\n  File \"/app/a.py\", line 7, in " function "\n    " source "\n"
    static const struct example examples[] = {
        {CLASS_USER_EXCEPTION, false, CUT("init", "raise ValueError(\"optimizer got an empty parameter list\")")},
        {CLASS_CONFIG_ERROR, false, CUT("init", "raise ValueError(f\"rank must be positive, not {rank}\")")},
        {CLASS_CHECKPOINT_ERROR, false, CUT("init", "state = torch.load(path)")},
        {CLASS_UNKNOWN, false, CUT("init", "raise ValueError(")},
        {CLASS_UNKNOWN, false, CUT("init", "return step(x)")},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(the_words_of_an_exception_beyond_its_name) {
    static const struct example examples[] = {
        {CLASS_DATA_ERROR, false, "KeyError: \"Column actions not in the dataset: ['a', 'b']\""},
        {CLASS_USER_EXCEPTION, false, "KeyError: 'dataset'"},
        {CLASS_USER_EXCEPTION, false, "mxnet.base.MXNetError: [14:53:28] src/a.cc:65: Check failed: a == b"},
        {CLASS_DATA_ERROR, false, /* MXNet recordio.cc */
         "mxnet.base.MXNetError: [14:53:28] src/recordio.cc:65: Check failed: h == RecordIOWriter::kMagic"},
        {CLASS_CRASH_SIGNAL, false, "[12:26:01] src/a.cc:117: Check failed: a == b"},
        {CLASS_CONFIG_ERROR, false, "voluptuous.error.MultipleInvalid: expected int @ data['a']"},
        {CLASS_CHECKPOINT_ERROR, false, /* TensorFlow tensor_bundle.cc: the message's second line */
         "DataLossError: From /job:ps/replica:0/task:3:\nChecksum does not match: stored 7 vs. calculated on the "
         "restored bytes 8\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* What a program takes out of a checkpoint is not in it. */
TEST(a_source_line_that_reads_a_checkpoint) {
    static const struct example examples[] = {
        {CLASS_CHECKPOINT_ERROR, false, CUT("resume", "start = checkpoint['epoch']") "KeyError: 'epoch'"},
        {CLASS_CHECKPOINT_ERROR, false, CUT("restore", "w = state_dict[name]") "KeyError: 'head.weight'"},
        {CLASS_USER_EXCEPTION, false, CUT("resume", "start = table['epoch']") "KeyError: 'epoch'"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Text that does not parse is a configuration where one is read, and training data elsewhere. */
TEST(a_source_line_that_reads_a_configuration) {
#define DECODER                                                                                                        \
    "  File \"/usr/lib/python3.11/json/decoder.py\", line 7, in decode\n    raise JSONDecodeError(\"Extra\", s)\n"
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false,
         CUT("main", "config = json.load(f)") DECODER "json.decoder.JSONDecodeError: Extra data: line 2 column 1"},
        {CLASS_DATA_ERROR, false,
         CUT("main", "rows = json.load(f)") DECODER "json.decoder.JSONDecodeError: Extra data: line 2 column 1"},
        {CLASS_USER_EXCEPTION, false, CUT("main", "config = json.load(f)") DECODER "KeyError: 'a'"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* What a setting excludes is said by many, without a word for a setting. */
TEST(settings_that_exclude_one_another) {
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false, "ValueError: offload of states can only work with optimizers of DeepSpeed"},
        {CLASS_CONFIG_ERROR, false, "deepspeed.runtime.zero.utils.ZeRORuntimeException: offload with an optimizer"},
        {CLASS_CONFIG_ERROR, false, "OSError: It looks like the config file at './a.bin' is not a valid JSON file."},
        {CLASS_CHECKPOINT_ERROR, false, "ValueError: the restore produced a tree that does not match the template"},
        {CLASS_COMPILE_ERROR, false, "NotImplementedError: Mosaic kernels cannot be automatically partitioned."},
        {CLASS_DATA_ERROR, false,
         "INFO:tensorflow:Error reported to Coordinator: <class 'errors_impl.DataLossError'>, truncated record at 7"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* An object store answers in many words; a key that it does not take is the tenant's. */
TEST(answers_of_an_object_store) {
    static const struct example examples[] = {
        {CLASS_STORAGE_ERROR, false, "gcsfs.retry.HttpError: me@x does not have storage.objects.get access, 403"},
        {CLASS_STORAGE_ERROR, false, "gcsfs.retry.HttpError: forbidden, 403"},
        {CLASS_STORAGE_ERROR, false,
         "google.api_core.exceptions.Forbidden: 403 GET https://storage.googleapis.com/x: denied"},
        {CLASS_STORAGE_ERROR, false,
         "google.api_core.exceptions.TooManyRequests: 429 GET https://storage.googleapis.com/x: rate limit"},
        {CLASS_STORAGE_ERROR, false, "OSError: AWS Error ACCESS_DENIED during HeadObject operation"},
        {CLASS_STORAGE_ERROR, false, "PermissionDeniedError: Error executing an HTTP request: HTTP response code 403"},
        {CLASS_AUTH_QUOTA, false, "PermissionDeniedError: Error executing an HTTP request: HTTP response code 401"},
        {CLASS_AUTH_QUOTA, false, "HttpError: Anonymous caller does not have storage.objects.get access, 401"},
        {CLASS_AUTH_QUOTA, false,
         "google.api_core.exceptions.Forbidden: 403 POST https://bigquery.googleapis.com/x: no"},
        {CLASS_AUTH_QUOTA, false, "requests.exceptions.HTTPError: 429 Client Error: Too Many for url: https://hub/x"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A library names its own exceptions: what their modules are for, or their message, says what was wrong. */
TEST(an_exception_of_a_library) {
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false, "lib.errors.TrainerError: rank must be positive"},
        {CLASS_CONFIG_ERROR, false, "voluptuous.error.MultipleInvalid: expected int @ data['dataset'][0]"},
        {CLASS_USER_EXCEPTION, false, "IndexError: index must be positive"},
        {CLASS_USER_EXCEPTION, false, "struct.error: unpack requires a buffer of 8 bytes"},
        {CLASS_USER_EXCEPTION, false, "lib.errors.TrainerError: mask must have the same shape as input"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(an_option_of_a_command_line) {
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false, "ValueError: invalid literal for int() with base 10: '--validate'"},
        {CLASS_CONFIG_ERROR, false, "ValueError: this works with one process only. Rerun with `--num_processes=1`"},
        {CLASS_CONFIG_ERROR, false, "ValueError: Please explicitly pass the type"},
        {CLASS_CONFIG_ERROR, false, "KeyError: '`cfg` must contain the key \"type\", but got Model(\\n)'"},
        {CLASS_USER_EXCEPTION, false, "ValueError: invalid literal for int() with base 10: 'abc'"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(what_a_hub_does_not_have) {
    static const struct example examples[] = {
        {CLASS_CONFIG_ERROR, false,
         "HTTPError: 404 Client Error: Not Found for url: https://huggingface.co/a/b/x.json"},
        {CLASS_DATA_ERROR, false, "HTTPError: 404 Client Error: Not Found for url: https://huggingface.co/datasets/a"},
        {CLASS_DATA_ERROR, false, "HTTPError: 404 Client Error: Not Found for url: https://example.com/a.tar"},
        {CLASS_DATA_ERROR, false, "AssertionError: Image Not Found ..\\coco\\images\\7.jpg"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A key that has the shape of a parameter's name is one of a state dict. */
TEST(a_key_of_a_state_dict) {
    static const struct example examples[] = {
        {CLASS_CHECKPOINT_ERROR, false,
         "Traceback (most recent call last):\n  File \"tools/train.py\", line 121, in <module>\n    main()\n"
         "KeyError: 'backbone.stages.0.blocks.0.attn.relative_position_bias_table'"},
        {CLASS_CHECKPOINT_ERROR, false,
         "Traceback (most recent call last):\n  File \"train.py\", line 12, in <module>\n    main()\n"
         "KeyError: 'lm_head.weight'"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"train.py\", line 12, in <module>\n    main()\n"
         "KeyError: 'weight'"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"train.py\", line 12, in <module>\n    main()\n"
         "KeyError: 'v1.2'"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* torch caffe2/serialize/inline_container.cc: why it could not write is not known. */
TEST(a_checkpoint_that_was_not_written) {
    static const struct example examples[] = {
        {CLASS_CHECKPOINT_ERROR, false,
         "RuntimeError: [enforce fail at inline_container.cc:471] . PytorchStreamWriter failed writing file data/7"},
        {CLASS_STORAGE_ERROR, false,
         "OSError: [Errno 28] No space left on device\nRuntimeError: [enforce fail at inline_container.cc:300] . "
         "unexpected pos 64 vs 0"},
        {CLASS_STORAGE_ERROR, false,
         "RuntimeError: basic_ios::clear: iostream error\n\nDuring handling of the above exception, another exception "
         "occurred:\n\nRuntimeError: [enforce fail at inline_container.cc:671] . unexpected pos 3712 vs 3604"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* Paddle, distributed/parallel.py: before its processes met no peer is lost. */
TEST(a_connection_lost_at_the_start) {
    static const struct example examples[] = {
        {CLASS_STARTUP_RENDEZVOUS, false,
         RAISED("/v/paddle/distributed/parallel.py", "init_parallel_env", "barrier(group)",
                "ValueError: (InvalidArgument) TCP send error. Details: Broken pipe.")},
        {CLASS_PEER_LOST, true,
         RAISED("/app/train.py", "step", "barrier(group)",
                "ValueError: (InvalidArgument) TCP send error. Details: Broken pipe.")},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

TEST(texts_of_other_writers) {
    static const struct example examples[] = {
        {CLASS_NAN_DIVERGENCE, false, "ValueError: Reward should be finite scalar, got nan (<class 'float'>)"},
        {CLASS_DEVICE_OOM, false,
         "  what():  helpers.h:13 in void gpuAssert(cudaError_t, const char*, int, bool) threw util::Exception.\n"
         "GPUassert: out of memory device_gpu.cu 32\nAborted (core dumped)"},
        {CLASS_DATA_ERROR, false, "Error: Error reading from file '.'\nError: Aborted from read in file_stream.h:120"},
        {CLASS_NAN_DIVERGENCE, false, "RuntimeError: nan gradient norm detected at step 7700, aborting training"},
        {CLASS_DATA_ERROR, false,
         "InvalidArgumentError: Key: image/encoded.  Data types don't match. Expected type: string, Got type: float"},
        {CLASS_STORAGE_ERROR, false, "nfs: server nfs-1 not responding, still trying"},
        {CLASS_HANG_WATCHDOG, true,
         "[rank0]:[F1127 ProcessGroupNCCL.cpp:1557] [PG ID 0 Rank 0] Terminating the process after attempting to dump "
         "debug info, due to ProcessGroupNCCL watchdog hang or watchdog timeout."},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* transformers training_args.py: accelerate is missing; Hydra _instantiate2.py; Spark CoarseGrainedExecutorBackend. */
TEST(what_cannot_be_imported_is_the_programs) {
    static const struct example examples[] = {
        {CLASS_USER_EXCEPTION, false,
         RAISED("/v/transformers/training_args.py", "_setup_devices", "raise ImportError(",
                "ImportError: Using the `Trainer` with `PyTorch` requires `accelerate>=0.20.1`")},
        {CLASS_CONFIG_ERROR, false, "Error locating target 'data.build', see chained exception."},
        {CLASS_PEER_LOST, true, "ERROR CoarseGrainedExecutorBackend: Driver 10.0.0.7:5 disassociated! Shutting down."},
    };
    check_all(examples, ARRAY_SIZE(examples));
}
