/* analyze as its users run it, on input that is bad in every way: what is wrong is said once, with the file and the
 * line, the rest is read, and memory stays bounded. */
#include "harness.h"
#include "run.h"

#include "base/buf.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define STEP(n, t) "{\"job_name\": \"j\", \"step_count\": " #n ", \"step_start_time\": " #t "}\n"
#define START "{\"job_name\": \"j\", \"job_start_time\": 1795223940.5}\n"
#define STEPS START STEP(0, 1795223950.5) STEP(1, 1795223960.5) STEP(2, 1795223970.5) STEP(3, 1795223980.5)
#define END "{\"job_name\": \"j\", \"job_end_time\": 1795223990.5}\n"

/* Four steps of 10 s and an end, whatever stands between them: both definitions find them, and say what stood there. */
static void finds_the_steps(const char *files, const char *ledger_says, const char *library_says) {
    struct run run = run_analyze(files, "-o json");
    CHECK_INT(run.code, 0);
    CHECK_TEXT(run.err, ledger_says);
    CHECK_INT((int64_t)run_number(&run, "time", "wallMilliseconds"), 50000);
    CHECK_INT((int64_t)run_number(&run, "time", "productiveMilliseconds"), 40000);
    run_done(&run);
    if (library_says == NULL)
        return;
    run = run_analyze(files, "-o json --definition library");
    CHECK_INT(run.code, 0);
    CHECK_TEXT(run.err, library_says);
    CHECK_INT((int64_t)(run_number(&run, "productive_seconds", NULL) * 1000), 40000);
    run_done(&run);
}

static void text_finds_the_steps(const char *text, size_t size, const char *ledger_says, const char *library_says) {
    run_write_file("a.log", text, size);
    finds_the_steps("a.log", ledger_says, library_says);
}
#define TEXT_FINDS(text, ledger, library) text_finds_the_steps(text, sizeof text - 1, ledger, library)

TEST(garbage_between_the_lines) {
    TEXT_FINDS(STEPS END, "", "");
    TEXT_FINDS(STEPS "\x00\x01\xff\xfe\x80 garbage\n\n\r\n\x1b[31m\n{\n{\"\n[[[[\n" END, "", "");
    TEXT_FINDS(STEPS "{\"job_name\": \"j\", \"step_count\": 9, \"step_start_ti\n" END,
               "kubectl-goodput: a.log: line 6 cannot be read and is left out\n",
               "kubectl-goodput: a.log: line 6 is left out: not JSON: string not closed\n");
    /* invalid UTF-8 in a name, and as a whole line */
    TEXT_FINDS(START
               "{\"job_name\": \"j\", \"custom_badput_event_type\": \"\xc3\x28\xff\", \"other\": 1}\n\xc3\x28\n" STEP(
                   0, 1795223950.5) STEP(1, 1795223960.5) STEP(2, 1795223970.5) STEP(3, 1795223980.5) END,
               "", "");
}

TEST(numbers_that_cannot_be) {
    TEXT_FINDS(STEPS "{\"job_name\": \"j\", \"step_count\": NaN, \"step_start_time\": 1795223985.5}\n"
                     "{\"job_name\": \"j\", \"step_count\": 5, \"step_start_time\": \"noon\"}\n"
                     "{\"job_name\": \"j\", \"step_count\": 1e400, \"step_start_time\": 1795223985.5}\n" END,
               "kubectl-goodput: a.log: line 6 cannot be read and is left out; so are others like it\n", NULL);
    TEXT_FINDS(STEPS "{\"job_name\": \"j\", \"step_count\": 4, \"step_start_time\": 4102444800.5}\n" END,
               "kubectl-goodput: a.log: line 6 is left out: its time is after 2100\n", NULL);
    struct run jump;
    run_write_file("a.log", STEPS STEP(4, 1895223985.5), sizeof(STEPS STEP(4, 1895223985.5)) - 1);
    jump = run_analyze("a.log", "-o json");
    CHECK_TEXT(
        jump.err,
        "kubectl-goodput: a.log: line 6 has the time 2030-01-21T11:06:25Z, more than a year from the line before; "
        "check its clock\n");
    run_done(&jump);
    /* negative, before 1970, after 2100 and beyond any date: none of them crashes it or hides the rest's existence */
    static const char *const times[] = {"-1",
                                        "-1e300",
                                        "NaN",
                                        "Infinity",
                                        "-62135596801",
                                        "4102444800.5",
                                        "1e18",
                                        "1e400",
                                        "0",
                                        "253402300800",
                                        "99999999999999999999999999"};
    for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
        CLEANUP_FREE char *text =
            mem_format(STEPS "{\"job_name\": \"j\", \"step_count\": 4, \"step_start_time\": %s}\n" END, times[i]);
        run_write_file("a.log", text, strlen(text));
        static const char *const definitions[] = {"ledger", "library", "both"};
        for (size_t k = 0; k < ARRAY_SIZE(definitions); k++) {
            CLEANUP_FREE char *options = mem_format("-o %s --definition %s", k % 2 ? "json" : "table", definitions[k]);
            struct run run = run_analyze("a.log", options);
            if (run.code != 0 && run.code != 1)
                harness_fail(__FILE__, __LINE__, "%s, %s: exit code %d: %s", times[i], options, run.code, run.err);
            run_done(&run);
        }
    }
}

TEST(json_that_is_too_deep) {
    enum { DEPTH = 20000 };
    char *deep = mem_alloc(2 * DEPTH + 1);
    memset(deep, '[', DEPTH);
    memset(deep + DEPTH, ']', DEPTH);
    CLEANUP_FREE char *text = mem_format(STEPS "{\"job_name\": \"j\", \"x\": %s}\n" END, deep);
    free(deep);
    text_finds_the_steps(text, strlen(text), "kubectl-goodput: a.log: line 6 cannot be read and is left out\n",
                         "kubectl-goodput: a.log: line 6 is left out: not JSON: nested too deeply\n");
}

TEST(a_line_of_a_gibibyte) {
    static const char head[] = STEPS "x", tail[] = "\n" END;
    CLEANUP_FREE char *path = run_path("a.log");
    run_write_file("a.log", head, sizeof head - 1);
    int fd = open(path, O_WRONLY | O_CLOEXEC); /* a hole reads as zeros */
    CHECK(fd >= 0 && pwrite(fd, tail, sizeof tail - 1, ((off_t)1 << 30) + (off_t)sizeof head) == sizeof tail - 1);
    close(fd);
    static const char says[] =
        "kubectl-goodput: a.log: line 6 is longer than 262144 bytes; the rest of it is not read\n";
    finds_the_steps("a.log", says, says);
    struct run run = run_analyze("a.log", "-o json");
    CHECK(run.rss_kib > 0 && (!run_is_memory_ours() || run.rss_kib < 32 * 1024));
    run_done(&run);
    unlink(path);
}

/* gzip: two members as one file, zeros behind them; cut off anywhere; damaged. */
TEST(compressed_files) {
    CLEANUP_FREE char *path = run_path("a.gz");
    gzFile gz = gzopen(path, "wb");
    gzputs(gz, STEPS);
    gzclose(gz);
    gz = gzopen(path, "ab");
    gzputs(gz, END);
    gzclose(gz);
    struct stat st;
    CHECK(stat(path, &st) == 0);
    finds_the_steps("a.gz", "", "");
    finds_the_steps("- <a.gz", "", "");
    CHECK(truncate(path, st.st_size + 512) == 0);
    finds_the_steps("a.gz", "", "");
    CHECK(truncate(path, st.st_size - 20) == 0); /* in the second member */
    struct run run = run_analyze("a.gz", "-o json");
    CHECK_INT(run.code, 0);
    CHECK(strstr(run.err, "kubectl-goodput: a.gz: the compressed data is cut off after ") == run.err);
    CHECK_INT((int64_t)run_number(&run, "steps", "last"), 2); /* the end of step 3 is not there */
    run_done(&run);
    CHECK(truncate(path, 20) == 0); /* in the first */
    run = run_analyze("a.gz", "-o json");
    CHECK_INT(run.code, 1);
    CHECK(strstr(run.err, "is cut off after 20 bytes") != NULL);
    run_done(&run);
    run_write_file("a.zst", "\x28\xb5\x2f\xfd\x04\x58", 6);
    run = run_analyze("a.zst", "");
    CHECK_TEXT(run.err, "kubectl-goodput: a.zst: unsupported compression; use: zstdcat a.zst | kubectl "
                        "goodput analyze -\n");
    CHECK_INT(run.code, 1);
    run_done(&run);
}

/* Attempts named against their order, found by a pattern that the program expands; one of the files is not a log. */
/* Text before the first stamp, or between stamps, does not hide them. */
TEST(a_banner_before_the_stamps) {
    static const char text[] = "Attempt 1 of node-7\n[[[[\n"
                               "2026-11-21T02:16:50Z completed step: 1, seconds: 1.0, x\n"
                               "2026-11-21T02:16:51Z completed step: 2, seconds: 1.0, x\n"
                               "a part that was split off\n"
                               "2026-11-21T02:16:52Z completed step: 3, seconds: 1.0, x\n"
                               "2026-11-21T02:16:53Z completed step: 4, seconds: 1.0, x\n";
    run_write_file("a.log", text, sizeof text - 1);
    struct run run = run_analyze("a.log", "-o json");
    CHECK_INT(run.code, 0);
    CHECK_TEXT(run.err, "");
    CHECK_INT((int64_t)run_number(&run, "time", "wallMilliseconds"), 3000);
    CHECK_INT((int64_t)run_number(&run, "time", "productiveMilliseconds"), 3000);
    run_done(&run);
}

TEST(several_files) {
    run_write_file("run-10.log", START STEP(0, 1795223950.5) STEP(1, 1795223960.5),
                   strlen(START) + 2 * strlen(STEP(0, 1795223950.5)));
    static const char second[] = STEP(1, 1795223970.5) STEP(2, 1795223980.5) END;
    run_write_file("run-9.log", second, sizeof second - 1);
    struct run run = run_analyze("'run-*.log'", "-o json");
    CHECK_INT(run.code, 0);
    CHECK_TEXT(run.err, "");
    CHECK_INT((int64_t)run_number(&run, "interruptions", "total"), 1);
    CHECK_INT((int64_t)run_number(&run, "time", "wallMilliseconds"), 50000);
    run_done(&run);
    run_write_file("run-1.log", "not a log\n", 10);
    run = run_analyze("'run-*.log'", "-o json");
    CHECK_INT(run.code, 0);
    CHECK_TEXT(run.err, "kubectl-goodput: run-1.log: no line (1) says anything of training\n");
    run_done(&run);
    run = run_analyze("'none-*.log'", "");
    CHECK_INT(run.code, 1);
    CHECK_TEXT(run.err, "kubectl-goodput: none-*.log: No such file or directory\n");
    run_done(&run);
    run = run_analyze("/", "");
    CHECK_TEXT(run.err, "kubectl-goodput: /: is a folder; name the files in it\n");
    run_done(&run);
}

/* What a person sees first: the scores, bars, what to do, a row per attempt, and why they ended. */
TEST(the_table_of_killed_runs) {
    char here[512];
    CHECK(getcwd(here, sizeof here) != NULL);
    CLEANUP_FREE char *files = mem_format("'%s/tests/data/trainer-logs/torchtitan/restarts/attempt-*.log'", here);
    struct run run = run_analyze(files, "");
    static const char *const expected[] = {"attempt-1.log and 2 more (TorchTitan)\n3 attempts, 2026-11-21 02:22:41 to ",
                                           "\ngoodput ",
                                           "\nwall time              1m 01.4s  100.00%  ######",
                                           "\nWhat to do first\n  1. ",
                                           "\nAttempts\n",
                                           "\n   3 ",
                                           "\n  #2 2026-11-21 02:23:16"};
    CHECK_INT(run.code, 0);
    CHECK_TEXT(run.err, "");
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
        if (strstr(run.out, expected[i]) == NULL)
            harness_fail(__FILE__, __LINE__, "\"%s\" is not in it:\n%s", expected[i], run.out);
    run_done(&run);
}

/* `gcloud logging read --format=json`: one array over many lines, its entries' keys in the order of the alphabet. */
static char *array_of_entries(int from, int to, int by, bool is_text) {
    CLEANUP_BUF struct buf b;
    buf_init(&b, 4 << 20);
    buf_append_text(&b, "[\n");
    for (int step = from; step != to; step += by) {
        buf_append_text(&b, "  {\n    \"insertId\": \"a]}\\\"{[\",\n");
        if (!is_text)
            buf_format(&b,
                       "    \"jsonPayload\": {\n      \"job_name\": \"j\",\n      \"step_count\": %d,\n"
                       "      \"step_start_time\": %d.5\n    },\n",
                       step, 1795223940 + 10 * step);
        buf_append_text(&b, "    \"labels\": {},\n    \"severity\": \"INFO\",\n");
        if (is_text)
            buf_format(&b, "    \"textPayload\": \"completed step: %d, seconds: 10.0, x\",\n", step);
        buf_format(&b, "    \"timestamp\": \"2026-11-21T%02d:%02d:%02dZ\"\n  }%s\n", 1 + step / 360, step / 6 % 60,
                   step % 6 * 10, step + by == to ? "" : ",");
    }
    buf_append_text(&b, "]\n");
    return mem_strdup(buf_text(&b));
}

TEST(an_array_of_entries_is_read_as_a_stream) {
    for (int is_text = 0; is_text < 2; is_text++) {
        CLEANUP_FREE char *text = array_of_entries(0, 4000, 1, is_text);
        size_t size = strlen(text);
        CHECK(size > 2 * 262144); /* more than the reader holds */
        run_write_file("a.json", text, size);
        struct run run = run_analyze("a.json", "-o json");
        CHECK_INT(run.code, 0);
        CHECK_TEXT(run.err, "");
        CHECK_INT((int64_t)run_number(&run, "steps", "retained"), 3999);
        CHECK_INT((int64_t)run_number(&run, "time", "wallMilliseconds"), 39990000);
        run_done(&run);
        run_write_file("a.json", text, size - 150); /* cut off within the last entry */
        run = run_analyze("a.json", "-o json");
        CHECK_INT(run.code, 0);
        CHECK_INT((int64_t)run_number(&run, "steps", "retained"), 3998);
        run_done(&run);
        CLEANUP_FREE char *reversed = array_of_entries(3999, -1, -1, is_text);
        run_write_file("a.json", reversed, strlen(reversed));
        run = run_analyze("a.json", "-o json");
        CHECK_INT(run.code, 0);
        CHECK_TEXT(run.err, "");
        CHECK_INT((int64_t)run_number(&run, "steps", "retained"), 3999);
        CHECK_INT((int64_t)run_number(&run, "time", "wallMilliseconds"), 39990000);
        run_done(&run);
    }
    CLEANUP_FREE char *text = array_of_entries(0, 40, 1, false);
    run_write_file("a.json", text, strlen(text));
    struct run run = run_analyze("a.json", "-o json --definition library");
    CHECK_INT((int64_t)run_number(&run, "step_deviation", "count"), 39);
    run_done(&run);
    static const char *const empty[] = {"[]", "[", " [ \n", "[{", "[{}]", "[1, 2]", "[{\"a\": [[[{"};
    for (size_t i = 0; i < ARRAY_SIZE(empty); i++) {
        run_write_file("a.json", empty[i], strlen(empty[i]));
        run = run_analyze("a.json", "-o json");
        CHECK_INT(run.code, 1);
        CHECK(strstr(run.err, "a.json: no step in any line (") != NULL);
        run_done(&run);
    }
}

/* A container's lines as Cloud Logging exports them, a line each; and as gcloud's value(timestamp,textPayload) does. No
 * log names the chips' peak, so program goodput is unknown: absent, not 0. */
TEST(lines_exported_from_cloud_logging) {
    static const struct {
        const char *before, *after; /* the step */
    } forms[] = {
        {"{\"textPayload\":\"completed step: ", ", seconds: 1.0, TFLOP/s/device: 9.0\\n\",\"severity\":\"INFO\","},
        {"{\"jsonPayload\":{\"message\":\"completed step: ", ", seconds: 1.0, TFLOP/s/device: 9.0\",\"x\":1},"},
        {NULL, NULL}};
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        CLEANUP_FREE char *path = run_path("a.log");
        FILE *f = fopen(path, "wb");
        for (int step = 0; step < 8 && forms[i].before == NULL; step++)
            fprintf(f, "2026-11-21T02:16:5%dZ\tcompleted step: %d, seconds: 1.0, TFLOP/s/device: 9.0\n", step, step);
        for (int step = 0; step < 8 && forms[i].before != NULL; step++)
            fprintf(f, "%s%d%s\"timestamp\":\"2026-11-21T02:16:5%dZ\",\"insertId\":\"a\"}\n", forms[i].before, step,
                    forms[i].after, step);
        fclose(f);
        struct run run = run_analyze("a.log", "-o json");
        CHECK_INT(run.code, 0);
        CHECK_INT((int64_t)run_number(&run, "steps", "retained"), 7); /* the first began before the log */
        CHECK_INT((int64_t)run_number(&run, "time", "wallMilliseconds"), 7000);
        CHECK_TEXT(run.err, "");
        CHECK(strstr(run.out, "\"program\"") == NULL && strstr(run.out, "\"productivity\"") == NULL);
        run_done(&run);
    }
}

static int64_t rss_of_steps_kib(int steps) {
    CLEANUP_FREE char *path = run_path("long.jsonl");
    FILE *f = fopen(path, "wb");
    fputs("{\"job_name\": \"j\", \"job_start_time\": 1795223940.5}\n", f);
    for (int i = 0; i < steps; i++)
        fprintf(f, "{\"job_name\": \"j\", \"step_count\": %d, \"step_start_time\": %.3f}\n", i,
                1795223950.5 + 3.0 * i + (i * 37 % 100) / 1000.0);
    fclose(f);
    struct run run = run_analyze("long.jsonl", "-o json");
    CHECK_INT(run.code, 0);
    CHECK_TEXT(run.err, "");
    CHECK_INT((int64_t)run_number(&run, "steps", "retained"), steps - 1);
    unlink(path);
    run_done(&run);
    return run.rss_kib;
}

/* Memory is that of what is not settled yet, not of the log: 24 bytes a step would be 7 MiB more. */
TEST(memory_does_not_grow_with_the_log) {
    int64_t few_kib = rss_of_steps_kib(100000), many_kib = rss_of_steps_kib(400000);
    if (run_is_memory_ours())
        CHECK(few_kib < 16 * 1024 && many_kib < 16 * 1024 && many_kib - few_kib < 3 * 1024);
    if (many_kib - few_kib >= 3 * 1024)
        fprintf(stderr, "100,000 steps: %lld KiB, 400,000: %lld KiB\n", (long long)few_kib, (long long)many_kib);
}

/* A StepLogFormat is tried without a cluster: its examples first, then the log. */
TEST(a_custom_format_is_tried_on_a_log) {
    char here[512];
    REQUIRE(getcwd(here, sizeof here) != NULL);
    CLEANUP_FREE char *log = mem_format("%s/tests/data/formats/mytrainer.log", here);
    CLEANUP_FREE char *good = mem_format("-o json --format-file %s/tests/data/formats/mytrainer.yaml", here);
    struct run run = run_analyze(log, good);
    CHECK_INT(run.code, 0);
    CHECK(run_number(&run, "steps", "retained") == 60);
    CHECK(run_number(&run, "steps", "lastDurable") == 59);
    CHECK(strstr(run.out, "\"cost\"") == NULL); /* no price is given: unknown, not 0 */
    run_done(&run);
    CLEANUP_FREE char *path = mem_format("%s/tests/data/formats/mytrainer.yaml", here);
    CLEANUP_FREE char *text = harness_read_file(path, NULL);
    REQUIRE(text != NULL);
    memcpy(strstr(text, "step: 12"), "step: 13", 8);
    run_write_file("bad.yaml", text, strlen(text));
    run = run_analyze(log, "--format-file bad.yaml");
    CHECK_INT(run.code, 2);
    CHECK(strstr(run.err, "bad.yaml: pattern \"iteration\", example 1: step is 12, expected 13") != NULL);
    run_done(&run);
    run = run_analyze(log, "--format-file none.yaml");
    CHECK_INT(run.code, 2);
    CHECK(strstr(run.err, "--format-file: none.yaml cannot be opened") != NULL);
    run_done(&run);
}

/* A trainer that no format names: which counter was read is said above the numbers. */
TEST(the_counter_of_another_trainer_is_named) {
    CLEANUP_BUF struct buf log;
    buf_init(&log, 4096);
    for (int i = 0; i < 12; i++)
        buf_format(&log, "2026-11-20T08:00:%02dZ iter %d: loss %d.5, time 1000.00ms\n", 10 + i, i, 20 - i);
    run_write_file("a.log", buf_text(&log), buf_slice(&log).size_bytes);
    struct run run = run_analyze("a.log", "");
    CHECK_INT(run.code, 0);
    CHECK(strncmp(run.out, "a.log (Generic(iter N))\n", strlen("a.log (Generic(iter N))\n")) == 0);
    run_done(&run);
}

/* Logs of killed runs of trainers: what is read does not depend on whether each attempt has a file. */
TEST(attempts_in_one_file) {
    static const char *const runs[] = {"composer/restarts", "deepspeed/restarts-info", "hf-trainer/restarts",
                                       "litgpt/restarts",   "maxtext/restarts",        "megatron-log/restarts",
                                       "nanogpt/restarts",  "torchtitan/restarts",     "trl/restarts"};
    static const char *const numbers[][2] = {
        {"time", "wallMilliseconds"}, {"time", "productiveMilliseconds"}, {"steps", "last"}, {"steps", "repeated"}};
    char here[512];
    CHECK(getcwd(here, sizeof here) != NULL);
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
        CLEANUP_FREE char *files = mem_format("'%s/tests/data/trainer-logs/%s/attempt-*.log'", here, runs[i]);
        CLEANUP_FREE char *join =
            mem_format("cat '%s'/tests/data/trainer-logs/%s/attempt-*.log | \"$0\" analyze -o json -", here, runs[i]);
        struct run apart = run_analyze(files, "-o json"), joined = run_shell(join);
        CHECK_INT(joined.code, 0);
        for (size_t k = 0; k < ARRAY_SIZE(numbers); k++) {
            double expected = run_number(&apart, numbers[k][0], numbers[k][1]);
            double found = run_number(&joined, numbers[k][0], numbers[k][1]);
            if (found != expected)
                harness_fail(runs[i], __LINE__, "%s is %.0f in one file, %.0f apart", numbers[k][1], found, expected);
        }
        run_done(&apart);
        run_done(&joined);
    }
}
