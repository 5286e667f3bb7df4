/* fleet: what is wrong is said before anything is fetched; JSON that adds up; the sums by hand. */
#include "harness.h"

#include "cli/commands/fleet.h"
#include "cli/commands/options.h"
#include "cli/render/pick.h"
#include "cli/render/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void refused(struct cli_fleet_options given, const char *output, const char *why) {
    CLEANUP_ERROR struct error *err = NULL;
    struct cli_options options = {.command = "fleet", .output = output, .fleet = given};
    CHECK(fleet_command_check(&options, &err) < 0);
    CHECK(strstr(error_text(err), why) != NULL);
}

TEST(fleet_refuses_what_cannot_be) {
    refused((struct cli_fleet_options){.price = "-1"}, NULL, "--price -1: write the price of a chip per hour, above 0");
    refused((struct cli_fleet_options){.price = "0"}, NULL, "--price 0");
    refused((struct cli_fleet_options){.price = "nan"}, NULL, "--price nan");
    refused((struct cli_fleet_options){.price = "1x"}, NULL, "--price 1x");
    refused((struct cli_fleet_options){.since = "7d"}, NULL, "--since 7d: write a duration, such as 24h");
    refused((struct cli_fleet_options){.since = "0"}, NULL, "--since 0");
    refused((struct cli_fleet_options){.group_by = "queue,"}, NULL, "--group-by queue,");
    refused((struct cli_fleet_options){.group_by = "label:"}, NULL, "--group-by label:");
    refused((struct cli_fleet_options){.group_by = "job,job,job,job"}, NULL, "up to three of");
    refused((struct cli_fleet_options){.group_by = ""}, NULL, "up to three of");
    refused((struct cli_fleet_options){0}, "name", "-o name");
    CLEANUP_ERROR struct error *err = NULL;
    struct cli_options named = {.command = "fleet", .name = "research", .fleet.since = "24h"};
    CHECK(fleet_command_check(&named, &err) < 0);
    CHECK(strstr(error_text(err), "fleet research: its spec selects jobs") != NULL);
}

static json_t *rolled(const char *since, const char *group_by) {
    CLEANUP_ERROR struct error *err = NULL;
    struct cli_options options = {.command = "fleet", .fleet = {.since = since, .group_by = group_by, .price = "2"}};
    struct fleet_view view;
    CHECK_INT(fleet_view_of(&options, &view, &err), 0);
    json_t *file = json_load_file("tests/data/cli/rollup.json", 0, NULL);
    json_t *json = fleet_command_json(json_object_get(file, "items"), &view);
    json_decref(file);
    return json;
}

static json_t *priced_job(const char *name, const char *currency, const char *lost) {
    return json_pack(
        "{s:{s:s,s:s},s:{s:{s:i},s:{s:s,s:i,s:i,s:i},s:[{s:s,s:s,s:i,s:i,s:s}],s:{s:s,s:s,s:s},s:{s:s,s:s},"
        "s:{s:i,s:[{s:s,s:i,s:i,s:s}]}}}",
        "metadata", "namespace", "a", "name", name, "status", "target", "chips", 4, "time", "start",
        "2026-11-01T00:00:00Z", "wallMilliseconds", 7200000, "availableMilliseconds", 7200000, "productiveMilliseconds",
        3600000, "badput", "family", "Runtime", "bucket", "WastedProgress", "milliseconds", 3600000, "chipSeconds",
        14400, "cost", lost, "cost", "currency", currency, "allocated", "20.00", "lost", lost, "acceleratorHours",
        "allocated", "8.000", "productive", "4.000", "interruptions", "total", 1, "byCause", "cause", "NodeFailure",
        "count", 1, "chipSeconds", 7200, "cost", "5.00");
}

/* Without --price the jobs' own costs are summed, by bucket and by cause; another currency's are left out. */
TEST(fleet_sums_the_jobs_own_costs) {
    CLEANUP_ERROR struct error *err = NULL;
    struct fleet_view view;
    CHECK_INT(fleet_view_of(&(struct cli_options){.command = "fleet"}, &view, &err), 0);
    json_t *list = json_pack("[o,o,o]", priced_job("x", "USD", "10.00"), priced_job("y", "USD", "10.50"),
                             priced_job("z", "EUR", "10.00"));
    json_t *json = fleet_command_json(list, &view), *all = json_object_get(json, "all");
    CHECK_TEXT(pick_text(json, "currency"), "USD");
    CHECK(fabs(json_real_value(json_object_get(all, "costLost")) - 20.5) < 1e-9);
    const json_t *cause = json_array_get(json_object_get(all, "byCause"), 0);
    CHECK_TEXT(pick_text(cause, "cause"), "NodeFailure");
    CHECK_INT(pick_int(cause, "count", 0), 3);
    CHECK_INT(pick_int(cause, "paidChipSeconds", 0), 3 * 7200);
    CHECK(fabs(json_real_value(json_object_get(cause, "cost")) - 10) < 1e-9);
    const json_t *bucket = json_array_get(json_object_get(all, "lost"), 0);
    CHECK(fabs(json_real_value(json_object_get(bucket, "cost")) - 20.5) < 1e-9);
    CLEANUP_BUF struct buf out;
    struct text_style style = {.columns = 100};
    buf_init(&out, 1 << 20);
    fleet_command_draw(list, &view, &style, &out);
    CHECK(strstr(buf_text(&out), "in USD, at the jobs' own prices") != NULL);
    CHECK(strstr(buf_text(&out), "jobs with costs in another currency, not in the costs: 1") != NULL);
    json_decref(json);
    json_decref(list);
}

/* Chip-seconds, counts and costs are the sums of the jobs'; those of another currency have no cost. */
TEST(fleet_sums_owners_and_root_causes) {
    CLEANUP_ERROR struct error *err = NULL;
    struct fleet_view view;
    CHECK_INT(fleet_view_of(&(struct cli_options){.command = "fleet"}, &view, &err), 0);
    json_t *list = json_pack("[o,o,o]", priced_job("x", "USD", "10.00"), priced_job("y", "USD", "10.50"),
                             priced_job("z", "EUR", "10.00"));
    for (size_t i = 0; i < 3; i++) {
        json_t *status = json_object_get(json_array_get(list, i), "status");
        json_object_set_new(status, "byOwner",
                            json_pack("[{s:s,s:i,s:i,s:s,s:[{s:s,s:i}]},{s:s,s:i,s:i,s:s}]", "owner", "Provider",
                                      "interruptions", 1, "chipSeconds", 7200, "cost", "5.00", "byClass", "class",
                                      i == 0 ? "Network" : "GPUHardware", "chipSeconds", 3600, "owner", "Tenant",
                                      "interruptions", 0, "chipSeconds", 3600, "cost", "2.50"));
        json_object_set_new(json_object_get(status, "interruptions"), "byClass",
                            json_pack("[{s:s,s:i}]", "class", i == 0 ? "Network" : "GPUHardware", "count", 1));
    }
    json_t *json = fleet_command_json(list, &view), *all = json_object_get(json, "all");
    const json_t *tenant = json_array_get(json_object_get(all, "byOwner"), 0);
    const json_t *provider = json_array_get(json_object_get(all, "byOwner"), 1);
    CHECK_TEXT(pick_text(tenant, "owner"), "Tenant");
    CHECK_INT(pick_int(tenant, "interruptions", -1), 0);
    CHECK_TEXT(pick_text(provider, "owner"), "Provider");
    CHECK_INT(pick_int(provider, "interruptions", 0), 3);
    CHECK_INT(pick_int(provider, "paidChipSeconds", 0), 3 * 7200);
    CHECK(fabs(json_real_value(json_object_get(provider, "cost")) - 10) < 1e-9);
    const json_t *class = json_array_get(json_object_get(all, "byClass"), 0);
    CHECK_TEXT(pick_text(class, "class"), "GPUHardware");
    CHECK_INT(pick_int(class, "count", 0), 2);
    CLEANUP_BUF struct buf out;
    struct text_style style = {.columns = 100};
    buf_init(&out, 1 << 20);
    fleet_command_draw(list, &view, &style, &out);
    const char *row = strstr(buf_text(&out), "  Provider ");
    REQUIRE(row != NULL);
    CHECK(strstr(row, " 6.0       3x         10.00\n"
                      "    GPUHardware                  2.0\n"
                      "    Network                      1.0\n"
                      "    None                         3.0\n") != NULL);
    const json_t *parts = pick(provider, "byClass");
    CHECK_INT(json_array_size(parts), 3);
    CHECK_TEXT(pick_text(json_array_get(parts, 2), "class"), "None");
    CHECK_INT(pick_int(json_array_get(parts, 2), "paidChipSeconds", 0), 3 * 3600);
    CHECK(pick(tenant, "byClass") == NULL);
    CHECK(strstr(buf_text(&out), "\nRoot causes of interruptions: GPUHardware 2, Network 1\n") != NULL);
    json_decref(json);
    json_decref(list);
}

/* Of a job without steps nobody knows what its interruptions cost: no number, not 0. */
TEST(fleet_reports_no_loss_by_a_cause_that_no_job_reports) {
    CLEANUP_ERROR struct error *err = NULL;
    struct fleet_view view;
    CHECK_INT(fleet_view_of(&(struct cli_options){.command = "fleet"}, &view, &err), 0);
    json_t *list = json_pack("[o]", priced_job("x", "USD", "10.00"));
    json_t *interruptions = json_object_get(json_object_get(json_array_get(list, 0), "status"), "interruptions");
    json_array_append_new(json_object_get(interruptions, "byCause"),
                          json_pack("{s:s,s:i}", "cause", "Eviction", "count", 2));
    json_t *json = fleet_command_json(list, &view), *causes = json_object_get(json_object_get(json, "all"), "byCause");
    CHECK_INT(json_array_size(causes), 2);
    const json_t *cause = json_array_get(causes, 1);
    CHECK_TEXT(pick_text(cause, "cause"), "Eviction");
    CHECK_INT(pick_int(cause, "count", 0), 2);
    CHECK(!pick_has(cause, "paidChipSeconds") && !pick_has(cause, "cost"));
    CLEANUP_BUF struct buf out;
    struct text_style style = {.columns = 100};
    buf_init(&out, 1 << 20);
    fleet_command_draw(list, &view, &style, &out);
    const char *row = strstr(buf_text(&out), "  Eviction");
    REQUIRE(row != NULL);
    CHECK_INT(strcspn(row, "0.\n"), strcspn(row, "\n")); /* no number but the count */
    CHECK(strstr(row, " -       2x ") != NULL);
    json_decref(json);
    json_decref(list);
}

static int64_t accounted(const json_t *sum) {
    int64_t all = pick_int(sum, "productiveChipMilliseconds", 0);
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(sum, "lost"), i, item) all += pick_int(item, "chipMilliseconds", 0);
    return all;
}

#define HOUR INT64_C(3600000)

TEST(fleet_sums_by_hand) {
    json_t *json = rolled(NULL, "namespace"), *groups = json_object_get(json, "groups");
    const json_t *all = json_object_get(json, "all");
    CHECK_INT(pick_int(all, "jobs", 0), 3);
    CHECK_INT(pick_int(all, "chipMilliseconds", 0), (2 * 256 + 16 + 8) * HOUR);
    CHECK_INT(pick_int(all, "productiveChipMilliseconds", 0), 256 * HOUR + 8 * HOUR);
    CHECK_INT(accounted(all), pick_int(all, "chipMilliseconds", 0));
    CHECK_INT(pick_int(all, "goodputPPM.job", 0), llround(264.0 / 528 * 1e6)); /* of those with steps */
    CHECK_INT(pick_int(all, "goodputPPM.productivity", -1), -1); /* one job's program goodput is not known */
    CHECK_INT(pick_int(all, "goodputPPM.program", -1), 520000);  /* of the one whose is */
    CHECK_INT(pick_int(all, "goodputPPM.evidence", -1), llround(528.0 / (2 * 256 + 16 + 8) * 1e6));
    CHECK_INT((int64_t)json_array_size(groups), 2);
    CHECK_TEXT(pick_text(json_array_get(groups, 0), "group"), "research");
    CHECK_INT(pick_int(json_array_get(groups, 1), "goodputPPM.job", -1), -1); /* no steps: absent, not 0 */
    const json_t *first = json_array_get(json_object_get(all, "lost"), 0);
    CHECK_TEXT(pick_text(first, "bucket"), "WastedProgress");
    CHECK_TEXT(pick_text(first, "worst"), "research/llama3-70b");
    CHECK(fabs(json_real_value(json_object_get(first, "cost")) - 614400 / 3600.0 * 2) < 1e-9);
    json_decref(json);
}

TEST(fleet_of_a_window_adds_up) {
    for (int minutes = 1; minutes < 130; minutes += 3) {
        char since[16];
        snprintf(since, sizeof since, "%dm", minutes);
        json_t *json = rolled(since, "job");
        const json_t *all = json_object_get(json, "all");
        CHECK_INT(accounted(all), pick_int(all, "chipMilliseconds", 0));
        CHECK(pick_int(all, "chipMilliseconds", 0) > 0);
        json_decref(json);
    }
}
