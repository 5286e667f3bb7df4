/* fleet: what is wrong is said before anything is fetched; JSON that adds up; the sums by hand. */
#include "harness.h"

#include "cli/fleet.h"
#include "cli/pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void refused(struct cli_fleet_options given, const char *output, const char *why) {
    CLEANUP_ERROR struct error *err = NULL;
    struct cli_options options = {.command = "fleet", .output = output, .fleet = given};
    CHECK(cli_fleet_check(&options, &err) < 0);
    CHECK(strstr(error_text(err), why) != NULL);
}

TEST(fleet_refuses_what_cannot_be) {
    refused((struct cli_fleet_options){.price = "-1"}, NULL,
            "--price -1: what a chip costs per hour is wanted, above 0");
    refused((struct cli_fleet_options){.price = "0"}, NULL, "--price 0");
    refused((struct cli_fleet_options){.price = "nan"}, NULL, "--price nan");
    refused((struct cli_fleet_options){.price = "1x"}, NULL, "--price 1x");
    refused((struct cli_fleet_options){.since = "7d"}, NULL, "--since 7d: a duration is wanted, such as 24h");
    refused((struct cli_fleet_options){.since = "0"}, NULL, "--since 0");
    refused((struct cli_fleet_options){.group_by = "queue,"}, NULL, "--group-by queue,");
    refused((struct cli_fleet_options){.group_by = "label:"}, NULL, "--group-by label:");
    refused((struct cli_fleet_options){.group_by = "job,job,job,job"}, NULL, "up to three of");
    refused((struct cli_fleet_options){.group_by = ""}, NULL, "up to three of");
    refused((struct cli_fleet_options){0}, "name", "-o name");
}

static json_t *rolled(const char *since, const char *group_by) {
    CLEANUP_ERROR struct error *err = NULL;
    struct cli_options options = {.command = "fleet", .fleet = {.since = since, .group_by = group_by, .price = "2"}};
    struct fleet_view view;
    CHECK_INT(fleet_view_of(&options, &view, &err), 0);
    json_t *file = json_load_file("tests/data/cli/rollup.json", 0, NULL);
    json_t *json = cli_fleet_json(json_object_get(file, "items"), &view);
    json_decref(file);
    return json;
}

static int64_t accounted(const json_t *sum) {
    int64_t all = pick_int(sum, "productiveChipMs", 0);
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(sum, "lost"), i, item) all += pick_int(item, "chipMs", 0);
    return all;
}

#define HOUR INT64_C(3600000)

TEST(fleet_sums_by_hand) {
    json_t *json = rolled(NULL, "namespace"), *groups = json_object_get(json, "groups");
    const json_t *all = json_object_get(json, "all");
    CHECK_INT(pick_int(all, "jobs", 0), 3);
    CHECK_INT(pick_int(all, "chipMs", 0), (2 * 256 + 16 + 8) * HOUR);
    CHECK_INT(pick_int(all, "productiveChipMs", 0), 256 * HOUR + 8 * HOUR);
    CHECK_INT(accounted(all), pick_int(all, "chipMs", 0));
    CHECK_INT(pick_int(all, "goodputPPM.job", 0), llround(264.0 / 528 * 1e6)); /* of those with steps */
    CHECK_INT(pick_int(all, "goodputPPM.productivity", 0), 260000);            /* 0.5 x 0.52: of the one that tells */
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
        CHECK_INT(accounted(all), pick_int(all, "chipMs", 0));
        CHECK(pick_int(all, "chipMs", 0) > 0);
        json_decref(json);
    }
}
