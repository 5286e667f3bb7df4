/* StepLogFormats in the model: a JobGoodput that names one reads by it, waits for it, and says what is wrong with it.
 */
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include "base/mem.h"
#include "operator/model/formats.h"

#include <stdlib.h>

#define FORMAT(generation, pattern, gives, status)                                                                     \
    "{\"metadata\":{\"name\":\"mine\",\"uid\":\"u-mine\",\"resourceVersion\":\"1\",\"generation\":" #generation        \
    "},\"spec\":{\"patterns\":[{\"name\":\"it\",\"kind\":\"Step\",\"pattern\":\"" pattern                              \
    "\",\"examples\":[{\"line\":\"step 7\",\"gives\":{\"step\":" gives "}}]}]}" status "}"

static void observe_format(struct model *m, enum observed what, const char *json) {
    CHECK_INT(model_observe(m, RESOURCE_STEPLOGFORMAT, what, slice_of(NULL), SLICE("mine"), SLICE("u-mine"),
                            slice_of(json), fake_ms(10)),
              0);
}

static struct model *model_with(const char *format) {
    struct model *m = model_new(&(struct model_options){0});
    if (format != NULL)
        observe_format(m, OBSERVED_PRESENT, format);
    fake_observe_trainer(m, "", ",\"stepLog\":{\"format\":\"mine\"}");
    return m;
}

static void check(struct model *m, const char *reason, const char *message, int64_t last_step) {
    char *s = replay_status(m, "ns", "js", fake_ms(1100), NULL);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].reason"), reason);
    CHECK_TEXT(status_text(s, "conditions[type=StepLogAttached].message"), message);
    CHECK_INT(status_int(s, "steps.last"), last_step);
    CHECK(*status_text(s, "goodput.scheduling") != '\0'); /* everything else continues */
    free(s);
}

TEST(a_job_reads_by_the_format_that_it_names) {
    struct model *m = model_with(FORMAT(1, "^step (?<step>[0-9]+)", "7", ""));
    fake_log_line(m, "try1", 1000, "step 1");
    fake_log_line(m, "try1", 1002, "step 2");
    check(m, "Attached", "steps are read as mine", 2);
    char *s = replay_status(m, "ns", "js", fake_ms(1100), NULL);
    CHECK_TEXT(status_text(s, "target.logFormat"), "mine");
    free(s);
    /* lines read later are read by what it became */
    observe_format(m, OBSERVED_PRESENT, FORMAT(2, "^(?:it|step) (?<step>[0-9]+)", "7", ""));
    fake_log_line(m, "try1", 1004, "it 3");
    check(m, "Attached", "steps are read as mine", 3);
    model_free(m);
}

TEST(a_format_that_is_missing_is_waited_for) {
    struct model *m = model_with(NULL);
    fake_log_line(m, "try1", 1000, "step 1");
    check(m, "FormatMissing", "there is no StepLogFormat mine; the log is read when it appears", -1);
    uint64_t before = model_job_log_generation(model_job_find(m, "ns", "js"));
    observe_format(m, OBSERVED_PRESENT, FORMAT(1, "^step (?<step>[0-9]+)", "7", ""));
    CHECK(model_job_log_generation(model_job_find(m, "ns", "js")) != before); /* all is read again */
    fake_log_line(m, "try1", 1000, "step 1");
    fake_log_line(m, "try1", 1002, "step 2");
    check(m, "Attached", "steps are read as mine", 2);
    observe_format(m, OBSERVED_DELETED, "");
    fake_log_line(m, "try1", 1004, "step 3");
    check(m, "FormatMissing", "there is no StepLogFormat mine; the log is read when it appears", 2);
    model_free(m);
}

TEST(a_format_whose_example_fails_is_reported_with_the_reason) {
    struct model *m = model_with(FORMAT(1, "^step (?<step>[0-9]+)", "8", ""));
    char name[MODEL_FORMAT_NAME_SIZE];
    CLEANUP_BUF struct buf status;
    buf_init(&status, 8192);
    fake_log_line(m, "try1", 1000, "step 1");
    check(m, "FormatInvalid", "StepLogFormat mine: pattern \"it\", example 1: step is 7, expected 8", -1);
    CHECK(model_next_format(m, name, &status));
    CHECK_TEXT(name, "mine");
    CHECK_TEXT(status_text(buf_text(&status), "conditions[type=Ready].status"), "False");
    CHECK_TEXT(status_text(buf_text(&status), "conditions[type=Ready].message"),
               "pattern \"it\", example 1: step is 7, expected 8");
    buf_clear(&status);
    CHECK(!model_next_format(m, name, &status)); /* once */
    model_format_again(m, "mine");
    CHECK(model_next_format(m, name, &status));
    observe_format(m, OBSERVED_PRESENT, FORMAT(2, "^step (?<step>[0-9]+)", "7", ""));
    buf_clear(&status);
    CHECK(model_next_format(m, name, &status));
    CHECK_TEXT(status_text(buf_text(&status), "conditions[type=Ready].status"), "True");
    CHECK_INT(status_int(buf_text(&status), "observedGeneration"), 2);
    model_free(m);
}

/* A status that an earlier controller wrote of the same generation is not written again. */
TEST(an_unchanged_format_status_is_not_written) {
    struct model *m = model_new(&(struct model_options){0});
    char name[MODEL_FORMAT_NAME_SIZE];
    CLEANUP_BUF struct buf status;
    buf_init(&status, 8192);
    observe_format(
        m, OBSERVED_PRESENT,
        FORMAT(3, "^step (?<step>[0-9]+)", "7",
               ",\"status\":{\"observedGeneration\":3,\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
               "\"lastTransitionTime\":\"2026-11-21T02:00:00Z\",\"reason\":\"Valid\",\"message\":\"\"}]}"));
    CHECK(!model_next_format(m, name, &status));
    model_free(m);
}
