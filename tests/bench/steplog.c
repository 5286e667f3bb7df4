/* steplog: CPU time to read a MB of log, the smallest of ROUNDS, for lines of each format and of programs that do not
 * train; the promise is under 2 ms. "analyzed": lines with a transport's stamps, as `kubectl goodput analyze` reads
 * them. "followed": what the controller does with each line, the look for a failure included. */
#include "steplog/steplog.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "cpu_time.h"
#include "rootcause/log.h"
#include "rootcause/signatures.h"
#include "steplog/heads.h"
#include "steplog/shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_BYTES = 1 << 20, ROUNDS = 11, NUMBER = '#', DRAWINGS = 100 };
#define PROMISE_MS 2.0
#define START_MS INT64_C(1795223812000)

/* Each # stands for the number of the line. */
static const struct {
    const char *name, *line;
} kinds[] = {
    {"Recorder", "{\"job_name\": \"bench\", \"step_count\": #, \"step_start_time\": 17#.25}"},
    {"MaxText", "completed step: #, seconds: 0.054, TFLOP/s/device: 0.304, Tokens/s/device: 2358.441, "
                "total_weights: 512, loss: 7.905"},
    {"Megatron", " [2026-02-05 16:02:21] iteration #/90000000 | consumed samples: 2816 | elapsed time per iteration "
                 "(ms): 402.1 | throughput per GPU (TFLOP/s/GPU): 412.2 | learning rate: 6.0E-05 | lm loss: 8.1E+00 |"},
    {"NeMo", "Training epoch 0, iteration #/90000000 | lr: 2.699e-06 | global_batch_size: 512 | global_step: # | "
             "reduced_train_loss: 11.03 | train_step_timing in s: 12.85"},
    {"TorchTitan", "[titan] 2026-11-21 02:16:52,123 - root - INFO - step: #  loss: 11.83506  grad_norm:  1.7  memory: "
                   "10.18GiB(12.9%)  tps: 4,376  tflops: 1,253.41  mfu: 25.62%"},
    {"DeepSpeed", "[2026-11-21 02:16:52,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=#, skipped=0, lr=[0.001], "
                  "mom=[(0.9, 0.999)]"},
    {"HuggingFace", "{'loss': 2.3026, 'grad_norm': 1.31, 'learning_rate': 4.9e-05, 'epoch': 0.#}"},
    {"a bar of tqdm", " 12%|#2        | #/90000000 [00:12<1:30:00,  8.12it/s]\r"},
    {"a bar of Keras",
     "\r#/90000000 \x1b[32m\xe2\x94\x81\x1b[0m\x1b[37m\xe2\x94\x81\x1b[0m \x1b[1m12s\x1b[0m 120ms/step "
     "- accuracy: 0.31 - loss: 2.30"},
    {"a bar with a loss",
     "\rEpoch 0:  12%|#2        | #/90000000 [00:12<1:30:00,  8.12it/s, v_num=0, train_loss=2.30]"},
    {"Generic", "INFO:train:step # | loss 2.3026 | lr 1e-3 | 120.5 ms/step"},
    {"nginx", "10.0.0.17 - - [21/Nov/2026:02:16:52 +0000] \"GET /api/items/# HTTP/1.1\" 200 5123 \"-\" \"curl/8.1\" "
              "0.123"},
    {"klog",
     "I1121 02:16:52.123456       1 controller.go:#] \"Reconcile finished\" pod=\"default/web-#\" took=\"12ms\""},
    {"Python's logging",
     "2026-11-21 02:16:52,123 - uvicorn.access - INFO - 10.2.0.1:# - \"POST /v1/items HTTP/1.1\" 200"},
    {"JSON", "{\"level\":\"info\",\"ts\":\"2026-11-21T02:16:52.123Z\",\"caller\":\"server/server.go:#\",\"msg\":"
             "\"request handled\",\"status\":200,\"path\":\"/v1/items/#\"}"},
    {"a compiler", "[ 42%] Building CXX object src/backend/CMakeFiles/core.dir/kernels/module_#.cc.o"},
    {"prose", "The quick brown fox jumps over the lazy dog while the server waits for its clients to come back"},
    {"long words", "aGVsbG8gd29ybGQgdGhpcyBpcyBhIGxvbmcgYmFzZTY0IGxpbmUgdGhhdCBoYXMgbm8gc3BhY2VzIGFuZCBubyBtZWFuaW5n#"},
};

/* Bars as trainers draw them: DRAWINGS on one line, behind another line. */
static const struct {
    const char *name, *head, *drawing;
} bars[] = {
    {"tqdm, redrawn", "Loading the data", "\r 12%|#2        | #/90000000 [00:12<1:30:00,  8.12it/s]"},
    {"with a loss, redrawn", "Loading the data",
     "\rTraining:  12%|#2        | #/90000000 [00:12<1:30:00,  8.12it/s, loss=2.30]"},
    {"Keras", "Epoch #/90000000",
     "\r#/90000000 \x1b[32m\xe2\x94\x81\x1b[0m\x1b[37m\xe2\x94\x81\x1b[0m \x1b[1m12s\x1b[0m 120ms/step "
     "- accuracy: 0.31 - loss: 2.30"},
    {"Lightning", "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
     "\rEpoch 0:  12%|#2        | #/90000000 [00:12<1:30:00,  8.12it/s, v_num=0, train_loss=2.30]"},
};

static void add_numbered(struct buf *log, const char *line, int number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    for (; *line != '\0'; line++)
        if (*line == NUMBER)
            buf_append_text(log, digits);
        else
            buf_append_char(log, *line);
}

/* Returns the next number. */
static int add_line(struct buf *log, const char *line, int number, int times) {
    char stamp[RFC3339_SIZE];
    rfc3339_format_ms(stamp, START_MS + number * INT64_C(500));
    buf_append(log, stamp, strlen("2026-11-21T02:16:52"));
    buf_append_text(log, number % 2 == 0 ? ".123456789Z " : ".623456789Z ");
    for (int end = number + times; number < end; number++)
        add_numbered(log, line, number);
    buf_append_char(log, '\n');
    return number;
}

static void on_record(void *context, const struct record *r) {
    *(int64_t *)context += r->kind == RECORD_STEP_END || r->kind == RECORD_STEP_START;
}

static int64_t analyze(struct slice log) {
    int64_t steps = 0;
    struct heads heads;
    struct steplog *parser = steplog_new(STEPLOG_AUTO, NULL, on_record, &steps);
    heads_begin(&heads);
    steplog_find_processes(parser, &heads);
    steplog_feed(parser, log, true);
    steplog_end(parser);
    steplog_free(parser);
    heads_drop_held(&heads);
    return steps;
}

static int64_t follow(const struct matcher *m, struct slice log) {
    int64_t steps = 0, number = 0, notable = 0;
    struct heads heads;
    struct steplog *parser = steplog_new(STEPLOG_AUTO, NULL, on_record, &steps);
    heads_begin(&heads);
    steplog_find_processes(parser, &heads);
    for (struct slice line; slice_take_line(&log, &line); number++) {
        int64_t before = steps;
        line = slice_skip(line, strlen("2026-11-21T02:16:52.123456789Z "));
        steplog_line(parser, line, START_MS + number * 500);
        if (steps == before)
            notable += rootcause_line_is_notable(m, line);
    }
    steplog_end(parser);
    steplog_free(parser);
    heads_drop_held(&heads);
    return notable < 0 ? notable : steps;
}

/* head: a line before each `times` times that line; NULL. */
static int measure(const struct matcher *m, const char *name, const char *head, const char *line, int times) {
    CLEANUP_BUF struct buf log;
    double min_ms[2] = {1e9, 1e9};
    int64_t steps = 0;
    buf_init(&log, 2 * LOG_BYTES);
    for (int number = 10000000; log.size_bytes < LOG_BYTES;) {
        if (head != NULL)
            add_line(&log, head, number, 1);
        number = add_line(&log, line, number, times);
    }
    for (int i = 0; i < 2 * ROUNDS; i++) {
        double start = cpu_time_ms();
        steps = i % 2 == 0 ? analyze(buf_slice(&log)) : follow(m, buf_slice(&log));
        double took = (cpu_time_ms() - start) / (double)log.size_bytes * 1e6;
        min_ms[i % 2] = took < min_ms[i % 2] ? took : min_ms[i % 2];
    }
    printf("%-24s %6.2f ms analyzed, %6.2f ms followed (%lld steps)\n", name, min_ms[0], min_ms[1], (long long)steps);
    return min_ms[0] > PROMISE_MS || min_ms[1] > PROMISE_MS;
}

/* The example of a format's step, with a # for its number. */
static void shipped_line(const struct userformat *format, char *ret, size_t size) {
    for (int i = 0; i < format->count; i++) {
        const struct userformat_pattern *p = &format->patterns[i];
        if ((p->kind != RECORD_STEP_END && p->kind != RECORD_STEP_START) || p->example_count == 0)
            continue;
        char digits[16];
        const char *line = p->examples[0].line;
        snprintf(digits, sizeof digits, "%d", (int)p->examples[0].step);
        const char *at = strstr(line, digits);
        at = at != NULL ? at : line;
        snprintf(ret, size, "%.*s%c%s", (int)(at - line), line, NUMBER, at + strlen(digits));
        return;
    }
}

int main(int argc, char **argv) {
    int failed = 0, count = 0;
    struct matcher *m = matcher_new();
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (argc < 2 || strcmp(argv[1], kinds[i].name) == 0) {
            failed += measure(m, kinds[i].name, NULL, kinds[i].line, 1);
            count++;
        }
    for (size_t i = 0; i < ARRAY_SIZE(bars); i++)
        if (argc < 2 || strcmp(argv[1], bars[i].name) == 0) {
            failed += measure(m, bars[i].name, bars[i].head, bars[i].drawing, DRAWINGS);
            count++;
        }
    for (int i = 0; i < SHIPPED_COUNT; i++)
        if (argc < 2 || strcmp(argv[1], shipped_get(i)->name) == 0) {
            char line[1024] = "";
            shipped_line(shipped_get(i)->format, line, sizeof line);
            failed += measure(m, shipped_get(i)->name, NULL, line, 1);
            count++;
        }
    matcher_free(m);
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed != 0;
}
