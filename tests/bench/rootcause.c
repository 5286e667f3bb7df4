/* rootcause: CPU time to read and match a tail of 64 KiB, the median of ROUNDS, for kinds of tails; the promise is
 * under 2 ms. The first is what training prints, the others are made to cost much. "followed": to see whether a line of
 * a followed log names a failure, for 64 KiB of lines as well. */
#include "base/buf.h"
#include "base/mem.h"
#include "rootcause/verdict.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TAIL_BYTES = 1 << 16, ROUNDS = 101 };
#define PROMISE_MS 2.0

static const struct {
    const char *name, *line;
} kinds[] = {
    {"steps of training",
     "completed step: 11, seconds: 0.054, TFLOP/s/device: 0.304, total_weights: 512, loss: 7.905\n"},
    {"a stack of C++",
     "frame #3: c10d::ProcessGroupNCCL::ncclCommWatchdog() + 0x14d (0x7eff52428ead in libtorch_cuda.so)\n"},
    {"a traceback", "  File \"/usr/lib/python3/site-packages/torch/nn/modules/module.py\", line 1518, in _call_impl\n"},
    {"one line", "x"},
    {"starts of signatures", "Got completion from peer CUDA out of CUDA error Timed out waiting "},
    {"words of many rows", "CUDA Fail Error RESOURCE_EXHAUSTED"},
    {"exceptions", "KError: x\n"},
    {"quotes", "\""},
    {"JSON", "{\"severity\": \"INFO\", \"message\": \"step 7\\nloss 3\", \"labels\": {\"rank\": \"3\"}}\n"},
    {"escapes of a terminal",
     "\x1b[38;2;255;0;0m\x1b[1mCUDA\x1b[22m error\x1b[0m \x1b]8;;file:///a.py\x1b\\a\x1b]8;;\x1b\\ "},
    {"bytes of a file", "\x80\xff\x01\x7f\xc3(\xe2\x82\xf0\x9f\x98 Error\x1b[\x9b"},
    {"other languages", "ValueError: \xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3 \xd0\xbd\xd0\xb5\xd1\x82\n"},
    {"carriage returns", "  3%|#         | 3/100 [00:01<00:45,  1.18s/it]\r"},
};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int look(const struct matcher *m, struct slice tail) {
    int notable = 0;
    for (struct slice line; slice_take_line(&tail, &line);)
        notable += rootcause_line_is_notable(m, line);
    return notable;
}

static double measure_followed(const struct matcher *m, struct slice tail) {
    double took[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double start = now_ms();
        if (look(m, tail) < 0)
            abort();
        took[i] = now_ms() - start;
    }
    qsort(took, ROUNDS, sizeof *took, compare);
    return took[ROUNDS / 2];
}

static double measure(const struct matcher *m, struct slice tail) {
    double took[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double start = now_ms();
        struct slice line, rest = tail;
        struct rootcause_verdict verdict;
        struct rootcause_log *log = rootcause_log_new(m, false);
        for (int64_t number = 1; slice_take_line(&rest, &line); number++)
            rootcause_log_line(log, line, number);
        rootcause_log_end(log);
        rootcause_verdict(&verdict, m, &log, 1, VERDICT_NO_EXIT_CODE);
        rootcause_log_free(log);
        took[i] = now_ms() - start;
    }
    qsort(took, ROUNDS, sizeof *took, compare);
    return took[ROUNDS / 2];
}

int main(void) {
    int failed = 0;
    double start = now_ms();
    struct matcher *m = matcher_new();
    printf("%-24s %8.3f ms\n", "compile the table", now_ms() - start);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        CLEANUP_BUF struct buf tail;
        buf_init(&tail, 2 * TAIL_BYTES);
        while (tail.size_bytes < TAIL_BYTES)
            buf_append_text(&tail, kinds[i].line);
        double ms = measure(m, (struct slice){tail.data, TAIL_BYTES});
        double followed_ms = measure_followed(m, (struct slice){tail.data, TAIL_BYTES});
        printf("%-24s %8.3f ms, followed %8.3f ms\n", kinds[i].name, ms, followed_ms);
        failed += ms > PROMISE_MS || followed_ms > PROMISE_MS;
    }
    matcher_free(m);
    printf("%d passed, %d failed\n", (int)ARRAY_SIZE(kinds) - failed, failed);
    return failed != 0;
}
