/* What a log may hold besides text: bytes of a file, escapes of a terminal, one endless line, other scripts, and lines
 * that only look like a failure. */
#include "harness.h"
#include "judge.h"
#include "random.h"

#include "base/mem.h"

#include <stdlib.h>

#define TAIL_BYTES (1 << 16)

static bool is_utf8(struct slice text) {
    for (size_t i = 0, more = 0; i < text.size_bytes || more > 0; i++) {
        unsigned char c = i < text.size_bytes ? (unsigned char)text.data[i] : 0;
        if ((c & 0xc0) == 0x80 ? more == 0 : more > 0)
            return false;
        more = c < 0x80 ? 0 : c < 0xc0 ? more - 1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    }
    return true;
}

/* JSON takes the texts: UTF-8 without control characters, within their bounds. */
static void check_text(const struct rootcause_verdict *v) {
    struct slice rest = slice_of(v->finding.text);
    CHECK(is_utf8(slice_of(v->finding.frame)) && is_utf8(slice_of(v->finding.reason)));
    CHECK(rest.size_bytes < QUOTE_BYTES);
    for (size_t i = 0; i < rest.size_bytes; i++)
        CHECK((unsigned char)rest.data[i] >= 0x20 && rest.data[i] != 0x7f);
    CHECK(is_utf8(rest));
}

static char *bytes(uint64_t *r) {
    char *tail = mem_alloc(TAIL_BYTES);
    for (size_t i = 0; i < TAIL_BYTES; i++)
        tail[i] = (char)random_below(r, 256);
    return tail;
}

TEST(bytes_of_a_file_name_no_cause) {
    uint64_t r = random_setting("GOODPUT_SEED", 1);
    for (int i = 0; i < 20; i++) {
        struct rootcause_verdict v;
        CLEANUP_FREE char *tail = bytes(&r);
        judge_text(&v, (struct slice){tail, TAIL_BYTES});
        CHECK_TEXT(rootcause_class_name(v.finding.class_), "Unknown");
        check_text(&v);
    }
}

TEST(a_line_between_bytes_of_a_file_is_found) {
    static const char line[] = "NVRM: Xid (PCI:0000:9b:00): 79, pid=7, GPU has fallen off the bus.";
    uint64_t r = random_setting("GOODPUT_SEED", 1);
    for (int i = 0; i < 20; i++) {
        struct rootcause_verdict v;
        CLEANUP_FREE char *tail = bytes(&r);
        memcpy(tail + random_below(&r, TAIL_BYTES - sizeof line), line, sizeof line - 1);
        judge_text(&v, (struct slice){tail, TAIL_BYTES});
        CHECK_TEXT(rootcause_class_name(v.finding.class_), "GPUHardware");
        check_text(&v);
    }
}

/* As rich and loguru color a traceback: also within the words of a signature. */
TEST(escapes_of_a_terminal_hide_nothing) {
    static const char *const lines[] = {
        "\x1b[31mtorch.OutOfMemoryError\x1b[0m: \x1b[1mCUDA out\x1b[22m of memory. Tried to allocate 2 GiB",
        "\x1b]8;;file:///a.py\x1b\\torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\x1b]8;;\x1b\\",
        "\x1b[38;2;255;0;0mtorch.OutOfMemoryError: CUDA \x1b[4:3mout of memory. Tried to allocate 2 GiB",
    };
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        struct rootcause_verdict v;
        judge_text(&v, slice_of(lines[i]));
        CHECK_TEXT(rootcause_class_name(v.finding.class_), "DeviceOOM");
        CHECK(strstr(v.finding.text, "CUDA out of memory") != NULL);
        check_text(&v);
    }
}

/* A tail that starts within a line, and has no end of it. */
TEST(one_line_of_64_kib) {
    static const char cause[] = "RuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error. ";
    static const size_t places[] = {0, TAIL_BYTES / 2, TAIL_BYTES - sizeof cause};
    for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
        struct rootcause_verdict v;
        CLEANUP_FREE char *tail = mem_alloc(TAIL_BYTES);
        memset(tail, '.', TAIL_BYTES);
        memcpy(tail + places[i], cause, sizeof cause - 1);
        judge_text(&v, (struct slice){tail, TAIL_BYTES});
        CHECK(v.finding.class_ != CLASS_UNKNOWN);
        CHECK(strstr(v.finding.text, "killed by signal") != NULL);
        check_text(&v);
    }
}

/* Its last frame is of a file whose name is not UTF-8, and too long. */
TEST(a_frame_is_text_too) {
    struct rootcause_verdict v;
    CLEANUP_BUF struct buf tail;
    buf_init(&tail, TAIL_BYTES);
    buf_append_text(&tail, "Traceback (most recent call last):\n  File \"/app/\xff\xc3(");
    for (int i = 0; i < 60; i++)
        buf_append_text(&tail, "\xe6\x98\xbe");
    buf_append_text(&tail, ".py\", line 4, in f\n    f()\nValueError: boom\n");
    judge_text(&v, buf_slice(&tail));
    CHECK(v.finding.frame[0] != '\0');
    check_text(&v);
}

/* The message is in the language of who wrote the program; it is quoted to a whole character. */
TEST(lines_in_other_languages) {
    static const char *const words[] = {"\xe6\x98\xbe\xe5\xad\x98\xe4\xb8\x8d\xe8\xb6\xb3",             /* Chinese */
                                        "\xd0\xbd\xd0\xb5\xd1\x82 \xd0\xbf\xd0\xb0\xd0\xbc\xd1\x8f",    /* Russian */
                                        "\xe3\x83\xa1\xe3\x83\xa2\xe3\x83\xaa\xe4\xb8\x8d\xe8\xb6\xb3", /* Japanese */
                                        "\xd8\xb0\xd8\xa7\xd9\x83\xd8\xb1\xd8\xa9",                     /* Arabic */
                                        "\xf0\x9f\x94\xa5\xf0\x9f\x92\xa5"};                            /* emoji */
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        struct rootcause_verdict v;
        CLEANUP_BUF struct buf tail;
        buf_init(&tail, TAIL_BYTES);
        buf_append_text(&tail, "Traceback (most recent call last):\n  File \"/app/t.py\", line 4, in f\n    f()\n"
                               "ValueError: ");
        for (int k = 0; k < 100; k++)
            buf_append_text(&tail, words[i]);
        judge_text(&v, buf_slice(&tail));
        CHECK_TEXT(rootcause_class_name(v.finding.class_), "UserException");
        CHECK(strstr(v.finding.text, words[i]) != NULL);
        check_text(&v);
    }
}

/* A trainer that prints what it trains on: steps follow each line that looks like a failure, so none of them ended it.
 */
TEST(what_progress_follows_did_not_end_it) {
    static const char *const lines[] = {"CUDA out of memory. Tried to allocate 2 GiB",
                                        "NVRM: Xid (PCI:0000:9b:00): 79, pid=7, GPU has fallen off the bus.",
                                        "OSError: [Errno 28] No space left on device"};
    struct matcher *m = matcher_new();
    struct rootcause_log *log = rootcause_log_new(m, false);
    struct rootcause_verdict v;
    for (int64_t i = 0; i < 30; i++) {
        rootcause_log_line(log, slice_of(lines[i % 3]), 2 * i);
        rootcause_log_line(log, SLICE("step 7 loss 2.1"), 2 * i + 1);
        rootcause_log_progress(log);
    }
    rootcause_log_line(log, SLICE("ValueError: boom"), 60);
    rootcause_log_end(log);
    rootcause_verdict(&v, m, &log, 1, VERDICT_NO_EXIT_CODE);
    CHECK_TEXT(v.finding.text, "ValueError: boom");
    rootcause_log_free(log);
    matcher_free(m);
}

/* A trainer shows its data, or what its model wrote: not a report of hardware. */
TEST(a_conversation_about_hardware) {
    static const char *const logs[] = {
        "prompt: my node says CUDA error: uncorrectable ECC error encountered. What now?\nstep 7 loss 2.1",
        "sample 7: the host reported an uncorrectable ECC error encountered on GPU 3",
        "[prompt] user\nNVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n[score] 0.5",
        ("<|im_start|>user\nTraceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n"
         "    loss.backward()\nRuntimeError: CUDA error: uncorrectable ECC error encountered\n<|im_end|>"),
        "assistant: An \"uncorrectable NVLink error\" means that a link failed.",
        "See https://docs.nvidia.com/ for Xid 79 (GPU has fallen off the bus)",
        "print(\"NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\")",
        "health: 'GPU has fallen off the bus' not found in dmesg",
        "### Instruction:\nExplain: GPU 0000:06:00.0: GPU has fallen off the bus\n### Response:\nIt is lost.",
    };
    for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
        struct rootcause_verdict v;
        judge_text(&v, slice_of(logs[i]));
        CHECK_TEXT(rootcause_class_name(v.finding.class_), "Unknown");
    }
}

TEST(a_report_of_hardware_after_a_conversation) {
    static const char *const logs[] = {
        "[prompt] user\n[score] 0.5\nNVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.",
        "[rank0]: <|im_start|>user\n[rank1]: RuntimeError: CUDA error: uncorrectable ECC error encountered",
    };
    for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
        struct rootcause_verdict v;
        judge_text(&v, slice_of(logs[i]));
        CHECK_TEXT(rootcause_class_name(v.finding.class_), "GPUHardware");
    }
}

/* The class that a log shows with that many steps after its lines. */
static const char *class_before_steps(const char *lines, int steps) {
    struct matcher *m = matcher_new();
    struct rootcause_log *log = rootcause_log_new(m, false);
    struct rootcause_verdict v;
    struct slice rest = slice_of(lines), line;
    for (int64_t number = 1; slice_take_line(&rest, &line); number++)
        rootcause_log_line(log, line, number);
    for (int i = 0; i < steps; i++)
        rootcause_log_progress(log);
    rootcause_log_end(log);
    rootcause_verdict(&v, m, &log, 1, VERDICT_NO_EXIT_CODE);
    rootcause_log_free(log);
    matcher_free(m);
    return rootcause_class_name(v.finding.class_);
}

/* Steps of other ranks may follow a chip's failure, but not many; those of the same process may have been held back. */
TEST(a_chip_that_failed_makes_no_steps) {
    static const char line[] = "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.";
    static const char traceback[] =
        "Traceback (most recent call last):\n  File \"train.py\", line 3, in step\n"
        "    loss.backward()\nRuntimeError: CUDA error: uncorrectable ECC error encountered";
    CHECK_TEXT(class_before_steps(line, 0), "GPUHardware");
    CHECK_TEXT(class_before_steps(line, 2), "GPUHardware");
    CHECK_TEXT(class_before_steps(line, 3), "Unknown");
    CHECK_TEXT(class_before_steps(traceback, 9), "GPUHardware");
    CHECK_TEXT(class_before_steps("OSError: [Errno 28] No space left on device", 9), "StorageError");
}
