/* What makes numbers less sure than they look reaches the conditions of the status. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "ledger/evaluate.h"
#include "operator/job/job.h"
#include "operator/status/conditions.h"
#include "replay.h"

#include <string.h>

enum { AVAILABLE_MS = 1000000 };

static const char *find(const struct view *v, const char *type, const char **ret_status, const char **ret_message) {
    for (int i = 0; i < JOB_CONDITIONS; i++)
        if (v->conditions[i].type != NULL && strcmp(v->conditions[i].type, type) == 0) {
            *ret_status = v->conditions[i].status;
            *ret_message = v->conditions[i].message;
            return v->conditions[i].reason;
        }
    return NULL;
}

static void check(struct ledger_result result, int64_t unattributed_ms, const char *expect_reason,
                  const char *expect_status, const char *expect_words) {
    static struct store store;
    static struct jobs jobs;
    static struct model_job job;
    static struct target target;
    static struct view v;
    const char *status = NULL, *message = NULL;
    job = (struct model_job){.jobs = &jobs, .store = &store};
    result.available_ms = AVAILABLE_MS;
    v = (struct view){.job = &job, .target = &target, .result = result, .log = LOG_ATTACHED};
    v.unattributed_ms = unattributed_ms;
    view_conditions(&v);
    CHECK_TEXT(find(&v, "EvidenceComplete", &status, &message), expect_reason);
    CHECK_TEXT(status, expect_status);
    CHECK(message != NULL && strstr(message, expect_words) != NULL);
}

TEST(records_that_count_nowhere_are_reported) {
    check((struct ledger_result){0}, 0, "Explained", "True", "95 %");
    check((struct ledger_result){.overlapped_records = 7}, 0, "RecordsOverlapped", "True", "7 records");
    check((struct ledger_result){.late_records = 3, .overlapped_records = 7}, 0, "LateRecords", "False", "3 records");
    check((struct ledger_result){.late_records = 3}, 50001, "Unattributed", "False", "5.00 %");
    check((struct ledger_result){.late_records = 3}, 50000, "LateRecords", "False", "3 records");
    check((struct ledger_result){.headless_ms = 20290, .late_records = 3}, 0, "LogLost", "False",
          "the first 20 s of it");
    check((struct ledger_result){.retained_without_checkpoint = true}, 0, "NoCheckpointSeen", "True", "kept");
}

/* A pod that trained while nobody led, and whose log had rotated when it was read: a step a second since 5 s, seen from
 * step 20 on. Where the trainer's first words are there, those seconds are its start-up. */
static char *begins_late(bool has_head) {
    struct model_options options = {.keeps_checkpoints = true};
    struct model *m = model_new(&options);
    replay_jobgoodput(m, "ns", "js", "PodLog", "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    if (has_head)
        fake_log_line(m, "a", 4, "Config param steps: 100");
    fake_log_steps(m, "a", 20, 60, 1, 25);
    char *s = replay_status(m, "ns", "js", fake_ms(66), NULL);
    model_free(m);
    return s;
}

/* The end of a log that was deleted with its pod: less than a twentieth of the time does not make the data degraded. */
TEST(a_log_whose_end_is_lost_is_reported) {
    static const struct {
        int now;
        const char *status;
    } cases[] = {{212, "True"}, {300, "False"}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct model_options options = {0};
        struct model *m = model_new(&options);
        replay_jobgoodput(m, "ns", "js", "PodLog", "", fake_ms(0));
        fake_observe_jobset(m, 1, "", "", 0.2);
        struct fake_pod a = fake_started("a", 0, 1, 2, 3);
        fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
        struct model_job *job = model_job_find(m, "ns", "js");
        fake_log_steps(m, "a", 0, 200, 1, 5);
        model_job_log_end(job, "uid-a", 0, "pods \"a\" not found");
        a.finished = cases[i].now;
        a.exit_code = 1;
        a.phase = "Failed";
        fake_observe_pod(m, &a, OBSERVED_PRESENT, cases[i].now + 1);
        CLEANUP_FREE char *s = replay_status(m, "ns", "js", fake_ms(cases[i].now + 1), NULL);
        CHECK_TEXT(status_text(s, "conditions[type=EvidenceComplete].reason"), "LogLost");
        CHECK_TEXT(status_text(s, "conditions[type=EvidenceComplete].status"), cases[i].status);
        CHECK_TEXT(status_text(s, "conditions[type=EvidenceComplete].message"),
                   "a part of the log was not read: pods \"a\" not found");
        model_free(m);
    }
}

TEST(evidence_that_falls_is_written_with_the_running_totals) {
    struct model_options options = {0};
    struct model *m = model_new(&options);
    struct model_summary before = {0}, after = {0};
    replay_jobgoodput(m, "ns", "js", "PodLog", "", fake_ms(0));
    fake_observe_jobset(m, 1, "", "", 0.2);
    struct fake_pod a = fake_started("a", 0, 1, 2, 3);
    fake_observe_pod(m, &a, OBSERVED_PRESENT, 3.1);
    fake_log_steps(m, "a", 0, 100, 1, 5);
    CLEANUP_FREE char *high = replay_status(m, "ns", "js", fake_ms(105), &before);
    fake_log_steps(m, "a", 101, 102, 1, 150); /* 44 s before this step are explained by no line */
    fake_log_steps(m, "a", 103, 103, 1, 155); /* late, so that the clock was not set */
    CLEANUP_FREE char *low = replay_status(m, "ns", "js", fake_ms(156), &after);
    CHECK_TEXT(status_text(high, "conditions[type=EvidenceComplete].status"), "True");
    CHECK_TEXT(status_text(low, "conditions[type=EvidenceComplete].status"), "False");
    CHECK(before.conditions_hash == after.conditions_hash);
    model_free(m);
}

TEST(a_log_whose_start_was_rotated_away_is_reported) {
    CLEANUP_FREE char *lost = begins_late(false), *whole = begins_late(true);
    CHECK_INT(status_int(lost, "badput[bucket=Unattributed].milliseconds"),
              22000); /* from the container's start at 3 s to 25 s */
    CHECK_INT(status_int(lost, "time.productiveMilliseconds"), 40000);
    CHECK_TEXT(status_text(lost, "conditions[type=EvidenceComplete].reason"), "LogLost");
    CHECK_TEXT(status_text(lost, "conditions[type=EvidenceComplete].status"), "False");
    CHECK(strcmp(status_text(whole, "conditions[type=EvidenceComplete].reason"), "LogLost") != 0);
}
