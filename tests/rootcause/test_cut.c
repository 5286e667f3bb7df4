/* Tracebacks whose end is missing: the process was killed while it printed them, or people pasted a part. */
#include "examples.h"

/* The last frame says what was going on, unless what it does is on the way to everything else. */
TEST(a_traceback_that_ends_within_its_frames) {
    static const struct example examples[] = {
        {CLASS_COMPILE_ERROR, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in step\n    loss = f(x)\n"
         "  File \"/v/site-packages/torch/_inductor/graph.py\", line 7, in to_module\n    return self._to_module()\n"},
        {CLASS_CHECKPOINT_ERROR, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in resume\n    state = torch.load(p)\n"
         "  File \"/v/site-packages/torch/serialization.py\", line 7, in load\n    with open\n"},
        {CLASS_CHECKPOINT_ERROR, false,
         "Traceback (most recent call last):\n  File \"/v/megatron/core/dist_checkpointing/validation.py\", line 7, in "
         "validate\n    check(\n  File \"/v/megatron/core/ut\n"},
        {CLASS_NETWORK, false,
         "[rank4]: Traceback (most recent call last):\n[rank4]:   File \"/usr/lib/python3.12/http/client.py\", line 7, "
         "in begin\n[rank4]:     status = self._read\n"},
        {CLASS_AUTH_QUOTA, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in main\n    wandb.init()\n"
         "  File \"/v/site-packages/wandb/sdk/wandb_init.py\", line 7,\n"},
        {CLASS_STARTUP_RENDEZVOUS, false, /* the last line says what was called */
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in main\n"
         "    dist.init_process_group(backend=\"nccl\",\n"},
        {CLASS_UNKNOWN, false, /* torch calls each compiled function from there */
         "Traceback (most recent call last):\n  File \"/v/site-packages/torch/_dynamo/eval_frame.py\", line 7, in _fn\n"
         "    return fn(*args)\n"},
        {CLASS_UNKNOWN, false, /* it reads the command line, and calls the program */
         "Traceback (most recent call last):\n  File \"/v/site-packages/click/core.py\", line 7, in invoke\n"
         "    return callback(*args)\n"},
        {CLASS_UNKNOWN, false,
         "Traceback (most recent call last):\n  File \"/v/site-packages/grain/loader.py\", line 7, in next\n    a()\n"
         "  File \"/app/model.py\", line 7, in forward\n    b()\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* What only looks like the end of a log is a stack that the program printed before it continued. */
TEST(a_stack_that_the_program_survived) {
    struct rootcause_verdict v;
    CLEANUP_BUF struct buf text;
    buf_init(&text, 1 << 16);
    buf_append_text(&text,
                    "Stack of the reader:\n  File \"/v/site-packages/grain/loader.py\", line 7, in next\n    a()\n");
    for (int i = 0; i < 40; i++)
        buf_append_text(&text, "step done, all is well\n");
    judge(&v, buf_text(&text));
    CHECK_INT(v.finding.class_, CLASS_UNKNOWN);
}

/* IPython names the exception above the frames, too. A line of source may raise what its caller handles. */
TEST(an_exception_that_only_the_head_names) {
    static const struct example examples[] = {
        {CLASS_USER_EXCEPTION, false,
         "KeyError                                  Traceback (most recent call last)\nCell In[3], line 1\n"
         "----> 1 run(config)\n\nFile /app/run.py:7, in run(config)\n      6 rows = read()\n----> 7 fit(\n"},
        {CLASS_DEVICE_OOM, false,
         "ResourceExhaustedError                    Traceback (most recent call last)\nCell In[3], line 1\n"
         "----> 1 model.fit(x)\n"},
        {CLASS_CHECKPOINT_ERROR, false, /* as if it had ended there */
         "RuntimeError                              Traceback (most recent call last)\nCell In[3], line 1\n"
         "----> 1 resume()\n\nFile /v/site-packages/torch/serialization.py:7, in load(f)\n      6 with g:\n----> 7 "
         "h\n"},
        {CLASS_UNKNOWN, false,
         "Traceback (most recent call last):\n  File \"/app/train.py\", line 7, in read\n    raise KeyError(name)\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* torch utils/data/dataloader.py: what a worker did when it failed, if its own traceback has no end. */
TEST(a_worker_whose_traceback_has_no_end) {
    static const struct example examples[] = {
        {CLASS_DATA_ERROR, false, /* what it could not read */
         "FileNotFoundError: Caught FileNotFoundError in DataLoader worker process 0.\nOriginal Traceback (most recent "
         "call last):\n  File \"/v/torch/utils/data/_utils/worker.py\", line 7, in _worker_loop\n"},
        {CLASS_USER_EXCEPTION, false,
         "KeyError: Caught KeyError in DataLoader worker process 0.\nOriginal Traceback (most recent "
         "call last):\n  File \"/v/torch/utils/data/_utils/worker.py\", line 7, in _worker_loop\n"},
        {CLASS_DATA_ERROR, false,
         "Traceback (most recent call last):\n  File \"/v/torch/_utils.py\", line 7, in reraise\n    raise exception\n"
         "Exception: Caught Exception in DataLoader worker process 2.\nOriginal Traceback (most recent call last):\n"
         "  File \"/v/torch/utils/data/_utils/fetch.py\", line 7, in fetch\n    next(self.dataset_iter)\n"
         "  File \"/v/site-packages/webdataset/filters.py\", line 7, in run\n    for x in\n"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"/v/torch/_utils.py\", line 7, in reraise\n    raise exception\n"
         "IndexError: Caught IndexError in DataLoader worker process 2.\nOriginal Traceback (most recent call last):\n"
         "  File \"/app/rows.py\", line 7, in fetch\n    rows[i\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* People paste what rich prints without its box. A narrow box wraps a frame before the function's name. */
TEST(frames_of_rich_without_a_box_or_wrapped) {
    static const struct example examples[] = {
        {CLASS_CHECKPOINT_ERROR, false,
         " /v/site-packages/torch/serialization.py:797\n in load\n\n    794          # as before\n"
         " \xe2\x9d\xb1  797          with reader(f) as g:\n"},
        {CLASS_CHECKPOINT_ERROR, false, " /v/site-packages/torch/serialization.py:797 in load\n"},
        {CLASS_CHECKPOINT_ERROR, false,
         "\xe2\x94\x82 /v/site-packages/torch/serialization.py:797  \xe2\x94\x82\n"
         "\xe2\x94\x82 in load                                     \xe2\x94\x82\n"},
        {CLASS_UNKNOWN, false, "/v/site-packages/torch/serialization.py:797: note: an argument is unused\n"},
        {CLASS_UNKNOWN, false, "/v/site-packages/torch/serialization.py\n in load\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* The source that raises an exception quotes its message; what its caller handled is not the end. */
TEST(an_exception_that_only_the_source_names) {
    static const struct example examples[] = {
        {CLASS_SHM_DATALOADER, false,
         "\xe2\x94\x82 /v/utils/data/x.py:9 in get  \xe2\x94\x82\n\xe2\x94\x82 \xe2\x9d\xb1 9 \xe2\x94\x82   raise "
         "RuntimeError('DataLoader worker (pid(s) {}) exited unexpectedly'.f \xe2\x94\x82\n"},
        {CLASS_USER_EXCEPTION, false,
         "Traceback (most recent call last):\n  File \"/app/a.py\", line 7, in f\n"
         "    raise RuntimeError('DataLoader worker (pid(s) {}) exited unexpectedly')\nIndexError: x\n"},
        {CLASS_UNKNOWN, false, /* the name says nothing */
         "RuntimeError                              Traceback (most recent call last)\nCell In[3], line 1\n"
         "----> 1 step(x)\n"},
    };
    check_all(examples, ARRAY_SIZE(examples));
}

/* A web page shows a log without the ends of its lines, or with ends of its own between two words. */
TEST(lines_that_a_page_joined_or_parted) {
    static const struct example examples[] = {
        {CLASS_SHM_DATALOADER, false,
         "Traceback (most recent call last): File \"/v/queues.py\", line 7, in get if not self._poll(): RuntimeError: "
         "DataLoader worker (pid 7) is killed by signal: Bus error."},
        {CLASS_DEVICE_OOM, false,
         "E tensorflow/compiler/xla/python/local_client.cc:672] Execution of replica 0 failed: Resource exhausted: Out "
         "\n"
         "of memory while trying to allocate 5520758552 bytes."},
    };
    check_all(examples, ARRAY_SIZE(examples));
}
