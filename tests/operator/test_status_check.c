/* status_check finds a wrong number wherever it is: each number of a rich status is changed by one, and each share
 * replaced. What it lets pass is listed here: nothing else in a status determines it. */
#include "base/mem.h"
#include "fake.h"
#include "harness.h"
#include "replay.h"
#include "status_check.h"

#include <stdlib.h>

static void tell_steps(struct model *m, const char *pod_uid, int first, int last, int from) {
    for (int step = first; step <= last; step++) {
        int64_t at_ms = fake_ms(from + step - first + 1);
        CLEANUP_FREE char *line =
            mem_format("completed step: %d, seconds: 1.000, TFLOP/s/device: 40.000, Tokens/s/device: "
                       "800.000, total_weights: 65536, loss: 7.000",
                       step);
        model_job_log_line(model_job_find(m, "ns", "js"), pod_uid, 0, at_ms * 1000000, slice_of(line));
    }
}

#define SPEC                                                                                                           \
    ",\"windowSeconds\":[60,3600],\"cost\":{\"pricePerChipHour\":\"36000\",\"currency\":\"USD\"},"                     \
    "\"program\":{\"peakGFLOPSPerChip\":918000,\"model\":{\"parameters\":\"8e9\",\"layers\":32,\"heads\":32,"          \
    "\"headDim\":128,\"sequenceLength\":8192,\"tokensPerStep\":8192}}"

/* Of a job whose first pod fails after step 11, and whose second goes on from there; the log of the first ends before
 * the lines of so many steps. */
static char *status_of_life(int lost_lines) {
    struct model_options options = {.version = "test"};
    struct model *m = model_new(&options);
    struct fake_pod p = fake_tell_trainer(m, "", SPEC), q = fake_pod("try2", 0, 1030);
    char done[512];
    tell_steps(m, "uid-try1", 0, 11 - lost_lines, 1000);
    p.finished = 1014;
    p.phase = "Failed";
    p.exit_code = 1;
    fake_tell_pod(m, &p, OBSERVED_PRESENT, 1015);
    q.node = "n0";
    q.bound = q.started = 1040;
    q.phase = "Running";
    fake_tell_pod(m, &q, OBSERVED_PRESENT, 1041);
    model_job_log_line(model_job_find(m, "ns", "js"), "uid-try2", 0, fake_ms(1045) * 1000000,
                       SLICE("restored from checkpoint step 11, resuming at 12"));
    tell_steps(m, "uid-try2", 12, 31, 1050);
    q.finished = 1075;
    q.phase = "Succeeded";
    fake_tell_pod(m, &q, OBSERVED_PRESENT, 1076);
    snprintf(done, sizeof done, "\"conditions\":[%s]", fake_condition("Completed", "True", "AllJobsCompleted", 1077));
    fake_tell_jobset(m, 1, "", done, 1078);
    replay_watermarks(m, fake_ms(1200));
    char *s = replay_status(m, "ns", "js", fake_ms(1200), NULL);
    model_free(m);
    return s;
}

/* The same life, and the lines of steps 4 to 11 are lost: that 12 could follow proves that they were done. */
TEST(a_lost_piece_of_log_takes_no_step_from_program_goodput) {
    CLEANUP_FREE char *whole = status_of_life(0), *cut = status_of_life(8);
    static const char *const numbers[] = {"time.productiveMs",  "steps.retained",          "steps.meanMs",
                                          "goodputPPM.program", "goodputPPM.productivity", "goodputPPM.job"};
    CHECK_INT(status_int(whole, "steps.retained"), 32);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        CHECK_INT(status_int(cut, numbers[i]), status_int(whole, numbers[i]));
    CHECK_TEXT(status_text(cut, "program.tflopsPerChip"), status_text(whole, "program.tflopsPerChip"));
}

/* Paths of what may be any number: words separated by spaces, list items without their number. */
static const char undetermined[] =
    " observedGeneration target.chips availability.required availability.available conditions.observedGeneration"
    " badput.count windows.windowSeconds interruptions.byCause.chipSeconds executions.firstStep executions.lastStep"
    " executions.trmMs executions.catchUpMs executions.detectMs executions.waitMs executions.tchMs executions.lostSteps"
    " steps.last steps.lastDurable steps.repeated steps.p50Ms steps.p99Ms otherDefinitions.numeratorMs"
    " windows.interruptions interruptions.byCause.cost program.parameters program.peakGFLOPSPerChip"
    " cost.pricePerChipHour acceleratorHours.waiting time.provisionalMs executions.treMs ";

/* What is determined but for rounding: more than twice as much is wrong. */
static const char rounded[] = " badput.chipSeconds goodputPPM.program windows.badput.ms ";

static bool is_in(const char *list, const char *path) {
    char word[220];
    snprintf(word, sizeof word, " %s ", path);
    return strstr(list, word) != NULL;
}

struct mutation {
    json_t *root;
    int changed, found;
    char path[200];
};

static void try_value(struct mutation *t, json_t *parent, const char *key, size_t index, json_t *wrong) {
    char why[STATUS_WHY];
    json_t *value = key != NULL ? json_object_get(parent, key) : json_array_get(parent, index);
    json_incref(value);
    if (key != NULL)
        json_object_set_new(parent, key, wrong);
    else
        json_array_set_new(parent, index, wrong);
    bool is_found = !status_check(t->root, why);
    t->changed++;
    t->found += is_found;
    if (!is_found && !is_in(undetermined, t->path + 1))
        harness_fail(t->path + 1, 0, "a wrong number passes");
    if (key != NULL)
        json_object_set_new(parent, key, value);
    else
        json_array_set_new(parent, index, value);
}

static bool is_number(const char *s) {
    return *s >= '0' && *s <= '9' && strspn(s, "0123456789.%") == strlen(s);
}

static void mutate(struct mutation *t, json_t *parent, const char *key, size_t index, json_t *value) {
    size_t length = strlen(t->path), i;
    const char *name;
    json_t *member;
    if (key != NULL)
        snprintf(t->path + length, sizeof t->path - length, ".%s", key);
    if (json_is_object(value)) {
        void *next;
        json_object_foreach_safe(value, next, name, member) mutate(t, value, name, 0, member);
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, member) mutate(t, value, NULL, i, member);
    } else if (json_is_integer(value)) {
        json_int_t n = json_integer_value(value);
        try_value(t, parent, key, index, json_integer(is_in(rounded, t->path + 1) ? 2 * n + 100 : n + 1));
    } else if (json_is_string(value) && is_number(json_string_value(value))) {
        bool is_percent = strchr(json_string_value(value), '%') != NULL;
        try_value(t, parent, key, index, json_string(is_percent ? "33.21%" : "98765.43"));
    }
    t->path[length] = '\0';
}

TEST(a_wrong_number_in_a_status_is_found) {
    CLEANUP_FREE char *status = status_of_life(3);
    struct mutation t = {.root = json_loads(status, 0, NULL)};
    char why[STATUS_WHY];
    REQUIRE(t.root != NULL && status_check(t.root, why));
    mutate(&t, NULL, NULL, 0, t.root);
    CHECK(t.changed > 100);
    CHECK(t.found * 2 > t.changed);
    CHECK(status_check(t.root, why));
    json_decref(t.root);
}

/* It knows that there is nothing to know, and refuses a key that comes twice. */
TEST(a_status_without_times_holds_nothing_wrong) {
    char why[STATUS_WHY];
    CHECK(status_check_text("{}", 2, why));
    CHECK(status_check_text("{\"phase\":\"Pending\"}", 19, why));
    CHECK(!status_check_text("{\"phase\":\"Pending\",\"phase\":\"Failed\"}", 36, why));
    CHECK(!status_check_text("{\"phase\":", 9, why));
}
