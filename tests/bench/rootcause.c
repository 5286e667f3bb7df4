/* rootcause: CPU time to read and match a tail of 64 KiB, the median of ROUNDS, for kinds of tails; the promise is
 * under 2 ms. The first is what training prints, then come kinds that are made to cost much, a line for each row of the
 * table, and logs of processes that died (tests/data/rootcause): each at the end of a tail of steps, and all together.
 * The steps in it are read as well, as the controller does. "followed": to see whether a line of a followed log names a
 * failure, for 64 KiB of lines as well. */
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "cpu_time.h"
#include "rootcause/verdict.h"
#include "steplog/steplog.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

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
        double start = cpu_time_ms();
        if (look(m, tail) < 0)
            abort();
        took[i] = cpu_time_ms() - start;
    }
    qsort(took, ROUNDS, sizeof *took, compare);
    return took[ROUNDS / 2];
}

static void on_record(void *is_step, const struct record *r) {
    *(bool *)is_step |= r->kind == RECORD_STEP_END || r->kind == RECORD_STEP_START;
}

/* As the controller reads the last words of a container. */
static void read_tail(struct rootcause_log *log, struct slice tail) {
    bool is_step = false;
    struct steplog *steps = steplog_new(STEPLOG_AUTO, NULL, on_record, &is_step);
    struct slice line;
    for (int64_t number = 1; slice_take_line(&tail, &line); number++) {
        steplog_stored_line(steps, line, 0);
        if (is_step)
            rootcause_log_progress(log);
        is_step = false;
        rootcause_log_line(log, line, number);
    }
    steplog_free(steps);
}

static double measure(const struct matcher *m, struct slice tail) {
    double took[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double start = cpu_time_ms();
        struct rootcause_verdict verdict;
        struct rootcause_log *log = rootcause_log_new(m, false);
        read_tail(log, tail);
        rootcause_log_end(log);
        rootcause_verdict(&verdict, m, &log, 1, VERDICT_NO_EXIT_CODE);
        rootcause_log_free(log);
        took[i] = cpu_time_ms() - start;
    }
    qsort(took, ROUNDS, sizeof *took, compare);
    return took[ROUNDS / 2];
}

static int judge(const char *name, const struct matcher *m, struct slice lines) {
    CLEANUP_BUF struct buf tail;
    buf_init(&tail, 2 * TAIL_BYTES + lines.size_bytes);
    while (tail.size_bytes < TAIL_BYTES)
        buf_append_slice(&tail, lines);
    double ms = measure(m, (struct slice){tail.data, TAIL_BYTES});
    double followed_ms = measure_followed(m, (struct slice){tail.data, TAIL_BYTES});
    printf("%-24s %8.3f ms, followed %8.3f ms\n", name, ms, followed_ms);
    return ms > PROMISE_MS || followed_ms > PROMISE_MS;
}

/* Their gaps stay as they are, so that only those without gaps fit. */
static int judge_patterns(const struct matcher *m) {
    size_t count;
    const struct signature *rows = matcher_rows(m, &count);
    CLEANUP_BUF struct buf lines;
    buf_init(&lines, 1 << 20);
    for (size_t i = 0; i < count; i++) {
        buf_append_slice(&lines, rows[i].pattern);
        buf_append_char(&lines, '\n');
    }
    return judge("the table's patterns", m, buf_slice(&lines));
}

/* Steps, and the log as the last words. */
static int judge_end(const char *name, const struct matcher *m, struct slice end) {
    CLEANUP_BUF struct buf tail;
    buf_init(&tail, 2 * TAIL_BYTES + end.size_bytes);
    while (tail.size_bytes + end.size_bytes < TAIL_BYTES)
        buf_append_text(&tail, kinds[0].line);
    buf_append_slice(&tail, end);
    return judge(name, m, slice_skip(buf_slice(&tail), tail.size_bytes - TAIL_BYTES));
}

static int judge_files(const struct matcher *m, int *count) {
    CLEANUP_BUF struct buf all;
    glob_t found;
    int failed = 0;
    buf_init(&all, 1 << 24);
    if (glob("tests/data/rootcause/*.log", 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        CLEANUP_FREE char *text = NULL;
        if (file_read(found.gl_pathv[i], 1 << 20, &text, NULL) < 0 || text[0] == '\0')
            continue;
        failed += judge_end(strrchr(found.gl_pathv[i], '/') + 1, m, slice_of(text));
        buf_append_text(&all, text);
        ++*count;
    }
    globfree(&found);
    return all.size_bytes > 0 ? failed + judge("all of them", m, buf_slice(&all)) : failed;
}

int main(void) {
    int failed = 0, count = ARRAY_SIZE(kinds) + 2;
    double start = cpu_time_ms();
    struct matcher *m = matcher_new();
    printf("%-24s %8.3f ms\n", "compile the table", cpu_time_ms() - start);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        failed += judge(kinds[i].name, m, slice_of(kinds[i].line));
    failed += judge_patterns(m);
    failed += judge_files(m, &count);
    matcher_free(m);
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed != 0;
}
