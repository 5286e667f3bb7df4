/* Lines that look like steps of a log that is refused, and their pattern: by the reader that reads the format Generic.
 */
#include "harness.h"

#include "steplog/step_samples.h"

#include <stdio.h>
#include <string.h>

static bool suggest(const char *format, char pattern[static STEPLOG_MAX_PATTERN_BYTES + 1]) {
    struct step_samples samples = {0};
    struct steplog_explanation e = {0};
    for (int i = 1; i < 6; i++) {
        char line[300];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(line, sizeof line, format, i);
#pragma GCC diagnostic pop
        step_samples_line(&samples, slice_of(line));
    }
    step_samples_fill(&samples, &e);
    pattern[0] = '\0';
    return step_samples_suggest(&e, pattern);
}

TEST(what_is_suggested_is_what_is_read) {
    static const struct {
        const char *line, *pattern;
    } cases[] = {
        {"step:%d - actor/pg_loss:0.123 - timing_s/step:12.3", "\\bstep:(?<step>[0-9]+)"},
        {"train/step=%d train/loss=0.1 iter_time: 12.5 ms", "\\btrain/step=(?<step>[0-9]+).*?\\biter_time:\\s*"
                                                            "(?<milliseconds>[0-9.]+) ?ms"},
        {"opt_step %d | ppl 4 | 1.5 s/it", "\\bopt_step\\s*(?<step>[0-9]+).*?\\b(?<seconds>[0-9.]+) ?s/it"},
        {"[%d] loss=0.5, lr=0.1", "\\[(?<step>[0-9]+)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char pattern[STEPLOG_MAX_PATTERN_BYTES + 1];
        CHECK(suggest(cases[i].line, pattern));
        CHECK_TEXT(pattern, cases[i].pattern);
    }
}

/* Habitat: the first step compiles, so its time is not a share of the second one's sum. */
TEST(a_duration_that_grows_with_each_line_is_the_sum_of_all) {
    static const double start_s[] = {0, 14.7, 400}, mean_s[] = {1.3, 1.3, 0.02};
    for (size_t k = 0; k < sizeof start_s / sizeof start_s[0]; k++) {
        for (int is_sum = 0; is_sum <= 1; is_sum++) {
            struct step_samples samples = {0};
            struct steplog_explanation e = {0};
            char pattern[STEPLOG_MAX_PATTERN_BYTES + 1], line[200];
            double sum_s = start_s[k];
            for (int i = 1; i < 40; i++) {
                double step_s = mean_s[k] * (1 + 0.1 * (i * 7 % 5));
                sum_s = i == 20 ? step_s : sum_s + step_s; /* started again, at a later step */
                snprintf(line, sizeof line, "update: %d env_time: %.3fs frames: %d", i, is_sum ? sum_s : step_s, i);
                step_samples_line(&samples, slice_of(line));
            }
            step_samples_fill(&samples, &e);
            CHECK(step_samples_suggest(&e, pattern));
            CHECK_TEXT(pattern, is_sum ? "\\bupdate:\\s*(?<step>[0-9]+)"
                                       : "\\bupdate:\\s*(?<step>[0-9]+).*?\\benv_time:\\s*(?<seconds>[0-9.]+) ?s");
        }
    }
}

TEST(other_lines_give_no_pattern) {
    char pattern[STEPLOG_MAX_PATTERN_BYTES + 1];
    static const char *const lines[] = {"step %d of the setup took long", "eval step %d loss 0.5",
                                        "Epoch: [3][ %d/1500] loss 1", "max_step=%d loss=1"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        CHECK(!suggest(lines[i], pattern));
}

TEST(a_sample_is_shown_without_the_terminal_s_escapes) {
    struct step_samples samples = {0};
    struct steplog_explanation e = {0};
    for (int i = 1; i < 6; i++) {
        char line[200];
        snprintf(line, sizeof line, "\x1b[1;32m[trainer]\x1b[0m opt_step \x1b[31m%d\x1b[0m | loss 4 | 1.5 s/it\x1b[K",
                 i);
        step_samples_line(&samples, slice_of(line));
    }
    step_samples_fill(&samples, &e);
    CHECK_TEXT(e.samples[0], "[trainer] opt_step 1 | loss 4 | 1.5 s/it");
    CHECK_TEXT(e.samples[1], "[trainer] opt_step 2 | loss 4 | 1.5 s/it");
}

static void read_rising(struct steplog_explanation *e, const char *format, int from, int to, int by) {
    struct step_samples samples = {0};
    for (int i = from; i < to; i += by) {
        char line[300];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(line, sizeof line, format, i, 9.5 / (i + 1));
#pragma GCC diagnostic pop
        step_samples_line(&samples, SLICE("worker ok, load 0.5"));
        step_samples_line(&samples, slice_of(line));
    }
    *e = (struct steplog_explanation){0};
    step_samples_fill(&samples, e);
}

/* Words that no format knows, and none at all. */
TEST(a_number_that_rises_gives_a_pattern) {
    static const struct {
        const char *line, *pattern;
    } cases[] = {
        {"phase=%d cost %.1f", "\\bphase=(?<step>[0-9]+)"},
        {"12:00:07 INFO core.py:88 | k=%d f=%.3f", "\\bk=(?<step>[0-9]+)"},
        {"<< %4d | obj %.3f | wall 2.00 s >>", "^\\s*<<\\s*(?<step>[0-9]+).*?\\b(?<seconds>[0-9.]+) ?s"},
        {"%d\t%.5f", "^\\s*\\b(?<step>[0-9]+)"},
        {"Runde %d/900: Verlust %.3f", "\\bRunde\\s*(?<step>[0-9]+)"},
        {"{\"k\": %d, \"f\": %.3e}", "\\bk\":\\s*(?<step>[0-9]+)"},
        {"1763690400.25 phase %d f -%.3f", "\\bphase\\s*(?<step>[0-9]+)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char pattern[STEPLOG_MAX_PATTERN_BYTES + 1] = "";
        struct steplog_explanation e;
        read_rising(&e, cases[i].line, 7, 120, 1);
        CHECK(step_samples_suggest(&e, pattern));
        CHECK_TEXT(pattern, cases[i].pattern);
    }
}

TEST(the_slowest_number_is_the_counter) {
    char pattern[STEPLOG_MAX_PATTERN_BYTES + 1] = "";
    struct steplog_explanation e;
    struct step_samples samples = {0};
    for (int i = 1; i < 30; i++) {
        char line[100];
        snprintf(line, sizeof line, "n %d seen, k %d, f 0.25", 4096 * i, 10 * i);
        step_samples_line(&samples, slice_of(line));
    }
    e = (struct steplog_explanation){0};
    step_samples_fill(&samples, &e);
    CHECK(step_samples_suggest(&e, pattern));
    CHECK_TEXT(pattern, "\\bk\\s*(?<step>[0-9]+)");
    CHECK_TEXT(e.samples[1], "n 8192 seen, k 20, f 0.25");
}

/* Too few lines, no distance that stays, no number with a fraction, a time that rises, a name that no word has. */
TEST(a_number_that_does_not_rise_like_steps_gives_none) {
    static const struct {
        const char *line;
        int from, to, by;
    } cases[] = {{"phase=%d cost %.1f", 1, 4, 1},
                 {"phase=%d cost 3", 1, 90, 1},
                 {"[%d] cost %.1f", 1763690400, 1763690440, 1},
                 {"12:00:01 %d cost %.1f", 1, 90, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char pattern[STEPLOG_MAX_PATTERN_BYTES + 1] = "";
        struct steplog_explanation e;
        read_rising(&e, cases[i].line, cases[i].from, cases[i].to, cases[i].by);
        CHECK(!step_samples_suggest(&e, pattern));
    }
    struct step_samples samples = {0};
    struct steplog_explanation e = {0};
    for (int i = 1; i < 40; i++) { /* squares */
        char line[100];
        snprintf(line, sizeof line, "request %d took a while, load 0.5", i * i);
        step_samples_line(&samples, slice_of(line));
    }
    step_samples_fill(&samples, &e);
    CHECK_INT(e.sample_count, 0);
}

/* Behind more lines than are looked at one by one. */
TEST(steps_behind_a_long_preparation_are_found) {
    struct step_samples samples = {0};
    struct steplog_explanation e = {0};
    char pattern[STEPLOG_MAX_PATTERN_BYTES + 1] = "", line[100];
    for (int i = 0; i < 50000; i++)
        step_samples_line(&samples, SLICE("shard read, ratio 0.5, 12 files"));
    for (int i = 0; i < 20000; i++) {
        snprintf(line, sizeof line, "phase=%d cost 2.5", i);
        step_samples_line(&samples, slice_of(line));
    }
    step_samples_fill(&samples, &e);
    CHECK(step_samples_suggest(&e, pattern));
    CHECK_TEXT(pattern, "\\bphase=(?<step>[0-9]+)");
}
