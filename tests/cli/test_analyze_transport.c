/* analyze on the same steps as different tools store, print or join them: the truth is the same each time. The shapes
 * are those of the tools' documentation and sources: logcli's pkg/logcli/output/jsonl.go and Loki's HTTP API
 * (query_range), fluent-bit's outputs stdout (json_lines and msgpack) and file, Vector's source kubernetes_logs,
 * kubectl logs --prefix, stern's default template, torchrun --tee, srun --label, mpirun --tag-output. */
#include "harness.h"
#include "run.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/rfc3339.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, STEP_S = 2 };
#define START_NS INT64_C(1795223940123456789)

static int64_t time_ns(int step) {
    return START_NS + (int64_t)step * STEP_S * INT64_C(1000000000) + step;
}

/* %T a time, %D the same as seconds, %N as nanoseconds, %P the process, %L its line of the step; %% a percent sign. */
static void write_line(struct buf *b, const char *form, int process, int step, bool has_step) {
    char text[RFC3339_SIZE];
    int64_t ns = time_ns(step);
    for (; *form != '\0'; form++) {
        if (*form != '%') {
            buf_append_char(b, *form);
            continue;
        }
        switch (*++form) {
        case 'T':
            buf_append_text(b, rfc3339_format(text, ns, 9));
            break;
        case 'D':
            buf_format(b, "%lld.%09lld", (long long)(ns / 1000000000), (long long)(ns % 1000000000));
            break;
        case 'N':
            buf_format(b, "%lld", (long long)ns);
            break;
        case 'P':
            buf_format(b, "%d", process);
            break;
        case 'L':
            if (has_step)
                buf_format(b, "completed step: %d, seconds: 2.0, TFLOP/s/device: 9.0", step);
            else
                buf_append_text(b, "nothing of interest");
            break;
        default:
            buf_append_char(b, '%');
        }
    }
    buf_append_char(b, '\n');
}

static void says_the_truth(const char *what, const char *files, const char *notes) {
    struct run run = run_analyze(files, "-o json");
    bool is_true = run.code == 0 && (int64_t)run_number(&run, "time", "wallMilliseconds") == (STEPS - 1) * 2000 &&
                   (int64_t)run_number(&run, "time", "productiveMilliseconds") == (STEPS - 1) * 2000 &&
                   (int64_t)run_number(&run, "steps", "last") == STEPS - 1 &&
                   (int64_t)run_number(&run, "steps", "retained") == STEPS - 1 && /* the first began before the log */
                   (int64_t)run_number(&run, "steps", "repeated") == 0 &&
                   (int64_t)run_number(&run, "steps", "meanMilliseconds") == 2000;
    if (!is_true)
        harness_fail(__FILE__, __LINE__, "%s: code %d, %s%s", what, run.code, run.err, run.out);
    if (notes != NULL)
        CHECK_TEXT(run.err, notes);
    run_done(&run);
}

static void write_lines(struct buf *b, const char *form, int from, int to) {
    for (int step = from; step < to; step++)
        write_line(b, form, 0, step, true);
}

static void write_buf(const char *name, const struct buf *b) {
    run_write_file(name, b->data, b->size_bytes);
}

/* One process, in order and newest first. */
TEST(envelopes_of_log_collectors) {
    static const char *const forms[] = {
        "%T %L",
        "%T stdout F %L",
        "{\"log\":\"%L\\n\",\"stream\":\"stdout\",\"time\":\"%T\"}",
        "{\"insertId\":\"a\",\"labels\":{},\"textPayload\":\"%L\\n\",\"timestamp\":\"%T\"}",
        "{\"labels\":{\"app\":\"t\",\"pod\":\"t-0\"},\"line\":\"%L\",\"timestamp\":\"%T\"}",
        "{\"line\":\"%L\",\"timestamp\":\"%N\",\"date\":\"%T\",\"fields\":{}}", /* Grafana's download */
        "{\"date\":%D,\"log\":\"%L\"}",
        "{\"date\":%D,\"stream\":\"stderr\",\"logtag\":\"F\",\"log\":\"%L\",\"kubernetes\":{\"pod_name\":\"t-0\"}}",
        "{\"date\":\"%T\",\"message\":\"%L\",\"stream\":\"stdout\"}",
        "{\"date\":1795300000.5,\"time\":\"%T\",\"stream\":\"stdout\",\"log\":\"%L\\n\"}",
        "[7] kube.var.log.t: [[%D, {}], {\"stream\"=>\"stderr\", \"log\"=>\"%L \"quoted\", \"twice\"\", "
        "\"k\"=>{\"a\"=>1}}]",
        "[7] tail.0: [%D, {\"log\"=>\"%L\"}]",
        "[0] tail.0: [[%D, {}], {\"log\"=>\"%L",
        "{\"file\":\"/var/log/pods/n_t-0_u/c/"
        "0.log\",\"kubernetes\":{\"container_name\":\"c\",\"pod_labels\":{\"a\":\"b\"},"
        "\"pod_name\":\"t-0\"},\"message\":\"%L\",\"source_type\":\"kubernetes_logs\",\"stream\":\"stderr\","
        "\"timestamp\":\"%T\",\"timestamp_end\":\"%T\"}",
    };
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        CLEANUP_BUF struct buf b;
        buf_init(&b, 1 << 20);
        write_lines(&b, forms[i], 0, STEPS);
        write_buf("a.log", &b);
        says_the_truth(forms[i], "a.log", "");
        says_the_truth(forms[i], "- <a.log", "");
        buf_clear(&b);
        for (int step = STEPS - 1; step >= 0; step--)
            write_line(&b, forms[i], 0, step, true);
        write_buf("a.log", &b);
        says_the_truth(forms[i], "a.log", "");
        says_the_truth(forms[i], "- <a.log", "");
    }
}

/* query_range: streams one after the other, each newest first, or oldest first; as curl or jq prints it. */
TEST(a_response_of_loki) {
    for (int variant = 0; variant < 4; variant++) {
        bool is_forward = variant & 1;
        const char *gap = variant & 2 ? "\n      " : "";
        CLEANUP_BUF struct buf b;
        buf_init(&b, 1 << 20);
        buf_format(&b, "{%s\"status\": \"success\",%s\"data\":{\"resultType\":\"streams\",\"result\":[%s", gap, gap,
                   gap);
        for (int stream = 0; stream < 4; stream++) {
            int process = 1 - stream / 2;
            buf_format(&b, "%s{\"stream\":{%s\"container\":\"c\",\"pod\":\"t-%d\",\"stream\":\"%s\"},\"values\":[%s",
                       stream > 0 ? "," : "", gap, process, stream % 2 ? "stdout" : "stderr", gap);
            for (int i = 0; i < STEPS; i++) {
                int step = is_forward ? i : STEPS - 1 - i;
                buf_format(&b, "%s[%s\"%lld\",%s\"", i > 0 ? "," : "", gap, (long long)time_ns(step), gap);
                if (stream % 2)
                    buf_format(&b, "completed step: %d, seconds: 2.0, \\\"[{\\\"", step);
                buf_append_text(&b, "\"]");
            }
            buf_append_text(&b, "]}");
        }
        buf_append_text(&b, "],\"stats\":{\"summary\":{\"a\":{\"b\":{\"c\":[[[1]]]}}}}}}\n");
        write_buf("a.json", &b);
        says_the_truth("query_range", "a.json",
                       "kubectl-goodput: a.json: has lines of 2 processes; reads those of t-0/c, the lowest that has "
                       "steps\n");
        for (size_t size = 0; size < b.size_bytes; size += b.size_bytes / 50) {
            run_write_file("a.json", b.data, size);
            struct run run = run_analyze("a.json", "-o json");
            CHECK(run.code == 0 || run.code == 1);
            run_done(&run);
        }
    }
}

/* Lines of several processes in turn; the lowest one logs no step. */
TEST(one_of_several_ranks_is_read) {
    static const struct {
        const char *form, *name;
    } kinds[] = {
        {"%T [rank%P]:%L", "rank 9"},
        {"%T [rank %P] %L", "rank 9"},
        {"%T [Rank %P]: %L", "rank 9"},
        {"%T [default%P]:%L", "rank 9"},
        {"%T stderr F [trainer%P]:%L", "rank 9"},
        {" %P: %T %L", "rank 9"},
        {"[1,%P]<stdout>:%T %L", "rank 9"},
        {"[pod/t-%P/main] %T %L", "t-9/main"},
        {"[pod/t-w-%P-xk2f9/main] %T %L", "t-w-9/main"},
        {"t-%P main %T %L", "t-9/main"},
        {"[pod/t-%P/main] %T [default0]:%L", "t-9/main rank 0"},
        {"{\"date\":%D,\"log\":\"%L\",\"kubernetes\":{\"pod_name\":\"t-%P\",\"container_name\":\"c\"}}", "t-9/c"},
        {"[1] a: [[%D, {}], {\"log\"=>\"%L\", \"kubernetes\"=>{\"pod_name\"=>\"t-%P\"}}]", "t-9"},
        {"{\"kubernetes\":{\"container_name\":\"c\",\"pod_name\":\"t-%P\"},\"message\":\"%L\",\"timestamp\":\"%T\"}",
         "t-9/c"},
        {"{\"labels\":{\"pod\":\"t-%P\"},\"line\":\"%L\",\"timestamp\":\"%T\"}", "t-9"},
        {"{\"resource\":{\"labels\":{\"container_name\":\"c\",\"pod_name\":\"t-%P\"}},\"textPayload\":\"%L\","
         "\"timestamp\":"
         "\"%T\"}",
         "t-9/c"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        CLEANUP_BUF struct buf b;
        buf_init(&b, 1 << 20);
        for (int step = 0; step < STEPS; step++)
            for (int process = 10; process >= 8; process--)
                write_line(&b, kinds[i].form, process, step, process > 8);
        write_buf("a.log", &b);
        CLEANUP_FREE char *says =
            mem_format("kubectl-goodput: a.log: has lines of 3 processes; reads those of %s, the lowest that has "
                       "steps\n",
                       kinds[i].name);
        says_the_truth(kinds[i].form, "a.log", says);
    }
}

/* A few lines with a prefix (PyTorch's tracebacks), and numbers that look like a prefix, make no ranks. */
TEST(what_only_looks_like_ranks) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1 << 20);
    write_lines(&b, "%T %L", 0, STEPS);
    for (int rank = 0; rank < 8; rank++)
        write_line(&b, "%T [rank%P]: Traceback (most recent call last):", rank, STEPS - 1, true);
    write_buf("a.log", &b);
    says_the_truth("tracebacks", "a.log", "");
    buf_clear(&b);
    for (int step = 0; step < STEPS; step++)
        write_line(&b, "%T %P: %L", step, step, true);
    write_buf("a.log", &b);
    struct run run = run_analyze("a.log", "-o json --regex 'step=(?<step>[0-9]+): completed'");
    CHECK_INT(run.code, 0);
    CHECK_TEXT(run.err, "");
    CHECK_INT((int64_t)run_number(&run, "steps", "retained"), STEPS - 1);
    run_done(&run);
}

static void write_utf16(const char *name, const struct buf *b, bool is_big_endian, bool has_mark) {
    CLEANUP_BUF struct buf wide;
    buf_init(&wide, 1 << 20);
    buf_append(&wide, is_big_endian ? "\xFE\xFF" : "\xFF\xFE", has_mark ? 2 : 0);
    for (size_t i = 0; i < b->size_bytes; i++) {
        if (!is_big_endian)
            buf_append_char(&wide, b->data[i]);
        buf_append_char(&wide, '\0');
        if (is_big_endian)
            buf_append_char(&wide, b->data[i]);
    }
    /* U+1F389 as a pair, half a pair, and half a unit at the end */
    buf_append(&wide, is_big_endian ? "\xD8\x3C\xDF\x89\xD8\x3C\0\n\0" : "\x3C\xD8\x89\xDF\x3C\xD8\n\0\n", 9);
    write_buf(name, &wide);
}

TEST(byte_order_marks) {
    static const char *const forms[] = {
        "%T %L", "%T %L\r", "{\"date\":%D,\"log\":\"%L\"}",
        "{\"labels\":{\"app\":\"t\",\"pod\":\"t-0\"},\"line\":\"%L\",\"timestamp\":\"%T\"}\r"};
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        CLEANUP_BUF struct buf b;
        buf_init(&b, 1 << 20);
        buf_append_text(&b, "\xEF\xBB\xBF");
        write_lines(&b, forms[i], 0, STEPS / 2);
        buf_append_text(&b, "\xEF\xBB\xBF");
        write_lines(&b, forms[i], STEPS / 2, STEPS);
        write_buf("a.log", &b);
        says_the_truth(forms[i], "a.log", "");
        buf_clear(&b);
        write_lines(&b, forms[i], 0, STEPS);
        for (int has_mark = 0; has_mark <= 1; has_mark++) {
            write_utf16("le.log", &b, false, has_mark);
            says_the_truth(forms[i], "le.log", "");
            write_utf16("be.log", &b, true, has_mark);
            says_the_truth(forms[i], "- <be.log", "");
        }
        buf_clear(&b); /* as in `gcloud logging read --format=json > be.log` */
        buf_append_text(&b, "[\n");
        for (int step = STEPS - 1; step >= 0; step--)
            write_line(&b,
                       step > 0 ? "{\"textPayload\": \"%L\",\n\"timestamp\":\"%T\"},"
                                : "{\"textPayload\":\"%L\",\"timestamp\":\"%T\"}]",
                       0, step, true);
        write_utf16("be.log", &b, true, true);
        says_the_truth("an array", "be.log", "");
    }
    static const char *const short_ones[] = {"",
                                             "\xEF",
                                             "\xEF\xBB",
                                             "\xEF\xBB\xBF",
                                             "\xFF",
                                             "\xFF\xFE",
                                             "\xFE\xFF",
                                             ("\xFF\xFE"
                                              "a"),
                                             "abc"};
    for (size_t i = 0; i < ARRAY_SIZE(short_ones); i++) {
        run_write_file("a.log", short_ones[i], strlen(short_ones[i]));
        struct run run = run_analyze("a.log", "-o json");
        CHECK_INT(run.code, 1);
        run_done(&run);
    }
}

/* A rotated file and the one after it, a second `kubectl logs >>`, a copy of the whole. */
TEST(what_stands_twice_counts_once) {
    static const struct {
        int first_to, second_from;
    } joints[] = {{130, 80}, {130, 0}, {STEPS, 0}, {STEPS, STEPS - 1}, {1, 0}};
    for (size_t i = 0; i < ARRAY_SIZE(joints); i++) {
        CLEANUP_BUF struct buf b;
        buf_init(&b, 1 << 20);
        write_lines(&b, "%T %L", 0, joints[i].first_to);
        write_lines(&b, "%T %L", joints[i].second_from, STEPS);
        write_buf("a.log", &b);
        CLEANUP_FREE char *what = mem_format("0 to %d, then from %d", joints[i].first_to, joints[i].second_from);
        says_the_truth(what, "a.log", "");
    }
}

/* Files that overlap are one log; two attempts with the same words are not. */
TEST(files_that_overlap_are_one_log) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1 << 20);
    write_lines(&b, "%T %L", 0, 130);
    write_buf("a.log", &b);
    buf_clear(&b);
    write_lines(&b, "%T %L", 80, STEPS);
    write_buf("b.log", &b);
    says_the_truth("files that overlap", "b.log a.log",
                   "kubectl-goodput: b.log: continues a.log: they have lines in common, which count once\n");
    struct run run = run_analyze("a.log b.log", "-o json");
    CHECK_INT((int64_t)run_number(&run, "dataQuality", "repeatedLines"), 50);
    run_done(&run);
    buf_clear(&b);
    write_lines(&b, "%T %L", 130, STEPS);
    write_buf("b.log", &b);
    run = run_analyze("a.log b.log", "-o json");
    CHECK_TEXT(run.err, "");
    CHECK_INT((int64_t)run_number(&run, "interruptions", "total"), 1);
    CHECK_INT((int64_t)run_number(&run, "dataQuality", "repeatedLines"), -1);
    run_done(&run);
}

/* Python writes to a pipe in blocks: the lines of many steps get the stamp of one write. What they state is theirs. */
TEST(steps_in_bursts) {
    static const int blocks[] = {8, 20, 50, STEPS};
    for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
        CLEANUP_BUF struct buf b;
        char stamp[RFC3339_SIZE];
        buf_init(&b, 1 << 20);
        buf_format(&b, "%s starting\n", rfc3339_format(stamp, time_ns(0) - INT64_C(60000000000), 9));
        for (int step = 0; step < STEPS; step++) {
            int last = step - step % blocks[i] + blocks[i] - 1;
            int64_t written_ns = time_ns(last < STEPS ? last : STEPS - 1) + step % blocks[i] * 30000;
            buf_format(&b, "%s completed step: %d, seconds: 2.0, x\n", rfc3339_format(stamp, written_ns, 9), step);
        }
        write_buf("a.log", &b);
        struct run run = run_analyze("a.log", "-o json");
        CHECK_INT(run.code, 0);
        CLEANUP_FREE char *says = mem_format("kubectl-goodput: a.log: %d of %d steps were written in bursts: they "
                                             "count as long as their lines state, else "
                                             "as the fastest, and the rest is Unattributed; write each line at once, "
                                             "with PYTHONUNBUFFERED=1, python -u, "
                                             "or print(..., flush=True)\n",
                                             STEPS, STEPS);
        CHECK_TEXT(run.err, says);
        CHECK(strstr(run.out, "\"WrittenInBursts\"") != NULL);
        CHECK_INT((int64_t)run_number(&run, "steps", "retained"), STEPS);
        int64_t wall_ms = (int64_t)run_number(&run, "time", "wallMilliseconds");
        int64_t productive_ms = (int64_t)run_number(&run, "time", "productiveMilliseconds");
        CHECK(llabs(wall_ms - (60000 + (STEPS - 1) * 2000)) <= 10); /* the stamps of a block's lines differ */
        CHECK(STEPS * 2000 - productive_ms >= 0 && STEPS * 2000 - productive_ms <= 4010); /* the first holds start-up */
        run_done(&run);
    }
}

/* One write at the end of a job: the log begins where the steps that it states did. */
TEST(a_burst_that_begins_a_log) {
    CLEANUP_BUF struct buf b;
    char stamp[RFC3339_SIZE];
    buf_init(&b, 1 << 20);
    for (int step = 0; step < STEPS; step++)
        buf_format(&b, "%s completed step: %d, seconds: 2.0, x\n", rfc3339_format(stamp, time_ns(0) + step * 30000, 9),
                   step);
    write_buf("a.log", &b);
    struct run run = run_analyze("a.log", "-o json");
    CHECK(llabs((int64_t)run_number(&run, "time", "wallMilliseconds") - STEPS * 2000) <= 10);
    CHECK(llabs((int64_t)run_number(&run, "time", "productiveMilliseconds") - (STEPS - 1) * 2000) <= 10);
    run_done(&run);
}

/* Twenty steps a write, of two seconds; each third write took three seconds longer. */
TEST(bursts_without_durations_are_a_range) {
    CLEANUP_BUF struct buf b;
    char stamp[RFC3339_SIZE];
    buf_init(&b, 1 << 20);
    for (int step = 0; step < STEPS; step++) {
        int write = step / 20;
        buf_format(&b, "%s step %d loss 2.%d\n",
                   rfc3339_format(
                       stamp, time_ns(write * 20 + 19) + (write + 1) / 3 * INT64_C(3000000000) + step % 20 * 30000, 9),
                   step, step % 7);
    }
    write_buf("a.log", &b);
    struct run run = run_analyze("a.log", "-o json");
    CHECK_INT(run.code, 0);
    CHECK(strstr(run.err, " steps were written in bursts: ") != NULL);
    CHECK(strstr(run.out, "\"WrittenInBursts\"") != NULL);
    CHECK(strstr(run.out, "\"Stall\"") == NULL);
    int64_t wall_ms = (int64_t)run_number(&run, "time", "wallMilliseconds");
    int64_t productive_ms = (int64_t)run_number(&run, "time", "productiveMilliseconds");
    int64_t truth_ms = (STEPS - 20) * 2000; /* the log begins with the first write */
    CHECK(productive_ms <= truth_ms && productive_ms > truth_ms / 2);
    CHECK(run_number(&run, "goodputPPM", "evidence") < 950000);
    CHECK_INT((int64_t)run_number(&run, "goodputPPM", "runtimeUpperBound"), 1000000);
    CHECK(wall_ms > truth_ms);
    run_done(&run);
    run = run_analyze("a.log", "-o table");
    CHECK(strstr(run.out, "the lines were written many at once") != NULL); /* what to do */
    CHECK(strstr(run.out, "add timestamps") == NULL);
    run_done(&run);
    buf_clear(&b); /* fast steps are none */
    for (int step = 0; step < STEPS; step++)
        buf_format(&b, "%s step %d loss 2.%d\n", rfc3339_format(stamp, time_ns(0) + step * INT64_C(3000000), 9), step,
                   step % 7);
    write_buf("a.log", &b);
    run = run_analyze("a.log", "-o json");
    CHECK_INT(run.code, 0);
    CHECK_TEXT(run.err, "");
    run_done(&run);
}

TEST(too_much_to_sort) {
    struct run run =
        run_analyze_stream("(echo 2026-11-21T02:00:00Z a; yes 2026-11-21T01:00:00Z $(seq 9999 | tr -d '\\n')) | "
                           "head -c 280000000",
                           "-o json");
    CHECK_INT(run.code, 1);
    CHECK_TEXT(run.err,
               "kubectl-goodput: standard input: its lines are newest first, and to sort them needs more than 256 "
               "MiB; give them oldest first (gcloud logging read --order=asc, logcli query --forward), or "
               "reverse them with tac\n");
    run_done(&run);
}

/* What is read does not depend on how a pipe delivers it: here its first line alone, of a log that is newest first. */
TEST(a_pipe_that_pauses_after_a_line) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 1 << 20);
    for (int step = STEPS - 1; step >= 0; step--)
        write_line(&b, "%T %L", 0, step, true);
    write_buf("a.log", &b);
    struct run run = run_analyze_stream("(head -n 1 a.log; sleep 0.5; tail -n +2 a.log; sleep 0.1)", "-o json");
    CHECK_INT(run.code, 0);
    CHECK_INT((int64_t)run_number(&run, "steps", "retained"), STEPS - 1);
    CHECK_INT((int64_t)run_number(&run, "time", "productiveMilliseconds"), (STEPS - 1) * 2000);
    run_done(&run);
}
