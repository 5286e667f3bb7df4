/* What makes numbers less sure than they look reaches the conditions of the status. */
#include "harness.h"
#include "operator/view.h"

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
    static struct model model;
    static struct model_job job;
    static struct target target;
    static struct view v;
    const char *status = NULL, *message = NULL;
    job = (struct model_job){.model = &model};
    result.available_ms = AVAILABLE_MS;
    v = (struct view){.job = &job, .target = &target, .result = result, .log = LOG_ATTACHED};
    v.unattributed_ms = unattributed_ms;
    view_conditions(&v);
    CHECK_TEXT(find(&v, "EvidenceComplete", &status, &message), expect_reason);
    CHECK_TEXT(status, expect_status);
    CHECK(message != NULL && strstr(message, expect_words) != NULL);
}

TEST(records_that_are_counted_nowhere_are_said) {
    check((struct ledger_result){0}, 0, "Explained", "True", "95 %");
    check((struct ledger_result){.overlapped_records = 7}, 0, "RecordsOverlapped", "True", "7 records");
    check((struct ledger_result){.late_records = 3, .overlapped_records = 7}, 0, "LateRecords", "False", "3 records");
    check((struct ledger_result){.late_records = 3}, 50001, "Unattributed", "False", "5.00 %");
    check((struct ledger_result){.late_records = 3}, 50000, "LateRecords", "False", "3 records");
    check((struct ledger_result){.retained_without_checkpoint = true}, 0, "NoCheckpointSeen", "True", "kept");
}
