/* Format Regex end to end: the patterns of a JobGoodput's spec, a log that only they can read, and the status. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>
#include <time.h>

static struct model *begin(const char *regex) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    CLEANUP_FREE char *step_log = mem_format("\"source\":\"PodLog\",\"format\":\"Regex\",\"regex\":{%s}", regex);
    fake_observe_jobgoodput(m, &(struct fake_jobgoodput){.step_log = step_log}, 0);
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod p = fake_started("a", 0, 1, 2, 3);
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 3.1);
    return m;
}

/* Quotes and backslashes are JSON's; groups are named in both of PCRE2's spellings. */
#define PATTERNS                                                                                                       \
    "\"step\":\"^\\\"it\\\" (?<step>\\\\d+) took (?P<seconds>[\\\\d.]+)s\","                                           \
    "\"checkpointStart\":\"^dump (?<step>\\\\d+)\",\"checkpointSaved\":\"^dumped (?<step>\\\\d+)\","                   \
    "\"checkpointRestored\":\"^undumped (?<step>\\\\d+) in (?<seconds>\\\\S+)\""

TEST(patterns_of_the_spec_read_the_log) {
    struct model *m = begin(PATTERNS);
    fake_log_line(m, "a", 10, "undumped 100 in 4.0");
    fake_log_line(m, "a", 14, "\"it\" 101 took 2.0s");
    fake_log_line(m, "a", 16, "\"it\" 102 took 2.0s");
    fake_log_line(m, "a", 16.001, "dump 102");
    fake_log_line(m, "a", 19.001, "dumped 102");
    fake_log_line(m, "a", 21.001, "\"it\" 103 took 2.0s");
    fake_log_line(m, "a", 22, "it 999 took 2.0s"); /* not as the pattern wants it */
    fake_log_line(m, "a", 23.001, "\"it\" 104 took 2.0s");
    char *s = replay_status(m, "ns", "js", fake_ms(23.001), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].status"), "True");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].message"), "steps are read as Regex");
    CHECK_TEXT(status_text(s, "target.logFormat"), "Regex");
    CHECK_INT(status_int(s, "steps.last"), 104);
    CHECK_INT(status_int(s, "steps.lastDurable"), 102);
    CHECK_INT(status_int(s, "time.productiveMilliseconds"), 8001);
    CHECK_INT(status_int(s, "badput[bucket=CheckpointRestore].milliseconds"), 4000);
    CHECK_INT(status_int(s, "badput[bucket=CheckpointSave].milliseconds"), 3000);
    free(s);
    model_free(m);
}

static void check_trouble(const char *regex, const char *message) {
    struct model *m = begin(regex);
    fake_log_line(m, "a", 10, "it 1");
    char *s = replay_status(m, "ns", "js", fake_ms(20), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].status"), "False");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), "PatternInvalid");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].message"), message);
    CHECK_INT(status_int(s, "time.productiveMilliseconds"), -1);
    free(s);
    model_free(m);
}

TEST(a_bad_pattern_is_named_with_its_place) {
    check_trouble("\"step\":\"it (?<step>[0-9]+\"",
                  "spec.stepLog.regex.step is not a valid pattern: at byte 17: missing closing parenthesis");
    check_trouble("\"step\":\"(?<step>1)\",\"checkpointSaved\":\"[z-a]\"",
                  "spec.stepLog.regex.checkpointSaved is not a valid pattern: at byte 3: "
                  "range out of order in character class");
    check_trouble("\"step\":\"it\"",
                  "spec.stepLog.regex.step has no group named step, for example 'step=(?<step>[0-9]+)'");
    check_trouble("", "spec.stepLog.format Regex needs regex.step");
    char longest[1100] = "\"step\":\"(?<step>1)";
    size_t n = strlen(longest);
    memset(longest + n, 'a', 1025 - 10);
    snprintf(longest + n + 1025 - 10, 2, "\"");
    check_trouble(longest, "spec.stepLog.regex.step has 1025 bytes; a pattern has 1 to 1024");
}

/* A pattern that is too expensive on 20 lines is disabled, and a condition says which. */
TEST(an_expensive_pattern_does_not_stop_the_model) {
    struct model *m = begin("\"step\":\"^(?<step>1)$|^(a+)+$\"");
    char line[2001];
    memset(line, 'a', sizeof line - 2);
    memcpy(line + sizeof line - 2, "!", 2);
    for (int i = 0; i < 300; i++)
        fake_log_line(m, "a", 4 + i * 0.001, line);
    char *s = replay_status(m, "ns", "js", fake_ms(20), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), "PatternTooExpensive");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].status"), "False");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].message"),
               "regex.step was too expensive to match on 20 lines and is not tried on further lines; simplify it");
    free(s);
    model_free(m);
}

/* Some 250,000 units on each line of flood(): just under a line's limit. */
#define COSTLY "(?<step>1)|^a*?a*?a*?b"

static void change(struct model *m, const char *step, int generation, double at) {
    CLEANUP_FREE char *step_log = mem_format("\"format\":\"Regex\",\"regex\":{\"step\":\"%s\"}", step);
    fake_observe_jobgoodput(m, &(struct fake_jobgoodput){.generation = generation, .step_log = step_log}, at);
}

/* A flood of the worst lines; returns the CPU time in seconds. */
static double flood(struct model *m, double at, int lines) {
    char line[56];
    memset(line, 'a', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    clock_t start = clock();
    for (int i = 0; i < lines; i++)
        fake_log_line(m, "a", at + i * 1e-6, line);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void check_reason(struct model *m, double at, const char *reason, const char *words) {
    char *s = replay_status(m, "ns", "js", fake_ms(at), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), reason);
    CHECK(strstr(status_text(s, "conditions[type=StepLogAttached].message"), words) != NULL);
    free(s);
}

/* The work of all lines of a minute is bounded; the log is lost until the pattern is changed, and that brings no more
 * work in the same minute. */
TEST(patterns_have_a_budget_of_work_for_each_minute) {
    struct model *m = begin("\"step\":\"" COSTLY "\"");
    free(replay_status(m, "ns", "js", fake_ms(4), NULL));
    double seconds = flood(m, 4, 30000); /* of which some 400 are within the budget */
    check_reason(m, 5, "PatternTooExpensive", "regex.step took more work than a job has in a minute");
    CHECK_INT(model_job_log_count(model_job_find(m, "ns", "js")), 0);
    for (int i = 0; i < 20; i++) { /* edits, each with a pattern that was never tried */
        CLEANUP_FREE char *step = mem_format(COSTLY "|%d", i);
        change(m, step, 2 + i, 5 + i);
        CHECK_INT(model_job_log_count(model_job_find(m, "ns", "js")), 0);
        seconds += flood(m, 5 + i, 300);
        check_reason(m, 5 + i, "PatternTooExpensive", "is read from the next one on");
    }
    CHECK(seconds < 6); /* a tenth of the minute; without a budget 36,000 lines of 0.2 ms and more */
    change(m, "it (?<step>[0-9]+)", 30, 30);
    while (model_next_dirty(m) != NULL) {
    }
    check_reason(m, 59, "PatternTooExpensive", "is read from the next one on");
    CHECK(model_next_dirty(m) == NULL);
    check_reason(m, 61, "Waiting",
                 "no step yet"); /* the next minute: the reader of the log gets a request to read again */
    CHECK(model_next_dirty(m) != NULL);
    CHECK_INT(model_job_log_count(model_job_find(m, "ns", "js")), 1);
    fake_log_line(m, "a", 62, "it 5");
    check_reason(m, 62, "Attached", "Regex");
    printf(" %.2f s of CPU ", seconds);
    model_free(m);
}

/* A JobGoodput that is created again under its name has no more of it. */
TEST(a_budget_of_work_outlives_its_jobgoodput) {
    struct model *m = begin("\"step\":\"" COSTLY "\"");
    free(replay_status(m, "ns", "js", fake_ms(4), NULL));
    flood(m, 4, 3000);
    CHECK_INT(model_job_log_count(model_job_find(m, "ns", "js")), 0);
    fake_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_DELETED, "js", "goodput-of-js", "", 5);
    while (model_next_dirty(m) != NULL) {
    }
    change(m, COSTLY, 1, 6);
    CHECK_INT(model_job_log_count(model_job_find(m, "ns", "js")), 0);
    check_reason(m, 7, "PatternTooExpensive", "is read from the next one on");
    check_reason(m, 61, "Waiting", "no step yet");
    CHECK_INT(model_job_log_count(model_job_find(m, "ns", "js")), 1);
    model_free(m);
}

/* A usual pattern reads 40 MB in a minute. */
TEST(a_usual_pattern_is_within_the_budget) {
    struct model *m = begin("\"step\":\"step=(?<step>[0-9]+)\",\"checkpointSaved\":\"saved (?<step>[0-9]+)\"");
    char line[256];
    for (int i = 0; i < 200000; i++) {
        snprintf(line, sizeof line, "%0150d saw s=%d ss step: step=%d tokens/s=12345.6 mfu=45.1", 1, i, i);
        fake_log_line(m, "a", 4 + i * 1e-4, line);
    }
    check_reason(m, 25, "Attached", "Regex");
    model_free(m);
}

/* A new pattern in the spec reads the log that comes from then on; the old one's steps are deleted with its ledger. */
TEST(a_changed_pattern_starts_again) {
    struct model *m = begin("\"step\":\"(?<step>\\\\d+)\"");
    fake_log_line(m, "a", 10, "7");
    change(m, "s=(?<step>\\\\d+)", 2, 11);
    fake_log_line(m, "a", 12, "9");
    fake_log_line(m, "a", 13, "s=3");
    char *s = replay_status(m, "ns", "js", fake_ms(20), NULL);
    CHECK_INT(status_int(s, "steps.last"), 3);
    free(s);
    model_free(m);
}
