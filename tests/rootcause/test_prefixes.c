/* What tools put before each line, or do to the ends of lines, changes no verdict: each tail that a process printed
 * (tests/data/rootcause) gets the verdict of the bare tail. */
#include "harness.h"
#include "judge.h"

#include "base/buf.h"

#include <glob.h>
#include <stdlib.h>

/* stern (pod, container; also with -t), RFC 3164 as syslog and journalctl write it, rsyslog's file format, RFC 5424
 * without and with structured data, task logs of Airflow 1 and 2 and of its KubernetesPodOperator. */
static const char *const heads[] = {
    "train-0-0-x7k2q main ",
    "llm-workers-3 trainer 2026-11-27T10:00:00.123456789Z ",
    "Nov 27 10:00:00 gpu-12 train[4711]: ",
    "<13>Nov  7 10:00:00 gpu-12 train[4711]: ",
    "2026-11-27T10:00:00.123456+00:00 gpu-12 train[4711]: ",
    "<165>1 2026-11-27T10:00:00.123Z gpu-12 train 4711 ID47 - ",
    "<165>1 2026-11-27T10:00:00.123Z gpu-12 train 4711 - [meta@1 seq=\"7\"] ",
    "[2026-11-27 10:00:00,123] {bash_operator.py:157} INFO - ",
    "[2026-11-27, 10:00:00 UTC] {subprocess.py:93} INFO - ",
    "[2026-11-27, 10:00:00 UTC] {subprocess.py:93} INFO - 2026-11-27T10:00:00.123456789Z ",
    "[2026-11-27T10:00:00.123+0000] {pod_manager.py:431} INFO - [base] ",
};

static void put_before(struct buf *to, struct slice text, const char *head) {
    struct slice line;
    buf_clear(to);
    while (slice_take_line(&text, &line)) {
        buf_append_text(to, head);
        buf_append_slice(to, line);
        buf_append_char(to, '\n');
    }
}

/* As a terminal does: after that many characters, wherever it is. */
static void cut_at(struct buf *to, struct slice text, int columns) {
    int column = 0;
    buf_clear(to);
    for (size_t i = 0; i < text.size_bytes; i++) {
        bool starts_character = ((unsigned char)text.data[i] & 0xc0) != 0x80;
        if (text.data[i] == '\n')
            column = 0;
        else if (starts_character && column++ == columns) {
            buf_append_char(to, '\n');
            column = 1;
        }
        buf_append_char(to, text.data[i]);
    }
}

static void escape_ends(struct buf *to, struct slice text) {
    struct slice line;
    buf_clear(to);
    while (slice_take_line(&text, &line)) {
        buf_append_slice(to, line);
        buf_append_text(to, "\\n");
    }
    buf_append_char(to, '\n');
}

static void compare(const struct matcher *m, const char *path, const char *form, struct slice bare, struct slice other,
                    bool has_frame) {
    struct rootcause_verdict want, got;
    judge_lines(&want, m, bare);
    judge_lines(&got, m, other);
    if (want.finding.class_ != got.finding.class_ || strcmp(want.finding.reason, got.finding.reason) != 0 ||
        want.is_symptom_only != got.is_symptom_only ||
        (has_frame && strcmp(want.finding.frame, got.finding.frame) != 0))
        harness_fail(__FILE__, __LINE__, "%s, %s: %s (%s) at \"%s\", bare %s (%s) at \"%s\"", path, form,
                     rootcause_class_name(got.finding.class_), got.finding.reason, got.finding.frame,
                     rootcause_class_name(want.finding.class_), want.finding.reason, want.finding.frame);
}

/* Calls `check` with each tail. The lines of "stamped" begin with stamps already. */
static void each_tail(void (*check)(const struct matcher *, const char *, struct slice, struct buf *)) {
    glob_t files = {0};
    struct matcher *m = matcher_new();
    CLEANUP_BUF struct buf other;
    buf_init(&other, 1 << 20);
    CHECK_INT(glob("tests/data/rootcause/*.log", 0, NULL, &files), 0);
    CHECK(files.gl_pathc >= 30);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        size_t size = 0;
        char *text = harness_read_file(files.gl_pathv[i], &size);
        if (text != NULL && strstr(files.gl_pathv[i], "stamped") == NULL)
            check(m, files.gl_pathv[i], (struct slice){text, size}, &other);
        free(text);
    }
    globfree(&files);
    matcher_free(m);
}

static void under_heads(const struct matcher *m, const char *path, struct slice text, struct buf *other) {
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        put_before(other, text, heads[i]);
        compare(m, path, heads[i], text, buf_slice(other), true);
    }
}

static void wrapped(const struct matcher *m, const char *path, struct slice text, struct buf *other) {
    cut_at(other, text, 80);
    compare(m, path, "80 columns", text, buf_slice(other), true);
    cut_at(other, text, 120);
    compare(m, path, "120 columns", text, buf_slice(other), true);
}

static void escaped(const struct matcher *m, const char *path, struct slice text, struct buf *other) {
    if (!slice_contains(text, "Traceback (most recent call last)"))
        return;
    escape_ends(other, text);
    compare(m, path, "one line", text, buf_slice(other), true);
}

TEST(heads_of_tools_change_no_verdict) {
    each_tail(under_heads);
}

TEST(cut_lines_change_no_verdict) {
    each_tail(wrapped);
}

TEST(escaped_ends_of_lines_change_no_verdict) {
    each_tail(escaped);
}

/* Words that look like a head are text. */
TEST(text_that_only_resembles_a_head) {
    static const struct {
        const char *text;
        enum rootcause_class class_;
    } cases[] = {
        {"out-of-memory error RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n", CLASS_DEVICE_OOM},
        {"WARNING trainer[3]: x\nKeyError: 'label'\n", CLASS_USER_EXCEPTION},
        {"[2026-11-27 10:00:00,123] {trainer} INFO - KeyError: 'label'\n", CLASS_UNKNOWN},
        {"[2026-11-27 10:00:00,123] {train.py:7} WARNING - KeyError: 'label'\n", CLASS_UNKNOWN},
        {"Nov tail\nJan 1 x\n<1>\n<165>1 \nMay 10 10:00:00\n", CLASS_UNKNOWN},
    };
    struct matcher *m = matcher_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rootcause_verdict v;
        judge_lines(&v, m, slice_of(cases[i].text));
        if (v.finding.class_ != cases[i].class_)
            harness_fail(__FILE__, __LINE__, "%s: %s", rootcause_class_name(v.finding.class_), cases[i].text);
    }
    matcher_free(m);
}

/* A line of 80 columns is whole where the next one starts as a line does, and where a line before was longer. */
TEST(lines_of_a_full_width) {
#define FULL "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 012"
    static const struct {
        const char *text;
        int64_t line;
    } cases[] = {
        {FULL "\nKeyError: 'label'\n", 2},
        {FULL "\nTraceback (most recent call last):\n  File \"/app/a.py\", line 7, in f\nKeyError: 'label'\n", 4},
        {FULL "x\n" FULL "\nCUDA out of memory. Tried to allocate 2 GiB\n", 3},
        {FULL "\nand CUDA out of memory. Tried to allocate 2 GiB\n", 1},
        {"0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 CUDA out of me\nmory. Tried to allocate\n",
         1},
    };
    struct matcher *m = matcher_new();
    CHECK_INT((int64_t)strlen(FULL), 80);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rootcause_verdict v;
        judge_lines(&v, m, slice_of(cases[i].text));
        CHECK(v.finding.class_ != CLASS_UNKNOWN);
        CHECK_INT(v.finding.line, cases[i].line);
    }
    matcher_free(m);
}
