/* status.cost, and the cost of each bucket: where the price is from, and that amounts add up to the hundredth. The job
 * is interrupted once, so that there is a cause that cost something. */
#include "fake.h"
#include "harness.h"
#include "replay.h"

#include <stdlib.h>

static char *status_on(const char *node_labels, const char *prices, const char *spec) {
    struct model_options options = {.chip_prices = prices, .currency = "EUR"};
    struct model *m = model_new(&options);
    struct fake_pod p = fake_observe_trainer(m, node_labels, spec);
    replay_log_file(model_job_find(m, "ns", "js"), "uid-try1",
                    "tests/data/trainer-logs/maxtext/restarts/attempt-1.log");
    p.finished = 1012;
    p.phase = "Failed";
    p.exit_code = 1;
    fake_observe_pod(m, &p, OBSERVED_PRESENT, 1013);
    struct fake_pod q = fake_pod("try2", 0, 1030);
    q.node = "n0";
    q.bound = q.started = 1040;
    q.phase = "Running";
    fake_observe_pod(m, &q, OBSERVED_PRESENT, 1041);
    char *s = replay_status(m, "ns", "js", fake_ms(1100), NULL);
    model_free(m);
    return s;
}

static int64_t cents(const char *s, const char *path) {
    struct slice text = slice_of(status_text(s, path));
    int64_t value = -1;
    CHECK(slice_take_scaled(&text, 2, &value) && text.size_bytes == 0);
    return value;
}

/* Of all members "cost" that have amounts in a part of the status. */
static int64_t costs_within(const char *s, const char *from, const char *to, int64_t *chip_s) {
    const char *at = strstr(s, from), *end = strstr(s, to);
    int64_t sum = 0, cost, seconds;
    CHECK(at != NULL && end != NULL);
    while (at != NULL && (at = strstr(at, "\"chipSeconds\":")) != NULL && at < end) {
        struct slice rest = slice_of(at + 14);
        CHECK(slice_take_int(&rest, &seconds) && slice_take_prefix(&rest, ",\"cost\":\""));
        CHECK(slice_take_scaled(&rest, 2, &cost));
        *chip_s += seconds;
        sum += cost;
        at += 14;
    }
    return sum;
}

static void check_sums(const char *s) {
    int64_t chip_s = 0, by_cause_s = 0;
    int64_t badput = costs_within(s, "\"badput\":", "\"topBadput\":", &chip_s);
    int64_t by_cause = costs_within(s, "\"byCause\":", "\"executions\":", &by_cause_s);
    CHECK(chip_s > 0 && by_cause_s > 0);
    CHECK_INT(cents(s, "cost.productive") + badput, cents(s, "cost.allocated"));
    CHECK_INT(cents(s, "cost.productive") + cents(s, "cost.lost"), cents(s, "cost.allocated"));
    CHECK(by_cause > 0 && by_cause <= cents(s, "cost.lost"));
}

#define LABEL "\"goodput.dev/price-per-chip-hour\":\"360\""

TEST(the_price_is_the_specs_then_the_labels_then_the_controllers) {
    char *s = status_on(LABEL, "*=3600", ",\"cost\":{\"pricePerChipHour\":\"36000.5\",\"currency\":\"USD\"}");
    CHECK_TEXT(status_text(s, "cost.source"), "Spec");
    CHECK_TEXT(status_text(s, "cost.pricePerChipHour"), "36000.5");
    CHECK_TEXT(status_text(s, "cost.currency"), "USD");
    check_sums(s);
    free(s);
    s = status_on(LABEL, "*=3600", "");
    CHECK_TEXT(status_text(s, "cost.source"), "NodeLabel");
    CHECK_TEXT(status_text(s, "cost.pricePerChipHour"), "360");
    CHECK_TEXT(status_text(s, "cost.currency"), "EUR");
    check_sums(s);
    free(s);
    s = status_on("", "TPU v4=1,*=3600", "");
    CHECK_TEXT(status_text(s, "cost.source"), "Controller");
    check_sums(s);
    free(s);
}

TEST(without_a_price_there_is_no_cost) {
    char *s = status_on("", NULL, "");
    CHECK(strstr(s, "\"cost\"") == NULL);
    CHECK(strstr(strstr(s, "\"byCause\":"), "\"chipSeconds\":") != NULL); /* chip time is known all the same */
    free(s);
}

TEST(a_label_that_is_not_a_price_is_reported) {
    char *s = status_on("\"goodput.dev/price-per-chip-hour\":\"-3\"", "*=1", "");
    CHECK(strstr(status_text(s, "cost.message"), "is not a price: give a decimal") != NULL);
    CHECK_TEXT(status_text(s, "cost.allocated"), "");
    CHECK(*status_text(s, "goodput.job") != '\0');
    free(s);
}
