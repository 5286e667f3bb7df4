/* The controller is killed around the end of a target: what was published of it stays, whatever the next controller
 * still finds of it. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"
#include "status_check.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 20 /* of 2 s, from 1000 on */

static void print_step(struct model *m, int step) {
    CLEANUP_FREE char *line = mem_format("completed step: %d, seconds: 2.000, TFLOP/s/device: 50.1, loss: 2.1", step);
    model_job_log_line(model_job_find(m, "ns", "js"), "uid-try1", 0, fake_ms(1002 + 2 * step) * 1000000,
                       slice_of(line));
}

static char *status_at(struct model *m, double at) {
    char why[STATUS_WHY];
    replay_watermarks(m, fake_ms(at));
    char *status = replay_status(m, "ns", "js", fake_ms(at), NULL);
    if (!status_check_text(status, strlen(status), why))
        harness_fail(__FILE__, __LINE__, "at %g: %s", at, why);
    return status;
}

/* A trainer that took all of its steps by 1040. */
static struct model *trained(void) {
    struct model *m = model_new(&(struct model_options){.version = "test", .keeps_checkpoints = true});
    fake_tell_trainer(m, "", "");
    replay_watermarks(m, fake_ms(996));
    for (int i = 0; i < STEPS; i++)
        print_step(m, i);
    model_job_log_watermark(model_job_find(m, "ns", "js"), "uid-try1", fake_ms(1041));
    return m;
}

static struct model *successor(const char *left) {
    struct model *m = model_new(&(struct model_options){.version = "test", .keeps_checkpoints = true});
    CLEANUP_FREE char *more = replay_left(left);
    replay_jobgoodput(m, "ns", "js", "PodLog", more, fake_ms(0));
    return m;
}

/* Nothing of it is left when the next controller lists. */
TEST(a_target_that_is_deleted_unobserved_with_its_pods_keeps_its_steps) {
    static const int gaps[] = {1, 3, 10, 60};
    for (int g = 0; g < 4; g++) {
        struct model *m = trained();
        CLEANUP_FREE char *left = status_at(m, 1041);
        model_free(m);
        CHECK_INT(status_int(left, "steps.retained"), STEPS);
        struct model *next = successor(left);
        CLEANUP_FREE char *found = status_at(next, 1041 + gaps[g]);
        CHECK_INT(status_int(found, "steps.retained"), STEPS);
        CHECK_INT(status_int(found, "time.productiveMs"), status_int(left, "time.productiveMs"));
        CHECK(status_int(found, "time.availableMs") >= status_int(left, "time.availableMs"));
        CHECK_INT(status_int(found, "time.wallMs"), 1041000 + gaps[g] * 1000);
        model_free(next);
    }
}

/* ---- the spec changes while no controller runs ---- */

/* stepLog: what follows its source. */
static struct model *successor_of_spec(const char *left, const char *step_log, const char *more_spec) {
    struct model *m = model_new(&(struct model_options){.version = "test", .keeps_checkpoints = true});
    CLEANUP_FREE char *json =
        mem_format("{\"metadata\":{\"namespace\":\"ns\",\"name\":\"js\",\"uid\":\"goodput-of-js\",\"generation\":2,"
                   "\"creationTimestamp\":%s},\"spec\":{\"targetRef\":{\"apiVersion\":\"jobset.x-k8s.io/v1alpha2\","
                   "\"kind\":\"JobSet\",\"name\":\"js\"},\"stepLog\":{\"source\":\"PodLog\",\"format\":\"Auto\"%s}%s},"
                   "\"status\":%s}",
                   fake_time(0), step_log, more_spec, left);
    CHECK_INT(model_observe(m, RESOURCE_JOBGOODPUT, OBSERVED_PRESENT, SLICE("ns"), SLICE("js"), SLICE("goodput-of-js"),
                            slice_of(json), fake_ms(0)),
              0);
    return m;
}

static int64_t retained_with(const char *left, const char *step_log, const char *more_spec) {
    struct model *next = successor_of_spec(left, step_log, more_spec);
    CLEANUP_FREE char *found = status_at(next, 1044);
    model_free(next);
    return status_int(found, "steps.retained");
}

TEST(a_spec_that_names_the_same_log_keeps_its_steps) {
    struct model *m = trained();
    CLEANUP_FREE char *left = status_at(m, 1041);
    model_free(m);
    CHECK_INT(retained_with(left, "", ""), STEPS);
    CHECK_INT(retained_with(left, "", ",\"totalSteps\":100"), STEPS);
    CHECK_INT(retained_with(left, "", ",\"windowSeconds\":[600],\"idealStepMilliseconds\":1900"), STEPS);
    CHECK_INT(retained_with(left, "", ",\"hangAfterSeconds\":60,\"cost\":{\"pricePerChipHour\":\"1.50\"}"), STEPS);
    CHECK_INT(retained_with(left, ",\"podLog\":{\"container\":\"another\"}", ""), -1);
}
