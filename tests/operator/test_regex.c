/* Format Regex end to end: the patterns of a JobGoodput's spec, a log that only they can read, and the status. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

static struct model *begin(const char *regex) {
    struct model_options options = {.version = "test"};
    struct model *m = model_new(&options);
    CLEANUP_FREE char *json =
        mem_format("{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"g\",\"generation\":1,"
                   "\"creationTimestamp\":\"2026-11-21T02:00:00Z\"},\"spec\":{\"targetRef\":{\"kind\":\"JobSet\","
                   "\"name\":\"js\"},\"stepLog\":{\"source\":\"PodLog\",\"format\":\"Regex\",\"regex\":{%s}}}}",
                   regex);
    CHECK_INT(model_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, SLICE("ns"), SLICE("js"), SLICE("g"),
                            slice_of(json), fake_ms(0)),
              0);
    fake_tell_jobset(m, 1, "", "", 0.2);
    struct fake_pod p = fake_pod("a", 0, 1);
    p.bound = 2;
    p.started = 3;
    p.phase = "Running";
    fake_tell_pod(m, &p, OBSERVED_PRESENT, 3.1);
    return m;
}

static void say(struct model *m, double at, const char *line) {
    model_job_log_line(model_job_find(m, "ns", "js"), "uid-a", 0, fake_ms(at) * 1000000, slice_of(line));
}

/* Quotes and backslashes are JSON's; groups are named in both of PCRE2's spellings. */
#define PATTERNS                                                                                                       \
    "\"step\":\"^\\\"it\\\" (?<step>\\\\d+) took (?P<seconds>[\\\\d.]+)s\","                                           \
    "\"checkpointStart\":\"^dump (?<step>\\\\d+)\",\"checkpointSaved\":\"^dumped (?<step>\\\\d+)\","                   \
    "\"checkpointRestored\":\"^undumped (?<step>\\\\d+) in (?<seconds>\\\\S+)\""

TEST(patterns_of_the_spec_read_the_log) {
    struct model *m = begin(PATTERNS);
    say(m, 10, "undumped 100 in 4.0");
    say(m, 14, "\"it\" 101 took 2.0s");
    say(m, 16, "\"it\" 102 took 2.0s");
    say(m, 16.001, "dump 102");
    say(m, 19.001, "dumped 102");
    say(m, 21.001, "\"it\" 103 took 2.0s");
    say(m, 22, "it 999 took 2.0s"); /* not as the pattern wants it */
    say(m, 23.001, "\"it\" 104 took 2.0s");
    char *s = replay_status(m, "ns", "js", fake_ms(23.001), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].status"), "True");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].message"), "steps are read as Regex");
    CHECK_TEXT(status_text(s, "target.logFormat"), "Regex");
    CHECK_INT(status_int(s, "steps.last"), 104);
    CHECK_INT(status_int(s, "steps.lastDurable"), 102);
    CHECK_INT(status_int(s, "time.productiveMs"), 8001);
    CHECK_INT(status_int(s, "badput[bucket=CheckpointRestore].ms"), 4000);
    CHECK_INT(status_int(s, "badput[bucket=CheckpointSave].ms"), 3000);
    free(s);
    model_free(m);
}

static void check_trouble(const char *regex, const char *message) {
    struct model *m = begin(regex);
    say(m, 10, "it 1");
    char *s = replay_status(m, "ns", "js", fake_ms(20), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].status"), "False");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), "PatternInvalid");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].message"), message);
    CHECK_INT(status_int(s, "time.productiveMs"), -1);
    free(s);
    model_free(m);
}

TEST(a_bad_pattern_is_named_with_its_place) {
    check_trouble("\"step\":\"it (?<step>[0-9]+\"",
                  "spec.stepLog.regex.step is no valid pattern: at byte 17: missing closing parenthesis");
    check_trouble("\"step\":\"(?<step>1)\",\"checkpointSaved\":\"[z-a]\"",
                  "spec.stepLog.regex.checkpointSaved is no valid pattern: at byte 3: "
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
        say(m, 4 + i * 0.001, line);
    char *s = replay_status(m, "ns", "js", fake_ms(20), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), "PatternTooExpensive");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].status"), "False");
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].message"),
               "regex.step was too expensive to match on 20 lines and is not tried on further lines; simplify it");
    free(s);
    model_free(m);
}

/* A new pattern in the spec reads the log that comes from then on; the old one's steps are gone with its ledger. */
TEST(a_changed_pattern_begins_anew) {
    struct model *m = begin("\"step\":\"(?<step>\\\\d+)\"");
    say(m, 10, "7");
    char json[] = "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"g\",\"generation\":2,"
                  "\"creationTimestamp\":\"2026-11-21T02:00:00Z\"},\"spec\":{\"targetRef\":{\"kind\":\"JobSet\","
                  "\"name\":\"js\"},\"stepLog\":{\"format\":\"Regex\",\"regex\":{\"step\":\"s=(?<step>\\\\d+)\"}}}}";
    model_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, SLICE("ns"), SLICE("js"), SLICE("g"), slice_of(json),
                  fake_ms(11));
    say(m, 12, "9");
    say(m, 13, "s=3");
    char *s = replay_status(m, "ns", "js", fake_ms(20), NULL);
    CHECK_INT(status_int(s, "steps.last"), 3);
    free(s);
    model_free(m);
}
