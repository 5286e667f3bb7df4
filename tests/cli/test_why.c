/* kubectl goodput why: files in, a verdict out. The verdicts themselves are tests/rootcause's. */
#include "harness.h"
#include "run.h"

#include "base/mem.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define EXCEPTION                                                                                                      \
    "Traceback (most recent call last):\n  File \"/app/train.py\", line 4, in step\n    f()\nKeyError: 'x'\n"

static void write_text(const char *name, const char *text) {
    run_write_file(name, text, strlen(text));
}

static void answers(const char *arguments, const char *class_, const char *file, int64_t line) {
    CLEANUP_FREE char *command = mem_format("why %s", arguments);
    struct run run = run_command(command, "-o json");
    json_t *answer = json_loads(run.out ? run.out : "", 0, NULL);
    CHECK_INT(run.code, 0);
    CHECK_TEXT(json_string_value(json_object_get(answer, "class")), class_);
    if (file != NULL)
        CHECK_TEXT(json_string_value(json_object_get(answer, "firstFailing")), file);
    else
        CHECK(json_is_null(json_object_get(answer, "firstFailing")));
    CHECK_INT(json_integer_value(json_object_get(answer, "line")), line);
    CHECK(json_string_value(json_object_get(answer, "basis")) != NULL);
    json_decref(answer);
    run_done(&run);
}

/* A program that reads answers finds each of these keys in each of them. */
static void has_keys(const char *arguments) {
    static const char *const keys[] = {"class", "reason", "owner", "symptomOnly", "firstFailing",
                                       "line",  "rank",   "text",  "basis"};
    CLEANUP_FREE char *command = mem_format("why %s", arguments);
    struct run run = run_command(command, "-o json");
    json_t *answer = json_loads(run.out ? run.out : "", 0, NULL);
    CHECK_INT(run.code, 0);
    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        CHECK(json_object_get(answer, keys[i]) != NULL);
    json_decref(answer);
    run_done(&run);
}

TEST(each_answer_has_all_keys) {
    write_text("noise", "fine\n");
    write_text("a", "fine\nBroken pipe\n");
    write_text("b", "fine\n" EXCEPTION);
    write_text("empty", "");
    has_keys("b");
    has_keys("a");
    has_keys("noise");
    has_keys("empty");
    has_keys("noise a --exit-code 139");
    has_keys("--exit-code 137");
}

TEST(one_answer_for_several_files) {
    write_text("a", "fine\nBroken pipe\n");
    write_text("b", "fine\n" EXCEPTION);
    answers("a b", "UserException", "b", 5);
    answers("b a", "UserException", "b", 5);
    answers("a", "PeerLost", "a", 2);
    answers("a --termination-message b --exit-code 1", "UserException", "b", 5);
    answers("--exit-code 139", "CrashSignal", NULL, 0);
}

TEST(the_answer_as_text) {
    write_text("b", "fine\n" EXCEPTION);
    struct run run = run_command("why b", "");
    CHECK_TEXT(run.out, "UserException (KeyError), owner Tenant\n  b:5\n  KeyError: 'x'\n  at train.py:4 in step\n"
                        "  Observed: the earliest line that is a cause; the exception that ends a traceback\n");
    run_done(&run);
}

/* Steps after an error show that training survived it. */
TEST(steps_follow_what_was_survived) {
    write_text("a", EXCEPTION "completed step: 1, seconds: 0.05, TFLOP/s/device: 0.3, loss: 7.9\n"
                              "completed step: 2, seconds: 0.05, TFLOP/s/device: 0.3, loss: 7.8\nBroken pipe\n");
    answers("a", "PeerLost", "a", 7);
}

TEST(poor_input_is_read_or_refused_with_one_line) {
    static const char wide[] = "\xff\xfeN\0o\0 \0s\0p\0a\0c\0e\0 \0l\0e\0f\0t\0 \0o\0n\0 \0d\0e\0v\0i\0c\0e\0\n";
    char binary[4096];
    for (size_t i = 0; i < sizeof binary; i++)
        binary[i] = (char)(i * 7 % 256);
    run_write_file("wide", wide, sizeof wide);
    run_write_file("binary", binary, sizeof binary);
    run_write_file("holes", "\0\0\0\0No space left on device\0\0\n", 30);
    write_text("empty", "");
    write_text("color", "\x1b[31mOSError: No space left on device\x1b[0m\r\n");
    answers("wide", "StorageError", "wide", 1);
    answers("holes", "StorageError", "holes", 1);
    answers("color", "StorageError", "color", 1);
    answers("empty", "Unknown", NULL, 0);
    struct run run = run_command("why binary", "");
    CHECK_INT(run.code, 1);
    CHECK_TEXT(run.err, "kubectl-goodput: binary: not a text file; why reads logs as containers print them\n");
    run_done(&run);
}

TEST(wrong_usage_is_refused_with_one_line) {
    static const struct {
        const char *arguments, *error;
    } cases[] = {
        {"", "kubectl-goodput: why needs a FILE; \"kubectl goodput why --help\" shows how to name it\n"},
        {"a --exit-code x", "kubectl-goodput: --exit-code x: not an exit code (0 to 255)\n"},
        {"a -o name", "kubectl-goodput: --output name: not one of json, yaml\n"},
        {"a --nope", "kubectl-goodput: unknown option \"--nope\"; \"kubectl goodput why --help\" lists them\n"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CLEANUP_FREE char *command = mem_format("why %s", cases[i].arguments);
        struct run run = run_command(command, "");
        CHECK_INT(run.code, 2);
        CHECK_TEXT(run.err, cases[i].error);
        run_done(&run);
    }
}

/* Line numbers count what is not kept; memory does not grow with the file. */
TEST(a_long_file_in_bounded_memory) {
    enum { LINES = 40000, LINE_BYTES = 1000 };
    CLEANUP_FREE char *path = run_path("long");
    char line[LINE_BYTES];
    memset(line, 'x', sizeof line);
    line[LINE_BYTES - 1] = '\n';
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    for (int i = 0; i < LINES; i++)
        fwrite(line, 1, sizeof line, file);
    fputs("KeyError: 'x'\n", file);
    fclose(file);
    struct run run = run_command("why long", "-o json");
    CHECK_INT(run_number(&run, "line", NULL), LINES + 1);
    if (run_is_memory_ours())
        CHECK(run.rss_kib < 32 << 10);
    run_done(&run);
}
