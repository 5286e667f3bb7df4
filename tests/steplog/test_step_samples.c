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
